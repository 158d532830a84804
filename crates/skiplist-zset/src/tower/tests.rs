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
        let path = order.path_to_rank(u32::try_from(rank).unwrap());
        assert_eq!(order.block(path.block).record(rank - path.rank as usize), record);
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
        let place = if left.is_multiple_of(3) {
            place
        } else {
            let path = order.path_to_rank(left - 1);
            Cursor { block: path.block, at: (left - 1 - path.rank) as usize }
        };
        let path = order.path_of(place.block);
        order.remove(&path, place.at, &mut records);
        order.tidy(&path, &mut records);
        left -= 1;
        if left.is_multiple_of(1024) {
            assert_eq!(order.verify(&records).len(), left as usize);
        }
    }
    assert_eq!((order.height, order.block_counts().0, order.len()), (1, 1, 0));
    put(&mut order, &mut records, 1.0, b"again");
    assert_eq!(order.verify(&records).len(), 1);
}
