//! Where the visits of a bucket go: its form, which the keys beside its shards tell.

use super::super::bucket::Bucket;
use super::super::shard::{set_shard, shard_count};
use super::super::sharded_set::{ShardKey, Splitting, Spread, push_shard};
use super::steps::VisitorSteps;
use crate::error::{Error, ErrorKind};
use crate::member::Member;

/// What every key of the recipe begins with.
const PREFIX: &str = "unique:";

/// The most members that a shard should have: the book's size, which is also where an intset ends.
const SHARD_SIZE: u64 = 512;

/// Where the visits of a bucket go: its keys are made once.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    Forecast(Fixed),
    Splitting(Splitting),
}

/// A bucket with a fixed number of shards.
#[derive(Clone, Debug)]
pub(super) struct Fixed {
    /// `unique:BUCKET:`, which is the counter's key but for its last byte.
    base: ShardKey,
    pub(super) shards: u64,
}

impl Plan {
    /// Where a bucket's visits go; `None` if nobody has counted into it.
    pub(super) fn find(steps: &impl VisitorSteps, bucket: Bucket) -> Result<Option<Self>, Error> {
        if let Some(expected) = number(steps, &expected_key(bucket), "count")? {
            return Ok(Some(Self::Forecast(Fixed::new(bucket, expected))));
        }
        let bits_key = bits_key(bucket);
        if let Some(of) = number(steps, &bits_key, "count of bits")? {
            if !(1..=u64::BITS).contains(&of) {
                return Err(refused(&bits_key, "count of bits"));
            }
            return Ok(Some(Self::Splitting(splitting(bucket, Spread::HighBits { of }))));
        }
        let set = splitting(bucket, Spread::Crc32);
        let begun = steps.value(set.level_key())?.is_some();
        Ok(begun.then_some(Self::Splitting(set)))
    }

    #[inline]
    pub(super) fn count_id(&self, steps: &impl VisitorSteps, id: i64) -> Result<bool, Error> {
        match self {
            Self::Forecast(fixed) => fixed.count_id(steps, id),
            Self::Splitting(set) => set.add(steps, Member::Int(id)),
        }
    }
}

impl Fixed {
    fn new(bucket: Bucket, expected: u128) -> Self {
        Self { base: shard_base(bucket), shards: shard_count(expected, SHARD_SIZE) }
    }

    #[inline]
    fn count_id(&self, steps: &impl VisitorSteps, id: i64) -> Result<bool, Error> {
        let member = Member::Int(id);
        let key = self.shard(set_shard(member, self.shards));
        let counter = &self.base[..self.base.len() - 1];
        steps.add_then_count(&key, member, counter)
    }

    #[inline]
    pub(super) fn shard(&self, number: u64) -> ShardKey {
        // Not `clone`, which copies byte by byte.
        let mut key = ShardKey::from_slice(&self.base);
        push_shard(&mut key, number);
        key
    }
}

/// The number that a key holds, if there is one.
pub(super) fn number<N: std::str::FromStr>(
    steps: &impl VisitorSteps,
    key: &str,
    what: &str,
) -> Result<Option<N>, Error> {
    let Some(text) = steps.value(key.as_bytes())? else { return Ok(None) };
    let number = std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
    number.map(Some).ok_or_else(|| refused(key, what))
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

pub(super) fn splitting(bucket: Bucket, spread: Spread) -> Splitting {
    Splitting::new(counter_key(bucket).as_bytes(), spread)
}

#[cold]
fn refused(key: &str, what: &str) -> Error {
    Error::new(ErrorKind::NotInteger, format!("ERR the value at '{key}' is not a {what}"))
}

fn shard_base(bucket: Bucket) -> ShardKey {
    ShardKey::from_slice(format!("{PREFIX}{bucket}:").as_bytes())
}
