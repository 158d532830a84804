//! The append-only log: writes the effects of commands to disk.
//!
//! Effects are added to a buffer while the locks of their keys are held, so that they are in the log in the order in
//! which each key changed. The buffer is written by one thread at a time, which takes the file out of the state: the
//! log's own thread, or a command that waits for its bytes to be synced. A command that waits while another thread
//! writes then finds the bytes of all waiting commands in the buffer, and syncs them together.

mod base;

use std::io;
use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aof::LogWriter;

use super::background::Background;
use super::cut::Cut;
use super::group::Group;
use super::rounds::Rounds;
use super::settings::{Fsync, OnLogError};
use super::tail::Tail;
use crate::error::{Error, ErrorKind, Result};
use crate::store::Effect;
use crate::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use crate::sync::{Condvar, Mutex, MutexGuard};

/// How long a command stays in the buffer before the log's thread writes it.
const DELAY: Duration = Duration::from_millis(20);

/// The interval of syncs, and of retries after a failed write, or after a failed rewrite of a truncated log.
const SECOND: Duration = Duration::from_secs(1);

/// The number of bytes in the buffer at which the thread writes immediately.
const MUCH: usize = 256 << 10;

/// The number of bytes in the buffer at which commands wait until it is written, and in the file at which it is synced
/// before the interval ends.
const TOO_MUCH: usize = 64 << 20;

/// The append-only log.
#[derive(Debug)]
pub(crate) struct Log {
    state: Mutex<State>,
    /// Signals that there is something to write, or that the log is closed.
    work: Condvar,
    /// Signals that something was written, or could not be written.
    done: Rounds,
    /// Signals that as many threads as expected wait for the next sync.
    gathered: Condvar,
    /// Woken when the log needs to be rewritten.
    background: Arc<Background>,
    fsync: AtomicU8,
    on_error: OnLogError,
    /// Whether writes are refused.
    refuses: AtomicBool,
}

#[derive(Debug)]
struct State {
    /// Bytes that are not written yet.
    buffer: Vec<u8>,
    writer: LogWriter,
    /// The number of bytes added to the log since it was opened.
    end: u64,
    /// The number of these that are synced.
    synced: u64,
    /// The file, unless a thread is writing to it.
    tail: Option<Tail>,
    /// The position at which the next file starts, if that is not written yet.
    cut: Option<Cut>,
    /// The size of all files of the log, and the size from which on it is to be rewritten, in bytes.
    size: u64,
    rewrite_at: u64,
    /// The size of the base, in bytes.
    base: u64,
    /// When a rewrite has failed.
    not_rewritten: Option<Instant>,
    /// The error of the last write or sync.
    error: Option<Arc<io::Error>>,
    /// Whether effects were dropped because the buffer became too large: the log ends before them, and the error stays.
    is_cut_short: bool,
    /// What follows once the log continues after a base that has the dropped effects.
    held: Option<Held>,
    /// Whether the thread waits for something to write.
    is_idle: bool,
    /// Threads that wait for a sync of the buffer.
    group: Group,
    closing: bool,
}

/// What waits for a base that is being written.
#[derive(Debug)]
struct Held {
    /// The file that continues after the base.
    tail: Tail,
    /// The bytes that were in the buffer at the start of the base, and are in the base.
    before: Vec<u8>,
}

impl State {
    /// Returns whether the disk lacks dropped effects, also while a base with them is being written.
    const fn ends_early(&self) -> bool {
        self.is_cut_short || self.held.is_some()
    }
}

impl Log {
    pub(super) fn new(
        tail: Tail,
        fsync: Fsync,
        on_error: OnLogError,
        background: Arc<Background>,
    ) -> Self {
        let state = State {
            buffer: Vec::new(),
            writer: LogWriter::new(),
            end: 0,
            synced: 0,
            tail: Some(tail),
            cut: None,
            size: 0,
            base: 0,
            rewrite_at: u64::MAX,
            not_rewritten: None,
            error: None,
            is_cut_short: false,
            held: None,
            is_idle: false,
            group: Group::default(),
            closing: false,
        };
        Self {
            state: Mutex::new(state),
            work: Condvar::new(),
            done: Rounds::default(),
            gathered: Condvar::new(),
            background,
            fsync: AtomicU8::new(fsync as u8),
            on_error,
            refuses: AtomicBool::new(false),
        }
    }

    fn fsync(&self) -> Fsync {
        match self.fsync.load(Ordering::Relaxed) {
            0 => Fsync::Always,
            1 => Fsync::EverySecond,
            _ => Fsync::No,
        }
    }

    /// Returns an error if writes are refused.
    #[inline]
    pub(crate) fn check(&self) -> Result<()> {
        if self.refuses.load(Ordering::Relaxed) { Err(self.refused()) } else { Ok(()) }
    }

    #[cold]
    fn refused(&self) -> Error {
        let error = self.error().map(|error| reason(&error)).unwrap_or_default();
        Error::new(ErrorKind::Io, format!("MISCONF Errors writing to the AOF file: {error}"))
    }

    /// The error because of which the log cannot be written at present.
    pub(crate) fn error(&self) -> Option<Arc<io::Error>> {
        self.state.lock().error.clone()
    }

    /// Adds the effects of a command or transaction; returns the offset in the log to [`wait`](Self::wait) for, or 0 if
    /// there is none.
    pub(crate) fn append(&self, effects: &[Effect]) -> u64 {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        if state.error.is_some() && state.buffer.len() > TOO_MUCH && !state.is_cut_short {
            state.is_cut_short = true;
            self.background.wake();
        }
        if state.is_cut_short {
            return state.end;
        }
        let before = state.buffer.len();
        let commands = effects.iter().map(|effect| (effect.db, &effect.args[..]));
        state.writer.append(commands, &mut state.buffer);
        let added = (state.buffer.len() - before) as u64;
        state.end += added;
        state.size += added;
        // With the other policies, commands only wait if the buffer is too large.
        let waits = self.fsync() == Fsync::Always || state.buffer.len() > TOO_MUCH;
        let place = if waits { state.end } else { 0 };
        if mem::take(&mut state.is_idle) || (before < MUCH && state.buffer.len() >= MUCH) {
            self.work.notify_one();
        }
        place
    }

    /// Waits until a command whose effects end at that offset may return. No lock of the store may be held.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if commands wait for the disk, and it failed to write or to sync: the change was made in
    /// memory and is not on disk.
    pub(crate) fn wait(&self, place: u64) -> Result<()> {
        if self.fsync() == Fsync::Always {
            return self.sync_to(place);
        }
        let mut state = self.state.lock();
        while state.buffer.len() > TOO_MUCH && state.error.is_none() {
            self.done.wait(&mut state);
        }
        Ok(())
    }

    /// Writes and syncs everything.
    ///
    /// # Errors
    ///
    /// As [`wait`](Self::wait).
    pub(super) fn sync(&self) -> Result<()> {
        let end = self.state.lock().end;
        self.sync_to(end)
    }

    fn sync_to(&self, place: u64) -> Result<()> {
        let mut state = self.state.lock();
        if state.synced < place && state.group.join() {
            self.gathered.notify_one();
        }
        while state.synced < place || state.ends_early() {
            if let Some(error) = &state.error {
                return Err(not_on_disk(error));
            }
            if state.group.gathers() || state.tail.is_none() {
                self.done.wait(&mut state);
                continue;
            }
            self.gather(&mut state);
            if state.tail.is_some() && state.synced < place && state.error.is_none() {
                self.flush(&mut state, true);
            } else {
                // Another thread has done it, and the threads that wait for this one do not know.
                self.done.end(&state);
            }
        }
        Ok(())
    }

    /// Waits for the others of the group.
    fn gather(&self, state: &mut MutexGuard<'_, State>) {
        if state.group.is_complete() {
            return;
        }
        let until = now() + state.group.begin();
        while !state.group.is_complete() {
            if self.gathered.wait_until(state, until).timed_out() {
                break;
            }
        }
        state.group.end();
    }

    /// Sets when writes are synced.
    pub(super) fn set_fsync(&self, fsync: Fsync) {
        self.fsync.store(fsync as u8, Ordering::Relaxed);
        self.work.notify_one();
    }

    /// The size of all files of the log, of its base, and of the buffer, in bytes.
    pub(crate) fn sizes(&self) -> [u64; 3] {
        let state = self.state.lock();
        [state.size, state.base, state.buffer.len() as u64]
    }

    /// Writes the buffer, and syncs the file if `sync`. The state is not locked meanwhile.
    fn flush(&self, state: &mut MutexGuard<'_, State>, sync: bool) {
        if state.held.is_some() {
            return;
        }
        let Some(mut tail) = state.tail.take() else { return };
        // The next buffer is likely to become as long.
        let next = Vec::with_capacity(state.buffer.len().min(2 * MUCH));
        let bytes = mem::replace(&mut state.buffer, next);
        let (end, mut cut) = (state.end, state.cut.take());
        let released = state.group.leave();
        let begun = now();
        // Bytes that are never synced need not be kept for a retry.
        let keep = self.fsync() != Fsync::No;
        let result = MutexGuard::unlocked(state, || {
            let bytes = Cut::pass(&mut cut, &mut tail, bytes)?;
            if !bytes.is_empty() {
                tail.write(bytes, keep)?;
            }
            if sync { tail.sync() } else { Ok(()) }
        });
        match result {
            Ok(()) => {
                if sync {
                    state.synced = end;
                    state.group.release(released, begun.elapsed());
                }
                if !state.ends_early() {
                    state.error = None;
                    self.refuses.store(false, Ordering::Relaxed);
                }
            }
            Err((error, mut bytes)) => {
                if let Some(held) = &mut state.held {
                    // They are in the base.
                    bytes.append(&mut held.before);
                    held.before = bytes;
                } else {
                    // Before the bytes that were added meanwhile.
                    match &mut state.cut {
                        Some(later) => later.shift(bytes.len()),
                        None => state.cut = cut,
                    }
                    bytes.append(&mut state.buffer);
                    state.buffer = bytes;
                }
                state.error = Some(Arc::new(error));
                let refuses = self.on_error == OnLogError::RefuseWrites;
                self.refuses.store(refuses, Ordering::Relaxed);
                // The thread tries again.
                self.work.notify_one();
            }
        }
        state.tail = Some(tail);
        if state.size >= state.rewrite_at {
            self.background.wake();
        }
        self.done.end(state);
    }

    /// Writes and syncs until the log is closed: the loop of the log's thread.
    pub(super) fn run(&self) {
        let mut last_sync = now();
        let mut last_try = now();
        let mut state = self.state.lock();
        while !state.closing {
            let unsynced = state.tail.as_ref().map_or(0, Tail::unsynced);
            // A failed write is retried even without new data, or the error would stay.
            let failed = state.error.is_some() && !state.ends_early();
            let nothing = state.buffer.is_empty() && (unsynced == 0 || self.fsync() == Fsync::No);
            if nothing && !failed {
                state.is_idle = true;
                self.work.wait(&mut state);
                state.is_idle = false;
                continue;
            }
            if state.buffer.len() < MUCH || state.error.is_some() {
                self.work.wait_for(&mut state, DELAY);
            }
            if state.error.is_some() && last_try.elapsed() < SECOND {
                continue;
            }
            let sync = match self.fsync() {
                _ if failed => true,
                Fsync::Always => true,
                Fsync::EverySecond => unsynced >= TOO_MUCH as u64 || last_sync.elapsed() >= SECOND,
                Fsync::No => false,
            };
            if sync || !state.buffer.is_empty() {
                self.flush(&mut state, sync);
                last_try = now();
            }
            if sync {
                last_sync = now();
            }
        }
        while state.tail.is_none() {
            self.done.wait(&mut state);
        }
        self.flush(&mut state, true);
    }

    /// Makes [`run`](Self::run) end, once everything is on disk or has failed.
    pub(super) fn close(&self) {
        self.state.lock().closing = true;
        self.work.notify_one();
    }
}

#[expect(clippy::disallowed_methods, reason = "it times the disk, not the expiry of keys")]
pub(super) fn now() -> Instant {
    Instant::now()
}

#[cold]
fn not_on_disk(error: &Arc<io::Error>) -> Error {
    let text = format!(
        "MISCONF Errors writing to the AOF file: {}; the change is in memory and not on disk",
        reason(error)
    );
    Error::caused(ErrorKind::Io, text, Arc::clone(error))
}

/// The message of the system, without the number.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" (os error").map_or(text.as_str(), |(text, _)| text).to_owned()
}
