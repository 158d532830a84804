use testkit::rng::Rng;

use super::*;
use crate::records::{Body, Moves};
use crate::score::key;

/// An order of so many entries that are put in at random, without an index: names are found by the order alone.
fn order_of(count: u32, seed: u64) -> (Order, Records) {
    let mut records = Records::new();
    let mut order = Order::new(seed, &mut records);
    let mut scores: Vec<u32> = (0..count).collect();
    Rng::new(seed).shuffle(&mut scores);
    for score in scores {
        put(&mut order, &mut records, f64::from(score / 3), &score.to_le_bytes());
    }
    (order, records)
}

fn put(order: &mut Order, records: &mut Records, score: f64, member: &[u8]) {
    let target = Target { key: key(score), tie: Tie::Member(member) };
    let body = Body::New(member);
    loop {
        let path = order.path(target, records);
        let at = order.block(path.block).position(target, records);
        if order.has_room(path.block, crate::records::size(body), records) {
            order.insert(&path, at, (target.key, score, body), records);
            return;
        }
        let moves = order.make_room(&path, at, records);
        assert_eq!(twice(&moves), 0, "{moves:?}");
    }
}

/// How many names records had twice, or got twice.
fn twice(moves: &Moves) -> usize {
    let (mut old, mut new): (Vec<u32>, Vec<u32>) = moves.iter().copied().unzip();
    old.sort_unstable();
    new.sort_unstable();
    old.windows(2).chain(new.windows(2)).filter(|pair| pair[0] == pair[1]).count()
}

#[test]
fn ranks_are_the_same_from_above_and_from_below() {
    let (order, records) = order_of(20_000, 3);
    order.verify(&records);
    assert!(order.height >= 2, "towers");
    for (rank, record) in order.entries().enumerate() {
        assert_eq!(order.rank_of(record), rank);
        let place = order.cursor(u32::try_from(rank).unwrap());
        assert_eq!(order.block(place.block).record(place.at), record);
        let (member, score) = records.get(record);
        let target = Target { key: key(score), tie: Tie::Member(member) };
        assert_eq!(order.rank(target, &records), rank);
        let place = order.seek(target, &records);
        assert_eq!(order.step(place).unwrap().0, record);
    }
    let end = order.seek(Target { key: u64::MAX, tie: Tie::Last }, &records);
    assert_eq!(order.step(end), None);
    let first = order.seek(Target { key: 0, tie: Tie::First }, &records);
    assert_eq!(order.step_back(first), None);
}

#[test]
fn the_seed_decides_on_the_towers() {
    let shape = |seed| -> Vec<usize> {
        let (order, _) = order_of(20_000, seed);
        order.runs.iter().map(|run| run.children.len()).collect()
    };
    assert_eq!(shape(3), shape(3));
    assert_ne!(shape(3), shape(4));
}

#[test]
fn entries_go_from_either_end_and_leave_an_empty_block() {
    let (mut order, mut records) = order_of(20_000, 5);
    let mut left = 20_000_u32;
    while left > 0 {
        let place = order.seek(Target { key: 0, tie: Tie::First }, &records);
        let place = if left.is_multiple_of(3) { place } else { order.cursor(left - 1) };
        let path = order.path_of(place.block);
        let len = order.block(place.block).len();
        // One, some, or all entries of the block from there on.
        let count = [1, 5, 64][left as usize % 7 % 3];
        let entries = place.at..len.min(place.at + count);
        left -= count_of(entries.len());
        order.remove(&path, entries, &mut records);
        order.tidy(&path, &mut records);
        if left.is_multiple_of(64) {
            assert_eq!(order.verify(&records).len(), left as usize);
        }
    }
    assert_eq!((order.height, order.block_counts().0, order.len()), (1, 1, 0));
    put(&mut order, &mut records, 1.0, b"again");
    assert_eq!(order.verify(&records).len(), 1);
}

#[test]
fn a_tower_whose_block_goes_is_taken_over() {
    let (mut order, mut records) = order_of(20_000, 7);
    let firsts: Vec<u32> = order
        .entries()
        .map(block_of)
        .filter(|&block| order.runs[order.block(block).run as usize].children[0] == block)
        .collect();
    let mut emptied = 0;
    for block in firsts {
        if order.block(block).len() == 0 {
            continue;
        }
        let path = order.path_of(block);
        order.remove(&path, 0..1, &mut records);
        let left = order.block(block).len();
        order.tidy(&path, &mut records);
        if left == 0 {
            emptied += 1;
            order.verify(&records);
        }
    }
    order.verify(&records);
    assert!(emptied > 2, "{emptied}");
}

#[test]
fn many_ways_down_end_where_each_by_itself_does() {
    for count in [0, 1, 20_000] {
        let (order, records) = order_of(count, 9);
        let entries = order.entries().map(|record| records.key(record));
        let keys: Vec<u64> = entries.flat_map(|key| [key - 1, key, key + 1]).chain([0]).collect();
        let first = |&key: &u64| order.path(Target { key, tie: Tie::First }, &records).block;
        assert_eq!(order.blocks_of(&keys), keys.iter().map(first).collect::<Vec<_>>());
    }
}
