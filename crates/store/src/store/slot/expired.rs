//! Dropping of expired keys when they are accessed.

use bytes::Bytes;
use extendible::BucketId;

use super::Running;
use crate::key::HashedKey;
use crate::store::handover::Change;
use crate::store::keyspace::Keyspace;
use crate::store::stripe::Stripe;
use crate::table::keys::Position;

/// Drops a key if it has expired. Unlike an entry, this does not count as an access.
pub(in crate::store) fn drop_if_expired(
    stripe: &mut Stripe,
    running: &mut Running<'_>,
    db: u32,
    key: HashedKey<'_>,
) {
    let shared = running.shared;
    let (keyspace, watches) = stripe.parts(db, shared.stripe_bits());
    let at = keyspace.locate(key.hash);
    let Some(bucket) = keyspace.get(at) else { return };
    let Some(found) = bucket.find(key) else { return };
    if bucket.expires_at(found).is_some_and(|at| running.time.has_come(at)) {
        drop_expired(keyspace, at, found, running, db, key);
        shared.count_changes(key.hash, 1);
        watches.changed(db, key.bytes);
    }
}

/// Drops an expired key.
#[cold]
pub(super) fn drop_expired(
    keyspace: &mut Keyspace,
    at: BucketId,
    place: Position,
    running: &mut Running<'_>,
    db: u32,
    key: HashedKey<'_>,
) {
    let shared = running.shared;
    if keyspace.is_in_snapshot() {
        keyspace.keep(shared, at, place, Change::Gone);
    }
    if let Some(value) = keyspace.remove(at, place, &|key| shared.hash(key)) {
        keyspace.left(key.bytes, value);
    }
    running.note(db, || vec!["DEL".into(), Bytes::copy_from_slice(key.bytes)]);
}
