//! Decoding by several threads.
//!
//! # Idea
//!
//! The thread that reads the file only looks for the ends of keys, and divides it into batches of whole keys. Other
//! threads take the batches, decode the values and add them to stripes, each behind its own lock. If enough batches
//! wait, the first thread takes one itself. Large values are decoded while they are read, so that only a few batches
//! are in memory twice.

use std::collections::VecDeque;
use std::io::Read;

use rdb::{Batch, Reader};

use super::error::LoadError;
use super::keys::{Stripes, Tally};
use crate::sync::thread;
use crate::sync::{Condvar, Mutex};

/// The number of bytes of a batch.
const BATCH: usize = 256 << 10;

/// The number of bytes that may wait.
const WAITING: usize = 2 << 20;

/// The number of bytes of a file that are read before other threads are started.
const WORTH_THREADS: u64 = 1 << 20;

/// Batches that wait to be read.
#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    /// Signals a batch, or the end.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    batches: VecDeque<(u32, Batch)>,
    bytes: usize,
    /// Whether no more batches will be added.
    ended: bool,
    error: Option<LoadError>,
}

impl Queue {
    /// Adds a batch, or returns it if enough are waiting.
    fn push(&self, db: u32, batch: Batch) -> Option<Batch> {
        let mut state = self.state.lock();
        if state.bytes >= WAITING {
            return Some(batch);
        }
        state.bytes += batch.len();
        state.batches.push_back((db, batch));
        drop(state);
        self.changed.notify_one();
        None
    }

    fn pop(&self) -> Option<(u32, Batch)> {
        let mut state = self.state.lock();
        loop {
            if let Some((db, batch)) = state.batches.pop_front() {
                state.bytes -= batch.len();
                return Some((db, batch));
            }
            if state.ended {
                return None;
            }
            self.changed.wait(&mut state);
        }
    }

    fn end(&self) {
        self.state.lock().ended = true;
        self.changed.notify_all();
    }

    /// Keeps the first error in the file.
    fn fail(&self, error: LoadError) {
        let mut state = self.state.lock();
        if state.error.as_ref().is_none_or(|first| error.offset() < first.offset()) {
            state.error = Some(error);
        }
    }

    fn has_failed(&self) -> bool {
        self.state.lock().error.is_some()
    }

    /// Decodes batches until there are no more.
    fn work(&self, stripes: &Stripes<'_>, tally: &mut Tally) {
        while let Some((db, batch)) = self.pop() {
            if let Err(error) = stripes.read_batch(db, batch.into_reader(), tally) {
                self.fail(error);
            }
        }
        if let Err(error) = stripes.finish(tally) {
            self.fail(error);
        }
    }
}

/// Reads the rest of a file.
pub(super) fn read(
    reader: &mut Reader<impl Read>,
    stripes: &Stripes<'_>,
    tally: &mut Tally,
    threads: usize,
) -> Result<(), LoadError> {
    let queue = Queue::default();
    let mut db = 0;
    thread::scope(|scope| {
        let mut workers = Vec::new();
        loop {
            match read_next(reader, stripes, &mut db, tally, &queue) {
                Ok(true) if !queue.has_failed() => {}
                Ok(_) => break,
                Err(error) => {
                    queue.fail(error);
                    break;
                }
            }
            if workers.is_empty() && reader.offset() >= WORTH_THREADS {
                workers.extend((1..threads).map(|_| {
                    scope.spawn(|| {
                        let mut tally = stripes.tally();
                        queue.work(stripes, &mut tally);
                        tally
                    })
                }));
            }
        }
        queue.end();
        queue.work(stripes, tally);
        for worker in workers {
            match worker.join() {
                Ok(other) => tally.add(other),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    queue.state.into_inner().error.map_or(Ok(()), Err)
}

/// Reads the next batch or record; `false` at the end.
fn read_next(
    reader: &mut Reader<impl Read>,
    stripes: &Stripes<'_>,
    db: &mut u32,
    tally: &mut Tally,
    queue: &Queue,
) -> Result<bool, LoadError> {
    if let Some(batch) = reader.next_batch(BATCH)? {
        if let Some(batch) = queue.push(*db, batch) {
            stripes.read_batch(*db, batch.into_reader(), tally)?;
        }
        return Ok(true);
    }
    let Some(record) = reader.next_record()? else { return Ok(false) };
    stripes.read_record(record, reader, db, tally)?;
    Ok(true)
}
