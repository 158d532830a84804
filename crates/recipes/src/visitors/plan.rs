//! Where the visits of a bucket are stored: its form, as the keys of the bucket record it.

use std::str::FromStr;

use bytes::Bytes;
use macros::blocking_and_async;
use store::{Error, ErrorKind, Member, PreparedKey};

use super::keys::{
    FORM_KEYS, bitmap_key, bits_key, counter_key, shard_counter, shards_key, tagged_key,
};
use super::procedures::{Visit, look};
use crate::backend::{AsyncBackend, Backend, Keyspace};
use crate::bucket::Bucket;
use crate::errors::{invalid, not_a};
use crate::kept::KeptUntil;
use crate::shard::shard_count;
use crate::sharded_set::{Base, Fixed, Splitting, Spread, get};
use crate::text::Text;

/// The target number of members of a shard, as in Redis in Action; an intset ends there too.
const SHARD_SIZE: u64 = 512;

/// The most visitors that a bucket may expect. A larger forecast would give more shards than CRC-32 has values, so some
/// shards would never be used.
pub(super) const MOST_EXPECTED: u64 = (SHARD_SIZE / 2) << u32::BITS;

/// The ids of a bitmap are below this, so that it takes at most 8 MiB.
const BITMAP_IDS: i64 = 1 << 26;

/// Where the visits of a bucket are stored, with prepared keys.
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
    /// Returns the plan of a bucket in the form forecast, for this number of visitors.
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

    /// The same with the hash tags of a cluster.
    pub(super) fn tagged(bucket: Bucket, expected: u64, until: KeptUntil) -> Self {
        let set = fixed(Base::tagged(counter_key(bucket).as_bytes()), expected);
        Self::Tagged { set, until }
    }

    /// Returns the plan of a bucket that is split as it grows.
    pub(super) fn splitting(
        backend: &impl Keyspace,
        bucket: Bucket,
        spread: Spread,
        until: KeptUntil,
    ) -> Self {
        let set = Splitting::new(backend, counter_key(bucket).as_bytes(), spread);
        Self::Splitting(set.kept_until(until))
    }

    /// Returns the plan of a bucket that is a bitmap.
    pub(super) fn bitmap(backend: &impl Keyspace, bucket: Bucket, until: KeptUntil) -> Self {
        let [bitmap, counter] = [bitmap_key(bucket), counter_key(bucket)];
        let [bitmap, counter] = [bitmap, counter].map(|key| backend.prepare(key.as_bytes()));
        Self::Bitmap { bitmap, counter, until }
    }

    /// Returns a key that the bucket has from its first visit on, and that expires with the bucket.
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

    /// Returns what the first visit of a bucket writes.
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
    /// Finds the plan of a bucket whose keys are kept until then; `None` if nothing was counted into it.
    pub(super) async fn find(
        backend: &impl Backend,
        bucket: Bucket,
        until: KeptUntil,
    ) -> Result<Option<Self>, Error> {
        let keys = FORM_KEYS.map(|key| key(bucket));
        // A bitmap may be long, so its value is not fetched.
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
        if let Some(of) = parsed(bits.as_bytes(), of_bits?, "number of bits")? {
            if !(1..=u64::BITS).contains(&of) {
                return Err(not_a(bits.as_bytes(), "number of bits"));
            }
            return Ok(Some(Self::splitting(backend, bucket, Spread::HighBits { of }, until)));
        }
        if of_shards?.is_some() {
            return Ok(Some(Self::splitting(backend, bucket, Spread::Crc32, until)));
        }
        Ok(of_bitmap?.map(|_| Self::bitmap(backend, bucket, until)))
    }
}

/// Returns a set for this number of visitors.
pub(super) fn fixed(base: Base, expected: u64) -> Fixed {
    Fixed { base, shards: shard_count(u128::from(expected), SHARD_SIZE) }
}

/// Returns the bit of an id.
#[inline]
pub(super) fn bit_of(id: i64) -> Result<u64, Error> {
    match u64::try_from(id) {
        Ok(bit) if id < BITMAP_IDS => Ok(bit),
        _ => Err(invalid(format!(
            "ERR id {id} is not between 0 and {}, the ids of a bitmap",
            BITMAP_IDS - 1
        ))),
    }
}

/// Returns how many visitors a bucket expects, as its key records it; `None` without the key.
#[blocking_and_async]
pub(super) async fn expected(backend: &impl Backend, key: &str) -> Result<Option<u64>, Error> {
    expected_in(key, backend.call(&get(key.as_bytes())).await?)
}

/// Parses the value of that key.
fn expected_in(key: &str, value: Option<Bytes>) -> Result<Option<u64>, Error> {
    let Some(expected) = parsed(key.as_bytes(), value, "count")? else { return Ok(None) };
    if expected > MOST_EXPECTED {
        return Err(out_of_range(key));
    }
    Ok(Some(expected))
}

/// Returns the number that a key holds, if the key exists.
#[blocking_and_async]
pub(super) async fn number<N: FromStr>(
    backend: &impl Backend,
    key: &str,
    what: &str,
) -> Result<Option<N>, Error> {
    number_at(backend, key.as_bytes(), what).await
}

/// As [`number`], for a key that may not be UTF-8.
#[blocking_and_async]
pub(super) async fn number_at<N: FromStr>(
    backend: &impl Backend,
    key: &[u8],
    what: &str,
) -> Result<Option<N>, Error> {
    parsed(key, backend.call(&get(key)).await?, what)
}

/// Parses the value of a key as a number.
pub(super) fn parsed<N: FromStr>(
    key: &[u8],
    text: Option<Bytes>,
    what: &str,
) -> Result<Option<N>, Error> {
    let Some(text) = text else { return Ok(None) };
    let number = std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
    number.map(Some).ok_or_else(|| not_a(key, what))
}

#[cold]
fn out_of_range(key: &str) -> Error {
    let text = format!(
        "ERR the value at '{key}' is above the maximum of {MOST_EXPECTED} expected visitors"
    );
    Error::new(ErrorKind::NotInteger, text)
}
