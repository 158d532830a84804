//! Choosing the version of a snapshot.

use rdb::{KEY_METADATA, Target, ValueType};

use super::error::SaveError;
use crate::persist::Extras;
use crate::store::stripe::Stripe;
use crate::table::keys::Entry;

/// Returns the lowest version from 10 on that has a form for every value: those stored unchanged, and hashes with fields
/// that expire. All other values have a form in each version.
pub(super) fn lowest_version(extras: &Extras, stripes: &[&Stripe]) -> Result<Target, SaveError> {
    let mut candidates = Candidates::new();
    if extras.has_newer() {
        for stripe in stripes {
            for db in stripe.databases() {
                for bucket in
                    stripe.keyspace(db).into_iter().flat_map(|keyspace| keyspace.buckets())
                {
                    for entry in bucket.positions().map(|at| bucket.entry(at)) {
                        let metadata = extras.metadata(db, entry.key.as_bytes());
                        candidates.keep_for(entry, extras.newer_kinds(), metadata)?;
                    }
                }
            }
        }
    }
    Ok(candidates.lowest())
}

/// Returns the lowest version from 10 on that has all types that may be in the store: each type that was loaded or
/// restored, even if its values no longer exist.
pub(super) fn lowest_for(extras: &Extras) -> Result<Target, SaveError> {
    let mut candidates = Candidates::new();
    for &kind in extras.newer_kinds() {
        candidates.retain(&[], kind.byte(), |target| has_form(target, kind))?;
    }
    if extras.has_metadata() {
        candidates.retain(&[], KEY_METADATA, Target::has_key_metadata)?;
    }
    Ok(candidates.lowest())
}

/// Returns whether a version can represent values of a type. A hash with fields that expire has a form in the newer
/// versions of both Redis and Valkey.
pub(in crate::persist) fn has_form(target: Target, kind: ValueType) -> bool {
    target.has(kind) || kind == ValueType::HashTtl && target.has(ValueType::ValkeyHashTtl)
}

/// The versions that have all types so far, the lowest first.
struct Candidates(Vec<Target>);

impl Candidates {
    fn new() -> Self {
        Self(Target::ALL.into_iter().filter(|&target| target != Target::V9).collect())
    }

    fn lowest(&self) -> Target {
        self.0.first().copied().unwrap_or_default()
    }

    fn keep_for(
        &mut self,
        entry: &Entry,
        noted: &[ValueType],
        metadata: &[u8],
    ) -> Result<(), SaveError> {
        if let Some(kind) = entry.value.newer_kind() {
            // If some came from Valkey, all are written for Valkey.
            let of_valkey = kind == ValueType::HashTtl && noted.contains(&ValueType::ValkeyHashTtl);
            let kind = if of_valkey { ValueType::ValkeyHashTtl } else { kind };
            self.retain(entry.key.as_bytes(), kind.byte(), |target| has_form(target, kind))?;
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
