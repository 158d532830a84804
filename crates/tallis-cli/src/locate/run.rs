//! The command itself: rows in, table out.

use tallis::{Locations, Store};

use super::load::{BadRow, Format, Loader, not_a_user, user_id};
use super::report::Report;
use crate::args::LocateArgs;
use crate::failure::Failure;
use crate::input::{is_standard_input, size_of_files};
use crate::output::deliver;
use crate::reading::{Reading, Refused, TOO_LONG};
use crate::target::check_target;
use crate::uv::TooLong;

/// Runs `tallis locate`.
///
/// # Errors
///
/// A file that cannot be read, a bad row unless bad rows are skipped, a file that cannot be saved.
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
    let mut reading = Reading::new(total, args.lenient);
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
    deliver(&mut report, &store, args.save.as_ref(), args.json)
}

impl From<BadRow> for Refused {
    fn from(row: BadRow) -> Self {
        Self { what: row.to_string(), counted: row.is_counted() }
    }
}
