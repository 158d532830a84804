//! The command itself: rows in, table out.

use std::path::Path;

use tallis::{Locations, Store};

use super::load::{BadRow, Format, Loader, not_a_user, user_id};
use super::report::Report;
use crate::args::LocateArgs;
use crate::failure::Failure;
use crate::input::{is_standard_input, open, size_of_files};
use crate::output::print;
use crate::progress::Progress;
use crate::target::check_target;
use crate::uv::{TooLong, lines};

/// How many of the bad rows are told of one by one.
const TOLD: u64 = 5;

const TOO_LONG: &str = "the line is longer than 1 MiB";

/// Runs `tallis locate`.
///
/// # Errors
///
/// A file that cannot be read, a bad row unless that is to be borne, a file that cannot be saved.
pub fn run(args: &LocateArgs) -> Result<(), Failure> {
    let mut all = args.files.clone();
    all.extend(args.users.clone());
    if all.iter().filter(|file| is_standard_input(file)).count() > 1 {
        return Err(Failure::Trouble("standard input can be read only once".to_owned()));
    }
    let total = size_of_files(&all)?;
    if let Some(file) = &args.save {
        check_target(file)?;
    }
    let store = Store::new();
    let locations = Locations::new(store.clone());
    let format = if args.zip { Format::Zip } else { Format::Users };
    let mut loader = Loader::new(&locations, format, args.lenient);
    let mut reading = Reading { progress: Progress::new(total), bad: Bad::new(args.lenient) };
    for file in &args.files {
        loader.next_file();
        reading.each_line(file, |line| match line {
            Ok(line) => loader.line(line).map_err(Refused::from),
            Err(TooLong) => Err(loader.unreadable(TOO_LONG).into()),
        })?;
    }
    let mut list = Vec::new();
    if let Some(file) = &args.users {
        reading.each_line(file, |line| {
            let line = line.map_err(|TooLong| Refused::skipped(TOO_LONG.to_owned()))?;
            if !line.is_empty() {
                list.push(user_id(line).ok_or_else(|| Refused::skipped(not_a_user(line)))?);
            }
            Ok(())
        })?;
    }
    reading.finish();

    let mut report = if args.users.is_some() {
        let counts = locations.aggregate_list(list)?;
        Report::new(counts.users(), &counts)
    } else {
        Report::new(loader.users(), &locations.aggregate()?)
    };
    // What was counted is shown even if it cannot be saved.
    let saved = args.save.as_ref().map_or(Ok(()), |file| {
        store.save(file)?;
        report.saved = Some(file.display().to_string());
        Ok(())
    });
    print(&report, args.json).map_err(|error| Failure::output(&error))?;
    saved
}

/// A line that was not taken.
struct Refused {
    what: String,
    counted: bool,
}

impl Refused {
    const fn skipped(what: String) -> Self {
        Self { what, counted: false }
    }
}

impl From<BadRow> for Refused {
    fn from(row: BadRow) -> Self {
        Self { what: row.to_string(), counted: row.is_counted() }
    }
}

/// The bad lines so far.
struct Bad {
    lenient: bool,
    skipped: u64,
    unknown: u64,
}

impl Bad {
    const fn new(lenient: bool) -> Self {
        Self { lenient, skipped: 0, unknown: 0 }
    }
}

struct Reading {
    progress: Progress,
    bad: Bad,
}

impl Reading {
    /// Hands every line of a file to `take`, and ends at the first that it refuses unless that is to be borne.
    fn each_line(
        &mut self,
        path: &Path,
        mut take: impl FnMut(Result<&[u8], TooLong>) -> Result<(), Refused>,
    ) -> Result<(), Failure> {
        let mut source = open(path).map_err(|error| Failure::at(path, &error))?;
        let mut number: u64 = 0;
        loop {
            let taken = match source.next_line() {
                Ok(None) => break,
                Ok(Some(line)) => take(line),
                Err(error) if number == 0 => return Err(Failure::at(path, &error)),
                Err(error) => return Err(Failure::after(path, number, &error)),
            };
            number += 1;
            self.progress.line(source.bytes_read());
            if let Err(refused) = taken {
                let what = format!("{}:{number}: {}", path.display(), refused.what);
                if !self.bad.lenient {
                    return Err(Failure::BadLine(what));
                }
                if self.bad.skipped + self.bad.unknown < TOLD {
                    self.progress.say(&what);
                }
                let count =
                    if refused.counted { &mut self.bad.unknown } else { &mut self.bad.skipped };
                *count += 1;
            }
        }
        self.progress.next_file();
        Ok(())
    }

    /// Takes the bar away and says what was not as it should be.
    fn finish(self) {
        drop(self.progress);
        let Bad { skipped, unknown, .. } = self.bad;
        if unknown > 0 {
            eprintln!("tallis: {} with an unknown place", lines(unknown));
        }
        if skipped > 0 {
            eprintln!("tallis: {} skipped", lines(skipped));
        }
    }
}
