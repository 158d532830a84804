//! Random operations on a filter and on a plain one.

use bloom::{BloomFilter, Loader, Settings};
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

#[test]
fn a_loader_knows_its_filter_before_the_bits_arrive() {
    let mut filter = BloomFilter::new(&Settings::new(10, 0.01)).expect("valid settings");
    for item in 0..25_u32 {
        filter.add(&item.to_le_bytes()).expect("room");
    }
    assert_eq!(filter.link_count(), 2);
    let loader = Loader::new(&filter.header()).expect("a header");
    assert_eq!((loader.len(), loader.memory()), (filter.len(), filter.memory()));
    let rate = loader.error_rate_by_items();
    assert!(rate > 0.0 && rate < 0.01, "{rate}");
    assert_eq!(rate.to_bits(), filter.error_rate_by_items().to_bits());
}
