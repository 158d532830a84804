//! The number of shards of a set that splits, and the thresholds at which it changes.

use store::{Error, ErrorKind, KeyRef, Tx};

use crate::errors::not_a;
use crate::kept::KeptUntil;

/// The most members of a shard: an addition to a shard with more splits the next shard in order.
///
/// The shards that have not been split in this round differ by some twenty members, so almost none reaches 513, at
/// which it would become a hash table.
pub(super) const MOST: u64 = 320;

/// The next shard in order is split only if it has more members than this. If the hashes are uneven, other shards may
/// be the large ones.
pub(super) const FULL: u64 = MOST / 4 * 3;

/// Each time that a shard above [`MOST`] has grown by this many members, the next shard is split whatever its size:
/// members that are added in the order of their hashes, or were chosen for them, make one shard large before its turn.
pub(super) const FORCED: u64 = 128;

/// The fewest members of a shard, unless it is the only one: a removal from a shard with fewer merges the last two.
///
/// Far enough below [`MOST`] that alternating additions and removals do not split and merge repeatedly.
pub(super) const FEWEST: u64 = MOST / 4;

/// The most members of the shard that results from a merge.
pub(super) const MERGED: u64 = 2 * FEWEST + FEWEST / 2;

/// The most shards: the number of hashes.
pub(super) const MOST_SHARDS: u64 = 1 << 32;

/// The number of shards that a step assumes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level<'k> {
    /// The key of the string that has the number of shards; without it there is one shard.
    pub(super) key: KeyRef<'k>,
    /// The number of shards that the caller assumes.
    pub(super) shards: u64,
    /// When the keys of the set expire.
    pub(super) until: KeptUntil,
}

impl Level<'_> {
    /// Returns whether the number of shards is the one that the caller assumes.
    #[inline]
    pub(super) fn agrees(self, tx: &Tx<'_>) -> Result<bool, Error> {
        Ok(shards_at(tx, self.key)? == self.shards)
    }
}

/// Returns the number of shards from the string at a key, or 1 if there is none.
///
/// # Errors
///
/// If the string is not a number of shards.
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
