//! Operations on a bitmap and on a plain list of bits. Everything is checked after each operation.
#![no_main]

#[path = "../../crates/bitpack/tests/driver/bitmap.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| driver::run(bytes));
