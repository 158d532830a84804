//! The program's main job: a log, line by line.

#![expect(clippy::unwrap_used, reason = "what fails here stops the report")]

use std::fs;
use std::path::Path;

use tallis::{Store, Visitors};
use tallis_cli::uv::{Batch, Every, Layout, Lines, Scanner, Source, Tally};

use crate::report::{Bench, Result, Row, Section, Unit};

/// The example log, so many times over.
const TIMES: u32 = 25;
const LINES: u32 = 4_000 * TIMES;

pub(super) fn measure(bench: &Bench) -> Section {
    let text = "What `tallis uv` does with the lines of a file, one thread: read, parse, count exactly and approximately. The log is \
                the example, 25 times over, in Combined Log Format; the page cache is warm.";
    Section::new("tallis uv", text).row(lines(bench).target(1e6))
}

fn lines(bench: &Bench) -> Row {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/access.log");
    let once = fs::read(example).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("access.log");
    fs::write(&log, once.repeat(TIMES as usize)).unwrap();
    let results = bench.race().contender("tallis", LINES, || count(&log)).run();
    let rates = results.iter().map(Result::per_second).collect();
    Row::new("lines a second", Unit::PerSecond, rates)
}

fn count(log: &Path) {
    let store = Store::new();
    let visitors = Visitors::book(store.clone());
    let mut tally = Tally::new(&store, &visitors);
    let mut scanner = Scanner::new(Layout::default(), Every::Day);
    let (mut lines, mut batch) = (Lines::new(), Batch::default());
    let mut source = Source::open(log).unwrap();
    while let Some(taken) = source.take_lines(&mut lines).unwrap() {
        taken.unwrap();
        scanner.scan(&lines, &mut batch);
        tally.count(&batch).unwrap();
    }
    assert_eq!(tally.report().unwrap().total.events, u64::from(LINES));
}
