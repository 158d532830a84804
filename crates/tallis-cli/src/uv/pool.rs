//! Several threads that read logs, with the result of one.
//!
//! # Idea
//!
//! A thread takes some lines of a log, finds the visits in them, and hands these over; what was found is counted in the
//! order of the logs and their lines, by whichever thread has the next of it:
//!
//! ```text
//!           lines                   visits
//! log 1    [0][1][2][3]   scan    [0][1] . [3]   count     0, 1, and 2 before 3
//! log 2    [0][1]        ------>     [0]        ------->   when log 1 has ended
//! ```
//!
//! Little of the work is counting, as nearly all visits that were counted before are left out by
//! [`Scanner`](super::scan::Scanner). Since it is done in order, forecasts, line numbers and the first error are those of
//! one thread, whatever the threads do.
//!
//! A log that is packed is unpacked by one thread at a time, so the others go on with the logs after it. What these have
//! found is held until its turn comes, up to [`HELD`] bytes.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::counting::Counting;
use super::scan::{Batch, Scanner};
use crate::failure::Failure;
use crate::input::{Input, open};
use crate::interrupt::interrupted;
use crate::source::{Lines, TooLong};

/// Bytes of what was found in logs whose turn has not come.
const HELD: usize = 64 << 20;

/// The time after which a thread looks again for whether there is room.
const PAUSE: Duration = Duration::from_millis(20);

/// Counts logs by so many threads, each of which has a scanner of its own.
pub(super) fn count(
    logs: &[PathBuf],
    threads: NonZeroUsize,
    scanner: &(impl Fn() -> Scanner + Sync),
    counting: &mut Counting<'_>,
) -> Result<(), Failure> {
    count_holding(HELD, logs, threads, scanner, counting)
}

/// The same, with so many bytes held.
fn count_holding(
    held: usize,
    logs: &[PathBuf],
    threads: NonZeroUsize,
    scanner: &(impl Fn() -> Scanner + Sync),
    counting: &mut Counting<'_>,
) -> Result<(), Failure> {
    let pool = Pool {
        held,
        logs: logs.iter().map(|path| Log::new(path)).collect(),
        found: Mutex::default(),
        moved: Condvar::new(),
        counting: Mutex::new(counting),
        spare: Mutex::default(),
        failure: Mutex::new(None),
        failed: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        for _ in 1..threads.get() {
            scope.spawn(|| pool.work(scanner()));
        }
        pool.work(scanner());
    });
    pool.failure.into_inner().map_or(Ok(()), Err)
}

struct Pool<'a, 'v> {
    /// The most bytes to hold.
    held: usize,
    logs: Vec<Log<'a>>,
    found: Mutex<Found>,
    /// The turn has come to something else.
    moved: Condvar,
    counting: Mutex<&'a mut Counting<'v>>,
    /// Batches that were counted, to be filled anew: memory that goes back to the system has to be cleared by it first.
    spare: Mutex<Vec<Batch>>,
    failure: Mutex<Option<Failure>>,
    failed: AtomicBool,
}

/// A log, of which one thread at a time takes lines.
struct Log<'a> {
    path: &'a Path,
    reading: Mutex<Reading>,
    /// Whether its lines take long to be had.
    packed: AtomicBool,
    ended: AtomicBool,
}

/// How far a log was read.
#[derive(Default)]
struct Reading {
    source: Option<Input>,
    chunks: u64,
    bytes: u64,
}

/// Which chunk of which log.
type Place = (usize, u64);

/// What was found that was not counted yet.
#[derive(Default)]
struct Found {
    /// The chunk whose turn it is.
    turn: Place,
    waiting: BTreeMap<Place, Chunk>,
    /// Bytes, about.
    held: usize,
}

/// What came of reading a chunk of a log.
enum Chunk {
    Batch(Batch, u64),
    End,
    Failed(io::Error),
}

/// What a thread has taken.
enum Taken {
    /// So many bytes of lines.
    Lines(u64),
    Chunk(Chunk),
}

impl Found {
    fn insert(&mut self, place: Place, chunk: Chunk) {
        self.held += chunk.size();
        self.waiting.insert(place, chunk);
    }

    /// The chunk whose turn it is, with its log, if it is there.
    fn next(&mut self) -> Option<(usize, Chunk)> {
        let chunk = self.waiting.remove(&self.turn)?;
        self.held -= chunk.size();
        let (log, number) = self.turn;
        self.turn = match chunk {
            Chunk::End => (log + 1, 0),
            Chunk::Batch(..) | Chunk::Failed(_) => (log, number + 1),
        };
        Some((log, chunk))
    }
}

impl Chunk {
    fn size(&self) -> usize {
        match self {
            Self::Batch(batch, _) => batch.size(),
            Self::End | Self::Failed(_) => 0,
        }
    }
}

impl<'a> Log<'a> {
    fn new(path: &'a Path) -> Self {
        Self {
            path,
            reading: Mutex::default(),
            packed: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        }
    }

    /// Takes the next lines.
    fn read(&self, reading: &mut Reading, lines: &mut Lines) -> Taken {
        let taken = self.try_read(reading, lines);
        let taken = taken.unwrap_or_else(|error| Taken::Chunk(Chunk::Failed(error)));
        if !matches!(taken, Taken::Lines(_) | Taken::Chunk(Chunk::Batch(..))) {
            self.ended.store(true, Ordering::Release);
            // Its buffer is no longer needed.
            reading.source = None;
        }
        taken
    }

    fn try_read(&self, reading: &mut Reading, lines: &mut Lines) -> io::Result<Taken> {
        let source = match &mut reading.source {
            Some(source) => source,
            none => none.insert(open(self.path)?),
        };
        self.packed.store(source.is_packed(), Ordering::Relaxed);
        let taken = source.take_lines(lines)?;
        let before = std::mem::replace(&mut reading.bytes, source.bytes_read());
        let bytes = reading.bytes - before;
        Ok(match taken {
            None => Taken::Chunk(Chunk::End),
            Some(Ok(())) => Taken::Lines(bytes),
            Some(Err(TooLong)) => {
                let mut batch = Batch::default();
                batch.too_long();
                Taken::Chunk(Chunk::Batch(batch, bytes))
            }
        })
    }
}

impl Pool<'_, '_> {
    /// Reads and counts as long as there is something.
    fn work(&self, mut scanner: Scanner) {
        let mut lines = Lines::new();
        let mut last = Place::default();
        while let Some((place, taken)) = self.take(&mut lines) {
            // What was seen in a later log must not keep back the first visit of an earlier one.
            if place < last {
                scanner.forget();
            }
            last = place;
            let chunk = match taken {
                Taken::Chunk(chunk) => chunk,
                Taken::Lines(bytes) => {
                    let mut batch = self.spare.lock().pop().unwrap_or_default();
                    scanner.scan(&lines, &mut batch);
                    Chunk::Batch(batch, bytes)
                }
            };
            self.hand_over(place, chunk);
        }
    }

    /// Takes lines of the first log that has some and that no other thread is busy with; `None` if there are no more,
    /// or no more are to be counted.
    fn take(&self, lines: &mut Lines) -> Option<(Place, Taken)> {
        while !self.failed.load(Ordering::Acquire) && !interrupted() {
            let found = self.found.lock();
            let (turn, full) = (found.turn, found.held > self.held);
            drop(found);
            let logs = self.logs.iter().enumerate().skip(turn.0);
            // The log whose turn it is never waits for room, so there will be some.
            let mut open = logs
                .take(if full { 1 } else { usize::MAX })
                .filter(|(_, log)| !log.ended.load(Ordering::Acquire));
            let Some((first, log)) = open.next() else {
                if !full {
                    return None;
                }
                let mut found = self.found.lock();
                if found.turn == turn {
                    // Not for ever: after a failure or an interrupt it moves no more.
                    self.moved.wait_for(&mut found, PAUSE);
                }
                continue;
            };
            let free = match log.idle() {
                Some(reading) => Some((first, reading)),
                None => open.find_map(|(at, log)| Some((at, log.idle()?))),
            };
            // All are busy: the first is the most urgent.
            let (at, mut reading) = free.unwrap_or_else(|| (first, log.reading.lock()));
            let log = &self.logs[at];
            if log.ended.load(Ordering::Acquire) {
                continue;
            }
            let taken = log.read(&mut reading, lines);
            if interrupted() {
                // It may be half a line of what was to come.
                return None;
            }
            let number = reading.chunks;
            reading.chunks += 1;
            return Some(((at, number), taken));
        }
        None
    }

    /// Puts what was found where its turn will come, and counts what has its turn now.
    fn hand_over(&self, place: Place, chunk: Chunk) {
        self.found.lock().insert(place, chunk);
        loop {
            // Another thread that counts will count this too.
            let Some(mut counting) = self.counting.try_lock() else { return };
            while !self.failed.load(Ordering::Acquire) {
                let Some((log, chunk)) = self.found.lock().next() else { break };
                self.moved.notify_all();
                if let Err(failure) = self.count(&mut counting, log, chunk) {
                    *self.failure.lock() = Some(failure);
                    self.failed.store(true, Ordering::Release);
                    return;
                }
            }
            drop(counting);
            // It may have come when this thread had stopped looking, and the other one still saw it count.
            let found = self.found.lock();
            if self.failed.load(Ordering::Acquire) || !found.waiting.contains_key(&found.turn) {
                return;
            }
        }
    }

    fn count(&self, counting: &mut Counting<'_>, log: usize, chunk: Chunk) -> Result<(), Failure> {
        let path = self.logs[log].path;
        match chunk {
            Chunk::Batch(batch, bytes) => {
                counting.take(path, &batch, bytes)?;
                self.spare.lock().push(batch);
                Ok(())
            }
            Chunk::Failed(error) => Err(counting.failed(path, &error)),
            Chunk::End => {
                counting.next_log();
                Ok(())
            }
        }
    }
}

impl Log<'_> {
    /// The right to read, unless another thread has it for long.
    fn idle(&self) -> Option<MutexGuard<'_, Reading>> {
        if self.packed.load(Ordering::Relaxed) {
            self.reading.try_lock()
        } else {
            Some(self.reading.lock())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tallis::{Store, Visitors};

    use super::super::every::Every;
    use super::super::layout::Layout;
    use super::super::tally::Tally;
    use super::*;
    use crate::progress::Progress;

    /// Lines of so many visitors, three a day.
    fn text(from: u32, visitors: u32) -> String {
        let line = |visitor: u32| {
            let day = visitor / 3 % 28 + 1;
            format!(
                "v{visitor} - - [{day:02}/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 512\n"
            )
        };
        (from..from + visitors).map(line).collect()
    }

    #[test]
    fn little_room_for_what_is_found_too_early_is_no_hindrance() {
        let folder = tempfile::tempdir().unwrap();
        let logs: Vec<_> = (0..6_u32)
            .map(|log| {
                let (file, text) =
                    (folder.path().join(log.to_string()), text(log * 10_000, 20_000));
                let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(text.as_bytes()).unwrap();
                let packed = encoder.finish().unwrap();
                std::fs::write(&file, if log % 3 == 2 { text.into_bytes() } else { packed })
                    .unwrap();
                file
            })
            .collect();
        let count = |held: usize, threads: usize| {
            let store = Store::new();
            let visitors = Visitors::book(store.clone());
            let tally = Tally::new(&store, &visitors);
            let mut counting = Counting::new(tally, Progress::new(None), false);
            let scanner = || Scanner::new(Layout::default(), Every::Day).strict(true);
            let threads = NonZeroUsize::new(threads).unwrap();
            count_holding(held, &logs, threads, &scanner, &mut counting).unwrap();
            let report = counting.finish().0.report().unwrap();
            report.buckets.iter().map(|row| (row.events, row.exact, row.approx)).collect::<Vec<_>>()
        };
        let want = count(HELD, 1);
        assert_eq!(want.iter().map(|row| row.0).sum::<u64>(), 120_000);
        assert_eq!(want.iter().map(|row| row.1).sum::<u64>(), 70_000);
        for held in [0, 1 << 16, HELD] {
            for threads in [2, 3, 8] {
                assert_eq!(count(held, threads), want, "{held} {threads}");
            }
        }
    }
}
