//! Bloom filters: adding and asking for u64 keys at 1 %, beside the plain algorithm and other crates.
//!
//! `classic` is RedisBloom's way in plain Rust: two whole hashes, a division for each probe, a look after each. The other
//! crates have hashes and layouts of their own, and seven probes where a scaling filter has eight.
//!
//! 10 million keys, and 100 million in filters that do not scale where `BLOOM_HUGE` is set.
#![expect(clippy::unwrap_used, reason = "a benchmark: what fails here stops it")]

use std::cell::{Cell, RefCell};
use std::hint::black_box;
use std::ops::Range;

use bloom::{BloomFilter, Settings};
use criterion::measurement::WallTime;
use criterion::{
    BatchSize, BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use testkit::rng::Rng;

/// Keys of a turn: few enough to stay in the caches while a turn is prepared, unlike the filter.
const TURN: u64 = 20_000;

type Key = [u8; 8];

/// The keys of these numbers: no two alike, and in no order.
fn keys(numbers: Range<u64>) -> Vec<Key> {
    numbers.map(|n| Rng::new(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).u64().to_le_bytes()).collect()
}

/// RedisBloom's algorithm with nothing done to it.
struct Classic {
    bytes: Vec<u8>,
    bits: u64,
    hashes: u64,
}

impl Classic {
    fn new(like: &BloomFilter) -> Self {
        let link = like.links().next().unwrap();
        let bytes = vec![0; link.as_bytes().len()];
        Self { bytes, bits: link.bits(), hashes: link.hashes().into() }
    }

    fn hash(item: &[u8], seed: u64) -> u64 {
        const MULTIPLIER: u64 = 0xc6a4_a793_5bd1_e995;
        let mut h = seed ^ (item.len() as u64).wrapping_mul(MULTIPLIER);
        let (words, tail) = item.as_chunks::<8>();
        assert!(tail.is_empty());
        for word in words {
            let mut k = u64::from_le_bytes(*word).wrapping_mul(MULTIPLIER);
            k ^= k >> 47;
            h = (h ^ k.wrapping_mul(MULTIPLIER)).wrapping_mul(MULTIPLIER);
        }
        h = (h ^ (h >> 47)).wrapping_mul(MULTIPLIER);
        h ^ (h >> 47)
    }

    fn places(&self, item: &[u8]) -> impl Iterator<Item = (usize, u8)> + use<> {
        let first = Self::hash(item, 0xc6a4_a793_5bd1_e995);
        let second = Self::hash(item, first);
        let bits = self.bits;
        (0..self.hashes).map(move |i| {
            let bit = first.wrapping_add(i.wrapping_mul(second)) % bits;
            (usize::try_from(bit / 8).unwrap(), 1 << (bit % 8))
        })
    }

    fn contains(&self, item: &[u8]) -> bool {
        self.places(item).all(|(at, mask)| self.bytes[at] & mask != 0)
    }

    fn add(&mut self, item: &[u8]) -> bool {
        let mut new = false;
        for (at, mask) in self.places(item) {
            new |= self.bytes[at] & mask == 0;
            self.bytes[at] |= mask;
        }
        new
    }
}

/// What takes part.
struct Contender<F> {
    name: &'static str,
    make: Box<dyn Fn() -> F>,
    /// Both tell how many keys were new, or there; the crates that do not tell may say any number.
    add: fn(&mut F, &[Key]) -> usize,
    ask: fn(&F, &[Key]) -> usize,
}

impl<F> Contender<F> {
    fn race(&self, group: &mut Groups<'_>, count: u64) {
        let filter = RefCell::new((self.make)());
        let next = Cell::new(0);
        let turn = |first: u64, wrap: u64| {
            let start = next.get();
            next.set((start + TURN) % wrap);
            (start, keys(first + start..first + start + TURN))
        };
        group.bench(self.name, "add", count, |b| {
            next.set(0);
            b.iter_batched(
                || {
                    let (start, keys) = turn(0, count);
                    if start == 0 {
                        *filter.borrow_mut() = (self.make)();
                    }
                    keys
                },
                |keys| (self.add)(&mut filter.borrow_mut(), &keys),
                BatchSize::PerIteration,
            );
        });
        let mut full = (self.make)();
        for start in (0..count).step_by(usize::try_from(TURN).unwrap()) {
            (self.add)(&mut full, &keys(start..start + TURN));
        }
        assert_eq!((self.ask)(&full, &keys(0..TURN)) as u64, TURN);
        let wrong = (self.ask)(&full, &keys(count..count + TURN)) as u64;
        assert!(wrong < TURN / 50, "{}: {wrong} of {TURN}", self.name);
        for (name, first) in [("hit", 0), ("miss", count)] {
            next.set(0);
            group.bench(self.name, name, count, |b| {
                b.iter_batched(
                    || turn(first, count).1,
                    |keys| (self.ask)(black_box(&full), &keys),
                    BatchSize::PerIteration,
                );
            });
        }
    }
}

struct Groups<'a>(&'a mut Criterion);

impl Groups<'_> {
    fn bench(
        &mut self,
        name: &str,
        work: &str,
        count: u64,
        run: impl FnMut(&mut criterion::Bencher<'_, WallTime>),
    ) {
        let millions = count / 1_000_000;
        let mut group: BenchmarkGroup<'_, WallTime> =
            self.0.benchmark_group(format!("bloom/{millions} million, {work}"));
        group.throughput(Throughput::Elements(TURN));
        let mut run = run;
        group.bench_function(BenchmarkId::from_parameter(name), |b| run(b));
        group.finish();
    }
}

fn add_batches<const N: usize>(filter: &mut BloomFilter, keys: &[Key]) -> usize {
    let mut answers = Vec::with_capacity(N);
    let mut new = 0;
    for keys in keys.chunks(N) {
        answers.clear();
        filter.add_many(keys, &mut answers).unwrap();
        new += answers.iter().filter(|&&new| new).count();
    }
    new
}

fn ask_batches<const N: usize>(filter: &BloomFilter, keys: &[Key]) -> usize {
    let mut answers = Vec::with_capacity(N);
    let mut there = 0;
    for keys in keys.chunks(N) {
        answers.clear();
        filter.contains_many(keys, &mut answers);
        there += answers.iter().filter(|&&there| there).count();
    }
    there
}

fn all(c: &mut Criterion, count: u64, settings: Settings) {
    let mut groups = Groups(c);
    let make = move || settings.build().unwrap();
    Contender {
        name: "tallis",
        make: Box::new(make),
        // A full filter has new keys too: those that are taken for others are not counted.
        add: |f, keys| keys.iter().filter(|key| f.add(*key).unwrap_or(false)).count(),
        ask: |f, keys| keys.iter().filter(|key| f.contains(*key)).count(),
    }
    .race(&mut groups, count);
    Contender {
        name: "tallis, batches of 100",
        make: Box::new(make),
        add: add_batches::<100>,
        ask: ask_batches::<100>,
    }
    .race(&mut groups, count);
    Contender {
        name: "tallis, batches of 32",
        make: Box::new(make),
        add: add_batches::<32>,
        ask: ask_batches::<32>,
    }
    .race(&mut groups, count);
    let capacity = usize::try_from(count).unwrap();
    Contender {
        name: "fastbloom",
        make: Box::new(move || {
            fastbloom::BloomFilter::with_false_pos(0.01).expected_items(capacity)
        }),
        add: |f, keys| keys.iter().filter(|key| f.insert(&u64::from_le_bytes(**key))).count(),
        ask: |f, keys| keys.iter().filter(|key| f.contains(&u64::from_le_bytes(**key))).count(),
    }
    .race(&mut groups, count);
    Contender {
        name: "bloomfilter",
        make: Box::new(move || bloomfilter::Bloom::new_for_fp_rate(capacity, 0.01).unwrap()),
        add: |f, keys| {
            for key in keys {
                f.set(&u64::from_le_bytes(*key));
            }
            keys.len()
        },
        ask: |f, keys| keys.iter().filter(|key| f.check(&u64::from_le_bytes(**key))).count(),
    }
    .race(&mut groups, count);
    Contender {
        name: "classic",
        make: Box::new(move || Classic::new(&settings.build().unwrap())),
        add: |f, keys| keys.iter().filter(|key| f.add(*key)).count(),
        ask: |f, keys| keys.iter().filter(|key| f.contains(*key)).count(),
    }
    .race(&mut groups, count);
}

fn filters(c: &mut Criterion) {
    all(c, 10_000_000, Settings::new(10_000_000, 0.01));
    if std::env::var_os("BLOOM_HUGE").is_some() {
        all(c, 100_000_000, Settings::new(100_000_000, 0.01).non_scaling());
    }
}

fn hash(c: &mut Criterion) {
    let mut group = c.benchmark_group("bloom/hash");
    let text = b"0f6c2d9e-1b1c-4c58-9a4e-3f2b7a9d8c1e, and a good deal more of text behind it";
    for len in [8, 16, 36, 76] {
        group.bench_function(format!("{len} bytes"), |b| {
            b.iter(|| bloom::ItemHash::of(black_box(&text[..len])));
        });
    }
    group.finish();
}

criterion_group!(benches, filters, hash);
criterion_main!(benches);
