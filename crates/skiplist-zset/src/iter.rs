//! Members and scores in the order of the set, from either end.

use core::fmt;
use core::hash::BuildHasher;
use core::iter::FusedIterator;
use core::ops::Range;

use listpack::Entry;

use crate::large::Large;
use crate::score;
use crate::small::Small;

/// Some members and their scores, lowest first. Made by [`ZSet::iter`](crate::ZSet::iter) and
/// [`ZSet::range`](crate::ZSet::range); `rev()` goes from the highest on.
///
/// Either end is sought when it is first asked for, in O(log n).
pub struct Iter<'z, S> {
    source: Source<'z, S>,
    /// The ranks that are left.
    left: Range<usize>,
}

enum Source<'z, S> {
    Small { set: &'z Small, front: Option<listpack::Iter<'z>>, back: Option<listpack::Iter<'z>> },
    Large { set: &'z Large<S>, front: BlockIter<'z>, back: BlockIter<'z> },
}

/// What is left of a block in one direction. All that a step needs, so that steps are short and the cache misses of
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

impl<'z, S: BuildHasher> Iter<'z, S> {
    /// The next entry from the front that is at the beginning of a block or of the iteration, or of a small set; its
    /// rank is not counted as left any more.
    #[inline(never)]
    fn begin(&mut self, rank: usize) -> Option<(Entry<'z>, f64)> {
        match &mut self.source {
            Source::Small { set, front, .. } => {
                let entries = front.get_or_insert_with(|| {
                    let list = set.list();
                    list.iter_from(list.seek(2 * rank).unwrap_or(list.end()))
                });
                let member = entries.next()?;
                Some((member, score::of_entry(entries.next()?)?))
            }
            Source::Large { set, front, .. } => {
                let set: &'z Large<S> = set;
                let (block, at) = match front.block {
                    None => {
                        let cursor = set.cursor(rank);
                        (cursor.block, cursor.at)
                    }
                    Some(block) => (set.order().block(block).next, 0),
                };
                let (&first, places) = set.order().block(block).places()[at..].split_first()?;
                *front = BlockIter::new(set, block, places);
                let (member, score) = set.read(front.heap, first);
                Some((Entry::Str(member), score))
            }
        }
    }

    /// As [`begin`](Self::begin), from the back.
    #[inline(never)]
    fn begin_back(&mut self, rank: usize) -> Option<(Entry<'z>, f64)> {
        match &mut self.source {
            Source::Small { set, back, .. } => {
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
            Source::Large { set, back, .. } => {
                let set: &'z Large<S> = set;
                let (block, places) = match back.block {
                    None => {
                        let cursor = set.cursor(rank);
                        (cursor.block, &set.order().block(cursor.block).places()[..=cursor.at])
                    }
                    Some(block) => {
                        let previous = set.order().block(block).previous;
                        (previous, set.order().block(previous).places())
                    }
                };
                let (&last, places) = places.split_last()?;
                *back = BlockIter::new(set, block, places);
                let (member, score) = set.read(back.heap, last);
                Some((Entry::Str(member), score))
            }
        }
    }
}

impl<'z, S: BuildHasher> Iterator for Iter<'z, S> {
    type Item = (Entry<'z>, f64);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rank = self.left.next()?;
        if let Source::Large { set, front, .. } = &mut self.source
            && let Some((&place, places)) = front.places.split_first()
        {
            front.places = places;
            let (member, score) = set.read(front.heap, place);
            return Some((Entry::Str(member), score));
        }
        self.begin(rank)
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
        if let Source::Large { set, back, .. } = &mut self.source
            && let Some((&place, places)) = back.places.split_last()
        {
            back.places = places;
            let (member, score) = set.read(back.heap, place);
            return Some((Entry::Str(member), score));
        }
        self.begin_back(rank)
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
