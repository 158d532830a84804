//! Interrupts, and other signals to terminate.

use std::io::{self, Read};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::failure::Failure;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static WATCHED: OnceLock<Result<(), String>> = OnceLock::new();

/// The action of an interrupt, for a program that does not poll [`interrupted`].
type Action = Box<dyn FnOnce() -> Failure + Send>;

static ACTION: Mutex<Option<Action>> = Mutex::new(None);

/// Watches for interrupts: SIGINT, SIGTERM and SIGHUP no longer end the process, which has to poll [`interrupted`] and
/// end by itself. A second signal ends it at once.
pub(crate) fn watch() -> Result<(), Failure> {
    let watched = WATCHED.get_or_init(|| {
        let note = || {
            if INTERRUPTED.swap(true, Ordering::AcqRel) {
                std::process::exit(STATUS);
            }
            let action = ACTION.lock().take();
            if let Some(action) = action {
                let failure = action();
                failure.report();
                std::process::exit(failure.status().into());
            }
        };
        ctrlc::set_handler(note).map_err(|error| format!("cannot wait for an interrupt: {error}"))
    });
    watched.clone().map_err(Failure::Trouble)
}

/// As [`watch`], for a process that blocks where it cannot poll: `action` is called in a thread of its own, and the
/// process ends with its result.
pub(crate) fn watch_and(action: impl FnOnce() -> Failure + Send + 'static) -> Result<(), Failure> {
    *ACTION.lock() = Some(Box::new(action));
    watch()
}

/// The exit status after a second interrupt: 128 and the number of SIGINT.
const STATUS: i32 = 130;

/// Returns whether there was an interrupt since [`watch`].
#[inline]
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Acquire)
}

/// Fails if there was an interrupt; `what` says what happens to the work.
pub(crate) fn check(what: &str) -> Result<(), Failure> {
    if interrupted() { Err(Failure::Interrupted(format!("interrupted: {what}"))) } else { Ok(()) }
}

/// A reader that an interrupt wakes: then reading fails, if interrupts are watched for. The end of a terminal's input
/// is final, although it could continue.
#[derive(Debug)]
pub(crate) struct Interruptible<R> {
    input: R,
    ended: bool,
}

impl<R> Interruptible<R> {
    pub(crate) const fn new(input: R) -> Self {
        Self { input, ended: false }
    }
}

#[cfg(unix)]
impl<R: Read + std::os::fd::AsFd> Read for Interruptible<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        wait(&self.input)?;
        let read = self.input.read(buffer)?;
        self.ended = read == 0 && !buffer.is_empty();
        Ok(read)
    }
}

/// On other systems an interrupt is detected when the next bytes arrive.
#[cfg(not(unix))]
impl<R: Read> Read for Interruptible<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = if self.ended { 0 } else { self.input.read(buffer)? };
        self.ended = read == 0 && !buffer.is_empty();
        if interrupted() { Err(io::Error::other("interrupted")) } else { Ok(read) }
    }
}

/// Waits for bytes, or for an interrupt.
#[cfg(unix)]
fn wait(input: &impl std::os::fd::AsFd) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    /// The interval at which interrupts are polled.
    const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

    if WATCHED.get().is_none() {
        return Ok(());
    }
    loop {
        if interrupted() {
            return Err(io::Error::other("interrupted"));
        }
        match poll(&mut [PollFd::new(input, PollFlags::IN)], Some(&PAUSE)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
}
