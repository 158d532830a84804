//! The names of the keys of a bucket.

use crate::bucket::Bucket;
use crate::text::{Text, concat};

/// What every key of the recipe begins with.
pub(super) const PREFIX: &str = "unique:";

/// The keys that say the form of a bucket: it has one of them, or in the compact form two.
pub(super) const FORM_KEYS: [fn(Bucket) -> String; 5] =
    [expected_key, tagged_key, bits_key, shards_key, bitmap_key];

/// The key of the count of a shard: of the same hash tag.
pub(super) fn shard_counter(shard: &[u8]) -> Text {
    concat([shard, b":count"])
}

pub(super) fn counter_key(bucket: Bucket) -> String {
    format!("{PREFIX}{bucket}")
}

pub(super) fn expected_key(bucket: Bucket) -> String {
    format!("{PREFIX}{bucket}:expected")
}

pub(super) fn tagged_key(bucket: Bucket) -> String {
    format!("{PREFIX}{bucket}:tagged")
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
