//! The records of a log.

use smallvec::SmallVec;

/// A record of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// A command to execute; MULTI and EXEC are commands too.
    Command(Command<'a>),
    /// An annotation between commands.
    Annotation(Annotation<'a>),
}

/// What a command is to a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Multi,
    Exec,
    Other,
}

impl Role {
    pub(super) const fn of(name: &[u8]) -> Self {
        if name.eq_ignore_ascii_case(b"MULTI") {
            Self::Multi
        } else if name.eq_ignore_ascii_case(b"EXEC") {
            Self::Exec
        } else {
            Self::Other
        }
    }
}

/// A command, with its position in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command<'a> {
    pub(super) offset: u64,
    pub(super) end: u64,
    pub(super) role: Role,
    pub(super) words: SmallVec<[&'a [u8]; 8]>,
}

impl<'a> Command<'a> {
    /// The offset of its first byte.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The offset of its end.
    #[must_use]
    pub const fn end(&self) -> u64 {
        self.end
    }

    /// The name and the arguments; never empty.
    #[must_use]
    pub fn words(&self) -> &[&'a [u8]] {
        &self.words
    }

    /// Returns whether it is MULTI: the commands up to EXEC are executed together, or not at all if EXEC is missing.
    #[must_use]
    pub const fn is_multi(&self) -> bool {
        matches!(self.role, Role::Multi)
    }

    /// Returns whether it is EXEC, which ends a transaction.
    #[must_use]
    pub const fn is_exec(&self) -> bool {
        matches!(self.role, Role::Exec)
    }
}

/// A line that begins with `#`. A server ignores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotation<'a> {
    pub(super) offset: u64,
    pub(super) text: &'a [u8],
}

impl<'a> Annotation<'a> {
    /// The offset of its first byte.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The line, without the `#` and the line end.
    #[must_use]
    pub const fn text(&self) -> &'a [u8] {
        self.text
    }

    /// The time at which the following commands were executed, in seconds since 1970, if this is a timestamp (`TS:` and
    /// a number).
    ///
    /// # Examples
    ///
    /// ```
    /// use aof::{LogReader, Record};
    ///
    /// let mut reader = LogReader::new(&b"#TS:1700000000\r\n"[..]);
    /// let Some(Record::Annotation(note)) = reader.next_record()? else { unreachable!() };
    /// assert_eq!(note.text(), b"TS:1700000000");
    /// assert_eq!(note.timestamp(), Some(1_700_000_000));
    /// # Ok::<(), aof::LogError>(())
    /// ```
    #[must_use]
    pub fn timestamp(&self) -> Option<i64> {
        let digits = self.text.strip_prefix(b"TS:")?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }
}
