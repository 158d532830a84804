//! The bytes of a large string.

use std::collections::BTreeMap;
use std::ops::Range;

use super::CHUNK;
use crate::value::Value;

/// Bytes that are kept where any of them changes.
const BLOCK: usize = 1 << 10;

/// Which bytes of a string are yet to be handed over.
#[derive(Debug)]
pub(crate) struct BytesPart {
    /// How long the string was.
    len: usize,
    /// The number of the first byte that is not handed over.
    next: usize,
    /// Blocks that have changed since, as they were, by their numbers.
    kept: BTreeMap<usize, Box<[u8]>>,
}

impl BytesPart {
    pub(super) const fn new(len: usize) -> Self {
        Self { len, next: 0, kept: BTreeMap::new() }
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// How many chunks there are.
    pub(crate) const fn chunks(&self) -> usize {
        self.len.div_ceil(CHUNK)
    }

    /// Keeps the blocks of a range that is about to change.
    pub(super) fn keep(&mut self, value: &Value, range: Range<usize>) {
        let last = range.end.min(self.len).div_ceil(BLOCK);
        for number in range.start.max(self.next) / BLOCK..last {
            if !self.kept.contains_key(&number) {
                let block = self.live(value, number * BLOCK, BLOCK).into();
                self.kept.insert(number, block);
            }
        }
    }

    /// A chunk as it was.
    pub(crate) fn chunk(&self, value: &Value, number: usize, out: &mut Vec<u8>) {
        let start = number * CHUNK;
        out.clear();
        out.extend_from_slice(self.live(value, start, CHUNK));
        for (&number, block) in self.kept.range(start / BLOCK..(start + CHUNK) / BLOCK) {
            let at = number * BLOCK - start;
            if let Some(changed) = out.get_mut(at..at + block.len()) {
                changed.copy_from_slice(block);
            }
        }
    }

    /// Notes that a chunk and those before it are handed over.
    pub(crate) fn done(&mut self, number: usize) {
        self.next = (number + 1) * CHUNK;
        self.kept = self.kept.split_off(&(self.next / BLOCK));
    }

    fn live<'v>(&self, value: &'v Value, start: usize, len: usize) -> &'v [u8] {
        let Value::Str { buffer, .. } = value else { return &[] };
        buffer.get(start..(start + len).min(self.len)).unwrap_or_default()
    }
}
