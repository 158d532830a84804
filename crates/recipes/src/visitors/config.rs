//! How visitors are counted: where, by which ids, in which form, and for how long.

use std::sync::Arc;
use std::time::Duration;

use super::{Visitors, VisitorsForm};
use crate::backend::{BackendKind, Keyspace};
use crate::bucket::Bucket;
use crate::kept::KeptUntil;
use crate::session_id::SessionIds;

/// The number of visitors that is assumed for the bucket before if it was not counted, as in Redis in Action.
const DEFAULT_YESTERDAY: u64 = 1_000_000;

impl<B: Keyspace> Visitors<B> {
    /// Creates a counter for visitors with any ids, which are hashed, in the form that suits the backend: splitting on
    /// a store, forecast on a server or a cluster.
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
    /// On a server, with the feature `redis`:
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

    /// Creates a counter for visitors with any ids, which are hashed, in sets that are split as they fill. This form
    /// needs a store; see [`on`](Self::on) for other backends.
    #[must_use]
    pub fn new(backend: B) -> Self {
        Self::of(backend, SessionIds::Hashed, VisitorsForm::Splitting)
    }

    /// Creates a counter as in Redis in Action: it stores the first 15 hexadecimal digits of session ids, in a number
    /// of sets that is fixed by a forecast.
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

    /// Sets the number of visitors that a bucket is forecast from if the one before it was not counted. Default:
    /// 1,000,000.
    #[must_use]
    pub fn default_yesterday(mut self, count: u64) -> Self {
        self.default_yesterday = count;
        self.forgetful()
    }

    /// Sets how session ids are converted to numbers.
    #[must_use]
    pub fn session_ids(mut self, ids: SessionIds) -> Self {
        self.ids = ids;
        self.forgetful()
    }

    /// Sets the form of new buckets. With [`VisitorsForm::Bitmap`] session ids are integers in decimal.
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

    /// Keeps buckets for this time after their end in UTC, rounded up to the millisecond. By default they are kept for
    /// ever, and [`Bucket::All`] always is.
    ///
    /// The keys of a bucket expire together. All handles that count into a bucket must keep it for the same time.
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

    /// Returns this handle with an empty cache, because what is cached depends on the settings.
    fn forgetful(mut self) -> Self {
        self.recent = Arc::default();
        self
    }

    /// Returns until when a bucket is kept.
    pub(super) fn kept_until(&self, bucket: Bucket) -> KeptUntil {
        let until = |kept: i64| Some(bucket.end_ms()?.saturating_add(kept));
        KeptUntil(self.kept_ms.and_then(until))
    }
}
