//! Operations on a Bloom filter and on a plain model, interleaved with growth, saving and merging.
#![no_main]

#[path = "../../crates/bloom/tests/driver/mod.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| driver::run(bytes));
