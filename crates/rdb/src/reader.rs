//! Reading files.

use std::io::{self, Read, Write};

use crate::{
    batch::Batch,
    error::{Error, ErrorKind},
    format, length,
    record::{Attributes, Record},
    source::Source,
    string,
    value::{self, Blob, Body, CopyError, RawValue, State, Value, ValueType, ValueWriter},
    version::{Dialect, Version},
    writer::WriteError,
};

/// Options of a [`Reader`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReadOptions {
    /// The length of the input in bytes, if known: lengths that exceed it are then refused before reading, and nothing
    /// is read beyond it. `None` by default.
    pub length: Option<u64>,
    /// Whether the checksum is computed and verified. `true` by default.
    pub checksum: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { length: None, checksum: true }
    }
}

/// Reads a file record by record.
///
/// The input is not trusted: a length in it never makes the reader allocate more than a chunk ahead of the bytes that
/// have arrived, time is linear in the bytes, and after an error nothing more is read.
///
/// ```
/// use rdb::{Reader, Record, Value};
///
/// let file = b"REDIS0010\xfe\x00\x00\x05hello\x05world\x02\x03set\x02\x01a\xc0\x07\xff\0\0\0\0\0\0\0\0";
/// let mut reader = Reader::new(&file[..])?;
/// let mut seen = Vec::new();
/// while let Some(record) = reader.next_record()? {
///     let Record::Key { key, .. } = record else { continue };
///     match reader.value()? {
///         Value::String(text) => seen.push((key, text.into_bytes())),
///         Value::Set(mut members) => {
///             while let Some(member) = members.next()? {
///                 seen.push((key.clone(), member.to_vec()));
///             }
///         }
///         _ => unreachable!("the file holds no other type"),
///     }
/// }
/// let pair = |key: &[u8], value: &[u8]| (key.to_vec(), value.to_vec());
/// assert_eq!(seen, [pair(b"hello", b"world"), pair(b"set", b"a"), pair(b"set", b"7")]);
/// # Ok::<(), rdb::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    body: Body<R>,
    version: Version,
    /// Attributes of the next key.
    attributes: Attributes,
    metadata: Vec<u8>,
    /// A key that was read while searching for the end of a batch.
    next: Option<Record>,
    /// An error that was found after a batch.
    error: Option<Error>,
    /// Whether the input is a batch of a file, which has no end of its own.
    is_batch: bool,
}

impl Reader<io::Empty> {
    pub(crate) fn of_batch(source: Source<io::Empty>, version: Version) -> Self {
        Self { is_batch: true, ..Self::behind_header(source, version) }
    }
}

impl<R: Read> Reader<R> {
    /// Creates a reader and reads the header.
    ///
    /// # Errors
    /// The input does not begin with a known magic and a supported version.
    pub fn new(input: R) -> Result<Self, Error> {
        Self::with_options(input, ReadOptions::default())
    }

    /// Creates a reader and reads the header.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_options(input: R, options: ReadOptions) -> Result<Self, Error> {
        let mut source = Source::new(input, options.length, options.checksum);
        let header = source.array()?;
        let version =
            Version::of_header(&header).ok_or_else(|| Error::new(0, ErrorKind::BadMagic))?;
        if !version.is_supported() {
            return Err(Error::new(0, ErrorKind::UnsupportedVersion(version)));
        }
        Ok(Self::behind_header(source, version))
    }

    fn behind_header(source: Source<R>, version: Version) -> Self {
        Self {
            body: Body::new(source, State::Between),
            version,
            attributes: Attributes::default(),
            metadata: Vec::new(),
            next: None,
            error: None,
            is_batch: false,
        }
    }

    /// The version of the file.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// The number of bytes read so far. At the end of the file it is its length; in a log, commands may follow.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.body.source.offset()
    }

    /// Limits a count from the file to what the remaining bytes can contain, so that it is safe to use as a capacity.
    #[must_use]
    pub fn plausible(&self, count: u64) -> usize {
        self.body.plausible(count)
    }

    /// Reads the next record; returns `None` at the end of the file, after verifying its checksum.
    ///
    /// The rest of the previous value, if it was not read, is skipped.
    ///
    /// # Errors
    /// [`Error`] if the bytes are malformed. A checksum of 0 means that the file has none.
    pub fn next_record(&mut self) -> Result<Option<Record>, Error> {
        if let Some(record) = self.next.take() {
            return Ok(Some(record));
        }
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        self.body.skip_value()?;
        if self.body.take_state() == State::Ended {
            self.body.state = State::Ended;
            return Ok(None);
        }
        let (record, state) = self.read_record()?;
        self.body.state = state;
        Ok(record)
    }

    /// Returns the next keys with their values, unparsed, about `size` bytes of them, for the caller to read in this
    /// thread or in another one.
    ///
    /// Returns `None` if the next record is not a key, or if its value is larger than 1 MiB or has more than a million
    /// members: continue with [`next_record`](Self::next_record) then. Compressed strings in a batch are not validated
    /// until they are read.
    ///
    /// # Errors
    /// As [`next_record`](Self::next_record).
    pub fn next_batch(&mut self, size: usize) -> Result<Option<Batch>, Error> {
        if self.next.is_some() || self.error.is_some() {
            return Ok(None);
        }
        self.body.skip_value()?;
        if self.body.state == State::Ended {
            return Ok(None);
        }
        let offset = self.body.source.offset();
        self.body.source.start_recording();
        self.body.source.checks_lzf = false;
        let mut whole = 0;
        while whole < size {
            match self.pass_key() {
                Ok(true) => whole = self.body.source.recorded(),
                Ok(false) => break,
                // An error before it has precedence.
                Err(error) => {
                    self.error = Some(error);
                    break;
                }
            }
        }
        self.body.source.checks_lzf = true;
        let mut bytes = self.body.source.take_recording();
        bytes.truncate(whole);
        bytes.shrink_to_fit();
        Ok((whole > 0).then_some(Batch { version: self.version, offset, bytes }))
    }

    /// Skips a key and its value; returns false if the next record is not a key, or its value is large.
    fn pass_key(&mut self) -> Result<bool, Error> {
        if !self.is_before_key()? {
            return Ok(false);
        }
        self.body.take_state();
        let (record, state) = self.read_record()?;
        self.body.state = state;
        let State::Value(kind) = state else { return Ok(false) };
        if is_large(kind, self.body.source.peek(1 + length::MOST_BYTES)?) {
            self.next = record;
            return Ok(false);
        }
        match (self.body.skip_value(), record) {
            (Err(error), Some(Record::Key { key, .. })) => Err(error.in_value_of(key)),
            (passed, _) => passed.map(|()| true),
        }
    }

    fn is_before_key(&mut self) -> Result<bool, Error> {
        let at_hand = self.body.source.peek(1)?;
        Ok(at_hand.first().is_some_and(|&byte| {
            byte < format::FIRST
                || matches!(
                    byte,
                    format::EXPIRE_S | format::EXPIRE_MS | format::IDLE | format::FREQ
                )
                || (byte == format::KEY_METADATA && self.version.dialect() == Dialect::Redis)
        }))
    }

    fn read_record(&mut self) -> Result<(Option<Record>, State), Error> {
        if self.is_batch && self.body.source.left() == Some(0) {
            return Ok((None, State::Ended));
        }
        let source = &mut self.body.source;
        let record = loop {
            let at = source.offset();
            break match source.byte()? {
                format::EXPIRE_S => {
                    let seconds = i32::from_le_bytes(source.array()?);
                    self.attributes.expire_at_ms = expiry(i64::from(seconds) * 1000);
                    continue;
                }
                format::EXPIRE_MS => {
                    self.attributes.expire_at_ms = expiry(i64::from_le_bytes(source.array()?));
                    continue;
                }
                format::IDLE => {
                    self.attributes.idle_s = Some(length::read(source)?);
                    continue;
                }
                format::FREQ => {
                    self.attributes.freq = Some(source.byte()?);
                    continue;
                }
                format::AUX => {
                    Record::Aux { key: string::read(source)?, value: string::read(source)? }
                }
                format::SELECT_DB => {
                    let at = source.offset();
                    let number = length::read(source)?;
                    let number = u32::try_from(number)
                        .map_err(|_| Error::new(at, ErrorKind::BadDatabase(number)))?;
                    Record::SelectDb(number)
                }
                format::RESIZE_DB => {
                    Record::ResizeDb { keys: length::read(source)?, expires: length::read(source)? }
                }
                format::SLOT_INFO => Record::SlotInfo {
                    slot: length::read(source)?,
                    keys: length::read(source)?,
                    expires: length::read(source)?,
                },
                format::SLOT_IMPORT if self.version.dialect() == Dialect::Valkey => {
                    let ((), body) = source.recording(scan_slot_import)?;
                    Record::SlotImport { body }
                }
                format::KEY_METADATA
                    if self.version.number() >= format::KEY_METADATA_SINCE
                        && self.version.dialect() == Dialect::Redis =>
                {
                    ((), self.metadata) = source.recording(value::scan_metadata)?;
                    continue;
                }
                format::FUNCTION => Record::Function { code: string::read(source)? },
                format::MODULE_AUX => {
                    let (id, body) = source.recording(value::scan_aux)?;
                    Record::ModuleAux { id, body }
                }
                format::EOF => {
                    self.check_end()?;
                    return Ok((None, State::Ended));
                }
                byte @ (format::FUNCTION_PRE_RELEASE | value::MODULE_PRE_RELEASE) => {
                    return Err(Error::new(at, ErrorKind::PreRelease(byte)));
                }
                byte => {
                    let Some(kind) = ValueType::from_byte(byte, self.version.dialect()) else {
                        return Err(Error::new(at, unknown(byte, source)));
                    };
                    let key = string::read(source)?;
                    let attributes = std::mem::take(&mut self.attributes);
                    let metadata = std::mem::take(&mut self.metadata);
                    let record = Record::Key { key, attributes, metadata, kind };
                    return Ok((Some(record), State::Value(kind)));
                }
            };
        };
        Ok((Some(record), State::Between))
    }

    /// Compares the checksum behind the end, where the version has one.
    fn check_end(&mut self) -> Result<(), Error> {
        let version = self.version;
        if version.number() < Version::FIRST_WITH_CHECKSUM {
            return Ok(());
        }
        let source = &mut self.body.source;
        let at = source.offset();
        let computed = source.checksum();
        let stored = u64::from_le_bytes(source.array()?);
        match computed {
            Some(computed) if stored != 0 && stored != computed => {
                Err(Error::new(at, ErrorKind::Checksum { stored, computed }))
            }
            _ => Ok(()),
        }
    }

    /// Reads the value of the key that was read last.
    ///
    /// # Errors
    /// [`Error`] if the bytes are malformed or if there is no value to read.
    pub fn value(&mut self) -> Result<Value<'_, R>, Error> {
        self.body.value()
    }

    /// Skips the value of the key that was read last, and returns its stored size: the bytes of a string or of a packed
    /// blob, the items of any other collection (members, pairs, nodes), the entries of a stream; 0 for a value of a
    /// module. O(bytes), in constant memory.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    ///
    /// ```
    /// let file = b"REDIS0010\xfe\x00\x00\x05hello\x05world\xff\0\0\0\0\0\0\0\0";
    /// let mut reader = rdb::Reader::new(&file[..])?;
    /// while !matches!(reader.next_record()?, Some(rdb::Record::Key { .. })) {}
    /// assert_eq!(reader.pass_value()?, 5);
    /// # Ok::<(), rdb::Error>(())
    /// ```
    pub fn pass_value(&mut self) -> Result<u64, Error> {
        self.body.pass_value()
    }

    /// Copies the value of the key that was read last to a writer, unchanged, for any type. It uses constant memory: at
    /// most 100 KiB and one compressed string at a time.
    ///
    /// # Errors
    /// [`CopyError`] if the bytes are malformed or a write fails; the output cannot be finished then. If the version of
    /// the output does not have the type, nothing was written.
    ///
    /// ```
    /// use rdb::{Reader, Record, WriteOptions, Writer};
    ///
    /// let file = b"REDIS0010\xfe\x00\x02\x03set\x02\x01a\xc0\x07\xff\0\0\0\0\0\0\0\0";
    /// let mut reader = Reader::new(&file[..])?;
    /// let mut writer = Writer::new(Vec::new(), WriteOptions { checksum: false, ..WriteOptions::default() })?;
    /// while let Some(record) = reader.next_record()? {
    ///     match record {
    ///         Record::SelectDb(number) => writer.select_db(number)?,
    ///         Record::Key { key, attributes, .. } => reader.copy_value(writer.key(&key, attributes))?,
    ///         _ => {}
    ///     }
    /// }
    /// assert_eq!(writer.finish()?, file);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn copy_value<W: Write>(&mut self, writer: ValueWriter<'_, W>) -> Result<(), CopyError> {
        let State::Value(kind) = self.body.state else {
            // It returns the error.
            self.body.copy_value(|_| Ok::<(), Error>(()))?;
            return Ok(());
        };
        let sink = writer.begin(kind)?;
        let copied = self.body.copy_value(|bytes| Ok(sink.put(bytes)?));
        copied.map_err(|error| match error {
            CopyError::Read(error) => {
                sink.fail(WriteError::Failed);
                CopyError::Read(error)
            }
            CopyError::Write(error) => CopyError::Write(error),
        })
    }

    /// Reads the value of the key that was read last, without decoding it, for any type.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    pub fn raw_value(&mut self) -> Result<RawValue, Error> {
        self.body.raw()
    }
}

/// Whether a value that begins with `head` should be read directly instead of being put into a batch.
fn is_large(kind: ValueType, head: &[u8]) -> bool {
    const BYTES: u64 = 1 << 20;
    const MEMBERS: u64 = 1 << 20;
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other types do not begin with their length"
    )]
    match kind {
        ValueType::Set | ValueType::Hash | ValueType::List | ValueType::ZSet => {
            length::peek(head) > MEMBERS
        }
        kind if kind == ValueType::String || Blob::of(kind).is_some() => {
            string::peek_len(head) > BYTES
        }
        _ => false,
    }
}

/// What an unknown byte is: a type comes before a key.
#[cold]
fn unknown(byte: u8, source: &mut Source<impl Read>) -> ErrorKind {
    if byte >= format::FIRST {
        return ErrorKind::UnknownOpcode(byte);
    }
    ErrorKind::UnknownType { byte, key: string::read(source).ok() }
}

/// Skips the name of a job and its ranges of slots.
fn scan_slot_import(source: &mut Source<impl Read>) -> Result<(), Error> {
    string::scan(source)?;
    for _ in 0..length::read(source)? {
        length::read(source)?;
        length::read(source)?;
    }
    Ok(())
}

/// Validates the body of a [`Record::SlotImport`] before it is written.
pub(crate) fn check_slot_import(body: &[u8]) -> Result<(), Error> {
    let mut source = Source::new(body, Some(body.len() as u64), false);
    scan_slot_import(&mut source)?;
    source.check_end()
}

/// Servers treat -1 as no expiry.
fn expiry(at_ms: i64) -> Option<i64> {
    (at_ms != -1).then_some(at_ms)
}
