use testkit::rng::Rng;

use super::*;

/// Hashes by record.
struct Hashes(Vec<u64>);

impl Rehash<u32> for Hashes {
    fn hash(&self, record: &u32) -> u64 {
        self.0[*record as usize]
    }
}

fn record(index: usize) -> u32 {
    u32::try_from(index).unwrap()
}

/// What an index had when all were in.
struct Full {
    capacity: usize,
    crowd: usize,
    depth: u8,
}

/// Puts all in, looks for all, renames some, and takes all out.
fn run(hashes: Vec<u64>, room: usize) -> Full {
    let all = Hashes(hashes);
    let count = all.0.len();
    let mut index = Index::with_entries(room);
    for (at, &hash) in all.0.iter().enumerate() {
        assert!(index.locate(hash, |other| other == record(at)).is_none());
        index.insert(hash, record(at), &all);
    }
    assert_eq!(index.verify(&all), count);
    let full =
        Full { capacity: index.capacity(), crowd: index.crowd.len(), depth: index.table.depth() };
    for (at, &hash) in all.0.iter().enumerate() {
        assert_eq!(index.locate(hash, |other| other == record(at)).unwrap().1, record(at));
    }
    // Every record gets the name of the next, and back.
    let next = |at: usize| (at + 1) % count;
    let names = |at: usize| (all.0[at], record(at), record(next(at)));
    index.rename((0..count).map(names));
    for (at, &hash) in all.0.iter().enumerate() {
        assert!(index.locate(hash, |other| other == record(next(at))).is_some());
    }
    index.rename((0..count).map(|at| (all.0[at], record(next(at)), record(at))));
    assert_eq!(index.verify(&all), count);
    let newest_first: Vec<usize> = (0..count).rev().collect();
    let oldest_first: Vec<usize> = (0..count).collect();
    for order in [newest_first, oldest_first] {
        let mut index = index.clone();
        for (removed, at) in order.into_iter().enumerate() {
            let hash = all.0[at];
            let (place, _) = index.locate(hash, |other| other == record(at)).unwrap();
            index.remove(hash, place);
            assert!(index.locate(hash, |other| other == record(at)).is_none());
            if removed % 64 == 63 {
                assert_eq!(index.verify(&all), count - removed - 1);
            }
        }
        assert!(index.crowd.is_empty() && index.table.is_empty(), "all went out");
    }
    full
}

#[test]
fn what_goes_in_is_found_and_goes_out() {
    let mut rng = Rng::new(5);
    for count in [1, 53, 54, 55, 3000] {
        let hashes: Vec<u64> = (0..count).map(|_| rng.u64()).collect();
        let grown = run(hashes.clone(), 0);
        let built = run(hashes, count);
        assert_eq!((grown.crowd, built.crowd), (0, 0));
        assert!(built.capacity >= count && grown.capacity >= count);
    }
}

#[test]
fn hashes_with_one_tag_or_one_line_are_distinguished_by_the_records() {
    // All bits but those of the directory are the same.
    run((0..200).map(|n: u64| n << 56 | 0x0100).collect(), 0);
    // Empty entries have the tag that these would have.
    run((0..200).map(|n: u64| n << 56).collect(), 0);
}

#[test]
fn a_broken_hash_fills_a_list_and_not_the_memory() {
    let full = run(vec![0; 500], 0);
    assert!(full.capacity < 2000 && full.depth < 10 && full.crowd > 400, "{}", full.crowd);
    run((0..500).map(|n: u64| n % 3 * 0x5555_5555_5555_5555).collect(), 0);
}

#[test]
fn equal_hashes_do_not_hinder_others() {
    let mut rng = Rng::new(6);
    let all = Hashes((0..1000).map(|n| if n < 200 { 0 } else { rng.u64() | 1 << 63 }).collect());
    let mut index = Index::with_entries(0);
    for (at, &hash) in all.0.iter().enumerate() {
        index.insert(hash, record(at), &all);
    }
    assert_eq!(index.verify(&all), 1000);
    assert!(index.crowd.len() <= 200 - FULL / 2, "{} in the list", index.crowd.len());
}
