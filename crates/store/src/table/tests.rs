//! The table against a plain map, through growth, splits and shrinking.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use ahash::RandomState;
use testkit::rng::Rng;

use super::keys::{Entry, KeyPiece};
use super::members::MemberPiece;
use super::*;
use crate::key::{HashedKey, Key};
use crate::value::Value;

/// A hash for tests: fixed, and as good as the store's.
fn hash(bytes: &[u8]) -> u64 {
    RandomState::with_seeds(1, 2, 3, 4).hash_one(bytes)
}

/// The same hash with its first `skip` bits cleared, as one stripe of a store sees it.
fn skipped(skip: u8) -> impl Fn(&[u8]) -> u64 {
    move |bytes| hash(bytes) << skip >> skip
}

fn number_at(table: &Extendible<KeyPiece>, hash: u64, bytes: &[u8]) -> Option<i64> {
    let piece = table.piece(hash)?;
    let value = &piece.entry(piece.find(HashedKey { hash, bytes })?).value;
    let Value::Int(number) = value else { panic!("a number was put, {value:?} is there") };
    Some(*number)
}

fn check_against(
    table: &Extendible<KeyPiece>,
    model: &BTreeMap<Vec<u8>, (i64, Option<i64>)>,
    hash: &impl Fn(&[u8]) -> u64,
) {
    assert_eq!(table.len(), model.len());
    for (key, &(number, expires)) in model {
        let hashed = hash(key);
        assert_eq!(number_at(table, hashed, key), Some(number));
        let piece = table.piece(hashed).unwrap();
        let place = piece.find(HashedKey { hash: hashed, bytes: key }).unwrap();
        assert_eq!(piece.expires_at(place), expires);
    }
    let walked: BTreeMap<Vec<u8>, Option<i64>> = table
        .pieces()
        .flat_map(KeyPiece::iter)
        .map(|(entry, expires)| (entry.key.as_bytes().to_vec(), expires))
        .collect();
    assert!(
        walked
            .iter()
            .eq(model.iter().map(|(key, (_, expires))| (key, expires)).collect::<Vec<_>>())
    );
    let expiring: usize = table.pieces().map(KeyPiece::expiring).sum();
    assert_eq!(expiring, model.values().filter(|(_, expires)| expires.is_some()).count());
}

fn drive_keys(seed: u64, skip: u8, keys: u64, steps: usize) {
    let hash = skipped(skip);
    let mut rng = Rng::new(seed);
    let mut table: Extendible<KeyPiece> = Extendible::new(skip);
    let mut model: BTreeMap<Vec<u8>, (i64, Option<i64>)> = BTreeMap::new();
    for step in 0..steps {
        let key = format!("key:{}", rng.below(keys)).into_bytes();
        let hashed = HashedKey { hash: hash(&key), bytes: &key };
        let found = table.piece(hashed.hash).and_then(|piece| piece.find(hashed));
        assert_eq!(found.is_some(), model.contains_key(&key));
        // Two steps of three add for the first half; then two of three remove.
        let add = rng.below(3) < if step < steps / 2 { 2 } else { 1 };
        match found {
            Some(place) if add => {
                let expires = (rng.below(2) == 0).then(|| rng.range(0..=1000));
                table.piece_mut(hashed.hash).unwrap().set_expiry(place, expires);
                model.get_mut(&key).unwrap().1 = expires;
            }
            Some(place) => {
                table.piece_mut(hashed.hash).unwrap().remove(place, &hash);
                table.removed();
                model.remove(&key);
            }
            None if add => {
                let number = i64::try_from(step).unwrap();
                let entry = Entry { key: Key::new(&key), value: Value::Int(number) };
                table.insert(hashed.hash, &hash, |piece| piece.insert(hashed.hash, entry, 0));
                model.insert(key, (number, None));
            }
            None => {}
        }
        if step % (steps / 8) == 0 {
            check_against(&table, &model, &hash);
        }
    }
    check_against(&table, &model, &hash);
    assert!(table.pieces().count() > 1 || keys < 1000, "the test is to reach splits");
}

#[test]
fn keys_are_found_through_growth_and_shrinking() {
    drive_keys(1, 0, 100, 4_000);
    drive_keys(2, 0, 20_000, 60_000);
    drive_keys(3, 6, 20_000, 60_000);
}

#[test]
fn a_table_that_is_emptied_holds_nothing() {
    let mut table: Extendible<KeyPiece> = Extendible::new(0);
    let keys: Vec<String> = (0..2000).map(|i| format!("key:{i}")).collect();
    for key in &keys {
        let hashed = hash(key.as_bytes());
        let entry = Entry { key: Key::new(key.as_bytes()), value: Value::Int(0) };
        table.insert(hashed, &hash, |piece| piece.insert(hashed, entry, 0));
    }
    assert!(table.table_bytes() > 2000 * size_of::<Entry>());
    for key in &keys {
        let hashed = HashedKey { hash: hash(key.as_bytes()), bytes: key.as_bytes() };
        let piece = table.piece_mut(hashed.hash).unwrap();
        let place = piece.find(hashed).unwrap();
        piece.remove(place, &hash);
        table.removed();
    }
    assert_eq!((table.len(), table.table_bytes()), (0, 0));
}

#[test]
fn keys_that_crowd_into_one_prefix_do_not_blow_up_the_directory() {
    // A hash that differs in its last bits only: no split can ever part these keys.
    let crowded = |bytes: &[u8]| hash(bytes) & 0xffff;
    let mut table: Extendible<KeyPiece> = Extendible::new(0);
    for i in 0..3000 {
        let key = format!("key:{i}");
        let hashed = crowded(key.as_bytes());
        let entry = Entry { key: Key::new(key.as_bytes()), value: Value::Int(i) };
        table.insert(hashed, &crowded, |piece| piece.insert(hashed, entry, 0));
    }
    assert!(table.directory.len() <= 256, "{}", table.directory.len());
    for i in 0..3000 {
        let key = format!("key:{i}");
        assert_eq!(number_at(&table, crowded(key.as_bytes()), key.as_bytes()), Some(i));
    }
}

#[test]
fn a_table_costs_little_beside_its_members() {
    let members: Vec<String> = (0..100_000).map(|n| format!("USER{n}")).collect();
    let kept: usize = members.iter().map(|member| member.len() + 1).sum();
    let hashed: Vec<(u64, &[u8])> =
        members.iter().map(|member| (hash(member.as_bytes()), member.as_bytes())).collect();
    let mut grown: Extendible<MemberPiece> = Extendible::new(0);
    for &(of, member) in &hashed {
        grown.insert(of, &hash, |piece| piece.insert(of, member));
    }
    for (table, most) in [(grown, 9), (Extendible::of_hashed(&hashed), 9)] {
        let pieces = table.pieces().count();
        let cost = (table.table_bytes() - kept) / members.len();
        assert!(cost < most, "{cost} bytes a member in {pieces} pieces");
        table.pieces().for_each(MemberPiece::verify);
        let crowded = table.pieces().filter(|piece| piece.len() > PIECE_MAX).count();
        assert!(crowded * 20 < pieces, "{crowded} of {pieces}");
    }
}

#[test]
fn members_that_are_long_or_cannot_be_parted_are_found() {
    let crowded = |bytes: &[u8]| hash(bytes) & 0xffff;
    for (count, long) in [(40, 5_000), (200, 10), (300, 700)] {
        let mut table: Extendible<MemberPiece> = Extendible::new(0);
        let members: Vec<Vec<u8>> =
            (0..count).map(|n| format!("{n:>0$}", long + n % 7).into_bytes()).collect();
        for member in &members {
            let hashed = crowded(member);
            table.insert(hashed, &crowded, |piece| piece.insert(hashed, member));
        }
        assert!(table.directory.len() <= 256, "{}", table.directory.len());
        // Every third goes, which leaves holes to be closed.
        for (n, member) in members.iter().enumerate() {
            let hashed = crowded(member);
            let piece = table.piece_mut(hashed).unwrap();
            assert!(piece.contains(hashed, member));
            assert!(n % 3 != 0 || piece.remove(hashed, member, &crowded));
        }
        for (n, member) in members.iter().enumerate() {
            let hashed = crowded(member);
            let there = table.piece(hashed).unwrap().contains(hashed, member);
            assert_eq!(there, n % 3 != 0, "{n} of {count}");
        }
    }
}

#[test]
fn members_are_found_through_growth_holes_and_shrinking() {
    for (seed, universe, longest) in [(1, 300, 12), (2, 8_000, 40), (3, 500, 400)] {
        let mut rng = Rng::new(seed);
        let mut table: Extendible<MemberPiece> = Extendible::new(0);
        let mut model: BTreeSet<Vec<u8>> = BTreeSet::new();
        for step in 0..30_000 {
            let mut member = rng.below(universe).to_le_bytes().to_vec();
            member.resize(8 + usize::from(member[0]) % longest, b'.');
            let hashed = hash(&member);
            let there = table.piece(hashed).is_some_and(|piece| piece.contains(hashed, &member));
            assert_eq!(there, model.contains(&member));
            if rng.below(3) < if step < 15_000 { 2 } else { 1 } {
                if model.insert(member.clone()) {
                    table.insert(hashed, &hash, |piece| piece.insert(hashed, &member));
                }
            } else {
                let removed = table
                    .piece_mut(hashed)
                    .is_some_and(|piece| piece.remove(hashed, &member, &hash));
                assert_eq!(removed, model.remove(&member));
                if removed {
                    table.removed();
                }
            }
        }
        let mut walked = BTreeSet::new();
        for piece in table.pieces() {
            piece.verify();
            let all: ControlFlow<()> = piece.try_for_each(&mut |member| {
                assert!(walked.insert(member.to_vec()));
                ControlFlow::Continue(())
            });
            assert!(all.is_continue());
        }
        assert_eq!(walked, model);
        assert_eq!(table.len(), model.len());
        // Holes never outweigh a quarter, and slack is small: memory follows what is kept.
        let kept: usize = model.iter().map(|member| member.len() + 2).sum();
        assert!(table.table_bytes() < 2 * kept + 64 * 1024, "{} for {kept}", table.table_bytes());
    }
}
