//! Visits through the recipe, and the store's commands that it uses.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use jiff::civil::date;
use tallis::{Store, Visitors, VisitorsForm, each};
use testkit::rng::Rng;

const VISITS: usize = 100_000;

fn visits(c: &mut Criterion) {
    let mut rng = Rng::new(1);
    let sessions: Vec<String> = (0..VISITS).map(|_| rng.uuid()).collect();
    let day = date(2015, 5, 17);
    let mut group = c.benchmark_group("visitors");
    group.throughput(Throughput::Elements(VISITS as u64));
    group.sample_size(20);
    let count = |visitors: &Visitors| {
        sessions.iter().filter(|session| visitors.count_visit(session, day).unwrap()).count()
    };
    group.bench_function("first visits", |b| {
        b.iter_batched(
            || Visitors::book(Store::new()).default_yesterday(VISITS as u64),
            |visitors| {
                assert_eq!(count(&visitors), VISITS);
                visitors
            },
            BatchSize::PerIteration,
        );
    });
    for (name, form) in [
        ("first visits, in shards that split", VisitorsForm::Splitting),
        ("first visits, in compact shards", VisitorsForm::Compact),
    ] {
        group.bench_function(name, |b| {
            b.iter_batched(
                || Visitors::book(Store::new()).form(form),
                |visitors| {
                    assert_eq!(count(&visitors), VISITS);
                    visitors
                },
                BatchSize::PerIteration,
            );
        });
    }
    let visitors = Visitors::book(Store::new()).default_yesterday(VISITS as u64);
    assert_eq!(count(&visitors), VISITS);
    group
        .bench_function("visits of known visitors", |b| b.iter(|| assert_eq!(count(&visitors), 0)));
    group.finish();
}

fn commands(c: &mut Criterion) {
    let store = Store::new();
    store.sadd("intset", each((0..512).map(|n| n * 1_000_003))).unwrap();
    store.pfadd("hll", 0..20_000).unwrap();
    let mut group = c.benchmark_group("store");
    group.bench_function("sismember, intset", |b| {
        b.iter(|| store.sismember("intset", 77_000_231).unwrap());
    });
    group.bench_function("sadd, known member", |b| {
        b.iter(|| store.sadd("intset", [77_000_231]).unwrap());
    });
    group.bench_function("incr", |b| b.iter(|| store.incr("counter", 1).unwrap()));
    group.bench_function("pfadd, dense, known element", |b| {
        b.iter(|| store.pfadd("hll", [77]).unwrap());
    });
    group.bench_function("incr, by words", |b| {
        b.iter(|| store.execute(&["INCR", "counter"]));
    });
    group.finish();
}

criterion_group!(benches, visits, commands);
criterion_main!(benches);
