//! Reading logs with several threads, with the result of one.
//!
//! # Idea
//!
//! A thread takes some lines of a log, finds the visits in them, and passes these on. They are counted in the order of
//! the logs and their lines, by any thread that has the next of them:
//!
//! ```text
//!           lines                   visits
//! log 1    [0][1][2][3]   scan    [0][1] . [3]   count     0, 1, and 2 before 3
//! log 2    [0][1]        ------>     [0]        ------->   when log 1 has ended
//! ```
//!
//! Counting is a small part of the work, because nearly all visits that were counted before are dropped by
//! [`Scanner`](super::scan::Scanner). It is done in order, so forecasts, line numbers and the first error are those of
//! a single thread, for any schedule of the threads.
//!
//! A compressed log is decompressed by one thread at a time, so the others continue with the logs after it. Their
//! results are held until it is their turn, up to [`HELD`] bytes.

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

/// The most bytes of results of logs whose turn has not come.
const HELD: usize = 64 << 20;

/// The interval at which a thread checks again whether there is room.
const PAUSE: Duration = Duration::from_millis(20);

/// Counts logs with this number of threads, each of which has a scanner of its own.
pub(super) fn count(
    logs: &[PathBuf],
    threads: NonZeroUsize,
    scanner: &(impl Fn() -> Scanner + Sync),
    counting: &mut Counting<'_>,
) -> Result<(), Failure> {
    count_holding(HELD, logs, threads, scanner, counting)
}

/// As [`count`], with this limit of held bytes.
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
    /// The limit of held bytes.
    held: usize,
    logs: Vec<Log<'a>>,
    found: Mutex<Found>,
    /// Notified when the turn changes.
    moved: Condvar,
    counting: Mutex<&'a mut Counting<'v>>,
    /// Counted batches, for reuse: the system would have to clear memory that is released and allocated again.
    spare: Mutex<Vec<Batch>>,
    failure: Mutex<Option<Failure>>,
    failed: AtomicBool,
}

/// A log. One thread at a time takes its lines.
struct Log<'a> {
    path: &'a Path,
    reading: Mutex<Reading>,
    /// Whether its lines are compressed, and so take long to read.
    packed: AtomicBool,
    ended: AtomicBool,
}

/// The state of reading a log.
#[derive(Default)]
struct Reading {
    source: Option<Input>,
    chunks: u64,
    bytes: u64,
}

/// The index of a log, and of a chunk in it.
type Place = (usize, u64);

/// Results that were not counted yet.
#[derive(Default)]
struct Found {
    /// The next chunk to count.
    turn: Place,
    waiting: BTreeMap<Place, Chunk>,
    /// The approximate number of bytes.
    held: usize,
}

/// The result of reading a chunk of a log.
enum Chunk {
    Batch(Batch, u64),
    End,
    Failed(io::Error),
}

/// The lines that a thread has taken.
enum Taken {
    /// Lines, of this number of bytes.
    Lines(u64),
    Chunk(Chunk),
}

impl Found {
    fn insert(&mut self, place: Place, chunk: Chunk) {
        self.held += chunk.size();
        self.waiting.insert(place, chunk);
    }

    /// Returns the next chunk to count, with its log, if its result is available.
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
    /// Reads and counts until there is nothing left.
    fn work(&self, mut scanner: Scanner) {
        let mut lines = Lines::new();
        let mut last = Place::default();
        while let Some((place, taken)) = self.take(&mut lines) {
            // Visits that were seen in a later log must not suppress the first visit in an earlier one.
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

    /// Takes lines of the first log that has some and that no other thread is reading; `None` if there are no more, or
    /// if counting has stopped.
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
                    // With a timeout, because after a failure or an interrupt there is no notification.
                    self.moved.wait_for(&mut found, PAUSE);
                }
                continue;
            };
            let free = match log.idle() {
                Some(reading) => Some((first, reading)),
                None => open.find_map(|(at, log)| Some((at, log.idle()?))),
            };
            // All logs are being read: wait for the first, which is the most urgent.
            let (at, mut reading) = free.unwrap_or_else(|| (first, log.reading.lock()));
            let log = &self.logs[at];
            if log.ended.load(Ordering::Acquire) {
                continue;
            }
            let taken = log.read(&mut reading, lines);
            if interrupted() {
                // The lines may be incomplete.
                return None;
            }
            let number = reading.chunks;
            reading.chunks += 1;
            return Some(((at, number), taken));
        }
        None
    }

    /// Stores the result of a chunk, and counts the chunks whose turn it is.
    fn hand_over(&self, place: Place, chunk: Chunk) {
        self.found.lock().insert(place, chunk);
        loop {
            // The thread that is counting will count this too.
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
            // A result may have been stored after this thread stopped looking, while the other one still saw the lock
            // held.
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
    /// Returns the lock for reading, unless another thread holds it for long.
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

    /// Returns lines of this number of visitors, three per day.
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
