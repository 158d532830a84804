//! Random operations compared with the oracle; the whole set is checked after each.

#[path = "../driver/mod.rs"]
mod driver;

use driver::{Broken, Sound};
use proptest::collection::vec;
use proptest::prelude::*;
use testkit::rng::Rng;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_sequence_agrees_with_the_oracle(bytes in vec(any::<u8>(), 0..3000)) {
        driver::run::<Sound>(&bytes);
    }

    #[test]
    fn a_broken_hash_makes_it_slow_and_nothing_else(bytes in vec(any::<u8>(), 0..1500)) {
        driver::run::<Broken>(&bytes);
    }
}

#[test]
fn long_sequences_agree_with_the_oracle() {
    for (seed, settings) in (0..64).step_by(5).enumerate() {
        let mut bytes = Rng::new(seed as u64).bytes(20_000);
        bytes[0] = settings;
        let seen = driver::run::<Sound>(&bytes);
        assert!(seen.skip_lists > 500, "{seen:?}");
    }
}
