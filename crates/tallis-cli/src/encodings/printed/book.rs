//! Redis in Action, chapter 9: visitors in sharded sets (9.2.2), packed locations (9.2.3).

use std::collections::BTreeMap;

use tallis::jiff::civil::Date;
use tallis::{Locations, SessionIds, Store, Visitors, shard_key};
use testkit::rng::Rng;

use super::super::server::Live;
use super::bench::{Bench, in_batches};
use super::row::{Figure, Printed, Row, Source, Unit};
use crate::failure::Failure;

const SHARDED: Printed = Printed {
    source: Source::Book,
    name: "visitors_sharded",
    what: "a million visitors, in shards of 512",
    unit: Unit::BytesHeld,
    figure: Figure::Whole(9_500_000),
    words: None,
    determined: false,
    remark: "the first 15 digits of random UUIDs, in 8192 shards, from the book's default forecast; the \
             server by used_memory",
};

const ONE_SET: Printed = Printed {
    source: Source::Book,
    name: "visitors_one_set",
    what: "the same, in one set",
    unit: Unit::BytesHeld,
    figure: Figure::Whole(56_000_000),
    words: None,
    determined: false,
    remark: "a hash table on both sides; the server by used_memory",
};

const LOCATIONS: Printed = Printed {
    source: Source::Book,
    name: "locations",
    what: "2-byte locations of a million users",
    unit: Unit::BytesHeld,
    figure: Figure::Whole(2_000_000),
    words: None,
    determined: false,
    remark: "one string, written user by user: the bytes beyond 2 per user are room to grow; the server \
             by MEMORY USAGE",
};

/// The visitors that the book forecasts for a day if the day before was not counted: one and a half million, rounded up
/// to a power of two.
const EXPECTED: u64 = 1 << 21;

/// The members of a shard.
const SHARD: u64 = 512;

/// The location of each user: a country and a region.
const CODE: [u8; 2] = [3, 7];

const DAY: Date = tallis::jiff::civil::date(2015, 5, 17);

/// Returns all rows of the book.
pub(super) fn rows(bench: &mut Bench<'_>) -> Result<Vec<Row>, Failure> {
    let mut rng = Rng::new(1);
    let sessions: Vec<String> = (0..bench.million).map(|_| rng.uuid()).collect();
    let mut ids = Vec::with_capacity(sessions.len());
    for session in &sessions {
        ids.push(SessionIds::First15.id(session)?);
    }
    Ok(vec![sharded(bench, &sessions, &ids)?, one_set(bench, &ids)?, locations(bench)?])
}

fn sharded(bench: &mut Bench<'_>, sessions: &[String], ids: &[i64]) -> Result<Row, Failure> {
    let store = Store::new();
    let ((), tallis) = bench.held(|| {
        let visitors = Visitors::book(store.clone());
        in_batches(sessions.iter(), |sessions| visitors.count_visits(sessions, DAY))
    })?;
    let server = bench.served(|live| {
        live.clear()?;
        // One command per shard leaves the same values as one per visit.
        let mut shards: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for &id in ids {
            let key = shard_key("unique:2015-05-17", format!("x{id}"), EXPECTED, SHARD);
            shards.entry(key).or_default().push(id);
        }
        live.held(|live| {
            shards.iter().try_for_each(|(key, ids)| add(live, key, ids))?;
            live.ask(["SET", "unique:2015-05-17", &ids.len().to_string()]).map(drop)
        })
    })?;
    Ok(SHARDED.row(Figure::Whole(tallis), server.map(Figure::Whole)))
}

fn one_set(bench: &mut Bench<'_>, ids: &[i64]) -> Result<Row, Failure> {
    let store = Store::new();
    let ((), tallis) =
        bench.held(|| in_batches(ids.iter().copied(), |ids| store.sadd("unique", ids)))?;
    let server = bench.served(|live| {
        live.clear()?;
        live.held(|live| add(live, "unique", ids))
    })?;
    Ok(ONE_SET.row(Figure::Whole(tallis), server.map(Figure::Whole)))
}

fn add(live: &mut Live, key: &str, ids: &[i64]) -> Result<(), Failure> {
    live.add_all("SADD", key, ids.iter().map(i64::to_string))
}

fn locations(bench: &mut Bench<'_>) -> Result<Row, Failure> {
    let users = bench.million;
    let store = Store::new();
    let ((), tallis) = bench.held(|| {
        let locations = Locations::new(store.clone());
        for user in 0..users {
            locations.set_code(user, CODE)?;
        }
        Ok(())
    })?;
    let server = bench.served(|live| {
        live.clear()?;
        live.send((0..users).map(|user| {
            let at = (2 * user).to_string().into_bytes();
            vec![b"SETRANGE".to_vec(), b"location:0".to_vec(), at, CODE.to_vec()]
        }))?;
        live.memory_usage("location:0")
    })?;
    Ok(LOCATIONS.row(Figure::Whole(tallis), server.map(Figure::Whole)))
}
