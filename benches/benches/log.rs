//! Reading access logs: the steps of `tallis uv`, one by one and together, in lines per second.

use std::hint::black_box;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use tallis::{Store, VisitorId, Visitors};
use tallis_cli::uv::{Batch, By, Every, Format, Layout, LogLine, Scanner, Source, Tally};

fn reading(c: &mut Criterion) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/access.log");
    let log = std::fs::read(path).expect("the example log is part of the repository");
    let lines: Vec<&[u8]> = log.split(|&byte| byte == b'\n').filter(|l| !l.is_empty()).collect();
    let parsed: Vec<_> =
        lines.iter().map(|line| LogLine::parse(line).expect("a valid line")).collect();

    let mut group = c.benchmark_group("log");
    group.throughput(Throughput::Elements(lines.len() as u64));
    group.bench_function("find lines", |b| {
        b.iter(|| {
            let mut source = Source::new(&log[..])?;
            let mut bytes = 0;
            while let Some(Ok(line)) = source.next_line()? {
                bytes += line.len();
            }
            assert_eq!(bytes + lines.len(), log.len());
            std::io::Result::Ok(())
        });
    });
    group.bench_function("parse lines", |b| {
        b.iter(|| {
            for line in &lines {
                black_box(LogLine::parse(black_box(line)).is_ok());
            }
        });
    });
    for by in &[By::Ip, By::IpAgent] {
        group.bench_with_input(BenchmarkId::new("visitor id by", by), by, |b, by| {
            let mut scratch = Vec::new();
            b.iter(|| {
                for line in &parsed {
                    black_box(by.name(line, &mut scratch).map(VisitorId::of).is_ok());
                }
            });
        });
        group.bench_with_input(BenchmarkId::new("count by", by), by, |b, by| {
            let store = Store::new();
            let visitors = Visitors::book(store.clone());
            let mut tally = Tally::new(&store, &visitors);
            let layout = Layout::new(Format::Auto, by.clone(), None).expect("a valid layout");
            let mut batch = Batch::default();
            b.iter(|| {
                let mut scanner = Scanner::new(layout.clone(), Every::Day);
                scanner.scan(&log, &mut batch);
                tally.count(&batch).expect("counting succeeds");
            });
        });
    }
    group.finish();
}

criterion_group!(benches, reading);
criterion_main!(benches);
