//! A shape and points, many of them near its border, against a plain scan.
#![no_main]

#[path = "../../crates/geo/tests/driver/mod.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Some(case) = driver::case(bytes) {
        driver::run(&case);
    }
});
