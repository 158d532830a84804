//! Counting unique visitors exactly: Redis in Action, section 9.2.2.

use std::collections::HashMap;
use std::fmt;

use bytes::Bytes;
use parking_lot::RwLock;

use super::bucket::Bucket;
use super::session_id::SessionIds;
use super::shard::{set_shard, shard_count};
use super::sharded_set::{SetSteps, ShardKey, push_shard};
use crate::commands::{KeyCommands, StringCommands, add_members, increment};
use crate::error::{Error, ErrorKind};
use crate::member::Member;
use crate::store::Store;
use crate::store::door::Door;
use crate::value::parse_int;

/// What every key of the recipe begins with.
const PREFIX: &str = "unique:";

/// The most members that a shard should have: the book's size, which is also where an intset ends.
const SHARD_SIZE: u64 = 512;

/// The forecast's guess at yesterday when nobody counted it: the book's.
const DEFAULT_YESTERDAY: u64 = 1_000_000;

/// The steps that [`Visitors`] needs, each atomic.
pub trait VisitorSteps: SetSteps {
    /// SADD of `member` to the set and, if it was new, INCR of the counter: whether it was new. Both or neither, and
    /// nobody sees the one without the other.
    ///
    /// # Errors
    ///
    /// Whatever the commands answer.
    fn add_then_count(&self, set: &[u8], member: Member<'_>, counter: &[u8])
    -> Result<bool, Error>;

    /// GET.
    ///
    /// # Errors
    ///
    /// Whatever GET answers.
    fn value(&self, key: &[u8]) -> Result<Option<Bytes>, Error>;

    /// SETNX: whether it was set.
    ///
    /// # Errors
    ///
    /// Whatever SETNX answers.
    fn set_once(&self, key: &[u8], value: &str) -> Result<bool, Error>;
}

impl VisitorSteps for Store {
    #[inline]
    fn add_then_count(
        &self,
        set: &[u8],
        member: Member<'_>,
        counter: &[u8],
    ) -> Result<bool, Error> {
        self.write(&[set, counter], |scope, keys| {
            let new = add_members(scope, keys[0], &[member])? == 1;
            if new {
                increment(scope, keys[1], 1)?;
            }
            Ok(new)
        })
    }

    fn value(&self, key: &[u8]) -> Result<Option<Bytes>, Error> {
        self.get(key)
    }

    fn set_once(&self, key: &[u8], value: &str) -> Result<bool, Error> {
        self.set_nx(key, value)
    }
}

/// How many visitors to prepare for after a day of `yesterday`: `2 ^ ceil(log2(1.5 * yesterday))`, at least half as
/// many again, rounded up to a power of two. 1 for 0. Exact for every count.
///
/// # Examples
///
/// ```
/// use tallis::forecast;
///
/// assert_eq!(forecast(1000), 2048);
/// assert_eq!(forecast(1_000_000), 2_097_152);
/// assert_eq!(forecast(0), 1);
/// ```
#[must_use]
pub fn forecast(yesterday: u64) -> u128 {
    (u128::from(yesterday) * 3).div_ceil(2).next_power_of_two()
}

/// Counts unique visitors exactly, in sharded sets of whole numbers: about nine bytes a visitor.
///
/// For the bucket `2015-05-17` it keeps, as the book's Python does,
///
/// * `unique:2015-05-17`: how many there were,
/// * `unique:2015-05-17:expected`: how many were expected, written once (see [`forecast`]), from the count of the day
///   before or from 1,000,000,
/// * `unique:2015-05-17:<shard>`: their numbers (see [`SessionIds`]), in `2 * expected / 512` intsets.
///
/// Both sides can work on the same data. A visit is one atomic step, under any number of callers. A handle remembers
/// the forecasts that it has read; clone the store, not the handle, if keys are deleted from under it.
///
/// # Examples
///
/// ```
/// use jiff::civil::date;
/// use tallis::{Store, Visitors};
///
/// let visitors = Visitors::new(Store::new());
/// let today = date(2015, 5, 17);
/// assert!(visitors.count_visit("b9e9b9c8-2d2e-4f4b-9a2b-1f6f2d1f0a77", today)?);
/// assert!(!visitors.count_visit("b9e9b9c8-2d2e-4f4b-9a2b-1f6f2d1f0a77", today)?);
/// assert_eq!(visitors.count(today)?, 1);
/// # Ok::<(), tallis::Error>(())
/// ```
pub struct Visitors<S = Store> {
    steps: S,
    ids: SessionIds,
    default_yesterday: u64,
    /// The buckets that this handle has met.
    known: RwLock<HashMap<Bucket, Plan, ahash::RandomState>>,
}

/// Where the visits of a bucket go: its keys are made once.
#[derive(Clone, Debug)]
struct Plan {
    /// `unique:BUCKET:`, which is the counter's key but for its last byte.
    base: ShardKey,
    shards: u64,
}

impl Plan {
    fn new(bucket: Bucket, expected: u128) -> Self {
        Self { base: shard_base(bucket), shards: shard_count(expected, SHARD_SIZE) }
    }

    #[inline]
    fn count_id(&self, steps: &impl VisitorSteps, id: i64) -> Result<bool, Error> {
        let member = Member::Int(id);
        // Not `clone`, which copies byte by byte.
        let mut key = ShardKey::from_slice(&self.base);
        push_shard(&mut key, set_shard(member, self.shards));
        let counter = &self.base[..self.base.len() - 1];
        steps.add_then_count(&key, member, counter)
    }
}

impl<S: VisitorSteps> Visitors<S> {
    /// Counts into that store.
    #[must_use]
    pub fn new(steps: S) -> Self {
        Self {
            steps,
            ids: SessionIds::First15,
            default_yesterday: DEFAULT_YESTERDAY,
            known: RwLock::default(),
        }
    }

    /// Replaces the 1,000,000 that a bucket is forecast from when the one before it was not counted.
    #[must_use]
    pub fn default_yesterday(mut self, count: u64) -> Self {
        self.default_yesterday = count;
        self
    }

    /// Chooses how session ids become numbers. Default: the book's 15 digits.
    #[must_use]
    pub fn session_ids(mut self, ids: SessionIds) -> Self {
        self.ids = ids;
        self
    }

    /// Counts a visit; `true` if it is the visitor's first of that bucket.
    ///
    /// # Errors
    ///
    /// A session id without hexadecimal digits ([`ErrorKind::InvalidArgument`]), or a key of the recipe that holds
    /// something else ([`ErrorKind::WrongType`], [`ErrorKind::NotInteger`]).
    #[inline]
    pub fn count_visit(
        &self,
        session: impl AsRef<[u8]>,
        bucket: impl Into<Bucket>,
    ) -> Result<bool, Error> {
        self.count_id(self.ids.id(session)?, bucket)
    }

    /// Counts a visit of the visitor with that number: any of the 64 bits of an `i64`.
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    #[inline]
    pub fn count_id(&self, id: i64, bucket: impl Into<Bucket>) -> Result<bool, Error> {
        let bucket = bucket.into();
        if let Some(plan) = self.known.read().get(&bucket) {
            return plan.count_id(&self.steps, id);
        }
        self.meet(bucket)?.count_id(&self.steps, id)
    }

    /// A handle on one bucket, for many visits to it.
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    pub fn bucket(&self, bucket: impl Into<Bucket>) -> Result<VisitorsIn<'_, S>, Error> {
        let bucket = bucket.into();
        let known = self.known.read().get(&bucket).cloned();
        Ok(VisitorsIn { visitors: self, plan: known.map_or_else(|| self.meet(bucket), Ok)? })
    }

    /// How many unique visitors the bucket has. O(1).
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    pub fn count(&self, bucket: impl Into<Bucket>) -> Result<u64, Error> {
        Ok(self.number(&counter_key(bucket.into()))?.unwrap_or(0))
    }

    /// How many unique visitors the buckets have together: a visitor of several counts once. O(n log n) for the n
    /// visitors of all of them, and 8 bytes for each.
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    ///
    /// # Examples
    ///
    /// ```
    /// use jiff::civil::date;
    /// use tallis::{Store, Visitors};
    ///
    /// let visitors = Visitors::new(Store::new());
    /// let (monday, tuesday) = (date(2015, 5, 18), date(2015, 5, 19));
    /// visitors.count_id(1, monday)?;
    /// visitors.count_id(2, monday)?;
    /// visitors.count_id(2, tuesday)?;
    /// assert_eq!(visitors.count_union([monday, tuesday])?, 2);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn count_union<B: Into<Bucket>>(
        &self,
        buckets: impl IntoIterator<Item = B>,
    ) -> Result<u64, Error> {
        let mut all = Vec::new();
        for bucket in buckets {
            all.extend(self.ids(bucket)?);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all.len() as u64)
    }

    /// The numbers of the bucket's visitors, in no order. O(visitors).
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    pub fn ids(&self, bucket: impl Into<Bucket>) -> Result<Vec<i64>, Error> {
        let mut ids = Vec::new();
        for key in self.bucket_shards(bucket.into())? {
            for member in self.steps.members(&key)? {
                ids.push(parse_int(&member).ok_or_else(Error::not_integer)?);
            }
        }
        Ok(ids)
    }

    /// The keys of a bucket's shards; none if nobody has counted into it.
    fn bucket_shards(&self, bucket: Bucket) -> Result<impl Iterator<Item = ShardKey>, Error> {
        let expected = self.number(&expected_key(bucket))?;
        let count = expected.map_or(0, |expected| shard_count(expected, SHARD_SIZE));
        let base = shard_base(bucket);
        Ok((0..count).map(move |shard| {
            let mut key = base.clone();
            push_shard(&mut key, shard);
            key
        }))
    }

    /// Finds the forecast of a bucket that this handle has not met, or makes it.
    #[cold]
    fn meet(&self, bucket: Bucket) -> Result<Plan, Error> {
        let key = expected_key(bucket);
        let expected = if let Some(expected) = self.number(&key)? {
            expected
        } else {
            let before = bucket.previous().map(|bucket| self.number(&counter_key(bucket)));
            let yesterday = before.transpose()?.flatten().unwrap_or(self.default_yesterday);
            let made = forecast(yesterday);
            if self.steps.set_once(key.as_bytes(), &made.to_string())? {
                made
            } else {
                // Someone else was first, and theirs stands.
                self.number(&key)?.unwrap_or(made)
            }
        };
        let plan = Plan::new(bucket, expected);
        self.known.write().insert(bucket, plan.clone());
        Ok(plan)
    }

    fn number<N: std::str::FromStr>(&self, key: &str) -> Result<Option<N>, Error> {
        let Some(text) = self.steps.value(key.as_bytes())? else { return Ok(None) };
        let number = std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
        number.map(Some).ok_or_else(|| {
            Error::new(ErrorKind::NotInteger, format!("ERR the value at '{key}' is not a count"))
        })
    }
}

impl Visitors<Store> {
    /// What the bucket's keys take in memory, in bytes (see [`KeyCommands::memory_usage`]). O(shards).
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    pub fn memory_usage(&self, bucket: impl Into<Bucket>) -> Result<usize, Error> {
        let bucket = bucket.into();
        let mut bytes = 0;
        for key in [counter_key(bucket), expected_key(bucket)] {
            bytes += self.steps.memory_usage(&key)?.unwrap_or(0);
        }
        for key in self.bucket_shards(bucket)? {
            bytes += self.steps.memory_usage(&key)?.unwrap_or(0);
        }
        Ok(bytes)
    }
}

impl<S: fmt::Debug> fmt::Debug for Visitors<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visitors")
            .field("steps", &self.steps)
            .field("ids", &self.ids)
            .field("default_yesterday", &self.default_yesterday)
            .finish_non_exhaustive()
    }
}

/// One bucket of [`Visitors`]: it is looked up once, for many visits.
#[derive(Debug)]
pub struct VisitorsIn<'v, S = Store> {
    visitors: &'v Visitors<S>,
    plan: Plan,
}

impl<S: VisitorSteps> VisitorsIn<'_, S> {
    /// Counts a visit; `true` if it is the visitor's first of this bucket.
    ///
    /// # Errors
    ///
    /// As [`Visitors::count_visit`].
    #[inline]
    pub fn count_visit(&self, session: impl AsRef<[u8]>) -> Result<bool, Error> {
        self.count_id(self.visitors.ids.id(session)?)
    }

    /// Counts a visit of the visitor with that number.
    ///
    /// # Errors
    ///
    /// As [`Visitors::count_visit`].
    #[inline]
    pub fn count_id(&self, id: i64) -> Result<bool, Error> {
        self.plan.count_id(&self.visitors.steps, id)
    }
}

fn counter_key(bucket: Bucket) -> String {
    format!("{PREFIX}{bucket}")
}

fn expected_key(bucket: Bucket) -> String {
    format!("{PREFIX}{bucket}:expected")
}

fn shard_base(bucket: Bucket) -> ShardKey {
    ShardKey::from_slice(format!("{PREFIX}{bucket}:").as_bytes())
}
