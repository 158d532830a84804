//! Reading the commands of a log.

mod buffer;
mod error;
mod record;

use std::io::{self, Read};
use std::ops::Range;

use memchr::memchr;

pub use error::{Damage, LogError};
pub use record::{Annotation, Command, Record};

use buffer::Buffer;
use record::Role;

/// The most words of a command, which Redis counts in 31 bits.
const WORDS_MAX: usize = i32::MAX as usize;

/// Reads a log, record by record.
///
/// It accepts what Redis writes, and reports the offset of anything else; inline commands are refused. Transactions are
/// not grouped: MULTI and EXEC are returned as commands. A log that ends between them is torn, as one that ends inside
/// a command.
///
/// Memory is a constant factor of the longest command, and of the bytes of it that have arrived.
///
/// # Examples
///
/// ```
/// use aof::{LogError, LogReader, Record};
///
/// let log = b"*2\r\n$4\r\nINCR\r\n$1\r\nk\r\n*1\r\n$5\r\nMULTI\r\n*2\r\n$3\r\nDEL\r\n";
/// let mut reader = LogReader::new(&log[..]);
/// let Some(Record::Command(command)) = reader.next_record()? else { unreachable!() };
/// assert_eq!(command.words(), [&b"INCR"[..], b"k"]);
/// assert_eq!((command.offset(), command.end()), (0, 21));
/// drop(command);
///
/// assert!(matches!(reader.next_record()?, Some(Record::Command(_))));
/// let error = reader.next_record().unwrap_err();
/// assert!(matches!(error, LogError::Torn { offset: 21, valid_up_to: 21 }));
/// # Ok::<(), LogError>(())
/// ```
#[derive(Debug)]
pub struct LogReader<R> {
    buffer: Buffer<R>,
    max_bulk: usize,
    /// The offset of the next record.
    offset: u64,
    valid_up_to: u64,
    /// The start of the transaction that has not ended.
    transaction: Option<u64>,
    /// The ranges of the words in the bytes of the command.
    ranges: Vec<Range<usize>>,
}

/// A whole record, and how many bytes it has.
enum Found {
    Command(usize, Role),
    Annotation(usize),
}

/// Why a record could not be read.
enum Stop {
    Io(io::Error),
    End,
    /// With the offset in the record.
    Damage(usize, Damage),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl<R: Read> LogReader<R> {
    /// The default maximum length of a word in bytes: Redis's default of `proto-max-bulk-len`, 512 MiB.
    pub const MAX_BULK: usize = resp::Requests::MAX_BULK;

    /// The maximum length of an annotation in bytes, including its line end.
    pub const MAX_ANNOTATION: usize = 1023;

    /// Creates a reader at the beginning of a log. It buffers, so `log` need not.
    #[must_use]
    pub const fn new(log: R) -> Self {
        Self::new_at(log, 0)
    }

    /// Creates a reader of the rest of a log, which starts at `offset`. Reported offsets count from the beginning of
    /// the log.
    #[must_use]
    pub const fn new_at(rest: R, offset: u64) -> Self {
        Self {
            buffer: Buffer::new(rest),
            max_bulk: Self::MAX_BULK,
            offset,
            valid_up_to: offset,
            transaction: None,
            ranges: Vec::new(),
        }
    }

    /// Sets the maximum length of a word, in bytes.
    #[must_use]
    pub const fn max_bulk(mut self, bytes: usize) -> Self {
        self.max_bulk = bytes;
        self
    }

    /// The offset of the next record.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The end of the last complete command outside a transaction; EXEC counts as outside.
    #[must_use]
    pub const fn valid_up_to(&self) -> u64 {
        self.valid_up_to
    }

    /// Returns whether a MULTI was read without its EXEC.
    #[must_use]
    pub const fn in_transaction(&self) -> bool {
        self.transaction.is_some()
    }

    /// Reads the next record; `None` at the end of the log.
    ///
    /// # Errors
    ///
    /// [`LogError`] if the bytes cannot be read, end too early, or are malformed. Another call starts with the same
    /// record.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<Record<'_>>, LogError> {
        match self.find_record() {
            Ok(None) => Ok(None),
            Ok(Some(Found::Command(len, role))) => {
                Ok(Some(Record::Command(self.take_command(len, role))))
            }
            Ok(Some(Found::Annotation(len))) => {
                Ok(Some(Record::Annotation(self.take_annotation(len))))
            }
            Err(stop) => Err(self.error(stop)),
        }
    }

    /// Finds the end of the next record. Nothing is changed but what has arrived.
    fn find_record(&mut self) -> Result<Option<Found>, Stop> {
        if !self.buffer.need(1)? {
            return if self.in_transaction() { Err(Stop::End) } else { Ok(None) };
        }
        let mut at = 0;
        match self.byte(&mut at)? {
            b'*' => {
                let len = self.find_words(at)?;
                Ok(Some(Found::Command(len, self.role()?)))
            }
            b'#' => self.find_line_end().map(|len| Some(Found::Annotation(len))),
            other => Err(Stop::Damage(0, Damage::Record(other))),
        }
    }

    fn find_line_end(&mut self) -> Result<usize, Stop> {
        loop {
            let arrived = self.buffer.arrived();
            let line = arrived.get(..Self::MAX_ANNOTATION).unwrap_or(arrived);
            if let Some(end) = memchr(b'\n', line) {
                return Ok(end + 1);
            }
            let looked_at = line.len();
            if looked_at == Self::MAX_ANNOTATION {
                return Err(Stop::Damage(0, Damage::Annotation));
            }
            if !self.buffer.need(looked_at + 1)? {
                return Err(Stop::End);
            }
        }
    }

    /// Finds the words of a command whose first byte is read.
    fn find_words(&mut self, mut at: usize) -> Result<usize, Stop> {
        self.ranges.clear();
        let count = self.number(&mut at, WORDS_MAX, Damage::Count)?;
        if count == 0 {
            return Err(Stop::Damage(0, Damage::Count));
        }
        for _ in 0..count {
            match self.byte(&mut at)? {
                b'$' => {}
                other => return Err(Stop::Damage(at - 1, Damage::Word(other))),
            }
            let len = self.number(&mut at, self.max_bulk, Damage::Length)?;
            let end = at.saturating_add(len);
            if !self.buffer.need(end)? {
                return Err(Stop::End);
            }
            self.ranges.push(at..end);
            at = end;
            if self.byte(&mut at)? != b'\r' || self.byte(&mut at)? != b'\n' {
                return Err(Stop::Damage(end, Damage::WordEnd));
            }
        }
        Ok(at)
    }

    /// Reads a byte and steps behind it.
    #[inline]
    fn byte(&mut self, at: &mut usize) -> Result<u8, Stop> {
        loop {
            if let Some(&byte) = self.buffer.arrived().get(*at) {
                *at += 1;
                return Ok(byte);
            }
            if !self.buffer.need(at.saturating_add(1))? {
                return Err(Stop::End);
            }
        }
    }

    /// Reads a number and the end of its line.
    #[inline]
    fn number(&mut self, at: &mut usize, most: usize, damage: Damage) -> Result<usize, Stop> {
        let start = *at;
        let wrong = Stop::Damage(start - 1, damage);
        let mut number = 0_usize;
        loop {
            match self.byte(at)? {
                digit @ b'0'..=b'9' => {
                    let digit = usize::from(digit - b'0');
                    match number.checked_mul(10).and_then(|tens| tens.checked_add(digit)) {
                        Some(more) if more <= most => number = more,
                        Some(_) | None => return Err(wrong),
                    }
                }
                b'\r' if *at - start > 1 => {
                    return if self.byte(at)? == b'\n' { Ok(number) } else { Err(wrong) };
                }
                _ => return Err(wrong),
            }
        }
    }

    /// What the command that was found is to a transaction, and whether it may be that here.
    fn role(&self) -> Result<Role, Stop> {
        let name = self.ranges.first().and_then(|range| self.buffer.arrived().get(range.clone()));
        match (Role::of(name.unwrap_or_default()), self.transaction) {
            (Role::Multi, Some(_)) => Err(Stop::Damage(0, Damage::NestedMulti)),
            (Role::Exec, None) => Err(Stop::Damage(0, Damage::ExecWithoutMulti)),
            (role, _) => Ok(role),
        }
    }

    fn take_command(&mut self, len: usize, role: Role) -> Command<'_> {
        let offset = self.offset;
        let end = offset + len as u64;
        self.offset = end;
        match role {
            Role::Multi => self.transaction = Some(offset),
            Role::Exec => self.transaction = None,
            Role::Other => {}
        }
        if self.transaction.is_none() {
            self.valid_up_to = end;
        }
        let bytes = self.buffer.take(len);
        let words = self.ranges.iter().map(|range| bytes.get(range.clone()).unwrap_or_default());
        Command { offset, end, role, words: words.collect() }
    }

    fn take_annotation(&mut self, len: usize) -> Annotation<'_> {
        let offset = self.offset;
        self.offset += len as u64;
        let line = self.buffer.take(len);
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        Annotation { offset, text: line.get(1..).unwrap_or_default() }
    }

    #[cold]
    fn error(&self, stop: Stop) -> LogError {
        let valid_up_to = self.valid_up_to;
        match stop {
            Stop::Io(error) => LogError::Io(error),
            Stop::End => {
                LogError::Torn { offset: self.transaction.unwrap_or(self.offset), valid_up_to }
            }
            Stop::Damage(at, damage) => {
                LogError::Format { offset: self.offset + at as u64, valid_up_to, damage }
            }
        }
    }
}
