//! Switching from one file of the log to the next.

use std::fmt;
use std::io;

use super::tail::Tail;

/// Adds a file to the manifest.
type List = Box<dyn FnMut() -> io::Result<()> + Send>;

/// The position in the buffer at which the next file starts: the bytes before it are written and synced, then the file
/// is added to the manifest, and then it receives the rest. So all files before the last one are always complete.
pub(super) struct Cut {
    /// The number of bytes of the buffer that belong to the previous file.
    at: usize,
    /// The next file, which is empty.
    tail: Tail,
    list: List,
}

impl fmt::Debug for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cut")
            .field("at", &self.at)
            .field("tail", &self.tail)
            .finish_non_exhaustive()
    }
}

impl Cut {
    pub(super) const fn new(at: usize, tail: Tail, list: List) -> Self {
        Self { at, tail, list }
    }

    /// Adjusts the position after bytes were put back at the front of the buffer.
    pub(super) const fn shift(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Switches to the next file, if there is a cut; returns the bytes for it.
    ///
    /// # Errors
    ///
    /// The errors of the disk, with all bytes that are not written; the cut is kept, at its position in them.
    pub(super) fn pass(
        cut: &mut Option<Self>,
        tail: &mut Tail,
        mut bytes: Vec<u8>,
    ) -> Result<Vec<u8>, (io::Error, Vec<u8>)> {
        let Some(this) = cut else { return Ok(bytes) };
        let rest = bytes.split_off(this.at.min(bytes.len()));
        let before = if bytes.is_empty() { Ok(()) } else { tail.write(bytes, true) };
        if let Err((error, mut kept)) = before.and_then(|()| tail.sync()) {
            this.at = kept.len();
            kept.extend_from_slice(&rest);
            return Err((error, kept));
        }
        this.at = 0;
        if let Err(error) = (this.list)() {
            return Err((error, rest));
        }
        if let Some(next) = cut.take() {
            *tail = next.tail;
        }
        Ok(rest)
    }
}
