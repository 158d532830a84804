//! Counting unique visitors exactly: Redis in Action, section 9.2.2.

use std::collections::HashMap;
use std::fmt;

use parking_lot::RwLock;

use super::bucket::Bucket;
use super::session_id::SessionIds;
use super::shard::{set_shard, shard_count};
use super::sharded_set::{ShardForm, ShardKey, SplitSteps, Splitting, push_shard};
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
pub trait VisitorSteps: SplitSteps {
    /// SADD of `member` to the set and, if it was new, INCR of the counter: whether it was new. Both or neither, and
    /// nobody sees the one without the other.
    ///
    /// # Errors
    ///
    /// Whatever the commands answer.
    fn add_then_count(&self, set: &[u8], member: Member<'_>, counter: &[u8])
    -> Result<bool, Error>;

    /// SETNX, unless the key `unless` exists: whether it was set.
    ///
    /// # Errors
    ///
    /// Whatever the commands answer.
    fn set_once(&self, key: &[u8], value: &str, unless: &[u8]) -> Result<bool, Error>;
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

    fn set_once(&self, key: &[u8], value: &str, unless: &[u8]) -> Result<bool, Error> {
        self.transaction(
            [key, unless],
            |tx| Ok(tx.exists([unless])? == 0 && tx.set_nx(key, value)?),
        )
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
/// With [`ShardForm::Splitting`] it needs no forecast, and keeps
///
/// * `unique:2015-05-17`: how many there were,
/// * `unique:2015-05-17:shards`: how many shards there are, written with the first visit,
/// * `unique:2015-05-17:<shard>`: their numbers, in intsets that are split as they fill (see
///   [`ShardedSet::splitting`](super::ShardedSet::splitting)).
///
/// A bucket keeps the form in which it was begun, whatever form a handle has been given: that is for new ones.
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
    form: ShardForm,
    default_yesterday: u64,
    /// The buckets that this handle has met.
    known: RwLock<HashMap<Bucket, Plan, ahash::RandomState>>,
}

/// Where the visits of a bucket go: its keys are made once.
#[derive(Clone, Debug)]
enum Plan {
    Forecast(Fixed),
    Splitting(Splitting),
}

/// A bucket with a fixed number of shards.
#[derive(Clone, Debug)]
struct Fixed {
    /// `unique:BUCKET:`, which is the counter's key but for its last byte.
    base: ShardKey,
    shards: u64,
}

impl Plan {
    #[inline]
    fn count_id(&self, steps: &impl VisitorSteps, id: i64) -> Result<bool, Error> {
        match self {
            Self::Forecast(fixed) => fixed.count_id(steps, id),
            Self::Splitting(set) => set.add(steps, Member::Int(id)),
        }
    }
}

impl Fixed {
    fn new(bucket: Bucket, expected: u128) -> Self {
        Self { base: shard_base(bucket), shards: shard_count(expected, SHARD_SIZE) }
    }

    #[inline]
    fn count_id(&self, steps: &impl VisitorSteps, id: i64) -> Result<bool, Error> {
        let member = Member::Int(id);
        let key = self.shard(set_shard(member, self.shards));
        let counter = &self.base[..self.base.len() - 1];
        steps.add_then_count(&key, member, counter)
    }

    #[inline]
    fn shard(&self, number: u64) -> ShardKey {
        // Not `clone`, which copies byte by byte.
        let mut key = ShardKey::from_slice(&self.base);
        push_shard(&mut key, number);
        key
    }
}

impl<S: VisitorSteps> Visitors<S> {
    /// Counts into that store.
    #[must_use]
    pub fn new(steps: S) -> Self {
        Self {
            steps,
            ids: SessionIds::First15,
            form: ShardForm::Forecast,
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

    /// Chooses how the sets of new buckets are cut into shards. Default: the book's way, by a forecast.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{Bucket, ShardForm, Store, Visitors, prelude::*};
    ///
    /// let store = Store::new();
    /// let visitors = Visitors::new(store.clone()).form(ShardForm::Splitting);
    /// for id in 0..1000 {
    ///     visitors.count_id(id, Bucket::All)?;
    /// }
    /// assert_eq!(store.get("unique:all")?.as_deref(), Some(&b"1000"[..]));
    /// assert_eq!(store.get("unique:all:shards")?.as_deref(), Some(&b"5"[..]));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub const fn form(mut self, form: ShardForm) -> Self {
        self.form = form;
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
        let mut take = |member: &[u8]| {
            ids.push(parse_int(member).ok_or_else(Error::not_integer)?);
            Ok::<_, Error>(())
        };
        match self.plan_of(bucket.into())? {
            None => {}
            Some(Plan::Forecast(fixed)) => {
                for shard in 0..fixed.shards {
                    for member in self.steps.members(&fixed.shard(shard))? {
                        take(&member)?;
                    }
                }
            }
            Some(Plan::Splitting(set)) => {
                for member in set.members(&self.steps) {
                    take(&member?)?;
                }
            }
        }
        Ok(ids)
    }

    /// Where a bucket's visits go; `None` if nobody has counted into it.
    fn plan_of(&self, bucket: Bucket) -> Result<Option<Plan>, Error> {
        if let Some(expected) = self.number(&expected_key(bucket))? {
            return Ok(Some(Plan::Forecast(Fixed::new(bucket, expected))));
        }
        let set = splitting(bucket);
        let begun = self.steps.value(set.level_key())?.is_some();
        Ok(begun.then_some(Plan::Splitting(set)))
    }

    /// Finds the form of a bucket that this handle has not met, or gives it one.
    #[cold]
    fn meet(&self, bucket: Bucket) -> Result<Plan, Error> {
        let plan = loop {
            if let Some(plan) = self.plan_of(bucket)? {
                break plan;
            }
            // If someone else is first, theirs stands.
            self.begin(bucket)?;
        };
        self.known.write().insert(bucket, plan.clone());
        Ok(plan)
    }

    fn begin(&self, bucket: Bucket) -> Result<bool, Error> {
        let (expected, set) = (expected_key(bucket), splitting(bucket));
        match self.form {
            ShardForm::Forecast => {
                let before = bucket.previous().map(|bucket| self.number(&counter_key(bucket)));
                let yesterday = before.transpose()?.flatten().unwrap_or(self.default_yesterday);
                let made = forecast(yesterday).to_string();
                self.steps.set_once(expected.as_bytes(), &made, set.level_key())
            }
            ShardForm::Splitting => self.steps.set_once(set.level_key(), "1", expected.as_bytes()),
        }
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
        let take = |key: &[u8]| Ok(self.steps.memory_usage(key)?.unwrap_or(0));
        let shards = |count, shard: &dyn Fn(u64) -> ShardKey| {
            (0..count).map(|number| take(&shard(number))).sum::<Result<usize, Error>>()
        };
        let counter = take(counter_key(bucket).as_bytes())?;
        Ok(counter
            + match self.plan_of(bucket)? {
                None => 0,
                Some(Plan::Forecast(fixed)) => {
                    take(expected_key(bucket).as_bytes())?
                        + shards(fixed.shards, &|number| fixed.shard(number))?
                }
                Some(Plan::Splitting(set)) => {
                    take(set.level_key())?
                        + shards(set.look(&self.steps)?, &|number| set.shard(number))?
                }
            })
    }
}

impl<S: fmt::Debug> fmt::Debug for Visitors<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visitors")
            .field("steps", &self.steps)
            .field("ids", &self.ids)
            .field("form", &self.form)
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

fn splitting(bucket: Bucket) -> Splitting {
    Splitting::new(counter_key(bucket).as_bytes())
}

fn shard_base(bucket: Bucket) -> ShardKey {
    ShardKey::from_slice(format!("{PREFIX}{bucket}:").as_bytes())
}
