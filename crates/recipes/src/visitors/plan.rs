//! Where the visits of a bucket go: its form, which the keys beside its shards say.

use std::str::FromStr;

use store::{Error, ErrorKind, Member, PreparedKey};

use super::procedures::add_and_count;
use crate::bucket::Bucket;
use crate::errors::not_a;
use crate::procedure::Backend;
use crate::shard::shard_count;
use crate::sharded_set::{Base, Fixed, Splitting, Spread, get};
use crate::text::Text;

/// What every key of the recipe begins with.
const PREFIX: &str = "unique:";

/// The most members that a shard should have: the book's size, which is also where an intset ends.
const SHARD_SIZE: u64 = 512;

/// The most visitors that a bucket may expect. With more there were more shards than CRC-32 has values, and so shards
/// that no id ever comes to.
pub(super) const MOST_EXPECTED: u128 = (SHARD_SIZE as u128 / 2) << u32::BITS;

/// Where the visits of a bucket go: its keys are made once.
#[derive(Debug)]
pub(super) enum Plan {
    Forecast { set: Fixed, counter: PreparedKey },
    Splitting(Splitting),
}

impl Plan {
    /// Where a bucket's visits go; `None` if nothing was counted into it.
    pub(super) fn find(backend: &impl Backend, bucket: Bucket) -> Result<Option<Self>, Error> {
        let expected_key = expected_key(bucket);
        if let Some(expected) = number(backend, &expected_key, "count")? {
            if expected > MOST_EXPECTED {
                return Err(out_of_range(&expected_key));
            }
            return Ok(Some(Self::forecast(backend, bucket, expected)));
        }
        let bits_key = bits_key(bucket);
        if let Some(of) = number(backend, &bits_key, "count of bits")? {
            if !(1..=u64::BITS).contains(&of) {
                return Err(not_a(bits_key.as_bytes(), "count of bits"));
            }
            let spread = Spread::HighBits { of };
            return Ok(Some(Self::Splitting(splitting(backend, bucket, spread))));
        }
        let set = splitting(backend, bucket, Spread::Crc32);
        let begun = backend.call(&get(set.level_key()))?.is_some();
        Ok(begun.then_some(Self::Splitting(set)))
    }

    /// The set of a bucket that expects so many visitors.
    pub(super) fn forecast(backend: &impl Backend, bucket: Bucket, expected: u128) -> Self {
        let name = counter_key(bucket);
        let base = Base::new(name.as_bytes());
        let set = Fixed { base, shards: shard_count(expected, SHARD_SIZE) };
        Self::Forecast { set, counter: backend.prepare(name.as_bytes()) }
    }

    #[inline]
    pub(super) fn count_id(&self, backend: &impl Backend, id: i64) -> Result<bool, Error> {
        match self {
            Self::Forecast { set, counter } => {
                let shard = set.shard_of(Member::Int(id));
                backend.call(&add_and_count(&shard, counter.as_key(), id))
            }
            Self::Splitting(set) => set.add(backend, Member::Int(id)),
        }
    }

    /// The key of the shard into which an id comes as the first.
    pub(super) fn first_shard(&self, id: i64) -> Text {
        match self {
            Self::Forecast { set, .. } => set.shard_of(Member::Int(id)),
            Self::Splitting(set) => set.base().shard(0),
        }
    }
}

/// The number that a key holds, if there is one.
pub(super) fn number<N: FromStr>(
    backend: &impl Backend,
    key: &str,
    what: &str,
) -> Result<Option<N>, Error> {
    let Some(text) = backend.call(&get(key.as_bytes()))? else { return Ok(None) };
    let number = std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
    number.map(Some).ok_or_else(|| not_a(key.as_bytes(), what))
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

pub(super) fn splitting(backend: &impl Backend, bucket: Bucket, spread: Spread) -> Splitting {
    Splitting::new(backend, counter_key(bucket).as_bytes(), spread)
}

#[cold]
fn out_of_range(key: &str) -> Error {
    let text = format!("ERR the value at '{key}' is above {MOST_EXPECTED} expected visitors");
    Error::new(ErrorKind::NotInteger, text)
}
