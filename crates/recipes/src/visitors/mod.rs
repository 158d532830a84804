//! Counting unique visitors exactly: Redis in Action, section 9.2.2.

mod inspect;
mod plan;
mod procedures;
mod recent;

use std::fmt;
use std::sync::Arc;

use store::{Error, Store};

use crate::bucket::Bucket;
use crate::errors::invalid;
use crate::procedure::Backend;
use crate::session_id::SessionIds;
use crate::sharded_set::{ShardForm, Spread};
use plan::{MOST_EXPECTED, Plan, bits_key, counter_key, expected_key, number, splitting};
use procedures::begin;
use recent::Recent;

/// The forecast's guess at yesterday when it was not counted: the book's.
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

/// Counts unique visitors exactly, in sharded sets of integers: about nine bytes a visitor.
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
/// With [`ShardForm::Compact`] an id takes less than six bytes where ids are spread evenly over their bits, as random
/// ones and UUIDs are, and a bucket has
///
/// * `unique:2015-05-17`, `unique:2015-05-17:shards` and `unique:2015-05-17:<shard>` as with splitting, but a shard
///   has ids that share their high bits (see [`ShardedSet::compact`](super::ShardedSet::compact)),
/// * `unique:2015-05-17:bits`: of how many bits the ids are, written with the first visit: 60, or 64 with
///   [`SessionIds::First16`].
///
/// A bucket keeps the form in which it was begun, whatever form a handle has been given: that is for new ones.
///
/// The book's Python and this can work on the same data. A visit is one atomic step, under any number of callers; one
/// that is refused changes nothing. A handle remembers the forms and forecasts of the last few buckets that it has
/// counted into: make a new one if keys are deleted from under it. A clone is a handle of its own, which begins with
/// what this one remembers.
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
#[derive(Clone)]
pub struct Visitors<B = Store> {
    backend: B,
    ids: SessionIds,
    form: ShardForm,
    default_yesterday: u64,
    recent: Recent,
}

impl<B: Backend> Visitors<B> {
    /// Counts by way of that backend, such as a store.
    #[must_use]
    pub fn new(backend: B) -> Self {
        Self {
            backend,
            ids: SessionIds::First15,
            form: ShardForm::Forecast,
            default_yesterday: DEFAULT_YESTERDAY,
            recent: Recent::default(),
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

    /// Counts a visit; `true` if it is the visitor's first of that bucket. O(shard).
    ///
    /// # Errors
    ///
    /// A session id without hexadecimal digits ([`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument)), a
    /// key of the recipe that holds something else ([`ErrorKind::WrongType`](store::ErrorKind::WrongType),
    /// [`ErrorKind::NotInteger`](store::ErrorKind::NotInteger)), or, for the first visit of a bucket, a forecast of
    /// more than 2^40 visitors ([`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument)).
    #[inline]
    pub fn count_visit(
        &self,
        session: impl AsRef<[u8]>,
        bucket: impl Into<Bucket>,
    ) -> Result<bool, Error> {
        self.count_id(self.ids.id(session)?, bucket)
    }

    /// Counts a visit of the visitor with that number: any of the 64 bits of an `i64`. O(shard).
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    #[inline]
    pub fn count_id(&self, id: i64, bucket: impl Into<Bucket>) -> Result<bool, Error> {
        let bucket = bucket.into();
        match self.recent.with(bucket, |plan| plan.count_id(&self.backend, id)) {
            Some(counted) => counted,
            None => self.plan(bucket, Some(id))?.count_id(&self.backend, id),
        }
    }

    /// A handle on one bucket, for many visits to it.
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    pub fn bucket(&self, bucket: impl Into<Bucket>) -> Result<VisitorsIn<'_, B>, Error> {
        let bucket = bucket.into();
        let plan = match self.recent.with(bucket, Arc::clone) {
            Some(plan) => plan,
            None => self.plan(bucket, None)?,
        };
        Ok(VisitorsIn { visitors: self, plan })
    }

    /// How many unique visitors the bucket has. O(1).
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    pub fn count(&self, bucket: impl Into<Bucket>) -> Result<u64, Error> {
        Ok(number(&self.backend, &counter_key(bucket.into()), "count")?.unwrap_or(0))
    }

    /// Finds the form of a bucket that this handle does not remember, or gives it one, for a visit if there is one.
    #[cold]
    fn plan(&self, bucket: Bucket, visit: Option<i64>) -> Result<Arc<Plan>, Error> {
        let plan = loop {
            if let Some(plan) = Plan::find(&self.backend, bucket)? {
                break Arc::new(plan);
            }
            // If another client is first, its value stays.
            self.begin(bucket, visit)?;
        };
        self.recent.insert(bucket, &plan);
        Ok(plan)
    }

    fn begin(&self, bucket: Bucket, visit: Option<i64>) -> Result<bool, Error> {
        let [expected, bits, counter] = [expected_key, bits_key, counter_key].map(|of| of(bucket));
        let set = splitting(&self.backend, bucket, Spread::Crc32);
        let forms = [expected.as_bytes(), set.level_key(), bits.as_bytes()];
        let (form, value, plan) = match self.form {
            ShardForm::Forecast => {
                let made = self.expected(bucket)?;
                let plan = Plan::forecast(&self.backend, bucket, made);
                (forms[0], made.to_string(), plan)
            }
            ShardForm::Splitting => (forms[1], "1".to_owned(), Plan::Splitting(set.clone())),
            ShardForm::Compact => {
                let of = self.ids.bits();
                let set = splitting(&self.backend, bucket, Spread::HighBits { of });
                (forms[2], of.to_string(), Plan::Splitting(set))
            }
        };
        let shard = visit.map(|id| plan.first_shard(id));
        let visit = shard.as_ref().map(|shard| (counter.as_bytes(), &shard[..]));
        begin(&self.backend, form, &value, forms, visit)
    }

    /// How many visitors to expect of a bucket that is begun.
    fn expected(&self, bucket: Bucket) -> Result<u128, Error> {
        let before = bucket
            .previous()
            .map(|bucket| number(&self.backend, &counter_key(bucket), "count"))
            .transpose()?;
        let yesterday = before.flatten().unwrap_or(self.default_yesterday);
        let expected = forecast(yesterday);
        if expected > MOST_EXPECTED {
            return Err(invalid(format!(
                "ERR after {yesterday} visitors a forecast is above {MOST_EXPECTED}"
            )));
        }
        Ok(expected)
    }
}

impl<B: fmt::Debug> fmt::Debug for Visitors<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visitors")
            .field("backend", &self.backend)
            .field("ids", &self.ids)
            .field("form", &self.form)
            .field("default_yesterday", &self.default_yesterday)
            .finish_non_exhaustive()
    }
}

/// One bucket of [`Visitors`]: it is looked up once, for many visits.
#[derive(Clone, Debug)]
pub struct VisitorsIn<'v, B = Store> {
    visitors: &'v Visitors<B>,
    plan: Arc<Plan>,
}

impl<B: Backend> VisitorsIn<'_, B> {
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
        self.plan.count_id(&self.visitors.backend, id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_begun_once_whatever_comes_between_the_look_and_the_step() {
        let forms = [ShardForm::Forecast, ShardForm::Splitting, ShardForm::Compact];
        for first in forms {
            for second in forms {
                let store = Store::new();
                let [first, second] =
                    [first, second].map(|form| Visitors::new(store.clone()).form(form));
                assert!(first.begin(Bucket::All, Some(1)).unwrap());
                assert!(!second.begin(Bucket::All, None).unwrap(), "{first:?} and {second:?}");
                assert!(second.count_id(1, Bucket::All).unwrap());
                assert!(!first.count_id(1, Bucket::All).unwrap());
            }
        }
    }

    #[test]
    fn a_handle_remembers_a_few_buckets_and_counts_in_all() {
        let visitors = Visitors::new(Store::new()).default_yesterday(1);
        let days = || jiff::civil::date(2015, 1, 1).series(jiff::ToSpan::days(1)).take(100);
        for id in 0..3 {
            for day in days() {
                assert!(visitors.count_id(id, day).unwrap());
            }
        }
        assert_eq!(visitors.recent.len(), 16);
        let clone = visitors.clone();
        assert!(days().all(|day| clone.count(day).unwrap() == 3));
        assert!(!clone.count_id(1, jiff::civil::date(2015, 1, 1)).unwrap());
    }
}
