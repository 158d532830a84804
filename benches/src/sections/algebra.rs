//! Intersection, union and difference of two large sets of ids.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::collections::BTreeSet;

use hashbrown::HashSet;
use redis::Cmd;
use roaring::RoaringTreemap;
use tallis::{ShardedSet, Store};

use super::held;
use super::live::{Live, command, rival};
use super::yo::{self, Yo};
use crate::inputs::{merge, two_sets};
use crate::report::{Bench, Result, Row, Section, Unit};

/// Ids of a full shard.
const SHARD: u64 = 512;
/// The commands, in the order of the rows.
const NAMES: [&str; 3] = ["SINTERSTORE", "SUNIONSTORE", "SDIFFSTORE"];
/// The time of `hashbrown` when the targets were set, in nanoseconds.
const BARE: [f64; 3] = [14.0, 17.0, 12.5];

type Hash = HashSet<i64, ahash::RandomState>;

pub(super) fn measure(bench: &Bench) -> Section {
    let members = if bench.effort().is_quick() { 5_000 } else { 1_000_000 };
    let text = format!(
        "Two sets of {members} random 63-bit ids, half of them in common. Times are per element of both inputs \
         together, and the result is stored. In shards: `ShardedSet` and its `*_store` methods, with shards of {SHARD} \
         ids planned for the union, beside the merge of two sorted vectors into a third that is reused; the target is \
         twice that merge. In hash tables: one command on two keys. *hashbrown*, *BTreeSet* and *RoaringTreemap* build \
         a new set; *yo-kv* runs the same command on the same members. *redis-server* runs the same command on the \
         same keys, shard by shard or once, by the server's own time. The time to build the inputs is in no figure."
    );
    let ids = two_sets(members);
    let mut section = Section::new("Set algebra", &text);
    for row in sharded(bench, &ids).into_iter().chain(tables(bench, &ids)) {
        section = section.row(row);
    }
    section
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53 elements")]
fn elements(ids: &[Vec<i64>; 2]) -> (u32, f64) {
    let elements = ids[0].len() + ids[1].len();
    (u32::try_from(elements).unwrap(), elements as f64)
}

/// Returns the size of each result.
fn expected(ids: &[Vec<i64>; 2]) -> [usize; 3] {
    let common = ids[0].len() / 2;
    [common, 2 * ids[0].len() - common, ids[0].len() - common]
}

fn sharded(bench: &Bench, ids: &[Vec<i64>; 2]) -> Vec<Row> {
    let forecast = 2 * ids[0].len() as u64;
    let store = Store::new();
    let set = |name: &str| ShardedSet::new(store.clone(), name, forecast, SHARD);
    let (a, b, target) = (set("a"), set("b"), set("target"));
    for (set, ids) in [&a, &b].into_iter().zip(ids) {
        for &id in ids {
            set.add(id).unwrap();
        }
    }
    let [left, right] = ids.clone().map(|mut ids| {
        ids.sort_unstable();
        ids
    });
    let stored = |which: usize| {
        let stored = match which {
            0 => a.inter_store([&b], &target),
            1 => a.union_store([&b], &target),
            _ => a.diff_store([&b], &target),
        };
        usize::try_from(stored.unwrap()).unwrap()
    };
    let mut out = Vec::with_capacity(left.len() + right.len());
    let mut merged = |which: usize| match which {
        0 => merge::<false, true, false>(&left, &right, &mut out),
        1 => merge::<true, true, true>(&left, &right, &mut out),
        _ => merge::<true, false, false>(&left, &right, &mut out),
    };
    let theirs = Live::start().map(|mut live| {
        live.run(["a", "b"].into_iter().zip(ids).flat_map(|(name, ids)| {
            ids.iter().map(move |&id| {
                // A sharded set hashes a member as `x` and its decimal form.
                let key = tallis::shard_key(name, format!("x{id}"), forecast, SHARD);
                command([b"SADD", key.as_bytes(), id.to_string().as_bytes()])
            })
        }));
        NAMES.map(|name| {
            live.nanos_of_all(name, (0..a.shards().unwrap()).map(|n| three(name, &format!(":{n}"))))
        })
    });
    let (pieces, all) = elements(ids);
    let mut rows = Vec::new();
    for (which, want) in expected(ids).into_iter().enumerate() {
        assert_eq!((stored(which), merged(which)), (want, want), "{}", NAMES[which]);
        let mut results = bench
            .race()
            .contender("tallis", pieces, || stored(which))
            .rivals()
            .contender("sorted merge", pieces, || merged(which))
            .run();
        results.extend(rival(theirs.map(|theirs| theirs[which] / all)));
        rows.push(
            Row::new(&format!("{}, in shards", NAMES[which]), Unit::Nanos, held(&store), results)
                .factor("sorted merge", 2.0),
        );
    }
    rows
}

fn tables(bench: &Bench, ids: &[Vec<i64>; 2]) -> Vec<Row> {
    let store = Store::new();
    for (key, ids) in ["a", "b"].into_iter().zip(ids) {
        store.sadd(key, ids).unwrap();
        assert_eq!(store.object_encoding(key).unwrap(), Some("hashtable"));
    }
    let mut yo = Yo::default();
    for (key, ids) in [&b"a"[..], b"b"].into_iter().zip(ids) {
        for id in ids {
            yo.sadd(key, id.to_string().as_bytes());
        }
    }
    let mut keyspace = |which: usize| match which {
        0 => yo.sinterstore(b"target", [b"a", b"b"]),
        1 => yo.sunionstore(b"target", [b"a", b"b"]),
        _ => yo.sdiffstore(b"target", [b"a", b"b"]),
    };
    let [left, right] = [0, 1].map(|which: usize| ids[which].iter().copied().collect::<Hash>());
    let stored = |which: usize| {
        let stored = match which {
            0 => store.sinterstore("target", ["a", "b"]),
            1 => store.sunionstore("target", ["a", "b"]),
            _ => store.sdiffstore("target", ["a", "b"]),
        };
        stored.unwrap()
    };
    let bare = |which: usize| match which {
        0 => &left & &right,
        1 => &left | &right,
        _ => &left - &right,
    };
    let [left_tree, right_tree] =
        [0, 1].map(|which: usize| ids[which].iter().copied().collect::<BTreeSet<i64>>());
    let tree = |which: usize| match which {
        0 => &left_tree & &right_tree,
        1 => &left_tree | &right_tree,
        _ => &left_tree - &right_tree,
    };
    let [left_map, right_map] = [0, 1].map(|which: usize| {
        ids[which].iter().map(|id| id.cast_unsigned()).collect::<RoaringTreemap>()
    });
    let map = |which: usize| match which {
        0 => &left_map & &right_map,
        1 => &left_map | &right_map,
        _ => &left_map - &right_map,
    };
    let theirs = Live::start().map(|mut live| {
        live.run(["a", "b"].into_iter().zip(ids).flat_map(|(key, ids)| {
            ids.iter().map(move |&id| command([b"SADD", key.as_bytes(), id.to_string().as_bytes()]))
        }));
        NAMES.map(|name| live.nanos_of_all(name, [three(name, "")]))
    });
    let (pieces, all) = elements(ids);
    let mut rows = Vec::new();
    for (which, (want, was)) in expected(ids).into_iter().zip(BARE).enumerate() {
        assert_eq!((stored(which), bare(which).len()), (want, want), "{}", NAMES[which]);
        assert_eq!(keyspace(which), want, "{}", NAMES[which]);
        let built = (tree(which).len(), usize::try_from(map(which).len()).unwrap());
        assert_eq!(built, (want, want), "{}", NAMES[which]);
        let mut results: Vec<Result> = bench
            .race()
            .contender("tallis", pieces, || stored(which))
            .rivals()
            .contender(yo::NAME, pieces, || keyspace(which))
            .contender("hashbrown", pieces, || bare(which))
            .contender("BTreeSet", pieces, || tree(which))
            .contender("RoaringTreemap", pieces, || map(which))
            .run();
        results.extend(rival(theirs.map(|theirs| theirs[which] / all)));
        rows.push(
            Row::new(
                &format!("{}, in hash tables", NAMES[which]),
                Unit::Nanos,
                held(&store),
                results,
            )
            .beside("hashbrown", [20.0, was]),
        );
    }
    rows
}

/// Returns the command on `a` and `b` into `target`, each name with the suffix `end`.
fn three(name: &str, end: &str) -> Cmd {
    let mut command = redis::cmd(name);
    for key in ["target", "a", "b"] {
        command.arg(format!("{key}{end}"));
    }
    command
}
