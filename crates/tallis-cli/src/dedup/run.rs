//! The command itself: lines in, each of them out once.

use std::io::{BufWriter, stdout};
use std::path::Path;

use tallis::{Dedup, ErrorKind, Store};

use super::lines::Sieve;
use super::report::Report;
use crate::args::DedupArgs;
use crate::failure::Failure;
use crate::input::{is_standard_input, open, size_of_files};
use crate::progress::Progress;
use crate::reading::TOO_LONG;
use crate::target::check_target;
use crate::uv::TooLong;

/// The key of the filter.
const KEY: &str = "dedup";

/// Where the older of two is, as [`Dedup`] has it.
const OLDER: &str = "{dedup}:older";

/// Bytes that go out at once.
const PIECE: usize = 256 << 10;

/// Runs `tallis dedup`.
///
/// # Errors
///
/// A file that cannot be read, a line that is too long, a filter that cannot be loaded or saved, or that has to grow
/// beyond the memory.
pub fn run(args: &DedupArgs) -> Result<(), Failure> {
    if args.files.iter().filter(|file| is_standard_input(file)).count() > 1 {
        return Err(Failure::Trouble("standard input can be read only once".to_owned()));
    }
    let total = size_of_files(&args.files)?;
    if let Some(file) = &args.save {
        check_target(file)?;
    }
    let store = Store::new();
    if let Some(file) = &args.load {
        store.load(file)?;
        check_loaded(&store, file, args.rotate.is_some())?;
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
    let report = Report {
        read: sieve.read(),
        written: sieve.written(),
        error_rate: seen.info()?.error_rate,
    };
    drop(sieve);
    let saved = args.save.as_ref().map_or(Ok(()), |file| store.save(file));
    eprintln!("tallis: {report}");
    saved.map_err(Failure::from)
}

/// Passes the lines of a file through the sieve.
fn read<W: std::io::Write>(
    path: &Path,
    sieve: &mut Sieve<'_, W>,
    progress: &mut Progress,
) -> Result<(), Failure> {
    let mut source = open(path).map_err(|error| Failure::at(path, &error))?;
    let before = sieve.read();
    loop {
        match source.next_lines() {
            Ok(None) => break,
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

/// Refuses a file whose keys are something else than this run would make of them.
fn check_loaded(store: &Store, file: &Path, rotating: bool) -> Result<(), Failure> {
    let refused = |what: &str| Err(Failure::Trouble(format!("{}: {what}", file.display())));
    for key in [KEY, OLDER] {
        match store.bf_info(key) {
            Err(error) if error.kind() != ErrorKind::NoSuchKey => {
                return refused(&format!("the key {key} holds no Bloom filter that can be asked"));
            }
            Ok(_) | Err(_) => {}
        }
    }
    if !rotating && store.exists(OLDER)? {
        return refused("its filters were saved with --rotate, which is to be given again");
    }
    Ok(())
}
