//! Operation sequences on sketches against their oracles, at low limits and at the default.
#![no_main]

use testkit::oracle::hll::HllOp;

#[path = "../../crates/hll/tests/subject/mod.rs"]
mod subject;

libfuzzer_sys::fuzz_target!(|input: (u8, Vec<HllOp>)| {
    let (limit, mut ops) = input;
    const LIMITS: [usize; 6] = [0, 18, 30, 100, 300, hll::SPARSE_MAX_BYTES];
    ops.truncate(100);
    subject::run(&ops, LIMITS[usize::from(limit) % LIMITS.len()]);
});
