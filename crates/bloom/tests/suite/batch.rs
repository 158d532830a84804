//! Batches of items, at sizes around the window: growth within a batch, and arrays that are prefetched.
#![expect(clippy::unwrap_used, reason = "a failure here fails the test")]

use bloom::{AddError, BloomFilter, ItemHash, Settings};
use testkit::rng::Rng;

fn hashes(items: &[[u8; 8]]) -> Vec<ItemHash> {
    items.iter().map(|item| ItemHash::of(item)).collect()
}

/// The size of a batch: some items, or several windows of them.
fn size(rest: &[[u8; 8]], rng: &mut Rng) -> usize {
    let most = if rng.index(4) == 0 { 600 } else { 40 };
    rng.index(rest.len().min(most)) + 1
}

/// Adds items one by one, and in batches of all sizes around the window, both as items and as hashes.
fn both(settings: Settings, items: &[[u8; 8]], rng: &mut Rng) -> BloomFilter {
    let mut one = settings.build().unwrap();
    let mut many = settings.build().unwrap();
    let mut rest = items;
    let mut answers = Vec::new();
    while !rest.is_empty() {
        let (batch, after) = rest.split_at(size(rest, rng));
        answers.clear();
        if rng.index(2) == 0 {
            many.add_many(batch, &mut answers).unwrap();
        } else {
            many.add_hashes(&hashes(batch), &mut answers).unwrap();
        }
        let expected: Vec<_> = batch.iter().map(|item| one.add(item).unwrap()).collect();
        assert_eq!(answers, expected);
        rest = after;
    }
    assert!(one == many);
    many
}

fn asked(filter: &BloomFilter, items: &[[u8; 8]], rng: &mut Rng) {
    let mut rest = items;
    let mut answers = Vec::new();
    while !rest.is_empty() {
        let (batch, after) = rest.split_at(size(rest, rng));
        if rng.index(2) == 0 {
            filter.contains_many(batch, &mut answers);
        } else {
            filter.contains_hashes(&hashes(batch), &mut answers);
        }
        rest = after;
    }
    assert!(items.iter().map(|item| filter.contains(item)).eq(answers));
}

/// Items that occur twice in a window, before and after the link that has them is no longer the last one.
#[test]
fn a_window_that_grows_the_filter_knows_what_it_has_added() {
    let mut rng = Rng::new(1);
    for capacity in [1, 2, 5, 16, 31, 33] {
        for expansion in [1, 2] {
            let items: Vec<_> = (0..600).map(|_| rng.below(300).to_le_bytes()).collect();
            let settings = Settings::new(capacity, 0.001).expansion(expansion);
            let filter = both(settings, &items, &mut rng);
            assert!(filter.link_count() > 3);
            let asks: Vec<_> = (0..600).map(|_| rng.below(600).to_le_bytes()).collect();
            asked(&filter, &asks, &mut rng);
        }
    }
}

/// Members and other items, in arrays of more than a megabyte, in two links.
#[test]
fn large_links_answer_as_small_ones_do() {
    let mut rng = Rng::new(2);
    let settings = Settings::new(200_000, 1e-9).expansion(1);
    let items: Vec<_> = (0..450_000_u64).map(|_| rng.below(500_000).to_le_bytes()).collect();
    let filter = both(settings, &items, &mut rng);
    assert_eq!(filter.link_count(), 2);
    assert!(filter.links().all(|link| link.as_bytes().len() > 1 << 20));
    let asks: Vec<_> = (0..100_000).map(|_| rng.below(1_000_000).to_le_bytes()).collect();
    asked(&filter, &asks, &mut rng);
    let all = items.iter().filter(|item| filter.contains(*item)).count();
    assert_eq!(all, items.len());

    // Half full, so that items that were not added need several steps; with three hashes, and with five, where the last
    // step has one hash.
    for (count, error_rate) in [(3_000_000, 0.2), (1_500_000, 0.04)] {
        let mut filter = Settings::new(count, error_rate).non_scaling().build().unwrap();
        assert!(filter.memory() > 1 << 20);
        let mut answers = Vec::new();
        let items: Vec<_> = (0..count).map(u64::to_le_bytes).collect();
        let (members, _) = items.split_at(items.len() - 100_000);
        filter.add_many(members, &mut answers).unwrap();
        asked(&filter, &items[items.len() - 200_000..], &mut rng);
    }
}

/// The item that finds the filter full is refused at any position in a batch, and only the items before it get an
/// answer.
#[test]
fn a_batch_is_answered_up_to_the_item_that_is_refused() {
    let items: Vec<_> = (0..1000_u64).map(u64::to_le_bytes).collect();
    for capacity in (1..40).chain([255, 256, 257, 300]) {
        let mut one = Settings::new(capacity, 0.001).non_scaling().build().unwrap();
        let mut many = one.clone();
        let taken = items.iter().take_while(|item| one.add(*item).is_ok()).count();
        assert!(taken as u64 >= capacity);
        let mut answers = vec![true];
        let full = Err(AddError::Full { capacity });
        assert_eq!(many.add_many(&items, &mut answers), full);
        assert_eq!(answers.len(), 1 + taken);
        assert_eq!(many.add_hashes(&hashes(&items), &mut answers), full);
        assert_eq!(answers.len(), 1 + 2 * taken);
        assert!(one == many);
    }
}
