//! The keys beside the shards: what they may hold, and what becomes of them in files.

use tallis::{ErrorKind, ShardedSet, Store};

use super::{Model, filled, gathered, validate};

fn numbers(range: std::ops::Range<i64>) -> Model {
    range.map(|id| id.to_string()).collect()
}

#[test]
fn something_else_beside_the_shards_is_an_error_and_changes_nothing() {
    let store = Store::new();
    let set = filled(&store, "s", &numbers(0..1000));
    for wrong in ["0", "-1", "x", "", "4294967297", "1e3", " 5"] {
        store.set("s:shards", wrong).unwrap();
        let changes = store.changes();
        for error in [
            set.add(-1).map(drop).unwrap_err(),
            set.remove(1).map(drop).unwrap_err(),
            set.contains(1).map(drop).unwrap_err(),
            set.shards().map(drop).unwrap_err(),
            set.members().find_map(Result::err).unwrap(),
            set.union_store([], &set).map(drop).unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::NotInteger, "{wrong:?}");
            assert_eq!(error.to_string(), "ERR the value at 's:shards' is not a number of shards");
        }
        assert_eq!(store.changes(), changes);
    }
    store.set("s:shards", 5).unwrap();
    store.set("s", "many").unwrap();
    assert_eq!(set.add(-1).unwrap_err().kind(), ErrorKind::NotInteger);
    assert_eq!(set.remove(1).unwrap_err().kind(), ErrorKind::NotInteger);
    assert_eq!(set.card().unwrap_err().to_string(), "ERR the value at 's' is not a count");
    store.set("s", 1000).unwrap();
    assert_eq!(validate(&store, "s", &numbers(0..1000)), 5);
    store.sadd("t:shards", [1]).unwrap();
    let error = ShardedSet::splitting(store, "t").add(1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WrongType);
}

#[test]
fn a_count_from_elsewhere_never_makes_one_call_work_without_end() {
    let store = Store::new();
    let set = filled(&store, "s", &numbers(0..10));
    store.set("s", 1_000_000_000_000_i64).unwrap();
    assert!(set.add(10).unwrap());
    assert_eq!(set.shards().unwrap(), 3, "two at a time");
    set.union_store([], &set).unwrap();
    assert!(set.shards().unwrap() < 100);
    assert_eq!(gathered(set.members()), numbers(0..11));
}

#[test]
fn plain_commands_leave_what_is_taken() {
    // A client without splitting: all in one shard, which is a hash table by then.
    let store = Store::new();
    store.sadd("s:0", 0..3_000).unwrap();
    store.set("s", 3_000).unwrap();
    let set = ShardedSet::splitting(store.clone(), "s");
    assert!(!set.add(5).unwrap());
    assert_eq!(validate(&store, "s", &numbers(0..3_000)), 1);
    for id in 3_000..3_010 {
        assert!(set.add(id).unwrap());
    }
    assert_eq!(validate(&store, "s", &numbers(0..3_010)), 16, "two at a time, until it is right");
}

#[test]
fn a_file_has_all_of_it_and_a_handle_finds_its_way() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.rdb");
    let store = Store::new();
    let set = filled(&store, "s", &numbers(0..5_000));
    store.save(&file).unwrap();
    // The handle goes on to another level, and finds the old one in what is loaded.
    set.add_many(5_000..20_000).unwrap();
    store.load(&file).unwrap();
    assert_eq!(validate(&store, "s", &numbers(0..5_000)), 25);
    assert!(set.contains(4_999).unwrap() && !set.contains(5_000).unwrap());
    set.add_many(5_000..6_000).unwrap();
    validate(&store, "s", &numbers(0..6_000));

    let other = Store::new();
    other.load(&file).unwrap();
    let set = ShardedSet::splitting(other.clone(), "s");
    assert_eq!((set.card().unwrap(), set.shards().unwrap()), (5_000, 25));
    assert_eq!(gathered(set.members()), numbers(0..5_000));
    // Nothing is left: one shard.
    other.flushdb().unwrap();
    assert!(!set.contains(1).unwrap());
    assert!(set.add(1).unwrap());
    assert_eq!(validate(&other, "s", &numbers(1..2)), 1);
}
