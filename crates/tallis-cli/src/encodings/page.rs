//! The page: plots and tables in one file, which needs nothing else.

use std::io::Write;
use std::path::Path;

use tallis::replace_file;

use super::report::Report;
use crate::failure::Failure;

/// The page of a report.
pub(super) fn page(report: &Report) -> Result<String, Failure> {
    Ok(report.to_string())
}

/// Writes the page to a file, which takes its name only once it is whole.
pub(super) fn write(path: &Path, page: &str) -> Result<(), Failure> {
    replace_file(path, |mut file| file.write_all(page.as_bytes()))
        .map_err(|error| Failure::at(path, &error))
}
