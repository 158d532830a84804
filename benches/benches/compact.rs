//! A million ids of 60 bits, in shards by their high bits: compact sets compared with intsets, and with a static
//! Elias-Fano code of all ids.
//!
//! The ids are random, or the first 60 bits of random UUIDs of version 4, which fix 4 of these bits. Each turn queries
//! other ids than the last, in random order. The bytes of each structure, allocator overhead included, are printed
//! first. The bound is the information in the set of ids: the logarithm of the number of such sets.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]
#![expect(clippy::cast_precision_loss, reason = "the bytes per id are only printed")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use intset::{Compact, IntSet, Prefix};
use tallis_benches::inputs::Turns;
use testkit::alloc::Counting;
use testkit::rng::Rng;
use vers_vecs::EliasFanoVec;

#[global_allocator]
static ALLOCATOR: Counting = Counting::paused();

const IDS: usize = 1_000_000;
/// Bits of an id.
const WIDTH: u32 = 60;
/// Calls per turn.
const TURN: usize = 50_000;
/// The number of bits that select a shard, for 244 or 488 ids in each.
const SHARD_BITS: [u32; 2] = [12, 11];

/// One shard of ids.
trait Shard {
    const NAME: &str;

    /// Returns an empty shard.
    fn new(prefix: Prefix) -> Self;

    fn add(&mut self, id: i64) -> bool;

    fn has(&self, id: i64) -> bool;

    fn remove(&mut self, id: i64) -> bool;
}

impl Shard for Compact {
    const NAME: &str = "compact";

    fn new(prefix: Prefix) -> Self {
        Self::new(prefix)
    }

    fn add(&mut self, id: i64) -> bool {
        self.try_insert(id).unwrap()
    }

    fn has(&self, id: i64) -> bool {
        self.contains(id)
    }

    fn remove(&mut self, id: i64) -> bool {
        self.remove(id)
    }
}

impl Shard for IntSet {
    const NAME: &str = "intset";

    fn new(_: Prefix) -> Self {
        Self::new()
    }

    fn add(&mut self, id: i64) -> bool {
        self.insert(id)
    }

    fn has(&self, id: i64) -> bool {
        self.contains(id)
    }

    fn remove(&mut self, id: i64) -> bool {
        self.remove(id)
    }
}

/// Ids of one kind.
struct Input {
    name: &'static str,
    /// The number of random bits in an id.
    random_bits: u32,
    ids: Vec<i64>,
    /// Ids to query, in random order. Half of them are not in the set.
    asked: Vec<i64>,
}

impl Input {
    fn new(name: &'static str, random_bits: u32, id: fn(u64) -> u64) -> Self {
        let mut rng = Rng::new(21);
        let mut draw = || (id(rng.u64()) >> (u64::BITS - WIDTH)).cast_signed();
        let ids: Vec<i64> = (0..IDS).map(|_| draw()).collect();
        let mut asked: Vec<i64> = (0..IDS / 2).map(|_| draw()).collect();
        asked.extend(&ids[..IDS / 2]);
        rng.shuffle(&mut asked);
        Self { name, random_bits, ids, asked }
    }

    /// Returns the information per id of the set, in bytes.
    fn bound(&self) -> f64 {
        // The logarithm of the binomial coefficient, from its first terms.
        let each = f64::from(self.random_bits) - (IDS as f64).log2() + std::f64::consts::LOG2_E;
        each / 8.0
    }

    fn filled<S: Shard>(&self, bits: u32) -> Vec<S> {
        let width = WIDTH - bits;
        let mut shards: Vec<S> =
            (0..1_i64 << bits).map(|high| S::new(Prefix::new(high << width, width))).collect();
        let added = self.ids.iter().filter(|id| shards[shard_of(**id, bits)].add(**id)).count();
        assert_eq!(added, IDS, "random ids are distinct");
        shards
    }
}

fn shard_of(id: i64, bits: u32) -> usize {
    usize::try_from(id >> (WIDTH - bits)).unwrap()
}

type Group<'a> = criterion::BenchmarkGroup<'a, criterion::measurement::WallTime>;

fn shards<S: Shard>(group: &mut Group<'_>, input: &Input, bits: u32) {
    let name = format!("{}, {} in a shard", S::NAME, IDS >> bits);
    let (mut shards, bytes) = ALLOCATOR.counting(|| input.filled::<S>(bits));
    // The structs themselves lie in the owner's table.
    let bytes = bytes - size_of::<S>() * shards.capacity();
    println!("{}, {name}: {:.3} bytes an id", input.name, bytes as f64 / IDS as f64);

    group.sample_size(10).throughput(Throughput::Elements(IDS as u64));
    group.bench_function(format!("add, {name}"), |b| {
        b.iter_batched(|| (), |()| input.filled::<S>(bits), BatchSize::PerIteration);
    });
    group.sample_size(40).throughput(Throughput::Elements(TURN as u64));
    let mut turns = Turns::new(TURN, IDS);
    group.bench_function(format!("contains, {name}"), |b| {
        b.iter(|| {
            let asked = &input.asked[turns.turn()];
            black_box(asked.iter().filter(|id| shards[shard_of(**id, bits)].has(**id)).count())
        });
    });
    let mut turns = Turns::new(TURN, IDS);
    group.bench_function(format!("remove and add again, {name}"), |b| {
        b.iter(|| {
            for &id in &input.ids[turns.turn()] {
                let shard = &mut shards[shard_of(id, bits)];
                assert!(shard.remove(id) && shard.add(id));
            }
        });
    });
}

/// Measures one immutable code of all ids, by the crate `vers-vecs`, with the index for its searches.
fn elias_fano(group: &mut Group<'_>, input: &Input) {
    let mut sorted: Vec<u64> = input.ids.iter().map(|id| id.cast_unsigned()).collect();
    sorted.sort_unstable();
    let (code, bytes) = ALLOCATOR.counting(|| EliasFanoVec::from_slice(&sorted));
    println!("{}, static Elias-Fano: {:.3} bytes an id", input.name, bytes as f64 / IDS as f64);
    let mut turns = Turns::new(TURN, IDS);
    group.bench_function("contains, static Elias-Fano", |b| {
        b.iter(|| {
            let asked = input.asked[turns.turn()].iter().map(|id| id.cast_unsigned());
            black_box(asked.filter(|id| code.predecessor(*id) == Some(*id)).count())
        });
    });
}

fn ids(c: &mut Criterion) {
    let inputs = [
        Input::new("random ids", 60, |bits| bits),
        Input::new("uuids", 56, |bits| bits & !0xf000 | 0x4000),
    ];
    for input in inputs {
        println!("{}, bound: {:.3} bytes an id", input.name, input.bound());
        let mut group = c.benchmark_group(format!("compact/{}", input.name));
        for bits in SHARD_BITS {
            shards::<Compact>(&mut group, &input, bits);
            shards::<IntSet>(&mut group, &input, bits);
        }
        elias_fano(&mut group, &input);
        group.finish();
    }
}

criterion_group!(benches, ids);
criterion_main!(benches);
