//! A bucket of byte strings, packed one after the other.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::bucket::{Bucket, Fill, Rehash};
use crate::offsets::Offsets;
use crate::table::Extendible;
use crate::tags::{LINE, Tags};

/// With this many bytes a bucket splits, however few its members are. Members are at most 512 MiB long.
const OVERFULL_BYTES: usize = 3 << 30;

/// The run of bytes grows by one part in this many.
const GROWTH: usize = 4;

/// The most bytes that the length of a member takes: 32 bits, seven at a time.
const LENGTH_MAX: usize = 5;

/// A few dozen members of a set of byte strings: tags and offsets over one run of bytes.
///
/// With it, [`Extendible`] is a set that takes 5 to 8 bytes a member beyond the members' own. Every method takes the
/// hash of its member, which must be the one that the table was given.
///
/// ```text
/// bytes    | 5 | h e l l o | 3 | f o o | 5 | w o r l d |
///            ^               ^           ^
/// offsets    0               6           10
/// tags       0x4c            0x09        0xe1
/// ```
///
/// A length takes seven bits a byte, low bits first, the high bit set on all but the last. A member that is removed
/// leaves a hole; when the holes are more than a quarter of the bytes, the members are copied to a new run. A member
/// has at most 512 MiB.
#[derive(Clone, Debug, Default)]
pub struct MemberBucket {
    tags: Tags,
    offsets: Offsets,
    bytes: Vec<u8>,
    /// Bytes of removed members.
    holes: usize,
}

impl MemberBucket {
    /// Whether the member is there.
    #[inline]
    #[must_use]
    pub fn contains(&self, hash: u64, member: &[u8]) -> bool {
        self.find(hash, member).is_some()
    }

    #[inline]
    fn find(&self, hash: u64, member: &[u8]) -> Option<usize> {
        self.offsets.touch();
        self.tags.find(hash, |at| self.at(at) == member)
    }

    #[inline]
    fn at(&self, position: usize) -> &[u8] {
        member_at(&self.bytes, self.offsets.get(position))
    }

    /// Adds a member that is not there.
    ///
    /// # Panics
    ///
    /// If the bucket would exceed 4 GiB. It splits long before, unless no split separates the hashes of its members.
    pub fn insert(&mut self, hash: u64, member: &[u8]) {
        // A bucket is overfull, and splits, at OVERFULL_BYTES; one more member of the greatest length still fits.
        let at = u32::try_from(self.bytes.len()).expect("a bucket holds less than 4 GiB");
        self.append(member);
        self.offsets.push(self.tags.len(), at);
        self.tags.push(hash);
    }

    fn append(&mut self, member: &[u8]) {
        let need = member.len() + LENGTH_MAX;
        if self.bytes.capacity() - self.bytes.len() < need {
            self.bytes.reserve_exact(need.max(self.bytes.len() / GROWTH));
        }
        let mut len = member.len();
        while len >= 0x80 {
            self.bytes.push(low_seven(len) | 0x80);
            len >>= 7;
        }
        self.bytes.push(low_seven(len));
        self.bytes.extend_from_slice(member);
    }

    /// Removes a member; `false` if it was not there. The last one takes its place.
    pub fn remove(&mut self, hash: u64, member: &[u8], rehash: &impl Fn(&[u8]) -> u64) -> bool {
        let Some(at) = self.find(hash, member) else { return false };
        let last = member_at(&self.bytes, self.offsets.get(self.tags.len() - 1));
        self.tags.swap_remove(at, || rehash(last));
        self.offsets.swap_remove(self.tags.len() + 1, at);
        self.holes += member.len() + length_bytes(member.len());
        if self.holes * 4 > self.bytes.len() {
            self.compact();
        }
        true
    }

    #[cold]
    fn compact(&mut self) {
        let kept = self.bytes.len().saturating_sub(self.holes);
        let old = core::mem::replace(&mut self.bytes, Vec::with_capacity(kept + LENGTH_MAX));
        let offsets = core::mem::take(&mut self.offsets);
        for position in 0..self.tags.len() {
            let at = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
            self.append(member_at(&old, offsets.get(position)));
            self.offsets.push(position, at);
        }
        self.holes = 0;
    }

    /// The member at a position; `None` if there are not so many.
    #[must_use]
    pub fn nth(&self, position: usize) -> Option<&[u8]> {
        (position < self.tags.len()).then(|| self.at(position))
    }

    /// Panics unless holes and members are all of the bytes, and the offsets of a bucket without holes are as narrow as
    /// they can be. For tests.
    ///
    /// # Panics
    ///
    /// If the bucket is damaged, which would be a fault of this crate.
    pub fn verify(&self) {
        let members = (0..self.tags.len()).map(|position| self.at(position).len());
        let kept: usize = members.map(|len| len + length_bytes(len)).sum();
        assert_eq!(kept + self.holes, self.bytes.len());
        assert!(self.holes * 4 <= self.bytes.len());
        // What a removal leaves wide becomes narrow when the holes are closed.
        let small = self.tags.len() <= LINE && u16::try_from(self.bytes.len()).is_ok();
        let narrow = self.offsets.heap_bytes() == 0;
        assert!(
            narrow || !small || self.holes > 0,
            "{} members in {}",
            self.tags.len(),
            self.bytes.len()
        );
    }

    /// Calls `visit` with every member until it breaks.
    ///
    /// # Errors
    ///
    /// Returns what `visit` broke with.
    pub fn try_for_each<'t, B>(
        &'t self,
        visit: &mut impl FnMut(&'t [u8]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        (0..self.tags.len()).try_for_each(|position| visit(self.at(position)))
    }
}

impl Extendible<MemberBucket> {
    /// The table of members that differ, each with its hash; they may come in any order, that of their hashes included.
    #[must_use]
    pub fn of_hashed(members: &[(u64, &[u8])]) -> Self {
        let mut table = Self::with_room(members.len());
        // How much each bucket gets, so that none grows.
        let mut sizes = vec![0; table.bucket_count()];
        for (hash, member) in members {
            sizes[table.locate(*hash).index()] += member.len() + length_bytes(member.len());
        }
        for (bucket, bytes) in table.buckets_mut().zip(sizes) {
            // An insertion asks for the longest length there is.
            bucket.bytes.reserve_exact(bytes + LENGTH_MAX);
        }
        for (hash, member) in members {
            table.insert_unsplit(*hash, |bucket| bucket.insert(*hash, member));
        }
        table
    }
}

impl Bucket for MemberBucket {
    type Key = [u8];

    const FULL: usize = LINE;

    fn len(&self) -> usize {
        self.tags.len()
    }

    fn fill(&self) -> Fill {
        if self.bytes.len() >= OVERFULL_BYTES {
            Fill::Overfull
        } else if self.tags.len() >= Self::FULL {
            Fill::Full
        } else {
            Fill::Room
        }
    }

    fn split(&mut self, bit: u64, rehash: &impl Rehash<[u8]>) -> Self {
        let old = core::mem::take(self);
        let mut new = Self::default();
        for bucket in [&mut *self, &mut new] {
            bucket.bytes.reserve_exact(old.bytes.len() / 2 + 32);
        }
        for position in 0..old.tags.len() {
            let member = old.at(position);
            let hash = rehash.hash(member);
            let to = if hash & bit == 0 { &mut *self } else { &mut new };
            to.insert(hash, member);
        }
        new
    }

    fn heap_bytes(&self) -> usize {
        self.offsets.heap_bytes() + self.bytes.capacity()
    }
}

/// How many bytes the length of a member takes.
const fn length_bytes(len: usize) -> usize {
    (len | 1).ilog2() as usize / 7 + 1
}

fn low_seven(len: usize) -> u8 {
    u8::try_from(len & 0x7f).unwrap_or(0)
}

/// The member at an offset that the bucket holds.
#[inline]
fn member_at(bytes: &[u8], at: u32) -> &[u8] {
    let mut at = at as usize;
    let mut len = 0;
    let mut shift = 0;
    loop {
        let byte = bytes[at];
        at += 1;
        len |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return &bytes[at..at + len];
        }
        shift += 7;
    }
}
