//! Operations on a compact set and on a `BTreeSet`. The whole set is checked after each operation.
#![no_main]

#[path = "../../crates/intset/tests/compact_driver/mod.rs"]
mod compact_driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    compact_driver::run(bytes);
});
