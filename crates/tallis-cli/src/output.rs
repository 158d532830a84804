//! What a subcommand has found: saved, and on standard output.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;

use serde::Serialize;
use tallis::Store;

use crate::failure::Failure;

/// What a subcommand has found, as one line of JSON or as it shows itself.
pub(crate) trait Report: Serialize + Display {
    /// Notes that the store was saved.
    fn saved_to(&mut self, file: String);
}

/// Saves the store, if that is asked for, and prints the report, which is shown even if the store cannot be saved.
pub(crate) fn deliver(
    report: &mut impl Report,
    store: &Store,
    save: Option<&PathBuf>,
    json: bool,
) -> Result<(), Failure> {
    let saved = save.map_or(Ok(()), |file| {
        store.save(file)?;
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
