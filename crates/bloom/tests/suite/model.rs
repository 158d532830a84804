//! Random operations on a filter and on a plain one.

use bloom::{BloomFilter, Settings};
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

#[test]
fn a_filter_and_its_links_are_empty_until_an_item_is_added() {
    let mut filter = BloomFilter::new(&Settings::default()).expect("the default settings");
    assert!(filter.is_empty() && filter.links().all(bloom::Link::is_empty));
    filter.add(b"item").expect("room");
    assert!(!filter.is_empty() && !filter.links().any(bloom::Link::is_empty));
}
