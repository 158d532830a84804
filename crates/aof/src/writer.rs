//! Writing commands.

use resp::write_request;

/// Writes the commands of one file.
///
/// It keeps the database of the last command and the time of the last annotation. Use a new writer for each file, and
/// after written bytes were lost or truncated: its first command selects the database again.
///
/// # Examples
///
/// ```
/// use aof::LogWriter;
///
/// let mut out = Vec::new();
/// let mut writer = LogWriter::new();
/// writer.command(3, &["DEL", "a"], &mut out);
/// writer.command(3, &["DEL", "b"], &mut out);
/// assert_eq!(
///     out.escape_ascii().to_string().replace(r"\r\n", " "),
///     "*2 $6 SELECT $1 3 *2 $3 DEL $1 a *2 $3 DEL $1 b "
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogWriter {
    /// The database of the last command.
    database: Option<u32>,
    /// The last annotation, in seconds since 1970.
    timestamp: Option<i64>,
}

impl LogWriter {
    /// Creates a writer.
    #[must_use]
    pub const fn new() -> Self {
        Self { database: None, timestamp: None }
    }

    /// Appends one command to `out`, preceded by a SELECT if the last one was for another database.
    pub fn command<W: AsRef<[u8]>>(&mut self, database: u32, words: &[W], out: &mut Vec<u8>) {
        if self.database != Some(database) {
            let mut digits = itoa::Buffer::new();
            write_request(&["SELECT", digits.format(database)], out);
            self.database = Some(database);
        }
        write_request(words, out);
    }

    /// Appends commands, each with its database, to `out` as one unit: a single one as it is, several between MULTI and
    /// EXEC.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut out = Vec::new();
    /// let commands = [(0, &["INCR", "a"][..]), (0, &["INCR", "b"])];
    /// aof::LogWriter::new().append(commands, &mut out);
    /// assert_eq!(
    ///     out.escape_ascii().to_string().replace(r"\r\n", " "),
    ///     "*1 $5 MULTI *2 $6 SELECT $1 0 *2 $4 INCR $1 a *2 $4 INCR $1 b *1 $4 EXEC "
    /// );
    /// ```
    pub fn append<'c, W, I>(&mut self, commands: I, out: &mut Vec<u8>)
    where
        W: AsRef<[u8]> + 'c,
        I: IntoIterator<Item = (u32, &'c [W]), IntoIter: ExactSizeIterator>,
    {
        let commands = commands.into_iter();
        let several = commands.len() > 1;
        if several {
            write_request(&["MULTI"], out);
        }
        for (database, words) in commands {
            self.command(database, words, out);
        }
        if several {
            write_request(&["EXEC"], out);
        }
    }

    /// Appends a timestamp annotation, in seconds since 1970, to `out` if it is later than the last one.
    ///
    /// `redis-check-aof --truncate-to-timestamp` uses it.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut out = Vec::new();
    /// let mut writer = aof::LogWriter::new();
    /// writer.timestamp(1_700_000_000, &mut out);
    /// writer.timestamp(1_700_000_000, &mut out);
    /// assert_eq!(out, b"#TS:1700000000\r\n");
    /// ```
    pub fn timestamp(&mut self, seconds: i64, out: &mut Vec<u8>) {
        if self.timestamp.is_none_or(|last| last < seconds) {
            out.extend_from_slice(b"#TS:");
            out.extend_from_slice(itoa::Buffer::new().format(seconds).as_bytes());
            out.extend_from_slice(b"\r\n");
            self.timestamp = Some(seconds);
        }
    }
}
