//! Counting of visits, and the counts of buckets.

use std::sync::Arc;

use macros::blocking_and_async;
use store::Error;

use super::keys::{counter_key, expected_key, tagged_key};
use super::plan::{Plan, expected, expected_async, number, number_async};
use super::{Visitors, VisitorsForm, VisitorsIn};
use crate::backend::{AsyncBackend, Backend, batch};
use crate::bucket::Bucket;
use crate::kept::KeptUntil;

#[blocking_and_async]
impl<B: Backend> Visitors<B> {
    /// Counts a visit; returns `true` if it is the first of its visitor in this bucket. O(shard).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a session id that
    /// [`SessionIds`](crate::SessionIds) does not accept, for a number that is too large for a bitmap, and, for the
    /// first visit of a bucket, for a forecast of more than 2^40 visitors;
    /// [`ErrorKind::NotKept`](store::ErrorKind::NotKept) if the bucket is no longer [kept](Self::keep);
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) and
    /// [`ErrorKind::NotInteger`](store::ErrorKind::NotInteger) if a key of the recipe holds another type or is not an
    /// integer.
    #[inline]
    pub async fn count_visit(
        &self,
        session: impl AsRef<[u8]>,
        bucket: impl Into<Bucket>,
    ) -> Result<bool, Error> {
        self.count_id(self.ids.id(session)?, bucket).await
    }

    /// Counts a visit of the visitor with this number, which may be any `i64`. O(shard).
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

    /// Counts visits; returns how many are the first of their visitor in this bucket. O(shard) per visit. Up to 256
    /// visits share locks, and with one counter, one increment. On a server the visits of a shard are one SADD, so many
    /// visits at once cost a fraction of the same visits one by one.
    ///
    /// Each visit is atomic, the call as a whole is not: other threads may change the bucket in between.
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit). An invalid session id or number is detected before any of its group of
    /// 256 visits is counted. After other errors, the first of which is returned, other visits may have been counted.
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
            // A server may reply with any integer.
            new = u64::saturating_add(new, counted);
        }
    }

    /// Returns a handle on one bucket, for many visits to it.
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

    /// Returns the number of unique visitors of the bucket. O(1) in the forms forecast and bitmap; O(shards) in the
    /// others, where visits that are counted at the same time may be included or not.
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
            // A client that counts as the book does may have used a form of its own.
            None => Ok(number(&self.backend, &counter_key(bucket), "count").await?.unwrap_or(0)),
        }
    }

    /// Returns how many visitors a bucket is sized for: the forecast of its first visit, or the forecast that it would
    /// get now. `None` if its form needs no forecast. O(1).
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
