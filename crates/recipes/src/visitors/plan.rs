//! Where the visits of a bucket go: its form, which the keys beside its shards say.

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
}

/// A set for so many visitors.
pub(super) fn fixed(base: Base, expected: u64) -> Fixed {
    Fixed { base, shards: shard_count(u128::from(expected), SHARD_SIZE) }
}

/// The bit of an id.
#[inline]
pub(super) fn bit_of(id: i64) -> Result<u64, Error> {
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
pub(super) async fn number_at<N: FromStr>(
    backend: &impl Backend,
    key: &[u8],
    what: &str,
) -> Result<Option<N>, Error> {
    parsed(key, backend.call(&get(key)).await?, what)
}

/// The number that the value of a key is.
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
    let text = format!("ERR the value at '{key}' is above {MOST_EXPECTED} expected visitors");
    Error::new(ErrorKind::NotInteger, text)
}
