//! The command itself: every file in turn.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use tallis::file::Meter;
use tallis::rdb::Record;

use super::report::{Counts, Report};
use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::files::{Damage, Scan, Step};

/// Runs `tallis check`.
///
/// # Errors
///
/// A file that is damaged or cannot be read, once all are looked at.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    let meter = Meter::new();
    let mut failed = None;
    for path in &args.files {
        let (report, failure) = match check(path, &meter) {
            Ok(found) => found,
            Err(failure) => (None, Some(failure)),
        };
        if let Some(report) = report {
            print(&report, args.json).map_err(|error| Failure::output(&error))?;
        }
        // The last one is what the program ends with.
        if failure.is_some()
            && let Some(Failure::Trouble(earlier)) = std::mem::replace(&mut failed, failure)
        {
            eprintln!("tallis: {earlier}");
        }
    }
    failed.map_or(Ok(()), Err)
}

fn print(report: &Report, json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        serde_json::to_writer(&mut out, report)?;
        writeln!(out)?;
    } else if report.is_ok() {
        writeln!(out, "{report}")?;
    }
    out.flush()
}

/// What is found of a file, and what is wrong with it.
fn check(path: &Path, meter: &Meter) -> Result<(Option<Report>, Option<Failure>), Failure> {
    let file = path.display().to_string();
    let mut counts = Counts::default();
    let (version, read) = match Scan::open(path, !io::stdout().is_terminal())? {
        Err(damage) => (None, Err(damage)),
        Ok(mut scan) => {
            let read = read(&mut scan, meter, &mut counts);
            counts.bytes = scan.offset();
            if let (Ok(()), Some(length)) = (&read, scan.length()) {
                counts.bytes_after = length.saturating_sub(counts.bytes);
            }
            (Some(scan.reader().version()), read)
        }
    };
    let report = Report::new(file, version, counts);
    Ok(match read {
        Ok(()) => (Some(report), None),
        Err(damage) => {
            let failure = damage.of_file(path);
            (Some(report.damaged(damage)), Some(failure))
        }
    })
}

fn read(scan: &mut Scan, meter: &Meter, counts: &mut Counts) -> Result<(), Damage> {
    while let Some(step) = scan.next()? {
        match step {
            Step::Key(key) => {
                let found = meter.measure_whole(scan.reader(), key.kind);
                let found = found.map_err(|error| Damage::of_value(&key, &error))?;
                if found.is_empty() {
                    counts.empty_keys += 1;
                    continue;
                }
                counts.keys += 1;
                counts.expires += u64::from(key.attributes.expire_at_ms.is_some());
            }
            Step::Other(Record::Function { .. }) => counts.functions += 1,
            Step::Other(_) => {}
        }
    }
    Ok(())
}
