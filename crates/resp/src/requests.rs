//! Incremental parsing of requests.

use std::io::{self, Read};
use std::ops::Range;

use listpack::parse_int;
use memchr::{memchr, memchr2};

use crate::buffer::Buffer;
use crate::error::ProtocolError;
use crate::words::split_words;
use crate::writer::push_length;

/// The most bytes of a header, and of an inline request, before its end must have come.
const LINE_MAX: usize = 64 << 10;

/// The most words of a request.
const WORDS_MAX: i64 = i32::MAX as i64;

/// An incremental parser of requests: feed it bytes, take requests.
///
/// # Examples
///
/// ```
/// use resp::Requests;
///
/// let mut requests = Requests::new();
/// requests.feed(b"SET k \"a b\"\r\n*1\r\n$4\r\nPI");
/// assert_eq!(requests.take()?, Some(vec![&b"SET"[..], b"k", b"a b"]));
/// assert_eq!(requests.take()?, None);
/// requests.feed(b"NG\r\n");
/// assert_eq!(requests.take()?, Some(vec![&b"PING"[..]]));
/// # Ok::<(), resp::ProtocolError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Requests {
    buffer: Buffer,
    max_bulk: usize,
    partial: Option<Partial>,
    /// The words of the last inline request.
    inline: Vec<Vec<u8>>,
    /// The words of the last multibulk request, as ranges of its bytes.
    ranges: Vec<Range<usize>>,
    failed: Option<ProtocolError>,
}

/// A request of which a part has arrived.
#[derive(Clone, Debug)]
struct Partial {
    /// The number of words not yet parsed.
    left: usize,
    /// The length of the next word, once it is known.
    bulk: Option<usize>,
    /// The number of bytes parsed.
    at: usize,
}

/// What was found.
enum Found {
    Nothing,
    Inline,
    /// With the number of its bytes.
    Multibulk(usize),
}

impl Default for Requests {
    fn default() -> Self {
        Self::new()
    }
}

impl Requests {
    /// The default maximum length of a word in bytes: Redis's default of `proto-max-bulk-len`, 512 MiB.
    pub const MAX_BULK: usize = 512 << 20;

    /// Creates a parser without bytes.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            buffer: Buffer::new(),
            max_bulk: Self::MAX_BULK,
            partial: None,
            inline: Vec::new(),
            ranges: Vec::new(),
            failed: None,
        }
    }

    /// Sets the maximum length of a word, in bytes.
    #[must_use]
    pub const fn max_bulk(mut self, bytes: usize) -> Self {
        self.max_bulk = bytes;
        self
    }

    /// Adds bytes that have arrived.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.feed(bytes);
    }

    /// Reads once from `from`, up to 16 KiB, and returns the number of bytes: 0 at the end.
    ///
    /// # Errors
    ///
    /// The error of `from`.
    pub fn fill(&mut self, from: &mut impl Read) -> io::Result<usize> {
        self.buffer.fill(from)
    }

    /// The number of bytes that have arrived and are not yet consumed: the memory that a client occupies here.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.buffer.rest().len()
    }

    /// Returns the words of the next request, or `None` if it is incomplete. Requests without words are skipped, as in
    /// Redis.
    ///
    /// A request that arrives in many pieces is parsed incrementally: the cost of all calls is O(bytes).
    ///
    /// # Errors
    ///
    /// [`ProtocolError`] if the bytes are malformed. All further calls return the same error.
    pub fn take(&mut self) -> Result<Option<Vec<&[u8]>>, ProtocolError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let found = self.find().inspect_err(|&error| self.failed = Some(error))?;
        Ok(match found {
            Found::Nothing => None,
            Found::Inline => Some(self.inline.iter().map(Vec::as_slice).collect()),
            Found::Multibulk(len) => {
                let bytes = self.buffer.advance(len);
                Some(self.ranges.iter().filter_map(|range| bytes.get(range.clone())).collect())
            }
        })
    }

    fn find(&mut self) -> Result<Found, ProtocolError> {
        loop {
            let mut partial = match self.partial.take() {
                Some(partial) => partial,
                None if self.buffer.rest().is_empty() => return Ok(Found::Nothing),
                None if self.buffer.rest().first() == Some(&b'*') => {
                    let Some((count, len)) = self.count()? else { return Ok(Found::Nothing) };
                    self.ranges.clear();
                    let Ok(left @ 1..) = usize::try_from(count) else {
                        self.buffer.advance(len);
                        continue;
                    };
                    Partial { left, bulk: None, at: len }
                }
                None => {
                    if !self.inline()? {
                        return Ok(Found::Nothing);
                    }
                    if self.inline.is_empty() {
                        continue;
                    }
                    return Ok(Found::Inline);
                }
            };
            if self.words(&mut partial)? {
                return Ok(Found::Multibulk(partial.at));
            }
            self.partial = Some(partial);
            return Ok(Found::Nothing);
        }
    }

    /// How many words there are, and how many bytes say so.
    fn count(&self) -> Result<Option<(i64, usize)>, ProtocolError> {
        let rest = self.buffer.rest();
        let Some(line) = header(rest, ProtocolError::CountTooLong)? else { return Ok(None) };
        let count = line.get(1..).and_then(parse_int).filter(|&count| count <= WORDS_MAX);
        Ok(Some((count.ok_or(ProtocolError::Count)?, line.len() + 2)))
    }

    /// Reads as many words as are there; says whether those are all.
    fn words(&mut self, partial: &mut Partial) -> Result<bool, ProtocolError> {
        let bytes = self.buffer.rest();
        while partial.left > 0 {
            let len = match partial.bulk {
                Some(len) => Some(len),
                None => length(bytes, &mut partial.at, self.max_bulk)?,
            };
            let Some(len) = len else { return Ok(false) };
            partial.bulk = Some(len);
            // The two bytes behind are the end of a line to Redis, whatever they are.
            let end = partial.at.saturating_add(len);
            if bytes.len() < end.saturating_add(2) {
                return Ok(false);
            }
            self.ranges.push(partial.at..end);
            *partial = Partial { left: partial.left - 1, bulk: None, at: end + 2 };
        }
        Ok(true)
    }

    /// Splits a line into words; says whether there is one.
    fn inline(&mut self) -> Result<bool, ProtocolError> {
        let rest = self.buffer.rest();
        // To C, a NUL is the end of the bytes: no line ends behind it.
        let end = memchr2(b'\n', 0, rest).filter(|&end| rest.get(end) == Some(&b'\n'));
        let Some(end) = end else {
            return if rest.len() > LINE_MAX {
                Err(ProtocolError::InlineTooLong)
            } else {
                Ok(false)
            };
        };
        let line = rest.get(..end).unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        self.inline = split_words(line).map_err(|_| ProtocolError::UnbalancedQuotes)?;
        self.buffer.advance(end + 1);
        Ok(true)
    }
}

/// The length of the word at `at`, which moves behind the line that says it; `None` if that has not come.
fn length(bytes: &[u8], at: &mut usize, max: usize) -> Result<Option<usize>, ProtocolError> {
    let rest = bytes.get(*at..).unwrap_or_default();
    let Some(line) = header(rest, ProtocolError::LengthTooLong)? else { return Ok(None) };
    // An empty line has its own end in that place.
    let kind = rest.first().copied().unwrap_or_default();
    if kind != b'$' {
        return Err(ProtocolError::Expected(kind));
    }
    *at += line.len() + 2;
    let len = line.get(1..).and_then(parse_int).and_then(|len| usize::try_from(len).ok());
    len.filter(|&len| len <= max).ok_or(ProtocolError::Length).map(Some)
}

/// The line at the start, without its end; `None` if that has not come.
fn header(bytes: &[u8], too_long: ProtocolError) -> Result<Option<&[u8]>, ProtocolError> {
    let end = memchr(b'\r', bytes)
        .filter(|&end| memchr(0, bytes.get(..end).unwrap_or_default()).is_none());
    match end {
        Some(end) if end + 2 <= bytes.len() => Ok(bytes.get(..end)),
        None if bytes.len() > LINE_MAX => Err(too_long),
        Some(_) | None => Ok(None),
    }
}

/// Appends a multibulk request to `out`.
///
/// # Examples
///
/// ```
/// let mut out = Vec::new();
/// resp::write_request(&["GET", "k"], &mut out);
/// assert_eq!(out, b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");
/// ```
pub fn write_request<W: AsRef<[u8]>>(words: &[W], out: &mut Vec<u8>) {
    // A word has two line ends, and a length of three digits or few more.
    out.reserve(words.iter().map(|word| word.as_ref().len() + 8).sum::<usize>() + 8);
    push_length(out, b'*', words.len());
    for word in words {
        let word = word.as_ref();
        push_length(out, b'$', word.len());
        out.extend_from_slice(word);
        out.extend_from_slice(b"\r\n");
    }
}
