//! Operations on a hash with fields that expire, and on a map. Both are compared after each operation.
#![no_main]

#[path = "../../crates/tallis/tests/expiring/mod.rs"]
mod expiring;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| expiring::run(bytes));
