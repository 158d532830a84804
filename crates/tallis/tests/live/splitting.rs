//! Splitting sets on a server: files, effects, and changes by plain commands.

use std::collections::BTreeSet;
use std::sync::Arc;

use redis::{Connection, Value};
use tallis::{Bucket, Profile, ShardedSet, Store, Visitors, VisitorsForm, shard_key};
use testkit::live::{Options, server, server_with};
use testkit::rng::Rng;

use super::run;
use crate::journal::Journal;

fn store() -> Store {
    Store::builder().profile(Profile::Redis70).build()
}

fn ids(seed: u64, count: usize) -> Vec<i64> {
    let mut rng = Rng::new(seed);
    // Ids of several widths.
    (0..count).map(|_| (rng.u64() >> 4 >> (8 * rng.below(6))).cast_signed()).collect()
}

/// The suffix of the key of an id's shard, as a client computes it from the level: the remainder of the hash by a power
/// of two, computed by the book's function, plus that power.
fn shard(id: i64, shards: u64) -> u64 {
    let rest = |of: u64| -> u64 { shard_key("", format!("x{id}"), of, 2)[1..].parse().unwrap() };
    let round = 1 << shards.ilog2();
    let is_split = |number: u64| number >= round || number + round < shards;
    let fine = rest(2 * round);
    if fine < shards && is_split(fine) { 2 * round + fine } else { round + rest(round) }
}

fn text(server: &mut Connection, args: &[&str]) -> String {
    let Value::BulkString(bytes) = run(server, args) else { panic!("{args:?}") };
    String::from_utf8(bytes).unwrap()
}

fn integer(server: &mut Connection, args: &[&str]) -> i64 {
    let Value::Int(number) = run(server, args) else { panic!("{args:?}") };
    number
}

/// Checks that the server has exactly these members, each in its shard.
fn assert_there(server: &mut Connection, base: &str, ids: &BTreeSet<i64>) {
    let shards: u64 = text(server, &["GET", &format!("{base}:shards")]).parse().unwrap();
    for &id in ids {
        let key = format!("{base}:{}", shard(id, shards));
        assert_eq!(integer(server, &["SISMEMBER", &key, &id.to_string()]), 1, "{id} in {key}");
    }
    let Value::Array(keys) = run(server, &["KEYS", &format!("{base}:*[0-9]")]) else { panic!() };
    let mut all = 0;
    for key in &keys {
        let Value::BulkString(key) = key else { panic!("{key:?}") };
        all += integer(server, &["SCARD", std::str::from_utf8(key).unwrap()]);
    }
    assert_eq!(all, i64::try_from(ids.len()).unwrap());
}

#[test]
fn a_server_has_every_member_in_the_shard_of_the_level() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("split.rdb");
    let store = store();
    let set = ShardedSet::splitting(store.clone(), "ids");
    let visitors = Visitors::book(store.clone()).form(VisitorsForm::Splitting);
    let ids = ids(1, 5_000);
    for &id in &ids {
        set.add(id).unwrap();
        visitors.count_id(id, Bucket::All).unwrap();
    }
    let (gone, left) = ids.split_at(1_000);
    for &id in gone {
        set.remove(id).unwrap();
    }
    store.save(&file).unwrap();

    let Some(live) = server_with(&Options::new().rdb(&file)) else { return };
    live.check_rdb(&file).unwrap();
    let mut server = live.connect();
    let gone: BTreeSet<i64> = gone.iter().copied().collect();
    let left: BTreeSet<i64> = left.iter().copied().filter(|id| !gone.contains(id)).collect();
    assert_there(&mut server, "ids", &left);
    assert_there(&mut server, "unique:all", &ids.into_iter().collect());
}

/// Splits the next shard in order by plain commands.
fn split(server: &mut Connection, base: &str, shards: u64) {
    // The shard with the number `shards - round`, with a 1 before it.
    let from = format!("{base}:{shards}");
    let Value::Array(members) = run(server, &["SMEMBERS", &from]) else { panic!("an array") };
    for member in members {
        let Value::BulkString(id) = member else { panic!("{member:?}") };
        let id = String::from_utf8(id).unwrap();
        let to = format!("{base}:{}", shard(id.parse().unwrap(), shards + 1));
        run(server, &["SMOVE", &from, &to, &id]);
    }
    run(server, &["SET", &format!("{base}:shards"), &(shards + 1).to_string()]);
}

#[test]
fn changes_by_plain_commands_are_accepted() {
    let Some(live) = server() else { return };
    let mut server = live.connect();
    let members: BTreeSet<i64> = ids(2, 3_000).into_iter().collect();
    let mut shards = 1;
    for (at, &id) in members.iter().enumerate() {
        let key = format!("unique:all:{}", shard(id, shards));
        run(&mut server, &["SADD", &key, &id.to_string()]);
        if at as u64 + 1 > 200 * shards {
            split(&mut server, "unique:all", shards);
            shards += 1;
        }
    }
    run(&mut server, &["SAVE"]);
    let store = store();
    store.load(live.rdb_file()).unwrap();
    let set = ShardedSet::splitting(store.clone(), "unique:all");
    assert_eq!(set.shards().unwrap(), shards);
    assert_eq!(set.card().unwrap(), members.len() as u64);
    let mut all = members;
    let visitors = Visitors::book(store.clone()).form(VisitorsForm::Splitting);
    for id in ids(2, 3_000).into_iter().chain(ids(3, 1_000)) {
        assert_eq!(visitors.count_id(id, Bucket::All).unwrap(), all.insert(id), "{id}");
    }
    let mut found = visitors.ids(Bucket::All).unwrap();
    found.sort_unstable();
    assert!(found.iter().eq(&all));

    // In the other direction.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("back.rdb");
    store.save(&file).unwrap();
    let Some(live) = server_with(&Options::new().rdb(&file)) else { return };
    assert_there(&mut live.connect(), "unique:all", &all);
}

#[test]
fn effects_create_the_same_bytes_on_a_server() {
    let Some(live) = server() else { return };
    let mut server = live.connect();
    let journal = Arc::new(Journal::default());
    let store = Store::builder().profile(Profile::Redis70).sink(journal.clone()).build();
    let set = ShardedSet::splitting(store.clone(), "a");
    let other = ShardedSet::splitting(store.clone(), "b");
    let ids = ids(4, 3_000);
    set.add_many(ids.iter().copied()).unwrap();
    for &id in &ids[..2_500] {
        set.remove(id).unwrap();
    }
    other.add_many(ids[2_000..].iter().copied()).unwrap();
    other.union_store([&set], &set).unwrap();
    set.inter_store([&other], &other).unwrap();
    for effect in journal.take() {
        run(&mut server, &effect.args);
    }
    let mut keys = store.keys("*").unwrap();
    assert_eq!(integer(&mut server, &["DBSIZE"]), i64::try_from(keys.len()).unwrap());
    keys.sort_unstable();
    for key in keys {
        let Value::BulkString(theirs) = run(&mut server, &[b"DUMP", &key[..]]) else {
            panic!("{}", key.escape_ascii())
        };
        let ours = store.dump(&key).unwrap().unwrap();
        assert_eq!(super::dumped(&ours), super::dumped(&theirs), "{}", key.escape_ascii());
    }
}
