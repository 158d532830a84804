//! The calls on a store: in place, and atomic if they change something.

use store::{Error, Locks, Member, Store};

use super::super::keys::{
    FORM_KEYS, bits_key, counter_key, expected_key, shard_counter, tagged_key,
};
use super::super::plan::Plan;
use super::{not_an_id, set_bits};
use crate::backend::Backend;
use crate::bucket::Bucket;
use crate::kept::KeptUntil;
use crate::sharded_set::{Base, Ends};

pub(super) fn ids(store: &Store, bucket: Bucket) -> Result<Vec<i64>, Error> {
    let mut ids = Vec::new();
    match Plan::find(store, bucket, KeptUntil::default())? {
        None => {}
        Some(Plan::Forecast { set: fixed, .. } | Plan::Tagged { set: fixed, .. }) => {
            for_each_shard(store, &fixed.base, Ends::Numbers(fixed.shards), |shard| {
                take(store, shard, &mut ids)
            })?;
        }
        Some(Plan::Bitmap { bitmap, .. }) => {
            store.get_with(&bitmap, |bits| ids.extend(set_bits(bits.unwrap_or_default())))?;
        }
        Some(Plan::Splitting(set)) if !set.ends(store)?.exceed(store)? => {
            for member in set.members(store) {
                ids.push(Member::from(&member?).as_int().ok_or_else(not_an_id)?);
            }
        }
        // Counting visits never reaches this. The shards must not be split or merged while they are searched for.
        Some(Plan::Splitting(set)) => store.transaction_all(|tx| {
            for_each_shard(tx, set.base(), set.ends(tx)?, |shard| take(tx, shard, &mut ids))
        })?,
    }
    Ok(ids)
}

pub(super) fn memory_usage(store: &Store, bucket: Bucket) -> Result<usize, Error> {
    let mut bytes = 0;
    let mut take = |key: &[u8]| {
        bytes += store.memory_usage(key)?.unwrap_or(0);
        Ok(())
    };
    take(counter_key(bucket).as_bytes())?;
    match Plan::find(store, bucket, KeptUntil::default())? {
        None => {}
        Some(Plan::Forecast { set: fixed, .. }) => {
            take(expected_key(bucket).as_bytes())?;
            for_each_shard(store, &fixed.base, Ends::Numbers(fixed.shards), take)?;
        }
        Some(Plan::Tagged { set: fixed, .. }) => {
            take(tagged_key(bucket).as_bytes())?;
            for_each_shard(store, &fixed.base, Ends::Numbers(fixed.shards), |shard| {
                take(shard)?;
                take(&shard_counter(shard))
            })?;
        }
        Some(Plan::Splitting(set)) => {
            take(set.level_key())?;
            take(bits_key(bucket).as_bytes())?;
            let ends = set.ends(store)?;
            if ends.exceed(store)? {
                bytes += store.transaction_all(|tx| {
                    let mut bytes = 0;
                    for_each_shard(tx, set.base(), set.ends(tx)?, |shard| {
                        bytes += tx.memory_usage(shard)?.unwrap_or(0);
                        Ok(())
                    })?;
                    Ok(bytes)
                })?;
            } else {
                ends.iter().try_for_each(|end| take(&set.base().shard(end)))?;
            }
        }
        Some(Plan::Bitmap { bitmap, .. }) => take(bitmap.as_ref())?,
    }
    Ok(bytes)
}

pub(super) fn remove(store: &Store, bucket: Bucket) -> Result<bool, Error> {
    store.transaction_all(|tx| {
        let mut removed = tx.del(counter_key(bucket))?;
        let mut remove = |key: &[u8]| {
            removed += tx.del(key)?;
            Ok(())
        };
        match Plan::find(tx, bucket, KeptUntil::default())? {
            None | Some(Plan::Bitmap { .. }) => {}
            Some(Plan::Forecast { set: fixed, .. }) => {
                for_each_shard(tx, &fixed.base, Ends::Numbers(fixed.shards), &mut remove)?;
            }
            Some(Plan::Tagged { set: fixed, .. }) => {
                for_each_shard(tx, &fixed.base, Ends::Numbers(fixed.shards), |shard| {
                    remove(shard)?;
                    remove(&shard_counter(shard))
                })?;
            }
            Some(Plan::Splitting(set)) => {
                for_each_shard(tx, set.base(), set.ends(tx)?, &mut remove)?;
            }
        }
        for key in FORM_KEYS {
            remove(key(bucket).as_bytes())?;
        }
        Ok(removed > 0)
    })
}

/// Calls a function with the keys of the shards that exist, and possibly of others.
fn for_each_shard(
    backend: &impl Backend,
    base: &Base,
    shards: Ends,
    mut visit: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    shards.existing(backend, base)?.try_for_each(|end| visit(&base.shard(end)))
}

/// Adds the members of a shard.
fn take<L: Locks>(store: &Store<L>, shard: &[u8], ids: &mut Vec<i64>) -> Result<(), Error> {
    let mut all = Ok(());
    store.smembers_with(shard, |member| match member.as_int() {
        Some(id) => ids.push(id),
        None => all = Err(not_an_id()),
    })?;
    all
}
