//! A million visitors, counted exactly.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::collections::HashSet;

use jiff::civil::{Date, date};
use redis::Cmd;
use tallis::{SessionIds, Store, Visitors, shard_key};
use testkit::rng::Rng;

use super::built;
use super::live::{Live, command};
use crate::report::{Bench, Result, Row, Sample, Section, Touched, Unit};

pub(super) fn measure(bench: &Bench) -> Section {
    let count = if bench.effort().is_quick() { 5_000 } else { 1_000_000 };
    let mut rng = Rng::new(1);
    let sessions: Vec<String> = (0..count).map(|_| rng.uuid()).collect();
    let theirs = Live::start().map(|mut live| Theirs::measure(&mut live, &sessions));
    let text = format!(
        "{count} random UUIDs through `Visitors`, with the book's default forecast: 8,192 shards. *redis-server* is \
         the installed one with the same ids in the same shards, over a unix socket, pipelined; its time is the \
         server's own for SADD only (`INFO commandstats`), its bytes are `used_memory`."
    );
    Section::new("Visitors", &text)
        .row(
            time(bench, &sessions, theirs.as_ref())
                .beside("redis-server, SADD alone", [150.0, 188.0]),
        )
        .row(bytes(bench, &sessions, theirs.as_ref()).target(8.7).factor("redis-server", 0.9))
        .row(book(bench, &sessions, theirs.as_ref()))
}

fn day() -> Date {
    date(2015, 5, 17)
}

fn visit_all(sessions: &[String]) -> Store {
    let store = Store::new();
    let visitors = Visitors::book(store.clone());
    let new =
        sessions.iter().filter(|session| visitors.count_visit(session, day()).unwrap()).count();
    assert_eq!(visitors.count(day()).unwrap(), new as u64);
    assert_eq!(new, sessions.len(), "random UUIDs are distinct");
    store
}

fn ids(sessions: &[String]) -> impl Iterator<Item = i64> {
    sessions.iter().map(|session| SessionIds::First15.id(session).unwrap())
}

fn time(bench: &Bench, sessions: &[String], theirs: Option<&Theirs>) -> Row {
    let pieces = u32::try_from(sessions.len()).unwrap();
    let mut results = bench
        .race()
        .contender_from("tallis", pieces, || (), |()| visit_all(sessions))
        .rivals()
        .contender_from(
            "HashSet of the ids, no store",
            pieces,
            || (),
            |()| ids(sessions).collect::<HashSet<i64>>(),
        )
        .run();
    results
        .extend(theirs.map(|theirs| {
            Result::rival("redis-server, SADD alone", Sample::exact(theirs.sadd_ns))
        }));
    Row::new("a visit, all of it", Unit::Nanos, built(bench, || visit_all(sessions)), results)
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
fn bytes(bench: &Bench, sessions: &[String], theirs: Option<&Theirs>) -> Row {
    let each = |bytes: f64| Sample::exact(bytes / sessions.len() as f64);
    let (_, ours) = bench.held(|| visit_all(sessions));
    let (_, hash) = bench.held(|| ids(sessions).collect::<HashSet<i64>>());
    let mut results = vec![
        Result::new("tallis", each(ours as f64)),
        Result::rival("HashSet of the ids", each(hash as f64)),
    ];
    results.extend(theirs.map(|theirs| Result::rival("redis-server", each(theirs.sharded))));
    Row::new(
        "bytes a visitor, keys, tables and the allocator's share included",
        Unit::Bytes,
        Touched::NOTHING,
        results,
    )
}

/// Measures the book's claim in its own terms: in shards, compared with one set.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
fn book(bench: &Bench, sessions: &[String], theirs: Option<&Theirs>) -> Row {
    let whole = |name: &str, bytes: f64| Result::new(name, Sample::exact(bytes));
    let server = |name: &str, bytes: f64| Result::rival(name, Sample::exact(bytes));
    let (_, sharded) = bench.held(|| visit_all(sessions));
    let (_, single) = bench.held(|| {
        let store = Store::new();
        for id in ids(sessions) {
            store.sadd("unique", [id]).unwrap();
        }
        store
    });
    let mut results =
        vec![whole("tallis, sharded", sharded as f64), whole("tallis, one set", single as f64)];
    if let Some(theirs) = theirs {
        results.push(server("redis-server, sharded", theirs.sharded));
        results.push(server("redis-server, one set", theirs.single));
    }
    Row::new("all of them, sharded and in one set", Unit::Bytes, Touched::NOTHING, results)
        .note("the book: 1,000,000 visitors in 9.5 MB sharded, 56 MB in one set")
}

/// The figures of a live server for the same ids.
struct Theirs {
    sadd_ns: f64,
    sharded: f64,
    single: f64,
}

impl Theirs {
    fn measure(live: &mut Live, sessions: &[String]) -> Self {
        let expected = 2_097_152;
        let sharded = || {
            ids(sessions).map(move |id| {
                // The book hashes a member as `x` and its decimal form.
                add(&shard_key("unique:2015-05-17", format!("x{id}"), expected, 512), id)
            })
        };
        let single = || ids(sessions).map(|id| add("unique", id));
        Self {
            sadd_ns: live.nanos("SADD", sharded()),
            sharded: live.held(sharded()),
            single: live.held(single()),
        }
    }
}

fn add(key: &str, id: i64) -> Cmd {
    command([b"SADD", key.as_bytes(), id.to_string().as_bytes()])
}
