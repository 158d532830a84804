//! Bitmaps, bit fields and packed records, each compared with a plain loop in the same run.
//!
//! "A plain read" adds up the words of the same memory: no work that reads every byte is faster. The plain loops are
//! written in the usual way. The compiler vectorises some of them, for the vector width that every processor of the
//! target has.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use std::hint::black_box;
use std::time::Duration;

use bitpack::bitfield::{self, FieldType, Overflow};
use bitpack::bits::{self, Op};
use bitpack::packed::{CountryCode, CountryRegionCode, Histogram, PackedView, PostalCode};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};

/// Sizes of the strings: larger than most caches, and about the size of an L2 cache.
const SIZES: [(&str, usize); 2] = [("100 MB", 100_000_000), ("1 MB", 1_000_000)];

/// Returns bytes without a pattern, the same in every run.
fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let mut bytes = vec![0; len];
    for word in bytes.as_chunks_mut::<8>().0 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *word = state.to_le_bytes();
    }
    bytes
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word))
}

fn plain_read(bytes: &[u8]) -> u64 {
    words(bytes).fold(0, u64::wrapping_add)
}

fn plain_count(bytes: &[u8]) -> u64 {
    words(bytes).map(|word| u64::from(word.count_ones())).sum()
}

fn plain_or(out: &mut [u8], a: &[u8], b: &[u8]) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = a | b;
    }
}

fn sized<'a>(c: &'a mut Criterion, what: &str, len: usize) -> BenchmarkGroup<'a, WallTime> {
    let mut group = c.benchmark_group(format!("bitpack/{what}"));
    group.sample_size(20).measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Bytes(len as u64));
    group
}

fn count(c: &mut Criterion) {
    for (size, len) in SIZES {
        let bytes = noise(1, len);
        assert_eq!(bits::count(&bytes), plain_count(&bytes));
        let mut group = sized(c, &format!("count {size}"), len);
        group.bench_function("tallis", |b| b.iter(|| bits::count(black_box(&bytes))));
        for (name, count) in bitpack::count_kernels() {
            group
                .bench_function(format!("tallis, {name}"), |b| b.iter(|| count(black_box(&bytes))));
        }
        group.bench_function("a plain read", |b| b.iter(|| plain_read(black_box(&bytes))));
        group.bench_function("a plain loop", |b| b.iter(|| plain_count(black_box(&bytes))));
        group.finish();
    }
}

fn position(c: &mut Criterion) {
    for (size, len) in SIZES {
        // Written first, so that every page has its own memory instead of the shared page of zeros.
        let mut bytes = noise(2, len);
        bytes.fill(0);
        let mut group = sized(c, &format!("position in {size} of zeros"), len);
        assert_eq!(bits::position(&bytes, true), None);
        group.bench_function("tallis", |b| b.iter(|| bits::position(black_box(&bytes), true)));
        group.bench_function("a plain read", |b| b.iter(|| plain_read(black_box(&bytes))));
        group.bench_function("a plain loop", |b| {
            b.iter(|| words(black_box(&bytes)).position(|word| word != 0));
        });
        group.finish();
    }
}

fn combine(c: &mut Criterion) {
    for (size, len) in SIZES {
        let sources: Vec<Vec<u8>> = (3..7).map(|seed| noise(seed, len)).collect();
        let sources: Vec<&[u8]> = sources.iter().map(Vec::as_slice).collect();
        let [mut out, mut plain] = [noise(7, len), noise(8, len)];
        bits::combine_into(Op::Or, &sources[..2], &mut out).unwrap();
        plain_or(&mut plain, sources[0], sources[1]);
        assert!(out == plain);
        let mut group = sized(c, &format!("or of two, {size}"), len);
        group.bench_function("tallis", |b| {
            b.iter(|| bits::combine_into(Op::Or, black_box(&sources[..2]), &mut out).unwrap());
        });
        group.bench_function("a plain loop", |b| {
            b.iter(|| plain_or(&mut plain, black_box(sources[0]), sources[1]));
        });
        group.finish();
        let mut group = sized(c, &format!("one of four, {size}"), len);
        group.bench_function("tallis", |b| {
            b.iter(|| bits::combine_into(Op::One, black_box(&sources), &mut out).unwrap());
        });
        group.finish();
    }
}

/// Reads a field bit by bit, as its definition says.
fn plain_get(bytes: &[u8], width: u64, offset: u64) -> u64 {
    (offset..offset + width).fold(0, |value, at| value << 1 | u64::from(bits::get(bytes, at)))
}

fn fields(c: &mut Criterion) {
    // As many as an L1 cache holds, in random order.
    let mut bytes = noise(9, 32 << 10);
    for name in ["u4", "i8", "i17", "u63"] {
        let field: FieldType = name.parse().unwrap();
        let number = bits::len(&bytes) / u64::from(field.bits());
        let offsets: Vec<u64> = (0..4096u64)
            .map(|at| field.nth((at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % number).unwrap())
            .collect();
        let mut group = c.benchmark_group(format!("bitpack/field {name}"));
        group.sample_size(20).measurement_time(Duration::from_secs(1));
        group.throughput(Throughput::Elements(offsets.len() as u64));
        group.bench_function("get", |b| {
            b.iter(|| {
                let get = |&offset| bitfield::get(black_box(&bytes), field, offset);
                offsets.iter().map(get).fold(0, i64::wrapping_add)
            });
        });
        group.bench_function("get, a plain loop", |b| {
            b.iter(|| {
                let get = |&at| plain_get(black_box(&bytes), field.bits().into(), at);
                offsets.iter().map(get).fold(0, u64::wrapping_add)
            });
        });
        for (mode, overflow) in [("wrap", Overflow::Wrap), ("sat", Overflow::Sat)] {
            group.bench_function(format!("add, {mode}"), |b| {
                b.iter(|| {
                    let add = |&at| bitfield::add(&mut bytes, field, at, 1, overflow).unwrap_or(0);
                    offsets.iter().map(add).fold(0, i64::wrapping_add)
                });
            });
        }
        group.finish();
    }
}

/// Returns the codes of a world of users: many are unknown, and most of the others are in one country, by region.
fn world(len: usize) -> Vec<u8> {
    let mut bytes = noise(10, len);
    for record in bytes.as_chunks_mut::<2>().0 {
        let [choice, other] = *record;
        *record = match choice {
            0..80 => [0, 0],
            80..180 => [233, other % 62 + 1],
            180..200 => [39, other % 13 + 1],
            200.. => [other % 249 + 1, 0],
        };
    }
    bytes
}

/// Returns the counts of a plain loop with one table.
fn plain_histogram<const N: usize>(bytes: &[u8], code: impl Fn([u8; N]) -> u16) -> Vec<u64> {
    let mut counts = vec![0; 0x1_0000];
    for &record in bytes.as_chunks::<N>().0 {
        counts[usize::from(code(record))] += 1;
    }
    counts
}

fn histogram(c: &mut Criterion) {
    let len = 20_000_000;
    let inputs =
        [("of the world", world(len)), ("all alike", vec![7; len]), ("noise", noise(11, len))];
    for (name, bytes) in &inputs {
        let mut group = c.benchmark_group(format!("bitpack/histogram {name}"));
        group.sample_size(10).measurement_time(Duration::from_secs(1));
        group.throughput(Throughput::Elements(len as u64 / 2));
        let mut histogram = Histogram::<CountryRegionCode>::new();
        histogram.add(PackedView::new(bytes));
        let plain = plain_histogram(bytes, u16::from_le_bytes);
        assert!(
            histogram
                .records()
                .all(|(code, count)| plain[usize::from(u16::from_le_bytes(code))] == count)
        );
        group.bench_function("2 bytes", |b| {
            b.iter(|| {
                let mut histogram = Histogram::<CountryRegionCode>::new();
                histogram.add(PackedView::new(black_box(bytes)));
                histogram
            });
        });
        group.bench_function("2 bytes, a plain loop", |b| {
            b.iter(|| plain_histogram(black_box(bytes), u16::from_le_bytes));
        });
        group.throughput(Throughput::Elements(len as u64));
        group.bench_function("1 byte", |b| {
            b.iter(|| {
                let mut histogram = Histogram::<CountryCode>::new();
                histogram.add(PackedView::new(black_box(bytes)));
                histogram
            });
        });
        group.bench_function("1 byte, a plain loop", |b| {
            b.iter(|| plain_histogram(black_box(bytes), |[code]| code.into()));
        });
        group.finish();
    }

    for (few, records) in [("few", 100), ("the most of a list", 4096), ("one more", 4097)] {
        let mut group = c.benchmark_group(format!("bitpack/histogram of {few}"));
        group.sample_size(10).measurement_time(Duration::from_secs(1));
        group.throughput(Throughput::Elements(records as u64));
        let bytes = world(2 * records);
        group.bench_function("2 bytes", |b| {
            b.iter(|| {
                let mut histogram = Histogram::<CountryRegionCode>::new();
                histogram.add(PackedView::new(black_box(&bytes)));
                histogram.records().map(|(_, count)| count).max()
            });
        });
        group.finish();
    }

    let mut group = c.benchmark_group("bitpack/histogram of postal areas");
    group.sample_size(10).measurement_time(Duration::from_secs(1));
    let mut bytes = noise(12, 3_000_000);
    for record in bytes.as_chunks_mut::<3>().0 {
        record[0] %= 2;
    }
    group.throughput(Throughput::Elements(1_000_000));
    group.bench_function("3 bytes", |b| {
        let mut histogram = Histogram::<PostalCode>::new();
        b.iter(|| histogram.add(PackedView::new(black_box(&bytes))));
    });
    group.finish();
}

criterion_group!(benches, count, position, combine, fields, histogram);
criterion_main!(benches);
