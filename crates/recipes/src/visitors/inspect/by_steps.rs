//! The calls by steps on the keys, in batches.

use macros::blocking_and_async;
use store::{Error, Member};

use super::super::BATCH;
use super::super::keys::{FORM_KEYS, counter_key, shard_counter};
use super::super::plan::Plan;
use super::{not_an_id, set_bits};
use crate::backend::{AsyncBackend, Backend, call_all, call_all_async, sum_all, sum_all_async};
use crate::bucket::Bucket;
use crate::kept::KeptUntil;
use crate::keys::{delete, memory_usage as memory_usage_of};
use crate::procedure::on_a_store_only;
use crate::sharded_set::{Ends, Fixed, get, members};
use crate::text::Text;

#[blocking_and_async]
pub(super) async fn ids(backend: &impl Backend, bucket: Bucket) -> Result<Vec<i64>, Error> {
    let mut ids = Vec::new();
    match Plan::find(backend, bucket, KeptUntil::default()).await? {
        None => {}
        Some(Plan::Forecast { set, .. } | Plan::Tagged { set, .. }) => {
            let mut ends = Ends::Numbers(set.shards).existing(backend, &set.base).await?;
            loop {
                let shards: Vec<Text> =
                    ends.by_ref().take(BATCH).map(|number| set.base.shard(number)).collect();
                if shards.is_empty() {
                    break;
                }
                let reads: Vec<_> = shards.iter().map(|shard| members(shard)).collect();
                let mut found = vec![Vec::new(); shards.len()];
                call_all(backend, &reads, |at, members| found[at] = members).await?;
                for member in found.iter().flatten() {
                    ids.push(Member::from(member).as_int().ok_or_else(not_an_id)?);
                }
            }
        }
        Some(Plan::Bitmap { bitmap, .. }) => {
            let bits = backend.call(&get(bitmap.as_ref())).await?.unwrap_or_default();
            ids.extend(set_bits(&bits));
        }
        Some(Plan::Splitting(_)) => return Err(on_a_store_only("sets that split their shards")),
    }
    Ok(ids)
}

#[blocking_and_async]
pub(super) async fn memory_usage(backend: &impl Backend, bucket: Bucket) -> Result<usize, Error> {
    let mut keys = Keys::find(backend, bucket).await?;
    let mut bytes = 0_u64;
    loop {
        let some = keys.next(BATCH);
        if some.is_empty() {
            return Ok(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        let steps: Vec<_> = some.iter().map(|key| memory_usage_of(key)).collect();
        bytes = bytes.saturating_add(sum_all(backend, &steps).await?);
    }
}

#[blocking_and_async]
pub(super) async fn remove(backend: &impl Backend, bucket: Bucket) -> Result<bool, Error> {
    let mut keys = Keys::find(backend, bucket).await?;
    let mut removed = false;
    loop {
        let some = keys.next(BATCH);
        if some.is_empty() {
            return Ok(removed);
        }
        let names: Vec<&[u8]> = some.iter().map(|key| &**key).collect();
        // On a cluster a step accesses keys of one slot.
        let steps: Vec<_> = names.chunks(1).map(delete).collect();
        removed |= sum_all(backend, &steps).await? > 0;
    }
}

/// An iterator over the keys of a bucket: its shards, their counters, its other keys, and the key that records its form
/// last.
struct Keys {
    /// Its shards, and whether each has a counter.
    shards: Option<(Fixed, bool)>,
    at: u64,
    own: std::vec::IntoIter<Text>,
}

#[blocking_and_async]
impl Keys {
    async fn find(backend: &impl Backend, bucket: Bucket) -> Result<Self, Error> {
        let shards = match Plan::find(backend, bucket, KeptUntil::default()).await? {
            None | Some(Plan::Bitmap { .. }) => None,
            Some(Plan::Forecast { set, .. }) => Some((set, false)),
            Some(Plan::Tagged { set, .. }) => Some((set, true)),
            Some(Plan::Splitting(_)) => {
                return Err(on_a_store_only("sets that split their shards"));
            }
        };
        let own = [counter_key(bucket)].into_iter().chain(FORM_KEYS.map(|key| key(bucket)));
        let own: Vec<Text> = own.map(|key| Text::from_slice(key.as_bytes())).collect();
        Ok(Self { shards, at: 0, own: own.into_iter() })
    }
}

impl Keys {
    /// Returns the next keys, about `most` of them.
    fn next(&mut self, most: usize) -> Vec<Text> {
        let Some((set, has_counts)) = &self.shards else {
            return self.own.by_ref().take(most).collect();
        };
        let end = set.shards.min(self.at.saturating_add(most as u64));
        let numbers = self.at..end;
        self.at = end;
        let mut keys = Vec::with_capacity(most);
        for shard in numbers.map(|number| set.base.shard(number)) {
            if *has_counts {
                keys.push(shard_counter(&shard));
            }
            keys.push(shard);
        }
        if keys.is_empty() {
            keys.extend(self.own.by_ref().take(most));
        }
        keys
    }
}
