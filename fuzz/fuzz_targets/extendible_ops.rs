//! Operations on two extendible tables and on a plain map. The whole tables are checked every few steps.
#![no_main]

#[path = "../../crates/extendible/tests/driver/mod.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let buckets = driver::run(bytes);
    assert!(buckets <= 1 + 48 * bytes.len());
});
