//! Members within a range of scores, found without ranks.

use core::fmt;
use core::hash::BuildHasher;
use core::iter::FusedIterator;
use core::ops::{Bound, RangeBounds, RangeInclusive};

use listpack::Entry;

use crate::Iter;
use crate::block::{Target, Tie};
use crate::large::Large;
use crate::score;
use crate::tower::Cursor;

/// The members within a range of scores, lowest first. Made by [`ZSet::by_score`](crate::ZSet::by_score); `rev()` goes from the highest
/// on.
///
/// Either end is sought when it is first asked for, in O(log n). How many there are shows at the end only: to count them is what
/// [`ZSet::ranks_by_score`](crate::ZSet::ranks_by_score) is for.
pub struct ByScore<'z, S> {
    source: Source<'z, S>,
}

enum Source<'z, S> {
    Small(Iter<'z, S>),
    Large(Walk<'z, S>),
}

/// A range of a large set.
struct Walk<'z, S> {
    set: &'z Large<S>,
    /// The keys of the scores. Keys are whole numbers, so that a bound that is left out is the next key.
    keys: RangeInclusive<u64>,
    /// The next entry from the front, once it has been sought; in front of that from the back. Both name an entry, or the
    /// end of the last block, so that they are equal where they meet.
    front: Option<Cursor>,
    back: Option<Cursor>,
}

impl<'z, S: BuildHasher> ByScore<'z, S> {
    pub(crate) const fn small(entries: Iter<'z, S>) -> Self {
        Self { source: Source::Small(entries) }
    }

    /// The members of a large set with these scores; none if a bound is NaN.
    pub(crate) fn large(set: &'z Large<S>, scores: &impl RangeBounds<f64>) -> Self {
        let keys = keys_of(scores);
        Self { source: Source::Large(Walk { set, keys, front: None, back: None }) }
    }
}

/// The keys of a range of scores. Keys are whole numbers, so that a bound that is left out is the next key. None if a bound is NaN.
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

impl<'z, S: BuildHasher> Walk<'z, S> {
    /// Nothing is left.
    fn finish(&mut self) -> Option<(Entry<'z>, f64)> {
        self.keys = RangeInclusive::new(1, 0);
        None
    }

    fn seek(&self, key: u64, tie: Tie<'_>) -> Cursor {
        self.set.seek(Target { key, tie })
    }

    #[inline]
    fn next(&mut self) -> Option<(Entry<'z>, f64)> {
        if self.keys.is_empty() {
            return None;
        }
        let front = self.front.unwrap_or_else(|| self.seek(*self.keys.start(), Tie::First));
        let set = self.set;
        let Some((record, next)) = set.order().step(front).filter(|_| self.back != Some(front))
        else {
            return self.finish();
        };
        let (member, score) = set.get(record);
        if self.back.is_none() && score::key(score) > *self.keys.end() {
            return self.finish();
        }
        self.front = Some(next);
        Some((Entry::Str(member), score))
    }

    #[inline]
    fn next_back(&mut self) -> Option<(Entry<'z>, f64)> {
        if self.keys.is_empty() {
            return None;
        }
        let back = self.back.unwrap_or_else(|| self.seek(*self.keys.end(), Tie::Last));
        let set = self.set;
        let Some((record, previous)) =
            set.order().step_back(back).filter(|_| self.front != Some(back))
        else {
            return self.finish();
        };
        let (member, score) = set.get(record);
        if self.front.is_none() && score::key(score) < *self.keys.start() {
            return self.finish();
        }
        self.back = Some(previous);
        Some((Entry::Str(member), score))
    }
}

impl<'z, S: BuildHasher> Iterator for ByScore<'z, S> {
    type Item = (Entry<'z>, f64);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.source {
            Source::Small(entries) => entries.next(),
            Source::Large(walk) => walk.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.source {
            Source::Small(entries) => entries.size_hint(),
            Source::Large(walk) if walk.keys.is_empty() => (0, Some(0)),
            Source::Large(walk) => (0, Some(walk.set.len())),
        }
    }
}

impl<S: BuildHasher> DoubleEndedIterator for ByScore<'_, S> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.source {
            Source::Small(entries) => entries.next_back(),
            Source::Large(walk) => walk.next_back(),
        }
    }
}

impl<S: BuildHasher> FusedIterator for ByScore<'_, S> {}

impl<S> Clone for ByScore<'_, S> {
    fn clone(&self) -> Self {
        let source = match &self.source {
            Source::Small(entries) => Source::Small(entries.clone()),
            Source::Large(walk) => Source::Large(Walk { keys: walk.keys.clone(), ..*walk }),
        };
        Self { source }
    }
}

impl<S: BuildHasher> fmt::Debug for ByScore<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
