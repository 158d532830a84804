//! The shape: one shard at first, a half moved at a time, no hash tables, few bytes a member.

use tallis::{ShardedSet, Store};
use testkit::rng::Rng;

use super::journal::Journal;
use super::{Model, journaled, validate};

/// Which keys a change touched, in order.
fn touched(journal: &Journal) -> Vec<String> {
    let two = |line: String| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    journal.lines().into_iter().map(two).collect()
}

#[test]
fn a_split_moves_half_of_one_shard_and_nothing_else() {
    let (store, journal) = journaled();
    let set = ShardedSet::splitting(store.clone(), "s");
    // The shard that is split, each time that one more than the average of 200 comes.
    for (shards, from) in [(1, 0), (2, 0), (3, 1), (4, 0), (5, 1), (6, 2), (7, 3), (8, 0)] {
        let before = 200 * (shards - 1)..200 * shards;
        set.add_many(before).unwrap();
        assert_eq!(set.shards().unwrap(), u64::try_from(shards).unwrap());
        let was = store.scard(format!("s:{from}")).unwrap();
        journal.take();
        assert!(set.add(1_000_000 + shards).unwrap());
        let touched = touched(&journal);
        assert!(touched[0].starts_with("SADD s:") && touched[1] == "INCRBY s", "{touched:?}");
        let split =
            [format!("SREM s:{from}"), format!("SADD s:{shards}"), "INCRBY s:shards".into()];
        assert_eq!(touched[2..], split);
        let [left, moved] = [from, shards].map(|n| store.scard(format!("s:{n}")).unwrap());
        assert!(left + moved - was <= 1 && left.abs_diff(moved) < was / 2, "{left} and {moved}");
        // And back, long before the next.
        assert!(set.remove(1_000_000 + shards).unwrap());
        assert_eq!(journal.lines().len(), 2);
    }
}

#[test]
fn members_who_come_and_go_by_turns_move_nothing() {
    let (store, journal) = journaled();
    let set = ShardedSet::splitting(store, "s");
    for size in [200, 201, 400, 900, 1000, 1001] {
        set.add_many(0..size).unwrap();
        // The first addition may split.
        set.add(-1).unwrap();
        set.remove(-1).unwrap();
        journal.take();
        for _ in 0..10 {
            assert!(set.add(-1).unwrap());
            assert!(set.remove(-1).unwrap());
        }
        assert_eq!(journal.take().len(), 40, "a member and a count, ten times up and down");
    }
}

/// A million ids: the number of shards, and the largest of them.
fn million(ids: impl Iterator<Item = i64>) {
    let store = Store::builder().hash_seed(1).build();
    let set = ShardedSet::splitting(store.clone(), "s");
    let mut added = 0_u64;
    for id in ids {
        assert!(set.add(id).unwrap());
        added += 1;
        // Just before a round ends the last shards are nearly twice as full as the average.
        let end = [100_u64, 1_000, 10_000, 204_799, 409_599, 819_199, 1_000_000].contains(&added);
        if !end {
            continue;
        }
        let shards = set.shards().unwrap();
        assert_eq!(shards, added.div_ceil(200));
        let mut largest = 0;
        for shard in 0..shards {
            let key = format!("s:{shard}");
            assert_eq!(store.object_encoding(&key).unwrap(), Some("intset"));
            largest = largest.max(store.scard(&key).unwrap());
        }
        assert!(largest < 512, "{largest} of {added}");
        // No forecast was asked for: whatever it would have been, a member takes as much.
        let empty = Store::builder().hash_seed(1).build().used_memory().unwrap() as u64;
        let bytes = store.used_memory().unwrap() as u64 - empty;
        assert!(added < 200_000 || bytes * 10 < added * 90, "{bytes} bytes for {added}");
    }
    assert_eq!(set.card().unwrap(), 1_000_000);
}

#[test]
fn a_million_random_ids_are_intsets_all_along() {
    let mut rng = Rng::new(7);
    million((0..1_000_000).map(|_| (rng.u64() >> 4).cast_signed()));
}

#[test]
fn a_million_ids_in_order_are_intsets_all_along() {
    million((0..1_000_000).map(|n| (1 << 59) + n));
}

#[test]
fn a_set_that_has_shrunk_takes_little_more_than_one_that_grew() {
    let store = Store::builder().hash_seed(1).build();
    let empty = store.used_memory().unwrap();
    let set = ShardedSet::splitting(store.clone(), "s");
    let mut rng = Rng::new(8);
    let mut ids: Vec<i64> = (0..400_000).map(|_| (rng.u64() >> 4).cast_signed()).collect();
    set.add_many(ids.iter().copied()).unwrap();
    // The average falls to a hundred; then shards are joined.
    for (left, shards) in [(199_900, 2_000), (120_000, 1_201)] {
        while ids.len() > left {
            let id = ids.swap_remove(rng.index(ids.len()));
            assert!(set.remove(id).unwrap());
        }
        assert_eq!(set.shards().unwrap(), shards);
        let bytes = store.used_memory().unwrap() - empty;
        assert!(bytes * 10 < left * 95, "{bytes} bytes for {left}");
    }
    validate(&store, "s", &ids.iter().map(i64::to_string).collect::<Model>());
}
