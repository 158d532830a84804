use testkit::rng::Rng;

use super::*;
use crate::records::Body;
use crate::score::key;

/// A block with these entries, put in one by one in another order, and its records.
fn block_of(entries: &[(f64, String)], seed: u64) -> (Block, Records, Vec<u32>) {
    let mut records = Records::new();
    records.open(0);
    let mut block = Block::new(0);
    let mut order: Vec<usize> = (0..entries.len()).collect();
    Rng::new(seed).shuffle(&mut order);
    let mut names = vec![NONE; entries.len()];
    for at in order {
        let (score, member) = &entries[at];
        let target = Target { key: key(*score), tie: Tie::Member(member.as_bytes()) };
        let place = block.position(target, &records);
        let record = records.add(0, *score, Body::New(member.as_bytes()));
        block.insert(place, key(*score), record, &records);
        names[at] = record;
        block.verify(&records);
    }
    (block, records, names)
}

/// Scores that are equal in 16 bits, and far ones: all that a scale has to cover.
fn spreads() -> Vec<Vec<(f64, String)>> {
    let entry = |score: f64, n: u32| (score, format!("{n:03}"));
    vec![
        (0..60).map(|n| entry(f64::from(n), n)).collect(),
        (0..60).map(|n| entry(1.0, n)).collect(),
        (0..60).map(|n| entry(1.0 + f64::from(n / 7) * f64::EPSILON, n)).collect(),
        (0..60).map(|n| entry(if n < 30 { f64::from(n) * 1e-9 } else { 1e300 }, n)).collect(),
        (0..60)
            .map(|n| entry(if n == 0 { f64::NEG_INFINITY } else { f64::from(n / 3) }, n))
            .collect(),
        (0..60)
            .map(|n| entry(if n == 59 { f64::INFINITY } else { f64::from(n) - 40.0 }, n))
            .collect(),
    ]
}

#[test]
fn every_entry_has_its_place() {
    for (seed, entries) in (1..).zip(spreads()) {
        let (block, records, names) = block_of(&entries, seed);
        assert!(block.entries().eq(names.iter().copied()));
        for (at, (score, member)) in entries.iter().enumerate() {
            let position = |tie| block.position(Target { key: key(*score), tie }, &records);
            assert_eq!(position(Tie::Member(member.as_bytes())), at);
            let longer = format!("{member}!");
            assert_eq!(position(Tie::Member(longer.as_bytes())), at + 1);
            assert_eq!(position(Tie::First), entries.partition_point(|other| other.0 < *score));
            assert_eq!(position(Tie::Last), entries.partition_point(|other| other.0 <= *score));
            assert_eq!((block.find(names[at]), block.record(at)), (Some(at), names[at]));
        }
        let ends = [Target { key: 0, tie: Tie::First }, Target { key: u64::MAX, tie: Tie::Last }];
        assert_eq!(ends.map(|end| block.position(end, &records)), [0, entries.len()]);
        assert_eq!(block.find(1000), None);
    }
}

#[test]
fn what_holds_says_is_true() {
    let entries: Vec<_> = (0..20).map(|n| (f64::from(n), format!("{n:03}"))).collect();
    let (block, _, _) = block_of(&entries, 9);
    assert_eq!(block.holds(5, key(5.25)), Some(true));
    assert_eq!(block.holds(5, key(6.5)), Some(false));
    assert_eq!(block.holds(5, key(3.5)), Some(false));
    // Beside the end only the records, or other blocks, can decide.
    assert_eq!((block.holds(0, key(-1.0)), block.holds(19, key(99.0))), (None, None));
    assert_eq!(block.holds(5, key(6.0)), None);
    assert_eq!(block.holds(5, key(4.0)), None);
}

#[test]
fn entries_go_and_leave_nothing() {
    for (seed, entries) in (1..).zip(spreads()) {
        let (mut block, records, names) = block_of(&entries, seed);
        let mut left = names;
        let mut rng = Rng::new(seed);
        while !left.is_empty() {
            let at = rng.index(left.len());
            let entries = at..(at + rng.index(5)).min(left.len());
            block.remove(entries.clone());
            assert!(left.drain(entries).all(|gone| block.find(gone).is_none()));
            assert!(block.entries().eq(left.iter().copied()));
            block.verify(&records);
        }
        assert_eq!((block.len(), block.places().len()), (0, 0));
    }
}

#[test]
fn a_block_that_is_split_keeps_both_halves() {
    for (seed, entries) in (1..).zip(spreads()) {
        let (mut block, mut records, names) = block_of(&entries, seed);
        records.open(1);
        let moves = records.refill(1, names[40..].iter().copied());
        let mut right = block.split_off(40, 1, moves.iter().map(|&(_, new)| new));
        block.verify(&records);
        right.verify(&records);
        assert!(block.entries().eq(names[..40].iter().copied()));
        assert_eq!(right.len(), 20);
        block.refine_if_coarse(&records);
        right.refine_if_coarse(&records);
        block.verify(&records);
        right.verify(&records);
    }
}

/// How many prefixes there are, of a block into which scores come in this order.
fn prefixes_of(scores: impl Iterator<Item = f64>) -> usize {
    let mut records = Records::new();
    records.open(0);
    let mut block = Block::new(0);
    for (number, score) in scores.enumerate() {
        let member = number.to_string();
        let target = Target { key: key(score), tie: Tie::Member(member.as_bytes()) };
        let place = block.position(target, &records);
        let record = records.add(0, score, Body::New(member.as_bytes()));
        block.insert(place, target.key, record, &records);
    }
    block.verify(&records);
    block.prefixes().chunk_by(|a, b| a == b).count()
}

#[test]
fn the_scale_follows_the_scores() {
    let near = |n: u32| 1.0 + f64::from(n) * 1e-13;
    assert!(prefixes_of((0..60).map(f64::from)) > 40);
    assert!(prefixes_of((0..60).map(near)) > 40, "as fine as it must be");
    assert!(
        prefixes_of((0..60).map(|n| if n < 10 { near(n) } else { f64::from(n) })) > 20,
        "wider"
    );
    assert!(prefixes_of((0..60).rev().map(|n| f64::from(n) + 1.0)) > 20, "below the base");
    assert!(prefixes_of((0..60).rev().map(near)) > 20, "below the base, and near");
}
