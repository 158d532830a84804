//! Operations on an integer set and on its oracle, with the whole set checked after each.
#![no_main]

#[path = "../../crates/intset/tests/driver/mod.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    driver::run(bytes);
});
