//! Runs the command.

use testkit::live::locate;

use super::super::measure::not_interrupted;
use super::super::server::Live;
use super::bench::Bench;
use super::report::Report;
use super::row::Row;
use super::{article, book, filters, sketches, zeros};
use crate::failure::Failure;
use crate::interrupt::watch;
use crate::memory::Memory;
use crate::output::deliver_as;
use crate::progress::Progress;

/// A part of the tables.
type Part = fn(&mut Bench<'_>) -> Result<Vec<Row>, Failure>;

const PARTS: [Part; 5] = [book::rows, article::rows, sketches::rows, zeros::rows, filters::rows];

/// Measures the printed figures, and prints both. Without a `redis-server` its figures are left out.
///
/// # Errors
///
/// A server that is installed and does not start, or an interrupt.
pub(in super::super) fn run(memory: &dyn Memory, json: bool) -> Result<(), Failure> {
    watch()?;
    let live = if locate().is_some() { Some(Live::start()?) } else { None };
    let mut bench = Bench::new(memory, live);
    let mut report = report(&mut bench)?;
    deliver_as(&mut report, None, |_| Ok(()), json)
}

/// Measures all parts.
pub(super) fn report(bench: &mut Bench<'_>) -> Result<Report, Failure> {
    let progress = Progress::of_items(PARTS.len() as u64);
    let mut rows = Vec::new();
    for part in PARTS {
        rows.extend(part(bench)?);
        not_interrupted()?;
        progress.items(1);
    }
    drop(progress);
    let server = bench.live.as_ref().map(|live| live.name().to_owned());
    Ok(Report { version: 1, server, rows })
}
