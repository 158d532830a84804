//! Operations on a compact set and on a `BTreeSet`, with the whole set checked after each.
#![no_main]

#[path = "../../crates/intset/tests/compact_driver/mod.rs"]
mod compact_driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    compact_driver::run(bytes);
});
