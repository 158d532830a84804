//! The append-only log: writing commands, and reading them again.
//!
//! For comparison, the two steps that no reader or writer can avoid: a copy of the bytes, and a search for the line
//! ends.

use std::hint::black_box;

use aof::{LogReader, LogWriter, Manifest, Record};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use testkit::rng::Rng;

/// The number of commands in a log.
const COMMANDS: usize = 100_000;

fn write(commands: &[Vec<Vec<u8>>], log: &mut Vec<u8>) {
    log.clear();
    let mut writer = LogWriter::new();
    for words in commands {
        writer.command(0, words, log);
    }
}

/// Counts the words and their bytes.
fn read(log: &[u8]) -> (usize, usize) {
    let mut reader = LogReader::new(log);
    let (mut words, mut bytes) = (0, 0);
    while let Some(record) = reader.next_record().expect("the log is complete") {
        if let Record::Command(command) = record {
            words += command.words().len();
            bytes += command.words().iter().map(|word| word.len()).sum::<usize>();
        }
    }
    (words, bytes)
}

fn logs(c: &mut Criterion) {
    let mut rng = Rng::new(7);
    let mut commands = |words: &[&str], len: usize| -> Vec<Vec<Vec<u8>>> {
        let fixed: Vec<Vec<u8>> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        (0..COMMANDS)
            .map(|_| {
                let text = format!("{:0len$}", rng.below(1 << 30)).into_bytes();
                fixed.iter().cloned().chain([text]).collect()
            })
            .collect()
    };
    for (name, commands) in [
        ("SADD of an id", commands(&["SADD", "visitors"], 1)),
        ("SET of 1000 bytes", commands(&["SET", "k"], 1000)),
        ("RPUSH of 18 elements", commands(&[&["RPUSH", "k"][..], &["e"; 17]].concat(), 1)),
    ] {
        let mut log = Vec::new();
        write(&commands, &mut log);
        let words: usize = commands.iter().map(Vec::len).sum();
        let bytes: usize = commands.iter().flatten().map(Vec::len).sum();
        // The log also has a SELECT.
        assert_eq!(read(&log), (words + 2, bytes + 7));

        let mut group = c.benchmark_group(format!("aof/{name}"));
        group.throughput(Throughput::Bytes(log.len() as u64));
        let mut out = Vec::new();
        group.bench_function("write", |b| b.iter(|| write(black_box(&commands), &mut out)));
        group.bench_function("copy", |b| {
            b.iter(|| {
                out.clear();
                out.extend_from_slice(black_box(&log));
            });
        });
        group.bench_function("read", |b| b.iter(|| read(black_box(&log))));
        group.bench_function("find line feeds", |b| {
            b.iter(|| black_box(&log).split(|&byte| byte == b'\n').count());
        });
        group.finish();
    }
}

fn manifests(c: &mut Criterion) {
    let mut manifest = Manifest::new();
    for _ in 0..10 {
        manifest.add_increment(b"appendonly.aof").expect("a valid name");
    }
    let text = manifest.to_bytes();
    c.bench_function("aof/manifest of 10 files", |b| {
        b.iter(|| Manifest::parse(black_box(&text)).expect("the manifest is complete"));
    });
}

criterion_group!(benches, logs, manifests);
criterion_main!(benches);
