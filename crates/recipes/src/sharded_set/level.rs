//! The two numbers beside the shards of a set that splits.

use std::ops::RangeInclusive;

use store::{Error, ErrorKind, KeyRef, Tx};

use super::spread::Spread;
use crate::errors::not_a;
use crate::kept::KeptUntil;

/// The most members a shard may have on average: then one more is made.
///
/// Before its turn a shard has up to twice as many, give or take a few dozen, so nearly none reaches the 513 of a
/// hash table.
pub(super) const MOST: u64 = 200;

/// The fewest members a shard may have on average, the last one aside: then it is joined to the one it was split from.
///
/// Far enough below [`MOST`] that members that are added and removed by turns move nothing.
pub(super) const FEWEST: u64 = 100;

/// The most shards: as many as there are hashes.
pub(super) const MOST_SHARDS: u64 = 1 << 32;

/// The number of shards that a step goes by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level<'k> {
    /// The key of a string that says how many shards there are; without the key there is one.
    pub(super) key: KeyRef<'k>,
    /// How many the caller assumes there are.
    pub(super) shards: u64,
    /// By what members are spread over them.
    pub(super) spread: Spread,
    /// When the keys of the set expire.
    pub(super) until: KeptUntil,
}

impl Level<'_> {
    /// Whether there are as many shards as the caller assumes.
    #[inline]
    pub(super) fn agrees(self, tx: &Tx<'_>) -> Result<bool, Error> {
        Ok(shards_at(tx, self.key)? == self.shards)
    }
}

/// How many shards the string at a key says there are: one without it.
///
/// # Errors
///
/// Something that is no number of shards.
#[inline]
pub(super) fn shards_at(tx: &Tx<'_>, key: KeyRef<'_>) -> Result<u64, Error> {
    number_at(tx, key, "number of shards", 1, 1..=MOST_SHARDS)
}

/// How many members the string at a key counts: none without it.
///
/// # Errors
///
/// Something that is no count.
pub(super) fn count_at(tx: &Tx<'_>, key: KeyRef<'_>) -> Result<u64, Error> {
    number_at(tx, key, "count", 0, 0..=u64::MAX)
}

/// The number that the string at a key is, if it is one of those; `missing` without the key.
#[inline]
fn number_at(
    tx: &Tx<'_>,
    key: KeyRef<'_>,
    what: &str,
    missing: u64,
    fit: RangeInclusive<u64>,
) -> Result<u64, Error> {
    let number = match tx.get_int(key) {
        Ok(None) => Some(missing),
        Ok(Some(number)) => u64::try_from(number).ok().filter(|number| fit.contains(number)),
        Err(error) if error.kind() == ErrorKind::NotInteger => None,
        Err(error) => return Err(error),
    };
    number.ok_or_else(|| not_a(key.as_bytes(), what))
}
