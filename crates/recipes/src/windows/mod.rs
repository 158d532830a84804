//! Unique visitors of any stretch of time, about, in `HyperLogLog`s by minute, hour, day and month.
//!
//! # Idea
//!
//! A HyperLogLog counts unique visitors in 12 KiB, and the union of several counts those of all together. With one for
//! each minute any range of minutes can be counted; with those of hours, days and months beside them, a range needs few
//! of them: the day before 19:11 takes 23 hours and 60 minutes, not 1440 minutes.
//!
//! # Representation
//!
//! A HyperLogLog for each bucket, a string as PFADD leaves it:
//!
//! ```text
//! PREFIX201909281911    the minute 19:11 of September 28th, 2019
//! PREFIX2019092819      the hour
//! PREFIX20190928        the day
//! PREFIX201909          the month
//! PREFIXopen            a set: the names of buckets that have visits which no larger one has yet
//! ```
//!
//! Names are what the clock of the calendar's zone shows. Where it is set back, what it shows again has its offset
//! behind it: `PREFIX2019102702+0100`.
//!
//! # Two ways to fill them
//!
//! | | write-through | roll-up |
//! |---|---|---|
//! | a visit | PFADD to four keys | PFADD to the minute |
//! | the larger buckets | are filled at once | are merged from smaller ones that are over |
//! | a key expires | from when it is made | from when it was merged into the next larger one |
//! | a late visit | goes into those of the four that are kept | opens the smallest bucket that is kept, which is merged once more |
//!
//! On a cluster a name in the set of open buckets may have a mark behind it, `201909281911*MARK`, while the bucket is merged:
//! see `spread`.
//!
//! Either way a count reads the keys of its range and, beside them, what is open inside the range. So it is always
//! right, and no bucket is lost because it was not merged in time.
//!
//! # References
//!
//! "Counting unique visitors with Redis HyperLogLog", an article of the Doocs community (2019), after one on `DZone` of
//! that year: the keys by minute, hour, day and month, its `getLastMinutes` and the hourly, daily and weekly figures.
//! Its code leaves the year out of the keys.

#[cfg(all(test, feature = "async", feature = "redis"))]
mod asynchronous;
#[cfg(all(test, feature = "redis"))]
mod beside;
mod bucket;
mod calendar;
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
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use macros::blocking_and_async;
use store::{Error, Store, ToMember};

use crate::backend::{AsyncBackend, Backend, BackendKind, Keyspace};
use crate::held::Held;
use crate::slot::hash_tag;
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

/// Where the name of the set of open buckets ends.
const OPEN: &[u8] = b"open";

/// The last millisecond of the year 9999, at which a bucket expires that is kept for ever.
const FOR_EVER: i64 = 253_402_300_799_999;

const DAY_MS: i64 = 86_400_000;

/// Unique visitors of any stretch of time, about, in `HyperLogLog`s by minute, hour, day and month.
///
/// On a store and on one server a visit is one atomic step, and so is a count, under any number of callers and handles. All handles on one prefix
/// are to have the same time zone and keep buckets as long; their fillings may differ.
///
/// Each call that asks the backend has an asynchronous form, whose name ends with `_async`, for an
/// [`AsyncBackend`](crate::AsyncBackend).
///
/// # How long buckets are kept
///
/// Each level has its own time, counted from the end of the bucket, after which its key expires. A count that needs a
/// bucket that is gone fails with [`ErrorKind::NotKept`](store::ErrorKind::NotKept); it never returns too small a
/// count.
///
/// | level | kept for | so that |
/// |---|---|---|
/// | minutes | 8 days | [`weekly`](Self::weekly) finds the minutes at the beginning of its week |
/// | hours | 32 days | a month can be counted from any hour |
/// | days | 400 days | a year can be counted from any day |
/// | months | for ever | |
///
/// A minute takes at most 12 KiB, and some three bytes a visitor if they are few, so eight busy days of minutes are 140
/// MB. Minutes kept for two hours and hours for two days hold a day of a million users in less than 2 MB with
/// [`UvFilling::RollUp`]; then ask [`last_hours`](Self::last_hours) and [`last_days`](Self::last_days), which need no
/// minutes.
///
/// # On a server
///
/// What is sent to a server, each in one round trip:
///
/// | call | what is sent |
/// |---|---|
/// | [`record`](Self::record), written through | one script, which adds to the four buckets |
/// | `record` with [`UvFilling::RollUp`] | one script for the minute; for the first visit of a minute and for late ones TIME and another script |
/// | [`record_many`](Self::record_many) | the same, in one pipeline for up to 65,536 visits: one script for those of a minute that follow on each other, up to 1,024 |
/// | [`count`](Self::count) and the like | two scripts: the names of the open buckets, and PFCOUNT; before them TIME where the range is up to the present |
/// | [`roll_up`](Self::roll_up) | for each level the names of the open buckets, and one script for each larger bucket |
///
/// The clock is the server's. PFCOUNT of one key would write its count into the value; here it is asked for the same key
/// twice, so that counting leaves all bytes as they are. A count of more than 5,000 keys is made here, of their values.
///
/// ## On a cluster
///
/// With a hash tag in the prefix (`{uv}:`) all keys lie in one slot, and everything is as on a server. Without one they are
/// spread over the nodes, and a step takes one key:
///
/// * a visit that is written through is a PFADD to each of the buckets, in one pipeline for each node. Others see it in some of
///   them before it is in all;
/// * with [`UvFilling::RollUp`] a visit is two round trips: a PFADD, then the name of the bucket to the set of open ones, even
///   if the visit changed nothing;
/// * a count gets the values and makes their union here. It takes them between two looks at the names of the open buckets, and
///   begins anew if these differ;
/// * a bucket is merged here and put in the place of what was read, unless somebody has written to it meanwhile. Who merges has
///   a mark behind the name among the open ones, `201909281911*MARK`, and takes it away last. So it may be interrupted anywhere,
///   and be done by any number of handles at once: no visit is lost. A bucket lives an hour at least after it was merged.
///
/// ## When the connection is lost
///
/// After [`ErrorKind::Io`](store::ErrorKind::Io) the visit was counted or was not. Record it once more: nothing is counted
/// twice, however often a visit is told. On a cluster it may be in some of its buckets until then. What `roll_up` has not done
/// the next one does.
///
/// ## The scripts
///
/// What their KEYS, their ARGV and their replies are stands at the beginning of each; a service in another language takes part
/// by the same keys. A visit that is written through, to a minute, its hour, its day and its month:
///
#[doc = concat!("```lua\n", include_str!("../kept.lua"), include_str!("add_to_all.lua"), "```")]
///
/// With [`UvFilling::RollUp`], to a minute that is open; and to one that becomes so:
///
#[doc = concat!("```lua\n", include_str!("add_if_open.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("add_and_open.lua"), "```")]
///
/// A count, and what is open before it:
///
#[doc = concat!("```lua\n", include_str!("open_names.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("count.lua"), "```")]
///
/// The merging of buckets:
///
#[doc = concat!("```lua\n", include_str!("roll.lua"), "```")]
///
/// On a cluster without a hash tag: a visit; then SADD of the bucket's name; and the steps of merging, in their order.
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
    /// Of the handles that have this backend, this prefix, this calendar and these times to keep.
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
    /// Windows in that store whose keys begin with `prefix`, by UTC, written through to every level.
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

    /// Chooses how visits get into the larger buckets. Default: [`UvFilling::WriteThrough`].
    #[must_use]
    pub fn filling(mut self, filling: UvFilling) -> Self {
        self.filling = filling;
        self
    }

    /// Chooses the zone whose clock cuts time into buckets. Default: UTC.
    #[must_use]
    pub fn time_zone(mut self, zone: TimeZone) -> Self {
        self.calendar = UvCalendar::new(zone);
        self.owner = Owner::new();
        self
    }

    /// Keeps the buckets of a level so long after their end, to the millisecond, rounded up.
    #[must_use]
    pub fn keep(mut self, level: UvLevel, time: Duration) -> Self {
        let ms = time.as_nanos().div_ceil(1_000_000);
        self.kept_ms[level as usize] = Some(i64::try_from(ms).unwrap_or(i64::MAX));
        self.owner = Owner::new();
        self
    }

    /// Keeps the buckets of a level for ever: to the end of the year 9999, and months without an expiry.
    #[must_use]
    pub fn keep_for_ever(mut self, level: UvLevel) -> Self {
        self.kept_ms[level as usize] = None;
        self.owner = Owner::new();
        self
    }

    /// The calendar that the buckets are of.
    #[must_use]
    pub const fn calendar(&self) -> &UvCalendar {
        &self.calendar
    }

    /// The key of a bucket.
    #[must_use]
    pub fn key(&self, bucket: &UvBucket) -> Vec<u8> {
        self.key_of(bucket).to_vec()
    }

    #[inline]
    fn key_of(&self, bucket: &UvBucket) -> Text {
        bucket.name.key(&self.prefix, &self.calendar.spans().digits(bucket.name.wall))
    }

    /// Whether the keys are in different slots of a cluster, so that one step has one of them.
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

    /// When a bucket is to be forgotten, in milliseconds since the epoch.
    fn expires_at(&self, bucket: &UvBucket) -> Option<i64> {
        match (self.kept_ms[bucket.level() as usize], bucket.level()) {
            (Some(ms), _) => Some(bucket.end.saturating_mul(1000).saturating_add(ms).min(FOR_EVER)),
            (None, UvLevel::Month) => None,
            // A key without an expiry is that of an open bucket.
            (None, UvLevel::Minute | UvLevel::Hour | UvLevel::Day) => Some(FOR_EVER),
        }
    }

    /// Whether a bucket is forgotten.
    fn expired(&self, bucket: &UvBucket, now_ms: i64) -> bool {
        self.expires_at(bucket).is_some_and(|at| at <= now_ms)
    }
}

impl<B: Backend> UvWindows<B> {
    /// Counts a visit. `true` if a count may have changed by it.
    ///
    /// Visits may come late: they go into those of their buckets that are kept.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotKept`](store::ErrorKind::NotKept) if none of its buckets is kept any more: the visit is not
    /// counted. [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a time that is not of the years
    /// 1900 to 2299; [`ErrorKind::WrongType`](store::ErrorKind::WrongType) and
    /// [`ErrorKind::InvalidHll`](store::ErrorKind::InvalidHll) if a key holds something else.
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
