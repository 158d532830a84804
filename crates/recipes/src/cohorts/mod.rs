//! Events of users: a bitmap per event and period, in the keys of bitmapist.
//!
//! # Idea
//!
//! A bitmap for each event and each period has the bit of every user with that event in that period set. "Active today"
//! is one bitmap, and counting it is BITCOUNT; "active last month and this one, but not paying" is two operations on
//! three of them. A user takes one bit, so ids should be small integers, as a database assigns them.
//!
//! # Representation
//!
//! Marking an event sets a bit in one key for each kind of period. With the default prefix, the keys of the event
//! `active` are:
//!
//! | key | period |
//! |---|---|
//! | `trackist_active_2015-5-17-13` | an hour |
//! | `trackist_active_2015-5-17` | a day |
//! | `trackist_active_W2015-20` | an ISO 8601 week, with the year that it belongs to |
//! | `trackist_active_2015-5` | a month |
//! | `trackist_active_2015` | a year |
//! | `trackist_active_u` | all time: unique events |
//!
//! Numbers are not padded. The value is a string as SETBIT writes it: user 0 is the high bit of the first byte.
//! Python's bitmapist reads and writes the same keys, byte for byte. It writes hours only on request, and no years: its
//! years are unions of months. [`Cohorts::kinds`] sets which periods are written here; a period that is not written is
//! read as the union of its parts.
//!
//! # References
//!
//! bitmapist, <https://github.com/Doist/bitmapist>.

#[cfg(all(test, feature = "redis"))]
mod beside;
mod cohort;
mod config;
mod events;
mod names;
mod period;
mod procedures;
mod program;
mod query;
mod retention;
mod scripts;
#[cfg(test)]
mod served;
mod when;

use jiff::tz::TimeZone;
use macros::blocking_and_async;
use smallvec::SmallVec;
use store::{Error, Store};

use crate::backend::{AsyncBackend, Backend, Keyspace};
use crate::errors::invalid;
use crate::keys::delete;
use crate::text::Text;
use names::Names;
use procedures::set_bits;

pub use cohort::Cohort;
pub use period::{Period, PeriodKind};
pub use query::Query;
pub(crate) use scripts::SCRIPTS;

pub use retention::{Retention, RetentionRow};
pub use when::When;

/// The default prefix of keys.
const PREFIX: &[u8] = b"trackist";

/// The kinds of periods that are marked by default.
const KINDS: [PeriodKind; 5] =
    [PeriodKind::Hour, PeriodKind::Day, PeriodKind::Week, PeriodKind::Month, PeriodKind::Year];

/// Tracks events of users: a bitmap of users for each event and each hour, day, week, month and year.
///
/// For the event `active` on the 17th of May 2015, 1 pm, the keys are those of bitmapist:
///
/// * `trackist_active_2015-5-17-13`, the hour,
/// * `trackist_active_2015-5-17`, the day,
/// * `trackist_active_W2015-20`, the ISO week,
/// * `trackist_active_2015-5`, the month,
/// * `trackist_active_2015`, the year (bitmapist has no such key and uses the union of months),
/// * `trackist_active_u`, if it was marked as a unique event.
///
/// Each is a string in which the bit of every such user is set, as by SETBIT, so both programs can work on the same
/// data. A mark is one atomic step, and so is each query, for any number of keys; clusters are described below.
///
/// Each call that uses the backend has an asynchronous form, whose name ends with `_async`, for an
/// [`AsyncBackend`](crate::AsyncBackend).
///
/// # Limits
///
/// Ids are below 2^32, as SETBIT's offsets. The bitmap of a key is as long as its largest id requires: user
/// 4,000,000,000 takes 500 MB in *each* key that is marked. Number users from 0.
///
/// # On a server
///
/// The requests to a server, each in one round trip:
///
/// | call | request |
/// |---|---|
/// | [`mark`](Self::mark), [`unmark`](Self::unmark) | one script, or SETBIT if one kind of period is written |
/// | [`mark_unique`](Self::mark_unique), [`unmark_unique`](Self::unmark_unique) | SETBIT |
/// | [`has`](Self::has) | GETBIT; if the period is a union of others, or for an expression, one script that returns a byte of each bitmap |
/// | [`count`](Self::count) | BITCOUNT; for an expression as [`users`](Self::users) |
/// | [`users`](Self::users), [`Query::bitmap`], [`retention`](Self::retention) | MGET of all bitmaps, which are combined by the client, and STRLEN of each, because MGET does not report another type. GET of one |
/// | [`Query::store`] | one script, which combines the bitmaps by BITOP |
/// | [`delete`](Self::delete) | DEL |
///
/// So each is atomic, but a query transfers all of its bitmaps over the network. [`Query::store`] does not: for large
/// bitmaps store the cohort, and count the result. While it runs, it uses keys next to the target, `{TARGET}:bitop:0`
/// and so on, which no other client sees; do not use these names.
///
/// ## On a cluster
///
/// With a hash tag in the prefix (`{trackist}`) all keys are in one slot, and everything is as on a server, if the
/// target of [`Query::store`] has the same tag. Without one they are spread over the nodes, and there is one step per
/// key, in one pipeline per node: a mark may be visible in one period before it is in the others, a query may read
/// bitmaps of different times, and the result of [`Query::store`] is computed by the client.
///
/// ## Lost connections
///
/// After [`ErrorKind::Io`](store::ErrorKind::Io) it is unknown whether the mark was made; on a cluster it may be in
/// some of the periods. Mark again: a repeated mark counts once. The second call returns whether it changed anything
/// itself.
///
/// ## The scripts
///
/// The first lines of each document its KEYS, its ARGV and its reply; services in other languages can run the same
/// scripts on the same keys. A mark:
///
#[doc = concat!("```lua\n", include_str!("set_bits.lua"), "```")]
///
/// The byte of each bitmap that has a user's bit:
///
#[doc = concat!("```lua\n", include_str!("bytes.lua"), "```")]
///
/// Storing a cohort's bitmap, computed by the server and by the client:
///
#[doc = concat!("```lua\n", include_str!("store.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("put.lua"), "```")]
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::jiff::civil::date;
/// use tallis::{Cohort, Cohorts, Period, Store};
///
/// let cohorts = Cohorts::new(Store::new());
/// let (sunday, monday) = (date(2015, 5, 17), date(2015, 5, 18));
/// for user in [1, 2, 3] {
///     cohorts.mark("active", user, sunday.at(13, 0, 0, 0))?;
/// }
/// cohorts.mark("active", 3, monday.at(9, 30, 0, 0))?;
///
/// // Was user 3 active on Monday? How many were on Sunday, and who?
/// assert!(cohorts.has("active", Period::day(monday), 3)?);
/// assert_eq!(cohorts.count("active", Period::day(sunday))?, 3);
/// assert_eq!(cohorts.users("active", Period::hour(sunday.at(13, 0, 0, 0)))?, [1, 2, 3]);
/// // Two days of two weeks, and of one month.
/// assert_eq!(cohorts.count("active", Period::week(monday))?, 1);
/// assert_eq!(cohorts.count("active", Period::month(monday))?, 3);
///
/// // Who was active on Sunday and not on Monday?
/// let [sunday, monday] = [sunday, monday].map(|day| Cohort::of("active", Period::day(day)));
/// assert_eq!(cohorts.query(sunday - monday).users()?, [1, 2]);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cohorts<B = Store> {
    backend: B,
    names: Names,
    zone: TimeZone,
}

/// Returns whether a key is that of an event in a period, under the default prefix.
pub(crate) fn is_key(key: &[u8]) -> bool {
    Names::new(PREFIX, KINDS).parse(key).is_some()
}

impl<B: Keyspace> Cohorts<B> {
    /// Returns the key of an event in a period. Pass it to [`Store::expire`] to make it expire.
    #[must_use]
    pub fn key(&self, event: impl AsRef<[u8]>, period: Period) -> Vec<u8> {
        self.names.key(event.as_ref(), period).to_vec()
    }

    /// Creates a query of a cohort. Nothing is read yet.
    #[must_use]
    pub const fn query(&self, cohort: Cohort) -> Query<'_, B> {
        Query::new(self, cohort)
    }
}

#[blocking_and_async]
impl<B: Backend> Cohorts<B> {
    /// Marks an event of a user: sets a bit in the bitmap of each kind of period, atomically. Returns `true` if any was
    /// not set.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for an id of 2^32 or more;
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if a key holds no string. Then nothing is marked.
    pub async fn mark(
        &self,
        event: impl AsRef<[u8]>,
        user: u64,
        when: impl Into<When>,
    ) -> Result<bool, Error> {
        self.set(event.as_ref(), user, when.into(), true).await
    }

    /// Clears the user's bit in all the periods that [`mark`](Self::mark) sets it in, even if the user had the event at
    /// another time of the period: after `unmark` of an hour the user is missing in the whole year. Returns `true` if
    /// any was set.
    ///
    /// As with SETBIT, a bitmap grows to hold the bit, even a cleared one.
    ///
    /// # Errors
    ///
    /// As [`mark`](Self::mark).
    pub async fn unmark(
        &self,
        event: impl AsRef<[u8]>,
        user: u64,
        when: impl Into<When>,
    ) -> Result<bool, Error> {
        self.set(event.as_ref(), user, when.into(), false).await
    }

    /// Marks a unique event of a user, which has no period; returns `true` if it is new.
    ///
    /// # Errors
    ///
    /// As [`mark`](Self::mark).
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{Cohorts, Period, Store};
    ///
    /// let cohorts = Cohorts::new(Store::new());
    /// assert!(cohorts.mark_unique("paying", 42)?);
    /// assert!(cohorts.has("paying", Period::UNIQUE, 42)?);
    /// assert!(cohorts.unmark_unique("paying", 42)?);
    /// assert_eq!(cohorts.count("paying", Period::UNIQUE)?, 0);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub async fn mark_unique(&self, event: impl AsRef<[u8]>, user: u64) -> Result<bool, Error> {
        self.set_unique(event.as_ref(), user, true).await
    }

    /// Clears a unique event of a user; returns `true` if it was marked.
    ///
    /// # Errors
    ///
    /// As [`mark`](Self::mark).
    pub async fn unmark_unique(&self, event: impl AsRef<[u8]>, user: u64) -> Result<bool, Error> {
        self.set_unique(event.as_ref(), user, false).await
    }

    /// Returns whether the user had the event in the period. O(1).
    ///
    /// # Errors
    ///
    /// As [`mark`](Self::mark).
    pub async fn has(
        &self,
        event: impl AsRef<[u8]>,
        period: Period,
        user: u64,
    ) -> Result<bool, Error> {
        if !self.names.writes(period.kind()) {
            return self.query(Cohort::of(event, period)).has(user).await;
        }
        let (key, bit) = (self.names.key(event.as_ref(), period), bit_of(user)?);
        self.backend.call(&procedures::has_bit(&key, bit)).await
    }

    /// Returns how many users had the event in the period. O(largest id / 8), as BITCOUNT.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the key holds no string.
    pub async fn count(&self, event: impl AsRef<[u8]>, period: Period) -> Result<u64, Error> {
        self.query(Cohort::of(event, period)).count().await
    }

    /// Returns the ids of the users who had the event in the period, ascending.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn users(&self, event: impl AsRef<[u8]>, period: Period) -> Result<Vec<u64>, Error> {
        self.query(Cohort::of(event, period)).users().await
    }

    /// Deletes the event's bitmap of this period only: longer and shorter periods are unchanged. Returns `false` if
    /// there was none.
    ///
    /// # Errors
    ///
    /// The error of the backend.
    pub async fn delete(&self, event: impl AsRef<[u8]>, period: Period) -> Result<bool, Error> {
        let key = self.names.key(event.as_ref(), period);
        Ok(self.backend.call(&delete(&[&key])).await? > 0)
    }

    async fn set_unique(&self, event: &[u8], user: u64, on: bool) -> Result<bool, Error> {
        let key = self.names.key(event, Period::UNIQUE);
        self.backend.call(&set_bits([&*key], bit_of(user)?, on)).await
    }

    async fn set(&self, event: &[u8], user: u64, when: When, on: bool) -> Result<bool, Error> {
        let bit = bit_of(user)?;
        let time = when.in_zone(&self.zone);
        let start = self.names.event(event);
        let kinds = PeriodKind::ALL.into_iter().filter(|&kind| self.names.writes(kind));
        let keys: SmallVec<[Text; PeriodKind::ALL.len()]> =
            kinds.map(|kind| kind.at(time).key(&start)).collect();
        let keys: SmallVec<[&[u8]; PeriodKind::ALL.len()]> =
            keys.iter().map(SmallVec::as_slice).collect();
        if procedures::is_spread(&self.backend, &keys) {
            return procedures::set_each(&self.backend, &keys, bit, on).await;
        }
        match <[&[u8]; KINDS.len()]>::try_from(&*keys) {
            Ok(keys) => self.backend.call(&set_bits(keys, bit, on)).await,
            Err(_) => self.backend.call(&set_bits(&*keys, bit, on)).await,
        }
    }
}

/// Returns the bit of a user.
#[inline]
fn bit_of(user: u64) -> Result<u32, Error> {
    u32::try_from(user).map_err(|_| too_large(user))
}

#[cold]
fn too_large(user: u64) -> Error {
    invalid(format!("ERR user id {user} is too large: bitmaps hold ids below 4294967296"))
}
