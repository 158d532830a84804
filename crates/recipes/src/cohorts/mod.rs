//! Who did what when: bitmaps of users for events and periods, in the keys of bitmapist.
//!
//! # Idea
//!
//! A bitmap for each event and each period has the bit of every user to whom the event happened then. "Active today" is
//! one bitmap and counting it is BITCOUNT; "active last month and this one, but not paying" is two operations on three
//! of them. A user costs a bit, so ids are to be small integers, as a database hands them out.
//!
//! # Representation
//!
//! A mark sets a bit in one key for each kind of period. With the default prefix, of the event `active`:
//!
//! | key | period |
//! |---|---|
//! | `trackist_active_2015-5-17-13` | an hour |
//! | `trackist_active_2015-5-17` | a day |
//! | `trackist_active_W2015-20` | a week of ISO 8601, with the year that it belongs to |
//! | `trackist_active_2015-5` | a month |
//! | `trackist_active_2015` | a year |
//! | `trackist_active_u` | all of time: unique events |
//!
//! Numbers are not padded. The value is a string as SETBIT leaves it: user 0 is the high bit of the first byte.
//! Python's bitmapist reads these keys and writes them, byte for byte. It writes hours only when asked to, and no
//! years: its years are unions of months. [`Cohorts::kinds`] chooses what is written here, and a period that is not
//! written is read as the union of its parts.
//!
//! # References
//!
//! bitmapist, <https://github.com/Doist/bitmapist>.

#[cfg(all(test, feature = "redis"))]
mod beside;
mod cohort;
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

/// What keys begin with by default.
const PREFIX: &[u8] = b"trackist";

/// The kinds of periods that a mark goes into unless others are asked for.
const KINDS: [PeriodKind; 5] =
    [PeriodKind::Hour, PeriodKind::Day, PeriodKind::Week, PeriodKind::Month, PeriodKind::Year];

/// Who did what when: a bitmap of users for each event and each hour, day, week, month and year.
///
/// For the event `active` and the 17th of May 2015, 1 pm, it keeps, as bitmapist does,
///
/// * `trackist_active_2015-5-17-13`, the hour,
/// * `trackist_active_2015-5-17`, the day,
/// * `trackist_active_W2015-20`, the ISO week,
/// * `trackist_active_2015-5`, the month,
/// * `trackist_active_2015`, the year (bitmapist has none and unites months),
/// * `trackist_active_u`, if it was marked as a unique event.
///
/// Each is a string in which the bit of every such user is set, as by SETBIT. Both sides can work on the same data. A
/// mark is one atomic step, and so is each question, however many keys it reads; but see below for clusters.
///
/// Each call that asks the backend has an asynchronous form, whose name ends with `_async`, for an
/// [`AsyncBackend`](crate::AsyncBackend).
///
/// # Limits
///
/// Ids are below 2^32, as SETBIT's offsets. The bitmap of a key is as long as its largest id asks for: user
/// 4,000,000,000 costs 500 MB in *each* key that the mark goes into, all at once. Number users from 0.
///
/// # On a server
///
/// What is sent to a server, each in one round trip:
///
/// | call | what is sent |
/// |---|---|
/// | [`mark`](Self::mark), [`unmark`](Self::unmark) | one script, or SETBIT where one kind of period is written |
/// | [`mark_unique`](Self::mark_unique), [`unmark_unique`](Self::unmark_unique) | SETBIT |
/// | [`has`](Self::has) | GETBIT; where a period is a union of others, or for an expression, one script that gets a byte of each bitmap |
/// | [`count`](Self::count) | BITCOUNT; for an expression as [`users`](Self::users) |
/// | [`users`](Self::users), [`Query::bitmap`], [`retention`](Self::retention) | MGET of all bitmaps, which are combined here, and STRLEN of each: MGET does not say that a key holds no string. GET of one |
/// | [`Query::store`] | one script, which combines the bitmaps by BITOP |
/// | [`delete`](Self::delete) | DEL |
///
/// So each is atomic, but a question takes its bitmaps over the network, as long as they are. [`Query::store`] does not:
/// for large bitmaps store the cohort, and count what was stored. While it runs there are keys beside the target,
/// `{TARGET}:bitop:0` and so on, which no other client sees; do not use these names.
///
/// ## On a cluster
///
/// With a hash tag in the prefix (`{trackist}`) all keys lie in one slot, and everything is as on a server, if the target of
/// [`Query::store`] has the same tag. Without one they are spread over the nodes, and there is a step for each key, in one
/// pipeline for each node: a mark may be seen in one period before it is in the others, a question gets bitmaps of different
/// times, and what [`Query::store`] puts at its target is made here.
///
/// ## When the connection is lost
///
/// After [`ErrorKind::Io`](store::ErrorKind::Io) the mark was made or was not, on a cluster in some of the periods perhaps.
/// Mark once more: nothing is counted twice. What the second call returns says what was new to it.
///
/// ## The scripts
///
/// What their KEYS, their ARGV and their replies are stands at the beginning of each; a service in another language takes part
/// by the same keys. A mark:
///
#[doc = concat!("```lua\n", include_str!("set_bits.lua"), "```")]
///
/// The byte of each bitmap in which a user's bit is:
///
#[doc = concat!("```lua\n", include_str!("bytes.lua"), "```")]
///
/// A cohort's bitmap that is stored, and one that was made here:
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

/// Whether a key is that of an event in a period, under the default prefix.
pub(crate) fn is_key(key: &[u8]) -> bool {
    Names::new(PREFIX, KINDS).parse(key).is_some()
}

impl<B: Keyspace> Cohorts<B> {
    /// Keeps events in that store, under `trackist`, by UTC, in all five periods.
    #[must_use]
    pub fn new(backend: B) -> Self {
        Self { backend, names: Names::new(PREFIX, KINDS), zone: TimeZone::UTC }
    }

    /// Replaces the `trackist` that every key begins with. One prefix is not to begin with another and a `_`, or the
    /// one's events are the other's too.
    #[must_use]
    pub fn prefix(mut self, prefix: impl AsRef<[u8]>) -> Self {
        self.names.set_prefix(prefix.as_ref());
        self
    }

    /// Chooses the kinds of periods that a mark goes into. Default: all but [`PeriodKind::Unique`].
    ///
    /// A period of a kind that is not among them is read as the union of its longest parts that are: a year of its
    /// months, a week of its days. One that has no such parts, as an hour if only days are written, is read where it
    /// would be. bitmapist's own choice is days, weeks and months.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::civil::date;
    /// use tallis::{Cohorts, Period, PeriodKind, Store};
    ///
    /// let store = Store::new();
    /// let cohorts = Cohorts::new(store.clone()).kinds([PeriodKind::Day]);
    /// cohorts.mark("active", 1, date(2015, 5, 16))?;
    /// cohorts.mark("active", 2, date(2015, 5, 17))?;
    /// assert_eq!(store.dbsize()?, 2);
    /// assert_eq!(cohorts.count("active", Period::week(date(2015, 5, 17)))?, 2);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn kinds(mut self, kinds: impl IntoIterator<Item = PeriodKind>) -> Self {
        self.names.set_kinds(kinds);
        self
    }

    /// Chooses the zone whose clock says which periods an instant lies in. Default: UTC.
    ///
    /// Where a clock is set back, the hour that it shows twice is one period.
    #[must_use]
    pub fn time_zone(mut self, zone: TimeZone) -> Self {
        self.zone = zone;
        self
    }

    /// The key of the event in that period. To let it expire, hand it to
    /// [`Store::expire`].
    #[must_use]
    pub fn key(&self, event: impl AsRef<[u8]>, period: Period) -> Vec<u8> {
        self.names.key(event.as_ref(), period).to_vec()
    }

    /// A cohort to ask questions about: nothing is read yet.
    #[must_use]
    pub const fn query(&self, cohort: Cohort) -> Query<'_, B> {
        Query::new(self, cohort)
    }
}

#[blocking_and_async]
impl<B: Backend> Cohorts<B> {
    /// Says that the event happened to the user then: in a bitmap for each kind of period, all at once. `true` if any
    /// of them did not have it yet.
    ///
    /// # Errors
    ///
    /// An id of 2^32 or more ([`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument)); a key that holds
    /// something else than a string ([`ErrorKind::WrongType`](store::ErrorKind::WrongType)): then nothing is marked.
    pub async fn mark(
        &self,
        event: impl AsRef<[u8]>,
        user: u64,
        when: impl Into<When>,
    ) -> Result<bool, Error> {
        self.set(event.as_ref(), user, when.into(), true).await
    }

    /// Clears the user's bit in all the periods that [`mark`](Self::mark) sets it in, even if the event happened to the
    /// user at another time of theirs: after `unmark` of an hour the user is missing in the whole year. `true` if any
    /// had it.
    ///
    /// As by SETBIT, a bitmap grows to hold the bit, even a cleared one.
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

    /// Says that the unique event happened to the user, once and for all of time; `true` if it is new.
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

    /// Takes the unique event back; `true` if it had happened to the user.
    ///
    /// # Errors
    ///
    /// As [`mark`](Self::mark).
    pub async fn unmark_unique(&self, event: impl AsRef<[u8]>, user: u64) -> Result<bool, Error> {
        self.set_unique(event.as_ref(), user, false).await
    }

    /// Whether the event happened to the user in that period. O(1).
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

    /// To how many users the event happened in that period. O(largest id / 8), as BITCOUNT.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the key holds something else than a string.
    pub async fn count(&self, event: impl AsRef<[u8]>, period: Period) -> Result<u64, Error> {
        self.query(Cohort::of(event, period)).count().await
    }

    /// To which users the event happened in that period, by ascending ids.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub async fn users(&self, event: impl AsRef<[u8]>, period: Period) -> Result<Vec<u64>, Error> {
        self.query(Cohort::of(event, period)).users().await
    }

    /// Deletes the event's bitmap of that period, and only of that: longer and shorter ones stay. `false` if there was
    /// none.
    ///
    /// # Errors
    ///
    /// None of its own.
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

/// The bit of a user.
#[inline]
fn bit_of(user: u64) -> Result<u32, Error> {
    u32::try_from(user).map_err(|_| too_large(user))
}

#[cold]
fn too_large(user: u64) -> Error {
    invalid(format!("ERR user id {user} is too large: bitmaps hold ids below 4294967296"))
}
