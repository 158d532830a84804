//! Operations on a list and on its oracle, with the whole list checked after each.
#![no_main]

#[path = "../../crates/listpack/tests/driver/mod.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    driver::run(bytes);
});
