//! A range of a sorted set: by rank, by score, or by member.

use std::ops::{Bound, Range, RangeBounds};

use bytes::Bytes;
use skiplist_zset::{Encoding, ScoreText};

use crate::policy::EncodingPolicy;
use crate::profile::Profile;
use crate::text::range;
use crate::value::ZSet;

/// One end of a range by member.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LexBound {
    /// `-`: before every member.
    Min,
    /// `+`: after every member.
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
/// # use store as tallis;
/// use tallis::{Store, ZRange};
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ZRange {
    by: By,
    pub(super) rev: bool,
    limit: Option<(i64, i64)>,
    /// Whether a negative offset counts from the end, in a skip list.
    #[cfg_attr(feature = "serde", serde(skip))]
    from_end: bool,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum By {
    Rank(i64, i64),
    Score(Bound<f64>, Bound<f64>),
    Lex(LexBound, LexBound),
}

impl ZRange {
    /// Creates the range of the ranks from `start` to `stop`, both included. Negative ranks count from the end: -1 is
    /// the last member.
    pub const fn by_rank(start: i64, stop: i64) -> Self {
        Self { by: By::Rank(start, stop), rev: false, limit: None, from_end: false }
    }

    /// BYSCORE: creates the range of the members with these scores.
    pub fn by_score(scores: impl RangeBounds<f64>) -> Self {
        let by = By::Score(scores.start_bound().cloned(), scores.end_bound().cloned());
        Self { by, rev: false, limit: None, from_end: false }
    }

    /// BYLEX: creates the range of the members between these bounds, in a sorted set whose scores are all equal. If
    /// scores differ, the result is unspecified, as in Redis.
    pub const fn by_lex(min: LexBound, max: LexBound) -> Self {
        Self { by: By::Lex(min, max), rev: false, limit: None, from_end: false }
    }

    /// REV: reverses the order. The highest score is first, and has rank 0.
    pub const fn rev(mut self) -> Self {
        self.rev = true;
        self
    }

    /// LIMIT: skips `offset` members of the range and returns at most `count`, or all if `count` is negative. Ranges by
    /// rank ignore it.
    pub const fn limit(mut self, offset: i64, count: i64) -> Self {
        self.limit = Some((offset, count));
        self
    }

    /// LIMIT, with negative offsets as the servers of `profile` treat them.
    pub(super) const fn limit_in(mut self, offset: i64, count: i64, profile: Profile) -> Self {
        self.from_end = profile.offsets_from_end();
        self.limit(offset, count)
    }

    /// Returns the ranks of the range in `set`, counted from the lowest score.
    pub(super) fn ranks(&self, set: &ZSet) -> Range<usize> {
        let len = set.len();
        let ranks = match &self.by {
            By::Rank(start, stop) => {
                let ranks = range::span(*start, *stop, len);
                return if self.rev { len - ranks.end..len - ranks.start } else { ranks };
            }
            By::Score(min, max) => set.ranks_by_score((*min, *max)),
            By::Lex(min, max) => self.ranks_by_lex(set, min, max),
        };
        let Some((offset, count)) = self.limit else { return ranks };
        // In Redis a negative offset is beyond the last member.
        let offset = match usize::try_from(offset) {
            Ok(offset) => offset,
            Err(_) if self.from_end && set.encoding() == Encoding::SkipList => {
                let back = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
                ranks.len().checked_sub(back).unwrap_or(ranks.len())
            }
            Err(_) => usize::MAX,
        };
        let offset = offset.min(ranks.len());
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

    /// Changes negative zeros as ZRANGESTORE does: Redis adds the members one by one to a listpack, which does not
    /// preserve negative zero, until it exceeds a limit. If it knows beforehand that they are too many, it does not.
    pub(super) fn pass_through_listpack(
        &self,
        entries: &mut [(Bytes, f64)],
        policy: &EncodingPolicy<'_>,
    ) {
        let limits = policy.zset_limits();
        if matches!(self.by, By::Rank(..)) && entries.len() > limits.entries {
            return;
        }
        let fitting = entries.iter_mut().take(limits.entries);
        for (_, score) in fitting.take_while(|(member, _)| member.len() <= limits.value) {
            *score += 0.0;
        }
    }

    /// Returns the arguments of ZRANGESTORE for this range.
    pub(super) fn words(&self) -> Vec<Bytes> {
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
