//! The bytes of values after the same commands.

use redis::{Cmd, Pipeline, Value};
use tallis::{Limits, Store};
use testkit::live::{Options, server, server_with};
use testkit::rng::{Rng, rounds};

use super::{dumped, run};

/// Runs PFADD with the same elements one by one on both sides and compares the bytes after each, sometimes after a
/// PFCOUNT, which writes the cached cardinality.
fn compare_hll_growth(elements: usize, sparse_max_bytes: usize) {
    let limit = sparse_max_bytes.to_string();
    let options = Options::new().config("hll-sparse-max-bytes", &limit);
    let Some(server) = server_with(&options) else { return };
    let mut connection = server.connect();
    let limits = Limits { hll_sparse_max_bytes: sparse_max_bytes, ..Limits::default() };
    let store = Store::builder().limits(limits).build();
    let mut rng = Rng::new(20);
    run(&mut connection, &["PFADD", "h"]);
    store.pfadd("h", [""; 0]).unwrap();
    let empty = store.get("h").unwrap().unwrap();
    assert_eq!(run(&mut connection, &["GET", "h"]), Value::BulkString(empty.to_vec()));

    let ids: Vec<String> = (0..elements).map(|_| rng.uuid()).collect();
    for (batch, ids) in ids.chunks(250).enumerate() {
        let mut pipeline = Pipeline::new();
        for (at, id) in ids.iter().enumerate() {
            if at % 10 == 0 {
                pipeline.add_command(Cmd::new().arg("PFCOUNT").arg("h").clone());
            }
            pipeline.add_command(Cmd::new().arg("PFADD").arg("h").arg(id).clone());
            pipeline.add_command(Cmd::new().arg("GET").arg("h").clone());
        }
        let replies: Vec<Value> = pipeline.query(&mut connection).unwrap();
        let mut replies = replies.into_iter();
        for (at, id) in ids.iter().enumerate() {
            if at % 10 == 0 {
                let count = i64::try_from(store.pfcount(["h"]).unwrap()).unwrap();
                assert_eq!(replies.next(), Some(Value::Int(count)));
            }
            let changed = store.pfadd("h", [id]).unwrap();
            assert_eq!(replies.next(), Some(Value::Int(i64::from(changed))));
            let bytes = store.get("h").unwrap().unwrap();
            let Some(Value::BulkString(theirs)) = replies.next() else {
                panic!("GET has an answer")
            };
            assert!(bytes == theirs, "the bytes differ after {} elements", batch * 250 + at + 1);
        }
    }
    let dense = store.get("h").unwrap().unwrap().len() == hll::DENSE_LEN;
    assert_eq!(dense, sparse_max_bytes <= 3000, "both forms were compared");
}

#[test]
fn a_hyperloglog_has_the_servers_bytes_at_every_size() {
    compare_hll_growth(20_000, 3000);
}

#[test]
fn a_hyperloglog_has_the_servers_bytes_at_other_limits() {
    for limit in [100, 300, 1000, 10_000] {
        compare_hll_growth(3_000, limit);
    }
}

/// Runs PFADD with few and many elements per call on both sides, from an empty key to one with this number of different
/// elements, and compares the bytes after each call.
fn compare_hll_calls(sketches: u64, elements: u64, sparse_max_bytes: usize) {
    let limit = sparse_max_bytes.to_string();
    let options = Options::new().config("hll-sparse-max-bytes", &limit);
    let Some(server) = server_with(&options) else { return };
    let mut connection = server.connect();
    let limits = Limits { hll_sparse_max_bytes: sparse_max_bytes, ..Limits::default() };
    let store = Store::builder().limits(limits).build();
    let mut rng = Rng::new(23);
    for round in 0..sketches {
        let key = round.to_string();
        let mut added = 0;
        while added < elements {
            let most = [4, 30, 300, 2000][usize::try_from(rng.below(4)).unwrap()];
            let count = 1 + rng.below(most);
            let ids: Vec<String> = (0..count).map(|_| rng.below(elements).to_string()).collect();
            let mut command = vec!["PFADD", &key];
            command.extend(ids.iter().map(String::as_str));
            let changed = store.pfadd(&key, &ids).unwrap();
            assert_eq!(run(&mut connection, &command), Value::Int(changed.into()));
            let bytes = store.get(&key).unwrap().unwrap();
            let theirs = run(&mut connection, &["GET", &key]);
            assert!(
                theirs == Value::BulkString(bytes.to_vec()),
                "round {round}, {added} + {count}"
            );
            added += count;
        }
    }
}

#[test]
fn a_hyperloglog_has_the_servers_bytes_after_batched_calls() {
    compare_hll_calls(rounds(15, 40), 4000, 3000);
    // So many that adjacent registers with one value are often more than an opcode holds, so their order matters.
    compare_hll_calls(rounds(15, 40), 20_000, 15_000);
}

#[test]
fn merged_hyperloglogs_have_the_servers_bytes() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let store = Store::new();
    let mut rng = Rng::new(21);
    for round in 0..60 {
        let keys = ["a", "b", "c", "into"];
        for key in keys {
            run(&mut connection, &["DEL", key]);
            store.del([key]).unwrap();
            // Some missing, some sparse, some dense, including the target.
            let size = [0, 3, 200, 1500, 6000][usize::try_from(rng.below(5)).unwrap()];
            for chunk in 0..size / 100 {
                let ids: Vec<String> =
                    (0..100).map(|_| format!("{chunk}:{}", rng.below(10_000))).collect();
                let mut command = vec!["PFADD", key];
                command.extend(ids.iter().map(String::as_str));
                run(&mut connection, &command);
                store.pfadd(key, &ids).unwrap();
            }
        }
        let union = Value::Int(i64::try_from(store.pfcount(keys).unwrap()).unwrap());
        assert_eq!(run(&mut connection, &["PFCOUNT", "a", "b", "c", "into"]), union);
        run(&mut connection, &["PFMERGE", "into", "a", "b", "c", "a"]);
        store.pfmerge("into", ["a", "b", "c", "a"]).unwrap();
        for key in keys {
            let theirs = run(&mut connection, &["GET", key]);
            let ours = store
                .get(key)
                .unwrap()
                .map_or(Value::Nil, |bytes| Value::BulkString(bytes.to_vec()));
            assert!(ours == theirs, "round {round}, {key}");
        }
    }
}

#[test]
fn an_intset_has_the_servers_blob_at_every_width() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let store = Store::new();
    let mut rng = Rng::new(22);
    let ranges = [
        -100..=100,
        i64::from(i16::MIN)..=i64::from(i16::MAX),
        i64::from(i16::MIN) - 1..=i64::from(i16::MAX) + 1,
        i64::from(i32::MIN)..=i64::from(i32::MAX),
        i64::from(i32::MIN) - 1..=i64::from(i32::MAX) + 1,
        i64::MIN..=i64::MAX,
    ];
    for range in ranges {
        let ends = [*range.start(), *range.end()];
        for size in [1, 2, 3, 10, 100, 400, 512] {
            run(&mut connection, &["FLUSHALL"]);
            store.del(["s"]).unwrap();
            let mut members: Vec<i64> = (0..size).map(|_| rng.range(range.clone())).collect();
            members.extend(ends);
            members.truncate(512);
            rng.shuffle(&mut members);
            for (at, member) in members.iter().enumerate() {
                let text = member.to_string();
                run(&mut connection, &["SADD", "s", &text]);
                store.sadd("s", [*member]).unwrap();
                if at % 3 == 2 {
                    let gone = members[at - 1].to_string();
                    run(&mut connection, &["SREM", "s", &gone]);
                    store.srem("s", [members[at - 1]]).unwrap();
                }
            }
            let Value::BulkString(theirs) = run(&mut connection, &["DUMP", "s"]) else {
                panic!("the key exists")
            };
            assert_eq!(
                dumped(&store.dump("s").unwrap().unwrap()),
                dumped(&theirs),
                "{range:?} {size}"
            );
        }
    }
}
