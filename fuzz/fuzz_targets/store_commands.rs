//! Arbitrary commands on a store with low limits and an advancing clock, under both profiles.
//!
//! Errors change nothing, values can be restored from their payloads, replayed effects give the same values, and EXEC
//! and a connection of the `redis` crate do the same as single commands.
#![no_main]

#[path = "../../crates/tallis/tests/driver/mod.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    driver::run(bytes);
});
