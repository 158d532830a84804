//! RDB files: writing and reading small strings and intset blobs; LZF; CRC-64.

use std::{hint::black_box, time::Duration};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rdb::{
    Attributes, Blob, ReadOptions, Reader, Record, StringValue, Value, WriteOptions, Writer, crc64,
    dump, lzf,
};

const STRINGS: u64 = 1_000_000;
const BLOBS: u64 = 8_192;
const MEMBERS: u64 = 127;

/// Returns pseudorandom numbers, the same in every run.
fn noise(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state ^ (state >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }
}

/// Returns an intset of 60-bit ids, 1 KiB.
fn intset(seed: u64) -> Vec<u8> {
    let mut ids: Vec<u64> =
        std::iter::repeat_with(noise(seed)).map(|id| id >> 4).take(127).collect();
    ids.sort_unstable();
    let mut blob = b"\x08\0\0\0\x7f\0\0\0".to_vec();
    for id in ids {
        blob.extend_from_slice(&id.to_le_bytes());
    }
    assert_eq!(blob.len() as u64, 8 + 8 * MEMBERS);
    blob
}

fn write_strings(options: WriteOptions) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), options).expect("writing to memory does not fail");
    let (mut key, mut value) = (*b"key:00000000", *b"value-00000000");
    for number in 0..STRINGS {
        let digits = (10_000_000 + number).to_string();
        key[4..].copy_from_slice(digits.as_bytes());
        value[6..].copy_from_slice(digits.as_bytes());
        writer
            .key(&key, Attributes::default())
            .string(&value)
            .expect("writing to memory does not fail");
    }
    writer.finish().expect("writing to memory does not fail")
}

fn write_blobs(blobs: &[Vec<u8>], options: WriteOptions) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), options).expect("writing to memory does not fail");
    for (number, blob) in blobs.iter().enumerate() {
        let key = format!("unique:2015-05-17:{number}");
        writer
            .key(key.as_bytes(), Attributes::default())
            .blob(Blob::IntSet, blob)
            .expect("writing to memory does not fail");
    }
    writer.finish().expect("writing to memory does not fail")
}

/// Returns the number of keys, and the bytes of their values.
fn read(file: &[u8], checksum: bool) -> (u64, u64) {
    let options = ReadOptions { length: Some(file.len() as u64), checksum };
    let mut reader = Reader::with_options(file, options).expect("the file is valid");
    let (mut keys, mut bytes) = (0, 0);
    while let Some(record) = reader.next_record().expect("the file is valid") {
        let Record::Key { key, .. } = record else { continue };
        black_box(key);
        keys += 1;
        let value = reader.value().expect("the file is valid");
        let (Value::String(StringValue::Bytes(value)) | Value::Blob(_, value)) = value else {
            panic!("{value:?} was not written")
        };
        bytes += value.len() as u64;
    }
    (keys, bytes)
}

fn files(c: &mut Criterion) {
    let plain = WriteOptions { compression: false, ..WriteOptions::default() };
    let unchecked = WriteOptions { checksum: false, ..plain };
    let strings = write_strings(plain);
    let blobs: Vec<_> = (0..BLOBS).map(intset).collect();
    let packed = write_blobs(&blobs, plain);
    assert_eq!(read(&strings, true), (STRINGS, STRINGS * 14));
    assert_eq!(read(&packed, true), (BLOBS, BLOBS * 1024));

    let mut group = c.benchmark_group("rdb");
    group.sample_size(10).warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Bytes(strings.len() as u64));
    group.bench_function("write 1M strings", |b| {
        b.iter(|| write_strings(black_box(WriteOptions::default())));
    });
    group.bench_function("read 1M strings", |b| b.iter(|| read(black_box(&strings), true)));
    group.throughput(Throughput::Bytes(packed.len() as u64));
    let ways = [("", WriteOptions::default()), (", plain", plain), (", plain, no crc", unchecked)];
    for (name, options) in ways {
        group.bench_function(format!("write 8192 intsets{name}"), |b| {
            b.iter(|| write_blobs(black_box(&blobs), options));
        });
    }
    group.bench_function("read 8192 intsets", |b| b.iter(|| read(black_box(&packed), true)));
    group.bench_function("read 8192 intsets, no crc", |b| {
        b.iter(|| read(black_box(&packed), false));
    });
    group.throughput(Throughput::Bytes(1024));
    group.bench_function("dump an intset", |b| {
        b.iter(|| dump::encode(plain, |value| value.blob(Blob::IntSet, black_box(&blobs[0]))));
    });
    let payload =
        dump::encode(plain, |value| value.blob(Blob::IntSet, &blobs[0])).expect("one value");
    group.bench_function("restore an intset", |b| {
        b.iter(|| {
            let mut payload = dump::decode(black_box(&payload)).expect("the payload is valid");
            assert!(matches!(payload.value(), Ok(Value::Blob(..))));
        });
    });
    group.finish();
}

/// Returns words as in logs and texts, 64 KiB.
fn text() -> Vec<u8> {
    let words = ["GET", "/index.html", "200", "mozilla", "like", "gecko", "the", "visitor", "of"];
    let mut next = noise(1);
    let mut text = Vec::new();
    while text.len() < 64 << 10 {
        let choice = usize::try_from(next() % 64).expect("small");
        match words.get(choice % 16) {
            Some(word) => text.extend_from_slice(word.as_bytes()),
            None => text.extend_from_slice((next() % 100_000).to_string().as_bytes()),
        }
        text.push(b' ');
    }
    text.truncate(64 << 10);
    text
}

fn lzf_and_crc(c: &mut Criterion) {
    let mut group = c.benchmark_group("lzf");
    group.sample_size(20).warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(1));
    let cases = [
        ("text 64 KiB", text()),
        ("zeros 64 KiB", vec![0; 64 << 10]),
        ("intset 1 KiB", intset(1)),
        ("text 100 B", text()[..100].to_vec()),
    ];
    for (name, plain) in &cases {
        let mut compressor = lzf::Compressor::new();
        let mut stream = Vec::new();
        group.throughput(Throughput::Bytes(plain.len() as u64));
        group.bench_with_input(BenchmarkId::new("compress", name), plain, |b, plain| {
            b.iter(|| compressor.compress(black_box(plain), plain.len() - 4, &mut stream));
        });
        if !compressor.compress(plain, plain.len() - 4, &mut stream) {
            continue;
        }
        println!("{name}: {} bytes", stream.len());
        let len = plain.len() as u64;
        assert_eq!(&lzf::decompress(&stream, len).expect("the stream is valid"), plain);
        let mut out = Vec::new();
        group.bench_with_input(BenchmarkId::new("decompress", name), &stream, |b, stream| {
            b.iter(|| lzf::decompress_into(black_box(stream), len, &mut out));
        });
        group.bench_with_input(BenchmarkId::new("check", name), &stream, |b, stream| {
            b.iter(|| lzf::check(black_box(stream), len));
        });
    }
    group.finish();

    let mut group = c.benchmark_group("crc64");
    group.sample_size(20).warm_up_time(Duration::from_millis(300));
    group.measurement_time(Duration::from_secs(1));
    for len in [13, 100, 1_034, 65_536] {
        let bytes = vec![7; len];
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_with_input(BenchmarkId::from_parameter(len), &bytes, |b, bytes| {
            b.iter(|| crc64(black_box(bytes)));
        });
    }
    group.finish();
}

criterion_group!(benches, files, lzf_and_crc);
criterion_main!(benches);
