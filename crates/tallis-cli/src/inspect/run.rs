//! Runs the command.

use std::io::{self, BufWriter, IsTerminal, Write};

use tallis::file::Meter;
use tallis::rdb::Record;
use tallis::{Clock, SystemClock};

use super::csv;
use super::report::Report;
use super::row::{Bytes, Row};
use super::tally::Tally;
use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::files::{Damage, Filter, Scan, Step, file_of_log, is_log};

/// The number of bytes per write.
const PIECE: usize = 64 << 10;

/// Runs `tallis inspect`.
///
/// # Errors
///
/// A file that is damaged or cannot be read; with `--salvage` after the records before the damage were printed.
pub fn run(args: &InspectArgs) -> Result<(), Failure> {
    // Keys are printed while the file is read, and a bar would appear between them.
    let bar = io::stdout().is_terminal() != args.keys;
    write(args, bar, &mut BufWriter::with_capacity(PIECE, io::stdout().lock()))
}

/// Writes the output of [`run`]; `bar` is whether there is a progress bar on standard error.
///
/// # Errors
///
/// See [`run`].
pub fn write(args: &InspectArgs, bar: bool, out: &mut impl Write) -> Result<(), Failure> {
    let (scan, damaged) = if is_log(&args.file) {
        let (file, damaged) = file_of_log(&args.file, args.salvage)?;
        let scan = Scan::of_file(file, bar).map_err(|error| Failure::at(&args.file, &error))?;
        (scan, damaged)
    } else {
        (Scan::open(&args.file, bar)?, None)
    };
    let mut scan = scan.map_err(|damage| damage.of_file(&args.file))?;
    let mut tally = Tally::new(args, SystemClock.now_ms());
    let read = read(&mut scan, args, &mut tally, out);
    let (version, bytes) = (scan.reader().version(), scan.offset());
    drop(scan);
    let shown = match &read {
        Err(Stop::Output(_)) => Ok(()),
        Err(Stop::Damage(_)) if !args.salvage => out.flush(),
        _ if args.keys => out.flush(),
        _ => {
            let report = Report::new(version, bytes, args.top, tally);
            show(&report, args, out).and_then(|()| out.flush())
        }
    };
    shown.map_err(|error| Failure::output(&error))?;
    read.map_err(|stop| match stop {
        Stop::Damage(damage) => damage.of_file(&args.file),
        Stop::Output(error) => Failure::output(&error),
    })?;
    damaged.map_or(Ok(()), Err)
}

/// Why reading ends early.
#[derive(Debug)]
enum Stop {
    Damage(Damage),
    Output(io::Error),
}

impl From<Damage> for Stop {
    fn from(damage: Damage) -> Self {
        Self::Damage(damage)
    }
}

fn read(
    scan: &mut Scan,
    args: &InspectArgs,
    tally: &mut Tally,
    out: &mut impl Write,
) -> Result<(), Stop> {
    let (meter, filter) = (Meter::new(), Filter::new(&args.filter));
    if args.keys && args.csv {
        csv::write_head(out).map_err(Stop::Output)?;
    }
    while let Some(step) = scan.next()? {
        let key = match step {
            Step::Key(key) if filter.takes(&key) => key,
            Step::Other(Record::Function { .. }) => {
                tally.functions += 1;
                continue;
            }
            Step::Key(_) | Step::Other(_) => continue,
        };
        let found = meter.measure(scan.reader(), key.kind);
        let found = found.map_err(|error| Damage::of_value(&key, &error))?;
        if !filter.takes_type(&found.type_name) {
            continue;
        }
        if found.is_empty() {
            tally.empty_keys += 1;
            continue;
        }
        let expires = key.attributes.expire_at_ms.is_some();
        let bytes = Bytes {
            memory: found.bytes + meter.key_bytes(&key.name, expires),
            file: scan.offset() - key.at,
        };
        if args.keys {
            let row = Row::new(&key, &found, bytes);
            let shown = if args.csv { csv::write_key(&row, out) } else { write_line(&row, out) };
            shown.map_err(Stop::Output)?;
        } else {
            tally.add(&key, &found, bytes);
        }
    }
    Ok(())
}

fn write_line(row: &Row, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, row)?;
    out.write_all(b"\n")
}

fn show(report: &Report, args: &InspectArgs, out: &mut impl Write) -> io::Result<()> {
    if args.json {
        serde_json::to_writer(&mut *out, report)?;
        out.write_all(b"\n")
    } else if args.csv {
        csv::write_report(report, out)
    } else {
        write!(out, "{report}")
    }
}
