//! The version that a snapshot needs.

use rdb::{KEY_METADATA, Target};

use super::error::SaveError;
use crate::persist::Extras;
use crate::store::stripe::Stripe;
use crate::table::keys::Entry;
use crate::value::Value;

/// The lowest version from 10 on that has all that is kept as it came; other values have a form in each.
pub(super) fn lowest_version(extras: &Extras, stripes: &[&Stripe]) -> Result<Target, SaveError> {
    let mut candidates = Candidates::new();
    if extras.has_newer() {
        for stripe in stripes {
            for db in stripe.databases() {
                for bucket in
                    stripe.keyspace(db).into_iter().flat_map(|keyspace| keyspace.buckets())
                {
                    for entry in bucket.positions().map(|at| bucket.entry(at)) {
                        candidates.keep_for(entry, extras.metadata(db, entry.key.as_bytes()))?;
                    }
                }
            }
        }
    }
    Ok(candidates.lowest())
}

/// The lowest version from 10 on that has all of a kind that may be in the store: each that a file or a payload has
/// brought, whether or not it is still there.
pub(super) fn lowest_for(extras: &Extras) -> Result<Target, SaveError> {
    let mut candidates = Candidates::new();
    for &kind in extras.newer_kinds() {
        candidates.retain(&[], kind.byte(), |target| target.has(kind))?;
    }
    if extras.has_metadata() {
        candidates.retain(&[], KEY_METADATA, Target::has_key_metadata)?;
    }
    Ok(candidates.lowest())
}

/// The versions that have all that was seen so far, the lowest first.
struct Candidates(Vec<Target>);

impl Candidates {
    fn new() -> Self {
        Self(Target::ALL.into_iter().filter(|&target| target != Target::V9).collect())
    }

    fn lowest(&self) -> Target {
        self.0.first().copied().unwrap_or_default()
    }

    fn keep_for(&mut self, entry: &Entry, metadata: &[u8]) -> Result<(), SaveError> {
        if let Value::Opaque(value) = &entry.value {
            let key = entry.key.as_bytes();
            self.retain(key, value.kind().byte(), |target| target.has(value.kind()))?;
        }
        if !metadata.is_empty() {
            self.retain(entry.key.as_bytes(), KEY_METADATA, Target::has_key_metadata)?;
        }
        Ok(())
    }

    fn retain(
        &mut self,
        key: &[u8],
        byte: u8,
        has: impl Fn(Target) -> bool,
    ) -> Result<(), SaveError> {
        let lowest = self.lowest();
        self.0.retain(|&target| has(target));
        if self.0.is_empty() {
            return Err(SaveError::not_in(lowest, key, byte));
        }
        Ok(())
    }
}
