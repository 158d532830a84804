//! The offsets of the records of a bucket in its run of bytes.

use alloc::vec::Vec;

use crate::tags::LINE;

/// An offset for each record, in the order of the records: two bytes each, next to the tags, as long as that is enough.
#[derive(Clone, Debug)]
pub(crate) enum Offsets {
    /// At most [`LINE`] records in 64 KiB.
    Narrow([u16; LINE]),
    /// More of either.
    Wide(Vec<u32>),
}

impl Default for Offsets {
    fn default() -> Self {
        Self::Narrow([0; LINE])
    }
}

impl Offsets {
    #[inline]
    pub(crate) fn get(&self, position: usize) -> u32 {
        match self {
            Self::Narrow(offsets) => offsets[position % LINE].into(),
            Self::Wide(offsets) => offsets[position],
        }
    }

    /// Prefetches the cache lines of narrow offsets. Which of them is needed is known only after reading the tags; so
    /// the cache misses of both overlap.
    #[inline]
    pub(crate) fn prefetch(&self) {
        if let Self::Narrow(offsets) = self {
            prefetch::value(&offsets[0]);
            prefetch::value(&offsets[LINE / 2]);
        }
    }

    /// Adds the offset of a new last record, after `len` records.
    #[inline]
    pub(crate) fn push(&mut self, len: usize, offset: u32) {
        match (&mut *self, u16::try_from(offset)) {
            (Self::Narrow(offsets), Ok(offset)) if len < LINE => offsets[len] = offset,
            (Self::Narrow(offsets), _) => {
                let mut wide: Vec<u32> = offsets[..len].iter().map(|&at| at.into()).collect();
                wide.push(offset);
                *self = Self::Wide(wide);
            }
            (Self::Wide(offsets), _) => offsets.push(offset),
        }
    }

    /// Replaces one of the `len` offsets.
    pub(crate) fn set(&mut self, len: usize, position: usize, offset: u32) {
        match (&mut *self, u16::try_from(offset)) {
            (Self::Narrow(offsets), Ok(offset)) => offsets[position % LINE] = offset,
            (Self::Narrow(offsets), Err(_)) => {
                let mut wide: Vec<u32> = offsets[..len].iter().map(|&at| at.into()).collect();
                wide[position] = offset;
                *self = Self::Wide(wide);
            }
            (Self::Wide(offsets), _) => offsets[position] = offset,
        }
    }

    /// Removes one of the `len` offsets; the last one moves to its position.
    pub(crate) fn swap_remove(&mut self, len: usize, position: usize) {
        match self {
            Self::Narrow(offsets) => offsets[position] = offsets[len - 1],
            Self::Wide(offsets) => {
                offsets.swap_remove(position);
            }
        }
    }

    /// Bytes on the heap.
    pub(crate) const fn heap_bytes(&self) -> usize {
        match self {
            Self::Narrow(_) => 0,
            Self::Wide(offsets) => offsets.capacity() * size_of::<u32>(),
        }
    }
}
