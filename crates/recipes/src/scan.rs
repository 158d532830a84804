//! Scanning the keys of a store by prefix.

use std::collections::BTreeSet;

use bytes::Bytes;
use store::{Error, Locks, ScanOptions, Store};

/// The COUNT of SCAN.
const BATCH: usize = 1000;

/// Returns the keys with this prefix, sorted and without duplicates, by SCAN.
pub(crate) fn keys_from<L: Locks>(store: &Store<L>, start: &[u8]) -> Result<Vec<Bytes>, Error> {
    let options = ScanOptions::default().with_pattern(pattern(start)).with_count(BATCH);
    let keys: BTreeSet<Bytes> = store.scan_options(options).collect::<Result<_, _>>()?;
    Ok(keys.into_iter().collect())
}

/// Returns the pattern of all names with this prefix.
pub(crate) fn pattern(start: &[u8]) -> Vec<u8> {
    let mut pattern = Vec::with_capacity(start.len() + 1);
    for &byte in start {
        if matches!(byte, b'*' | b'?' | b'[' | b'\\') {
            pattern.push(b'\\');
        }
        pattern.push(byte);
    }
    pattern.push(b'*');
    pattern
}
