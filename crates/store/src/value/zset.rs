//! A sorted set: a listpack while it is small, then a skip list with an index.
//!
//! The structure has the encodings and the conversion between them; this module adds what a store needs.

use std::collections::HashMap;

use ahash::RandomState;
use listpack::Entry;
use skiplist_zset::{Encoding, Limits};

use super::lookups::is_hashed;
use super::{AT_ONCE, Value};
use crate::member::Member;
use crate::policy::EncodingPolicy;

/// A sorted set with the hash function of the store.
pub(crate) type ZSet = skiplist_zset::ZSet<RandomState>;

impl Value {
    /// The sorted set, if it is one.
    #[inline]
    pub(crate) const fn as_zset(&self) -> Option<&ZSet> {
        if let Self::ZSet(set) = self { Some(set) } else { None }
    }

    /// The sorted set, if it is one, mutable.
    #[inline]
    pub(crate) const fn as_zset_mut(&mut self) -> Option<&mut ZSet> {
        if let Self::ZSet(set) = self { Some(set) } else { None }
    }
}

/// A sorted set in which the scores of many members are looked up.
#[derive(Debug)]
pub(crate) enum ScoreIndex<'z> {
    /// The set itself.
    Set(&'z ZSet),
    /// The members of a listpack, and their scores.
    Pairs(HashMap<Entry<'z>, f64, RandomState>),
}

impl<'z> ScoreIndex<'z> {
    /// Prepares about `count` look-ups.
    pub(crate) fn new(set: &'z ZSet, count: usize) -> Self {
        match set.as_listpack() {
            // A scan for a member passes over the scores too.
            Some(list) if is_hashed(list.len(), 2 * count) => Self::Pairs(set.iter().collect()),
            Some(_) | None => Self::Set(set),
        }
    }

    /// The score of a member.
    #[inline]
    pub(crate) fn score(&self, member: Member<'_>) -> Option<f64> {
        match self {
            Self::Set(set) => member.with_bytes(|bytes| set.score(bytes)),
            Self::Pairs(pairs) => pairs.get(&Entry::from(member)).copied(),
        }
    }
}

/// Prefetches look-ups of some members, at most [`AT_ONCE`], so that their cache misses overlap; returns their hashes.
#[inline]
pub(crate) fn prefetch<'m>(
    set: &ZSet,
    members: impl ExactSizeIterator<Item = Member<'m>>,
) -> [u64; AT_ONCE] {
    let mut hashes = [0; AT_ONCE];
    let count = members.len().min(AT_ONCE);
    for (hash, member) in hashes.iter_mut().zip(members) {
        *hash = member.with_bytes(|bytes| set.hash(bytes));
    }
    if count > 1 {
        set.prefetch(&hashes[..count]);
    }
    hashes
}

/// As [`prefetch`], for members whose scores will be set.
#[inline]
pub(crate) fn prefetch_updates(set: &ZSet, pairs: &[(f64, Member<'_>)]) {
    if pairs.len() < 2 {
        return;
    }
    let mut updates = [(0, 0.0); AT_ONCE];
    for (update, &(score, member)) in updates.iter_mut().zip(pairs) {
        *update = (member.with_bytes(|bytes| set.hash(bytes)), score);
    }
    set.prefetch_updates(&updates[..pairs.len().min(AT_ONCE)]);
}

/// Maps the score of each member with `of_score`. The members are looked up in groups, whose cache misses overlap.
pub(crate) fn of_scores<T>(
    set: &ZSet,
    members: &[Member<'_>],
    of_score: impl Fn(Option<f64>) -> T,
) -> Vec<T> {
    let index = ScoreIndex::new(set, members.len());
    if matches!(index, ScoreIndex::Pairs(_)) {
        return members.iter().map(|&member| of_score(index.score(member))).collect();
    }
    let mut all = Vec::with_capacity(members.len());
    for members in members.chunks(AT_ONCE) {
        let hashes = prefetch(set, members.iter().copied());
        let score =
            |member: &Member<'_>, hash| member.with_bytes(|member| set.score_hashed(member, hash));
        let scores = members.iter().zip(hashes).map(|(member, hash)| score(member, hash));
        all.extend(scores.map(&of_score));
    }
    all
}

/// The name of a sorted set's encoding in OBJECT ENCODING.
pub(super) const fn encoding(set: &ZSet) -> &'static str {
    match set.encoding() {
        Encoding::ListPack => "listpack",
        Encoding::SkipList => "skiplist",
    }
}

impl EncodingPolicy<'_> {
    /// The limits of sorted sets, and the format of their scores.
    #[inline]
    pub(crate) fn zset_limits(&self) -> Limits {
        Limits {
            entries: self.settings.zset_max_listpack_entries(),
            value: self.settings.zset_max_listpack_value(),
            text: self.profile.score_text(),
        }
    }

    /// Prepares the encoding of a sorted set, also an empty one, for a command that will add `count` members.
    pub(crate) fn expect_in_zset(&self, set: &mut ZSet, count: usize) {
        if self.profile.sizes_ahead() && count > self.settings.zset_max_listpack_entries() {
            self.make_skip_list(set);
        }
    }

    /// Converts a sorted set to a skip list, at any size.
    pub(crate) fn make_skip_list(&self, set: &mut ZSet) {
        let made = set.make_skip_list(self.hasher);
        debug_assert!(made.is_ok(), "a listpack has fewer members than a skip list takes");
    }

    /// Converts a sorted set that is built or loaded to the encoding that its members require.
    pub(crate) fn fit_zset(&self, set: &mut ZSet) {
        let fitted = set.fit_with_hasher(&self.zset_limits(), self.hasher);
        debug_assert!(fitted.is_ok(), "a set that fits in one encoding fits in the other");
    }
}
