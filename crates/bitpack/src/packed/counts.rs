//! Counters for records of each width.
//!
//! # Lanes
//!
//! Incrementing one counter twice in a row stalls: the second load waits for the store before it. So records of one and
//! two bytes are distributed over several tables, *lanes*, in turn. Their counters have 32 bits, to fit the caches;
//! they are added to the totals before they can overflow.
//!
//! The lanes are an odd distance apart. At a power of two the counters of one code would have the same low address
//! bits: they would evict each other from the first-level cache, and a load would wait for a store to another address
//! (4K aliasing).
#![expect(
    unnameable_types,
    reason = "these types belong to the sealed trait of records, so other crates do not need them"
)]

use alloc::boxed::Box;
#[cfg(not(feature = "std"))]
use alloc::collections::BTreeMap as Map;
use alloc::vec;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::collections::HashMap as Map;

/// Counts records of one width.
pub trait Counts<R>: Default + Clone {
    /// Counts each record once.
    fn add(&mut self, records: &[R]);

    /// Adds the counts of another one.
    fn merge(&mut self, other: &Self);

    /// The count of one record.
    fn of(&self, record: R) -> u64;

    /// The records with a count, in ascending order of their bytes.
    fn all(&self) -> Vec<(R, u64)>;
}

/// Records that the lanes take before they are emptied: no count of 32 bits runs over.
const FULL: usize = u32::MAX as usize;

/// Counts between two lanes: some cache lines, which in a page give each lane a place of its own.
const PAD1: usize = 16;
const PAD2: usize = 23 * 16;

/// Lanes for records that are a number below `CODES`, and totals. A lane has `LANE` counts, some of them not in use.
#[derive(Clone, Debug)]
struct Lanes<const CODES: usize, const LANE: usize, const LANES: usize> {
    counts: Box<[[u32; LANE]; LANES]>,
    totals: Box<[u64; CODES]>,
    /// Records that the lanes may still take.
    room: usize,
}

/// Zeros that never were on the stack.
#[expect(clippy::unnecessary_box_returns, reason = "too large for the stack")]
fn zeros<T: Clone + Default, const N: usize>() -> Box<[T; N]> {
    match vec![T::default(); N].try_into() {
        Ok(zeros) => zeros,
        Err(_) => unreachable!("the vector has the length of the array"),
    }
}

impl<const CODES: usize, const LANE: usize, const LANES: usize> Default
    for Lanes<CODES, LANE, LANES>
{
    fn default() -> Self {
        let counts = vec![[0; LANE]; LANES].try_into();
        let Ok(counts) = counts else { unreachable!("the vector has the length of the array") };
        Self { counts, totals: zeros(), room: FULL }
    }
}

impl<const CODES: usize, const LANE: usize, const LANES: usize> Lanes<CODES, LANE, LANES> {
    /// Counts in parts, between which the lanes may be emptied.
    fn in_parts<R>(&mut self, mut records: &[R], count: impl Fn(&mut [[u32; LANE]; LANES], &[R])) {
        while !records.is_empty() {
            if self.room == 0 {
                self.empty();
            }
            let (part, rest) = records.split_at(records.len().min(self.room));
            count(&mut self.counts, part);
            self.room -= part.len();
            records = rest;
        }
    }

    fn empty(&mut self) {
        for (code, total) in self.totals.iter_mut().enumerate() {
            for lane in self.counts.iter_mut() {
                *total += u64::from(core::mem::take(&mut lane[code]));
            }
        }
        self.room = FULL;
    }

    fn of(&self, code: usize) -> u64 {
        self.totals[code] + self.counts.iter().map(|lane| u64::from(lane[code])).sum::<u64>()
    }

    fn merge(&mut self, other: &Self) {
        for (code, total) in self.totals.iter_mut().enumerate() {
            *total += other.of(code);
        }
    }
}

/// Words of eight bytes, and what is left over.
fn words<const N: usize>(records: &[[u8; N]]) -> (&[[u8; 8]], &[u8]) {
    records.as_flattened().as_chunks()
}

/// Records of one byte.
#[derive(Clone, Debug, Default)]
pub struct Lanes1(Lanes<0x100, { 0x100 + PAD1 }, 8>);

impl Counts<[u8; 1]> for Lanes1 {
    fn add(&mut self, records: &[[u8; 1]]) {
        self.0.in_parts(records, |lanes, records| {
            let (words, rest) = words(records);
            for &word in words {
                for (lane, code) in lanes.iter_mut().zip(word) {
                    lane[usize::from(code)] += 1;
                }
            }
            for &code in rest {
                lanes[0][usize::from(code)] += 1;
            }
        });
    }

    fn merge(&mut self, other: &Self) {
        self.0.merge(&other.0);
    }

    fn of(&self, [code]: [u8; 1]) -> u64 {
        self.0.of(code.into())
    }

    fn all(&self) -> Vec<([u8; 1], u64)> {
        (0..=0xff).map(|code| ([code], self.of([code]))).filter(|&(_, count)| count > 0).collect()
    }
}

/// Records of two bytes.
#[derive(Clone, Debug, Default)]
pub struct Lanes2(Lanes<0x1_0000, { 0x1_0000 + PAD2 }, 4>);

impl Counts<[u8; 2]> for Lanes2 {
    fn add(&mut self, records: &[[u8; 2]]) {
        self.0.in_parts(records, |lanes, records| {
            let (words, rest) = words(records);
            for &word in words {
                let (codes, _) = word.as_chunks();
                for (lane, &code) in lanes.iter_mut().zip(codes) {
                    lane[usize::from(u16::from_le_bytes(code))] += 1;
                }
            }
            for &code in rest.as_chunks().0 {
                lanes[0][usize::from(u16::from_le_bytes(code))] += 1;
            }
        });
    }

    fn merge(&mut self, other: &Self) {
        self.0.merge(&other.0);
    }

    fn of(&self, record: [u8; 2]) -> u64 {
        self.0.of(u16::from_le_bytes(record).into())
    }

    fn all(&self) -> Vec<([u8; 2], u64)> {
        let codes = (0..=0xff).flat_map(|first| (0..=0xff).map(move |second| [first, second]));
        codes.map(|code| (code, self.of(code))).filter(|&(_, count)| count > 0).collect()
    }
}

/// The counts of the records that share a first byte, by the other two.
type Page = [u64; 0x1_0000];

/// Records of three bytes: numbers that lie together share few pages.
#[derive(Clone, Debug)]
pub struct Pages([Option<Box<Page>>; 0x100]);

impl Default for Pages {
    fn default() -> Self {
        Self([const { None }; 0x100])
    }
}

impl Counts<[u8; 3]> for Pages {
    fn add(&mut self, records: &[[u8; 3]]) {
        for &[first, rest @ ..] in records {
            self.0[usize::from(first)].get_or_insert_with(zeros)[place(rest)] += 1;
        }
    }

    fn merge(&mut self, other: &Self) {
        for (page, other) in self.0.iter_mut().zip(&other.0) {
            let Some(other) = other else { continue };
            let counts = page.get_or_insert_with(zeros).iter_mut().zip(other.iter());
            counts.for_each(|(count, more)| *count += more);
        }
    }

    fn of(&self, [first, rest @ ..]: [u8; 3]) -> u64 {
        self.0[usize::from(first)].as_ref().map_or(0, |page| page[place(rest)])
    }

    fn all(&self) -> Vec<([u8; 3], u64)> {
        let pages =
            (0..=0xff).zip(&self.0).filter_map(|(first, page)| Some((first, page.as_ref()?)));
        let counts = pages.flat_map(|(first, page)| {
            let rests = (0..=0xff).flat_map(|second| (0..=0xff).map(move |third| [second, third]));
            rests
                .zip(page.iter())
                .map(move |([second, third], &count)| ([first, second, third], count))
        });
        counts.filter(|&(_, count)| count > 0).collect()
    }
}

/// Numbers that follow each other lie side by side.
#[inline]
fn place([high, low]: [u8; 2]) -> usize {
    usize::from(high) << 8 | usize::from(low)
}

/// Wider records.
#[derive(Clone, Debug)]
pub struct Hashed<const N: usize>(Map<[u8; N], u64>);

impl<const N: usize> Default for Hashed<N> {
    fn default() -> Self {
        Self(Map::new())
    }
}

impl<const N: usize> Counts<[u8; N]> for Hashed<N> {
    fn add(&mut self, records: &[[u8; N]]) {
        // What was never written is all alike.
        for run in records.chunk_by(|a, b| a == b) {
            *self.0.entry(run[0]).or_default() += run.len() as u64;
        }
    }

    fn merge(&mut self, other: &Self) {
        for (&record, &count) in &other.0 {
            *self.0.entry(record).or_default() += count;
        }
    }

    fn of(&self, record: [u8; N]) -> u64 {
        self.0.get(&record).copied().unwrap_or(0)
    }

    fn all(&self) -> Vec<([u8; N], u64)> {
        let mut all: Vec<_> = self.0.iter().map(|(&record, &count)| (record, count)).collect();
        all.sort_unstable();
        all
    }
}
