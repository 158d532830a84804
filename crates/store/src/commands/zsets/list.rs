//! Commands on ranges.

use std::ops::RangeBounds;

use bytes::Bytes;
use skiplist_zset::Entry;

use super::put::{gather, put};
use super::range::{LexBound, ZRange};
use super::zset_at;
use crate::commands::ZSetEntry;
use crate::commands::byte_strings::ByteStrings;
use crate::error::Result;
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::scope::View;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;

/// Commands on ranges of sorted sets.
///
/// [`ZRange`] says which range; the commands that Redis has for each kind of it are here by their names too. n members,
/// of which k are handed out.
impl<L: Locks> Store<L> {
    /// ZRANGE: the members of a range. O(log n + k).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set, as for all of these.
    pub fn zrange_by(&self, key: impl ToKey, range: &ZRange) -> Result<Vec<Bytes>> {
        self.read(key, |view, keys| {
            let Some(set) = zset_at(view, keys[0])? else { return Ok(Vec::new()) };
            let ranks = range.ranks(set);
            let mut members = ByteStrings::with_capacity(ranks.len());
            let mut push = |(member, _): (Entry<'_>, f64)| members.push(Member::from(member));
            if range.rev {
                set.range(ranks).rev().for_each(&mut push);
            } else {
                set.range(ranks).for_each(&mut push);
            }
            Ok(members.finish())
        })
    }

    /// ZRANGE WITHSCORES: the members of a range and their scores. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrange_by_withscores(
        &self,
        key: impl ToKey,
        range: &ZRange,
    ) -> Result<Vec<(Bytes, f64)>> {
        self.read(key, |view, keys| ranged(view, keys[0], range))
    }

    /// ZRANGESTORE: puts a range of `source` at `destination`, whatever was there; returns how many members that are.
    /// An empty range is no key. O(log n + k log k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by), for the source.
    pub fn zrangestore(
        &self,
        destination: impl ToKey,
        source: impl ToKey,
        range: &ZRange,
    ) -> Result<usize> {
        self.write((destination, source), |scope, keys| {
            let [destination, source] = *keys else { return Ok(0) };
            // Through the store, so that a source that has expired is dropped for the sinks too.
            scope.drop_expired(source);
            let mut entries = ranged(scope, source, range)?;
            range.pass_through_listpack(&mut entries, &scope.policy());
            if range.rev {
                entries.reverse();
            }
            put(scope, destination, entries, || {
                let mut words = vec!["ZRANGESTORE".into()];
                words.extend([destination, source].map(|key| Bytes::copy_from_slice(key.bytes)));
                words.extend(range.words());
                words
            })
        })
    }

    /// ZREMRANGEBYRANK, -SCORE, -LEX: removes the members of a range; returns how many there were. O(log n + k log n).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zremrange_by(&self, key: impl ToKey, range: &ZRange) -> Result<usize> {
        self.entry(key, |set: &mut ZSetEntry<'_>| Ok(set.remove_range(range)))
    }

    /// ZRANGE by rank: `start` to `stop`, both included; negative ones count from the end. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrange(&self, key: impl ToKey, start: i64, stop: i64) -> Result<Vec<Bytes>> {
        self.zrange_by(key, &ZRange::by_rank(start, stop))
    }

    /// ZRANGE WITHSCORES by rank. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrange_withscores(
        &self,
        key: impl ToKey,
        start: i64,
        stop: i64,
    ) -> Result<Vec<(Bytes, f64)>> {
        self.zrange_by_withscores(key, &ZRange::by_rank(start, stop))
    }

    /// ZREVRANGE: as [`zrange`](Self::zrange), the highest score first. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrevrange(&self, key: impl ToKey, start: i64, stop: i64) -> Result<Vec<Bytes>> {
        self.zrange_by(key, &ZRange::by_rank(start, stop).rev())
    }

    /// ZREVRANGE WITHSCORES. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrevrange_withscores(
        &self,
        key: impl ToKey,
        start: i64,
        stop: i64,
    ) -> Result<Vec<(Bytes, f64)>> {
        self.zrange_by_withscores(key, &ZRange::by_rank(start, stop).rev())
    }

    /// ZRANGEBYSCORE: the members with these scores. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrangebyscore(
        &self,
        key: impl ToKey,
        scores: impl RangeBounds<f64>,
    ) -> Result<Vec<Bytes>> {
        self.zrange_by(key, &ZRange::by_score(scores))
    }

    /// ZRANGEBYSCORE WITHSCORES. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrangebyscore_withscores(
        &self,
        key: impl ToKey,
        scores: impl RangeBounds<f64>,
    ) -> Result<Vec<(Bytes, f64)>> {
        self.zrange_by_withscores(key, &ZRange::by_score(scores))
    }

    /// ZREVRANGEBYSCORE: the members with these scores, the highest first. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrevrangebyscore(
        &self,
        key: impl ToKey,
        scores: impl RangeBounds<f64>,
    ) -> Result<Vec<Bytes>> {
        self.zrange_by(key, &ZRange::by_score(scores).rev())
    }

    /// ZREVRANGEBYSCORE WITHSCORES. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrevrangebyscore_withscores(
        &self,
        key: impl ToKey,
        scores: impl RangeBounds<f64>,
    ) -> Result<Vec<(Bytes, f64)>> {
        self.zrange_by_withscores(key, &ZRange::by_score(scores).rev())
    }

    /// ZRANGEBYLEX: the members between these, of a sorted set whose scores are all equal. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrangebylex(&self, key: impl ToKey, min: LexBound, max: LexBound) -> Result<Vec<Bytes>> {
        self.zrange_by(key, &ZRange::by_lex(min, max))
    }

    /// ZREVRANGEBYLEX: as [`zrangebylex`](Self::zrangebylex), backwards. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrevrangebylex(
        &self,
        key: impl ToKey,
        max: LexBound,
        min: LexBound,
    ) -> Result<Vec<Bytes>> {
        self.zrange_by(key, &ZRange::by_lex(min, max).rev())
    }

    /// ZCOUNT: how many members have these scores. O(log n).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zcount(&self, key: impl ToKey, scores: impl RangeBounds<f64>) -> Result<usize> {
        self.read(key, |view, keys| count(view, keys[0], &ZRange::by_score(scores)))
    }

    /// ZLEXCOUNT: how many members are between these, of a sorted set whose scores are all equal. O(log n).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zlexcount(&self, key: impl ToKey, min: LexBound, max: LexBound) -> Result<usize> {
        self.read(key, |view, keys| count(view, keys[0], &ZRange::by_lex(min, max)))
    }

    /// ZREMRANGEBYRANK. O(log n + k log n).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zremrangebyrank(&self, key: impl ToKey, start: i64, stop: i64) -> Result<usize> {
        self.zremrange_by(key, &ZRange::by_rank(start, stop))
    }

    /// ZREMRANGEBYSCORE. O(log n + k log n).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrembyscore(&self, key: impl ToKey, scores: impl RangeBounds<f64>) -> Result<usize> {
        self.zremrange_by(key, &ZRange::by_score(scores))
    }

    /// ZREMRANGEBYLEX. O(log n + k log n).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrembylex(&self, key: impl ToKey, min: LexBound, max: LexBound) -> Result<usize> {
        self.zremrange_by(key, &ZRange::by_lex(min, max))
    }
}

fn ranged(view: &View<'_>, key: HashedKey<'_>, range: &ZRange) -> Result<Vec<(Bytes, f64)>> {
    let Some(set) = zset_at(view, key)? else { return Ok(Vec::new()) };
    let ranks = range.ranks(set);
    Ok(if range.rev { gather(set.range(ranks).rev()) } else { gather(set.range(ranks)) })
}

fn count(view: &View<'_>, key: HashedKey<'_>, range: &ZRange) -> Result<usize> {
    Ok(zset_at(view, key)?.map_or(0, |set| range.ranks(set).len()))
}
