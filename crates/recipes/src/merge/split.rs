//! Merging of sets that split, whose keys belong together: `NAME:shards`, the number of shards, and `NAME:1` and so on.

use std::collections::BTreeMap;

use bytes::Bytes;
use store::{Error, Store};

use super::{expiry, set_later_expiry};
use crate::sharded_set::{Base, Ends, Splitting, Spread};

/// The suffix of the key of the number of shards.
const SHARDS: &[u8] = b":shards";

/// The suffix of the key of the only shard.
const ONLY: &[u8] = b":1";

/// The names of the sets that split, with their numbers of shards in the two stores.
pub(super) type Splits = BTreeMap<Box<[u8]>, [i64; 2]>;

/// Returns the sets that split in both stores, given the keys of the later.
pub(super) fn find(names: &[Bytes], into: &Store, from: &Store) -> Result<Splits, Error> {
    let level_keys = [b"*", SHARDS].concat();
    let of_into: Vec<Bytes> = into.scan_match(level_keys).collect::<Result<_, _>>()?;
    let mut splits = Splits::new();
    for key in of_into.iter().chain(names) {
        let Some(name) = key.strip_suffix(SHARDS).or_else(|| key.strip_suffix(ONLY)) else {
            continue;
        };
        if splits.contains_key(name) {
            continue;
        }
        let [earlier, later] = [into, from].map(|store| Found::look(store, name));
        let (Some(earlier), Some(later)) = (earlier, later) else { continue };
        // If neither has a number, each has one shard, which is merged like any set.
        if earlier.shards.is_some() || later.shards.is_some() {
            let shards = [earlier, later].map(|found| found.shards.unwrap_or(1));
            splits.insert(name.into(), shards);
        }
    }
    Ok(splits)
}

/// The keys of a set that a store has.
struct Found {
    shards: Option<i64>,
}

impl Found {
    /// Returns them; `None` if there are none, or if they are not those of a set that splits.
    fn look(store: &Store, name: &[u8]) -> Option<Self> {
        let base = Base::new(name);
        let shards = store.get_int(&base.with(b"shards")[..]).ok()?;
        let only = store.scard(&base.with(b"1")[..]).ok()?;
        (shards.is_some() || only > 0).then_some(Self { shards })
    }
}

/// Returns whether a key belongs to a set that splits.
pub(super) fn has(splits: &Splits, key: &[u8]) -> bool {
    if splits.is_empty() {
        return false;
    }
    let end = key.iter().rposition(|&byte| byte == b':').unwrap_or(key.len());
    let (name, end) = key.split_at(end);
    let is_end =
        end == SHARDS || end.get(1..).is_some_and(|end| end.iter().all(u8::is_ascii_digit));
    is_end && splits.contains_key(name)
}

/// Merges a set that splits, shard by shard.
pub(super) fn merge(into: &Store, from: &Store, name: &[u8], shards: i64) -> Result<(), Error> {
    let set = Splitting::new(into, name, Spread::default());
    for end in Ends::Suffixes(u64::try_from(shards).unwrap_or(1)).iter() {
        let shard = set.base().shard(end);
        let members = from.smembers(&shard[..])?;
        if !members.is_empty() {
            let is_new = !into.exists(&shard[..])?;
            let (own, others) = (expiry(into, &shard)?, expiry(from, &shard)?);
            into.sadd(&shard[..], &members)?;
            set_later_expiry(into, &shard, if is_new { others } else { own }, others)?;
        }
    }
    let level = set.level_key();
    set_later_expiry(into, level, expiry(into, level)?, expiry(from, level)?)
}
