//! Estimated unique visitors of any time range, by `HyperLogLog`s per minute, hour, day and month.
//!
//! # Idea
//!
//! A HyperLogLog estimates the number of unique visitors in 12 KiB, and the union of several estimates that of all
//! together. With one per minute, any range of minutes can be counted; with those of hours, days and months in
//! addition, a range needs few of them: the day before 19:11 takes 23 hours and 60 minutes instead of 1440 minutes.
//!
//! # Representation
//!
//! Each bucket is a HyperLogLog, a string as PFADD writes it:
//!
//! ```text
//! PREFIX201909281911    the minute 19:11 of September 28th, 2019
//! PREFIX2019092819      the hour
//! PREFIX20190928        the day
//! PREFIX201909          the month
//! PREFIXopen            a set: the names of buckets that have visits which no larger one has yet
//! ```
//!
//! Names are the wall time in the calendar's time zone. If the clock is set back, a repeated time has its offset as a
//! suffix: `PREFIX2019102702+0100`.
//!
//! # Two ways to fill them
//!
//! | | write-through | roll-up |
//! |---|---|---|
//! | a visit | PFADD to four keys | PFADD to the minute |
//! | the larger buckets | are filled at once | are merged from smaller ones that are over |
//! | a key expires | from when it is created | from when it was merged into the next larger one |
//! | a late visit | is written to those of the four that are kept | opens the smallest bucket that is kept, which is merged again |
//!
//! On a cluster a name in the set of open buckets may have a mark as a suffix, `201909281911*MARK`, while the bucket is
//! merged: see `spread`.
//!
//! In both cases a count reads the keys of its range, and the open buckets inside the range. So it is always correct,
//! and no bucket is lost if it was not merged in time.
//!
//! # References
//!
//! "Counting unique visitors with Redis HyperLogLog", an article of the Doocs community (2019), after one on `DZone` of
//! that year: the keys per minute, hour, day and month, its `getLastMinutes` and the hourly, daily and weekly figures.
//! Its code omits the year in the keys.

#[cfg(all(test, feature = "async", feature = "redis"))]
mod asynchronous;
#[cfg(all(test, feature = "redis"))]
mod beside;
mod bucket;
mod calendar;
mod config;
mod count;
mod filling;
mod level;
mod many;
mod procedures;
mod recent;
mod scripts;
mod sent;
#[cfg(test)]
mod served;
mod spans;
mod spread;
#[cfg(test)]
mod tests;
mod users;

use std::fmt;

use jiff::Timestamp;
use macros::blocking_and_async;
use store::{Error, Store, ToMember};

use crate::backend::{AsyncBackend, Backend, BackendKind, Keyspace};
use crate::held::Held;
use crate::text::Text;
use calendar::whole_second;
use procedures::BucketKey;
use recent::Owner;
use users::User;

pub use bucket::UvBucket;
pub use calendar::UvCalendar;
pub use filling::UvFilling;
pub use level::UvLevel;
pub(crate) use scripts::SCRIPTS;

/// The suffix of the name of the set of open buckets.
const OPEN: &[u8] = b"open";

/// The last millisecond of the year 9999, at which buckets expire that are kept for ever.
const FOR_EVER: i64 = 253_402_300_799_999;

const DAY_MS: i64 = 86_400_000;

/// Estimates the number of unique visitors of any time range, by `HyperLogLog`s per minute, hour, day and month.
///
/// On a store and on one server a visit is one atomic step, and so is a count, with any number of concurrent callers
/// and handles. All handles on a prefix must have the same time zone and keep buckets for the same time; they may
/// differ in their filling.
///
/// Each call that uses the backend has an asynchronous form, whose name ends with `_async`, for an
/// [`AsyncBackend`](crate::AsyncBackend).
///
/// # How long buckets are kept
///
/// Each level has its own retention time, counted from the end of the bucket, after which its key expires. A count that
/// needs an expired bucket fails with [`ErrorKind::NotKept`](store::ErrorKind::NotKept); it never returns a count that
/// is too small for that reason.
///
/// | level | kept for | so that |
/// |---|---|---|
/// | minutes | 8 days | [`weekly`](Self::weekly) has the minutes at the beginning of its week |
/// | hours | 32 days | a month can be counted from any hour |
/// | days | 400 days | a year can be counted from any day |
/// | months | for ever | |
///
/// A minute takes at most 12 KiB, and about three bytes per visitor if it has few, so eight busy days of minutes take
/// 140 MB. With minutes kept for two hours, hours kept for two days, and [`UvFilling::RollUp`], a day of a million
/// users takes less than 2 MB; then use [`last_hours`](Self::last_hours) and [`last_days`](Self::last_days), which need
/// no minutes.
///
/// # On a server
///
/// The requests to a server, each in one round trip:
///
/// | call | request |
/// |---|---|
/// | [`record`](Self::record), write-through | one script, which adds to the four buckets |
/// | `record` with [`UvFilling::RollUp`] | one script for the minute; for the first visit of a minute and for late ones TIME and another script |
/// | [`record_many`](Self::record_many) | the same, in one pipeline for up to 65,536 visits: one script for up to 1,024 consecutive visits of the same minute |
/// | [`count`](Self::count) and similar calls | two scripts: the names of the open buckets, and PFCOUNT; before them TIME if the range ends at the current time |
/// | [`roll_up`](Self::roll_up) | for each level the names of the open buckets, and one script for each larger bucket |
///
/// The clock is that of the server. PFCOUNT of one key would write the cached count to the value; so the key is passed
/// twice, and counting changes no bytes. A count of more than 5,000 keys is computed by the client, from their values.
///
/// ## On a cluster
///
/// With a hash tag in the prefix (`{uv}:`) all keys are in one slot, and everything is as on a server. Without one they
/// are spread over the nodes, and a step accesses one key:
///
/// * with write-through a visit is a PFADD to each of the buckets, in one pipeline per node. Other clients may see it
///   in some buckets before it is in all;
/// * with [`UvFilling::RollUp`] a visit is two round trips: a PFADD, then an SADD of the bucket's name to the set of
///   open ones, even if the visit changed nothing;
/// * a count fetches the values and computes their union. It reads the names of the open buckets before and after, and
///   starts again if they differ;
/// * a bucket is merged by the client, which replaces the value that it read unless another client has written to it
///   meanwhile. The merging client puts a mark after the name in the set of open buckets, `201909281911*MARK`, and
///   removes it last. So merging may be interrupted at any step, and be done by any number of handles at once: no visit
///   is lost. A bucket is kept for at least an hour after it was merged.
///
/// ## Lost connections
///
/// After [`ErrorKind::Io`](store::ErrorKind::Io) it is unknown whether the visit was counted. Record it again: a visit
/// that is recorded several times counts once. On a cluster it may be in some of its buckets until then. The next
/// `roll_up` completes an interrupted one.
///
/// ## The scripts
///
/// The first lines of each document its KEYS, its ARGV and its reply; services in other languages can run the same
/// scripts on the same keys. A visit with write-through, to a minute, its hour, its day and its month:
///
#[doc = concat!("```lua\n", include_str!("../kept.lua"), include_str!("add_to_all.lua"), "```")]
///
/// With [`UvFilling::RollUp`], to an open minute, and to one that the visit opens:
///
#[doc = concat!("```lua\n", include_str!("add_if_open.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("add_and_open.lua"), "```")]
///
/// The names of the open buckets, and a count:
///
#[doc = concat!("```lua\n", include_str!("open_names.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("count.lua"), "```")]
///
/// Merging buckets:
///
#[doc = concat!("```lua\n", include_str!("roll.lua"), "```")]
///
/// On a cluster without a hash tag: a visit, which is followed by SADD of the bucket's name, and the steps of merging,
/// in order.
///
#[doc = concat!("```lua\n", include_str!("../kept.lua"), include_str!("add_alone.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("take.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("replace.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("expire.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("finish.lua"), "```")]
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use std::sync::Arc;
/// use tallis::jiff::Timestamp;
/// use tallis::{ManualClock, Store, UvWindows};
///
/// let at = |time: &str| format!("2019-09-28T{time}Z").parse::<Timestamp>().unwrap();
/// let clock = Arc::new(ManualClock::new(at("19:20:30").as_millisecond()));
/// let windows = UvWindows::new(Store::builder().clock(clock).build(), "USER:LOGIN:");
/// for (user, time) in [("A", "18:59:59"), ("B", "19:00:00"), ("A", "19:19:59"), ("C", "19:20:10")] {
///     windows.record(user, at(time))?;
/// }
/// assert_eq!(windows.count(at("18:00:00"), at("19:20:00"))?, 2);
/// // The minute 19:20 is not over yet.
/// assert_eq!((windows.last_minutes(20)?, windows.last_minutes_now(21)?), (2, 3));
/// assert_eq!((windows.hourly()?, windows.last_days_now(1)?), (2, 3));
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone)]
pub struct UvWindows<B = Store> {
    backend: B,
    /// Identifies the handles with the same backend, prefix, calendar and retention times.
    owner: Owner,
    prefix: Box<[u8]>,
    /// Whether a hash tag in the prefix puts all keys into one slot of a cluster.
    tagged: bool,
    open_key: Box<[u8]>,
    calendar: UvCalendar,
    filling: UvFilling,
    /// For how many milliseconds from its end a bucket of each level is kept; `None` for ever.
    kept_ms: [Option<i64>; UvLevel::ALL.len()],
}

impl<B: Keyspace> UvWindows<B> {
    #[inline]
    fn key_of(&self, bucket: &UvBucket) -> Text {
        bucket.name.key(&self.prefix, &self.calendar.spans().digits(bucket.name.wall))
    }

    /// Returns whether the keys are in different slots of a cluster, so that a step can access only one of them.
    #[inline]
    fn is_spread(&self) -> bool {
        !self.tagged && self.backend.kind() == BackendKind::Cluster
    }

    fn bucket_key(&self, bucket: UvBucket) -> BucketKey<Vec<u8>> {
        let (key, expires_at) = (self.key(&bucket), self.expires_at(&bucket));
        BucketKey { bucket, key, name_at: self.prefix.len(), expires_at }
    }

    fn prepared(&self, bucket: UvBucket) -> BucketKey {
        let key = self.backend.prepare(&self.key_of(&bucket));
        let expires_at = self.expires_at(&bucket);
        BucketKey { bucket, key, name_at: self.prefix.len(), expires_at }
    }

    /// Returns when a bucket expires, in milliseconds since the epoch.
    fn expires_at(&self, bucket: &UvBucket) -> Option<i64> {
        match (self.kept_ms[bucket.level() as usize], bucket.level()) {
            (Some(ms), _) => Some(bucket.end.saturating_mul(1000).saturating_add(ms).min(FOR_EVER)),
            (None, UvLevel::Month) => None,
            // Only open buckets have no expiry.
            (None, UvLevel::Minute | UvLevel::Hour | UvLevel::Day) => Some(FOR_EVER),
        }
    }

    /// Returns whether a bucket has expired.
    fn expired(&self, bucket: &UvBucket, now_ms: i64) -> bool {
        self.expires_at(bucket).is_some_and(|at| at <= now_ms)
    }
}

impl<B: Backend> UvWindows<B> {
    /// Counts a visit; returns `true` if it may have changed a count.
    ///
    /// Visits may be late: they are written to those of their buckets that are kept.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotKept`](store::ErrorKind::NotKept) if none of its buckets is kept any more: the visit is not
    /// counted. [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a time outside of the years 1900
    /// to 2299; [`ErrorKind::WrongType`](store::ErrorKind::WrongType) and
    /// [`ErrorKind::InvalidHll`](store::ErrorKind::InvalidHll) if a key holds another type or is no valid HyperLogLog.
    #[inline]
    pub fn record(&self, user: impl ToMember, at: impl Into<Timestamp>) -> Result<bool, Error> {
        user.with_member(|user| self.record_one(User::new(user), whole_second(at.into())))
    }
}

impl<B: AsyncBackend> UvWindows<B> {
    /// The asynchronous form of [`record`](Self::record): it does not block the thread.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub async fn record_async(
        &self,
        user: impl ToMember,
        at: impl Into<Timestamp>,
    ) -> Result<bool, Error> {
        let (user, second) = (Held::new(user), whole_second(at.into()));
        self.record_one_async(User::new(user.as_member()), second).await
    }
}

#[blocking_and_async]
impl<B: Backend> UvWindows<B> {
    #[inline]
    async fn record_one(&self, user: User<'_>, second: i64) -> Result<bool, Error> {
        match self.filling {
            UvFilling::WriteThrough => self.write_through(user, second).await,
            UvFilling::RollUp => self.write_minute(user, second).await,
        }
    }
}

impl<B: fmt::Debug> fmt::Debug for UvWindows<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UvWindows")
            .field("backend", &self.backend)
            .field("prefix", &String::from_utf8_lossy(&self.prefix))
            .field("zone", self.calendar.time_zone())
            .field("filling", &self.filling)
            .field("kept_ms", &self.kept_ms)
            .finish_non_exhaustive()
    }
}
