//! The integer set compared with a plain sorted vector, the standard library's tree, and Redis's algorithm.
//!
//! Compare only figures of one run: `redis_algorithm` represents Redis's own C code on the same ids.

use std::collections::BTreeSet;
use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use intset::{Count, IntSet};
use tallis_benches::classic::intset::ClassicIntSet;
use testkit::rng::Rng;

/// Members of a full set: Redis's default limit.
const FULL: usize = 512;
/// The number of sets that together exceed the cache of a core.
const MANY: usize = 2_000;
/// The number of sets that are filled in turn, so that the branch predictor does not learn the ids of one.
const FILLS: usize = 256;

/// The operations that are measured.
trait Rival: Default {
    const NAME: &str;

    fn add(&mut self, value: i64) -> bool;

    fn has(&self, value: i64) -> bool;
}

impl Rival for IntSet {
    const NAME: &str = "intset";

    fn add(&mut self, value: i64) -> bool {
        self.insert(value)
    }

    fn has(&self, value: i64) -> bool {
        self.contains(value)
    }
}

impl Rival for ClassicIntSet {
    const NAME: &str = "redis_algorithm";

    fn add(&mut self, value: i64) -> bool {
        self.insert(value)
    }

    fn has(&self, value: i64) -> bool {
        self.contains(value)
    }
}

impl Rival for Vec<i64> {
    const NAME: &str = "sorted_vec";

    fn add(&mut self, value: i64) -> bool {
        let Err(at) = self.binary_search(&value) else { return false };
        self.insert(at, value);
        true
    }

    fn has(&self, value: i64) -> bool {
        self.binary_search(&value).is_ok()
    }
}

impl Rival for BTreeSet<i64> {
    const NAME: &str = "btree_set";

    fn add(&mut self, value: i64) -> bool {
        self.insert(value)
    }

    fn has(&self, value: i64) -> bool {
        self.contains(&value)
    }
}

/// Random numbers from a fixed seed.
struct Random(Rng);

impl Random {
    /// Returns the id of a visitor: 60 bits.
    fn id(&mut self) -> i64 {
        (self.0.u64() >> 4).cast_signed()
    }

    fn below(&mut self, end: usize) -> usize {
        self.0.index(end)
    }
}

fn ids(random: &mut Random, count: usize) -> Vec<i64> {
    (0..count).map(|_| random.id()).collect()
}

fn filled<R: Rival>(ids: &[i64]) -> R {
    let mut set = R::default();
    let added = ids.iter().filter(|&&id| set.add(id)).count();
    assert_eq!(added, ids.len(), "random ids are distinct");
    set
}

fn fill(c: &mut Criterion) {
    fn rival<R: Rival>(group: &mut Group<'_>, sequences: &[Vec<i64>]) {
        let mut turn = sequences.iter().cycle();
        group.bench_function(R::NAME, |b| {
            b.iter_batched(
                || turn.next().map_or(&[][..], Vec::as_slice),
                filled::<R>,
                BatchSize::SmallInput,
            );
        });
    }
    for members in [122, FULL] {
        let mut random = Random(Rng::new(1));
        let sequences: Vec<_> = (0..FILLS).map(|_| ids(&mut random, members)).collect();
        let mut group = c.benchmark_group(format!("intset/fill_{members}"));
        group.throughput(Throughput::Elements(members as u64));
        rival::<IntSet>(&mut group, &sequences);
        rival::<ClassicIntSet>(&mut group, &sequences);
        rival::<Vec<i64>>(&mut group, &sequences);
        rival::<BTreeSet<i64>>(&mut group, &sequences);
        group.finish();
    }
}

type Group<'a> = criterion::BenchmarkGroup<'a, criterion::measurement::WallTime>;

/// Returns pairs of a set and a value to look up. Half of the values are members.
fn questions(random: &mut Random, members: &[Vec<i64>], count: usize) -> Vec<(usize, i64)> {
    (0..count)
        .map(|turn| {
            let set = random.below(members.len());
            let member = members[set][random.below(members[set].len())];
            (set, if turn % 2 == 0 { member } else { random.id() })
        })
        .collect()
}

fn contains(c: &mut Criterion) {
    fn rival<R: Rival>(group: &mut Group<'_>, members: &[Vec<i64>], questions: &[(usize, i64)]) {
        let sets: Vec<R> = members.iter().map(|ids| filled(ids)).collect();
        group.bench_function(R::NAME, |b| {
            b.iter(|| {
                let hits = questions.iter().filter(|(set, value)| sets[*set].has(*value)).count();
                assert_eq!(black_box(hits), questions.len() / 2);
            });
        });
    }
    for (name, sets, size) in [
        ("contains_512_in_one_set", 1, FULL),
        ("contains_512_in_2000_sets", MANY, FULL),
        ("contains_122_in_8192_sets", 8_192, 122),
    ] {
        let mut random = Random(Rng::new(2));
        let members: Vec<_> = (0..sets).map(|_| ids(&mut random, size)).collect();
        let questions = {
            // In random order, so that the branch predictor does not learn it.
            let mut questions = questions(&mut random, &members, 50_000);
            for last in (1..questions.len()).rev() {
                questions.swap(last, random.below(last + 1));
            }
            questions
        };
        let mut group = c.benchmark_group(format!("intset/{name}"));
        group.throughput(Throughput::Elements(questions.len() as u64));
        rival::<IntSet>(&mut group, &members, &questions);
        rival::<ClassicIntSet>(&mut group, &members, &questions);
        rival::<Vec<i64>>(&mut group, &members, &questions);
        rival::<BTreeSet<i64>>(&mut group, &members, &questions);
        group.finish();
    }
}

fn intersection(c: &mut Criterion) {
    for (name, sizes) in [("512_and_512", [FULL, FULL]), ("8_and_512", [8, FULL])] {
        let mut random = Random(Rng::new(3));
        let shared = ids(&mut random, 4);
        let members = sizes.map(|size| [ids(&mut random, size - 4), shared.clone()].concat());
        let [a, b] = members.clone().map(IntSet::from_iter);
        let [tree_a, tree_b] = members.map(BTreeSet::from_iter);
        let mut group = c.benchmark_group(format!("intset/count_intersection_{name}"));
        group.bench_function("intset", |bench| {
            bench.iter(|| {
                let mut count = Count::default();
                black_box(&a).intersection(black_box(&b), &mut count);
                assert_eq!(count, Count(4));
            });
        });
        group.bench_function("btree_set", |bench| {
            bench.iter(|| {
                assert_eq!(black_box(&tree_a).intersection(black_box(&tree_b)).count(), 4);
            });
        });
        group.finish();
    }
}

criterion_group!(benches, fill, contains, intersection);
criterion_main!(benches);
