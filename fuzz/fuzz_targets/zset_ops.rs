//! Operations on a sorted set and on its oracle. The whole set is checked after each operation.
#![no_main]

#[path = "../../crates/skiplist-zset/tests/driver/mod.rs"]
mod driver;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let seen = match bytes.split_first() {
        Some((0..=200, rest)) => driver::run::<driver::Sound>(rest),
        _ => driver::run::<driver::Broken>(bytes),
    };
    assert!(seen.lists + seen.skip_lists <= bytes.len());
});
