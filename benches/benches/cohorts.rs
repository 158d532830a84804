//! Cohorts, compared with the alternatives: sets of users, and BITOP with one string for each operation.
//!
//! The rows to compare: `cohorts` uses the recipe, `commands` uses the store's SETBIT, BITOP and BITCOUNT, and `sets`
//! are plain `HashSet`s of ids, with a fast hash and without a store.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use std::collections::HashSet;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use jiff::civil::{Date, date};
use tallis::{Cohort, Cohorts, Period, PeriodKind, Store};
use testkit::rng::Rng;

/// Users of a large cohort. Their ids are below twice this number.
const USERS: u64 = 1_000_000;
/// Days of a retention table, and users of each day. Their ids are below ten times their number.
const DAYS: u16 = 30;
const DAILY: u64 = 100_000;

type Set = HashSet<u32, ahash::RandomState>;

fn some_users(rng: &mut Rng, users: u64, below: u64) -> Set {
    let mut set = Set::default();
    while (set.len() as u64) < users {
        set.insert(u32::try_from(rng.below(below)).unwrap());
    }
    set
}

fn first_day() -> Date {
    date(2015, 5, 1)
}

fn marks(c: &mut Criterion) {
    let mut group = c.benchmark_group("cohorts, a mark of five periods");
    let mut rng = Rng::new(1);
    let mut users: Vec<u32> = (0..100_000).collect();
    rng.shuffle(&mut users);
    group.throughput(Throughput::Elements(users.len() as u64));
    group.sample_size(20);
    let time = first_day().at(13, 0, 0, 0);

    let cohorts = Cohorts::new(Store::new());
    group.bench_function("cohorts", |b| {
        b.iter(|| {
            for &user in &users {
                cohorts.mark("active", user.into(), time).unwrap();
            }
        });
    });
    assert_eq!(cohorts.count("active", Period::day(time)).unwrap(), users.len() as u64);

    let store = Store::new();
    let keys: Vec<String> =
        [PeriodKind::Hour, PeriodKind::Day, PeriodKind::Week, PeriodKind::Month, PeriodKind::Year]
            .iter()
            .map(|kind| format!("trackist_active_{}", kind.at(time)))
            .collect();
    group.bench_function("commands, keys ready", |b| {
        b.iter(|| {
            for &user in &users {
                for key in &keys {
                    store.setbit(key, user.into(), true).unwrap();
                }
            }
        });
    });

    let mut sets: [Set; 5] = std::array::from_fn(|_| Set::default());
    group.bench_function("sets, at hand", |b| {
        b.iter(|| {
            for &user in &users {
                for set in &mut sets {
                    set.insert(user);
                }
            }
        });
    });
    group.finish();
}

fn questions(c: &mut Criterion) {
    let mut rng = Rng::new(2);
    let (store, events) = (Store::new(), ["a", "b", "c", "d"]);
    let cohorts = Cohorts::new(store.clone());
    let sets = events.map(|event| {
        let set = some_users(&mut rng, USERS, 2 * USERS);
        for &user in &set {
            cohorts.mark_unique(event, user.into()).unwrap();
        }
        set
    });
    let keys = events.map(|event| format!("trackist_{event}_u"));
    let [a, b, c_, d] = events.map(Cohort::unique);
    let [set_a, set_b, set_c, set_d] = &sets;
    let want = set_a.intersection(set_b).count() as u64;

    let mut group = c.benchmark_group("cohorts, both of two of a million");
    group.sample_size(20);
    let mut row = |name: &str, want: u64, work: &mut dyn FnMut() -> u64| {
        assert_eq!(work(), want, "{name}");
        group.bench_function(name, |bench| bench.iter(|| black_box(work())));
    };
    let both = a.clone() & b.clone();
    row("cohorts", want, &mut || cohorts.query(both.clone()).count().unwrap());
    row("commands", want, &mut || {
        store.bit_and("tmp", [&keys[0], &keys[1]]).unwrap();
        store.bitcount("tmp").unwrap()
    });
    row("sets", want, &mut || set_a.intersection(set_b).count() as u64);
    group.finish();

    let mut group = c.benchmark_group("cohorts, (a & b) | ((c ^ d) - a)");
    group.sample_size(20);
    let mut row = |name: &str, want: u64, work: &mut dyn FnMut() -> u64| {
        assert_eq!(work(), want, "{name}");
        group.bench_function(name, |bench| bench.iter(|| black_box(work())));
    };
    let either = |user: &u32| {
        set_a.contains(user) && set_b.contains(user)
            || (set_c.contains(user) != set_d.contains(user)) && !set_a.contains(user)
    };
    let all = || 0..u32::try_from(2 * USERS).unwrap();
    let want = all().filter(|user| either(user)).count() as u64;
    let nested = (a.clone() & b) | ((c_ ^ d) - a);
    row("cohorts", want, &mut || cohorts.query(nested.clone()).count().unwrap());
    row("commands", want, &mut || {
        store.bit_and("tmp:1", [&keys[0], &keys[1]]).unwrap();
        store.bit_xor("tmp:2", [&keys[2], &keys[3]]).unwrap();
        store.bit_diff("tmp:3", ["tmp:2", keys[0].as_str()]).unwrap();
        store.bit_or("tmp", ["tmp:1", "tmp:3"]).unwrap();
        store.bitcount("tmp").unwrap()
    });
    row("sets", want, &mut || all().filter(either).count() as u64);
    group.finish();
}

fn retention(c: &mut Criterion) {
    let mut rng = Rng::new(3);
    let cohorts = Cohorts::new(Store::new()).kinds([PeriodKind::Day]);
    let last = Period::day(first_day()).plus(i32::from(DAYS) - 1).unwrap();
    let sets: Vec<Set> = last
        .last(DAYS)
        .map(|day| {
            let set = some_users(&mut rng, DAILY, 10 * DAILY);
            for &user in &set {
                cohorts.mark("active", user.into(), day.start().unwrap()).unwrap();
            }
            set
        })
        .collect();
    let table = || cohorts.retention("active", "active", last.last(DAYS)).unwrap();
    let plain = || -> Vec<Vec<u64>> {
        let row = |(number, first): (usize, &Set)| {
            let later = sets[number..].iter();
            later.map(|later| first.intersection(later).count() as u64).collect()
        };
        sets.iter().enumerate().map(row).collect()
    };
    assert!(table().rows().iter().map(|row| &row.returned).eq(&plain()));
    let mut group = c.benchmark_group("cohorts, retention over 30 days");
    group.sample_size(10);
    group.bench_function("cohorts", |b| b.iter(table));
    group.bench_function("sets", |b| b.iter(plain));
    group.finish();
}

criterion_group!(benches, marks, questions, retention);
criterion_main!(benches);
