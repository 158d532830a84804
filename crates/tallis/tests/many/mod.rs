//! Batches: many transactions, pipelines, and batches of recipes have the same results as single calls.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

mod elements;
mod pipelines;
mod reads;
mod recipes;
mod transactions;

use std::collections::BTreeMap;

use tallis::Store;

/// Every key with its payload and its expiry.
fn payloads(store: &Store) -> BTreeMap<Vec<u8>, (Vec<u8>, i64)> {
    let value = |key: bytes::Bytes| {
        let payload = store.dump(&key).unwrap().unwrap().to_vec();
        (key.to_vec(), (payload, store.expire_time(&key).unwrap().millis()))
    };
    store.keys("*").unwrap().into_iter().map(value).collect()
}
