//! Random operations compared with the oracle; the whole list is checked after each.

#[path = "../driver/mod.rs"]
mod driver;

use proptest::collection::vec;
use proptest::prelude::*;
use testkit::rng::Rng;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_sequence_agrees_with_the_oracle(bytes in vec(any::<u8>(), 0..2500)) {
        driver::run(&bytes);
    }
}

#[test]
fn long_sequences_agree_with_the_oracle() {
    let (mut plain, mut compressed, mut most_nodes, mut shared) = (0, 0, 0, 0);
    for settings in 0..72 {
        let mut bytes = Rng::new(settings.into()).bytes(12_000);
        bytes[0] = settings;
        let seen = driver::run(&bytes);
        assert!(seen.steps > 500, "{seen:?}");
        plain += seen.plain;
        compressed += seen.compressed;
        most_nodes = most_nodes.max(seen.most_nodes);
        shared += seen.shared;
    }
    assert!(
        plain > 1000 && compressed > 1000 && most_nodes > 128 && shared > 1000,
        "{plain} {compressed} {most_nodes} {shared}"
    );
}
