//! Commands on ranges of sorted sets.

use std::ops::RangeBounds;

use bytes::Bytes;

use super::put::{gather, put};
use super::range::{LexBound, ZRange};
use super::zset_at;
use crate::commands::ZSetEntry;
use crate::commands::byte_strings::ByteStrings;
use crate::error::Result;
use crate::key::HashedKey;
use crate::store::scope::View;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;

/// Commands on ranges of sorted sets.
///
/// [`ZRange`] selects the range; the commands that Redis has for each kind of range are available with their names,
/// too. In the complexities, n is the number of members and k the number of members in the range.
impl<L: Locks> Store<L> {
    /// ZRANGE: returns the members of a range. O(log n + k).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    pub fn zrange_by(&self, key: impl ToKey, range: &ZRange) -> Result<Vec<Bytes>> {
        self.read(key, |view, keys| {
            let Some(set) = zset_at(view, keys[0])? else { return Ok(Vec::new()) };
            let ranks = range.ranks(set);
            let mut members = ByteStrings::with_capacity(ranks.len());
            // A closure for both would receive each pair through memory.
            if range.rev {
                set.range(ranks).rev().for_each(|(member, _)| members.push(member.into()));
            } else {
                set.range(ranks).for_each(|(member, _)| members.push(member.into()));
            }
            Ok(members.finish())
        })
    }

    /// ZRANGE WITHSCORES: returns the members of a range and their scores. O(log n + k).
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

    /// ZRANGESTORE: stores a range of `source` at `destination`, replacing a value of any type; returns its number of
    /// members. An empty range removes the key. O(log n + k log k).
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
            // Accessed through the store, so that sinks receive the drop of an expired source too.
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

    /// ZREMRANGEBYRANK, -SCORE, -LEX: removes the members of a range; returns how many there were. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zremrange_by(&self, key: impl ToKey, range: &ZRange) -> Result<usize> {
        self.entry(key, |set: &mut ZSetEntry<'_>| Ok(set.remove_range(range)))
    }

    /// ZRANGE by rank: returns the members from `start` to `stop`, both included; negative ranks count from the end.
    /// O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrange(&self, key: impl ToKey, start: i64, stop: i64) -> Result<Vec<Bytes>> {
        self.zrange_by(key, &ZRange::by_rank(start, stop))
    }

    /// ZRANGE WITHSCORES by rank: returns the members and their scores. O(log n + k).
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

    /// ZREVRANGE: as [`zrange`](Self::zrange), with the highest score first. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrevrange(&self, key: impl ToKey, start: i64, stop: i64) -> Result<Vec<Bytes>> {
        self.zrange_by(key, &ZRange::by_rank(start, stop).rev())
    }

    /// ZREVRANGE WITHSCORES: as [`zrange_withscores`](Self::zrange_withscores), with the highest score first. O(log n +
    /// k).
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

    /// ZRANGEBYSCORE: returns the members with these scores. O(log n + k).
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

    /// ZRANGEBYSCORE WITHSCORES: returns the members with these scores, and their scores. O(log n + k).
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

    /// ZREVRANGEBYSCORE: returns the members with these scores, the highest first. O(log n + k).
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

    /// ZREVRANGEBYSCORE WITHSCORES: returns the members with these scores, and their scores, the highest first. O(log n
    /// + k).
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

    /// ZRANGEBYLEX: returns the members between these bounds, in a sorted set whose scores are all equal. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrangebylex(&self, key: impl ToKey, min: LexBound, max: LexBound) -> Result<Vec<Bytes>> {
        self.zrange_by(key, &ZRange::by_lex(min, max))
    }

    /// ZREVRANGEBYLEX: as [`zrangebylex`](Self::zrangebylex), in reverse order. O(log n + k).
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

    /// ZCOUNT: returns the number of members with these scores. O(log n).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zcount(&self, key: impl ToKey, scores: impl RangeBounds<f64>) -> Result<usize> {
        self.read(key, |view, keys| count(view, keys[0], &ZRange::by_score(scores)))
    }

    /// ZLEXCOUNT: returns the number of members between these bounds, in a sorted set whose scores are all equal. O(log
    /// n).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zlexcount(&self, key: impl ToKey, min: LexBound, max: LexBound) -> Result<usize> {
        self.read(key, |view, keys| count(view, keys[0], &ZRange::by_lex(min, max)))
    }

    /// ZREMRANGEBYRANK: removes the members at these ranks; returns how many there were. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zremrangebyrank(&self, key: impl ToKey, start: i64, stop: i64) -> Result<usize> {
        self.zremrange_by(key, &ZRange::by_rank(start, stop))
    }

    /// ZREMRANGEBYSCORE: removes the members with these scores; returns how many there were. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    pub fn zrembyscore(&self, key: impl ToKey, scores: impl RangeBounds<f64>) -> Result<usize> {
        self.zremrange_by(key, &ZRange::by_score(scores))
    }

    /// ZREMRANGEBYLEX: removes the members between these bounds; returns how many there were. O(log n + k).
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
