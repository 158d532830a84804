//! Fields of hashes that expire, compared with a server that supports them.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use redis::Cmd;
use tallis::{ExpireOption, ManualClock, Profile, Store};

use super::live::{Live, command};
use super::{built, held, pieces};
use crate::inputs::{Fields, Turns, shuffled};
use crate::report::{Bench, Result, Row, Sample, Section, Touched, Unit};

/// The names of our contender and of the server on the page.
const OURS: &str = "tallis";
const SERVER: &str = "redis-8.2.3";

/// Fields of a small hash.
const SMALL: usize = 10;

/// The maximum number of fields that a slice of a sweep removes, as in the thread of `Store::sweeper`.
const SLICE: usize = 1000;

/// The time at which the first field expires: long after the run of the report.
const EXPIRES_MS: i64 = 4_000_000_000_000;

/// The difference between the expiry times of two fields.
const APART_MS: i64 = 10;

/// Rounds of work that first fills a store.
const ROUNDS: usize = 7;

/// The number of fields that stay in the caches.
const CACHED: usize = 1000;

pub(super) fn measure(bench: &Bench) -> Section {
    let quick = bench.effort().is_quick();
    let count = if quick { 5_000 } else { 1_000_000 };
    let text = format!(
        "The fields of the section on hashes, {count} in one hash or {SMALL} in each of {small}, under \
         `Profile::Redis82`; *in the caches*: {CACHED} of them. HPEXPIREAT: one call per field, in random order, each \
         time on another field, with a time later than all others; *new*: on a field that had no time. HGET: fields \
         that have a time, in random order. Bytes: keys and all tables included. Sweep: all fields of one hash expire \
         at once, and `Store::sweep` removes {SLICE} in a call, as the thread of `Store::sweeper` does; the hash is \
         locked for the duration of such a slice. *{SERVER}* is that server, which `cargo xtask servers` installs, \
         over a unix socket; its time is its own for the command only (`INFO commandstats`), its bytes are \
         `used_memory`.",
        small = count / SMALL,
    );
    let large = Fields::new(count, count);
    let small = Fields::new(count, SMALL);
    let mut live = Live::named(SERVER);
    let mut section = Section::new("Fields that expire", &text);
    for (of, each) in [("one hash, in the caches", CACHED), ("a small hash, in the caches", SMALL)]
    {
        let fields = Fields::new(CACHED, each);
        section = section.row(Expiring::new(&fields).expire(bench, of, live.as_mut()));
    }
    for (of, fields) in [("one hash", &large), ("a small hash", &small)] {
        let rows = Expiring::new(fields).rows(bench, of, live.as_mut());
        section = rows.into_iter().fold(section, Section::row);
    }
    section.row(sweep(&large, if quick { 2 } else { ROUNDS }))
}

/// Fields, and the order in which they are given expiry times.
struct Expiring<'f> {
    fields: &'f Fields,
    order: Vec<usize>,
}

impl<'f> Expiring<'f> {
    fn new(fields: &'f Fields) -> Self {
        Self { fields, order: shuffled(3, fields.len()) }
    }

    fn rows(&self, bench: &Bench, of: &str, mut live: Option<&mut Live>) -> [Row; 4] {
        [
            self.expire_new(bench, of, live.as_deref_mut()),
            self.expire(bench, of, live.as_deref_mut()),
            self.hget(bench, of, live.as_deref_mut()),
            self.bytes(bench, of, live),
        ]
    }

    /// Returns a store whose fields have no expiry time.
    fn filled(&self) -> Store {
        let store = Store::builder().profile(Profile::Redis82).build();
        for [key, field, value] in self.fields.iter() {
            store.hset(key, field, value).unwrap();
        }
        store
    }

    /// Returns a store whose fields have expiry times.
    fn timed(&self) -> Store {
        let store = self.filled();
        self.order.iter().for_each(|&at| self.set_expiry(&store, at, EXPIRES_MS));
        store
    }

    fn set_expiry(&self, store: &Store, at: usize, from_ms: i64) {
        let [key, field, _] = self.fields.get(at);
        let set = store.hpexpire_at(key, expires_ms(from_ms, at), ExpireOption::Always, field);
        black_box(set.unwrap());
    }

    /// Returns the same calls as commands.
    fn expiries(&self, from_ms: i64) -> impl Iterator<Item = Cmd> {
        self.order.iter().map(move |&at| {
            let [key, field, _] = self.fields.get(at);
            let time = expires_ms(from_ms, at).to_string();
            command([b"HPEXPIREAT", key, time.as_bytes(), b"FIELDS", b"1", field])
        })
    }

    fn sets(&self) -> impl Iterator<Item = Cmd> {
        self.fields.iter().map(|[key, field, value]| command([b"HSET", key, field, value]))
    }

    fn expire_new(&self, bench: &Bench, of: &str, live: Option<&mut Live>) -> Row {
        let set = |store: Store| {
            self.order.iter().for_each(|&at| self.set_expiry(&store, at, EXPIRES_MS));
            store
        };
        let all = pieces(self.fields.len());
        let race = bench.race().at_most(ROUNDS);
        let mut results = race.contender_from(OURS, all, || self.filled(), set).run();
        results.extend(live.map(|live| {
            live.run([redis::cmd("FLUSHALL")]);
            live.run(self.sets());
            rival(live.nanos("HPEXPIREAT", self.expiries(EXPIRES_MS)))
        }));
        Row::new(
            &format!("HPEXPIREAT, new, {of}"),
            Unit::Nanos,
            built(bench, || self.timed()),
            results,
        )
        .factor(SERVER, 0.5)
    }

    fn expire(&self, bench: &Bench, of: &str, live: Option<&mut Live>) -> Row {
        let store = self.timed();
        let size = self.fields.len().min(50_000);
        let mut turns = Turns::new(size, self.fields.len());
        let later_ms = expires_ms(0, self.fields.len());
        let mut from_ms = EXPIRES_MS;
        let set = || {
            from_ms += later_ms;
            let turn = self.order[turns.turn()].iter();
            turn.for_each(|&at| self.set_expiry(&store, at, from_ms));
        };
        let mut results = bench.race().contender(OURS, pieces(size), set).run();
        results.extend(live.map(|live| {
            live.run([redis::cmd("FLUSHALL")]);
            live.run(self.sets().chain(self.expiries(EXPIRES_MS)));
            // The same number of commands for few fields as for many.
            let rounds = 1..=i64::try_from(100_000_usize.div_ceil(self.fields.len())).unwrap();
            let again = rounds.flat_map(|round| self.expiries(EXPIRES_MS + round * later_ms));
            rival(live.nanos("HPEXPIREAT", again))
        }));
        Row::new(&format!("HPEXPIREAT, {of}"), Unit::Nanos, held(&store), results)
            .factor(SERVER, 0.5)
    }

    /// The server has the fields of [`expire_new`](Self::expire_new).
    fn hget(&self, bench: &Bench, of: &str, live: Option<&mut Live>) -> Row {
        let store = self.timed();
        let get = |&&at: &&usize| {
            let [key, field, _] = self.fields.get(at);
            store.hget_with(key, field, |value| black_box(value).len()).unwrap().is_some()
        };
        assert_eq!(self.order.iter().filter(get).count(), self.fields.len());
        let size = self.fields.len().min(50_000);
        let mut turns = Turns::new(size, self.fields.len());
        let gets = || self.order[turns.turn()].iter().filter(get).count();
        let mut results = bench.race().contender(OURS, pieces(size), gets).run();
        let ask = self.order.iter().map(|&at| {
            let [key, field, _] = self.fields.get(at);
            command([b"HGET", key, field])
        });
        results.extend(live.map(|live| rival(live.nanos("HGET", ask))));
        Row::new(&format!("HGET, {of}"), Unit::Nanos, held(&store), results)
    }

    #[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
    fn bytes(&self, bench: &Bench, of: &str, live: Option<&mut Live>) -> Row {
        let each = |bytes: f64| bytes / self.fields.len() as f64;
        let (_, ours) = bench.held(|| self.timed());
        let (_, without) = bench.held(|| self.filled());
        let mut results = vec![
            Result::new(OURS, Sample::exact(each(ours as f64))),
            Result::new("without times", Sample::exact(each(without as f64))),
        ];
        results.extend(
            live.map(|live| rival(each(live.held(self.sets().chain(self.expiries(EXPIRES_MS)))))),
        );
        Row::new(&format!("bytes a field, {of}"), Unit::Bytes, Touched::NOTHING, results)
            .factor(SERVER, 0.7)
    }
}

/// Returns the expiry time of a field. No two fields of a hash have the same time.
fn expires_ms(from_ms: i64, at: usize) -> i64 {
    from_ms + APART_MS * i64::try_from(at).unwrap()
}

fn rival(figure: f64) -> Result {
    Result::rival(SERVER, Sample::exact(figure))
}

/// Measures the longest slice of each sweep.
fn sweep(fields: &Fields, rounds: usize) -> Row {
    let sweeps: Vec<Sweep> = (0..rounds).map(|_| Sweep::of(fields)).collect();
    let nanos = |time: Duration| time.as_secs_f64() * 1e9;
    let of = |name, figure: &dyn Fn(&Sweep) -> f64| {
        Result::of(name, false, sweeps.iter().map(figure).collect())
    };
    let longest = of(OURS, &|sweep| nanos(sweep.longest));
    let mean = of("the mean slice", &|sweep| nanos(sweep.all) / f64::from(sweep.slices));
    let work = format!("the longest slice of {SLICE}, sweep of one hash");
    Row::new(&work, Unit::Nanos, held(&Expiring::new(fields).filled()), vec![longest, mean])
        .note("aim: 1 ms")
}

/// The times of a sweep.
#[derive(Default)]
struct Sweep {
    longest: Duration,
    all: Duration,
    slices: u32,
}

impl Sweep {
    #[expect(clippy::disallowed_methods, reason = "measuring time is the purpose")]
    fn of(fields: &Fields) -> Self {
        let clock = Arc::new(ManualClock::new(0));
        let store = Store::builder().profile(Profile::Redis82).clock(clock.clone()).build();
        for [key, field, value] in fields.iter() {
            store.hset(key, field, value).unwrap();
            store.hpexpire_at(key, 1, ExpireOption::Always, field).unwrap();
        }
        clock.advance(1);
        let (mut sweep, mut swept) = (Self::default(), 0);
        while swept < fields.len() {
            let start = Instant::now();
            swept += store.sweep(SLICE).unwrap();
            let time = start.elapsed();
            sweep.longest = sweep.longest.max(time);
            sweep.all += time;
            sweep.slices += 1;
        }
        assert_eq!(store.dbsize().unwrap(), 0, "all fields have been removed");
        sweep
    }
}
