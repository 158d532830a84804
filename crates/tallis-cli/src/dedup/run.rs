//! Runs the command: prints each line of the input once.

use std::io::{BufWriter, stdout};
use std::path::Path;

use tallis::{Dedup, ErrorKind, Store};

use super::lines::Sieve;
use super::report::Report;
use crate::args::DedupArgs;
use crate::destination::Destination;
use crate::failure::Failure;
use crate::input::{open, size_of_files};
use crate::interrupt::interrupted;
use crate::progress::{Progress, note};
use crate::reading::TOO_LONG;
use crate::snapshot;
use crate::uv::TooLong;

/// The key of the filter.
const KEY: &str = "dedup";

/// The key of the older filter, as in [`Dedup`].
const OLDER: &str = "{dedup}:older";

/// The number of bytes per write.
const PIECE: usize = 256 << 10;

/// Runs `tallis dedup`.
///
/// # Errors
///
/// A file that cannot be read, a line that is too long, a filter that cannot be loaded or saved, or whose growth
/// exceeds the memory limit. At an interrupt the filter is saved.
pub fn run(args: &DedupArgs) -> Result<(), Failure> {
    let total = size_of_files(&args.files)?;
    let destination = Destination::new(&args.directory, args.save.as_ref())?;
    destination.watch()?;
    let store = destination.open(Store::builder())?;
    if let Some(file) = &args.load {
        snapshot::load(&store, file)?;
        if !has_filter(&store, file, args.rotate.is_some())? {
            return Err(snapshot::missing(file, KEY));
        }
    } else if let Some(directory) = destination.directory() {
        has_filter(&store, directory, args.rotate.is_some())?;
    }
    let seen = match args.rotate {
        Some(count) => Dedup::last(store.clone(), KEY, count, args.error),
        None => Dedup::new(store.clone(), KEY, args.capacity, args.error),
    }?;
    let mut sieve = Sieve::new(&seen, BufWriter::with_capacity(PIECE, stdout().lock()));
    let mut progress = Progress::beside_output(total);
    for file in &args.files {
        read(file, &mut sieve, &mut progress)?;
    }
    drop(progress);
    let mut report = Report {
        lines_read: sieve.read(),
        lines_written: sieve.written(),
        lines_dropped: sieve.read() - sieve.written(),
        error_rate: seen.info()?.error_rate,
        saved: None,
    };
    drop(sieve);
    let saved = destination.save(&store);
    if let Ok(Some(place)) = saved {
        report.saved = Some(place.display().to_string());
    }
    if args.json {
        let json =
            serde_json::to_string(&report).map_err(|error| Failure::output(&error.into()))?;
        eprintln!("{json}");
    } else {
        note(format_args!("{report}"));
    }
    saved?;
    if interrupted() { Err(Failure::Interrupted("interrupted".to_owned())) } else { Ok(()) }
}

/// Filters the lines of a file.
fn read<W: std::io::Write>(
    path: &Path,
    sieve: &mut Sieve<'_, W>,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let before = sieve.read();
    let mut source = match open(path) {
        Ok(source) => source,
        Err(_) if interrupted() => return Ok(()),
        Err(error) => return Err(Failure::at(path, &error)),
    };
    while !interrupted() {
        match source.next_lines() {
            Ok(None) => break,
            Err(_) if interrupted() => break,
            Ok(Some(Ok(lines))) => sieve.pass(lines)?,
            Ok(Some(Err(TooLong))) => {
                let number = sieve.read() - before + 1;
                let what = format!("{}:{number}: {TOO_LONG}", path.display());
                return Err(Failure::BadLine(what));
            }
            Err(error) if sieve.read() == before => return Err(Failure::at(path, &error)),
            Err(error) => return Err(Failure::after(path, sieve.read() - before, &error)),
        }
        progress.lines(sieve.read(), source.bytes_read());
    }
    progress.next_file();
    Ok(())
}

/// Returns whether the loaded store has a filter. Fails if its keys differ from those that this run would create.
fn has_filter(store: &Store, file: &Path, rotating: bool) -> Result<bool, Failure> {
    for key in [KEY, OLDER] {
        match store.bf_info(key) {
            Err(error) if error.kind() == ErrorKind::NoSuchKey => {}
            Err(_) => {
                let what =
                    format!("the key {key} does not hold a Bloom filter that can be queried");
                return Err(snapshot::unfit(file, &what));
            }
            Ok(_) => {}
        }
    }
    let is_rotated = store.exists(OLDER)?;
    if is_rotated && !rotating {
        let what = "its filters were saved with --rotate; give --rotate again";
        return Err(snapshot::unfit(file, what));
    }
    Ok(is_rotated || store.exists(KEY)?)
}
