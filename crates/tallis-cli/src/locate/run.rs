//! Runs the command.

use std::path::Path;

use tallis::{Locations, Store};

use super::load::{Format, Loader, not_a_user, user_id};
use super::report::Report;
use crate::args::LocateArgs;
use crate::destination::Destination;
use crate::failure::Failure;
use crate::input::size_of_files;
use crate::output::deliver;
use crate::reading::{BadRow, Reading, TOO_LONG};
use crate::snapshot;
use crate::uv::TooLong;

/// The key of the largest user id, as in [`Locations`].
const LARGEST: &str = "location:max";

/// Runs `tallis locate`.
///
/// # Errors
///
/// A file that cannot be read or loaded, a malformed row unless these are skipped, a file that cannot be saved. At an
/// interrupt, what was read is saved.
pub fn run(args: &LocateArgs) -> Result<(), Failure> {
    let mut all = args.files.clone();
    all.extend(args.users.clone());
    let total = size_of_files(&all)?;
    let destination = Destination::new(&args.directory, args.save.as_ref())?;
    destination.watch()?;
    let store = destination.open(Store::builder())?;
    let locations = Locations::new(store.clone());
    let format = if args.zip { Format::Zip } else { Format::Users };
    let mut loader = Loader::new(&locations, format, args.lenient).columns(args.columns.clone());
    let largest = if let Some(file) = &args.load {
        snapshot::load(&store, file)?;
        let largest = largest(&locations, file)?;
        Some(largest.ok_or_else(|| snapshot::missing(file, LARGEST))?)
    } else if let Some(directory) = destination.directory() {
        largest(&locations, directory)?
    } else {
        None
    };
    if let Some(user) = largest {
        loader = loader.behind(user);
    }
    let mut reading = Reading::new(total, args.lenient);
    let read = args.files.iter().try_for_each(|file| {
        loader.next_file();
        reading.each_line(file, |line| match line {
            Ok(line) => loader.line(line),
            Err(TooLong) => Err(loader.unreadable(TOO_LONG)),
        })
    });
    // The rows before a malformed one are stored too, because a directory keeps them.
    loader.finish()?;
    read?;
    let mut list = Vec::new();
    if let Some(file) = &args.users {
        reading.each_line(file, |line| {
            let line = line.map_err(|TooLong| BadRow::skipped(TOO_LONG.to_owned()))?;
            if !line.is_empty() {
                list.push(user_id(line).ok_or_else(|| BadRow::skipped(not_a_user(line)))?);
            }
            Ok(())
        })?;
    }
    reading.finish();
    destination.save_if_interrupted(&store)?;

    let mut report = if args.users.is_some() {
        let counts = locations.aggregate_list(list)?;
        Report::new(counts.users(), &counts)
    } else if largest.is_some() {
        // Of the users that were in the store, those with a location are known.
        let counts = locations.aggregate()?;
        let known: u64 = counts.countries().map(|(_, users)| users).sum();
        let unknown = locations.aggregate_list(loader.loaded())?.unknown();
        Report::new(known + unknown, &counts)
    } else {
        Report::new(loader.users(), &locations.aggregate()?)
    };
    deliver(&mut report, &store, &destination, args.json)
}

/// Returns the largest user id of the loaded store, if it has users.
fn largest(locations: &Locations, file: &Path) -> Result<Option<u64>, Failure> {
    let what = format!("the key {LARGEST} does not hold the largest user");
    locations.largest_user().map_err(|_| snapshot::unfit(file, &what))
}
