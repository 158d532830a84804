//! Counts visits of a bucket, and returns the number of its visitors.

use std::iter;

use macros::blocking_and_async;
use store::{Error, ErrorKind, KeyRef, Member};

use super::BATCH;
use super::keys::shard_counter;
use super::plan::{Plan, bit_of, number_at, number_at_async, parsed};
use super::procedures::{
    Counted, add_all_and_count, add_and_count, add_kept, count_in, mark, mark_all_and_count,
    mark_and_count, send_all_and_count, send_shard_and_count,
};
use crate::backend::{AsyncBackend, Backend, BackendKind, Keyspace, call_all, call_all_async};
use crate::kept::KeptUntil;
use crate::procedure::Procedure;
use crate::sharded_set::{Ends, Fixed, InShard, get, of_each_shard};
use crate::text::Text;

#[blocking_and_async]
impl Plan {
    #[inline]
    pub(super) async fn count_id(&self, backend: &impl Backend, id: i64) -> Result<bool, Error> {
        match self {
            Self::Forecast { .. } | Self::Bitmap { .. } if is_cluster(backend) => {
                self.count_apart(backend, &[id]).await.map(|new| new == 1)
            }
            Self::Forecast { set, counter, until } => {
                let shard = set.shard_of(Member::Int(id));
                backend.call(&add_and_count(&shard, counter.as_key(), id, *until)).await
            }
            Self::Tagged { set, until } => {
                let shard = set.shard_of(Member::Int(id));
                let counter = shard_counter(&shard);
                backend.call(&add_and_count(&shard, KeyRef::new(&counter), id, *until)).await
            }
            Self::Splitting(set) => set.add(backend, Member::Int(id)).await,
            Self::Bitmap { bitmap, counter, until } => {
                let bit = bit_of(id)?;
                backend.call(&mark_and_count(bitmap.as_key(), counter.as_key(), bit, *until)).await
            }
        }
    }

    /// Counts visits of the visitors with these numbers; returns how many are first visits. With one counter, the
    /// visits of a [`BATCH`] are one step; on a server those of a shard.
    pub(super) async fn count_ids(
        &self,
        backend: &impl Backend,
        ids: &[i64],
    ) -> Result<u64, Error> {
        match self {
            Self::Forecast { .. } | Self::Bitmap { .. } if is_cluster(backend) => {
                self.count_apart(backend, ids).await
            }
            Self::Forecast { set, counter, until } if backend.kind() != BackendKind::Store => {
                let visits = by_shard(set, ids);
                let batches: Vec<_> = visits.chunks(BATCH).collect();
                let step = |&visits: &_| send_all_and_count(set, counter.as_key(), visits, *until);
                let steps: Vec<_> = batches.iter().map(step).collect();
                self.count_together(backend, &steps, |at| just_ids(batches[at])).await
            }
            Self::Tagged { set, until } if backend.kind() != BackendKind::Store => {
                let visits = by_shard(set, ids);
                let batches: Vec<_> = in_batches(&visits).collect();
                let step = |&visits: &_| send_shard_and_count(set, visits, *until);
                let steps: Vec<_> = batches.iter().map(step).collect();
                self.count_together(backend, &steps, |at| just_ids(batches[at])).await
            }
            Self::Forecast { set, counter, until } => {
                let visits = by_shard(set, ids);
                let batches: Vec<_> = visits.chunks(BATCH).collect();
                let shards: Vec<Vec<Text>> =
                    batches.iter().map(|visits| set.shards_of(visits).collect()).collect();
                let keys: Vec<_> =
                    shards.iter().map(|shards| counter_and(counter.as_key(), shards)).collect();
                let steps: Vec<_> = (keys.iter().zip(&batches))
                    .map(|(keys, visits)| add_all_and_count(keys, visits, *until))
                    .collect();
                self.count_together(backend, &steps, |at| just_ids(batches[at])).await
            }
            Self::Tagged { .. } => self.count_each(backend, ids).await?.into_result(),
            Self::Splitting(set) => {
                let members: Vec<_> = ids.iter().map(|&id| Member::Int(id)).collect();
                set.add_many(backend, &members).await
            }
            Self::Bitmap { bitmap, counter, until } => {
                let bits = ids.iter().map(|&id| bit_of(id)).collect::<Result<Vec<_>, _>>()?;
                let step =
                    |bits| mark_all_and_count(bitmap.as_key(), counter.as_key(), bits, *until);
                let steps: Vec<_> = bits.chunks(BATCH).map(step).collect();
                let ids = |at: usize| ids[at * BATCH..].iter().take(BATCH).copied().collect();
                self.count_together(backend, &steps, ids).await
            }
        }
    }

    /// Runs steps that each count some ids.
    async fn count_together<P: Procedure<Output: Into<Counted>>>(
        &self,
        backend: &impl Backend,
        steps: &[P],
        ids_of: impl Fn(usize) -> Vec<i64>,
    ) -> Result<u64, Error> {
        let mut outcomes: Vec<Option<Result<Counted, Error>>> = Vec::new();
        outcomes.resize_with(steps.len(), || None);
        backend
            .call_many(steps, |at, outcome| outcomes[at] = Some(outcome.map(Into::into)))
            .await?;
        let (mut all, mut again) = (Counted::default(), Vec::new());
        for (at, outcome) in outcomes.into_iter().enumerate() {
            match outcome {
                // After a lost connection it is unknown whether the step was done.
                Some(Err(error)) if error.kind() != ErrorKind::Io => again.extend(ids_of(at)),
                Some(outcome) => all.add(outcome?),
                None => {}
            }
        }
        // The ids of a step that was refused are counted one by one, so that those that can be counted are.
        if !again.is_empty() {
            all.add(self.count_each(backend, &again).await?);
        }
        all.into_result()
    }

    /// Counts visits, each in its own step.
    async fn count_each(&self, backend: &impl Backend, ids: &[i64]) -> Result<Counted, Error> {
        match self {
            Self::Forecast { set, counter, until } => {
                let shards: Vec<_> = ids.iter().map(|&id| set.shard_of(Member::Int(id))).collect();
                let steps: Vec<_> = (shards.iter().zip(ids))
                    .map(|(shard, &id)| add_and_count(shard, counter.as_key(), id, *until))
                    .collect();
                count_steps(backend, &steps).await
            }
            Self::Tagged { set, until } => {
                let keys_of = |&id: &i64| {
                    let shard = set.shard_of(Member::Int(id));
                    (shard_counter(&shard), shard)
                };
                let keys: Vec<_> = ids.iter().map(keys_of).collect();
                let steps: Vec<_> = (keys.iter().zip(ids))
                    .map(|((counter, shard), &id)| {
                        add_and_count(shard, KeyRef::new(counter), id, *until)
                    })
                    .collect();
                count_steps(backend, &steps).await
            }
            Self::Bitmap { bitmap, counter, until } => {
                let bits = ids.iter().map(|&id| bit_of(id)).collect::<Result<Vec<_>, _>>()?;
                let mark = |bit| mark_and_count(bitmap.as_key(), counter.as_key(), bit, *until);
                let steps: Vec<_> = bits.into_iter().map(mark).collect();
                count_steps(backend, &steps).await
            }
            // These forms have no counter that could be refused.
            Self::Splitting(_) => Ok(Counted::default()),
        }
    }

    /// Counts visits on a cluster, where the counter is in another slot than the numbers, so that one step cannot
    /// change both: first adds the numbers, then adds to the counter how many are new.
    #[cold]
    async fn count_apart(&self, backend: &impl Backend, ids: &[i64]) -> Result<u64, Error> {
        match self {
            Self::Forecast { set, counter, until } => {
                let visits = by_shard(set, ids);
                let batches: Vec<_> = in_batches(&visits).collect();
                let shards: Vec<Text> =
                    batches.iter().map(|visits| set.base.shard(visits[0].0)).collect();
                let additions: Vec<_> = (shards.iter().zip(&batches))
                    .map(|(shard, visits)| add_kept(shard, visits, *until))
                    .collect();
                add_apart(backend, &additions, counter.as_key(), *until).await
            }
            Self::Bitmap { bitmap, counter, until } => {
                let bits = ids.iter().map(|&id| bit_of(id)).collect::<Result<Vec<_>, _>>()?;
                let marks: Vec<_> =
                    bits.iter().map(|&bit| mark(bitmap.as_key(), bit, *until)).collect();
                add_apart(backend, &marks, counter.as_key(), *until).await
            }
            // These forms count in the step that adds.
            Self::Tagged { .. } | Self::Splitting(_) => Ok(0),
        }
    }

    /// Returns how many visitors were counted. O(shards) if each shard has a counter, O(1) if there is one counter.
    pub(super) async fn count(&self, backend: &impl Backend) -> Result<u64, Error> {
        match self {
            Self::Forecast { counter, .. } | Self::Bitmap { counter, .. } => {
                Ok(number_at(backend, counter.as_ref(), "count").await?.unwrap_or(0))
            }
            Self::Tagged { set, .. } => sum_of_counters(backend, set).await,
            Self::Splitting(set) => set.card(backend).await,
        }
    }
}

/// Returns the keys of a counter and of shards.
fn counter_and<'k>(counter: KeyRef<'k>, shards: &'k [Text]) -> Vec<KeyRef<'k>> {
    iter::once(counter).chain(shards.iter().map(|shard| KeyRef::new(shard))).collect()
}

/// Returns the visits, sorted by shard.
fn by_shard(set: &Fixed, ids: &[i64]) -> Vec<InShard<i64>> {
    set.by_shard(ids.iter().copied(), |&id| Member::Int(id))
}

/// Returns the visits of each shard, at most a [`BATCH`] at a time.
fn in_batches(visits: &[InShard<i64>]) -> impl Iterator<Item = &[InShard<i64>]> {
    of_each_shard(visits).flat_map(|visits| visits.chunks(BATCH))
}

fn just_ids(visits: &[InShard<i64>]) -> Vec<i64> {
    visits.iter().map(|&(_, id)| id).collect()
}

fn is_cluster(backend: &impl Keyspace) -> bool {
    backend.kind() == BackendKind::Cluster
}

/// Runs steps that each count one visit.
#[blocking_and_async]
async fn count_steps<P: Procedure<Output = bool>>(
    backend: &impl Backend,
    steps: &[P],
) -> Result<Counted, Error> {
    let mut outcomes = vec![Ok(false); steps.len()];
    backend.call_many(steps, |at, outcome| outcomes[at] = outcome).await?;
    let mut all = Counted::default();
    for outcome in outcomes {
        all.add(match outcome {
            Ok(is_new) => Counted::from(u64::from(is_new)),
            Err(error) => Counted { new: 0, refused: Some(error) },
        });
    }
    Ok(all)
}

/// Adds numbers, and then counts how many are new.
#[blocking_and_async]
async fn add_apart<P: Procedure<Output: Into<u64>>>(
    backend: &impl Backend,
    additions: &[P],
    counter: KeyRef<'_>,
    until: KeptUntil,
) -> Result<u64, Error> {
    let mut new = 0_u64;
    let added = call_all(backend, additions, |_, some: P::Output| {
        new = new.saturating_add(some.into());
    })
    .await;
    // The numbers that were added are counted, even if others failed.
    if new > 0 {
        let by = i64::try_from(new).unwrap_or(i64::MAX);
        backend.call(&count_in(counter, by, until)).await?;
    }
    added.map(|()| new)
}

/// Returns the sum of the counters of shards; a missing counter is 0.
#[blocking_and_async]
async fn sum_of_counters(backend: &impl Backend, set: &Fixed) -> Result<u64, Error> {
    let mut shards = Ends::Numbers(set.shards).existing(backend, &set.base).await?;
    let mut sum = 0_u64;
    loop {
        let counters: Vec<Text> = (shards.by_ref().take(BATCH))
            .map(|number| shard_counter(&set.base.shard(number)))
            .collect();
        if counters.is_empty() {
            return Ok(sum);
        }
        let gets: Vec<_> = counters.iter().map(|counter| get(counter)).collect();
        let mut counts = vec![None; counters.len()];
        call_all(backend, &gets, |at, text| counts[at] = text).await?;
        for (counter, text) in counters.iter().zip(counts) {
            sum = sum.saturating_add(parsed(counter, text, "count")?.unwrap_or(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::fixed;
    use super::*;
    use crate::sharded_set::Base;

    #[test]
    fn names_that_are_built_late_are_the_same() {
        let packed = |procedure: &dyn Fn() -> Result<crate::Request, Error>| {
            let mut packed = Vec::new();
            procedure().unwrap().write(&mut packed);
            packed
        };
        let (ids, until) = ([7, -1, 1 << 40, 7], KeptUntil(Some(1_800_000_000_000)));
        let (counter, set) = (KeyRef::new(b"unique:all"), fixed(Base::new(b"unique:all"), 10_000));
        let visits = by_shard(&set, &ids);
        let shards: Vec<_> = set.shards_of(&visits).collect();
        let keys = counter_and(counter, &shards);
        assert_eq!(
            packed(&|| send_all_and_count(&set, counter, &visits, until).request()),
            packed(&|| add_all_and_count(&keys, &visits, until).request())
        );

        let set = fixed(Base::tagged(b"unique:all"), 10_000);
        let mut of_one = 0;
        for visits in in_batches(&visits) {
            let shard = set.base.shard(visits[0].0);
            let keys = [shard_counter(&shard), shard];
            let keys = keys.each_ref().map(|key| KeyRef::new(key));
            let made = if let [(_, id)] = *visits {
                of_one += 1;
                packed(&|| add_and_count(keys[1].as_bytes(), keys[0], id, until).request())
            } else {
                packed(&|| add_all_and_count(&keys, visits, until).request())
            };
            assert_eq!(packed(&|| send_shard_and_count(&set, visits, until).request()), made);
        }
        assert_eq!(of_one, 2);
    }
}
