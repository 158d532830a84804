//! Runs the command.

use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tallis::{Store, Visitors};

use super::chart::chart;
use super::counting::Counting;
use super::follow::Growing;
use super::form::Form;
use super::layout::Layout;
use super::load::{has_buckets, load};
use super::pool;
use super::report::{Report, lines};
use super::scan::{Batch, Scanner};
use super::tally::Tally;
use super::window::Window;
use crate::args::UvArgs;
use crate::destination::Destination;
use crate::failure::Failure;
use crate::input::{open, size_of_files};
use crate::interrupt;
use crate::merge::emit;
use crate::output::deliver;
use crate::plot;
use crate::progress::{Progress, note};
use crate::source::TooLong;
use crate::target::check_targets;

/// The interval of printed figures.
const TICK: Duration = Duration::from_secs(1);

/// The interval at which a growing log is checked for more lines.
const PAUSE: Duration = Duration::from_millis(50);

/// The approximate number of bytes of a plain and of a compressed log per expected visitor: a few lines. If every line
/// has another visitor, they still fit into the resulting shards.
const PLAIN_BYTES: u64 = 400;
const PACKED_BYTES: u64 = 40;

/// The most visitors that are expected for the size of the logs, as in the book.
const MOST_EXPECTED: u64 = 1_000_000;

/// Runs `tallis uv`.
///
/// # Errors
///
/// As [`count`]; a file that cannot be saved or drawn; [`Failure::Interrupted`] after an interrupt, after what was
/// counted was printed and saved.
pub fn run(args: &UvArgs) -> Result<(), Failure> {
    check_targets(args.save.iter().chain(&args.plot).chain(&args.emit))?;
    let destination = Destination::new(&args.directory, args.save.as_ref())?;
    interrupt::watch()?;

    let store = destination.open(Store::builder())?;
    let mut report = count(args, &store)?;
    report.columns = columns();
    // If the plot fails, the rest is still printed and saved.
    let drawn = args.plot.as_ref();
    let drawn = drawn.map_or(Ok(()), |file| plot::write(file, &chart(&report, args.every)));
    let emitted = args.emit.as_ref().map_or(Ok(()), |file| emit(&store, file));
    deliver(&mut report, &store, &destination, args.json)?;
    drawn.and(emitted)?;
    if interrupt::interrupted() {
        Err(Failure::Interrupted("interrupted".to_owned()))
    } else {
        Ok(())
    }
}

/// Counts the logs into an empty store, or one from the directory on the command line, and neither prints nor saves the
/// result. With `follow`, figures are printed regularly.
///
/// # Errors
///
/// A log that cannot be read, a line that does not parse unless these are skipped, a file that cannot be loaded or has
/// no visitors, options that contradict each other.
pub fn count(args: &UvArgs, store: &Store) -> Result<Report, Failure> {
    let layout = Layout::new(args.format, args.by.clone(), args.time.clone());
    let layout = layout.map_err(|error| Failure::Usage(error.to_string()))?;
    if args.expected.is_some() && !matches!(args.form, Form::Book | Form::Tagged) {
        return Err(Failure::Usage("--expected requires --form book or --form tagged".to_owned()));
    }
    let total = size_of_files(&args.logs)?;
    let mut loaded = args.load.as_ref();
    if let Some(file) = loaded {
        load(store, file, args.form)?;
    } else if let Some(directory) = &args.directory.dir {
        loaded = has_buckets(store, directory, args.form)?.then_some(directory);
    }
    let expected = match args.expected {
        Some(expected) => expected,
        None => expected(&args.logs, total.filter(|_| !args.follow))?,
    };
    let visitors = Visitors::book(store.clone()).form(args.form.into()).default_yesterday(expected);
    let window = args.window.map(|length| match args.at {
        Some(end) => Window::ending_at(length, end),
        None => Window::new(length),
    });
    let scanner = || {
        Scanner::new(layout.clone(), args.every)
            .by_minute(args.window.is_some())
            .strict(!args.lenient)
    };
    let progress = if args.follow { Progress::beside_output(None) } else { Progress::new(total) };
    let tally = Tally::new(store, &visitors).window(window);
    let mut counting = Counting::new(tally, progress, args.lenient);
    let followed = args.logs.last().filter(|_| args.follow);
    let whole = args.logs.len() - usize::from(followed.is_some());
    pool::count(&args.logs[..whole], args.threads, &scanner, &mut counting)?;
    if let Some(log) = followed.filter(|_| !interrupt::interrupted()) {
        follow(log, &mut counting, scanner(), args.json)?;
    }
    let (tally, skipped) = counting.finish();
    if skipped > 0 {
        note(format_args!("{} skipped", lines(skipped)));
    }
    let mut report = tally.report()?;
    report.skipped = skipped;
    report.loaded = loaded.map(|file| file.display().to_string());
    Ok(report)
}

/// Returns how many visitors to expect for a bucket if the one before it was not counted, from the size of all logs, if
/// it is known. It is unknown for a stream and for a growing log.
fn expected(logs: &[PathBuf], total: Option<u64>) -> Result<u64, Failure> {
    if total.is_none() {
        return Ok(MOST_EXPECTED);
    }
    let mut expected = 1;
    for log in logs {
        let failed = |error| Failure::at(log, &error);
        let bytes = log.metadata().map_err(failed)?.len();
        let packed = open(log).map_err(failed)?.is_packed();
        expected += bytes / if packed { PACKED_BYTES } else { PLAIN_BYTES };
    }
    Ok(expected.min(MOST_EXPECTED))
}

/// Returns the width in columns of the terminal on standard output.
fn columns() -> Option<usize> {
    if !stdout().is_terminal() {
        return None;
    }
    let (width, _) = terminal_size::terminal_size()?;
    Some(usize::from(width.0))
}

/// Counts the lines of a growing log, and prints the counts each second, until it ends or is interrupted.
#[expect(clippy::disallowed_methods, reason = "a line each second of the clock on the wall")]
fn follow(
    path: &Path,
    counting: &mut Counting<'_>,
    mut scanner: Scanner,
    json: bool,
) -> Result<(), Failure> {
    let mut log = Growing::open(path).map_err(|error| Failure::at(path, &error))?;
    let mut batch = Batch::default();
    let mut next = Instant::now() + TICK;
    let mut ended = false;
    loop {
        while let Some(lines) = log.next_lines().map_err(|error| counting.failed(path, &error))? {
            match lines {
                Ok(lines) => scanner.scan(lines, &mut batch),
                Err(TooLong) => batch.too_long(),
            }
            counting.take(path, &batch, 0)?;
            if Instant::now() >= next {
                break;
            }
        }
        if Instant::now() >= next {
            counting.print(json).map_err(|error| Failure::output(&error))?;
            next = Instant::now() + TICK;
            continue;
        }
        if ended {
            return Ok(());
        }
        let more = log.look_again().map_err(|error| counting.failed(path, &error))?;
        if !more || interrupt::interrupted() {
            // The last line may have no line feed.
            log.end();
            ended = true;
            continue;
        }
        sleep(PAUSE);
    }
}
