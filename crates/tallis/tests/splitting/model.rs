//! Random operations compared with a plain set, with every key checked, and the effects replayed.

use tallis::{ShardedSet, Store};
use testkit::rng::Rng;

use super::{
    Model, assert_same_dumps, gathered, is_right, journaled, shard_by_the_book, validate_by,
};

/// Ids of all widths, and some texts.
fn some_member(rng: &mut Rng, texts: bool) -> String {
    match rng.below(if texts { 20 } else { 19 }) {
        0 => (i64::try_from(rng.below(400)).unwrap() - 200).to_string(),
        1 => rng.below(1 << 30).to_string(),
        19 => format!("text {}", rng.below(300)),
        _ => (1 << 59 | rng.below(2500)).to_string(),
    }
}

/// Runs operations on a set of some form with some members, which grows, stays, shrinks and ends, depending on the
/// seed.
pub(super) fn run(
    seed: u64,
    open: impl Fn(&Store) -> ShardedSet,
    some_member: impl Fn(&mut Rng) -> String,
    shard_of: impl Fn(&str, u64) -> u64,
) {
    let (store, journal) = journaled();
    let replica = Store::builder().hash_seed(1).build();
    let mut rng = Rng::new(seed);
    let sets = [0, 1].map(|_| open(&store));
    let mut model = Model::new();
    let mut most = 0;
    for round in 0..60 {
        // The number of additions in ten changes.
        let adding = if round < 30 { 9 } else { 2 };
        for _ in 0..200 {
            let member = some_member(&mut rng);
            // Each of the handles detects the changes of the other one.
            let set = &sets[rng.index(2)];
            if rng.below(10) < adding {
                assert_eq!(set.add(&member).unwrap(), model.insert(member));
            } else if let Some(member) = model.range(member..).next().cloned() {
                assert!(set.contains(&member).unwrap());
                assert!(set.remove(&member).unwrap());
                assert!(!set.remove(&member).unwrap());
                assert!(!set.contains(&member).unwrap());
                model.remove(&member);
            }
        }
        let shards = validate_by(&store, "s", &model, &shard_of);
        most = most.max(shards);
        assert!(is_right(shards, model.len() as u64), "{} in {shards}", model.len());
        for set in &sets {
            assert_eq!(set.shards().unwrap(), shards);
            assert_eq!(set.card().unwrap(), model.len() as u64);
            assert_eq!(gathered(set.members()), model);
        }
        for effect in journal.take() {
            replica.execute(&effect.args);
        }
        assert_same_dumps(&store, &replica);
    }
    assert!(most >= 8, "{most}");
    assert_eq!(validate_by(&store, "s", &model, &shard_of), sets[0].shards().unwrap());
    for member in &model {
        assert!(sets[1].remove(member).unwrap());
    }
    assert_eq!(store.dbsize().unwrap(), 0, "an empty set has no keys");
    assert_eq!((sets[0].card().unwrap(), sets[0].shards().unwrap()), (0, 1));
}

fn splitting(seed: u64, texts: bool) {
    run(
        seed,
        |store| ShardedSet::splitting(store.clone(), "s"),
        |rng| some_member(rng, texts),
        shard_by_the_book,
    );
}

#[test]
fn a_set_of_numbers_is_a_set_and_keeps_its_shape() {
    splitting(1, false);
    splitting(2, false);
}

#[test]
fn texts_are_members_too() {
    splitting(3, true);
}

#[test]
fn a_shard_that_loses_its_widest_member_stays_as_wide() {
    let mut moved = 0;
    for wide in (0..16).map(|n| (1_i64 << 59) + n) {
        let (store, journal) = journaled();
        let set = ShardedSet::splitting(store.clone(), "s");
        set.add(wide).unwrap();
        set.add_many(0..320).unwrap();
        assert_eq!(set.shards().unwrap(), 2);
        moved += u32::from(store.sismember("s:3", wide).unwrap());
        let replica = Store::builder().hash_seed(1).build();
        for effect in journal.take() {
            replica.execute(&effect.args);
        }
        assert_same_dumps(&store, &replica);
    }
    assert!((1..16).contains(&moved), "{moved} of 16 went to the other shard");
}
