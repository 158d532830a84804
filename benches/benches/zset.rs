//! A million members of 16 bytes with random scores, compared with the [rivals](tallis_benches::rivals), and 100,000
//! small sorted sets.
//!
//! Each turn queries other members than the last, in random order. The bytes of each structure are printed first.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]
#![expect(clippy::cast_precision_loss, reason = "the bytes per member are only printed")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use skiplist_zset::{Limits, ZSet};
use tallis_benches::inputs::{Turns, Words, shuffled};
use tallis_benches::rivals::{IndexSetAndMap, Ranked, Rival, TreeAndMap};
use testkit::alloc::Counting;
use testkit::rng::Rng;

#[global_allocator]
static ALLOCATOR: Counting = Counting::paused();

const MEMBERS: usize = 1_000_000;
/// Calls per turn.
const TURN: usize = 20_000;
const SMALL_SETS: usize = 100_000;
/// Members of a small set.
const SMALL: usize = 10;

struct Input {
    members: Words,
    scores: Vec<f64>,
    /// The members in another order, to query.
    asked: Words,
    /// New scores for them.
    fresh: Vec<f64>,
}

impl Input {
    fn new() -> Self {
        let mut rng = Rng::new(11);
        let member = |number: usize| format!("member:{number:09}");
        Self {
            members: shuffled(1, MEMBERS).into_iter().map(member).collect(),
            scores: (0..MEMBERS).map(|_| rng.unit() * 1e9).collect(),
            asked: shuffled(2, MEMBERS).into_iter().map(member).collect(),
            fresh: (0..MEMBERS).map(|_| rng.unit() * 1e9).collect(),
        }
    }

    fn filled<R: Rival>(&self) -> R {
        let mut rival = R::default();
        for (member, &score) in self.members.iter().zip(&self.scores) {
            rival.add(member, score);
        }
        rival
    }
}

type Group<'a> = criterion::BenchmarkGroup<'a, criterion::measurement::WallTime>;

/// Measures additions, queries, changes and removals.
fn of_both<R: Rival>(group: &mut Group<'_>, input: &Input) -> R {
    group.sample_size(10).throughput(Throughput::Elements(MEMBERS as u64));
    group.bench_function(format!("add, {}", R::NAME), |b| {
        b.iter_batched(|| (), |()| input.filled::<R>(), BatchSize::PerIteration);
    });
    let (mut rival, bytes) = ALLOCATOR.counting(|| input.filled::<R>());
    println!("{}: {:.1} bytes a member", R::NAME, bytes as f64 / MEMBERS as f64);

    group.sample_size(40).throughput(Throughput::Elements(TURN as u64));
    let mut turns = Turns::new(TURN, MEMBERS);
    group.bench_function(format!("score, {}", R::NAME), |b| {
        b.iter(|| {
            let asked = input.asked.range(turns.turn());
            assert_eq!(asked.filter(|member| rival.score(member).is_some()).count(), TURN);
        });
    });
    let mut turns = Turns::new(TURN, MEMBERS);
    let mut fresh = input.fresh.iter().cycle();
    group.bench_function(format!("new random score, {}", R::NAME), |b| {
        b.iter(|| {
            for member in input.asked.range(turns.turn()) {
                rival.add(member, *fresh.next().unwrap());
            }
        });
    });
    // The members that a turn removes are added again outside the measured time.
    let mut turns = Turns::new(TURN, MEMBERS);
    group.bench_function(format!("remove, {}", R::NAME), |b| {
        b.iter_custom(|rounds| {
            let mut time = std::time::Duration::ZERO;
            for _ in 0..rounds {
                let turn = turns.turn();
                let start = now();
                for member in input.asked.range(turn.clone()) {
                    assert!(rival.remove(member));
                }
                time += start.elapsed();
                for (member, &score) in input.asked.range(turn.clone()).zip(&input.scores[turn]) {
                    rival.add(member, score);
                }
            }
            time
        });
    });
    rival
}

#[expect(clippy::disallowed_methods, reason = "criterion lets the bench measure here")]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}

/// Measures queries by rank.
fn of_ranked<R: Ranked>(group: &mut Group<'_>, input: &Input, set: &R) {
    let mut turns = Turns::new(TURN, MEMBERS);
    group.bench_function(format!("rank, {}", R::NAME), |b| {
        b.iter(|| {
            let asked = input.asked.range(turns.turn());
            assert!(asked.map(|member| set.rank(member)).sum::<usize>() > 0);
        });
    });
    let ranks = shuffled(3, MEMBERS - 10);
    let mut turns = Turns::new(TURN, ranks.len());
    group.bench_function(format!("ten by rank, {}", R::NAME), |b| {
        b.iter(|| {
            for &rank in &ranks[turns.turn()] {
                set.range(rank..rank + 10);
            }
        });
    });
}

/// Measures the removal of runs of members. They are added again outside the measured time.
fn removed_by_rank(group: &mut Group<'_>, set: &mut ZSet) {
    group.throughput(Throughput::Elements(TURN as u64));
    for count in [1, 10, 100, TURN] {
        let ranks = shuffled(5, MEMBERS - TURN);
        let mut turns = Turns::new(TURN, ranks.len());
        group.bench_function(format!("remove {count} by rank, zset"), |b| {
            b.iter_custom(|rounds| {
                let mut time = std::time::Duration::ZERO;
                for _ in 0..rounds {
                    for &rank in &ranks[turns.turn()][..TURN / count] {
                        let run = set.range(rank..rank + count);
                        let run: Vec<_> = run.map(|(member, at)| (member.to_vec(), at)).collect();
                        let start = now();
                        assert_eq!(set.remove_range(rank..rank + count), count);
                        time += start.elapsed();
                        for (member, score) in run {
                            set.add(member, score, &Limits::default()).unwrap();
                        }
                    }
                }
                time
            });
        });
    }
}

fn million(c: &mut Criterion) {
    let input = Input::new();
    let mut group = c.benchmark_group("zset");
    let mut set: ZSet = of_both(&mut group, &input);
    of_ranked(&mut group, &input, &set);
    // As in a search by position: nine ranges of scores that hold 50 members.
    let mut turns = Turns::new(TURN, MEMBERS);
    group.throughput(Throughput::Elements(TURN as u64 / 9));
    group.bench_function("nine ranges of scores, zset", |b| {
        b.iter(|| {
            for low in &input.fresh[turns.turn()][..TURN / 9 * 9] {
                for entry in set.by_score(*low..low + 5_500.0) {
                    black_box(entry);
                }
            }
        });
    });
    removed_by_rank(&mut group, &mut set);
    let entries: Vec<_> =
        set.iter().rev().map(|(member, score)| (member.to_vec(), score)).collect();
    drop(set);
    group.sample_size(10).throughput(Throughput::Elements(MEMBERS as u64));
    group.bench_function("build from sorted, zset", |b| {
        b.iter(|| {
            let sorted = entries.iter().map(|(member, score)| (member, *score));
            ZSet::<ahash::RandomState>::from_entries(sorted, &Limits::default()).unwrap()
        });
    });
    drop(entries);
    let set: IndexSetAndMap = of_both(&mut group, &input);
    of_ranked(&mut group, &input, &set);
    drop(set);
    of_both::<TreeAndMap>(&mut group, &input);
    group.finish();
}

fn small(c: &mut Criterion) {
    fn rival<R: Rival>(group: &mut Group<'_>, order: &[usize], members: &Words, scores: &[f64]) {
        let fill = || {
            let mut sets: Vec<R> = (0..SMALL_SETS).map(|_| R::default()).collect();
            for ((&at, member), &score) in order.iter().zip(members.iter()).zip(scores) {
                sets[at % SMALL_SETS].add(member, score);
            }
            sets
        };
        let (sets, bytes) = ALLOCATOR.counting(fill);
        println!(
            "{}: {:.1} bytes a member of small sets",
            R::NAME,
            bytes as f64 / order.len() as f64
        );
        drop(sets);
        group.bench_function(format!("add, {}", R::NAME), |b| {
            b.iter_batched(|| (), |()| fill(), BatchSize::PerIteration);
        });
    }
    let mut rng = Rng::new(12);
    let count = SMALL * SMALL_SETS;
    let order = shuffled(4, count);
    let members: Words = (0..count).map(|number| format!("member:{number:09}")).collect();
    let whole: Vec<f64> = (0..count).map(|_| (rng.unit() * 1e6).round()).collect();
    let random: Vec<f64> = (0..count).map(|_| rng.unit() * 1e6).collect();
    for (name, scores) in [("whole", &whole), ("random", &random)] {
        let mut group = c.benchmark_group(format!("small zsets, {name} scores"));
        group.sample_size(10).throughput(Throughput::Elements(count as u64));
        rival::<ZSet>(&mut group, &order, &members, scores);
        rival::<TreeAndMap>(&mut group, &order, &members, scores);
        group.finish();
    }
}

criterion_group!(benches, million, small);
criterion_main!(benches);
