//! Operations on a listpack and on its oracle. The whole list is checked after each operation.
#![no_main]

#[path = "../../crates/listpack/tests/driver/mod.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    driver::run(bytes);
});
