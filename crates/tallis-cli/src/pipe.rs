//! A stream that may have nothing to read for a while.

use std::io::{self, Read};

/// A stream whose reader is woken by an [interrupt](crate::interrupt), which would otherwise wait for the next bytes.
#[derive(Debug)]
pub(crate) struct Pipe<R>(pub(crate) R);

/// Standard input, with no buffer that could hold what is waited for.
#[cfg(unix)]
pub(crate) fn standard_input() -> io::Result<std::fs::File> {
    use std::os::fd::AsFd;
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

/// Standard input.
#[cfg(not(unix))]
pub(crate) fn standard_input() -> io::Result<io::Stdin> {
    Ok(io::stdin())
}

#[cfg(unix)]
impl<R: Read + std::os::fd::AsFd> Read for Pipe<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        unix::wait(&self.0)?;
        self.0.read(buffer)
    }
}

/// Elsewhere the next bytes are waited for.
#[cfg(not(unix))]
impl<R: Read> Read for Pipe<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::fd::AsFd;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;

    use crate::interrupt::interrupted;

    /// The time after which it is looked for an interrupt again: a tenth of a second.
    const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

    /// Waits until there is something to read, or the end, or an interrupt, which is an error.
    pub(super) fn wait(stream: &impl AsFd) -> io::Result<()> {
        while !interrupted() {
            match poll(&mut [PollFd::new(stream, PollFlags::IN)], Some(&PAUSE)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::Error::other("interrupted"))
    }
}
