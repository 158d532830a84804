//! Any bytes as the nodes of a list.
#![no_main]

#[path = "../../crates/quicklist/tests/untrusted/mod.rs"]
mod untrusted;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    untrusted::run(bytes);
});
