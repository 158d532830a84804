//! The additional allocations of a command while a snapshot runs: the old form of what it changes, never that of a
//! whole large value. The snapshot has the state before the command, node by node.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

#[path = "beside/output.rs"]
mod output;

use output::{digest, snapshot};
use tallis::{LoadOptions, SaveOptions, Store};
use testkit::alloc::Counting;
use testkit::rng::Rng;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// The approximate size of each large value in bytes.
const LARGE: usize = 600_000;

/// The number of members in each.
const MEMBERS: u64 = 10_000;

/// The additional bytes that may be allocated: chunks and nodes that change, and notes about the others.
const MORE: u64 = 64 << 10;

/// Commands that change only a small part of a large value, or remove it as a whole.
const COMMANDS: [&str; 43] = [
    "SETBIT bitmap 2000000 1",
    "SETBIT bitmap 9000000 1",
    "BITFIELD bitmap SET u8 0 1 SET u8 4700000 2",
    "SETRANGE text 300000 hello",
    "APPEND text more",
    "DEL text",
    "SET text short",
    "EXPIRE text 100",
    "RENAME text other",
    "RENAME text bitmap",
    "GETDEL text",
    "SADD set one two",
    "SREM set member:1",
    "SPOP set 3",
    "SPOP set 9500",
    "SPOP set 10000",
    "SORT set ALPHA STORE set",
    "SINTERSTORE set set",
    "HSET hash member:7 x",
    "HDEL hash member:8",
    "ZADD zset 7 member:7",
    "ZREMRANGEBYRANK zset 0 2",
    "ZREMRANGEBYRANK zset 0 -1",
    "ZREMRANGEBYSCORE zset -inf +inf",
    "ZPOPMIN zset 20000",
    "LPUSH list one two",
    "RPUSH list one two",
    "LPOP list",
    "RPOP list 3",
    "LPOP list 9000",
    "LMOVE list list LEFT RIGHT",
    "RPOPLPUSH list text2",
    "LSET list 5000 other",
    "LINSERT list BEFORE member:5000 other",
    "LREM list 0 member:5000",
    "LTRIM list 0 99",
    "LTRIM list 5000 5099",
    "LTRIM list 1 0",
    "BF.ADD bloom new",
    "BF.MADD bloom new newer newest",
    "BF.LOADCHUNK bloom 30006 hello",
    "BF.LOADCHUNK bloom 3 x",
    "FLUSHALL",
];

fn filled() -> Vec<u8> {
    let store = Store::builder().hash_seed(1).build();
    let mut rng = Rng::new(7);
    store.set("bitmap", rng.bytes(LARGE)).unwrap();
    store.set("text", rng.bytes(LARGE)).unwrap();
    // Two links, with room left in the second.
    store.execute(&["BF.RESERVE", "bloom", "0.0001", "8000"]);
    for number in 0..MEMBERS {
        let member = format!("member:{number}");
        let long = format!("{member}:{}", "x".repeat(50));
        store.sadd("set", [&long]).unwrap();
        store.hset("hash", &member, &long).unwrap();
        store.zadd("zset", &long, number / 3).unwrap();
        store.rpush("list", [if number == 5000 { &member } else { &long }]).unwrap();
        store.bf_add("bloom", &member).unwrap();
    }
    // Loads are many, and compression would take most of the time of each.
    let options = SaveOptions { compression: false, ..SaveOptions::default() };
    store.save_to(Vec::new(), options).unwrap()
}

fn load(file: &[u8]) -> Store {
    let store = Store::builder().hash_seed(1).build();
    store.load_from(file, LoadOptions::default()).unwrap();
    store
}

/// Returns the number of bytes that `work` allocates.
fn allocated(work: impl FnOnce()) -> u64 {
    let before = ALLOCATOR.requested();
    work();
    ALLOCATOR.requested() - before
}

/// The payloads of the large values, with the nodes of the list.
fn dumps(store: &Store) -> [Option<bytes::Bytes>; 4] {
    ["bitmap", "text", "list", "bloom"].map(|key| store.dump(key).unwrap())
}

/// The content of a store.
type Content = (String, [Option<bytes::Bytes>; 4]);

fn content(store: &Store) -> Content {
    (digest(store), dumps(store))
}

/// `before` is the content of the file.
fn check(file: &[u8], before: &Content, name: &str, command: &dyn Fn(&Store)) {
    let alone = {
        let store = load(file);
        allocated(|| command(&store))
    };
    // Before anything is handed over, in the middle, and near the end.
    for at in [1, 12, 50] {
        let store = load(file);
        let (mut writes, mut bytes) = (0, 0);
        let options = SaveOptions { compression: at == 12, ..SaveOptions::default() };
        let loaded = snapshot(&store, options, 0, || {
            writes += 1;
            if writes == at {
                bytes = allocated(|| command(&store));
            }
        });
        assert!(writes >= at, "{name} at {at}: only {writes} writes");
        assert!(bytes <= alone + MORE, "{name} at {at}: {bytes} bytes, {alone} without a snapshot");
        assert_eq!(content(&loaded), *before, "{name} at {at}");
    }
}

/// A single test, because the counts are those of the whole process.
#[test]
fn a_writer_copies_what_it_changes_and_no_more() {
    let file = filled();
    let before = content(&load(&file));
    for line in COMMANDS {
        let words: Vec<&str> = line.split(' ').collect();
        check(&file, &before, line, &|store| drop(store.execute(&words)));
    }
    check(&file, &before, "smove_if", &|store| {
        let some = |member: tallis::Member<'_>| {
            member.with_bytes(|member| member.starts_with(b"member:77"))
        };
        assert!(store.smove_if("set", "other", some).unwrap() > 10);
    });
    check(&file, &before, "smove_if of all", &|store| {
        assert_eq!(store.smove_if("set", "other", |_| true).unwrap(), 10_000);
    });
}
