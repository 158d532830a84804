//! The keys of one database in one stripe.

use std::ops::Deref;

use extendible::{BucketId, Extendible};

use super::garbage::Garbage;
use super::handover::Handover;
use crate::table::keys::{Entry, KeyBucket, Position};
use crate::value::Value;

/// The keys of one database in one stripe, and the progress of a snapshot that runs concurrently with writers.
///
/// Each key has a mark bit. While no snapshot runs, every key has the mark of its keyspace. When a snapshot begins, the
/// keyspace flips its own mark: a key that has the new mark is already in the snapshot, or was added after its start.
#[derive(Debug)]
pub(crate) struct Keyspace {
    table: Extendible<KeyBucket>,
    pub(super) mark: bool,
    /// Boxed, since it is usually absent.
    pub(super) handover: Option<Box<Handover>>,
    /// What has left the keyspace since its stripe was locked.
    pub(super) garbage: Garbage,
}

impl Deref for Keyspace {
    type Target = Extendible<KeyBucket>;

    #[inline]
    fn deref(&self) -> &Extendible<KeyBucket> {
        &self.table
    }
}

impl Keyspace {
    /// Creates an empty keyspace; the first `bits` bits of all hashes are the same.
    pub(super) const fn new(bits: u8) -> Self {
        Self::of(Extendible::new(bits))
    }

    const fn of(table: Extendible<KeyBucket>) -> Self {
        Self { table, mark: false, handover: None, garbage: Garbage::new() }
    }

    /// Creates an empty keyspace with buckets for that many keys.
    pub(super) fn with_room(bits: u8, keys: usize) -> Self {
        let mut table = Extendible::<KeyBucket>::with_room(bits, keys);
        let average = keys / table.bucket_count();
        // Nearly all buckets get at least this many.
        let least = average.saturating_sub(average.isqrt());
        table.buckets_mut().for_each(|bucket| bucket.reserve(least));
        Self::of(table)
    }

    /// Adds a key that is not present.
    #[inline]
    pub(super) fn insert(
        &mut self,
        hash: u64,
        entry: Entry,
        accessed: u32,
        rehash: &impl Fn(&[u8]) -> u64,
    ) -> (BucketId, Position) {
        let mark = self.mark;
        self.table.insert(hash, rehash, |bucket| bucket.insert(hash, entry, accessed, mark))
    }

    /// Removes a key.
    #[inline]
    pub(super) fn remove(
        &mut self,
        at: BucketId,
        place: Position,
        rehash: &impl Fn(&[u8]) -> u64,
    ) -> Option<Value> {
        let value = self.table.get_mut(at)?.remove(place, rehash);
        self.table.removed();
        Some(value)
    }

    /// The value of a key, mutable.
    #[inline]
    pub(super) fn value_mut(&mut self, at: BucketId, place: Position) -> Option<&mut Value> {
        self.table.get_mut(at).map(|bucket| bucket.value_mut(place))
    }

    /// Sets or clears the expiry of a key.
    #[inline]
    pub(super) fn set_expiry(&mut self, at: BucketId, place: Position, at_ms: Option<i64>) {
        if let Some(bucket) = self.table.get_mut(at) {
            bucket.set_expiry(place, at_ms);
        }
    }

    /// The keyspace and the handover, borrowed separately.
    #[inline]
    pub(super) fn parts(
        &mut self,
    ) -> (&mut Extendible<KeyBucket>, bool, &mut Option<Box<Handover>>) {
        (&mut self.table, self.mark, &mut self.handover)
    }
}
