//! How many shards a set that splits has, and when that changes.

use store::{Error, ErrorKind, KeyRef, Tx};

use crate::errors::not_a;
use crate::kept::KeptUntil;

/// The most members of a shard: an addition to one that has more splits the shard whose turn it is.
///
/// Until then the shards that have not been split in this round differ by some twenty, so nearly none reaches the 513
/// of a hash table.
pub(super) const MOST: u64 = 320;

/// A shard is split in its turn if it has more members than so many: not if hashes are so uneven that others are the large
/// ones.
pub(super) const FULL: u64 = MOST / 4 * 3;

/// Each time that a shard above [`MOST`] has grown by so many members, the next one is split whatever it has: members that
/// come in the order of their hashes, or have been chosen for them, make one shard large before its turn.
pub(super) const FORCED: u64 = 128;

/// The fewest members of a shard, unless there is but one: a removal from one that has fewer merges the last two.
///
/// Far enough below [`MOST`] that members that are added and removed by turns move nothing.
pub(super) const FEWEST: u64 = MOST / 4;

/// The most members of a shard that two are merged into.
pub(super) const MERGED: u64 = 2 * FEWEST + FEWEST / 2;

/// The most shards: as many as there are hashes.
pub(super) const MOST_SHARDS: u64 = 1 << 32;

/// The number of shards that a step goes by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level<'k> {
    /// The key of a string that says how many shards there are; without the key there is one.
    pub(super) key: KeyRef<'k>,
    /// How many the caller assumes there are.
    pub(super) shards: u64,
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
    let number = match tx.get_int(key) {
        Ok(None) => Some(1),
        Ok(Some(number)) => {
            u64::try_from(number).ok().filter(|number| (1..=MOST_SHARDS).contains(number))
        }
        Err(error) if error.kind() == ErrorKind::NotInteger => None,
        Err(error) => return Err(error),
    };
    number.ok_or_else(|| not_a(key.as_bytes(), "number of shards"))
}
