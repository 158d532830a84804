//! The shape: one shard at first, one split at a time, no hash tables, little memory per member.

use tallis::{ShardedSet, Store};
use testkit::rng::{Rng, rounds};

use super::{Model, is_right, journaled, shard_keys, validate};
use crate::journal::Journal;

/// The keys that a change touched, in order.
fn touched(journal: &Journal) -> Vec<String> {
    let two = |line: String| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    journal.lines().into_iter().map(two).collect()
}

#[test]
fn a_split_moves_one_shard_to_two_and_nothing_else() {
    let (store, journal) = journaled();
    let set = ShardedSet::splitting(store.clone(), "s");
    let mut splits = 0;
    for id in 0..3_000 {
        journal.take();
        let (shards, before) = (set.shards().unwrap(), shard_keys("s", set.shards().unwrap()));
        assert!(set.add(id).unwrap());
        let touched = touched(&journal);
        let into = touched[0].strip_prefix("SADD ").unwrap();
        if touched.len() == 1 {
            // If the largest shard is full, the next one in order is split, unless that has much fewer members.
            assert!(store.scard(into).unwrap() <= 321, "{into}");
            continue;
        }
        splits += 1;
        assert!(before.iter().any(|key| key == into));
        assert_eq!(set.shards().unwrap(), shards + 1);
        let after = shard_keys("s", shards + 1);
        let gone: Vec<_> = before.iter().filter(|key| !after.contains(key)).collect();
        let come: Vec<_> = after.iter().filter(|key| !before.contains(key)).collect();
        let [even, odd] = come[..] else { panic!("{come:?}") };
        let [whole] = gone[..] else { panic!("{gone:?}") };
        let split = [
            format!("RENAME {whole}"),
            format!("SREM {even}"),
            format!("SADD {odd}"),
            "INCRBY s:shards".into(),
        ];
        assert_eq!(touched[1..], split);
        let [left, moved] = [even, odd].map(|key| store.scard(key).unwrap());
        assert!(left + moved > 240 && left.abs_diff(moved) < 80, "{left} and {moved}");
    }
    assert_eq!(splits + 1, set.shards().unwrap());
    assert!(is_right(splits + 1, 3_000), "{splits}");
}

#[test]
fn members_that_are_added_and_removed_alternately_move_nothing() {
    let (store, journal) = journaled();
    let set = ShardedSet::splitting(store, "s");
    for size in [79, 80, 81, 319, 320, 321, 400, 900, 1000, 1001] {
        set.add_many(0..size).unwrap();
        // The first additions may cause a split.
        for _ in 0..2 {
            set.add(-1).unwrap();
            set.remove(-1).unwrap();
        }
        journal.take();
        for _ in 0..10 {
            assert!(set.add(-1).unwrap());
            assert!(set.remove(-1).unwrap());
        }
        assert_eq!(journal.take().len(), 20, "a member, ten times up and down");
    }
}

/// Adds these ids, and checks the number of shards and their sizes.
fn grow(ids: impl Iterator<Item = i64>) {
    let store = Store::builder().hash_seed(1).build();
    let set = ShardedSet::splitting(store.clone(), "s");
    let mut added = 0_u64;
    for id in ids {
        assert!(set.add(id).unwrap());
        added += 1;
        // Just before a round ends, the last shards have their maximum size.
        let end = [100_u64, 1_000, 10_000, 140_000, 150_000, 290_000, 580_000, 1_000_000];
        let end = end.contains(&added);
        if !end {
            continue;
        }
        let shards = set.shards().unwrap();
        assert!(is_right(shards, added), "{shards} of {added}");
        let mut largest = 0;
        for key in shard_keys("s", shards) {
            assert_eq!(store.object_encoding(&key).unwrap(), Some("intset"));
            largest = largest.max(store.scard(&key).unwrap());
        }
        assert!(largest < 400, "{largest} of {added}");
        // Without a forecast, the memory per member is always the same.
        let empty = Store::builder().hash_seed(1).build().used_memory().unwrap() as u64;
        let bytes = store.used_memory().unwrap() as u64 - empty;
        assert!(added < 200_000 || bytes * 10 < added * 90, "{bytes} bytes for {added}");
    }
    assert_eq!(set.card().unwrap(), added);
}

#[test]
fn random_ids_are_always_intsets() {
    let mut rng = Rng::new(7);
    grow((0..rounds(290_000, 1_000_000)).map(|_| (rng.u64() >> 4).cast_signed()));
}

#[test]
fn ids_in_order_are_always_intsets() {
    grow((0..rounds(290_000, 1_000_000)).map(|n| (1 << 59) + n.cast_signed()));
}

#[test]
fn a_set_that_has_shrunk_takes_little_more_memory_than_one_that_grew() {
    let store = Store::builder().hash_seed(1).build();
    let empty = store.used_memory().unwrap();
    let set = ShardedSet::splitting(store.clone(), "s");
    let mut rng = Rng::new(8);
    let mut ids: Vec<i64> = (0..400_000).map(|_| (rng.u64() >> 4).cast_signed()).collect();
    set.add_many(ids.iter().copied()).unwrap();
    for left in [200_000, 120_000, 50_000] {
        while ids.len() > left {
            let id = ids.swap_remove(rng.index(ids.len()));
            assert!(set.remove(id).unwrap());
        }
        assert!(is_right(set.shards().unwrap(), left as u64), "{left}");
        let bytes = store.used_memory().unwrap() - empty;
        assert!(bytes * 10 < left * 102, "{bytes} bytes for {left}");
    }
    validate(&store, "s", &ids.iter().map(i64::to_string).collect::<Model>());
}
