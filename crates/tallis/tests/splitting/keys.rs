//! The keys in addition to the shards: their valid values, and files.

use tallis::{ErrorKind, ShardedSet, Store};

use super::{Model, filled, gathered, validate};

fn numbers(range: std::ops::Range<i64>) -> Model {
    range.map(|id| id.to_string()).collect()
}

#[test]
fn another_type_at_these_keys_is_an_error_and_changes_nothing() {
    let store = Store::new();
    let set = filled(&store, "s", &numbers(0..1000));
    let shards = set.shards().unwrap();
    for wrong in ["0", "-1", "x", "", "4294967297", "1e3", " 5"] {
        store.set("s:shards", wrong).unwrap();
        let changes = store.changes();
        // A call that finds its member does not read the number of shards.
        assert!(set.contains(1).unwrap() && !set.add(1).unwrap());
        let other = ShardedSet::splitting(store.clone(), "s");
        for error in [
            other.add(-1).map(drop).unwrap_err(),
            other.remove(1).map(drop).unwrap_err(),
            other.contains(1).map(drop).unwrap_err(),
            set.card().map(drop).unwrap_err(),
            set.shards().map(drop).unwrap_err(),
            set.members().find_map(Result::err).unwrap(),
            set.union_store([], &set).map(drop).unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::NotInteger, "{wrong:?}");
            assert_eq!(error.to_string(), "ERR the value at 's:shards' is not a number of shards");
        }
        assert_eq!(store.changes(), changes);
    }
    store.set("s:shards", shards).unwrap();
    validate(&store, "s", &numbers(0..1000));
    store.sadd("t:shards", [1]).unwrap();
    let error = ShardedSet::splitting(store, "t").add(1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongType);
}

#[test]
fn a_foreign_number_of_shards_never_makes_a_call_endless() {
    let store = Store::new();
    store.set("s:shards", 1_i64 << 32).unwrap();
    let set = ShardedSet::splitting(store.clone(), "s");
    set.add_many(0..10).unwrap();
    assert!(set.contains(9).unwrap() && !set.contains(10).unwrap());
    assert!(set.remove(9).unwrap());
    assert_eq!(set.shards().unwrap(), (1 << 32) - 1000, "a thousand that hold no members");
    assert_eq!(set.card().unwrap(), 9);
}

#[test]
fn changes_by_plain_commands_are_accepted() {
    // A client without splitting: all members are in one shard, which has become a hash table.
    let store = Store::new();
    store.sadd("s:1", 0..3_000).unwrap();
    let set = ShardedSet::splitting(store.clone(), "s");
    assert!(!set.add(5).unwrap());
    assert_eq!(validate(&store, "s", &numbers(0..3_000)), 1);
    for id in 3_000..3_020 {
        assert!(set.add(id).unwrap());
    }
    let shards = validate(&store, "s", &numbers(0..3_020));
    assert!((8..=16).contains(&shards), "{shards}: one at a time, until it is right");
}

#[test]
fn a_file_has_all_members_and_a_handle_finds_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.rdb");
    let store = Store::new();
    let set = filled(&store, "s", &numbers(0..5_000));
    let shards = set.shards().unwrap();
    store.save(&file).unwrap();
    // The handle continues to another level, and detects the old one after loading.
    set.add_many(5_000..20_000).unwrap();
    store.load(&file).unwrap();
    assert_eq!(validate(&store, "s", &numbers(0..5_000)), shards);
    assert!(set.contains(4_999).unwrap() && !set.contains(5_000).unwrap());
    set.add_many(5_000..6_000).unwrap();
    validate(&store, "s", &numbers(0..6_000));

    let other = Store::new();
    other.load(&file).unwrap();
    let set = ShardedSet::splitting(other.clone(), "s");
    assert_eq!((set.card().unwrap(), set.shards().unwrap()), (5_000, shards));
    assert_eq!(gathered(set.members()), numbers(0..5_000));
    // An empty set has one shard.
    other.flushdb().unwrap();
    assert!(!set.contains(1).unwrap());
    assert!(set.add(1).unwrap());
    assert_eq!(validate(&other, "s", &numbers(1..2)), 1);
}
