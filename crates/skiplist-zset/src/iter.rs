//! Iteration over members and scores in the order of the set.

use core::fmt;
use core::hash::BuildHasher;
use core::iter::FusedIterator;
use core::ops::Range;

use listpack::Entry;

use crate::large::Large;
use crate::score;
use crate::small::Small;

/// A double-ended iterator over members and their scores, lowest first. Created by [`ZSet::iter`](crate::ZSet::iter)
/// and [`ZSet::range`](crate::ZSet::range); `rev()` starts at the highest.
///
/// Each end is searched for when it is first used, in O(log n).
pub struct Iter<'z, S> {
    source: Source<'z, S>,
    /// The ranks that are left.
    left: Range<usize>,
}

enum Source<'z, S> {
    Small { set: &'z Small, front: Option<listpack::Iter<'z>>, back: Option<listpack::Iter<'z>> },
    Large { set: &'z Large<S>, front: BlockIter<'z>, back: BlockIter<'z> },
}

/// The rest of a block in one direction. It has all that a step needs, so that steps are short and the cache misses of
/// their records overlap.
#[derive(Clone, Copy)]
pub(crate) struct BlockIter<'z> {
    pub(crate) places: &'z [u16],
    pub(crate) heap: &'z [u8],
    /// The block; `None` if the end has not been sought.
    pub(crate) block: Option<u32>,
}

impl<'z> BlockIter<'z> {
    pub(crate) const UNKNOWN: Self = BlockIter { places: &[], heap: &[], block: None };

    #[inline]
    pub(crate) fn new<S: BuildHasher>(set: &'z Large<S>, block: u32, places: &'z [u16]) -> Self {
        Self { places, heap: set.heap(block), block: Some(block) }
    }

    /// Advances to the next block, or to the one that has the entry of this rank, after which `left` entries will be
    /// read.
    #[inline(never)]
    fn go_on<S: BuildHasher>(&mut self, set: &'z Large<S>, rank: usize, left: usize) {
        let (block, at) = match self.block {
            None => {
                let cursor = set.cursor_ahead(rank, left + 1);
                (cursor.block, cursor.at)
            }
            Some(block) => (set.order().block(block).next, 0),
        };
        let now = set.order().block(block);
        *self = Self::new(set, block, &now.places()[at..]);
        if left >= self.places.len() {
            set.prefetch_block(now.next, left + 1 - self.places.len());
        }
    }

    /// As [`go_on`](Self::go_on), from the back.
    #[inline(never)]
    fn go_back<S: BuildHasher>(&mut self, set: &'z Large<S>, rank: usize, left: usize) {
        let (block, places) = match self.block {
            None => {
                let cursor = set.cursor(rank);
                set.prefetch_block(cursor.block, (left + 1).min(cursor.at + 1));
                (cursor.block, &set.order().block(cursor.block).places()[..=cursor.at])
            }
            Some(block) => {
                let previous = set.order().block(block).previous;
                (previous, set.order().block(previous).places())
            }
        };
        *self = Self::new(set, block, places);
        if left >= places.len() {
            let previous = set.order().block(block).previous;
            set.prefetch_block(previous, left + 1 - places.len());
        }
    }
}

impl<'z, S> Iter<'z, S> {
    pub(crate) const fn small(set: &'z Small, ranks: Range<usize>) -> Self {
        Self { source: Source::Small { set, front: None, back: None }, left: ranks }
    }

    pub(crate) const fn large(set: &'z Large<S>, ranks: Range<usize>) -> Self {
        let source = Source::Large { set, front: BlockIter::UNKNOWN, back: BlockIter::UNKNOWN };
        Self { source, left: ranks }
    }
}

/// The next entry of a small set from the front.
#[inline(never)]
fn next_small<'z>(
    set: &'z Small,
    front: &mut Option<listpack::Iter<'z>>,
    rank: usize,
) -> Option<(Entry<'z>, f64)> {
    let entries = front.get_or_insert_with(|| {
        let list = set.list();
        list.iter_from(list.seek(2 * rank).unwrap_or(list.end()))
    });
    let member = entries.next()?;
    Some((member, score::of_entry(entries.next()?)?))
}

/// The next entry of a small set from the back.
#[inline(never)]
fn next_small_back<'z>(
    set: &'z Small,
    back: &mut Option<listpack::Iter<'z>>,
    rank: usize,
) -> Option<(Entry<'z>, f64)> {
    let entries = back.get_or_insert_with(|| {
        let list = set.list();
        let mut entries = list.iter();
        for _ in 2 * (rank + 1)..list.len() {
            entries.next_back();
        }
        entries
    });
    let score = score::of_entry(entries.next_back()?)?;
    Some((entries.next_back()?, score))
}

impl<'z, S: BuildHasher> Iterator for Iter<'z, S> {
    type Item = (Entry<'z>, f64);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rank = self.left.next()?;
        match &mut self.source {
            Source::Small { set, front, .. } => next_small(set, front, rank),
            Source::Large { set, front, .. } => {
                if front.places.is_empty() {
                    front.go_on(set, rank, self.left.len());
                }
                let (&place, places) = front.places.split_first()?;
                front.places = places;
                let (member, score) = set.read(front.heap, place);
                Some((Entry::Str(member), score))
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        if n > 0 {
            self.left.nth(n - 1)?;
            match &mut self.source {
                Source::Small { front, .. } => *front = None,
                Source::Large { front, .. } => *front = BlockIter::UNKNOWN,
            }
        }
        self.next()
    }
}

impl<S: BuildHasher> DoubleEndedIterator for Iter<'_, S> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let rank = self.left.next_back()?;
        match &mut self.source {
            Source::Small { set, back, .. } => next_small_back(set, back, rank),
            Source::Large { set, back, .. } => {
                if back.places.is_empty() {
                    back.go_back(set, rank, self.left.len());
                }
                let (&place, places) = back.places.split_last()?;
                back.places = places;
                let (member, score) = set.read(back.heap, place);
                Some((Entry::Str(member), score))
            }
        }
    }

    #[inline]
    fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
        if n > 0 {
            self.left.nth_back(n - 1)?;
            match &mut self.source {
                Source::Small { back, .. } => *back = None,
                Source::Large { back, .. } => *back = BlockIter::UNKNOWN,
            }
        }
        self.next_back()
    }
}

impl<S: BuildHasher> ExactSizeIterator for Iter<'_, S> {}
impl<S: BuildHasher> FusedIterator for Iter<'_, S> {}

impl<S> Clone for Iter<'_, S> {
    fn clone(&self) -> Self {
        let source = match &self.source {
            Source::Small { set, front, back } => {
                Source::Small { set, front: front.clone(), back: back.clone() }
            }
            Source::Large { set, front, back } => Source::Large { set, front: *front, back: *back },
        };
        Self { source, left: self.left.clone() }
    }
}

impl<S: BuildHasher> fmt::Debug for Iter<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
