//! A sorted set: a listpack while it is small, then a skip list with an index.
//!
//! The structure knows its forms and when one turns into the other; this is what a store adds to it.

use ahash::RandomState;
use skiplist_zset::{Encoding, Limits};

use super::{AT_ONCE, Value};
use crate::member::Member;
use crate::policy::EncodingPolicy;

/// A sorted set, hashed as its store hashes.
pub(crate) type ZSet = skiplist_zset::ZSet<RandomState>;

impl Value {
    /// The sorted set, if it is one.
    #[inline]
    pub(crate) const fn as_zset(&self) -> Option<&ZSet> {
        if let Self::ZSet(set) = self { Some(set) } else { None }
    }

    /// The sorted set, if it is one, to be changed.
    #[inline]
    pub(crate) const fn as_zset_mut(&mut self) -> Option<&mut ZSet> {
        if let Self::ZSet(set) = self { Some(set) } else { None }
    }
}

/// Asks for what look-ups of some members, [`AT_ONCE`] at most, will read, so that their cache misses overlap; returns
/// their hashes.
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

/// As [`prefetch`] for members that are about to get scores.
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

/// What `of_score` makes of the score of each member. The members are looked up in groups, whose cache misses overlap.
pub(crate) fn of_scores<T>(
    set: &ZSet,
    members: &[Member<'_>],
    of_score: impl Fn(Option<f64>) -> T,
) -> Vec<T> {
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

/// How OBJECT ENCODING names the form of a sorted set.
pub(super) const fn encoding(set: &ZSet) -> &'static str {
    match set.encoding() {
        Encoding::ListPack => "listpack",
        Encoding::SkipList => "skiplist",
    }
}

impl EncodingPolicy<'_> {
    /// The limits of sorted sets, and the text of their scores.
    #[inline]
    pub(crate) fn zset_limits(&self) -> Limits {
        Limits {
            entries: self.settings.zset_max_listpack_entries(),
            value: self.settings.zset_max_listpack_value(),
            text: self.profile.score_text(),
        }
    }

    /// Gets a sorted set, an empty one too, ready for a command that is about to add `count` members.
    pub(crate) fn expect_in_zset(&self, set: &mut ZSet, count: usize) {
        if self.profile.sizes_ahead() && count > self.settings.zset_max_listpack_entries() {
            self.make_skip_list(set);
        }
    }

    /// Makes a skip list of a sorted set, whatever its size.
    pub(crate) fn make_skip_list(&self, set: &mut ZSet) {
        let made = set.make_skip_list(self.hasher);
        debug_assert!(made.is_ok(), "a listpack has fewer members than a skip list takes");
    }

    /// Gives a sorted set that is built or loaded the form that its members ask for.
    pub(crate) fn fit_zset(&self, set: &mut ZSet) {
        let fitted = set.fit_with_hasher(&self.zset_limits(), self.hasher);
        debug_assert!(fitted.is_ok(), "a set that can be in one form can be in the other");
    }
}
