//! Sets that split, whose keys belong together: `NAME:shards`, how many shards there are, and `NAME:1` and so on.

use std::collections::BTreeMap;

use bytes::Bytes;
use store::{Error, Store};

use super::{expiry, set_later_expiry};
use crate::sharded_set::{Base, Ends, Splitting, Spread};

/// The end of the key that says how many shards there are.
const SHARDS: &[u8] = b":shards";

/// The end of the key of the only shard.
const ONLY: &[u8] = b":1";

/// The names of the sets that split, with the numbers of their shards in the two stores.
pub(super) type Splits = BTreeMap<Box<[u8]>, [i64; 2]>;

/// The sets that split in both stores, of which the later has these keys.
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
        // Where neither has a number there is one shard in each, which is a set as any.
        if earlier.shards.is_some() || later.shards.is_some() {
            let shards = [earlier, later].map(|found| found.shards.unwrap_or(1));
            splits.insert(name.into(), shards);
        }
    }
    Ok(splits)
}

/// What a store has of a set.
struct Found {
    shards: Option<i64>,
}

impl Found {
    /// `None` if there is nothing of such a set, or something else.
    fn look(store: &Store, name: &[u8]) -> Option<Self> {
        let base = Base::new(name);
        let shards = store.get_int(&base.with(b"shards")[..]).ok()?;
        let only = store.scard(&base.with(b"1")[..]).ok()?;
        (shards.is_some() || only > 0).then_some(Self { shards })
    }
}

/// Whether a key is one of a set that splits.
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

/// Merges such a set, shard by shard.
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
