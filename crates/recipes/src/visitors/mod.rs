//! Counting unique visitors exactly: Redis in Action, section 9.2.2.

mod plan;
mod steps;

use std::collections::HashMap;
use std::fmt;

use parking_lot::RwLock;

use super::bucket::Bucket;
use super::session_id::SessionIds;
use super::sharded_set::{ShardForm, ShardKey, Spread};
use crate::commands::KeyCommands;
use crate::error::Error;
use crate::store::Store;
use crate::value::parse_int;
use plan::{Plan, bits_key, counter_key, expected_key, number, splitting};

pub use steps::VisitorSteps;

/// The forecast's guess at yesterday when nobody counted it: the book's.
const DEFAULT_YESTERDAY: u64 = 1_000_000;

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
/// With [`ShardForm::Compact`] an id takes less than six bytes where ids are spread evenly over their bits, as random ones and
/// UUIDs are, and a bucket has
///
/// * `unique:2015-05-17`, `unique:2015-05-17:shards` and `unique:2015-05-17:<shard>` as with splitting, but a shard has ids that share their high
///   bits (see [`ShardedSet::compact`](super::ShardedSet::compact)),
/// * `unique:2015-05-17:bits`: of how many bits the ids are, written with the first visit: 60, or 64 with
///   [`SessionIds::First16`].
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
    /// use tallis::{Bucket, ShardForm, Store, Visitors};
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
    /// A session id without hexadecimal digits ([`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument)), or a key of the recipe that holds
    /// something else ([`ErrorKind::WrongType`](crate::ErrorKind::WrongType),
    /// [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger)).
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
        Ok(number(&self.steps, &counter_key(bucket.into()), "count")?.unwrap_or(0))
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
        match Plan::find(&self.steps, bucket.into())? {
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

    /// Finds the form of a bucket that this handle has not met, or gives it one.
    #[cold]
    fn meet(&self, bucket: Bucket) -> Result<Plan, Error> {
        let plan = loop {
            if let Some(plan) = Plan::find(&self.steps, bucket)? {
                break plan;
            }
            // If someone else is first, theirs stands.
            self.begin(bucket)?;
        };
        self.known.write().insert(bucket, plan.clone());
        Ok(plan)
    }

    fn begin(&self, bucket: Bucket) -> Result<bool, Error> {
        let (expected, bits) = (expected_key(bucket), bits_key(bucket));
        let (expected, bits) = (expected.as_bytes(), bits.as_bytes());
        let set = splitting(bucket, Spread::Crc32);
        let level = set.level_key();
        match self.form {
            ShardForm::Forecast => {
                let before = bucket
                    .previous()
                    .map(|bucket| number(&self.steps, &counter_key(bucket), "count"));
                let yesterday = before.transpose()?.flatten().unwrap_or(self.default_yesterday);
                let made = forecast(yesterday).to_string();
                self.steps.set_once(expected, &made, &[level, bits])
            }
            ShardForm::Splitting => self.steps.set_once(level, "1", &[expected, bits]),
            ShardForm::Compact => {
                self.steps.set_once(bits, &self.ids.bits().to_string(), &[expected, level])
            }
        }
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
            + match Plan::find(&self.steps, bucket)? {
                None => 0,
                Some(Plan::Forecast(fixed)) => {
                    take(expected_key(bucket).as_bytes())?
                        + shards(fixed.shards, &|number| fixed.shard(number))?
                }
                Some(Plan::Splitting(set)) => {
                    take(set.level_key())?
                        + take(bits_key(bucket).as_bytes())?
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_begun_once_whoever_comes_between_the_look_and_the_step() {
        let forms = [ShardForm::Forecast, ShardForm::Splitting, ShardForm::Compact];
        for first in forms {
            for second in forms {
                let store = Store::new();
                let [first, second] =
                    [first, second].map(|form| Visitors::new(store.clone()).form(form));
                assert!(first.begin(Bucket::All).unwrap());
                assert!(!second.begin(Bucket::All).unwrap(), "{first:?} and {second:?}");
                assert!(second.count_id(1, Bucket::All).unwrap());
                assert!(!first.count_id(1, Bucket::All).unwrap());
            }
        }
    }
}
