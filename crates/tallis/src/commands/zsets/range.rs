//! Ranges of a sorted set: by rank, by score, by member.

use std::ops::{Bound, Range, RangeBounds};

use bytes::Bytes;
use skiplist_zset::{Entry, ScoreText};

use super::zset_at;
use crate::commands::gathered::Gathered;
use crate::error::Error;
use crate::key::HashedKey;
use crate::member::Member;
use crate::rules::Rules;
use crate::store::door::{Door, Scope, View};
use crate::value::{Value, ZSet};

/// One end of a range by member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LexBound {
    /// `-`: before every member.
    Min,
    /// `+`: behind every member.
    Max,
    /// `[member`.
    Included(Bytes),
    /// `(member`.
    Excluded(Bytes),
}

/// A range of a sorted set, as ZRANGE takes it.
///
/// # Examples
///
/// ```
/// use tallis::{Store, ZRange, prelude::*};
///
/// let store = Store::new();
/// store.zadd_multiple("z", [(1.0, "a"), (2.0, "b"), (3.0, "c"), (4.0, "d")])?;
/// assert_eq!(store.zrange_by("z", &ZRange::by_rank(1, -1))?, ["b", "c", "d"]);
/// assert_eq!(store.zrange_by("z", &ZRange::by_score(2.0..).rev().limit(1, 1))?, ["c"]);
/// assert_eq!(store.zrangestore("top", "z", &ZRange::by_score(..3.0))?, 2);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct ZRange {
    by: By,
    rev: bool,
    limit: Option<(i64, i64)>,
}

#[derive(Clone, Debug, PartialEq)]
enum By {
    Rank(i64, i64),
    Score(Bound<f64>, Bound<f64>),
    Lex(LexBound, LexBound),
}

impl ZRange {
    /// The ranks from `start` to `stop`, both included; negative ones count from the end, -1 being the last.
    pub const fn by_rank(start: i64, stop: i64) -> Self {
        Self { by: By::Rank(start, stop), rev: false, limit: None }
    }

    /// BYSCORE: the members with these scores.
    pub fn by_score(scores: impl RangeBounds<f64>) -> Self {
        let by = By::Score(scores.start_bound().cloned(), scores.end_bound().cloned());
        Self { by, rev: false, limit: None }
    }

    /// BYLEX: the members between these, of a sorted set whose scores are all equal. With different scores the answer is some
    /// run of members.
    pub const fn by_lex(min: LexBound, max: LexBound) -> Self {
        Self { by: By::Lex(min, max), rev: false, limit: None }
    }

    /// REV: the highest score first; ranks count from there too.
    pub const fn rev(mut self) -> Self {
        self.rev = true;
        self
    }

    /// LIMIT: passes over `offset` members of the range and takes at most `count`, all if it is negative. Not for ranks.
    pub const fn limit(mut self, offset: i64, count: i64) -> Self {
        self.limit = Some((offset, count));
        self
    }

    /// The ranks of the range in a set, lowest score first.
    pub(super) fn ranks(&self, set: &ZSet) -> Range<usize> {
        let len = set.len();
        let ranks = match &self.by {
            By::Rank(start, stop) => {
                let ranks = counted(*start, *stop, len);
                return if self.rev { len - ranks.end..len - ranks.start } else { ranks };
            }
            By::Score(min, max) => set.ranks_by_score((*min, *max)),
            By::Lex(min, max) => self.ranks_by_lex(set, min, max),
        };
        let Some((offset, count)) = self.limit else { return ranks };
        // An offset before the first member is behind the last, to Redis.
        let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(ranks.len());
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(ranks.len() - offset);
        if self.rev {
            let end = ranks.end - offset;
            end - count..end
        } else {
            let start = ranks.start + offset;
            start..start + count
        }
    }

    fn ranks_by_lex(&self, set: &ZSet, min: &LexBound, max: &LexBound) -> Range<usize> {
        let (Some(min), Some(max)) = (min.as_start(), max.as_end()) else { return 0..0 };
        if self.rev { set.ranks_by_lex_from_back(min, max) } else { set.ranks_by_lex(min, max) }
    }

    /// Redis adds the members one by one to a listpack, unless it knows beforehand that they are too many, and what has been in a
    /// listpack has no negative zero.
    fn pass_through_listpack(&self, entries: &mut [(Bytes, f64)], rules: &Rules<'_>) {
        let limits = rules.zset_limits();
        if matches!(self.by, By::Rank(..)) && entries.len() > limits.entries {
            return;
        }
        let fitting = entries.iter_mut().take(limits.entries);
        for (_, score) in fitting.take_while(|(member, _)| member.len() <= limits.value) {
            *score += 0.0;
        }
    }

    /// The words that ZRANGESTORE takes for it.
    fn words(&self) -> Vec<Bytes> {
        let (first, second, by) = match &self.by {
            By::Rank(start, stop) => (start.to_string().into(), stop.to_string().into(), None),
            By::Score(min, max) => (
                score_end(*min, f64::NEG_INFINITY),
                score_end(*max, f64::INFINITY),
                Some("BYSCORE"),
            ),
            By::Lex(min, max) => (min.word(), max.word(), Some("BYLEX")),
        };
        let swap = self.rev && by.is_some();
        let mut words = if swap { vec![second, first] } else { vec![first, second] };
        let options = [by, self.rev.then_some("REV")];
        words.extend(options.into_iter().flatten().map(|word| Bytes::from_static(word.as_bytes())));
        if let Some((offset, count)) = self.limit {
            let numbers = [offset, count].map(|number| number.to_string().into());
            words.push(Bytes::from_static(b"LIMIT"));
            words.extend(numbers);
        }
        words
    }
}

impl LexBound {
    fn as_start(&self) -> Option<Bound<&[u8]>> {
        match self {
            Self::Min => Some(Bound::Unbounded),
            Self::Max => None,
            Self::Included(member) => Some(Bound::Included(member)),
            Self::Excluded(member) => Some(Bound::Excluded(member)),
        }
    }

    fn as_end(&self) -> Option<Bound<&[u8]>> {
        match self {
            Self::Max => Some(Bound::Unbounded),
            Self::Min => None,
            Self::Included(member) => Some(Bound::Included(member)),
            Self::Excluded(member) => Some(Bound::Excluded(member)),
        }
    }

    fn word(&self) -> Bytes {
        match self {
            Self::Min => Bytes::from_static(b"-"),
            Self::Max => Bytes::from_static(b"+"),
            Self::Included(member) => [b"[", &member[..]].concat().into(),
            Self::Excluded(member) => [b"(", &member[..]].concat().into(),
        }
    }
}

fn score_end(end: Bound<f64>, unbounded: f64) -> Bytes {
    let (open, score) = match end {
        Bound::Included(score) => (false, score),
        Bound::Excluded(score) => (true, score),
        Bound::Unbounded => (false, unbounded),
    };
    let mut text = if open { vec![b'('] } else { Vec::new() };
    ScoreText::Shortest.push(score, &mut text);
    text.into()
}

/// The places that two indexes say, of which negative ones count from the end.
fn counted(start: i64, stop: i64, len: usize) -> Range<usize> {
    let place = |index: i64| match usize::try_from(index) {
        Ok(place) => Some(place),
        Err(_) => len.checked_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX)),
    };
    let start = place(start).unwrap_or(0).min(len);
    let end = place(stop).map_or(0, |stop| stop.saturating_add(1).min(len));
    start..end.max(start)
}

/// Members with their scores, as they are handed out.
pub(super) fn gather<'a>(entries: impl IntoIterator<Item = (Entry<'a>, f64)>) -> Vec<(Bytes, f64)> {
    let entries = entries.into_iter();
    let mut scores = Vec::with_capacity(entries.size_hint().0);
    let mut members = Gathered::with_capacity(entries.size_hint().0);
    for (member, score) in entries {
        members.push(member.into());
        scores.push(score);
    }
    members.finish().into_iter().zip(scores).collect()
}

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

/// Puts members at a key, whatever was there, in the form that they ask for; returns how many they are. None are no key.
pub(crate) fn put<M: AsRef<[u8]>>(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    entries: Vec<(M, f64)>,
    effect: impl FnOnce() -> Vec<Bytes>,
) -> Result<usize, Error> {
    let rules = scope.rules();
    let count = entries.len();
    let built = ZSet::skip_list(entries, rules.hasher.clone());
    let mut set = built.map_err(|error| {
        Error::new(crate::error::ErrorKind::InvalidArgument, format!("ERR {error}"))
    })?;
    rules.fit_zset(&mut set);
    scope.change(key, |slot| {
        if count == 0 {
            if slot.remove() {
                slot.changed("DEL", Vec::new);
            }
            return;
        }
        slot.put(Value::ZSet(set));
        slot.set_expiry(None);
        slot.touched();
    });
    if count > 0 {
        scope.note(effect);
    }
    Ok(count)
}
