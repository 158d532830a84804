//! Random operations on a filter and on a plain one.

use proptest::prelude::*;

#[path = "../driver/mod.rs"]
mod driver;

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_filter_does_what_the_plain_one_does(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        driver::run(&bytes);
    }
}
