//! A shape, and points of which many are near its border, compared with a plain scan.
#![no_main]

#[path = "../../crates/geo/tests/driver/mod.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Some(case) = driver::case(bytes) {
        driver::run(&case);
    }
});
