//! Commands on ranges.

use std::ops::RangeBounds;

use bytes::Bytes;
use skiplist_zset::Entry;

use super::put::{gather, put};
use super::range::{LexBound, ZRange};
use super::zset_at;
use crate::commands::gathered::Gathered;
use crate::error::Error;
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::door::{Door, Scope, View};

/// Commands on ranges of sorted sets.
///
/// [`ZRange`] says which range; the commands that Redis has for each kind of it are here by their names too. n members, of which k are
/// handed out.
pub trait ZSetRangeCommands: Door {
    /// ZRANGE: the members of a range. O(log n + k).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set, as for all of these.
    fn zrange_by(&self, key: impl AsRef<[u8]>, range: &ZRange) -> Result<Vec<Bytes>, Error> {
        self.read(&[key.as_ref()], |view, keys| {
            let Some(set) = zset_at(view, keys[0])? else { return Ok(Vec::new()) };
            let ranks = range.ranks(set);
            let mut members = Gathered::with_capacity(ranks.len());
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
    fn zrange_by_withscores(
        &self,
        key: impl AsRef<[u8]>,
        range: &ZRange,
    ) -> Result<Vec<(Bytes, f64)>, Error> {
        self.read(&[key.as_ref()], |view, keys| ranged(view, keys[0], range))
    }

    /// ZRANGESTORE: puts a range of `source` at `destination`, whatever was there; returns how many members that are. An
    /// empty range is no key. O(log n + k log k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by), for the source.
    fn zrangestore(
        &self,
        destination: impl AsRef<[u8]>,
        source: impl AsRef<[u8]>,
        range: &ZRange,
    ) -> Result<usize, Error> {
        self.write(&[destination.as_ref(), source.as_ref()], |scope, keys| {
            let [destination, source] = *keys else { return Ok(0) };
            // Through the door, so that a source that has expired is dropped for the sinks too.
            scope.change(source, |_| ());
            let mut entries = ranged(&scope.view(), source, range)?;
            range.pass_through_listpack(&mut entries, &scope.rules());
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
    fn zremrange_by(&self, key: impl AsRef<[u8]>, range: &ZRange) -> Result<usize, Error> {
        self.write(&[key.as_ref()], |scope, keys| remove(scope, keys[0], range))
    }

    /// ZRANGE by rank: `start` to `stop`, both included; negative ones count from the end. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    fn zrange(&self, key: impl AsRef<[u8]>, start: i64, stop: i64) -> Result<Vec<Bytes>, Error> {
        self.zrange_by(key, &ZRange::by_rank(start, stop))
    }

    /// ZRANGE WITHSCORES by rank. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    fn zrange_withscores(
        &self,
        key: impl AsRef<[u8]>,
        start: i64,
        stop: i64,
    ) -> Result<Vec<(Bytes, f64)>, Error> {
        self.zrange_by_withscores(key, &ZRange::by_rank(start, stop))
    }

    /// ZREVRANGE: as [`zrange`](Self::zrange), the highest score first. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    fn zrevrange(&self, key: impl AsRef<[u8]>, start: i64, stop: i64) -> Result<Vec<Bytes>, Error> {
        self.zrange_by(key, &ZRange::by_rank(start, stop).rev())
    }

    /// ZREVRANGE WITHSCORES. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    fn zrevrange_withscores(
        &self,
        key: impl AsRef<[u8]>,
        start: i64,
        stop: i64,
    ) -> Result<Vec<(Bytes, f64)>, Error> {
        self.zrange_by_withscores(key, &ZRange::by_rank(start, stop).rev())
    }

    /// ZRANGEBYSCORE: the members with these scores. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    fn zrangebyscore(
        &self,
        key: impl AsRef<[u8]>,
        scores: impl RangeBounds<f64>,
    ) -> Result<Vec<Bytes>, Error> {
        self.zrange_by(key, &ZRange::by_score(scores))
    }

    /// ZRANGEBYSCORE WITHSCORES. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    fn zrangebyscore_withscores(
        &self,
        key: impl AsRef<[u8]>,
        scores: impl RangeBounds<f64>,
    ) -> Result<Vec<(Bytes, f64)>, Error> {
        self.zrange_by_withscores(key, &ZRange::by_score(scores))
    }

    /// ZREVRANGEBYSCORE: the members with these scores, the highest first. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    fn zrevrangebyscore(
        &self,
        key: impl AsRef<[u8]>,
        scores: impl RangeBounds<f64>,
    ) -> Result<Vec<Bytes>, Error> {
        self.zrange_by(key, &ZRange::by_score(scores).rev())
    }

    /// ZREVRANGEBYSCORE WITHSCORES. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    fn zrevrangebyscore_withscores(
        &self,
        key: impl AsRef<[u8]>,
        scores: impl RangeBounds<f64>,
    ) -> Result<Vec<(Bytes, f64)>, Error> {
        self.zrange_by_withscores(key, &ZRange::by_score(scores).rev())
    }

    /// ZRANGEBYLEX: the members between these, of a sorted set whose scores are all equal. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    fn zrangebylex(
        &self,
        key: impl AsRef<[u8]>,
        min: LexBound,
        max: LexBound,
    ) -> Result<Vec<Bytes>, Error> {
        self.zrange_by(key, &ZRange::by_lex(min, max))
    }

    /// ZREVRANGEBYLEX: as [`zrangebylex`](Self::zrangebylex), backwards. O(log n + k).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    fn zrevrangebylex(
        &self,
        key: impl AsRef<[u8]>,
        max: LexBound,
        min: LexBound,
    ) -> Result<Vec<Bytes>, Error> {
        self.zrange_by(key, &ZRange::by_lex(min, max).rev())
    }

    /// ZCOUNT: how many members have these scores. O(log n).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    fn zcount(&self, key: impl AsRef<[u8]>, scores: impl RangeBounds<f64>) -> Result<usize, Error> {
        self.read(&[key.as_ref()], |view, keys| count(view, keys[0], &ZRange::by_score(scores)))
    }

    /// ZLEXCOUNT: how many members are between these, of a sorted set whose scores are all equal. O(log n).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    fn zlexcount(
        &self,
        key: impl AsRef<[u8]>,
        min: LexBound,
        max: LexBound,
    ) -> Result<usize, Error> {
        self.read(&[key.as_ref()], |view, keys| count(view, keys[0], &ZRange::by_lex(min, max)))
    }

    /// ZREMRANGEBYRANK. O(log n + k log n).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    fn zremrangebyrank(
        &self,
        key: impl AsRef<[u8]>,
        start: i64,
        stop: i64,
    ) -> Result<usize, Error> {
        self.zremrange_by(key, &ZRange::by_rank(start, stop))
    }

    /// ZREMRANGEBYSCORE. O(log n + k log n).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    fn zrembyscore(
        &self,
        key: impl AsRef<[u8]>,
        scores: impl RangeBounds<f64>,
    ) -> Result<usize, Error> {
        self.zremrange_by(key, &ZRange::by_score(scores))
    }

    /// ZREMRANGEBYLEX. O(log n + k log n).
    ///
    /// # Errors
    ///
    /// As [`zrange_by`](Self::zrange_by).
    fn zrembylex(
        &self,
        key: impl AsRef<[u8]>,
        min: LexBound,
        max: LexBound,
    ) -> Result<usize, Error> {
        self.zremrange_by(key, &ZRange::by_lex(min, max))
    }
}

impl<D: Door> ZSetRangeCommands for D {}

fn ranged(view: &View<'_>, key: HashedKey<'_>, range: &ZRange) -> Result<Vec<(Bytes, f64)>, Error> {
    let Some(set) = zset_at(view, key)? else { return Ok(Vec::new()) };
    let ranks = range.ranks(set);
    Ok(if range.rev { gather(set.range(ranks).rev()) } else { gather(set.range(ranks)) })
}

fn count(view: &View<'_>, key: HashedKey<'_>, range: &ZRange) -> Result<usize, Error> {
    Ok(zset_at(view, key)?.map_or(0, |set| range.ranks(set).len()))
}

fn remove(scope: &mut Scope<'_>, key: HashedKey<'_>, range: &ZRange) -> Result<usize, Error> {
    scope.change(key, |slot| {
        let Some(value) = slot.value_mut() else { return Ok(0) };
        let set = value.as_zset_mut().ok_or_else(Error::wrong_type)?;
        let ranks = range.ranks(set);
        let removed = set.remove_range(ranks.clone());
        if set.is_empty() {
            slot.remove();
        }
        if removed > 0 {
            // By rank, whatever the range was: there is nothing to find again.
            slot.changed("ZREMRANGEBYRANK", || {
                [ranks.start, ranks.end - 1].map(|rank| rank.to_string().into()).to_vec()
            });
        }
        Ok(removed)
    })
}
