//! Operations on a hash whose fields expire, and on a map, with both compared after each.
#![no_main]

#[path = "../../crates/tallis/tests/expiring/mod.rs"]
mod expiring;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| expiring::run(bytes));
