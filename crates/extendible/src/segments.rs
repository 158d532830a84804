//! The buckets of a table, by number: a list that grows at its end and rarely moves its elements.

use alloc::vec::Vec;

/// Buckets per segment: some tens of KiB. Moving them takes microseconds, and the list of segments is short enough to
/// stay in the caches.
pub(crate) const SEGMENT: usize = 128;

/// The maximum number of buckets by which a segment grows, so that large tables too have few unused ones.
const STEP_MAX: usize = SEGMENT / 2;

/// A list of buckets in segments of [`SEGMENT`].
///
/// A plain vector would move all buckets whenever it grows, in a single insertion. Only the last segment moves here.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Segments<B> {
    /// The first segment. Many tables have no other, so a lookup need not read the list of segments.
    first: Vec<B>,
    others: Vec<Vec<B>>,
}

impl<B> Segments<B> {
    pub(crate) const fn new() -> Self {
        Self { first: Vec::new(), others: Vec::new() }
    }

    /// Creates a list of `len` buckets, without spare capacity.
    pub(crate) fn with_len(len: usize) -> Self
    where
        B: Default,
    {
        let segment = |at: usize| {
            let len = len.saturating_sub(at * SEGMENT).min(SEGMENT);
            let mut segment = Vec::new();
            segment.reserve_exact(len);
            segment.resize_with(len, B::default);
            segment
        };
        Self { first: segment(0), others: (1..len.div_ceil(SEGMENT)).map(segment).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        match self.others.last() {
            None => self.first.len(),
            Some(last) => self.others.len() * SEGMENT + last.len(),
        }
    }

    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<&B> {
        let number = number as usize;
        match number.checked_sub(SEGMENT) {
            None => self.first.get(number),
            Some(other) => self.others.get(other / SEGMENT)?.get(other % SEGMENT),
        }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut B> {
        let number = number as usize;
        match number.checked_sub(SEGMENT) {
            None => self.first.get_mut(number),
            Some(other) => self.others.get_mut(other / SEGMENT)?.get_mut(other % SEGMENT),
        }
    }

    pub(crate) fn push(&mut self, bucket: B) {
        let len = self.len();
        if self.others.last().unwrap_or(&self.first).len() == SEGMENT {
            self.others.push(Vec::new());
        }
        let last = self.others.last_mut().unwrap_or(&mut self.first);
        if last.len() == last.capacity() {
            // Most tables are small, and should have no unused buckets.
            let step = (len / 16 + 1).min(STEP_MAX);
            last.reserve_exact(step.min(SEGMENT - last.len()));
        }
        last.push(bucket);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &B> {
        self.first.iter().chain(self.others.iter().flatten())
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut B> {
        self.first.iter_mut().chain(self.others.iter_mut().flatten())
    }

    /// Bytes of the buckets themselves, with the room for more.
    pub(crate) fn heap_bytes(&self) -> usize {
        let others: usize = self.others.iter().map(Vec::capacity).sum();
        (self.first.capacity() + others) * size_of::<B>()
            + self.others.capacity() * size_of::<Vec<B>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_keep_their_numbers() {
        let mut list = Segments::new();
        for number in 0..1000_u32 {
            assert_eq!((list.len(), list.get(number)), (number as usize, None));
            list.push(number);
            *list.get_mut(number / 2).unwrap() += 1;
        }
        let bumps = |number: u32| if number < 500 { 2 } else { 0 };
        for number in 0..1000 {
            assert_eq!(list.get(number), Some(&(number + bumps(number))));
        }
        assert!(list.iter().copied().eq((0..1000).map(|number| number + bumps(number))));
        for len in [0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 5 * SEGMENT] {
            let list = Segments::<u64>::with_len(len);
            assert_eq!((list.len(), list.iter().count()), (len, len));
            let headers = len.div_ceil(SEGMENT).saturating_sub(1) * size_of::<Vec<u64>>();
            assert_eq!(list.heap_bytes(), len * 8 + headers);
        }
    }

    #[test]
    fn one_push_moves_one_segment_at_most_and_leaves_little_room() {
        let mut list = Segments::new();
        let mut homes: Vec<*const [u8; 40]> = Vec::new();
        for number in 0..20 * SEGMENT {
            list.push([0; 40]);
            homes.push(std::ptr::null());
            let mut moved = 0;
            for (home, now) in homes.iter_mut().zip(list.iter()) {
                moved += usize::from(!home.is_null() && !std::ptr::eq(*home, now));
                *home = now;
            }
            assert!(moved < SEGMENT, "{moved} of {number}");
            let headers = list.others.capacity() * size_of::<Vec<[u8; 40]>>();
            let slack = (list.heap_bytes() - headers) / 40 - number - 1;
            assert!(slack <= STEP_MAX && slack <= number / 8 + 2, "{slack} over {number}");
        }
    }
}
