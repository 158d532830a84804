//! The two numbers beside the shards of a set that splits.

use bytes::Bytes;

use crate::error::{Error, ErrorKind};
use crate::value::parse_int;

/// The most members a shard may have on average: then one more is made.
///
/// Before its turn a shard has up to twice as many, give or take a few dozen, so nearly none reaches the 513 of a hash table.
pub(super) const MOST: u64 = 200;

/// The fewest members a shard may have on average, the last one aside: then it is joined to the one it was split from.
///
/// Far enough below [`MOST`] that members who come and go by turns move nothing.
pub(super) const FEWEST: u64 = 100;

/// The most shards: as many as there are hashes.
pub(super) const MOST_SHARDS: u64 = 1 << 32;

/// How many shards the number at a key means.
///
/// # Errors
///
/// Something that is no number of shards.
#[inline]
pub(super) fn shards_in(number: Option<i64>, key: &[u8]) -> Result<u64, Error> {
    number
        .and_then(|number| u64::try_from(number).ok())
        .filter(|shards| (1..=MOST_SHARDS).contains(shards))
        .ok_or_else(|| refused(key, "number of shards"))
}

/// How many shards the value of a key means: one without it.
///
/// # Errors
///
/// Something that is no number of shards.
pub(super) fn shards_of(value: Option<Bytes>, key: &[u8]) -> Result<u64, Error> {
    value.map_or(Ok(1), |value| shards_in(parse_int(&value), key))
}

/// How many members the value of a key means: none without it.
///
/// # Errors
///
/// Something that is no count.
pub(super) fn count_in(value: Option<Bytes>, key: &[u8]) -> Result<u64, Error> {
    let Some(value) = value else { return Ok(0) };
    parse_int(&value)
        .and_then(|number| u64::try_from(number).ok())
        .ok_or_else(|| refused(key, "count"))
}

#[cold]
fn refused(key: &[u8], what: &str) -> Error {
    let key = key.escape_ascii();
    Error::new(ErrorKind::NotInteger, format!("ERR the value at '{key}' is not a {what}"))
}
