//! The lines of a log: a file or a stream, plain or gzip.
//!
//! # Idea
//!
//! A log is read in large chunks into one buffer, and a line is a slice of that buffer: it is found by its line feed
//! and never copied. Only the part of a line that the end of a chunk cut off moves, to the front, before the next chunk
//! is read behind it. The buffer has room for the longest line allowed and one chunk, so memory stays the same whatever
//! the input.

use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use memchr::{memchr, memrchr};

/// The longest line, in bytes, its line feed left out.
pub const MAX_LINE: usize = 1 << 20;

/// The bytes asked for at once.
const PIECE: usize = 256 << 10;

/// The first bytes of a gzip file.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A log, read line by line.
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
    /// The bytes that no line has taken yet are `buffer[start..end]`.
    start: usize,
    end: usize,
    /// Up to here `buffer[start..]` has no line feed.
    searched: usize,
    /// Whether the line that starts the buffer is the rest of one that was too long.
    skipping: bool,
    ended: bool,
    /// Whether the end of the stream is that of the log.
    growing: bool,
}

/// A line that is longer than [`MAX_LINE`]; it was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

impl Source<File> {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// Those of the system; a folder is one too.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Self::new(file)
    }
}

impl<R: Read> Source<R> {
    /// Takes a stream, and looks at its first two bytes for whether it is gzip.
    ///
    /// # Errors
    ///
    /// Those of the stream.
    pub fn new(input: R) -> io::Result<Self> {
        Ok(Self {
            input: Input::new(input)?,
            buffer: vec![0; MAX_LINE + 1 + PIECE].into_boxed_slice(),
            start: 0,
            end: 0,
            searched: 0,
            skipping: false,
            ended: false,
            growing: false,
        })
    }

    /// Takes the stream for one that grows: where it ends, what stands behind the last line feed waits for the rest of
    /// its line, and [`next_line`](Self::next_line) may be asked again.
    ///
    /// # Errors
    ///
    /// A gzip stream, whose end is its end.
    pub fn follow(&mut self) -> io::Result<()> {
        match self.input {
            Input::Plain(_) => {
                self.growing = true;
                Ok(())
            }
            Input::Gzip(_) => Err(io::Error::other("gzip cannot be followed")),
        }
    }

    /// Takes the stream for one that has ended.
    pub const fn stop_following(&mut self) {
        self.growing = false;
    }

    /// The bytes taken from the stream so far, before any unpacking.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        match &self.input {
            Input::Plain(input) => input.read,
            Input::Gzip(input) => input.get_ref().get_ref().read,
        }
    }

    /// The next line, without its line feed and without a carriage return before that.
    ///
    /// Text behind the last line feed is a line too.
    ///
    /// # Errors
    ///
    /// Those of the stream, and of gzip: a damaged or truncated file is an error at the place where it shows.
    pub fn next_line(&mut self) -> io::Result<Option<Result<&[u8], TooLong>>> {
        loop {
            if let Some(length) = memchr(b'\n', &self.buffer[self.searched..self.end]) {
                let (start, feed) = (self.start, self.searched + length);
                self.start = feed + 1;
                self.searched = self.start;
                return Ok(Some(self.line(start, feed)));
            }
            self.searched = self.end;
            // One more than a line may have, as a carriage return may yet turn out to end it.
            if self.end - self.start > MAX_LINE + 1 {
                self.skipping = true;
            }
            if self.skipping {
                self.start = self.end;
            }
            if self.ended && self.growing {
                self.ended = false;
                return Ok(None);
            }
            if self.ended {
                let (start, end) = (self.start, self.end);
                self.start = end;
                return Ok((start < end || self.skipping).then(|| self.line(start, end)));
            }
            self.fill()?;
        }
    }

    /// All whole lines that are at hand, one behind the other and each with its line feed; the last one of the stream
    /// may be without.
    ///
    /// Where the stream waits for more, so does this, with no line held back. A line without an end that is longer than
    /// [`MAX_LINE`] is [`TooLong`], and so is whatever is asked for after it.
    ///
    /// # Errors
    ///
    /// As of [`next_line`](Self::next_line).
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
        loop {
            if let Some(length) = memrchr(b'\n', &self.buffer[self.searched..self.end]) {
                let (start, end) = (self.start, self.searched + length + 1);
                self.start = end;
                self.searched = self.end;
                return Ok(Some(Ok(&self.buffer[start..end])));
            }
            self.searched = self.end;
            if self.end - self.start > MAX_LINE {
                return Ok(Some(Err(TooLong)));
            }
            if self.ended {
                let (start, end) = (self.start, self.end);
                self.start = end;
                return Ok((start < end).then(|| Ok(&self.buffer[start..end])));
            }
            self.fill()?;
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

    /// Moves what is left to the front and reads one chunk behind it.
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

/// A stream with the two bytes put back that were looked at.
type Stream<R> = Counted<Chain<Cursor<Vec<u8>>, R>>;

#[derive(Debug)]
enum Input<R> {
    Plain(Stream<R>),
    Gzip(Box<MultiGzDecoder<BufReader<Stream<R>>>>),
}

impl<R: Read> Input<R> {
    fn new(mut input: R) -> io::Result<Self> {
        let mut head = Vec::new();
        (&mut input).take(GZIP_MAGIC.len() as u64).read_to_end(&mut head)?;
        let gzip = head == GZIP_MAGIC;
        let stream = Counted { inner: Cursor::new(head).chain(input), read: 0 };
        Ok(if gzip {
            let stream = BufReader::with_capacity(PIECE, stream);
            Self::Gzip(Box::new(MultiGzDecoder::new(stream)))
        } else {
            Self::Plain(stream)
        })
    }

    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(input) => input.read(piece),
            Self::Gzip(input) => input.read(piece),
        }
    }
}

/// A stream that knows how many bytes were read from it.
#[derive(Debug)]
struct Counted<R> {
    inner: R,
    read: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(piece)?;
        self.read += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests;
