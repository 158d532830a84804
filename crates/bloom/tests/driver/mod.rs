//! A filter and a simple model, compared completely after every operation.
//!
//! The model test and the fuzz target share this file.
#![expect(clippy::unwrap_used, reason = "the tests look for failures here")]
#![expect(
    clippy::approx_constant,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "the numbers are small, and the constants are RedisBloom's"
)]

use arbitrary::{Arbitrary, Unstructured};
use bloom::{AddError, BloomFilter, ENCODING_VERSION, Loader, Settings, SizeError};
use testkit::sequence::Sequence;

/// Settings with which every transition occurs soon.
#[derive(Arbitrary, Clone, Copy, Debug)]
struct Made {
    capacity: u8,
    rate: u8,
    expansion: u8,
    non_scaling: bool,
}

/// An operation. Items are from a small set, so that they repeat; some are longer than their hash.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Op {
    Add(u8),
    AddMany(Batch),
    Contains(u8),
    ContainsMany(Batch),
    ThroughFields,
    ThroughChunks(u8),
    Merge(Batch),
}

/// Items in equal steps, wrapping around.
#[derive(Arbitrary, Clone, Copy, Debug)]
struct Batch {
    first: u8,
    step: u8,
    len: u8,
}

impl Batch {
    fn items(self) -> Vec<Vec<u8>> {
        let number = |at: u8| self.first.wrapping_add(self.step.wrapping_mul(at));
        (0..self.len % 80).map(|at| item(number(at))).collect()
    }
}

fn item(number: u8) -> Vec<u8> {
    let len = usize::from(number) % 90;
    (0..len).map(|at| number.wrapping_mul(31).wrapping_add(at as u8)).chain([number]).collect()
}

/// RedisBloom's rules, written as plainly as possible.
#[derive(Clone)]
struct Plain {
    size: u64,
    options: u32,
    growth: u32,
    links: Vec<PlainLink>,
}

#[derive(Clone)]
struct PlainLink {
    bits: Vec<bool>,
    hashes: u32,
    entries: u64,
    error: f64,
    bpe: f64,
    size: u64,
}

impl PlainLink {
    fn new(entries: u64, error: f64) -> Self {
        let bpe = -error.ln() / 0.480_453_013_918_201;
        let bits = ((entries as f64 * bpe) as u64).max(1).div_ceil(64) * 64;
        let hashes = (0.693_147_180_559_945 * bpe).ceil() as u32;
        Self { bits: vec![false; bits as usize], hashes, entries, error, bpe, size: 0 }
    }

    fn places(&self, item: &[u8]) -> Vec<usize> {
        let first = murmur(item, 0xc6a4_a793_5bd1_e995);
        let second = murmur(item, first);
        let place = |i: u32| first.wrapping_add(second.wrapping_mul(i.into()));
        (0..self.hashes).map(|i| (place(i) % self.bits.len() as u64) as usize).collect()
    }

    fn contains(&self, item: &[u8]) -> bool {
        self.places(item).into_iter().all(|place| self.bits[place])
    }
}

fn murmur(bytes: &[u8], seed: u64) -> u64 {
    const MULTIPLIER: u64 = 0xc6a4_a793_5bd1_e995;
    let mut h = seed ^ (bytes.len() as u64).wrapping_mul(MULTIPLIER);
    for block in bytes.chunks(8) {
        let mut k = block.iter().rev().fold(0, |k, &byte| k << 8 | u64::from(byte));
        if block.len() == 8 {
            k = k.wrapping_mul(MULTIPLIER);
            k = (k ^ (k >> 47)).wrapping_mul(MULTIPLIER);
        }
        h = (h ^ k).wrapping_mul(MULTIPLIER);
    }
    h = (h ^ (h >> 47)).wrapping_mul(MULTIPLIER);
    h ^ (h >> 47)
}

impl Plain {
    fn new(capacity: u64, rate: f64, growth: u32, scales: bool) -> Self {
        let rate = rate.min(0.25);
        let link = PlainLink::new(capacity, if scales { rate / 2.0 } else { rate });
        Self { size: 0, options: if scales { 5 } else { 13 }, growth, links: vec![link] }
    }

    fn contains(&self, item: &[u8]) -> bool {
        self.links.iter().any(|link| link.contains(item))
    }

    fn add(&mut self, item: &[u8]) -> Result<bool, AddError> {
        if self.contains(item) {
            return Ok(false);
        }
        let last = self.links.last().unwrap();
        if last.size >= last.entries {
            if self.options == 13 {
                return Err(AddError::Full { capacity: last.entries });
            }
            let error = last.error / 2.0;
            if error == 0.0 {
                return Err(AddError::Grow(SizeError::ErrorRate { got: error }));
            }
            self.links.push(PlainLink::new(last.entries * u64::from(self.growth), error));
        }
        let last = self.links.last_mut().unwrap();
        for place in last.places(item) {
            last.bits[place] = true;
        }
        last.size += 1;
        self.size += 1;
        Ok(true)
    }

    /// The bytes of each bit array, and the header.
    fn dump(&self) -> (Vec<u8>, Vec<Vec<u8>>) {
        let mut header = self.size.to_le_bytes().to_vec();
        for number in [self.links.len() as u32, self.options, self.growth] {
            header.extend(number.to_le_bytes());
        }
        let mut arrays = Vec::new();
        for link in &self.links {
            let bits = link.bits.len() as u64;
            for number in [bits / 8, bits, link.size, link.error.to_bits(), link.bpe.to_bits()] {
                header.extend(number.to_le_bytes());
            }
            header.extend(link.hashes.to_le_bytes());
            header.extend(link.entries.to_le_bytes());
            header.push(0);
            let byte = |bits: &[bool]| (0..8).map(|at| u8::from(bits[at]) << at).sum();
            arrays.push(link.bits.chunks(8).map(byte).collect());
        }
        (header, arrays)
    }
}

/// The number of operations of a run.
const OPS: usize = 60;

/// Creates both from the first bytes, and runs the following operations on both.
pub(crate) fn run(bytes: &[u8]) {
    let mut data = Unstructured::new(bytes);
    let made = Made::arbitrary(&mut data).unwrap();
    let capacity = u64::from(made.capacity % 20) + 1;
    let rate = [0.01, 0.1, 0.25, 0.9, 1e-9, 1e-305][usize::from(made.rate) % 6];
    let expansion = u32::from(made.expansion % 5);
    let mut settings = Settings::new(capacity, rate).expansion(expansion);
    if made.non_scaling {
        settings = settings.non_scaling();
    }
    let scales = !made.non_scaling && expansion > 0;
    let start = || {
        let pair = (settings.build().unwrap(), Plain::new(capacity, rate, expansion, scales));
        compare(&pair.0, &pair.1);
        pair
    };
    let mut sequence = Sequence::from_bytes(data.take_rest());
    sequence.truncate(OPS);
    sequence
        .run(start, |(ours, plain), &op| {
            step(op, &settings, ours, plain);
            compare(ours, plain);
        })
        .unwrap();
}

fn step(op: Op, settings: &Settings, ours: &mut BloomFilter, plain: &mut Plain) {
    match op {
        Op::Add(number) => {
            let item = item(number);
            assert_eq!(ours.add(&item), plain.add(&item));
        }
        Op::AddMany(batch) => {
            let items = batch.items();
            let mut answers = vec![true];
            let outcome = ours.add_many(&items, &mut answers);
            let mut expected = vec![true];
            let plainly = items.iter().try_for_each(|item| {
                expected.push(plain.add(item)?);
                Ok(())
            });
            assert_eq!((outcome, answers), (plainly, expected));
        }
        Op::Contains(number) => {
            let item = item(number);
            assert_eq!(ours.contains(&item), plain.contains(&item));
        }
        Op::ContainsMany(batch) => {
            let items = batch.items();
            let mut answers = vec![false];
            ours.contains_many(&items, &mut answers);
            let plainly = items.iter().map(|item| plain.contains(item));
            assert_eq!(answers, [false].into_iter().chain(plainly).collect::<Vec<_>>());
        }
        Op::ThroughFields => {
            let fields: Vec<_> = ours.fields().collect();
            *ours = BloomFilter::from_fields(ENCODING_VERSION, fields).unwrap();
        }
        Op::ThroughChunks(size) => *ours = through_chunks(ours, usize::from(size) + 1),
        Op::Merge(batch) => {
            let mut other = settings.build().unwrap();
            let _ = other.add_many(&batch.items(), &mut Vec::new());
            let before = ours.clone();
            assert_eq!(ours.merge(&other), Ok(()));
            assert_eq!(ours.link_count(), before.link_count().max(other.link_count()));
            assert!(ours.len() >= before.len().max(other.len()));
            assert!(ours.len() <= before.len() + other.len());
            for (at, link) in ours.links().enumerate() {
                let of = |filter: &BloomFilter| {
                    let other = filter.links().nth(at).map(|link| link.as_bytes().to_vec());
                    other.unwrap_or_else(|| vec![0; link.as_bytes().len()])
                };
                let both = of(&before).into_iter().zip(of(&other)).map(|(a, b)| a | b);
                assert!(link.as_bytes().iter().copied().eq(both));
            }
            // The union may have more items than either filter accepts, so the run continues with the previous filter.
            *ours = before;
        }
    }
}

/// Saves and loads the filter, in chunks of this size that do not cross links.
fn through_chunks(filter: &BloomFilter, size: usize) -> BloomFilter {
    let mut loader = Loader::new(&filter.header()).unwrap();
    let mut placed = BloomFilter::from_header(&filter.header(), u64::MAX).unwrap();
    let mut cursor = 1;
    for chunk in filter.chunks().skip(1) {
        for piece in chunk.bytes.chunks(size) {
            cursor += piece.len() as u64;
            loader.load(cursor, piece).unwrap();
            placed.load_chunk(cursor, piece).unwrap();
            // Loading it again changes nothing.
            loader.load(cursor, piece).unwrap();
        }
        assert_eq!(cursor, chunk.cursor);
    }
    let loaded = loader.finish().unwrap();
    assert_eq!(loaded, placed);
    loaded
}

fn compare(ours: &BloomFilter, plain: &Plain) {
    let (header, arrays) = plain.dump();
    assert_eq!(ours.header(), header);
    assert!(ours.links().map(|link| link.as_bytes().to_vec()).eq(arrays));
    assert_eq!(ours.len(), plain.size);
    assert_eq!(ours.capacity(), plain.links.iter().map(|link| link.entries).sum::<u64>());
    let set: usize = plain.links.iter().flat_map(|link| &link.bits).filter(|&&bit| bit).count();
    assert_eq!(ours.links().map(bloom::Link::set_bits).sum::<u64>(), set as u64);
}
