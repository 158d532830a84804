//! A million visitors, counted exactly.

#![expect(clippy::unwrap_used, reason = "what fails here stops the report")]

use std::collections::HashSet;

use jiff::civil::{Date, date};
use redis::{Cmd, Connection, Pipeline, Value};
use tallis::prelude::*;
use tallis::{SessionIds, Store, Visitors, shard_key};
use testkit::live::{Options, Server, locate};
use testkit::rng::Rng;

use crate::report::{Bench, Result, Row, Sample, Section, Unit};

pub(super) fn measure(bench: &Bench) -> Section {
    let count = if bench.effort().is_quick() { 5_000 } else { 1_000_000 };
    let mut rng = Rng::new(1);
    let sessions: Vec<String> = (0..count).map(|_| rng.uuid()).collect();
    let theirs = locate().map(|program| Server::start(&program, &Options::new()).unwrap());
    let theirs = theirs.map(|server| Theirs::measure(&mut server.connect(), &sessions));
    let text = format!(
        "{count} random UUIDs through `Visitors`, with the book's default forecast: 8,192 shards. *redis-server* is the installed one, \
         given the same ids in the same shards over a unix socket, pipelined; its time is the server's own for the SADD alone \
         (`INFO commandstats`), its bytes are `used_memory`."
    );
    Section::new("Visitors", &text)
        .row(
            time(bench, &sessions, theirs.as_ref())
                .target(150.0)
                .note("target beside Redis: x0.80"),
        )
        .row(
            bytes(bench, &sessions, theirs.as_ref()).target(8.7).note("target beside Redis: x0.90"),
        )
        .row(book(bench, &sessions, theirs.as_ref()))
}

fn day() -> Date {
    date(2015, 5, 17)
}

fn visit_all(sessions: &[String]) -> Store {
    let store = Store::new();
    let visitors = Visitors::new(store.clone());
    let new =
        sessions.iter().filter(|session| visitors.count_visit(session, day()).unwrap()).count();
    assert_eq!(visitors.count(day()).unwrap(), new as u64);
    assert_eq!(new, sessions.len(), "random UUIDs do not meet");
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
        .contender_from(
            "HashSet of the ids, no store",
            pieces,
            || (),
            |()| ids(sessions).collect::<HashSet<i64>>(),
        )
        .run();
    results.extend(
        theirs.map(|theirs| Result::new("redis-server, SADD alone", Sample::exact(theirs.sadd_ns))),
    );
    Row::new("a visit, all of it", Unit::Nanos, results)
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
fn bytes(bench: &Bench, sessions: &[String], theirs: Option<&Theirs>) -> Row {
    let each = |bytes: usize| Sample::exact(bytes as f64 / sessions.len() as f64);
    let (_, ours) = bench.held(|| visit_all(sessions));
    let (_, hash) = bench.held(|| ids(sessions).collect::<HashSet<i64>>());
    let mut results =
        vec![Result::new("tallis", each(ours)), Result::new("HashSet of the ids", each(hash))];
    results.extend(theirs.map(|theirs| Result::new("redis-server", each(theirs.sharded))));
    Row::new(
        "bytes a visitor, keys, tables and the allocator's share included",
        Unit::Bytes,
        results,
    )
}

/// The book's claim in its own terms: sharded, against one set.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
fn book(bench: &Bench, sessions: &[String], theirs: Option<&Theirs>) -> Row {
    let whole = |name: &str, bytes: usize| Result::new(name, Sample::exact(bytes as f64));
    let (_, sharded) = bench.held(|| visit_all(sessions));
    let (_, single) = bench.held(|| {
        let store = Store::new();
        for id in ids(sessions) {
            store.sadd("unique", [id]).unwrap();
        }
        store
    });
    let mut results = vec![whole("tallis, sharded", sharded), whole("tallis, one set", single)];
    if let Some(theirs) = theirs {
        results.push(whole("redis-server, sharded", theirs.sharded));
        results.push(whole("redis-server, one set", theirs.single));
    }
    Row::new("all of them, sharded and in one set", Unit::Bytes, results)
        .note("the book: 1,000,000 visitors in 9.5 MB sharded, 56 MB in one set")
}

/// What a live server takes for the same ids.
struct Theirs {
    sadd_ns: f64,
    sharded: usize,
    single: usize,
}

impl Theirs {
    fn measure(server: &mut Connection, sessions: &[String]) -> Self {
        let expected = 2_097_152;
        let sharded = held(server, ids(sessions), |id| {
            // The book's members hash as `x` and their decimal form.
            shard_key("unique:2015-05-17", &format!("x{id}"), expected, 512)
        });
        let stats = info(server, "commandstats");
        let calls = stats.split("cmdstat_sadd:").nth(1).unwrap();
        let each: f64 = calls
            .split("usec_per_call=")
            .nth(1)
            .unwrap()
            .split(',')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        let single = held(server, ids(sessions), |_| "unique".to_owned());
        Self { sadd_ns: each * 1000.0, sharded, single }
    }
}

/// Fills an empty server with the ids and tells what it holds for them.
fn held(
    server: &mut Connection,
    ids: impl Iterator<Item = i64>,
    key: impl Fn(i64) -> String,
) -> usize {
    let () = Cmd::new().arg("FLUSHALL").query(server).unwrap();
    let before = used_memory(server);
    let mut ids = ids.peekable();
    while ids.peek().is_some() {
        let mut pipeline = Pipeline::new();
        for id in ids.by_ref().take(1000) {
            pipeline.cmd("SADD").arg(key(id)).arg(id);
        }
        let _: Vec<Value> = pipeline.query(server).unwrap();
    }
    used_memory(server) - before
}

fn used_memory(server: &mut Connection) -> usize {
    let text = info(server, "memory");
    text.split("used_memory:").nth(1).unwrap().split('\r').next().unwrap().parse().unwrap()
}

fn info(server: &mut Connection, section: &str) -> String {
    Cmd::new().arg("INFO").arg(section).query(server).unwrap()
}
