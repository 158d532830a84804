//! The names of the keys of a bucket.

use std::fmt::Write;

use crate::bucket::Bucket;
use crate::text::{Text, concat};

/// The prefix of every key of the recipe.
pub(super) const PREFIX: &str = "unique:";

/// The keys that record the form of a bucket: it has one of them, or two in the compact form.
pub(super) const FORM_KEYS: [fn(Bucket) -> String; 5] =
    [expected_key, tagged_key, bits_key, shards_key, bitmap_key];

/// Returns the key of the counter of a shard, which has the same hash tag.
pub(super) fn shard_counter(shard: &[u8]) -> Text {
    concat([shard, b":count"])
}

fn named(bucket: Bucket, end: &str) -> String {
    // Enough for the name of an hour: reallocating the text takes as long as looking its key up.
    let mut name = String::with_capacity(48);
    // Writing to a String cannot fail.
    let _ = write!(name, "{PREFIX}{bucket}{end}");
    name
}

pub(super) fn counter_key(bucket: Bucket) -> String {
    named(bucket, "")
}

pub(super) fn expected_key(bucket: Bucket) -> String {
    named(bucket, ":expected")
}

pub(super) fn tagged_key(bucket: Bucket) -> String {
    named(bucket, ":tagged")
}

pub(super) fn bits_key(bucket: Bucket) -> String {
    named(bucket, ":bits")
}

pub(super) fn shards_key(bucket: Bucket) -> String {
    named(bucket, ":shards")
}

pub(super) fn bitmap_key(bucket: Bucket) -> String {
    named(bucket, ":bitmap")
}
