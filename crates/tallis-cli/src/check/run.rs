//! Runs the command: checks every file.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use tallis::file::Meter;
use tallis::rdb::Record;

use super::log::check_log;
use super::report::{Counts, Report};
use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::files::{Damage, Scan, Step, is_log};

/// Runs `tallis check`.
///
/// # Errors
///
/// A file that is damaged or cannot be read, after all were checked.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    let meter = Meter::new();
    let mut failed = None;
    for path in &args.files {
        let found = if is_log(path) { check_log(path, &meter) } else { check(path, &meter) };
        let unreadable = |failure| vec![Found { report: None, failure: Some(failure) }];
        for Found { report, failure } in found.unwrap_or_else(unreadable) {
            if let Some(report) = report {
                print(&report, args.json).map_err(|error| Failure::output(&error))?;
            }
            // The program ends with the last failure; earlier ones are printed here.
            if failure.is_some()
                && let Some(earlier) = std::mem::replace(&mut failed, failure)
            {
                earlier.report();
            }
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

/// The result of a file, and its failure.
pub(super) struct Found {
    pub(super) report: Option<Report>,
    pub(super) failure: Option<Failure>,
}

fn check(path: &Path, meter: &Meter) -> Result<Vec<Found>, Failure> {
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
    Ok(vec![match read {
        Ok(()) => Found { report: Some(report), failure: None },
        Err(damage) => {
            let failure = damage.of_file(path);
            Found { report: Some(report.damaged(damage)), failure: Some(failure) }
        }
    }])
}

/// Reads an RDB file to its end.
pub(super) fn read(scan: &mut Scan, meter: &Meter, counts: &mut Counts) -> Result<(), Damage> {
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
