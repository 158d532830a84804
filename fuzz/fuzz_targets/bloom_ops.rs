//! Operations on a Bloom filter and on a plain one, with growth, saving and merging in between.
#![no_main]

#[path = "../../crates/bloom/tests/driver/mod.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|input: (driver::Made, Vec<driver::Op>)| {
    let (made, mut ops) = input;
    ops.truncate(60);
    driver::run(made, &ops);
});
