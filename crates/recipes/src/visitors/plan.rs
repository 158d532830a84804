//! Where the visits of a bucket go: its form, which the keys beside its shards say.

use std::iter;
use std::str::FromStr;

use bytes::Bytes;
use macros::blocking_and_async;
use store::{Error, ErrorKind, KeyRef, Member, PreparedKey};

use super::BATCH;
use super::keys::{
    FORM_KEYS, bitmap_key, bits_key, counter_key, shard_counter, shards_key, tagged_key,
};
use super::procedures::{
    Counted, Visit, add_all_and_count, add_and_count, add_kept, count_in, look, mark,
    mark_all_and_count, mark_and_count, send_all_and_count, send_shard_and_count,
};
use crate::backend::{AsyncBackend, Backend, BackendKind, Keyspace, call_all, call_all_async};
use crate::bucket::Bucket;
use crate::errors::{invalid, not_a};
use crate::kept::KeptUntil;
use crate::procedure::Procedure;
use crate::shard::shard_count;
use crate::sharded_set::{Base, Ends, Fixed, InShard, Splitting, Spread, get, of_each_shard};
use crate::text::Text;

/// The most members that a shard should have: the book's size, which is also where an intset ends.
const SHARD_SIZE: u64 = 512;

/// The most visitors that a bucket may expect. With more there were more shards than CRC-32 has values, and so shards
/// that no id ever comes to.
pub(super) const MOST_EXPECTED: u64 = (SHARD_SIZE / 2) << u32::BITS;

/// The ids of a bitmap are below this: 8 MiB at most.
const BITMAP_IDS: i64 = 1 << 26;

/// Where the visits of a bucket go: its keys are made once.
#[derive(Debug)]
pub(super) enum Plan {
    Forecast {
        set: Fixed,
        counter: PreparedKey,
        until: KeptUntil,
    },
    /// With a counter for each shard.
    Tagged {
        set: Fixed,
        until: KeptUntil,
    },
    Splitting(Splitting),
    Bitmap {
        bitmap: PreparedKey,
        counter: PreparedKey,
        until: KeptUntil,
    },
}

impl Plan {
    /// The set of a bucket that expects so many visitors.
    pub(super) fn forecast(
        backend: &impl Keyspace,
        bucket: Bucket,
        expected: u64,
        until: KeptUntil,
    ) -> Self {
        let name = counter_key(bucket);
        let set = fixed(Base::new(name.as_bytes()), expected);
        Self::Forecast { set, counter: backend.prepare(name.as_bytes()), until }
    }

    /// The same, with the hash tags of a cluster.
    pub(super) fn tagged(bucket: Bucket, expected: u64, until: KeptUntil) -> Self {
        let set = fixed(Base::tagged(counter_key(bucket).as_bytes()), expected);
        Self::Tagged { set, until }
    }

    /// The set of a bucket that is split as it grows.
    pub(super) fn splitting(
        backend: &impl Keyspace,
        bucket: Bucket,
        spread: Spread,
        until: KeptUntil,
    ) -> Self {
        let set = Splitting::new(backend, counter_key(bucket).as_bytes(), spread);
        Self::Splitting(set.kept_until(until))
    }

    /// The bitmap of a bucket.
    pub(super) fn bitmap(backend: &impl Keyspace, bucket: Bucket, until: KeptUntil) -> Self {
        let [bitmap, counter] = [bitmap_key(bucket), counter_key(bucket)];
        let [bitmap, counter] = [bitmap, counter].map(|key| backend.prepare(key.as_bytes()));
        Self::Bitmap { bitmap, counter, until }
    }

    /// A key that the bucket has from its first visit on, and that expires when all of them do.
    pub(super) fn mark(&self, bucket: Bucket) -> String {
        match self {
            Self::Forecast { .. } | Self::Bitmap { .. } => counter_key(bucket),
            Self::Tagged { .. } => tagged_key(bucket),
            Self::Splitting(set) => match set.spread() {
                Spread::Crc32 => shards_key(bucket),
                Spread::HighBits { .. } => bits_key(bucket),
            },
        }
    }

    /// What the first visit of a bucket writes.
    pub(super) fn first_visit(&self, id: i64) -> Result<Visit, Error> {
        Ok(match self {
            Self::Forecast { set, counter, .. } => Visit {
                counter: Some(Text::from_slice(counter.as_ref())),
                key: set.shard_of(Member::Int(id)),
            },
            Self::Tagged { set, .. } => {
                let key = set.shard_of(Member::Int(id));
                Visit { counter: Some(shard_counter(&key)), key }
            }
            Self::Splitting(set) => Visit { counter: None, key: set.first_shard() },
            Self::Bitmap { bitmap, counter, .. } => {
                bit_of(id)?;
                Visit {
                    counter: Some(Text::from_slice(counter.as_ref())),
                    key: Text::from_slice(bitmap.as_ref()),
                }
            }
        })
    }
}

#[blocking_and_async]
impl Plan {
    /// Where a bucket's visits go, whose keys are kept so long; `None` if nothing was counted into it.
    pub(super) async fn find(
        backend: &impl Backend,
        bucket: Bucket,
        until: KeptUntil,
    ) -> Result<Option<Self>, Error> {
        let keys = FORM_KEYS.map(|key| key(bucket));
        // A bitmap may be long.
        let looks = keys.each_ref().map(|key| look(key.as_bytes(), *key != bitmap_key(bucket)));
        let mut found = [const { Ok(None) }; FORM_KEYS.len()];
        backend.call_many(&looks, |at, value| found[at] = value).await?;
        let [of_forecast, of_tags, of_bits, of_shards, of_bitmap] = found;
        let [forecast, tagged, bits, ..] = &keys;
        if let Some(expected) = expected_in(forecast, of_forecast?)? {
            return Ok(Some(Self::forecast(backend, bucket, expected, until)));
        }
        if let Some(expected) = expected_in(tagged, of_tags?)? {
            return Ok(Some(Self::tagged(bucket, expected, until)));
        }
        if let Some(of) = parsed(bits.as_bytes(), of_bits?, "count of bits")? {
            if !(1..=u64::BITS).contains(&of) {
                return Err(not_a(bits.as_bytes(), "count of bits"));
            }
            return Ok(Some(Self::splitting(backend, bucket, Spread::HighBits { of }, until)));
        }
        if of_shards?.is_some() {
            return Ok(Some(Self::splitting(backend, bucket, Spread::Crc32, until)));
        }
        Ok(of_bitmap?.map(|_| Self::bitmap(backend, bucket, until)))
    }

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

    /// Counts visits of the visitors with these numbers; returns how many of them are the first. Where there is one
    /// counter, those of a [`BATCH`] are one step; on a server those of a shard.
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
            Self::Tagged { set, until } => {
                let keys_of = |&id: &i64| {
                    let shard = set.shard_of(Member::Int(id));
                    (shard_counter(&shard), shard)
                };
                let keys: Vec<_> = ids.iter().map(keys_of).collect();
                let visits: Vec<_> = (keys.iter().zip(ids))
                    .map(|((counter, shard), &id)| {
                        add_and_count(shard, KeyRef::new(counter), id, *until)
                    })
                    .collect();
                let mut new = 0;
                call_all(backend, &visits, |_, is_new| new += u64::from(is_new)).await?;
                Ok(new)
            }
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

    /// Does steps, each of which counts some ids.
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
        let mut all = Counted { new: 0, refused: None };
        for (at, outcome) in outcomes.into_iter().enumerate() {
            let counted = match outcome {
                // What is refused as a whole goes one by one: all are counted that can be. After a lost connection it is not
                // known what has been done.
                Some(Err(error)) if error.kind() != ErrorKind::Io => {
                    self.count_each(backend, &ids_of(at)).await
                }
                Some(outcome) => outcome?,
                None => continue,
            };
            all.new = all.new.saturating_add(counted.new);
            all.refused = all.refused.or(counted.refused);
        }
        all.refused.map_or(Ok(all.new), Err)
    }

    /// Counts visits one by one.
    async fn count_each(&self, backend: &impl Backend, ids: &[i64]) -> Counted {
        let mut counted = Counted { new: 0, refused: None };
        for &id in ids {
            match self.count_id(backend, id).await {
                Ok(is_new) => counted.new += u64::from(is_new),
                Err(error) => counted.refused = counted.refused.or(Some(error)),
            }
        }
        counted
    }

    /// Counts visits on a cluster, where the counter is in another slot than what the numbers are kept in, so that one step
    /// cannot change both: first the numbers, then the counter by how many are new.
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
            // These count where they add.
            Self::Tagged { .. } | Self::Splitting(_) => Ok(0),
        }
    }

    /// How many visitors were counted. O(shards) if each has its count, O(1) if there is one counter.
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

/// The keys of a counter and of shards.
fn counter_and<'k>(counter: KeyRef<'k>, shards: &'k [Text]) -> Vec<KeyRef<'k>> {
    iter::once(counter).chain(shards.iter().map(|shard| KeyRef::new(shard))).collect()
}

/// Visits, in the order of their shards.
fn by_shard(set: &Fixed, ids: &[i64]) -> Vec<InShard<i64>> {
    set.by_shard(ids.iter().copied(), |&id| Member::Int(id))
}

/// The visits of each shard, no more than a [`BATCH`] at once.
fn in_batches(visits: &[InShard<i64>]) -> impl Iterator<Item = &[InShard<i64>]> {
    of_each_shard(visits).flat_map(|visits| visits.chunks(BATCH))
}

fn just_ids(visits: &[InShard<i64>]) -> Vec<i64> {
    visits.iter().map(|&(_, id)| id).collect()
}

fn is_cluster(backend: &impl Keyspace) -> bool {
    backend.kind() == BackendKind::Cluster
}

/// A set for so many visitors.
fn fixed(base: Base, expected: u64) -> Fixed {
    Fixed { base, shards: shard_count(u128::from(expected), SHARD_SIZE) }
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
    // Those that were added are counted, whatever became of the others.
    if new > 0 {
        let by = i64::try_from(new).unwrap_or(i64::MAX);
        backend.call(&count_in(counter, by, until)).await?;
    }
    added.map(|()| new)
}

/// The sum of the counts of shards; one that has none counts 0.
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

/// The bit of an id.
#[inline]
fn bit_of(id: i64) -> Result<u64, Error> {
    match u64::try_from(id) {
        Ok(bit) if id < BITMAP_IDS => Ok(bit),
        _ => Err(invalid(format!(
            "ERR id {id} is not one of a bitmap: these are from 0 to {}",
            BITMAP_IDS - 1
        ))),
    }
}

/// How many visitors a bucket that is begun by a forecast expects, by the key that says it; `None` without the key.
#[blocking_and_async]
pub(super) async fn expected(backend: &impl Backend, key: &str) -> Result<Option<u64>, Error> {
    expected_in(key, backend.call(&get(key.as_bytes())).await?)
}

/// The same, by the value of the key.
fn expected_in(key: &str, value: Option<Bytes>) -> Result<Option<u64>, Error> {
    let Some(expected) = parsed(key.as_bytes(), value, "count")? else { return Ok(None) };
    if expected > MOST_EXPECTED {
        return Err(out_of_range(key));
    }
    Ok(Some(expected))
}

/// The number that a key holds, if there is one.
#[blocking_and_async]
pub(super) async fn number<N: FromStr>(
    backend: &impl Backend,
    key: &str,
    what: &str,
) -> Result<Option<N>, Error> {
    number_at(backend, key.as_bytes(), what).await
}

/// As [`number`], for a key that may be no text.
#[blocking_and_async]
async fn number_at<N: FromStr>(
    backend: &impl Backend,
    key: &[u8],
    what: &str,
) -> Result<Option<N>, Error> {
    parsed(key, backend.call(&get(key)).await?, what)
}

/// The number that the value of a key is.
fn parsed<N: FromStr>(key: &[u8], text: Option<Bytes>, what: &str) -> Result<Option<N>, Error> {
    let Some(text) = text else { return Ok(None) };
    let number = std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
    number.map(Some).ok_or_else(|| not_a(key, what))
}

#[cold]
fn out_of_range(key: &str) -> Error {
    let text = format!("ERR the value at '{key}' is above {MOST_EXPECTED} expected visitors");
    Error::new(ErrorKind::NotInteger, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_made_late_are_the_same() {
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
        for visits in in_batches(&visits) {
            let shard = set.base.shard(visits[0].0);
            let keys = [shard_counter(&shard), shard];
            let keys = keys.each_ref().map(|key| KeyRef::new(key));
            assert_eq!(
                packed(&|| send_shard_and_count(&set, visits, until).request()),
                packed(&|| add_all_and_count(&keys, visits, until).request())
            );
        }
    }
}
