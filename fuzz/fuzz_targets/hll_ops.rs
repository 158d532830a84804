//! Sequences of operations on sketches and on their oracles, with low limits and with the default.
//!
//! The first byte chooses the limit.
#![no_main]

#[path = "../../crates/hll/tests/subject/mod.rs"]
mod subject;

const LIMITS: [usize; 6] = [0, 18, 30, 100, 300, hll::SPARSE_MAX_BYTES];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&limit, bytes)) = bytes.split_first() else { return };
    subject::run_bytes(bytes, LIMITS[usize::from(limit) % LIMITS.len()]);
});
