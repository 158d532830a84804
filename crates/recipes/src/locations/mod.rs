//! Locations of users, in one to eight bytes each (Redis in Action, section 9.2.3).

// Before the others, so that constructors come first in the documentation.
mod config;

mod aggregate;
#[cfg(all(test, feature = "async", feature = "redis"))]
mod asynchronous;
mod batch;
#[cfg(all(test, feature = "redis"))]
mod beside;
mod blocks;
mod by_shard;
mod cities;
mod counts;
mod names;
mod precision;
mod procedures;
mod scripts;
mod table;
mod tally;

use bitpack::packed::Codec;
use macros::blocking_and_async;
use store::{Error, PreparedKey, Store};

use crate::backend::{AsyncBackend, Backend, BackendKind, Keyspace};
use crate::errors::invalid;
use crate::slot::key_slot;
use crate::text::{Text, numbered};
use procedures::OfShard;

pub(crate) use scripts::SCRIPTS;

pub use cities::{CityTable, CityTableError};
pub use counts::{CodeCounts, LocationCounts};
pub use precision::{Cities, Codes, Countries, Precision, Regions};
pub use table::{LocationTable, TableError, TableProblem};

/// The prefix of keys, as in the book.
const PREFIX: &[u8] = b"location";

/// The number of users in a string of [`Locations`], as in the book: two megabytes at two bytes per user.
pub const USERS_PER_SHARD: u64 = 1 << 20;

/// The codec of a precision.
type CodecOf<P> = <P as Precision>::Codec;
type RecordOf<P> = <CodecOf<P> as Codec>::Record;

/// Stores a location per user: the country and the region in two bytes (Redis in Action, section 9.2.3), the country
/// only, the city too, or any code of one to eight bytes.
///
/// # Idea
///
/// Users are numbered, and nearly all numbers are in use. So a user needs no key: the number is the offset of two bytes
/// in a long string, one of the country and one of the region. About a million users share a string; to count the
/// locations of all users, the strings are scanned, two bytes per user.
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
///   country's table plus one; 0 is unknown;
/// * `location:max`, a sorted set: its member `max` has the largest user id as its score.
///
/// These are the keys and bytes of the book's Python, so both programs can work on the same data.
///
/// # Precision
///
/// A location may have more bytes, or one. A user `u` has the bytes from `width * (u % 2^20)` of the shard; everything
/// else is the same.
///
/// | created by | bytes | location | MB for a million users |
/// |---|---|---|---|
/// | [`new(store).countries()`](Self::countries) | 1 | the country: the first of the book's two bytes | 1 |
/// | [`new(store)`](Self::new) | 2 | country and region | 2 |
/// | [`new(store).cities(table)`](Self::cities) | 3 | country, region and city, by a [`CityTable`] | 3 |
/// | [`new(store).codec::<C>()`](Self::codec) | 1 to 8 | postal areas, coordinates, the items of any codec | 1 to 8 |
///
/// All keys with one prefix have one precision; use another [`prefix`](Self::prefix) for another one. The precision is
/// not stored. A string whose length is no multiple of the width, or that is longer than 2^20 codes, is refused, but
/// some strings of another width are not detected.
///
/// # Unknown
///
/// [`set`](Self::set) refuses names that are not in the table; [`set_lenient`](Self::set_lenient) stores 0 for them, as
/// the book does. Bytes that were never written are also 0, so a user without a location cannot be distinguished from a
/// number without a user.
///
/// # Complexity
///
/// [`set`](Self::set) and [`get`](Self::get) are O(1), unless a string has to grow. [`aggregate`](Self::aggregate) is
/// O(largest id): it counts shard after shard in place, without a copy, in about a nanosecond per user; each shard is
/// read atomically, the call as a whole is not. [`aggregate_list`](Self::aggregate_list) is O(users in the list), which
/// are grouped by shard. [`set_codes`](Self::set_codes) sets many users, in O(users).
///
/// # Asynchronous calls
///
/// Each call that uses the backend has an asynchronous form, whose name ends with `_async`, for an
/// [`AsyncBackend`](crate::AsyncBackend).
///
/// # On a server
///
/// | call | request |
/// |---|---|
/// | [`set`](Self::set), [`set_code`](Self::set_code) | the script `set.lua` |
/// | [`set_codes`](Self::set_codes) | `set.lua` for up to 256 users of a shard, in pipelines of up to 65,536 users |
/// | [`get`](Self::get), [`code`](Self::code) | the script `code.lua` |
/// | [`largest_user`](Self::largest_user) | ZSCORE |
/// | [`aggregate`](Self::aggregate) | ZSCORE; STRLEN of each shard, and GETRANGE of its blocks of 128 KiB, as the book reads them: in pipelines of up to 8 MiB |
/// | [`aggregate_list`](Self::aggregate_list) | STRLEN of each shard in the list; GETRANGE for each user, or for a block with many listed users |
///
/// A script is one atomic step. An aggregate is not: each block has the state of when it was read, as in the book's
/// Python.
///
/// Programs in other languages can run the same scripts, whose comment documents KEYS and ARGV. They can also use
/// SETRANGE and ZADD GT, as the book does, but then a string of another width is not refused.
///
#[doc = concat!("```lua\n", include_str!("set.lua"), "```")]
///
#[doc = concat!("```lua\n", include_str!("code.lua"), "```")]
///
/// On a cluster a shard and `location:max` are in two slots, and no step can access both. There ZADD GT of the largest
/// id comes first, then `set.lua` with the shard only. Between the two, and permanently if the second one fails, the
/// largest id may be that of a user without a code: it is not counted, but an aggregate may have to look for more
/// shards. A prefix with a hash tag (`prefix("{location}")`) puts all keys in one slot, and so on one node, where a
/// step is atomic again.
///
/// After [`ErrorKind::Io`](store::ErrorKind::Io) it is unknown whether a code was set. Setting it again is safe, unless
/// another one was set in between.
///
/// # Limits
///
/// Ids are at most [`MAX_USER`](Self::MAX_USER). They should be dense: a user far from all others takes a string of up
/// to 2 MiB that is mostly zeros, or in general 1 MiB per byte of the width.
///
/// An aggregate takes 11 KiB of memory for codes of one byte, 1.5 MiB for two, 512 KiB per country (per first byte) for
/// three, and an entry of a hash table per code for more.
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
pub struct Locations<B = Store, P = Regions> {
    backend: B,
    precision: P,
    /// The prefix of the keys of the shards.
    shards: Box<[u8]>,
    /// The key of the largest user id.
    largest: PreparedKey,
}

#[blocking_and_async]
impl<B: Backend> Locations<B> {
    /// Sets the location of a user. An empty region means none. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a country or region that is not in the
    /// table, which the error names, and for an id above [`MAX_USER`](Locations::MAX_USER);
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if a key of the recipe holds another type. Nothing has
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
    pub async fn set<'r>(
        &self,
        user: u64,
        country: &str,
        region: impl Into<Option<&'r str>>,
    ) -> Result<(), Error> {
        self.set_code(user, self.precision.0.code(country, region)?).await
    }

    /// As [`set`](Self::set), but names that are not in the table are stored as unknown, as in the book: for an unknown
    /// region the country is kept. O(1).
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set), except for unknown names.
    #[inline]
    pub async fn set_lenient<'r>(
        &self,
        user: u64,
        country: &str,
        region: impl Into<Option<&'r str>>,
    ) -> Result<(), Error> {
        self.set_code(user, self.precision.0.code_lenient(country, region)).await
    }

    /// Returns the country of a user, and the region if it is known; `None` if the country is unknown. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for an id above
    /// [`MAX_USER`](Locations::MAX_USER); [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the key of the shard
    /// holds another type.
    pub async fn get(&self, user: u64) -> Result<Option<(&str, Option<&str>)>, Error> {
        let (country, region) = self.precision.0.names(self.code(user).await?);
        Ok(country.map(|country| (country, region)))
    }
}

impl<B: Keyspace, P: Precision> Locations<B, P> {
    /// Returns whether a shard and the largest id are in two slots of a cluster, so that one step cannot access both.
    fn is_apart(&self, shard: &[u8]) -> bool {
        self.backend.kind() == BackendKind::Cluster
            && key_slot(shard) != key_slot(self.largest.as_ref())
    }

    #[inline]
    fn shard_key(&self, shard: u64) -> Text {
        numbered(&self.shards, shard)
    }
}

/// # Any precision
#[blocking_and_async]
impl<B: Backend, P: Precision> Locations<B, P> {
    /// Sets the code of a user, without a check against the table. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for an id above
    /// [`MAX_USER`](Locations::MAX_USER); [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if a key of the recipe
    /// holds another type, or a string of a length that is impossible for codes of this width. Nothing has changed
    /// then.
    #[inline]
    pub async fn set_code(&self, user: u64, code: RecordOf<P>) -> Result<(), Error> {
        let shard = &self.shard_key(shard(user)?);
        let users = OfShard { shard, codes: &[(user, code)] };
        if self.backend.kind() == BackendKind::Store
            && self.backend.call(&procedures::set(users, self.largest.as_key())).await?
        {
            return Ok(());
        }
        if self.is_apart(shard) {
            self.backend.call(&procedures::raise(self.largest.as_ref(), user)).await?;
            return self.backend.call(&procedures::set_alone(users)).await;
        }
        self.backend.call(&procedures::set_largest(users, self.largest.as_ref())).await
    }

    /// Returns the code of a user; zeros if none was set. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for an id above
    /// [`MAX_USER`](Locations::MAX_USER); [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the key of the shard
    /// holds another type.
    #[inline]
    pub async fn code(&self, user: u64) -> Result<RecordOf<P>, Error> {
        self.backend.call(&procedures::code(&self.shard_key(shard(user)?), index(user))).await
    }
}

/// Returns the prefix of the keys of the shards, and the key of the largest id.
fn keys(prefix: &[u8]) -> [Box<[u8]>; 2] {
    let shards = [prefix, b":"].concat();
    let largest = [&shards, procedures::MAX.as_bytes()].concat();
    [shards.into(), largest.into()]
}

/// Returns the shard of a user.
#[inline]
fn shard(user: u64) -> Result<u64, Error> {
    Ok(checked(user)? / USERS_PER_SHARD)
}

/// Returns the index of a user in the shard.
#[inline]
fn index(user: u64) -> usize {
    usize::try_from(user % USERS_PER_SHARD).unwrap_or(0)
}

#[inline]
fn checked(user: u64) -> Result<u64, Error> {
    if user > Locations::MAX_USER { Err(too_large(user)) } else { Ok(user) }
}

#[cold]
fn too_large(user: u64) -> Error {
    invalid(format!("ERR user id {user} is above {}", Locations::MAX_USER))
}
