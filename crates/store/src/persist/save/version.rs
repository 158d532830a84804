//! The version that a snapshot needs.

use rdb::{KEY_METADATA, Target};

use super::error::SaveError;
use crate::persist::Extras;
use crate::store::stripe::{Keyspace, Stripe};
use crate::table::keys::Entry;
use crate::value::Value;

/// The lowest version from 10 on that has all that is kept as it came; other values have a form in each.
pub(super) fn lowest_version(extras: &Extras, stripes: &[&Stripe]) -> Result<Target, SaveError> {
    let mut candidates = Candidates::new();
    if extras.has_newer() {
        for stripe in stripes {
            for db in stripe.databases() {
                for bucket in stripe.keyspace(db).into_iter().flat_map(Keyspace::buckets) {
                    for entry in bucket.positions().map(|at| bucket.entry(at)) {
                        candidates.keep_for(entry, extras.metadata(db, entry.key.as_bytes()))?;
                    }
                }
            }
        }
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
            self.retain(entry, value.kind().byte(), |target| target.has(value.kind()))?;
        }
        if !metadata.is_empty() {
            self.retain(entry, KEY_METADATA, Target::has_key_metadata)?;
        }
        Ok(())
    }

    fn retain(
        &mut self,
        entry: &Entry,
        byte: u8,
        has: impl Fn(Target) -> bool,
    ) -> Result<(), SaveError> {
        let lowest = self.lowest();
        self.0.retain(|&target| has(target));
        if self.0.is_empty() {
            return Err(SaveError::not_in(lowest, entry.key.as_bytes(), byte));
        }
        Ok(())
    }
}
