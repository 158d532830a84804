//! Members in a range of scores, found without ranks.

use core::fmt;
use core::hash::BuildHasher;
use core::iter::FusedIterator;
use core::ops::{Bound, RangeBounds, RangeInclusive};

use listpack::Entry;

use crate::Iter;
use crate::block::{Target, Tie};
use crate::iter::BlockIter;
use crate::large::Large;
use crate::records::NONE;
use crate::score;

/// A double-ended iterator over the members in a range of scores, lowest first. Created by
/// [`ZSet::by_score`](crate::ZSet::by_score); `rev()` starts at the highest.
///
/// Each end is searched for when it is first used, in O(log n). The number of members is not known in advance: use
/// [`ZSet::ranks_by_score`](crate::ZSet::ranks_by_score) to count them.
pub struct ByScore<'z, S> {
    source: Source<'z, S>,
}

enum Source<'z, S> {
    Small(Iter<'z, S>),
    Large(Between<'z, S>),
}

/// A range of a large set.
struct Between<'z, S> {
    set: &'z Large<S>,
    /// The keys of the scores. Keys are integers, so an excluded bound becomes the next key.
    keys: RangeInclusive<u64>,
    front: BlockIter<'z>,
    back: BlockIter<'z>,
}

impl<'z, S: BuildHasher> ByScore<'z, S> {
    pub(crate) const fn small(entries: Iter<'z, S>) -> Self {
        Self { source: Source::Small(entries) }
    }

    /// The members of a large set with these scores; none if a bound is NaN.
    pub(crate) fn large(set: &'z Large<S>, scores: &impl RangeBounds<f64>) -> Self {
        let keys = keys_of(scores);
        Self {
            source: Source::Large(Between {
                set,
                keys,
                front: BlockIter::UNKNOWN,
                back: BlockIter::UNKNOWN,
            }),
        }
    }
}

/// The keys of a range of scores. Keys are integers, so that a bound that is left out is the next key. None if a bound
/// is NaN.
pub(crate) fn keys_of(scores: &impl RangeBounds<f64>) -> RangeInclusive<u64> {
    let (mut low, mut high) = (u64::MIN, u64::MAX);
    let mut is_nan = false;
    let mut key = |score: f64| {
        is_nan |= score.is_nan();
        score::key(score)
    };
    // No score has the least key or the greatest one.
    match scores.start_bound() {
        Bound::Unbounded => {}
        Bound::Included(&min) => low = key(min),
        Bound::Excluded(&min) => low = key(min).saturating_add(1),
    }
    match scores.end_bound() {
        Bound::Unbounded => {}
        Bound::Included(&max) => high = key(max),
        Bound::Excluded(&max) => high = key(max).saturating_sub(1),
    }
    if is_nan { RangeInclusive::new(1, 0) } else { low..=high }
}

impl<'z, S: BuildHasher> Between<'z, S> {
    /// Nothing is left.
    #[cold]
    fn finish(&mut self) -> Option<(Entry<'z>, f64)> {
        self.keys = RangeInclusive::new(1, 0);
        (self.front, self.back) = (BlockIter::UNKNOWN, BlockIter::UNKNOWN);
        None
    }

    /// Whether both ends have been found and are at the same position.
    #[inline]
    fn have_met(&self) -> bool {
        let (Some(front), Some(back)) = (self.front.block, self.back.block) else { return false };
        let order = self.set.order();
        let (left, right) = (self.front.places.len(), self.back.places.len());
        if front == back {
            left + right == order.block(front).len()
        } else {
            left + right == 0 && order.block(front).next == back
        }
    }

    /// Advances to the first block, or the next.
    #[inline(never)]
    fn begin(&mut self) {
        let (set, block) = (self.set, self.front.block);
        let order = set.order();
        let (block, at) = match block {
            None => {
                let first = set.seek(Target { key: *self.keys.start(), tie: Tie::First });
                (first.block, first.at)
            }
            Some(block) => (order.block(block).next, 0),
        };
        self.front = BlockIter::new(set, block, order.block(block).places().split_at(at).1);
    }

    /// Advances to the last block, or the previous one.
    #[inline(never)]
    fn begin_back(&mut self) {
        let (set, block) = (self.set, self.back.block);
        let order = set.order();
        let (block, places) = match block {
            None => {
                let end = set.seek(Target { key: *self.keys.end(), tie: Tie::Last });
                (end.block, order.block(end.block).places().split_at(end.at).0)
            }
            Some(block) => {
                let previous = order.block(block).previous;
                (previous, order.block(previous).places())
            }
        };
        self.back = BlockIter::new(set, block, places);
    }

    #[inline]
    fn next(&mut self) -> Option<(Entry<'z>, f64)> {
        if self.keys.is_empty() {
            return None;
        }
        if self.front.block.is_none() {
            self.begin();
        }
        if self.have_met() {
            return self.finish();
        }
        if self.front.places.is_empty() {
            if self.front.block.is_none_or(|block| self.set.order().block(block).next == NONE) {
                return self.finish();
            }
            self.begin();
        }
        let (&place, places) = self.front.places.split_first()?;
        self.front.places = places;
        let (member, score) = self.set.read(self.front.heap, place);
        if score::key(score) > *self.keys.end() {
            return self.finish();
        }
        Some((Entry::Str(member), score))
    }

    #[inline]
    fn next_back(&mut self) -> Option<(Entry<'z>, f64)> {
        if self.keys.is_empty() {
            return None;
        }
        if self.back.block.is_none() {
            self.begin_back();
        }
        if self.have_met() {
            return self.finish();
        }
        if self.back.places.is_empty() {
            if self.back.block.is_none_or(|block| self.set.order().block(block).previous == NONE) {
                return self.finish();
            }
            self.begin_back();
        }
        let (&place, places) = self.back.places.split_last()?;
        self.back.places = places;
        let (member, score) = self.set.read(self.back.heap, place);
        if score::key(score) < *self.keys.start() {
            return self.finish();
        }
        Some((Entry::Str(member), score))
    }
}

impl<'z, S: BuildHasher> Iterator for ByScore<'z, S> {
    type Item = (Entry<'z>, f64);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.source {
            Source::Small(entries) => entries.next(),
            Source::Large(between) => between.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.source {
            Source::Small(entries) => entries.size_hint(),
            Source::Large(between) if between.keys.is_empty() => (0, Some(0)),
            Source::Large(between) => (0, Some(between.set.len())),
        }
    }
}

impl<S: BuildHasher> DoubleEndedIterator for ByScore<'_, S> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.source {
            Source::Small(entries) => entries.next_back(),
            Source::Large(between) => between.next_back(),
        }
    }
}

impl<S: BuildHasher> FusedIterator for ByScore<'_, S> {}

impl<S> Clone for ByScore<'_, S> {
    fn clone(&self) -> Self {
        let source = match &self.source {
            Source::Small(entries) => Source::Small(entries.clone()),
            Source::Large(between) => {
                Source::Large(Between { keys: between.keys.clone(), ..*between })
            }
        };
        Self { source }
    }
}

impl<S: BuildHasher> fmt::Debug for ByScore<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
