//! Random operations on a compact set compared with a `BTreeSet`; the whole set is checked after each.

#[path = "../compact_driver/mod.rs"]
mod compact_driver;

use intset::{Compact, Prefix};
use proptest::collection::vec;
use proptest::prelude::*;
use testkit::rng::Rng;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_sequence_agrees_with_the_oracle(bytes in vec(any::<u8>(), 0..1500)) {
        compact_driver::run(&bytes);
    }
}

/// For every width: up to a size at which the set has been rebuilt several times, and down again.
#[test]
fn sets_of_every_width_grow_and_shrink() {
    let mut rng = Rng::new(1);
    for width in 0..=64_u32 {
        let prefix = Prefix::new(rng.i64(), width);
        let mut set = Compact::new(prefix);
        let mut members = Vec::new();
        for turn in 0..400 {
            let value = rng.range(prefix.first()..=prefix.last());
            if set.try_insert(value) == Ok(true) {
                members.push(value);
            }
            if turn % 8 == 0 {
                set.internal_validate();
            }
            assert!(set.contains(value));
        }
        let mut sorted = members.clone();
        sorted.sort_unstable();
        assert!(set.iter().eq(sorted.iter().copied()));
        rng.shuffle(&mut members);
        for (turn, value) in members.into_iter().enumerate() {
            assert!(set.remove(value) && !set.contains(value));
            if turn % 8 == 0 {
                set.internal_validate();
            }
        }
        assert!(set.is_empty());
        set.internal_validate();
    }
}
