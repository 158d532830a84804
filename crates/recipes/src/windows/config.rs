//! Constructor and settings of windows.

use std::time::Duration;

use jiff::tz::TimeZone;

use super::recent::Owner;
use super::{DAY_MS, OPEN, UvBucket, UvCalendar, UvFilling, UvLevel, UvWindows};
use crate::backend::Keyspace;
use crate::slot::hash_tag;

impl<B: Keyspace> UvWindows<B> {
    /// Creates windows whose keys begin with `prefix`, in UTC, with write-through.
    #[must_use]
    pub fn new(backend: B, prefix: impl AsRef<[u8]>) -> Self {
        let prefix = prefix.as_ref();
        Self {
            backend,
            owner: Owner::new(),
            prefix: prefix.into(),
            tagged: hash_tag(prefix).is_some(),
            open_key: [prefix, OPEN].concat().into(),
            calendar: UvCalendar::utc(),
            filling: UvFilling::default(),
            kept_ms: [Some(8 * DAY_MS), Some(32 * DAY_MS), Some(400 * DAY_MS), None],
        }
    }

    /// Sets how visits get into the larger buckets. Default: [`UvFilling::WriteThrough`].
    #[must_use]
    pub fn filling(mut self, filling: UvFilling) -> Self {
        self.filling = filling;
        self
    }

    /// Sets the time zone of the buckets. Default: UTC.
    #[must_use]
    pub fn time_zone(mut self, zone: TimeZone) -> Self {
        self.calendar = UvCalendar::new(zone);
        self.owner = Owner::new();
        self
    }

    /// Keeps the buckets of a level for this time after their end, rounded up to the millisecond.
    #[must_use]
    pub fn keep(mut self, level: UvLevel, time: Duration) -> Self {
        let ms = time.as_nanos().div_ceil(1_000_000);
        self.kept_ms[level as usize] = Some(i64::try_from(ms).unwrap_or(i64::MAX));
        self.owner = Owner::new();
        self
    }

    /// Keeps the buckets of a level for ever: until the end of the year 9999, and months without an expiry.
    #[must_use]
    pub fn keep_for_ever(mut self, level: UvLevel) -> Self {
        self.kept_ms[level as usize] = None;
        self.owner = Owner::new();
        self
    }

    /// Returns the calendar of the buckets.
    #[must_use]
    pub const fn calendar(&self) -> &UvCalendar {
        &self.calendar
    }

    /// Returns the key of a bucket.
    #[must_use]
    pub fn key(&self, bucket: &UvBucket) -> Vec<u8> {
        self.key_of(bucket).to_vec()
    }
}
