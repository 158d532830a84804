//! Unique visitors of any range.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::time::Duration;

use redis::Cmd;
use tallis::{Store, UvFilling, UvLevel};
use testkit::rng::Rng;

use super::live::{Live, SERVER, command, rival};
use super::{built, held, pieces};
use crate::report::{Bench, Effort, Result, Row, Sample, Section, Touched, Unit};
use crate::uv::{Dense, HOUR, START, User, keys, second, users, windows};

const DAY: i64 = 24 * HOUR;

/// Minutes per round, and visits per minute: few enough that a minute stays sparse.
const MINUTES: i64 = 10;
const A_MINUTE: usize = 500;
/// The maximum number of visits per round to one dense minute.
const TURN: usize = 10_000;

/// The server's times of PFADD to a dense key and to a sparse one when the targets were set.
const PFADD: f64 = 64.0;
const PFADD_SPARSE: f64 = 264.0;

pub(super) fn measure(bench: &Bench) -> Section {
    let users = if bench.effort() == Effort::Quick { 2_000 } else { 1_000_000 };
    let crowd = crowd(bench);
    let text = format!(
        "`UvWindows` by UTC; users are 16 random bytes. *Sparse*: {A_MINUTE} users per minute, then the next minute, \
         into an hour, a day and a month that {crowd} users have visited; *dense*: users who return within a minute \
         that all of them have visited. *PFADD* and *PFCOUNT* are the store's commands on keys that exist, without \
         expiry; *redis-server* is measured as in the section on sets. The count covers 25 hours from half past to \
         half past: 60 minutes and 24 hours, all dense. *A day*: {users} users at random times of one day, once or \
         five times each; minutes are kept for two hours and hours for two days; the figure is the memory at the end \
         of the day."
    );
    let mut live = Live::start();
    Section::new("UvWindows", &text)
        .row(
            sparse(bench, UvFilling::WriteThrough, live.as_mut())
                .beside(SERVER, [150.0, PFADD_SPARSE + 3.0 * PFADD]),
        )
        .row(
            dense(bench, UvFilling::WriteThrough, live.as_mut())
                .beside(SERVER, [60.0, 4.0 * PFADD]),
        )
        .row(sparse(bench, UvFilling::RollUp, live.as_mut()).beside(SERVER, [90.0, PFADD_SPARSE]))
        .row(dense(bench, UvFilling::RollUp, live.as_mut()).beside(SERVER, [25.0, PFADD]))
        .row(count(bench, live.as_mut()).beside(SERVER, [60_000.0, 2_000_000.0]))
        .row(day(bench, users, 1, live.as_mut()).target(2e6))
        .row(day(bench, users, 5, live.as_mut()).target(2e6))
}

/// Returns the number of users of the larger buckets: enough that they are dense.
fn crowd(bench: &Bench) -> usize {
    if bench.effort() == Effort::Quick { 5_000 } else { 200_000 }
}

/// Returns the name of a filling on the page, and the number of keys to which it adds a visit.
const fn named(filling: UvFilling) -> (&'static str, usize) {
    match filling {
        UvFilling::WriteThrough => ("written to four levels", 4),
        UvFilling::RollUp => ("rolled up", 1),
    }
}

fn pfadds(at: i64, levels: usize, users: &[User]) -> Vec<Cmd> {
    let keys = keys(at, levels);
    let add = |user: &User, key: &Vec<u8>| command([b"PFADD", key, user]);
    users.iter().flat_map(|user| keys.iter().map(|key| add(user, key))).collect()
}

fn dense(bench: &Bench, filling: UvFilling, live: Option<&mut Live>) -> Row {
    let (name, levels) = named(filling);
    let users = users(1, crowd(bench));
    let (windows, counted, _) = windows(filling);
    let (plain, keys) = (Store::new(), keys(START, levels));
    for user in &users {
        windows.record(user, second(START)).unwrap();
        for key in &keys {
            plain.pfadd(key, [user]).unwrap();
        }
    }
    let visits = &users[..users.len().min(TURN)];
    let turn = pieces(visits.len());
    let mut results = bench
        .race()
        .contender("tallis", turn, || {
            visits.iter().filter(|user| windows.record(*user, second(START)).unwrap()).count()
        })
        .contender("PFADD", turn, || {
            let add = |user: &&User| keys.iter().any(|key| plain.pfadd(key, [*user]).unwrap());
            visits.iter().filter(add).count()
        })
        .run();
    results.extend(rival(live.map(|live| {
        live.run([redis::cmd("FLUSHALL")]);
        live.run(pfadds(START, levels, &users));
        times(levels) * live.nanos("PFADD", pfadds(START, levels, visits))
    })));
    Row::new(&format!("record, {name}, dense"), Unit::Nanos, held(&counted), results)
}

fn sparse(bench: &Bench, filling: UvFilling, live: Option<&mut Live>) -> Row {
    let (name, levels) = named(filling);
    let all = users(1, crowd(bench));
    let mut rng = Rng::new(2);
    let visits: Vec<(i64, User)> = (60..=60 * MINUTES)
        .step_by(60)
        .flat_map(|minute| [minute; A_MINUTE])
        .map(|minute| (START + minute, *rng.pick(&all).unwrap()))
        .collect();
    let pieces = pieces(visits.len());
    let mut visited: hll::HyperLogLog = all.iter().collect();
    visited.promote();
    // The larger buckets, which the crowd has visited.
    let fresh = || {
        let (windows, store, clock) = windows(filling);
        for key in &keys(START, 4)[1..] {
            store.set(key, visited.as_bytes()).unwrap();
        }
        (windows, store, clock)
    };
    let mut results = bench
        .race()
        .contender_from("tallis", pieces, fresh, |(windows, _, clock)| {
            for (at, user) in &visits {
                clock.set(at * 1000);
                windows.record(user, second(*at)).unwrap();
            }
        })
        .contender_from("PFADD", pieces, fresh, |(_, store, clock)| {
            for visits in visits.chunks(A_MINUTE) {
                let keys = keys(visits[0].0, levels);
                for (at, user) in visits {
                    clock.set(at * 1000);
                    for key in &keys {
                        store.pfadd(key, [user]).unwrap();
                    }
                }
            }
        })
        .run();
    results.extend(rival(live.map(|live| {
        live.run([redis::cmd("FLUSHALL")]);
        live.run(keys(START, 4)[1..].iter().map(|key| command([b"SET", key, visited.as_bytes()])));
        let visit = |(at, user): &(i64, User)| pfadds(*at, levels, &[*user]);
        times(levels) * live.nanos("PFADD", visits.iter().flat_map(visit))
    })));
    Row::new(&format!("record, {name}, minute sparse"), Unit::Nanos, built(bench, fresh), results)
}

#[expect(clippy::cast_precision_loss, reason = "up to four")]
const fn times(levels: usize) -> f64 {
    levels as f64
}

fn count(bench: &Bench, live: Option<&mut Live>) -> Row {
    let dense = Dense::fill();
    let mut results = bench
        .race()
        .contender("tallis", 1, || dense.count())
        .contender("PFCOUNT", 1, || dense.store.pfcount(&dense.keys).unwrap())
        .contender("hll, the union alone", 1, || dense.union())
        .run();
    let Dense { keys, blobs, .. } = &dense;
    results.extend(rival(live.map(|live| {
        live.run([redis::cmd("FLUSHALL")]);
        live.run(keys.iter().zip(blobs).map(|(key, blob)| command([b"SET", key, blob])));
        let mut count = redis::cmd("PFCOUNT");
        count.arg(keys);
        live.nanos("PFCOUNT", std::iter::repeat_n(count, 50))
    })));
    Row::new("count over 60 minutes and 24 hours", Unit::Nanos, held(&dense.store), results)
}

/// Returns the visits of a day, ordered by time.
fn visits(count: usize, each: usize) -> Vec<(i64, User)> {
    let mut rng = Rng::new(7);
    let start = START - START.rem_euclid(DAY);
    let users = users(5, count);
    let mut visits: Vec<(i64, User)> = (0..each)
        .flat_map(|_| users.iter())
        .map(|user| (start + rng.range(0..=DAY - 1), *user))
        .collect();
    visits.sort_unstable();
    visits
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
fn day(bench: &Bench, count: usize, each: usize, live: Option<&mut Live>) -> Row {
    let visits = visits(count, each);
    let spent = |filling: UvFilling, short: bool| {
        let (_, bytes) = bench.held(|| {
            let (mut windows, store, clock) = windows(filling);
            if short {
                windows = windows
                    .keep(UvLevel::Minute, Duration::from_secs(7200))
                    .keep(UvLevel::Hour, Duration::from_secs(172_800));
            }
            let mut swept = 0;
            for (at, user) in &visits {
                clock.set(at * 1000);
                windows.record(user, second(*at)).unwrap();
                if at / HOUR > swept {
                    swept = at / HOUR;
                    while store.sweep(1000).unwrap() > 0 {}
                }
            }
            let now = visits.last().map_or(START, |(at, _)| *at);
            clock.set((now - now.rem_euclid(60) + 60) * 1000);
            windows.roll_up().unwrap();
            while store.sweep(1000).unwrap() > 0 {}
            let counted = windows.last_days(1).unwrap();
            assert!(counted.abs_diff(count as u64) < count as u64 / 30, "{counted}");
            (windows, store)
        });
        Sample::exact(bytes as f64)
    };
    let mut results = vec![
        Result::new("tallis, rolled up", spent(UvFilling::RollUp, true)),
        Result::new("written through", spent(UvFilling::WriteThrough, true)),
        Result::new("rolled up, every minute kept", spent(UvFilling::RollUp, false)),
    ];
    results.extend(live.filter(|_| each == 1).map(|live| {
        let visit = |(at, user): &(i64, User)| pfadds(*at, 4, &[*user]);
        let bytes = live.held(visits.iter().flat_map(visit));
        Result::rival("redis-server, four PFADDs, every minute kept", Sample::exact(bytes))
    }));
    let often = if each == 1 { "once".to_owned() } else { format!("{each} times") };
    Row::new(
        &format!("a day of {count} users, {often} each"),
        Unit::Bytes,
        Touched::NOTHING,
        results,
    )
    .note("the article: less than 2 MB")
}
