//! Random operations compared with a plain map; the whole tables are checked every few steps.

#[path = "../driver/mod.rs"]
mod driver;

use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_sequence_agrees_with_a_map(bytes in vec(any::<u8>(), 0..600)) {
        driver::run(&bytes);
    }

    /// Mostly insertions, so that tables become large.
    #[test]
    fn growth_agrees_with_a_map(
        hash in any::<u8>(),
        keys in vec(any::<(bool, u16)>(), 0..60),
        tail in vec(any::<u8>(), 0..300),
    ) {
        let ops = keys.iter().flat_map(|(many, key)| {
            let [low, high] = key.to_le_bytes();
            [if *many { 2 } else { 6 }, low, high]
        });
        driver::run(&[&[hash], &ops.collect::<Vec<u8>>()[..], &tail].concat());
    }
}

#[test]
fn the_sequences_reach_many_buckets() {
    let ops: Vec<u8> = (0..=255).flat_map(|n: u8| [2, n, n.wrapping_mul(97)]).collect();
    for hash in [0, 3] {
        let buckets = driver::run(&[&[hash], &ops[..]].concat());
        assert!(buckets > 1000, "{buckets} with hash {hash}");
    }
    driver::run(&[&[1], &ops[..60]].concat());
    driver::run(&[&[2], &ops[..]].concat());
}
