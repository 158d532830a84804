//! Commands on sorted sets.

mod add;
mod algebra;
mod draw;
mod entry;
mod list;
mod pop;
mod put;
mod range;
mod scan;
pub(super) mod table;

use std::borrow::Borrow;

use bytes::Bytes;

pub use add::{SortedSetAddOptions, UpdateCheck};
pub use algebra::Aggregate;
pub use range::{LexBound, ZRange};

pub(crate) use add::Pair;
pub use entry::{ZSetEntry, ZSetKind};
pub(crate) use put::{put, score_word};
pub(crate) use scan::{Written, scan as scan_scores};

use super::byte_strings::ByteStrings;
use super::check;
use super::keyspace::ScanOptions;
use crate::error::{Error, Result};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::scope::View;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;
use crate::to_keys::ToKeys;
use crate::to_member::{ToMember, ToMembers};
use crate::to_score::ToScore;
use crate::value::{ZSet, of_scores};
use pop::Side;

/// Commands on sorted sets: members with scores, ordered by score and then by the bytes of the member.
///
/// A sorted set of at most `zset-max-listpack-entries` short members is a listpack, any other a skip list. A listpack
/// is converted when a member does not fit, and a skip list is never converted back. In a listpack, operations that are
/// O(log n) below are O(n).
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::Store;
///
/// let store = Store::new();
/// store.zadd_multiple("board", [(300.0, "ann"), (100.0, "bob"), (200.0, "cleo")])?;
/// assert_eq!(store.zrevrank("board", "cleo")?, Some(1));
/// assert_eq!(store.zincr("board", "bob", 250.0)?, 350.0);
/// assert_eq!(store.zrevrange("board", 0, 1)?, ["bob", "ann"]);
/// # Ok::<(), tallis::Error>(())
/// ```
impl<L: Locks> Store<L> {
    /// ZADD: sets the score of a member; returns 1 if the member is new, otherwise 0. O(log n).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set;
    /// [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) if the score is NaN; an error if the member exceeds 512
    /// MiB.
    pub fn zadd(
        &self,
        key: impl ToKey,
        member: impl ToMember,
        score: impl ToScore,
    ) -> Result<usize> {
        self.zadd_options(key, member, score, SortedSetAddOptions::default())
    }

    /// ZADD of several members: sets their scores; returns the number of new ones. O(log n) each.
    ///
    /// # Errors
    ///
    /// As [`zadd`](Self::zadd).
    pub fn zadd_multiple<S: ToScore, M: ToMember>(
        &self,
        key: impl ToKey,
        items: impl IntoIterator<Item: Borrow<(S, M)>>,
    ) -> Result<usize> {
        self.zadd_multiple_options(key, items, SortedSetAddOptions::default())
    }

    /// ZADD with NX, XX, GT, LT, CH: sets the score of a member; returns 1 if the member is new or, with CH, changed.
    /// O(log n).
    ///
    /// # Errors
    ///
    /// As [`zadd`](Self::zadd).
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{SortedSetAddOptions, Store, UpdateCheck};
    ///
    /// let store = Store::new();
    /// let higher = SortedSetAddOptions::add_or_update(Some(UpdateCheck::GT)).include_changed_count();
    /// assert_eq!(store.zadd_options("best", "ann", 10.0, higher)?, 1);
    /// assert_eq!(store.zadd_options("best", "ann", 5.0, higher)?, 0);
    /// assert_eq!(store.zadd_options("best", "ann", 20.0, higher)?, 1);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn zadd_options(
        &self,
        key: impl ToKey,
        member: impl ToMember,
        score: impl ToScore,
        options: SortedSetAddOptions,
    ) -> Result<usize> {
        add::with_pair(score.to_score(), member, |pair| {
            self.entry(key, |set: &mut ZSetEntry<'_>| {
                Ok(set.add_all(pair, options)?.counted(options))
            })
        })
    }

    /// ZADD of several members with options: sets their scores; returns the number of members that are new or, with CH,
    /// changed. O(log n) each.
    ///
    /// # Errors
    ///
    /// As [`zadd`](Self::zadd).
    pub fn zadd_multiple_options<S: ToScore, M: ToMember>(
        &self,
        key: impl ToKey,
        items: impl IntoIterator<Item: Borrow<(S, M)>>,
        options: SortedSetAddOptions,
    ) -> Result<usize> {
        add::with_pairs(items, |pairs| {
            self.entry(key, |set: &mut ZSetEntry<'_>| {
                Ok(set.add_all(pairs, options)?.counted(options))
            })
        })
    }

    /// ZINCRBY: adds to the score of a member, or to 0 if it does not exist; returns the sum. O(log n).
    ///
    /// # Errors
    ///
    /// As [`zadd`](Self::zadd); [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) also for the sum of opposite
    /// infinities.
    pub fn zincr(
        &self,
        key: impl ToKey,
        member: impl ToMember,
        increment: impl ToScore,
    ) -> Result<f64> {
        let increment = increment.to_score();
        let sum = self.zincr_options(key, member, increment, SortedSetAddOptions::default())?;
        Ok(sum.unwrap_or(increment))
    }

    /// ZADD INCR: as [`zincr`](Self::zincr), but changes nothing and returns `None` if the options do not allow the
    /// change.
    ///
    /// # Errors
    ///
    /// As [`zincr`](Self::zincr).
    pub fn zincr_options(
        &self,
        key: impl ToKey,
        member: impl ToMember,
        increment: impl ToScore,
        options: SortedSetAddOptions,
    ) -> Result<Option<f64>> {
        let options = options.increment_score();
        add::with_pair(increment.to_score(), member, |pair| {
            self.entry(key, |set: &mut ZSetEntry<'_>| Ok(set.add_all(pair, options)?.score))
        })
    }

    /// ZREM: removes members; returns how many existed. The key is removed with the last member. O(log n) each.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    pub fn zrem(&self, key: impl ToKey, of: impl ToMembers) -> Result<usize> {
        of.with_members(|of| {
            check(of)?;
            self.entry(key, |set: &mut ZSetEntry<'_>| Ok(set.remove_all(of)))
        })
    }

    /// ZCARD: returns the number of members. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    pub fn zcard(&self, key: impl ToKey) -> Result<usize> {
        self.read(key, |view, keys| Ok(zset_at(view, keys[0])?.map_or(0, ZSet::len)))
    }

    /// ZSCORE: returns the score of a member, or `None` if it does not exist. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    pub fn zscore(&self, key: impl ToKey, member: impl ToMember) -> Result<Option<f64>> {
        member.with_member(|member| {
            self.read(key, |view, keys| {
                Ok(zset_at(view, keys[0])?
                    .and_then(|set| member.with_bytes(|bytes| set.score(bytes))))
            })
        })
    }

    /// ZMSCORE: returns the scores of several members. O(1) each.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    pub fn zscore_multiple(&self, key: impl ToKey, of: impl ToMembers) -> Result<Vec<Option<f64>>> {
        of.with_members(|of| {
            check(of)?;
            self.read(key, |view, keys| {
                let Some(set) = zset_at(view, keys[0])? else { return Ok(vec![None; of.len()]) };
                Ok(of_scores(set, of, |score| score))
            })
        })
    }

    /// ZRANK: returns the rank of a member, from 0 at the lowest score, or `None` if it does not exist. O(log n).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    pub fn zrank(&self, key: impl ToKey, member: impl ToMember) -> Result<Option<usize>> {
        Ok(self.zrank_withscore(key, member)?.map(|(rank, _)| rank))
    }

    /// ZRANK WITHSCORE: returns the rank of a member, as [`zrank`](Self::zrank), and its score. O(log n).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    pub fn zrank_withscore(
        &self,
        key: impl ToKey,
        member: impl ToMember,
    ) -> Result<Option<(usize, f64)>> {
        member.with_member(|member| {
            self.read(key, |view, keys| Ok(ranked(view, keys[0], member)?.map(|at| at.0)))
        })
    }

    /// ZREVRANK: returns the rank of a member, from 0 at the highest score, or `None` if it does not exist. O(log n).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    pub fn zrevrank(&self, key: impl ToKey, member: impl ToMember) -> Result<Option<usize>> {
        Ok(self.zrevrank_withscore(key, member)?.map(|(rank, _)| rank))
    }

    /// ZREVRANK WITHSCORE: returns the rank of a member, as [`zrevrank`](Self::zrevrank), and its score. O(log n).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    pub fn zrevrank_withscore(
        &self,
        key: impl ToKey,
        member: impl ToMember,
    ) -> Result<Option<(usize, f64)>> {
        member.with_member(|member| {
            self.read(key, |view, keys| {
                let ranked = ranked(view, keys[0], member)?;
                Ok(ranked.map(|((rank, score), len)| (len - 1 - rank, score)))
            })
        })
    }

    /// ZPOPMIN: removes and returns the `count` members with the lowest scores, or all; lowest first. O(log n) each.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    pub fn zpopmin(&self, key: impl ToKey, count: usize) -> Result<Vec<(Bytes, f64)>> {
        self.entry(key, |set: &mut ZSetEntry<'_>| Ok(set.pop(Side::Min, count)))
    }

    /// ZPOPMAX: removes and returns the `count` members with the highest scores, or all; highest first. O(log n) each.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    pub fn zpopmax(&self, key: impl ToKey, count: usize) -> Result<Vec<(Bytes, f64)>> {
        self.entry(key, |set: &mut ZSetEntry<'_>| Ok(set.pop(Side::Max, count)))
    }

    /// ZMPOP MIN: removes members as [`zpopmin`](Self::zpopmin), from the first key that exists; returns the key and
    /// the members.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if that key holds no sorted set.
    pub fn zmpop_min(&self, keys: impl ToKeys, count: usize) -> Result<Option<Popped>> {
        self.write(keys, |scope, keys| pop::pop_first(scope, keys, Side::Min, count))
    }

    /// ZMPOP MAX: removes members as [`zpopmax`](Self::zpopmax), from the first key that exists; returns the key and
    /// the members.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if that key holds no sorted set.
    pub fn zmpop_max(&self, keys: impl ToKeys, count: usize) -> Result<Option<Popped>> {
        self.write(keys, |scope, keys| pop::pop_first(scope, keys, Side::Max, count))
    }

    /// ZRANDMEMBER: returns a member, chosen uniformly at random, or `None` if there is none. O(log n).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    pub fn zrandmember(&self, key: impl ToKey) -> Result<Option<Bytes>> {
        self.read(key, |view, keys| draw::one(view, keys[0]))
    }

    /// ZRANDMEMBER with a count and scores: returns that many distinct members, or all of them; with a negative count,
    /// that many members drawn with repetition. O(count log n), or O(n) if that is a large part of the set.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set;
    /// [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) for more than 2^31 draws with repetition.
    pub fn zrandmember_withscores(&self, key: impl ToKey, count: i64) -> Result<Vec<(Bytes, f64)>> {
        self.read(key, |view, keys| draw::several(view, keys[0], count))
    }

    /// ZSCAN with a cursor: returns some of the members with their scores, and the next cursor. Start with cursor 0;
    /// the returned cursor is 0 at the end. Members that exist during the whole iteration are returned at least once,
    /// even if others are added and removed, or scores change, meanwhile. A listpack is returned in one call. O(members
    /// returned), plus a few hundred at most.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    pub fn zscan_cursor(
        &self,
        key: impl ToKey,
        cursor: u64,
        options: &ScanOptions,
    ) -> Result<(u64, Vec<(Bytes, f64)>)> {
        self.read(key, |view, keys| {
            let (mut members, mut scores) = (ByteStrings::with_capacity(0), Vec::new());
            let next = scan_scores(view, keys[0], cursor, options, |member, score, _| {
                members.push(Member::Bytes(member));
                scores.push(score);
            })?;
            Ok((next, members.finish_with(scores)))
        })
    }
}

/// The result of ZMPOP: the key, and the removed members with their scores.
pub type Popped = (Bytes, Vec<(Bytes, f64)>);

/// The sorted set at a key, if it exists.
#[inline]
pub(crate) fn zset_at<'v>(view: &'v View<'_>, key: HashedKey<'_>) -> Result<Option<&'v ZSet>> {
    let Some(value) = view.get(key) else { return Ok(None) };
    value.as_zset().map(Some).ok_or_else(Error::wrong_type)
}

/// The rank and score of a member, and the number of members.
fn ranked(
    view: &View<'_>,
    key: HashedKey<'_>,
    member: Member<'_>,
) -> Result<Option<((usize, f64), usize)>> {
    let Some(set) = zset_at(view, key)? else { return Ok(None) };
    let at = member.with_bytes(|bytes| set.rank_and_score(bytes));
    Ok(at.map(|at| (at, set.len())))
}
