//! Where the visits of a bucket go: its form, which the keys beside its shards say.

use std::iter;
use std::str::FromStr;

use store::{Error, ErrorKind, KeyRef, Member, PreparedKey};

use super::procedures::{
    Counted, add_all_and_count, add_and_count, exists, mark_all_and_count, mark_and_count,
};
use crate::bucket::Bucket;
use crate::errors::{invalid, not_a};
use crate::kept::KeptUntil;
use crate::procedure::Backend;
use crate::shard::shard_count;
use crate::sharded_set::{Base, Fixed, Splitting, Spread, get};
use crate::text::Text;

/// What every key of the recipe begins with.
pub(super) const PREFIX: &str = "unique:";

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
    Forecast { set: Fixed, counter: PreparedKey, until: KeptUntil },
    Splitting(Splitting),
    Bitmap { bitmap: PreparedKey, counter: PreparedKey, until: KeptUntil },
}

impl Plan {
    /// Where a bucket's visits go, whose keys are kept so long; `None` if nothing was counted into it.
    pub(super) fn find(
        backend: &impl Backend,
        bucket: Bucket,
        until: KeptUntil,
    ) -> Result<Option<Self>, Error> {
        if let Some(expected) = expected(backend, bucket)? {
            return Ok(Some(Self::forecast(backend, bucket, expected, until)));
        }
        let bits_key = bits_key(bucket);
        if let Some(of) = number(backend, &bits_key, "count of bits")? {
            if !(1..=u64::BITS).contains(&of) {
                return Err(not_a(bits_key.as_bytes(), "count of bits"));
            }
            return Ok(Some(Self::splitting(backend, bucket, Spread::HighBits { of }, until)));
        }
        if backend.call(&get(shards_key(bucket).as_bytes()))?.is_some() {
            return Ok(Some(Self::splitting(backend, bucket, Spread::Crc32, until)));
        }
        let begun = backend.call(&exists(bitmap_key(bucket).as_bytes()))?;
        Ok(begun.then(|| Self::bitmap(backend, bucket, until)))
    }

    /// The set of a bucket that expects so many visitors.
    pub(super) fn forecast(
        backend: &impl Backend,
        bucket: Bucket,
        expected: u64,
        until: KeptUntil,
    ) -> Self {
        let name = counter_key(bucket);
        let base = Base::new(name.as_bytes());
        let set = Fixed { base, shards: shard_count(u128::from(expected), SHARD_SIZE) };
        Self::Forecast { set, counter: backend.prepare(name.as_bytes()), until }
    }

    /// The set of a bucket that is split as it grows.
    pub(super) fn splitting(
        backend: &impl Backend,
        bucket: Bucket,
        spread: Spread,
        until: KeptUntil,
    ) -> Self {
        let set = Splitting::new(backend, counter_key(bucket).as_bytes(), spread);
        Self::Splitting(set.kept_until(until))
    }

    /// The bitmap of a bucket.
    pub(super) fn bitmap(backend: &impl Backend, bucket: Bucket, until: KeptUntil) -> Self {
        let [bitmap, counter] = [bitmap_key(bucket), counter_key(bucket)];
        let [bitmap, counter] = [bitmap, counter].map(|key| backend.prepare(key.as_bytes()));
        Self::Bitmap { bitmap, counter, until }
    }

    #[inline]
    pub(super) fn count_id(&self, backend: &impl Backend, id: i64) -> Result<bool, Error> {
        match self {
            Self::Forecast { set, counter, until } => {
                let shard = set.shard_of(Member::Int(id));
                backend.call(&add_and_count(&shard, counter.as_key(), id, *until))
            }
            Self::Splitting(set) => set.add(backend, Member::Int(id)),
            Self::Bitmap { bitmap, counter, until } => {
                let bit = bit_of(id)?;
                backend.call(&mark_and_count(bitmap.as_key(), counter.as_key(), bit, *until))
            }
        }
    }

    /// Counts visits of the visitors with these numbers; returns how many of them are the first. They should be few: where
    /// there is a counter, they are one step.
    pub(super) fn count_ids(&self, backend: &impl Backend, ids: &[i64]) -> Result<u64, Error> {
        let together = match self {
            Self::Forecast { set, counter, until } => {
                let shards: Vec<Text> =
                    ids.iter().map(|&id| set.shard_of(Member::Int(id))).collect();
                let shards = shards.iter().map(|shard| KeyRef::new(shard));
                let keys: Vec<_> = iter::once(counter.as_key()).chain(shards).collect();
                backend.call(&add_all_and_count(&keys, ids, *until))
            }
            Self::Splitting(set) => {
                let members: Vec<_> = ids.iter().map(|&id| Member::Int(id)).collect();
                return set.add_many(backend, &members);
            }
            Self::Bitmap { bitmap, counter, until } => {
                let bits = ids.iter().map(|&id| bit_of(id)).collect::<Result<Vec<_>, _>>()?;
                let step = mark_all_and_count(bitmap.as_key(), counter.as_key(), &bits, *until);
                backend.call(&step).map(|new| Counted { new, refused: None })
            }
        };
        // What is refused as a whole goes one by one: all are counted that can be.
        let counted = together.unwrap_or_else(|_| {
            let mut counted = Counted { new: 0, refused: None };
            for &id in ids {
                match self.count_id(backend, id) {
                    Ok(is_new) => counted.new += u64::from(is_new),
                    Err(error) => counted.refused = counted.refused.or(Some(error)),
                }
            }
            counted
        });
        counted.refused.map_or(Ok(counted.new), Err)
    }

    /// How many visitors were counted. O(shards) if they split, O(1) otherwise.
    pub(super) fn count(&self, backend: &impl Backend) -> Result<u64, Error> {
        match self {
            Self::Forecast { counter, .. } | Self::Bitmap { counter, .. } => {
                Ok(number_at(backend, counter.as_ref(), "count")?.unwrap_or(0))
            }
            Self::Splitting(set) => set.card(backend),
        }
    }

    /// A key that the bucket has from its first visit on, and that expires when all of them do.
    pub(super) fn mark(&self, bucket: Bucket) -> String {
        match self {
            Self::Forecast { .. } | Self::Bitmap { .. } => counter_key(bucket),
            Self::Splitting(set) => match set.spread() {
                Spread::Crc32 => shards_key(bucket),
                Spread::HighBits { .. } => bits_key(bucket),
            },
        }
    }

    /// The key of the count, if there is one.
    pub(super) fn counter(&self) -> Option<&[u8]> {
        match self {
            Self::Forecast { counter, .. } | Self::Bitmap { counter, .. } => Some(counter.as_ref()),
            Self::Splitting(_) => None,
        }
    }

    /// The key that the first visit of a bucket writes, beside the counter if there is one.
    pub(super) fn first_key(&self, id: i64) -> Result<Text, Error> {
        Ok(match self {
            Self::Forecast { set, .. } => set.shard_of(Member::Int(id)),
            Self::Splitting(set) => set.first_shard(),
            Self::Bitmap { bitmap, .. } => {
                bit_of(id)?;
                Text::from_slice(bitmap.as_ref())
            }
        })
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

/// How many visitors a bucket that is begun by a forecast expects; `None` for any other.
pub(super) fn expected(backend: &impl Backend, bucket: Bucket) -> Result<Option<u64>, Error> {
    let key = expected_key(bucket);
    let Some(expected) = number(backend, &key, "count")? else { return Ok(None) };
    if expected > MOST_EXPECTED {
        return Err(out_of_range(&key));
    }
    Ok(Some(expected))
}

/// The number that a key holds, if there is one.
pub(super) fn number<N: FromStr>(
    backend: &impl Backend,
    key: &str,
    what: &str,
) -> Result<Option<N>, Error> {
    number_at(backend, key.as_bytes(), what)
}

/// As [`number`], for a key that may be no text.
fn number_at<N: FromStr>(
    backend: &impl Backend,
    key: &[u8],
    what: &str,
) -> Result<Option<N>, Error> {
    let Some(text) = backend.call(&get(key))? else { return Ok(None) };
    let number = std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
    number.map(Some).ok_or_else(|| not_a(key, what))
}

pub(super) fn counter_key(bucket: Bucket) -> String {
    format!("{PREFIX}{bucket}")
}

pub(super) fn expected_key(bucket: Bucket) -> String {
    format!("{PREFIX}{bucket}:expected")
}

pub(super) fn bits_key(bucket: Bucket) -> String {
    format!("{PREFIX}{bucket}:bits")
}

pub(super) fn shards_key(bucket: Bucket) -> String {
    format!("{PREFIX}{bucket}:shards")
}

pub(super) fn bitmap_key(bucket: Bucket) -> String {
    format!("{PREFIX}{bucket}:bitmap")
}

#[cold]
fn out_of_range(key: &str) -> Error {
    let text = format!("ERR the value at '{key}' is above {MOST_EXPECTED} expected visitors");
    Error::new(ErrorKind::NotInteger, text)
}
