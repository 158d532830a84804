//! Snapshots of a large string, or of the bit arrays of a Bloom filter.

use std::collections::BTreeMap;
use std::ops::Range;

use bloom::BloomFilter;

use crate::value::Value;

/// The number of bytes that are kept if any of them changes.
const BLOCK: usize = 1 << 10;

/// The bytes of a value that are not yet handed over. For a Bloom filter these are the bit arrays, one after the other.
#[derive(Debug)]
pub(crate) struct BytesPart {
    /// The number of bytes at the start.
    len: usize,
    /// The index of the first byte that is not handed over.
    next: usize,
    /// The old contents of blocks that have changed since, by block number.
    kept: BTreeMap<usize, Box<[u8]>>,
}

impl BytesPart {
    pub(super) const fn new(len: usize) -> Self {
        Self { len, next: 0, kept: BTreeMap::new() }
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Keeps the blocks of a range that is about to change.
    pub(super) fn keep(&mut self, value: &Value, range: Range<usize>) {
        let last = range.end.min(self.len).div_ceil(BLOCK);
        for number in range.start.max(self.next) / BLOCK..last {
            if !self.kept.contains_key(&number) {
                let start = number * BLOCK;
                let mut block = Vec::with_capacity(BLOCK);
                live(value, start..self.len.min(start + BLOCK), &mut block);
                self.kept.insert(number, block.into());
            }
        }
    }

    /// Reads a range of the old bytes.
    pub(crate) fn read(&self, value: &Value, range: Range<usize>, out: &mut Vec<u8>) {
        out.clear();
        live(value, range.clone(), out);
        for (&number, block) in self.kept.range(range.start / BLOCK..range.end.div_ceil(BLOCK)) {
            let at = number * BLOCK;
            let (start, end) = (range.start.max(at), range.end.min(at + block.len()));
            let changed = out.get_mut(start - range.start..end - range.start);
            if let (Some(changed), Some(block)) = (changed, block.get(start - at..end - at)) {
                changed.copy_from_slice(block);
            }
        }
    }

    /// Notes that the bytes before `end` are handed over.
    pub(crate) fn done(&mut self, end: usize) {
        self.next = end;
        self.kept = self.kept.split_off(&(end / BLOCK));
    }
}

/// Reads a range of the current bytes.
fn live(value: &Value, range: Range<usize>, out: &mut Vec<u8>) {
    if let Value::Str { buffer, .. } = value {
        out.extend_from_slice(buffer.get(range).unwrap_or_default());
    } else if let Some(filter) = value.as_bloom() {
        live_bits(filter, range, out);
    }
}

fn live_bits(filter: &BloomFilter, mut range: Range<usize>, out: &mut Vec<u8>) {
    // The cursor of a byte is its index plus one.
    while !range.is_empty()
        && let Some(chunk) = filter.chunk_at(range.start as u64 + 1)
    {
        let bytes = chunk.bytes.get(..range.len()).unwrap_or(&chunk.bytes);
        out.extend_from_slice(bytes);
        range.start += bytes.len();
    }
}
