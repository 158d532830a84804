//! Operations on an integer set and on its oracle. The whole set is checked after each operation.
#![no_main]

#[path = "../../crates/intset/tests/driver/mod.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    driver::run(bytes);
});
