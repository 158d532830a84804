//! Operations on a quicklist and on its oracle. The whole list is checked after each operation.
#![no_main]

#[path = "../../crates/quicklist/tests/driver/mod.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let seen = driver::run(bytes);
    assert!(seen.plain.max(seen.compressed) <= seen.steps && seen.steps <= bytes.len());
    assert!(seen.most_nodes <= 64 * bytes.len());
});
