//! Saving a plot to a file.

use std::io::Write;
use std::path::Path;

use tallis::replace_file;

use super::chart::Chart;
use crate::failure::Failure;

/// Draws a chart to a temporary file, which is renamed when it is complete: if anything fails, an older file of that
/// name is unchanged.
pub(crate) fn write(path: &Path, chart: &Chart) -> Result<(), Failure> {
    let svg = chart.svg()?;
    replace_file(path, |mut file| file.write_all(svg.as_bytes()))
        .map_err(|error| Failure::at(path, &error))
}
