//! What a subcommand has found, on standard output.

use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;

/// Prints a report, as one line of JSON or as it shows itself.
pub(crate) fn print(report: &(impl Serialize + Display), json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if json {
        serde_json::to_writer(&mut out, report)?;
        writeln!(out)?;
    } else {
        write!(out, "{report}")?;
    }
    out.flush()
}
