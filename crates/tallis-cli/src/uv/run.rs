//! The command itself: logs in, table out.

use std::io::{self, Write, stdout};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use tallis::{Store, Visitors};

use super::chart::chart;
use super::follow::Growing;
use super::form::Form;
use super::line::{LineError, Problem};
use super::report::lines;
use super::source::TooLong;
use super::tally::{Refused, Tally};
use super::window::Window;
use crate::args::UvArgs;
use crate::failure::Failure;
use crate::input::{open, size_of_files};
use crate::interrupt;
use crate::merge::emit;
use crate::output::deliver;
use crate::plot;
use crate::progress::Progress;
use crate::target::check_target;

/// How many of the lines that do not parse are reported one by one.
const REPORTED: u64 = 5;

/// The time between two lines of figures.
const TICK: Duration = Duration::from_secs(1);

/// The time after which a log that grows is looked at again.
const PAUSE: Duration = Duration::from_millis(50);

/// Runs `tallis uv`.
///
/// # Errors
///
/// A log that cannot be read, a line that does not parse unless that is to be borne, a file that cannot be saved.
pub fn run(args: &UvArgs) -> Result<(), Failure> {
    let total = size_of_files(&args.logs)?;
    for file in args.save.iter().chain(&args.plot).chain(&args.emit) {
        check_target(file)?;
    }
    let store = Store::new();
    let mut visitors = Visitors::book(store.clone()).form(args.form.into());
    if let Some(expected) = args.expected {
        if args.form != Form::Book {
            return Err(Failure::Usage("--expected is for --form book alone".to_owned()));
        }
        visitors = visitors.default_yesterday(expected);
    }
    let window = args.window.map(|length| match args.at {
        Some(end) => Window::ending_at(length, end),
        None => Window::new(length),
    });
    let followed = args.logs.last().filter(|_| args.follow);
    let mut counting = Counting {
        tally: Tally::new(&store, &visitors, args.by, args.every).window(window),
        progress: if args.follow { Progress::beside_output(None) } else { Progress::new(total) },
        lenient: args.lenient,
        skipped: 0,
    };
    let whole = args.logs.len() - usize::from(followed.is_some());
    for log in args.logs.iter().take(whole) {
        counting.read(log)?;
    }
    if let Some(log) = followed {
        counting.follow(log, args.json)?;
    }
    let Counting { tally, progress, skipped, .. } = counting;
    drop(progress);
    if skipped > 0 {
        eprintln!("tallis: {} skipped", lines(skipped));
    }

    let mut report = tally.report()?;
    report.skipped = skipped;
    // What cannot be drawn does not keep the rest from being printed and saved.
    let drawn = args.plot.as_ref();
    let drawn = drawn.map_or(Ok(()), |file| plot::write(file, &chart(&report, args.every)));
    let emitted = args.emit.as_ref().map_or(Ok(()), |file| emit(&store, file));
    deliver(&mut report, &store, args.save.as_ref(), args.json)?;
    drawn.and(emitted)
}

/// The reading of all logs.
struct Counting<'v> {
    tally: Tally<'v>,
    progress: Progress,
    lenient: bool,
    skipped: u64,
}

impl Counting<'_> {
    /// Counts the lines of a log.
    fn read(&mut self, path: &Path) -> Result<(), Failure> {
        let mut source = open(path).map_err(|error| Failure::at(path, &error))?;
        let mut number = 0;
        loop {
            let line = match source.next_line().map_err(|error| failed(path, number, &error))? {
                None => break,
                Some(line) => self.tally_line(line),
            };
            number += 1;
            self.progress.line(source.bytes_read());
            self.settle(line, path, number)?;
        }
        self.progress.next_file();
        Ok(())
    }

    /// Counts the lines of a log as they come, and prints the counts so far each second, until it ends or is
    /// interrupted.
    #[expect(clippy::disallowed_methods, reason = "a line each second of the clock on the wall")]
    fn follow(&mut self, path: &Path, json: bool) -> Result<(), Failure> {
        interrupt::watch()?;
        let mut log = Growing::open(path).map_err(|error| Failure::at(path, &error))?;
        let mut number = 0;
        let mut next = Instant::now() + TICK;
        let mut ended = false;
        loop {
            while let Some(line) = log.next_line().map_err(|error| failed(path, number, &error))? {
                let line = self.tally_line(line);
                number += 1;
                self.settle(line, path, number)?;
                if number % 1024 == 0 && Instant::now() >= next {
                    break;
                }
            }
            if Instant::now() >= next {
                self.print(json).map_err(|error| Failure::output(&error))?;
                next = Instant::now() + TICK;
                continue;
            }
            if ended {
                return Ok(());
            }
            let more = log.look_again().map_err(|error| failed(path, number, &error))?;
            if !more || interrupt::interrupted() {
                // The last line may have come without its line feed.
                log.end();
                ended = true;
                continue;
            }
            sleep(PAUSE);
        }
    }

    /// How it stands, on a line.
    fn print(&self, json: bool) -> io::Result<()> {
        let Some(latest) = self.tally.latest().map_err(io::Error::other)? else { return Ok(()) };
        let mut out = stdout().lock();
        if json {
            serde_json::to_writer(&mut out, &latest)?;
            writeln!(out)?;
        } else {
            writeln!(out, "{latest}")?;
        }
        out.flush()
    }

    fn tally_line(&mut self, line: Result<&[u8], TooLong>) -> Result<(), Refused> {
        match line {
            Ok(line) => self.tally.add(line),
            Err(TooLong) => Err(Refused::Line(LineError { problem: Problem::TooLong, at: 0 })),
        }
    }

    /// Ends at a line that was refused, or reports it.
    fn settle(
        &mut self,
        counted: Result<(), Refused>,
        path: &Path,
        number: u64,
    ) -> Result<(), Failure> {
        match counted {
            Ok(()) => Ok(()),
            Err(Refused::Store(error)) => Err(error.into()),
            Err(Refused::Line(error)) => {
                let what = format!("{}:{number}: {error}", path.display());
                if !self.lenient {
                    return Err(Failure::BadLine(what));
                }
                if self.skipped < REPORTED {
                    self.progress.say(&what);
                }
                self.skipped += 1;
                Ok(())
            }
        }
    }
}

fn failed(path: &Path, lines: u64, error: &io::Error) -> Failure {
    if lines == 0 { Failure::at(path, error) } else { Failure::after(path, lines, error) }
}
