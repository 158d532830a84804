//! Counting unique visitors exactly: Redis in Action, section 9.2.2.

mod absorb;
mod begin;
#[cfg(all(test, feature = "redis"))]
mod beside;
mod counting;
mod form;
mod inspect;
mod keys;
mod looked_up;
mod plan;
mod procedures;
mod recent;
#[cfg(test)]
mod served;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use macros::blocking_and_async;
use store::{Error, Store};

use crate::backend::{AsyncBackend, Backend, BackendKind, Keyspace, batch};
use crate::bucket::Bucket;
use crate::kept::KeptUntil;
use crate::session_id::SessionIds;
pub use form::VisitorsForm;
use keys::{counter_key, expected_key, tagged_key};
pub use looked_up::VisitorsIn;
use plan::{Plan, expected, expected_async, number, number_async};
pub(crate) use procedures::SCRIPTS;
use recent::Recent;

/// How many visits are one step.
const BATCH: usize = 256;

/// The forecast's guess at yesterday when it was not counted: the book's.
const DEFAULT_YESTERDAY: u64 = 1_000_000;

/// How many visitors to prepare for after a day of `yesterday`: `2 ^ ceil(log2(1.5 * yesterday))`, at least half as
/// many again, rounded up to a power of two. 1 for 0. Exact for every count.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
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

/// Counts unique visitors exactly, in integers: six to nine bytes a visitor.
///
/// There are two ways to begin. [`new`](Self::new) takes any bytes as a visitor's id, hashes them to 60 bits, and keeps
/// these in sets that are split as they fill, without a forecast. [`book`](Self::book) is Redis in Action's
/// algorithm to the letter: the first 15 digits of a random session id, in a number of sets that a forecast fixes; the
/// book's Python and this can work on the same keys. [`SessionIds`] says how likely it is that two visitors meet.
///
/// What keys a bucket has is a matter of its [form](VisitorsForm):
///
/// * forecast: `unique:2015-05-17`, how many visitors there were; `unique:2015-05-17:expected`, how many were expected,
///   written once (see [`forecast`]) from the count of the day before or from 1,000,000; and
///   `unique:2015-05-17:<shard>`, their numbers, in `2 * expected / 512` intsets;
/// * tagged: the same for a Redis Cluster. `unique:2015-05-17:{<shard>}` has the numbers of a shard, and
///   `unique:2015-05-17:{<shard>}:count`, in the same slot, how many there are: a visit writes these two keys alone,
///   and the count is the sum of the shards' counts. `unique:2015-05-17:tagged` says how many visitors were expected;
/// * splitting: `unique:2015-05-17:shards`, how many shards there are, written with the first visit; and
///   `unique:2015-05-17:<shard>` (see [`ShardedSet::splitting`](super::ShardedSet::splitting)). A visit is one SADD,
///   and the count the sum of the shards' SCARD: there is no key that all visits write, so threads do not wait for
///   each other;
/// * compact: the same, but a shard has ids that share their high bits (see
///   [`ShardedSet::compact`](super::ShardedSet::compact)), and `unique:2015-05-17:bits`, of how many bits they are,
///   written with the first visit;
/// * bitmap: `unique:2015-05-17`, how many visitors there were, and `unique:2015-05-17:bitmap`, with the bit of each
///   number set.
///
/// A bucket keeps the form in which it was begun, whatever form a handle has been given: that is for new ones.
///
/// A visit is one atomic step, under any number of callers; one that is refused changes nothing. A handle and its
/// clones remember the forms and forecasts of the last few buckets that they have counted into: make a new one if keys
/// are deleted from under it.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::jiff::civil::date;
/// use tallis::{Store, Visitors};
///
/// let visitors = Visitors::new(Store::new());
/// let today = date(2015, 5, 17);
/// assert!(visitors.count_visit("alice@example.org", today)?);
/// assert!(!visitors.count_visit("alice@example.org", today)?);
/// assert_eq!(visitors.count(today)?, 1);
///
/// let visitors = Visitors::book(Store::new());
/// assert!(visitors.count_visit("b9e9b9c8-2d2e-4f4b-9a2b-1f6f2d1f0a77", today)?);
/// assert!(visitors.count_visit("alice@example.org", today).is_err());
/// # Ok::<(), tallis::Error>(())
/// ```
///
/// # Without blocking
///
/// Each call that asks the backend has an asynchronous form, whose name ends with `_async`, for an
/// [`AsyncBackend`](crate::AsyncBackend).
///
/// # On a server
///
/// [`on`](Self::on) takes a `Server` too, with the features `redis` and `redis2`: the same keys, in the forms forecast
/// (the default there), tagged and bitmap. The others are refused, with
/// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument): to split a shard takes several steps.
///
/// A visit is a script. Whoever sends the same from another language takes part; what its keys and arguments are stands
/// in its first lines. A shard's key is [`shard_key`](crate::shard_key)'s for `x` and the id.
///
#[doc = concat!("```lua\n", include_str!("add_and_count.lua"), "```")]
///
/// Of the form bitmap:
///
#[doc = concat!("```lua\n", include_str!("mark_and_count.lua"), "```")]
///
/// Many visits are one pipeline, ordered by shard. It has a script for 256 of them, in the form tagged for those of one shard:
///
#[doc = concat!("```lua\n", include_str!("add_all_and_count.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("mark_all_and_count.lua"), "```")]
///
/// The first visit of a bucket gives it a form:
///
#[doc = concat!("```lua\n", include_str!("begin.lua"), "```")]
///
/// Above them stands what they share:
///
#[doc = concat!("```lua\n", include_str!("../kept.lua"), include_str!("../counted.lua"), "```")]
///
/// On a cluster a step names keys of one slot. A visit of the form tagged is such a step. In the forms forecast and
/// bitmap the counter lies in another slot: the id is added first, by SADD or SETBIT, or by the first of these scripts
/// where buckets expire; then the counter grows by how many were new. That is **not one step**: who dies in between
/// leaves visitors that are in the set and not in the count. The bucket is begun by SETNX, or by the last of these;
/// handles that count into one bucket at the same time must ask for the same form.
///
#[doc = concat!("```lua\n", include_str!("add.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("mark.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("count.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("set.lua"), "```")]
///
/// After [`ErrorKind::Io`](store::ErrorKind::Io) a visit was counted or not. Counting it again is right: a visitor counts
/// once. But the reply may be `false` for the first visit then.
#[derive(Clone)]
pub struct Visitors<B = Store> {
    backend: B,
    ids: SessionIds,
    form: VisitorsForm,
    default_yesterday: u64,
    /// For how many milliseconds a bucket is kept after its end.
    kept_ms: Option<i64>,
    recent: Arc<Recent>,
}

impl<B: Keyspace> Visitors<B> {
    /// Counts visitors of any ids, which are hashed, in the form that suits the backend: on a store in sets that are
    /// split as they fill, on a server or a cluster in the book's, by a forecast.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{Bucket, Store, Visitors};
    ///
    /// let visitors = Visitors::on(Store::new());
    /// assert!(visitors.count_visit("alice", Bucket::All)?);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    ///
    /// The same on a server, with the feature `redis`:
    ///
    /// ```no_run
    /// # #[cfg(feature = "redis")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{Bucket, Server, Visitors};
    ///
    /// let connection = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
    /// let visitors = Visitors::on(Server::redis(connection));
    /// assert!(visitors.count_visit("alice", Bucket::All)?);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "redis"))]
    /// # fn main() {}
    /// ```
    #[must_use]
    pub fn on(backend: B) -> Self {
        let form = match backend.kind() {
            BackendKind::Store => VisitorsForm::Splitting,
            BackendKind::Server | BackendKind::Cluster => VisitorsForm::Forecast,
        };
        Self::of(backend, SessionIds::Hashed, form)
    }

    /// Counts visitors of any ids, which are hashed, in sets that are split as they fill: a form for a store. See
    /// [`on`](Self::on) for other backends.
    #[must_use]
    pub fn new(backend: B) -> Self {
        Self::of(backend, SessionIds::Hashed, VisitorsForm::Splitting)
    }

    /// Counts visitors as Redis in Action does: by the first 15 hexadecimal digits of their session ids, in sets whose
    /// number a forecast fixes.
    #[must_use]
    pub fn book(backend: B) -> Self {
        Self::of(backend, SessionIds::First15, VisitorsForm::Forecast)
    }

    fn of(backend: B, ids: SessionIds, form: VisitorsForm) -> Self {
        Self {
            backend,
            ids,
            form,
            default_yesterday: DEFAULT_YESTERDAY,
            kept_ms: None,
            recent: Arc::default(),
        }
    }

    /// Replaces the 1,000,000 that a bucket is forecast from when the one before it was not counted.
    #[must_use]
    pub fn default_yesterday(mut self, count: u64) -> Self {
        self.default_yesterday = count;
        self.forgetful()
    }

    /// Chooses how session ids become numbers.
    #[must_use]
    pub fn session_ids(mut self, ids: SessionIds) -> Self {
        self.ids = ids;
        self.forgetful()
    }

    /// Chooses in what the numbers of new buckets are kept. With [`VisitorsForm::Bitmap`] session ids are numbers in
    /// decimal.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{Bucket, Store, Visitors, VisitorsForm};
    ///
    /// let store = Store::new();
    /// let visitors = Visitors::new(store.clone()).form(VisitorsForm::Bitmap);
    /// for id in 0..1000 {
    ///     visitors.count_visit(format!("{id}"), Bucket::All)?;
    /// }
    /// assert_eq!(store.get_as::<u64>("unique:all")?, 1000);
    /// assert_eq!(store.strlen("unique:all:bitmap")?, 125);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn form(mut self, form: VisitorsForm) -> Self {
        self.form = form;
        if form == VisitorsForm::Bitmap {
            self.ids = SessionIds::Decimal;
        }
        self.forgetful()
    }

    /// Keeps buckets so long after their end in UTC, to the millisecond, rounded up; without this for ever.
    /// [`Bucket::All`] is always kept.
    ///
    /// The keys of a bucket expire together. All handles that count into it must keep it as long.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use std::time::Duration;
    ///
    /// use tallis::jiff::civil::date;
    /// use tallis::{ErrorKind, Store, Visitors};
    ///
    /// let visitors = Visitors::new(Store::new()).keep(Duration::from_secs(30 * 86_400));
    /// let refused = visitors.count_visit("alice", date(2015, 5, 17)).unwrap_err();
    /// assert_eq!(refused.kind(), ErrorKind::NotKept);
    /// ```
    #[must_use]
    pub fn keep(mut self, time: Duration) -> Self {
        let ms = time.as_nanos().div_ceil(1_000_000);
        self.kept_ms = Some(i64::try_from(ms).unwrap_or(i64::MAX));
        self.forgetful()
    }

    /// The same handle, which remembers nothing: what it remembers goes by how it was made.
    fn forgetful(mut self) -> Self {
        self.recent = Arc::default();
        self
    }

    /// Until when a bucket is kept.
    fn kept_until(&self, bucket: Bucket) -> KeptUntil {
        let until = |kept: i64| Some(bucket.end_ms()?.saturating_add(kept));
        KeptUntil(self.kept_ms.and_then(until))
    }
}

#[blocking_and_async]
impl<B: Backend> Visitors<B> {
    /// Counts a visit; `true` if it is the visitor's first of that bucket. O(shard).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a session id that is not as
    /// [`SessionIds`] asks for, for a number that a bitmap does not take, and, for the first visit of a bucket, for a
    /// forecast of more than 2^40 visitors; [`ErrorKind::NotKept`](store::ErrorKind::NotKept) if the bucket is not
    /// [kept](Self::keep) any more; [`ErrorKind::WrongType`](store::ErrorKind::WrongType) and
    /// [`ErrorKind::NotInteger`](store::ErrorKind::NotInteger) if a key of the recipe holds something else.
    #[inline]
    pub async fn count_visit(
        &self,
        session: impl AsRef<[u8]>,
        bucket: impl Into<Bucket>,
    ) -> Result<bool, Error> {
        self.count_id(self.ids.id(session)?, bucket).await
    }

    /// Counts a visit of the visitor with that number: any of the 64 bits of an `i64`. O(shard).
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    #[inline]
    pub async fn count_id(&self, id: i64, bucket: impl Into<Bucket>) -> Result<bool, Error> {
        let bucket = bucket.into();
        match self.recent.find(bucket) {
            Some(plan) => plan.count_id(&self.backend, id).await,
            None => self.plan(bucket, Some(id)).await?.count_id(&self.backend, id).await,
        }
    }

    /// Counts visits; returns how many of them are the first of their visitors in that bucket. O(shard) a visit; up
    /// to 256 of them share locks, and where there is one counter for all, count once. On a server the visits of a shard are
    /// one SADD: many at once cost a fraction of what they cost one by one.
    ///
    /// Each visit is atomic, all together are not: what other threads do may come between.
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit). A session id or a number that is refused is, before any is counted of the 256
    /// that it is among; of other errors one is returned, and other visits may have been counted.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{Bucket, Store, Visitors};
    ///
    /// let visitors = Visitors::new(Store::new());
    /// assert_eq!(visitors.count_visits(["alice", "bob", "alice"], Bucket::All)?, 2);
    /// assert_eq!(visitors.count_visits(["bob", "carol"], Bucket::All)?, 1);
    /// assert_eq!(visitors.count(Bucket::All)?, 3);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub async fn count_visits(
        &self,
        sessions: impl IntoIterator<Item: AsRef<[u8]>>,
        bucket: impl Into<Bucket>,
    ) -> Result<u64, Error> {
        let bucket = bucket.into();
        self.in_batches(sessions, |session| self.ids.id(session), bucket).await
    }

    /// Counts visits of the visitors with these numbers, as [`count_visits`](Self::count_visits) does.
    ///
    /// # Errors
    ///
    /// As [`count_visits`](Self::count_visits).
    pub async fn count_ids(
        &self,
        ids: impl IntoIterator<Item = i64>,
        bucket: impl Into<Bucket>,
    ) -> Result<u64, Error> {
        self.in_batches(ids, Ok, bucket.into()).await
    }

    async fn in_batches<T>(
        &self,
        visits: impl IntoIterator<Item = T>,
        id: impl Fn(T) -> Result<i64, Error>,
        bucket: Bucket,
    ) -> Result<u64, Error> {
        let (mut visits, mut new) = (visits.into_iter(), 0);
        let mut ids = Vec::new();
        loop {
            ids.clear();
            for visit in visits.by_ref().take(batch(&self.backend)) {
                ids.push(id(visit)?);
            }
            let Some(&first) = ids.first() else { return Ok(new) };
            let counted = if let Some(plan) = self.recent.find(bucket) {
                plan.count_ids(&self.backend, &ids).await?
            } else {
                let plan = self.plan(bucket, Some(first)).await?;
                plan.count_ids(&self.backend, &ids).await?
            };
            // A server may reply with any number.
            new = u64::saturating_add(new, counted);
        }
    }

    /// A handle on one bucket, for many visits to it.
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    pub async fn bucket(&self, bucket: impl Into<Bucket>) -> Result<VisitorsIn<'_, B>, Error> {
        let bucket = bucket.into();
        let plan = match self.recent.find(bucket) {
            Some(plan) => Arc::clone(&plan),
            None => self.plan(bucket, None).await?,
        };
        Ok(VisitorsIn { visitors: self, plan })
    }

    /// How many unique visitors the bucket has. O(1) in the forms forecast and bitmap; O(shards) in the others, where
    /// visits that are counted meanwhile may be among them or not.
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    pub async fn count(&self, bucket: impl Into<Bucket>) -> Result<u64, Error> {
        let bucket = bucket.into();
        if let Some(plan) = self.recent.find(bucket) {
            return plan.count(&self.backend).await;
        }
        match Plan::find(&self.backend, bucket, KeptUntil::default()).await? {
            Some(plan) => plan.count(&self.backend).await,
            // A client may count as the book does, with a form of its own.
            None => Ok(number(&self.backend, &counter_key(bucket), "count").await?.unwrap_or(0)),
        }
    }

    /// How many visitors a bucket is made for: what was forecast when it was begun, or what would be now; `None` if it
    /// needs no forecast. O(1).
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::civil::date;
    /// use tallis::{Store, Visitors};
    ///
    /// let visitors = Visitors::book(Store::new()).default_yesterday(1000);
    /// let (monday, tuesday) = (date(2015, 5, 18), date(2015, 5, 19));
    /// visitors.count_id(1, monday)?;
    /// assert_eq!(visitors.expected(monday)?, Some(2048));
    /// assert_eq!(visitors.expected(tuesday)?, Some(2));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub async fn expected(&self, bucket: impl Into<Bucket>) -> Result<Option<u64>, Error> {
        let bucket = bucket.into();
        match Plan::find(&self.backend, bucket, self.kept_until(bucket)).await? {
            Some(Plan::Forecast { .. }) => expected(&self.backend, &expected_key(bucket)).await,
            Some(Plan::Tagged { .. }) => expected(&self.backend, &tagged_key(bucket)).await,
            None if matches!(self.form, VisitorsForm::Forecast | VisitorsForm::Tagged) => {
                self.forecast(bucket).await.map(Some)
            }
            Some(Plan::Splitting(_) | Plan::Bitmap { .. }) | None => Ok(None),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_begun_once_whatever_comes_between_the_look_and_the_step() {
        for &first in VisitorsForm::ALL {
            for &second in VisitorsForm::ALL {
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

    #[cfg(feature = "calendar")]
    #[test]
    fn a_handle_remembers_a_few_buckets_and_counts_in_all() {
        let visitors = Visitors::new(Store::new()).default_yesterday(1);
        let days = || jiff::civil::date(2015, 1, 1).series(jiff::ToSpan::days(1)).take(100);
        for id in 0..3 {
            for day in days() {
                assert!(visitors.count_id(id, day).unwrap());
            }
        }
        // Each day has another count than those beside it, remembered or not.
        for (more, day) in (0..7).cycle().zip(days()) {
            assert_eq!(visitors.count_ids(100..100 + more, day).unwrap(), more.unsigned_abs());
        }
        assert_eq!(visitors.recent.len(), 16);
        let clone = visitors.clone();
        for (more, day) in (0..7).cycle().zip(days()) {
            assert_eq!(clone.count(day).unwrap(), 3 + more);
        }
        assert!(!clone.count_id(1, jiff::civil::date(2015, 1, 1)).unwrap());
    }
}
