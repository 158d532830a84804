//! Operations on bit fields and on a model that works bit by bit. All bytes are compared after each operation.
#![no_main]

#[path = "../../crates/bitpack/tests/driver/bitfield.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| driver::run(bytes));
