//! Sets that split, whose keys belong together: `NAME`, the count; `NAME:shards`, how many there are; `NAME:0` and so
//! on.

use std::collections::BTreeMap;

use bytes::Bytes;
use store::{Error, Store};

use super::{expiry, set_later_expiry};
use crate::sharded_set::Base;

/// The end of the key that says how many shards there are.
const SHARDS: &[u8] = b":shards";

/// The end of the key of the first shard.
const FIRST: &[u8] = b":0";

/// The names of the sets that split, with the numbers of their shards in the two stores.
pub(super) type Splits = BTreeMap<Box<[u8]>, [i64; 2]>;

/// The sets that split in both stores, of which the later has these keys.
pub(super) fn find(names: &[Bytes], into: &Store, from: &Store) -> Result<Splits, Error> {
    let level_keys = [b"*", SHARDS].concat();
    let of_into: Vec<Bytes> = into.scan_match(level_keys).collect::<Result<_, _>>()?;
    let mut splits = Splits::new();
    for key in of_into.iter().chain(names) {
        let Some(name) = key.strip_suffix(SHARDS).or_else(|| key.strip_suffix(FIRST)) else {
            continue;
        };
        if splits.contains_key(name) {
            continue;
        }
        let [earlier, later] = [into, from].map(|store| Found::look(store, name));
        let (Some(earlier), Some(later)) = (earlier, later) else { continue };
        let is_split = earlier.shards.is_some() || later.shards.is_some();
        // With one shard there need be no number, and the count tells such a set from another.
        if is_split || earlier.is_counted && later.is_counted {
            let shards = [earlier, later].map(|found| found.shards.unwrap_or(1));
            splits.insert(name.into(), shards);
        }
    }
    Ok(splits)
}

/// What a store has of a set.
struct Found {
    shards: Option<i64>,
    /// Whether the count is that of the first shard.
    is_counted: bool,
}

impl Found {
    /// `None` if there is nothing of such a set, or something else.
    fn look(store: &Store, name: &[u8]) -> Option<Self> {
        let base = Base::new(name);
        let shards = store.get_int(&base.with(b"shards")[..]).ok()?;
        let count = store.get_int(name).ok()?;
        let first = store.scard(&base.shard(0)[..]).ok()?;
        let is_counted = count.is_some_and(|count| usize::try_from(count) == Ok(first));
        (shards.is_some() || count.is_some() || first > 0).then_some(Self { shards, is_counted })
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
    splits.contains_key(key) || is_end && splits.contains_key(name)
}

/// Merges such a set, shard by shard.
pub(super) fn merge(into: &Store, from: &Store, name: &[u8], shards: i64) -> Result<(), Error> {
    let base = Base::new(name);
    let mut count = 0;
    for number in 0..u64::try_from(shards).unwrap_or(0) {
        let shard = base.shard(number);
        let members = from.smembers(&shard[..])?;
        if !members.is_empty() {
            let is_new = !into.exists(&shard[..])?;
            let (own, others) = (expiry(into, &shard)?, expiry(from, &shard)?);
            into.sadd(&shard[..], &members)?;
            set_later_expiry(into, &shard, if is_new { others } else { own }, others)?;
        }
        count += into.scard(&shard[..])?;
    }
    let (own, others) = (expiry(into, name)?, expiry(from, name)?);
    into.set(name, count as u64)?;
    set_later_expiry(into, name, own, others)?;
    let level = base.with(b"shards");
    set_later_expiry(into, &level, expiry(into, &level)?, expiry(from, &level)?)
}
