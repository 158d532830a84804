//! The lines of a text: a file or a stream, plain or compressed with gzip or zstd.
//!
//! # Idea
//!
//! A text is read in large chunks into one buffer, and a line is a slice of that buffer: it is found by its line feed
//! and never copied. Only an incomplete line at the end of a chunk is moved, to the front, before the next chunk is
//! read after it. The buffer has room for the longest line allowed and one chunk, so the memory is the same for any
//! input.

mod packed;

use std::fs::File;
use std::io::{self, Read};
use std::ops::{Deref, Range};
use std::path::Path;

use memchr::{memchr, memrchr};

use self::packed::Input;

/// The longest line in bytes, without its line feed.
pub const MAX_LINE: usize = 1 << 20;

/// The number of bytes per read.
const PIECE: usize = 256 << 10;

/// A text, read line by line, or in blocks of complete lines.
///
/// # Examples
///
/// ```
/// use tallis_cli::uv::Source;
///
/// let mut source = Source::new(&b"one\r\ntwo"[..])?;
/// assert_eq!(source.next_line()?, Some(Ok(&b"one"[..])));
/// assert_eq!(source.next_line()?, Some(Ok(&b"two"[..])));
/// assert_eq!(source.next_line()?, None);
/// # std::io::Result::Ok(())
/// ```
#[derive(Debug)]
pub struct Source<R> {
    input: Input<R>,
    buffer: Box<[u8]>,
    /// The bytes that were not returned yet are `buffer[start..end]`.
    start: usize,
    end: usize,
    /// `buffer[start..searched]` has no line feed.
    searched: usize,
    /// Whether the line at the start of the buffer is the rest of one that was too long.
    skipping: bool,
    ended: bool,
    /// Whether the end of the stream may not be that of the text.
    growing: bool,
}

/// A buffer for the lines of one chunk, with the lines that were last [taken](Source::take_lines) into it.
#[derive(Debug)]
pub struct Lines {
    room: Box<[u8]>,
    taken: Range<usize>,
}

/// The error for a line that is longer than [`MAX_LINE`]; it was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

impl Source<File> {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// Those of the system, also for a folder.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Self::new(file)
    }
}

impl<R: Read> Source<R> {
    /// Creates a source on a stream. Compression by gzip or zstd is detected by the first bytes.
    ///
    /// # Errors
    ///
    /// Those of the stream.
    pub fn new(input: R) -> io::Result<Self> {
        Ok(Self {
            input: Input::new(input)?,
            buffer: room(),
            start: 0,
            end: 0,
            searched: 0,
            skipping: false,
            ended: false,
            growing: false,
        })
    }

    /// Treats the stream as growing: at its end, an incomplete line is kept until its rest arrives, and
    /// [`next_line`](Self::next_line) may be called again.
    ///
    /// # Errors
    ///
    /// If the stream is compressed, because its end is final.
    pub fn follow(&mut self) -> io::Result<()> {
        match self.input.packing() {
            None => {
                self.growing = true;
                Ok(())
            }
            Some(packing) => Err(io::Error::other(format!(
                "a file compressed with {packing} cannot be followed"
            ))),
        }
    }

    /// Returns whether the lines are compressed: decompressing takes longer than most processing of lines.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        self.input.packing().is_some()
    }

    /// Treats the stream as ended.
    pub const fn stop_following(&mut self) {
        self.growing = false;
    }

    /// Returns the number of bytes read from the stream, before decompression.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.input.bytes_read()
    }

    /// Returns the next line, without its line feed and a carriage return before it.
    ///
    /// Text after the last line feed is a line too.
    ///
    /// # Errors
    ///
    /// Those of the stream, and of gzip and zstd: a damaged or truncated file fails where the damage is detected.
    pub fn next_line(&mut self) -> io::Result<Option<Result<&[u8], TooLong>>> {
        loop {
            if let Some(length) = memchr(b'\n', &self.buffer[self.searched..self.end]) {
                let (start, feed) = (self.start, self.searched + length);
                self.start = feed + 1;
                self.searched = self.start;
                return Ok(Some(self.line(start, feed)));
            }
            match self.read_on()? {
                Reached::More => {}
                Reached::Pause => return Ok(None),
                Reached::End => {
                    let (start, end) = (self.start, self.end);
                    self.start = end;
                    return Ok((start < end || self.skipping).then(|| self.line(start, end)));
                }
            }
        }
    }

    /// Returns all complete lines in the buffer, each with its line feed; the last one of the stream may have none.
    ///
    /// It blocks only if the stream does and no complete line is in the buffer. A line that is too long is [`TooLong`],
    /// in its place between the others.
    ///
    /// # Errors
    ///
    /// As [`next_line`](Self::next_line).
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis_cli::uv::Source;
    ///
    /// let mut source = Source::new(&b"one\r\ntwo\nthree"[..])?;
    /// assert_eq!(source.next_lines()?, Some(Ok(&b"one\r\ntwo\n"[..])));
    /// assert_eq!(source.next_lines()?, Some(Ok(&b"three"[..])));
    /// assert_eq!(source.next_lines()?, None);
    /// # std::io::Result::Ok(())
    /// ```
    pub fn next_lines(&mut self) -> io::Result<Option<Result<&[u8], TooLong>>> {
        Ok(self.find_lines()?.map(|found| found.map(|lines| &self.buffer[lines])))
    }

    /// As [`next_lines`](Self::next_lines), but moves the lines out of the source, so that another thread may process
    /// them while this one reads. Only the incomplete line at the end is copied.
    ///
    /// # Errors
    ///
    /// As [`next_line`](Self::next_line).
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis_cli::uv::{Lines, Source};
    ///
    /// let mut source = Source::new(&b"one\ntwo\nthree"[..])?;
    /// let mut lines = Lines::new();
    /// assert_eq!(source.take_lines(&mut lines)?, Some(Ok(())));
    /// assert_eq!(&*lines, b"one\ntwo\n");
    /// # std::io::Result::Ok(())
    /// ```
    pub fn take_lines(&mut self, lines: &mut Lines) -> io::Result<Option<Result<(), TooLong>>> {
        lines.taken = 0..0;
        let found = match self.find_lines()? {
            None => return Ok(None),
            Some(Err(TooLong)) => return Ok(Some(Err(TooLong))),
            Some(Ok(found)) => found,
        };
        let rest = self.start..self.end;
        let length = rest.len();
        lines.room[..length].copy_from_slice(&self.buffer[rest]);
        std::mem::swap(&mut self.buffer, &mut lines.room);
        lines.taken = found;
        (self.start, self.searched, self.end) = (0, length, length);
        Ok(Some(Ok(())))
    }

    fn find_lines(&mut self) -> io::Result<Option<Result<Range<usize>, TooLong>>> {
        loop {
            let unseen = &self.buffer[self.searched..self.end];
            if self.skipping {
                if let Some(length) = memchr(b'\n', unseen) {
                    self.start = self.searched + length + 1;
                    self.searched = self.start;
                    self.skipping = false;
                    return Ok(Some(Err(TooLong)));
                }
            } else if let Some(length) = memrchr(b'\n', unseen) {
                let (start, end) = (self.start, self.searched + length + 1);
                self.start = end;
                self.searched = self.end;
                return Ok(Some(Ok(start..end)));
            }
            match self.read_on()? {
                Reached::More => {}
                Reached::Pause => return Ok(None),
                Reached::End => {
                    let (start, end) = (self.start, self.end);
                    self.start = end;
                    let line = &self.buffer[start..end];
                    let long = line.strip_suffix(b"\r").unwrap_or(line).len() > MAX_LINE;
                    if std::mem::take(&mut self.skipping) || long {
                        return Ok(Some(Err(TooLong)));
                    }
                    return Ok((start < end).then_some(Ok(start..end)));
                }
            }
        }
    }

    fn line(&mut self, start: usize, end: usize) -> Result<&[u8], TooLong> {
        let line = &self.buffer[start..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if std::mem::take(&mut self.skipping) || line.len() > MAX_LINE {
            return Err(TooLong);
        }
        Ok(line)
    }

    /// Reads more, if the buffer has no line feed.
    fn read_on(&mut self) -> io::Result<Reached> {
        self.searched = self.end;
        // One byte more than a line may have, because a carriage return may follow it.
        if self.end - self.start > MAX_LINE + 1 {
            self.skipping = true;
        }
        if self.skipping {
            self.start = self.end;
        }
        if self.ended && self.growing {
            self.ended = false;
            return Ok(Reached::Pause);
        }
        if self.ended {
            return Ok(Reached::End);
        }
        self.fill()?;
        Ok(Reached::More)
    }

    /// Moves the remaining bytes to the front and reads one chunk after them.
    fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.searched -= self.start;
            self.start = 0;
        }
        let piece = &mut self.buffer[self.end..self.end + PIECE];
        let read = loop {
            match self.input.read(piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.end += read;
        self.ended = read == 0;
        Ok(())
    }
}

impl Lines {
    /// Creates an empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self { room: room(), taken: 0..0 }
    }
}

impl Default for Lines {
    fn default() -> Self {
        Self::new()
    }
}

/// The lines, each with its line feed, except possibly the last.
impl Deref for Lines {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.room.get(self.taken.clone()).unwrap_or_default()
    }
}

/// The outcome of reading more.
enum Reached {
    /// There may be more bytes than before.
    More,
    /// There are none now.
    Pause,
    /// The stream has ended.
    End,
}

/// Allocates a buffer for the longest line and a chunk after it.
fn room() -> Box<[u8]> {
    vec![0; MAX_LINE + 1 + PIECE].into_boxed_slice()
}

#[cfg(test)]
mod tests;
