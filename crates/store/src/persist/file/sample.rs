//! Measuring large collections by samples.
//!
//! # Idea
//! The memory of a collection is nearly a sum over its members: a constant for each, and their bytes. So a few samples
//! are built and measured by the store's own accounting, and the other members are only read. How full a hash table is
//! varies between two doublings; the sizes of the samples are the whole divided by a power of two, so that they are
//! equally full.

use std::io::Read;

use rdb::{Node, Strings, Value as InFile};

use crate::member::Member;
use crate::persist::value::{Fault, listpack, listpack_of};
use crate::policy::EncodingPolicy;
use crate::value::{Lasting, List, Loading, Value, ZSet};

/// The maximum number of members of a sample.
const MOST: u64 = 16 << 10;
/// A sample ends before its members exceed this number of bytes by more than one member.
const MOST_BYTES: u64 = 4 << 20;

/// The approximate overhead of a member in bytes: of sets, of hashes (field and value), of sorted sets, of lists.
const SET_MEMBER: u64 = 6;
const HASH_FIELD: u64 = 10;
const ZSET_MEMBER: u64 = 40;
const LIST_ELEMENT: u64 = 3;

/// The size of a collection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    pub(super) len: u64,
    pub(super) bytes: u64,
}

/// Measures a value that is a sequence of members; returns any other unchanged.
pub(super) fn measure<'r, R: Read>(
    value: InFile<'r, R>,
    policy: &EncodingPolicy<'_>,
) -> Result<Result<Size, InFile<'r, R>>, Fault> {
    Ok(Ok(match value {
        InFile::Set(members) => set(members, policy)?,
        InFile::Hash(strings) => hash(strings, policy)?,
        InFile::ZSet(mut scores) => {
            let mut samples = Samples::new(scores.announced(), ZSET_MEMBER);
            let mut sample = Vec::new();
            while let Some((member, score)) = scores.next()? {
                if samples.are_built() {
                    sample.push((member.to_vec(), score));
                }
                if samples.add(1, member.len() as u64) {
                    let full = zset(std::mem::take(&mut sample), false, policy)?;
                    samples.end(|| full.heap_bytes());
                }
            }
            let rest = zset(sample, samples.is_first(), policy)?;
            samples.finish(|| rest.heap_bytes())
        }
        InFile::List(mut elements) => {
            let mut samples = Samples::new(elements.announced(), LIST_ELEMENT);
            let mut sample = Loading::new(*policy);
            while let Some(element) = elements.next()? {
                if samples.are_built() {
                    sample.element(element);
                }
                if samples.add(1, element.len() as u64) {
                    let full = std::mem::replace(&mut sample, Loading::new(*policy));
                    samples.end(|| list(full));
                }
            }
            samples.finish(|| list(sample))
        }
        InFile::ListZiplists(mut nodes) => {
            let mut lists = Lists::new(policy);
            while let Some(node) = nodes.next()? {
                let node = listpack_of(node)?;
                lists.add(node.len(), node.as_bytes().len(), |sample| sample.packed(node));
            }
            lists.finish()
        }
        InFile::ListNodes(mut nodes) => {
            let mut lists = Lists::new(policy);
            while let Some(node) = nodes.next()? {
                match node {
                    Node::Plain(element) if element.is_empty() => return Err(Fault::EmptyNode),
                    Node::Plain(element) => {
                        lists.add(1, element.len(), |sample| sample.plain(element));
                    }
                    Node::Packed(blob) => {
                        let node = listpack(blob)?;
                        lists.add(node.len(), node.as_bytes().len(), |sample| sample.packed(node));
                    }
                }
            }
            lists.finish()
        }
        other @ (InFile::String(_)
        | InFile::Blob(..)
        | InFile::HashTtl(_)
        | InFile::HashTtlListpack { .. }
        | InFile::Raw(_)) => return Ok(Err(other)),
    }))
}

/// Measures a set by its members.
fn set<R: Read>(mut members: Strings<'_, R>, policy: &EncodingPolicy<'_>) -> Result<Size, Fault> {
    let announced = members.announced();
    let count = usize::try_from(announced).unwrap_or(usize::MAX);
    let mut samples = Samples::new(announced, SET_MEMBER);
    let size = samples.size().min(count);
    let empty = || Value::set_to_sample(size, count, policy);
    let mut sample = empty();
    while let Some(member) = members.next()? {
        if samples.are_built() {
            let mut set = sample.as_set_mut().ok_or(Fault::TwiceInSet)?;
            if !set.add(Member::Bytes(member), policy) {
                return Err(Fault::TwiceInSet);
            }
        }
        if samples.add(1, member.len() as u64) {
            let full = std::mem::replace(&mut sample, empty());
            samples.end(|| full.heap_bytes());
        }
    }
    Ok(samples.finish(|| sample.heap_bytes()))
}

/// Measures a hash by its fields and values in turn.
fn hash<R: Read>(mut strings: Strings<'_, R>, policy: &EncodingPolicy<'_>) -> Result<Size, Fault> {
    let announced = strings.announced() / 2;
    let count = usize::try_from(announced).unwrap_or(usize::MAX);
    let mut samples = Samples::new(announced, HASH_FIELD);
    let size = samples.size().min(count);
    let empty = || Lasting::to_sample(size, count, policy);
    let mut sample = empty();
    let mut field = Vec::new();
    while let Some(string) = strings.next()? {
        field.clear();
        field.extend_from_slice(string);
        let Some(value) = strings.next()? else { break };
        let pair = (Member::Bytes(&field), Member::Bytes(value));
        if samples.are_built() && !sample.set(pair, policy) {
            return Err(Fault::TwiceInHash);
        }
        if samples.add(1, (field.len() + value.len()) as u64) {
            let full = std::mem::replace(&mut sample, empty());
            samples.end(|| full.heap_bytes());
        }
    }
    Ok(samples.finish(|| sample.heap_bytes()))
}

/// Builds the sorted set of a sample, or of a whole value in the form in which it is loaded.
fn zset(
    members: Vec<(Vec<u8>, f64)>,
    whole: bool,
    policy: &EncodingPolicy<'_>,
) -> Result<Value, Fault> {
    // As a load does, which does not know the number beforehand.
    let mut members = members.into_iter();
    let set = ZSet::skip_list(core::iter::from_fn(|| members.next()), policy.hasher.clone());
    let mut set = set.map_err(Fault::Scores)?;
    if whole {
        policy.fit_zset(&mut set);
    }
    Ok(Value::ZSet(set))
}

fn list(sample: Loading<'_>) -> usize {
    sample.finish().map_or(0, |list: List| Value::List(list).heap_bytes())
}

/// The samples of a collection, and their results.
#[derive(Debug)]
struct Samples {
    /// The number of members of a sample; unlimited if there is only one.
    per: u64,
    /// The overhead of a member, in samples that are not built.
    each: u64,
    /// The number of samples that have ended.
    number: u64,
    here: Sum,
    built: Sum,
    read: Sum,
    heap: u64,
}

/// The number of members and their bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    members: u64,
    bytes: u64,
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.members += other.members;
        self.bytes += other.bytes;
    }

    /// The weight, with a given overhead per member.
    fn weight(self, each: u64) -> u128 {
        u128::from(self.members) * u128::from(each) + u128::from(self.bytes)
    }
}

impl Samples {
    fn new(announced: u64, each: u64) -> Self {
        let mut per = if announced > MOST { announced } else { u64::MAX };
        while per > MOST && per < u64::MAX {
            per = per.div_ceil(2);
        }
        let none = Sum::default();
        Self { per, each, number: 0, here: none, built: none, read: none, heap: 0 }
    }

    /// The maximum number of members of a sample.
    fn size(&self) -> usize {
        usize::try_from(self.per.min(MOST)).unwrap_or(usize::MAX)
    }

    /// Returns whether this sample is built: the first two are, and then fewer and fewer.
    fn are_built(&self) -> bool {
        self.number & self.number.wrapping_sub(1) == 0
    }

    fn is_first(&self) -> bool {
        self.number == 0
    }

    /// Adds members; returns whether the sample is full.
    fn add(&mut self, members: u64, bytes: u64) -> bool {
        self.here.add(Sum { members, bytes });
        self.here.members >= self.per || self.here.bytes >= MOST_BYTES
    }

    /// Ends a sample.
    fn end(&mut self, heap: impl FnOnce() -> usize) {
        let here = std::mem::take(&mut self.here);
        if self.are_built() {
            self.built.add(here);
            self.heap += heap() as u64;
        } else {
            self.read.add(here);
        }
        self.number += 1;
    }

    /// Ends the last sample, and computes the sum.
    fn finish(mut self, heap: impl FnOnce() -> usize) -> Size {
        if self.is_first() {
            self.end(heap);
        } else {
            // It is smaller than the others, so it is not representative.
            self.read.add(self.here);
        }
        let len = self.built.members + self.read.members;
        let (built, read) = (self.built.weight(self.each), self.read.weight(self.each));
        let more = u128::from(self.heap) * read / built.max(1);
        let bytes = if len == 0 { 0 } else { self.heap + u64::try_from(more).unwrap_or(u64::MAX) };
        Size { len, bytes }
    }
}

/// The nodes of a list, whose numbers of elements are not known in advance.
struct Lists<'p> {
    samples: Samples,
    sample: Loading<'p>,
    policy: EncodingPolicy<'p>,
}

impl<'p> Lists<'p> {
    fn new(policy: &EncodingPolicy<'p>) -> Self {
        let samples = Samples { per: u64::MAX, ..Samples::new(0, LIST_ELEMENT) };
        Self { samples, sample: Loading::new(*policy), policy: *policy }
    }

    fn add(&mut self, elements: usize, bytes: usize, build: impl FnOnce(&mut Loading<'p>)) {
        if self.samples.are_built() {
            build(&mut self.sample);
        }
        if self.samples.add(elements as u64, bytes as u64) {
            let full = std::mem::replace(&mut self.sample, Loading::new(self.policy));
            self.samples.end(|| list(full));
        }
    }

    fn finish(self) -> Size {
        let Self { samples, sample, .. } = self;
        samples.finish(|| list(sample))
    }
}
