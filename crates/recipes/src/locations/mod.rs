//! Where users are, in two bytes each: Redis in Action, section 9.2.3.

mod by_shard;
mod counts;
mod names;
mod procedures;
mod table;

use std::cell::RefCell;
use std::sync::Arc;

use bitpack::packed::{CountryRegionCode, Histogram, PackedView};
use store::{Error, PreparedKey, Store};

use crate::Backend;
use crate::errors::invalid;
use crate::text::{Text, numbered};
use by_shard::{BATCH, ByShard};
use counts::Zeros;
use procedures::{LARGEST, Location};

pub use counts::LocationCounts;
pub use table::{LocationTable, TableError, TableProblem};

/// What the keys of the shards begin with.
const SHARD: &[u8] = b"location:";

/// How many users share a string: of two bytes for each, two megabytes.
const USERS_PER_SHARD: u64 = 1 << 20;

/// The bytes of a code.
const WIDTH: usize = 2;

/// The country and region of every user, in two bytes each: Redis in Action, section 9.2.3.
///
/// # Idea
///
/// Users are numbered, and nearly all numbers are in use. So no user needs a key: the number is the offset of two bytes
/// in a long string, one of the country, one of the region. A million and some users share a string; to know where all
/// users are, the strings are read from one end to the other, two bytes a user.
///
/// # Representation
///
/// ```text
/// user         0        1        2                1,048,575      1,048,576
///           +--------+--------+--------+--   --+-----------+   +-----------+--
/// string    | eb  09 | eb  00 | 00  00 |  ...  | country   |   | country   | ...
///           |        |        |        |       |    region |   |    region |
///           +--------+--------+--------+--   --+-----------+   +-----------+--
///             USA CA   USA      nothing           location:0     location:1
/// ```
///
/// * `location:<shard>`, a string: user `u` has the two bytes from `2 * (u % 2^20)` of shard `u / 2^20`. The first is
///   the index of the country in its [table](LocationTable) plus one, the second the index of the region in the
///   country's table plus one; 0 is unknown.
/// * `location:max`, a sorted set: its member `max` has the largest user id as its score.
///
/// These are the keys and bytes of the book's Python, so both sides can work on the same data, through a file too.
///
/// # Unknown
///
/// [`set`](Self::set) refuses names that the table does not have; [`set_lenient`](Self::set_lenient) stores 0 for them,
/// as the book does. Two zeros are also what a string holds where nothing was written, so a user without a location
/// looks like a number without a user.
///
/// # Complexity
///
/// [`set`](Self::set) and [`get`](Self::get) are O(1), but for a string that grows. [`aggregate`](Self::aggregate) is
/// O(largest id): it counts shard after shard in place, without a copy, at about a nanosecond a user; each shard is
/// read atomically, one after the other, and not all at once. [`aggregate_list`](Self::aggregate_list) is O(users in
/// the list), which are taken by the shard and not one by one.
///
/// # Limits
///
/// Ids go up to [`MAX_USER`](Self::MAX_USER). They should be dense: a user far from all others takes a string of up to
/// 2 MiB, of zeros for the most part.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::{Locations, Store};
///
/// let store = Store::new();
/// let locations = Locations::new(store.clone());
/// locations.set(0, "USA", "CA")?;
/// locations.set(1, "USA", None)?;
/// locations.set(1_048_576, "FRA", None)?;
///
/// assert_eq!(locations.get(0)?, Some(("USA", Some("CA"))));
/// assert_eq!(locations.get(2)?, None);
/// assert_eq!(store.get("location:0")?.as_deref(), Some(&[0xeb, 0x09, 0xeb, 0x00][..]));
/// assert_eq!(store.key_type("location:max")?.as_deref(), Some("zset"));
///
/// let everyone = locations.aggregate()?;
/// assert_eq!((everyone.country("USA"), everyone.region("USA", "CA")), (2, 1));
/// let some = locations.aggregate_list([0, 1_048_576])?;
/// assert!(some.countries().eq([("FRA", 1), ("USA", 1)]));
///
/// let mistake = locations.set(3, "ZZZ", None).unwrap_err();
/// assert_eq!(mistake.to_string(), "ERR country 'ZZZ' is unknown");
/// # Ok::<(), tallis::Error>(())
/// ```
///
/// # References
///
/// J. L. Carlson: Redis in Action, 2013, 9.2.3.
#[derive(Clone, Debug)]
pub struct Locations<B = Store> {
    backend: B,
    table: Arc<LocationTable>,
    /// The key of the largest user id.
    largest: PreparedKey,
}

impl Locations {
    /// The largest user id, 2^40 - 1: a trillion users, which are a million strings.
    ///
    /// It bounds how many shards [`aggregate`](Self::aggregate) may have to look for, whatever ids were set.
    pub const MAX_USER: u64 = (1 << 40) - 1;
}

impl<B: Backend> Locations<B> {
    /// The locations in that store, by the [book's table](LocationTable::redis_in_action).
    #[must_use]
    pub fn new(backend: B) -> Self {
        let largest = backend.prepare(LARGEST.as_bytes());
        Self { backend, table: LocationTable::redis_in_action(), largest }
    }

    /// Goes by another table. What is stored already keeps its codes, so it must have been stored by the same one.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{LocationTable, Locations, Store};
    ///
    /// let table = LocationTable::parse("COUNTRIES DEU FRA\nDEU BE BY HH\n")?;
    /// let locations = Locations::new(Store::new()).table(table);
    /// locations.set(7, "DEU", "HH")?;
    /// assert_eq!(locations.get(7)?, Some(("DEU", Some("HH"))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn table(mut self, table: impl Into<Arc<LocationTable>>) -> Self {
        self.table = table.into();
        self
    }

    /// Sets the location of a user. An empty region is none. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a country or region that the table does
    /// not have, which the error names, and for an id above [`MAX_USER`](Locations::MAX_USER);
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if a key of the recipe holds something else. Nothing is
    /// changed then.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{Locations, Store};
    ///
    /// let locations = Locations::new(Store::new());
    /// locations.set(7, "CAN", "QC")?;
    /// let mistake = locations.set(7, "CAN", "QQ").unwrap_err();
    /// assert_eq!(mistake.to_string(), "ERR region 'QQ' of CAN is unknown");
    /// assert_eq!(locations.get(7)?, Some(("CAN", Some("QC"))));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[inline]
    pub fn set<'r>(
        &self,
        user: u64,
        country: &str,
        region: impl Into<Option<&'r str>>,
    ) -> Result<(), Error> {
        self.set_code(user, self.table.code(country, region)?)
    }

    /// As [`set`](Self::set), but names that the table does not have are stored as unknown, as the book does: a region
    /// of a country that is known leaves the country. O(1).
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set), names aside.
    #[inline]
    pub fn set_lenient<'r>(
        &self,
        user: u64,
        country: &str,
        region: impl Into<Option<&'r str>>,
    ) -> Result<(), Error> {
        self.set_code(user, self.table.code_lenient(country, region))
    }

    #[inline]
    fn set_code(&self, user: u64, code: [u8; WIDTH]) -> Result<(), Error> {
        let (shard, index) = slot(user)?;
        let shard = &shard_key(shard);
        let location = Location { shard, offset: index * WIDTH, code, user };
        if self.backend.call(&procedures::set(location, self.largest.as_key()))? {
            return Ok(());
        }
        self.backend.call(&procedures::set_largest(location))
    }

    /// The country of a user, and the region if that is known; `None` if the country is not. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for an id above
    /// [`MAX_USER`](Locations::MAX_USER); [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the key of the shard
    /// holds something else.
    pub fn get(&self, user: u64) -> Result<Option<(&str, Option<&str>)>, Error> {
        let (shard, index) = slot(user)?;
        let code = self.read_shard(shard, |string| {
            PackedView::<CountryRegionCode>::new(string).records().get(index).copied()
        })?;
        let (country, region) = self.table.names(code.unwrap_or_default());
        Ok(country.map(|country| (country, region)))
    }

    /// The largest user id that was ever set; `None` if there is none. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if `location:max` is not such a set,
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) if the id in it is above
    /// [`MAX_USER`](Locations::MAX_USER).
    pub fn largest_user(&self) -> Result<Option<u64>, Error> {
        let Some(score) = self.backend.call(&procedures::largest())? else { return Ok(None) };
        if score < 0.0 {
            return Ok(None);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "what is too large for 64 bits becomes the largest of them"
        )]
        let user = score as u64;
        checked(user).map(Some)
    }

    /// Counts all users by country and region. O(largest id).
    ///
    /// [`unknown`](LocationCounts::unknown) are those whose code is not in the table. Two zeros do not count: see
    /// [above](Self#unknown).
    ///
    /// # Errors
    ///
    /// As [`largest_user`](Self::largest_user); [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the key of a
    /// shard holds something else.
    pub fn aggregate(&self) -> Result<LocationCounts, Error> {
        let histogram = RefCell::new(Histogram::new());
        let shards = self.largest_user()?.map_or(0, |user| user / USERS_PER_SHARD + 1);
        for shard in 0..shards {
            self.read_shard(shard, |string| {
                histogram.borrow_mut().add(PackedView::new(string));
            })?;
        }
        Ok(LocationCounts::new(&self.table, &histogram.into_inner(), Zeros::AreNobody))
    }

    /// Counts the listed users by country and region; one that is listed twice counts twice. O(users).
    ///
    /// [`users`](LocationCounts::users) is the length of the list. [`unknown`](LocationCounts::unknown) are those of
    /// whom no country is known.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for an id above
    /// [`MAX_USER`](Locations::MAX_USER); [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the key of a shard
    /// holds something else.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{Locations, Store};
    ///
    /// let locations = Locations::new(Store::new());
    /// locations.set(7, "CAN", "QC")?;
    /// let counts = locations.aggregate_list([7, 8, 7, 100_000_000])?;
    /// assert_eq!((counts.users(), counts.region("CAN", "QC"), counts.unknown()), (4, 2, 2));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn aggregate_list(
        &self,
        users: impl IntoIterator<Item = u64>,
    ) -> Result<LocationCounts, Error> {
        let histogram = RefCell::new(Histogram::new());
        let mut beyond = 0;
        let mut by_shard = ByShard::default();
        let mut batch = Vec::new();
        let mut users = users.into_iter();
        loop {
            batch.clear();
            for user in users.by_ref().take(BATCH) {
                batch.push(checked(user)?);
            }
            if batch.is_empty() {
                break;
            }
            by_shard.each(&mut batch, |shard, slots| {
                beyond += self.read_shard(shard, |string| {
                    let slots = slots.iter().map(|&at| at as usize);
                    histogram.borrow_mut().add_at(PackedView::new(string), slots)
                })?;
                Ok::<_, Error>(())
            })?;
        }
        let counts = LocationCounts::new(&self.table, &histogram.into_inner(), Zeros::AreUsers);
        Ok(counts.and_unknown(beyond))
    }

    fn read_shard<R>(&self, shard: u64, read: impl Fn(&[u8]) -> R) -> Result<R, Error> {
        self.backend.call(&procedures::look_at(&shard_key(shard), read))
    }
}

/// The shard of a user, and the slot there.
#[inline]
fn slot(user: u64) -> Result<(u64, usize), Error> {
    let user = checked(user)?;
    Ok((user / USERS_PER_SHARD, usize::try_from(user % USERS_PER_SHARD).unwrap_or(0)))
}

#[inline]
fn checked(user: u64) -> Result<u64, Error> {
    if user > Locations::MAX_USER { Err(too_large(user)) } else { Ok(user) }
}

#[cold]
fn too_large(user: u64) -> Error {
    invalid(format!("ERR user id {user} is above {}", Locations::MAX_USER))
}

#[inline]
fn shard_key(shard: u64) -> Text {
    numbered(SHARD, shard)
}
