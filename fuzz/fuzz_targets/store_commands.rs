//! Arbitrary commands on a store with low limits and a clock that moves, under both profiles.
//!
//! Errors change nothing, values come back from their payloads, effects make the same values again, EXEC does what the
//! commands do one by one, and so does a connection of the `redis` crate.
#![no_main]

#[path = "../../crates/tallis/tests/driver/mod.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    driver::run(bytes);
});
