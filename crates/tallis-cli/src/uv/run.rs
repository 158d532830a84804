//! The command itself: logs in, table out.

use std::path::Path;

use tallis::{Store, Visitors};

use super::chart::chart;
use super::line::{LineError, Problem};
use super::report::lines;
use super::source::TooLong;
use super::tally::{Refused, Tally};
use crate::args::UvArgs;
use crate::failure::Failure;
use crate::input::{open, size_of_files};
use crate::output::deliver;
use crate::plot;
use crate::progress::Progress;
use crate::target::check_target;

/// How many of the lines that do not parse are told of one by one.
const TOLD: u64 = 5;

/// Runs `tallis uv`.
///
/// # Errors
///
/// A log that cannot be read, a line that does not parse unless that is to be borne, a file that cannot be saved.
pub fn run(args: &UvArgs) -> Result<(), Failure> {
    let total = size_of_files(&args.logs)?;
    for file in args.save.iter().chain(&args.plot) {
        check_target(file)?;
    }
    let store = Store::new();
    let mut visitors = Visitors::new(store.clone());
    if let Some(expected) = args.expected {
        visitors = visitors.default_yesterday(expected);
    }
    let mut tally = Tally::new(&store, &visitors, args.by, args.every);

    let mut progress = Progress::new(total);
    let mut skipped = 0;
    for log in &args.logs {
        skipped = read_log(log, &mut tally, &mut progress, args.lenient, skipped)?;
        progress.next_file();
    }
    drop(progress);
    if skipped > 0 {
        eprintln!("tallis: {} skipped", lines(skipped));
    }

    let mut report = tally.report()?;
    report.skipped = skipped;
    // What cannot be drawn does not keep the rest from being told and saved.
    let drawn =
        args.plot.as_ref().map_or(Ok(()), |file| plot::write(file, &chart(&report, args.every)));
    deliver(&mut report, &store, args.save.as_ref(), args.json)?;
    drawn
}

/// Counts the lines of one log, and gives the number of lines skipped so far.
fn read_log(
    path: &Path,
    tally: &mut Tally<'_>,
    progress: &mut Progress,
    lenient: bool,
    mut skipped: u64,
) -> Result<u64, Failure> {
    let mut source = open(path).map_err(|error| Failure::at(path, &error))?;
    let mut number: u64 = 0;
    loop {
        let counted = match source.next_line() {
            Ok(None) => return Ok(skipped),
            Ok(Some(Ok(line))) => tally.add(line),
            Ok(Some(Err(TooLong))) => {
                Err(Refused::Line(LineError { problem: Problem::TooLong, at: 0 }))
            }
            Err(error) if number == 0 => return Err(Failure::at(path, &error)),
            Err(error) => return Err(Failure::after(path, number, &error)),
        };
        number += 1;
        progress.line(source.bytes_read());
        match counted {
            Ok(()) => {}
            Err(Refused::Store(error)) => return Err(error.into()),
            Err(Refused::Line(error)) => {
                let what = format!("{}:{number}: {error}", path.display());
                if !lenient {
                    return Err(Failure::BadLine(what));
                }
                if skipped < TOLD {
                    progress.say(&what);
                }
                skipped += 1;
            }
        }
    }
}
