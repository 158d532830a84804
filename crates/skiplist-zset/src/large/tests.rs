use std::hash::{BuildHasherDefault, DefaultHasher};

use testkit::rng::Rng;

use super::*;
use crate::error::BuildError;
use crate::records::BLOCKS_MAX;

type Sound = BuildHasherDefault<DefaultHasher>;

#[test]
fn a_full_set_refuses_and_stays_whole() {
    let mut rng = Rng::new(1);
    let mut set = Large::new(Sound::default(), 0);
    let mut number = 0_u64;
    let refused = loop {
        match set.update(&number.to_le_bytes(), |_| Some(rng.unit())) {
            Ok(change) => assert_eq!(change, Change::Added),
            Err(refused) => break refused,
        }
        number += 1;
    };
    assert_eq!(refused, Refused::Full);
    assert!(set.order.block_counts().0 < BLOCKS_MAX);
    set.verify();
    // What is there cannot move either, but it can go, and then others can come.
    assert_eq!(set.update(&[0; 8], |_| Some(-1.0)), Err(Refused::Full));
    assert_eq!(set.update(&[0; 8], |_| None), Ok(Change::Unchanged));
    set.remove_range(0, set.len() / 4);
    assert_eq!(set.update(b"another", |_| Some(2.0)), Ok(Change::Added));
    set.verify();

    let members = (0..64_000_u32).map(|n| (n.to_le_bytes(), -f64::from(n)));
    let built = Large::of(members, Sound::default()).map(|_| ());
    assert!(matches!(built, Err(BuildError::Full { .. })), "{built:?}");
}

#[test]
fn what_is_read_ahead_changes_nothing() {
    let mut rng = Rng::new(3);
    let entries = (0..CACHED as u64 + 100).map(|n| (n.to_le_bytes(), rng.unit()));
    let mut set = Large::of(entries.collect::<Vec<_>>(), Sound::default()).unwrap();
    let mut plain = set.clone();
    for round in 0..200 {
        let mut change = || (rng.below(CACHED as u64 * 2), rng.unit() * 1.1);
        let changes: Vec<_> = (0..round % 70).map(|_| change()).collect();
        let hash = |number: u64| set.hash(&number.to_le_bytes());
        let ends = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(|score| (rng.u64(), score));
        let updates = changes.iter().map(|&(number, score)| (hash(number), score)).chain(ends);
        set.prefetch_updates(&updates.collect::<Vec<_>>());
        for (number, score) in changes {
            let update = |set: &mut Large<_>| set.update(&number.to_le_bytes(), |_| Some(score));
            assert_eq!(update(&mut set), update(&mut plain));
        }
    }
    set.verify();
    let all = |set: &Large<Sound>| set.order.entries().collect::<Vec<_>>();
    assert_eq!(all(&set), all(&plain), "the same records, in the same order");
}

#[test]
fn room_follows_what_is_kept() {
    let mut rng = Rng::new(2);
    let mut members: Vec<u64> = (0..20_000).collect();
    let entries: Vec<_> = members.iter().map(|n| (n.to_le_bytes(), rng.unit())).collect();
    let mut set = Large::of(entries, Sound::default()).unwrap();
    let before = set.order.block_counts().1;
    // Those in the middle stay, and the others go from the ends, block by block.
    while set.len() > 3000 {
        set.remove_range(if rng.below(2) == 0 { 0 } else { set.len() - 1 }, 1);
    }
    let (blocks, room) = set.order.block_counts();
    assert!(room <= IDLE * blocks && room < before / 2, "{blocks} of {room}, once {before}");
    assert!(set.index.capacity() <= IDLE * 3000, "{}", set.index.capacity());
    set.verify();
    rng.shuffle(&mut members);
    for member in members {
        set.remove(&member.to_le_bytes());
    }
    assert_eq!(set.len(), 0);
    set.verify();
    assert!(set.heap_bytes() < 60_000, "{}", set.heap_bytes());
}

#[test]
fn blocks_of_long_members_go_with_them() {
    let long = |n: u32| format!("{n:0240}");
    let mut set = Large::new(Sound::default(), 0);
    for n in 0..3000_u32 {
        set.update(long(n).as_bytes(), |_| Some(f64::from(n))).unwrap();
    }
    let before = set.order.block_counts().1;
    for n in 0..3000_u32 {
        set.update(&n.to_le_bytes(), |_| Some(f64::from(n))).unwrap();
        assert!(set.remove(long(n).as_bytes()).is_some());
    }
    let (blocks, room) = set.order.block_counts();
    assert!(room <= IDLE * blocks && room < before / 2, "{blocks} of {room}, once {before}");
    set.verify();
}

#[test]
fn members_of_every_length_are_built_into_blocks() {
    for len in [8, 60, 200, 246, 255, 300] {
        let entries = |n: u32| (format!("{n:0len$}"), f64::from(n));
        for built in [
            Large::of((0..500).map(entries), Sound::default()),
            Large::of((0..500).rev().map(entries), Sound::default()),
            Large::of(
                (0..250).chain((300..500).rev()).chain(250..300).map(entries),
                Sound::default(),
            ),
        ] {
            let set = built.unwrap();
            set.verify();
            assert_eq!((set.len(), set.rank(entries(250).0.as_bytes())), (500, Some((250, 250.0))));
        }
    }
}

#[test]
fn a_member_that_comes_twice_is_found_wherever_it_is() {
    let entries = |n: u32| (n.to_le_bytes(), f64::from(n));
    for (extra, index) in [((7_u32.to_le_bytes(), 7.0), 500), ((7_u32.to_le_bytes(), 501.0), 500)] {
        let up = Large::of((0..500).map(entries).chain([extra]), Sound::default());
        assert_eq!(up.err(), Some(BuildError::Duplicate { index }));
    }
    let twice = [(1_u32.to_le_bytes(), 1.0); 2];
    let built = Large::of(twice, Sound::default());
    assert_eq!(built.err(), Some(BuildError::Duplicate { index: 1 }));
    let down = Large::of([(b"a", 2.0), (b"a", 1.0)], Sound::default());
    assert_eq!(down.err(), Some(BuildError::Duplicate { index: 1 }));
    let not = Large::of([(b"a", 2.0), (b"b", f64::NAN)], Sound::default());
    assert_eq!(not.err(), Some(BuildError::NotANumber { index: 1 }));
}

#[test]
fn members_are_equal_byte_by_byte() {
    let member: Vec<u8> = (0..40).collect();
    for len in 0..40 {
        assert!(are_equal(&member[..len], &member.clone()[..len]));
        assert!(!are_equal(&member[..len], &member[..=len]));
        for at in 0..len {
            let mut other = member[..len].to_vec();
            other[at] ^= 0x80;
            assert!(!are_equal(&member[..len], &other), "{at} of {len}");
        }
    }
}
