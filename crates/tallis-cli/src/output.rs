//! The result of a subcommand: saved, and printed to standard output.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use tallis::Store;

use crate::destination::Destination;
use crate::failure::Failure;

/// The result of a subcommand, printed as one line of JSON or in its own format.
pub(crate) trait Report: Serialize + Display {
    /// Records that the file was saved.
    fn saved_to(&mut self, file: String);
}

/// Saves the store to its destination, and prints the report, also if saving fails.
pub(crate) fn deliver(
    report: &mut impl Report,
    store: &Store,
    destination: &Destination,
    json: bool,
) -> Result<(), Failure> {
    let saved = destination.save(store).map(|place| {
        if let Some(place) = place {
            report.saved_to(place.display().to_string());
        }
    });
    print(report, json).map_err(|error| Failure::output(&error))?;
    saved
}

/// Saves with `write`, if requested, and prints the report, also if saving fails.
pub(crate) fn deliver_as(
    report: &mut impl Report,
    save: Option<&Path>,
    write: impl FnOnce(&Path) -> Result<(), Failure>,
    json: bool,
) -> Result<(), Failure> {
    let saved = save.map_or(Ok(()), |file| {
        write(file)?;
        report.saved_to(file.display().to_string());
        Ok(())
    });
    print(report, json).map_err(|error| Failure::output(&error))?;
    saved
}

fn print(report: &impl Report, json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        serde_json::to_writer(&mut out, report)?;
        writeln!(out)?;
    } else {
        write!(out, "{report}")?;
    }
    out.flush()
}
