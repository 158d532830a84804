//! An interrupt, or the wish of the system that the program ends.

use std::io::{self, Read};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static WATCHED: OnceLock<Result<(), String>> = OnceLock::new();

/// Watches for interrupts: SIGINT, SIGTERM and SIGHUP no longer end the process, which is to look at
/// [`interrupted`] and end by itself. A second one ends it at once.
pub(crate) fn watch() -> Result<(), Failure> {
    let watched = WATCHED.get_or_init(|| {
        let note = || {
            if INTERRUPTED.swap(true, Ordering::AcqRel) {
                std::process::exit(STATUS);
            }
        };
        ctrlc::set_handler(note).map_err(|error| format!("cannot wait for an interrupt: {error}"))
    });
    watched.clone().map_err(Failure::Trouble)
}

/// The exit status of a process that a second interrupt ended: 128 and the number of SIGINT.
const STATUS: i32 = 130;

/// Whether an interrupt has come since [`watch`].
#[inline]
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Acquire)
}

/// A reader that an interrupt wakes: to read is an error then, if interrupts are watched for.
#[derive(Debug)]
pub(crate) struct Interruptible<R>(pub(crate) R);

#[cfg(unix)]
impl<R: Read + std::os::fd::AsFd> Read for Interruptible<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        wait(&self.0)?;
        self.0.read(buffer)
    }
}

/// Elsewhere an interrupt is noticed when the next bytes come.
#[cfg(not(unix))]
impl<R: Read> Read for Interruptible<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        if interrupted() { Err(io::Error::other("interrupted")) } else { Ok(read) }
    }
}

/// Waits for bytes, or for an interrupt.
#[cfg(unix)]
fn wait(input: &impl std::os::fd::AsFd) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    /// The time after which an interrupt is looked for again.
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
