//! A list of a million elements of 16 bytes, with plain and with compressed inner nodes, compared with a plain
//! double-ended queue of byte strings.
//!
//! Each turn queries other elements than the last, in random order. The bytes of each structure are printed first.
#![expect(clippy::cast_precision_loss, reason = "the bytes per element are only printed")]

use std::collections::VecDeque;
use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use quicklist::{Limits, QuickList};
use testkit::alloc::Counting;
use testkit::rng::Rng;

#[global_allocator]
static ALLOCATOR: Counting = Counting::paused();

const ELEMENTS: usize = 1_000_000;
/// Calls per turn.
const TURN: usize = 10_000;
/// Elements in a range.
const RANGE: usize = 100;

type Queue = VecDeque<Vec<u8>>;

fn element(number: usize) -> [u8; 16] {
    let text = format!("element:{number:08}");
    text.as_bytes().try_into().expect("sixteen bytes")
}

fn elements() -> Vec<[u8; 16]> {
    (0..ELEMENTS).map(element).collect()
}

fn list_of(elements: &[[u8; 16]], depth: u16) -> QuickList {
    let mut list = QuickList::new(Limits { depth, ..Limits::default() });
    for element in elements {
        list.push_back(element).expect("room");
    }
    list
}

fn queue_of(elements: &[[u8; 16]]) -> Queue {
    elements.iter().map(|element| element.to_vec()).collect()
}

/// Indices for successive turns.
struct Turns {
    rng: Rng,
    most: usize,
}

impl Turns {
    fn next(&mut self) -> Vec<usize> {
        (0..TURN).map(|_| self.rng.index(self.most)).collect()
    }
}

fn turns(most: usize) -> Turns {
    Turns { rng: Rng::new(3), most }
}

fn fill(c: &mut Criterion) {
    let elements = elements();
    let sizes = [
        ("quicklist", ALLOCATOR.counting(|| list_of(&elements, 0)).1),
        ("quicklist_compressed", ALLOCATOR.counting(|| list_of(&elements, 1)).1),
        ("vec_deque", ALLOCATOR.counting(|| queue_of(&elements)).1),
    ];
    for (name, bytes) in sizes {
        println!("{name}: {:.2} bytes an element", bytes as f64 / ELEMENTS as f64);
    }
    let mut group = c.benchmark_group("quicklist/push_back");
    group.sample_size(10).throughput(Throughput::Elements(ELEMENTS as u64));
    group.bench_function("quicklist", |b| b.iter(|| list_of(black_box(&elements), 0)));
    group.bench_function("quicklist_compressed", |b| b.iter(|| list_of(black_box(&elements), 1)));
    group.bench_function("vec_deque", |b| b.iter(|| queue_of(black_box(&elements))));
    group.finish();
}

/// Queries each structure by index and by range.
fn ask(c: &mut Criterion) {
    let elements = elements();
    let lists =
        [("quicklist", list_of(&elements, 0)), ("quicklist_compressed", list_of(&elements, 1))];
    let queue = queue_of(&elements);

    let mut group = c.benchmark_group("quicklist/get");
    group.throughput(Throughput::Elements(TURN as u64));
    for (name, list) in &lists {
        let read = |at: usize| list.get(at).map_or(0, |element| element.with_bytes(<[u8]>::len));
        let mut turns = turns(ELEMENTS);
        group.bench_function(*name, |b| {
            b.iter_batched(|| turns.next(), |at| sum(&at, read), BatchSize::LargeInput);
        });
    }
    let mut from = turns(ELEMENTS);
    group.bench_function("vec_deque", |b| {
        b.iter_batched(|| from.next(), |at| sum(&at, |at| queue[at].len()), BatchSize::LargeInput);
    });
    group.finish();

    let mut group = c.benchmark_group("quicklist/range_of_100");
    group.throughput(Throughput::Elements((TURN * RANGE) as u64));
    for (name, list) in &lists {
        let read = |at: usize| {
            let mut bytes = 0;
            list.range(at..at + RANGE)
                .for_each_entry(|entry| bytes += entry.with_bytes(<[u8]>::len));
            bytes
        };
        let mut turns = turns(ELEMENTS - RANGE);
        group.bench_function(*name, |b| {
            b.iter_batched(|| turns.next(), |at| sum(&at, read), BatchSize::LargeInput);
        });
    }
    let read = |at: usize| queue.range(at..at + RANGE).map(Vec::len).sum();
    let mut from = turns(ELEMENTS - RANGE);
    group.bench_function("vec_deque", |b| {
        b.iter_batched(|| from.next(), |at| sum(&at, read), BatchSize::LargeInput);
    });
    group.finish();

    let mut group = c.benchmark_group("quicklist/search_of_all");
    group.sample_size(10).throughput(Throughput::Elements(ELEMENTS as u64));
    let last = element(ELEMENTS - 1);
    for (name, list) in &lists {
        group.bench_function(*name, |b| {
            b.iter(|| {
                let found = list.positions(black_box(&last), 0..ELEMENTS).next();
                assert_eq!(found, Some(ELEMENTS - 1));
            });
        });
    }
    group.bench_function("vec_deque", |b| {
        b.iter(|| {
            let found = queue.iter().position(|element| element == black_box(&last));
            assert_eq!(found, Some(ELEMENTS - 1));
        });
    });
    group.finish();
}

/// Returns the sum of `read` over the indices. Each call reads elements of 16 bytes.
fn sum(at: &[usize], read: impl Fn(usize) -> usize) -> usize {
    let bytes = at.iter().map(|&at| read(at)).sum();
    assert!(bytes >= 16 * TURN);
    bytes
}

/// Modifies each structure at inner positions and at its ends.
fn change(c: &mut Criterion) {
    let elements = elements();
    let mut group = c.benchmark_group("quicklist/set");
    group.throughput(Throughput::Elements(TURN as u64));
    for (name, depth) in [("quicklist", 0), ("quicklist_compressed", 1)] {
        let mut list = list_of(&elements, depth);
        let mut turns = turns(ELEMENTS);
        group.bench_function(name, |b| {
            b.iter_batched(
                || turns.next(),
                |at| at.iter().for_each(|&at| list.set(at, &elements[0]).expect("an element")),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();

    let mut group = c.benchmark_group("quicklist/insert_and_delete_inside");
    group.sample_size(10).throughput(Throughput::Elements(TURN as u64));
    let mut list = list_of(&elements, 0);
    let mut from = turns(ELEMENTS);
    group.bench_function("quicklist", |b| {
        b.iter_batched(
            || from.next(),
            |turn| {
                for at in turn {
                    list.insert(at, &elements[0]).expect("room");
                    assert_eq!(list.delete_range(at, 1), 1);
                }
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();

    let mut group = c.benchmark_group("quicklist/first_in_first_out");
    group.throughput(Throughput::Elements(TURN as u64));
    let mut list = list_of(&elements[..TURN], 0);
    group.bench_function("quicklist", |b| {
        b.iter(|| {
            for element in &elements[..TURN] {
                list.push_back(element).expect("room");
                assert!(list.pop_front().is_some());
            }
        });
    });
    let mut queue = queue_of(&elements[..TURN]);
    group.bench_function("vec_deque", |b| {
        b.iter(|| {
            for element in &elements[..TURN] {
                queue.push_back(element.to_vec());
                assert!(queue.pop_front().is_some());
            }
        });
    });
    group.finish();
}

criterion_group!(benches, fill, ask, change);
criterion_main!(benches);
