//! The sorted set, with its two encodings.

mod change;

use core::fmt;
use core::hash::BuildHasher;
use core::ops::{Bound, Range, RangeBounds};

use ahash::RandomState;
use extendible::CACHED;
use listpack::{Entry, ListPack};

use crate::by_score::keys_of;
use crate::large::Large;
use crate::small::{Small, is_at_least, is_at_most};
use crate::{ByScore, Iter};

/// The effect of an update on a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Change {
    /// The member is new.
    Added,
    /// The score of the member was changed.
    Updated,
    /// Nothing was changed.
    Unchanged,
}

/// The encoding of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Encoding {
    /// One listpack.
    ListPack,
    /// A skip list and an index.
    SkipList,
}

/// A sorted set: unique members with scores, ordered by score and then by member. See the [crate documentation](crate).
///
/// `S` hashes the members of large sets, and its `hash_one` seeds the heights of their towers.
#[derive(Clone)]
pub struct ZSet<S = RandomState> {
    form: Form<S>,
}

#[derive(Clone)]
pub(crate) enum Form<S> {
    Small(Small),
    Large(Box<Large<S>>),
}

impl<S> ZSet<S> {
    /// Creates an empty set, without heap memory. O(1).
    #[must_use]
    pub fn new() -> Self {
        Self { form: Form::Small(Small::default()) }
    }

    /// A set of a list of pairs that has been checked.
    pub(crate) const fn of_pairs(pairs: ListPack) -> Self {
        Self { form: Form::Small(Small::new(pairs)) }
    }

    /// The encoding of the set. O(1).
    #[must_use]
    pub const fn encoding(&self) -> Encoding {
        match self.form {
            Form::Small(_) => Encoding::ListPack,
            Form::Large(_) => Encoding::SkipList,
        }
    }

    /// The listpack of a small set, as Redis has it in memory and in DUMP payloads; `None` for a skip list. O(1).
    #[must_use]
    pub const fn as_listpack(&self) -> Option<&ListPack> {
        match &self.form {
            Form::Small(set) => Some(set.list()),
            Form::Large(_) => None,
        }
    }

    pub(crate) const fn form(&self) -> &Form<S> {
        &self.form
    }

    /// Removes all members and releases all memory.
    pub fn clear(&mut self) {
        *self = Self::new();
    }
}

impl<S: BuildHasher> ZSet<S> {
    pub(crate) fn of_large(set: Large<S>) -> Self {
        Self { form: Form::Large(Box::new(set)) }
    }

    /// The number of members. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.form {
            Form::Small(set) => set.len(),
            Form::Large(set) => set.len(),
        }
    }

    /// Whether there are no members. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the score of a member. O(1).
    #[must_use]
    #[inline]
    pub fn score(&self, member: impl AsRef<[u8]>) -> Option<f64> {
        match &self.form {
            Form::Small(set) => Some(set.find(member.as_ref())?.1),
            Form::Large(set) => set.score(member.as_ref()),
        }
    }

    /// [`score`](Self::score) for a member whose [`hash`](Self::hash) was computed since the last change of the set,
    /// such as in a batch that has passed it to [`prefetch`](Self::prefetch). With another hash a member may not be
    /// found.
    ///
    /// ```
    /// use skiplist_zset::{Limits, ZSet};
    ///
    /// let mut set: ZSet = ZSet::new();
    /// for number in 0..40_000 {
    ///     set.add(format!("member {number}"), f64::from(number), &Limits::default())?;
    /// }
    /// let wanted = ["member 7", "member 500", "none"].map(|member| (member, set.hash(member)));
    /// set.prefetch(&wanted.map(|(_, hash)| hash));
    /// let scores = wanted.map(|(member, hash)| set.score_hashed(member, hash));
    /// assert_eq!(scores, [Some(7.0), Some(500.0), None]);
    /// # Ok::<(), skiplist_zset::Refused>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn score_hashed(&self, member: impl AsRef<[u8]>, hash: u64) -> Option<f64> {
        match &self.form {
            Form::Large(set) if set.len() >= CACHED => set.score_hashed(member.as_ref(), hash),
            Form::Small(_) | Form::Large(_) => self.score(member),
        }
    }

    /// The hash of a member in a skip list, for [`prefetch`](Self::prefetch); 0 for a set in which that has no effect.
    #[must_use]
    #[inline]
    pub fn hash(&self, member: impl AsRef<[u8]>) -> u64 {
        match &self.form {
            Form::Large(set) if set.len() >= CACHED => set.hash(member.as_ref()),
            Form::Small(_) | Form::Large(_) => 0,
        }
    }

    /// Prefetches what lookups of these hashes will read, so that their cache misses overlap; a lookup on its own waits
    /// for two. Some dozens of hashes at a time are best. Has no effect on a set of fewer than 32,768 members, which
    /// fits the caches.
    ///
    /// ```
    /// use skiplist_zset::{Limits, ZSet};
    ///
    /// let mut set: ZSet = ZSet::new();
    /// for number in 0..40_000 {
    ///     set.add(format!("member {number}"), f64::from(number), &Limits::default())?;
    /// }
    /// let wanted = ["member 7", "member 500", "none"];
    /// set.prefetch(&wanted.map(|member| set.hash(member)));
    /// assert_eq!(wanted.map(|member| set.score(member)), [Some(7.0), Some(500.0), None]);
    /// # Ok::<(), skiplist_zset::Refused>(())
    /// ```
    pub fn prefetch(&self, hashes: &[u64]) {
        if let Form::Large(set) = &self.form {
            set.prefetch(hashes);
        }
    }

    /// [`prefetch`](Self::prefetch) for updates, given as hashes and new scores: also prefetches what
    /// [`update`](Self::update) reads at the old and the new position.
    ///
    /// ```
    /// use skiplist_zset::{Limits, ZSet};
    ///
    /// let mut set: ZSet = ZSet::new();
    /// for number in 0..40_000 {
    ///     set.add(format!("member {number}"), f64::from(number), &Limits::default())?;
    /// }
    /// let changes = [("member 7", 3000.5), ("member 500", 1.5), ("another", 9.0)];
    /// set.prefetch_updates(&changes.map(|(member, score)| (set.hash(member), score)));
    /// for (member, score) in changes {
    ///     set.add(member, score, &Limits::default())?;
    /// }
    /// assert_eq!((set.rank("another"), set.rank("member 7")), (Some(9), Some(3001)));
    /// # Ok::<(), skiplist_zset::Refused>(())
    /// ```
    pub fn prefetch_updates(&self, updates: &[(u64, f64)]) {
        if let Form::Large(set) = &self.form {
            set.prefetch_updates(updates);
        }
    }

    /// Returns whether there is such a member. O(1).
    #[must_use]
    pub fn contains(&self, member: impl AsRef<[u8]>) -> bool {
        self.score(member).is_some()
    }

    /// Returns the rank of a member, from 0 for the lowest score. O(log n).
    #[must_use]
    #[inline]
    pub fn rank(&self, member: impl AsRef<[u8]>) -> Option<usize> {
        Some(self.rank_and_score(member)?.0)
    }

    /// Returns the rank of a member from the other end, from 0 for the highest score. O(log n).
    #[must_use]
    pub fn rev_rank(&self, member: impl AsRef<[u8]>) -> Option<usize> {
        Some(self.len() - 1 - self.rank(member)?)
    }

    /// Returns the rank and the score of a member. O(log n).
    #[must_use]
    #[inline]
    pub fn rank_and_score(&self, member: impl AsRef<[u8]>) -> Option<(usize, f64)> {
        match &self.form {
            Form::Small(set) => {
                let (at, score) = set.find(member.as_ref())?;
                Some((set.rank(at), score))
            }
            Form::Large(set) => set.rank(member.as_ref()),
        }
    }

    /// Returns the member with this rank, and its score. O(log n).
    #[must_use]
    #[inline]
    pub fn get(&self, rank: usize) -> Option<(Entry<'_>, f64)> {
        self.iter().nth(rank)
    }

    /// Returns the member with the lowest score.
    #[must_use]
    pub fn first(&self) -> Option<(Entry<'_>, f64)> {
        self.iter().next()
    }

    /// Returns the member with the highest score.
    #[must_use]
    pub fn last(&self) -> Option<(Entry<'_>, f64)> {
        self.iter().next_back()
    }

    /// Iterates over all members, lowest score first. An RDB file has them in the order of `iter().rev()`.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, S> {
        self.range(0..usize::MAX)
    }

    /// Iterates over the members with these ranks, cut at the number of members. O(log n) for each end that is used,
    /// and O(1) per member.
    ///
    /// ```
    /// use skiplist_zset::{Limits, ZSet};
    ///
    /// let mut set: ZSet = ZSet::new();
    /// for (score, member) in (1..).zip(["a", "b", "c", "d"]) {
    ///     set.add(member, score.into(), &Limits::default())?;
    /// }
    /// let members: Vec<_> = set.range(1..9).rev().map(|(member, _)| member.to_vec()).collect();
    /// assert_eq!(members, [b"d", b"c", b"b"]);
    /// # Ok::<(), skiplist_zset::Refused>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn range(&self, ranks: Range<usize>) -> Iter<'_, S> {
        let ranks = self.clamped(&ranks);
        match &self.form {
            Form::Small(set) => Iter::small(set, ranks),
            Form::Large(set) => Iter::large(set, ranks),
        }
    }

    fn clamped(&self, ranks: &Range<usize>) -> Range<usize> {
        let end = ranks.end.min(self.len());
        ranks.start.min(end)..end
    }

    /// Returns the ranks of the members with these scores, for [`range`](Self::range), for
    /// [`remove_range`](Self::remove_range), or for counting with `len()`. Empty if a bound is NaN. O(log n).
    ///
    /// ```
    /// use std::ops::Bound;
    ///
    /// use skiplist_zset::{Limits, ZSet};
    ///
    /// let mut set: ZSet = ZSet::new();
    /// for (score, member) in (1..).zip(["a", "b", "c", "d"]) {
    ///     set.add(member, score.into(), &Limits::default())?;
    /// }
    /// assert_eq!(set.ranks_by_score(2.0..=3.0), 1..3);
    /// assert_eq!(set.ranks_by_score((Bound::Excluded(2.0), Bound::Included(f64::INFINITY))), 2..4);
    /// # Ok::<(), skiplist_zset::Refused>(())
    /// ```
    #[must_use]
    pub fn ranks_by_score(&self, scores: impl RangeBounds<f64>) -> Range<usize> {
        let (min, max) = (scores.start_bound().cloned(), scores.end_bound().cloned());
        let is_nan = |bound| matches!(bound, Bound::Included(score) | Bound::Excluded(score) if f64::is_nan(score));
        if is_nan(min) || is_nan(max) {
            return 0..0;
        }
        let start = match min {
            Bound::Unbounded => 0,
            Bound::Included(min) => self.count_below(min, false),
            Bound::Excluded(min) => self.count_below(min, true),
        };
        let end = match max {
            Bound::Unbounded => self.len(),
            Bound::Included(max) => self.count_below(max, true),
            Bound::Excluded(max) => self.count_below(max, false),
        };
        start..end.max(start)
    }

    /// Iterates over the members with these scores, lowest first; none if a bound is NaN. O(log n) for each end that is
    /// used, then O(1) per member. Faster than by ranks, but the number of members is not known in advance.
    ///
    /// ```
    /// use skiplist_zset::{Limits, ZSet};
    ///
    /// let mut set: ZSet = ZSet::new();
    /// for (score, member) in (1..).zip(["a", "b", "c", "d"]) {
    ///     set.add(member, score.into(), &Limits::default())?;
    /// }
    /// let members = |entries: Vec<(skiplist_zset::Entry<'_>, f64)>| -> Vec<_> {
    ///     entries.into_iter().map(|(member, _)| member.to_vec()).collect()
    /// };
    /// assert_eq!(members(set.by_score(2.0..4.0).collect()), [b"b", b"c"]);
    /// assert_eq!(members(set.by_score(2.0..).rev().take(2).collect()), [b"d", b"c"]);
    /// # Ok::<(), skiplist_zset::Refused>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn by_score(&self, scores: impl RangeBounds<f64>) -> ByScore<'_, S> {
        match &self.form {
            Form::Small(_) => ByScore::small(self.range(self.ranks_by_score(scores))),
            Form::Large(set) => ByScore::large(set, &scores),
        }
    }

    /// Iterates over the members with these scores for whose score `keep` returns true, lowest first; none if a bound
    /// is NaN.
    ///
    /// Equivalent to a filter over [`by_score`](Self::by_score), but faster if few are kept: scores are read a block at
    /// a time, members only where the score is kept. O(log n), then O(1) per examined member.
    ///
    /// ```
    /// use skiplist_zset::{Limits, ZSet};
    ///
    /// let mut set: ZSet = ZSet::new();
    /// for (score, member) in (1..).zip(["a", "b", "c", "d"]) {
    ///     set.add(member, score.into(), &Limits::default())?;
    /// }
    /// let mut odd = Vec::new();
    /// set.pick(2.0.., |score| score % 2.0 == 1.0, |member, _| odd.push(member.to_vec()));
    /// assert_eq!(odd, [b"c"]);
    /// # Ok::<(), skiplist_zset::Refused>(())
    /// ```
    #[inline]
    pub fn pick<'z>(
        &'z self,
        scores: impl RangeBounds<f64>,
        mut keep: impl FnMut(f64) -> bool,
        mut found: impl FnMut(Entry<'z>, f64),
    ) {
        match &self.form {
            Form::Small(_) => {
                for (member, score) in self.by_score(scores) {
                    if keep(score) {
                        found(member, score);
                    }
                }
            }
            Form::Large(set) => set.pick(&keys_of(&scores), &mut keep, &mut found),
        }
    }

    /// How many members have a score below this one, or equal to it if `with_equal`.
    fn count_below(&self, score: f64, with_equal: bool) -> usize {
        match &self.form {
            Form::Small(set) => {
                set.partition(|order| order.is_lt() || with_equal && order.is_eq(), score).1
            }
            Form::Large(set) => set.count_below(score, with_equal),
        }
    }

    /// Returns the ranks of the members between these bounds, in a set whose scores are all equal. O(log n), O(n) in a
    /// listpack.
    ///
    /// With different scores the result is a run of members none of which is above `max`, found from the front as Redis
    /// does; for a listpack it is the same one as Redis's.
    #[must_use]
    pub fn ranks_by_lex(&self, min: Bound<&[u8]>, max: Bound<&[u8]>) -> Range<usize> {
        match &self.form {
            Form::Small(set) => set.ranks_by_lex(min, max),
            Form::Large(set) => {
                let start = set.count_before(min);
                if self.has_equal_scores() {
                    return start..set.count_up_to(max).max(start);
                }
                let within = |(member, _): &(Entry<'_>, f64)| is_at_most(*member, max);
                start..start + self.range(start..usize::MAX).take_while(within).count()
            }
        }
    }

    /// [`ranks_by_lex`](Self::ranks_by_lex), but found from the back, for commands that iterate backwards: with
    /// different scores the result is a run of members none of which is below `min`.
    #[must_use]
    pub fn ranks_by_lex_from_back(&self, min: Bound<&[u8]>, max: Bound<&[u8]>) -> Range<usize> {
        match &self.form {
            Form::Small(set) => set.ranks_by_lex_from_back(min, max),
            Form::Large(_) if self.has_equal_scores() => self.ranks_by_lex(min, max),
            Form::Large(set) => {
                let end = set.count_up_to(max);
                let within = |(member, _): &(Entry<'_>, f64)| is_at_least(*member, min);
                end - self.range(0..end).rev().take_while(within).count()..end
            }
        }
    }

    fn has_equal_scores(&self) -> bool {
        let ends = self.first().zip(self.last());
        ends.is_none_or(|((_, low), (_, high))| low == high)
    }

    /// The bytes on the heap, slack included, without the allocator's overhead.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        match &self.form {
            Form::Small(set) => set.list().heap_bytes(),
            Form::Large(set) => set.heap_bytes(),
        }
    }

    /// Panics unless the invariants of the set hold: order, spans, links, index and records agree.
    #[doc(hidden)]
    pub fn verify(&self) {
        match &self.form {
            Form::Small(set) => {
                crate::codec::validate_pairs(set.list()).expect("pairs in order");
            }
            Form::Large(set) => set.verify(),
        }
    }
}

impl<S> Default for ZSet<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: BuildHasher> PartialEq for ZSet<S> {
    /// Whether both have the same members with the same scores, in whichever form.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<S: BuildHasher> fmt::Debug for ZSet<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<'z, S: BuildHasher> IntoIterator for &'z ZSet<S> {
    type Item = (Entry<'z>, f64);
    type IntoIter = Iter<'z, S>;

    fn into_iter(self) -> Iter<'z, S> {
        self.iter()
    }
}
