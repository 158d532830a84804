//! Sets that split, whose keys belong together: `NAME`, the count; `NAME:shards`, how many there are; `NAME:0` and so on.

use std::collections::BTreeMap;

use bytes::Bytes;
use store::{Error, Store};

use super::{expiry, set_later_expiry};
use crate::sharded_set::Base;

/// The end of the key that says how many shards there are.
const SHARDS: &[u8] = b":shards";

/// The names of the sets that split, with the numbers of their shards in the two stores.
pub(super) type Splits = BTreeMap<Box<[u8]>, [i64; 2]>;

/// The sets among these keys that split in both stores.
pub(super) fn find(names: &[Bytes], into: &Store, from: &Store) -> Splits {
    let mut splits = Splits::new();
    for key in names {
        let Some(name) = key.strip_suffix(SHARDS) else { continue };
        let count = |store: &Store| store.get_int(key).ok().flatten();
        let is_set = |store: &Store| {
            let first = Base::new(name).shard(0);
            store.key_type(&first[..]).is_ok_and(|kind| kind.is_none_or(|kind| kind == "set"))
        };
        if let (Some(earlier), Some(later)) = (count(into), count(from))
            && is_set(into)
            && is_set(from)
        {
            splits.insert(name.into(), [earlier, later]);
        }
    }
    splits
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
