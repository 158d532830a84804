//! Writing files.

use std::{fmt, io, io::Write};

use crate::{
    batch::Batch,
    error::Error,
    format, length,
    reader::check_slot_import,
    record::Attributes,
    sink::Sink,
    string,
    value::{self, Head, ValueWriter},
    version::{Target, Version},
};

/// Options of a [`Writer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WriteOptions {
    /// The version. 10 by default.
    pub target: Target,
    /// Whether long strings are compressed. `true` by default, as on servers.
    pub compression: bool,
    /// Whether the file has a checksum; if not, it has eight zero bytes in its place, which disables the check. `true`
    /// by default. Payloads always have one.
    pub checksum: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { target: Target::default(), compression: true, checksum: true }
    }
}

/// Why a file cannot be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// Writing to the output failed.
    Io(io::Error),
    /// The version to write does not have this type or opcode. Nothing was written.
    NotInVersion {
        /// The type byte or opcode.
        byte: u8,
        /// The version.
        target: Target,
    },
    /// A batch is of another version than the file. Nothing was written.
    OtherVersion {
        /// The version of the batch.
        version: Version,
        /// The version of the file.
        target: Target,
    },
    /// A value has fewer members than announced, or a module's value has no end. The file cannot be finished.
    MissingMembers {
        /// The number of missing members.
        missing: u64,
    },
    /// A value would have more members than announced. The member was not written.
    TooManyMembers,
    /// No value was written to a payload.
    NotOneValue,
    /// Encoded bytes do not follow their grammar. Nothing was written.
    Malformed(Error),
    /// An earlier error has left the file unfinished.
    Failed,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot write: {error}"),
            Self::NotInVersion { byte, target } => {
                write!(f, "version {target} has no type or opcode {byte}")
            }
            Self::OtherVersion { version, target } => {
                write!(f, "cannot write a batch of version {version} to a file of version {target}")
            }
            Self::MissingMembers { missing } => write!(f, "the value is missing {missing} members"),
            Self::TooManyMembers => f.write_str("the value has more members than announced"),
            Self::NotOneValue => f.write_str("a payload must have exactly one value"),
            Self::Malformed(error) => write!(f, "cannot write malformed bytes: {error}"),
            Self::Failed => f.write_str("writing stopped after an earlier error"),
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Malformed(error) => Some(error),
            Self::NotInVersion { .. }
            | Self::OtherVersion { .. }
            | Self::MissingMembers { .. }
            | Self::TooManyMembers
            | Self::NotOneValue
            | Self::Failed => None,
        }
    }
}

/// The auxiliary fields that a server writes at the beginning of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandardAux<'a> {
    /// The version of the program that writes.
    pub redis_ver: &'a str,
    /// The time of writing, in seconds since 1970.
    pub ctime_s: i64,
    /// The memory of the data, in bytes.
    pub used_mem: u64,
    /// Whether the file is the base of an append-only log.
    pub aof_base: bool,
}

/// Writes a file, record by record.
///
/// Output is buffered. A writer that is dropped before [`finish`](Self::finish) leaves a file that every reader
/// refuses, because its end is missing.
///
/// ```
/// use rdb::{Attributes, WriteOptions, Writer};
///
/// let options = WriteOptions { checksum: false, ..WriteOptions::default() };
/// let mut writer = Writer::new(Vec::new(), options)?;
/// writer.select_db(0)?;
/// writer.resize_db(2, 0)?;
/// writer.key(b"hello", Attributes::default()).string(b"world")?;
/// let mut members = writer.key(b"set", Attributes::default()).set(2)?;
/// members.member(b"a")?;
/// members.member(b"7")?;
/// members.finish()?;
/// assert_eq!(
///     writer.finish()?,
///     b"REDIS0010\xfe\x00\xfb\x02\x00\x00\x05hello\x05world\x02\x03set\x02\x01a\xc0\x07\xff\0\0\0\0\0\0\0\0"
/// );
/// # Ok::<(), rdb::WriteError>(())
/// ```
#[derive(Debug)]
pub struct Writer<W> {
    sink: Sink<W>,
    target: Target,
}

impl<W: Write> Writer<W> {
    /// Creates a writer and writes the header.
    ///
    /// # Errors
    /// [`WriteError`], as for all methods.
    pub fn new(output: W, options: WriteOptions) -> Result<Self, WriteError> {
        let mut sink = Sink::new(output, options.compression, options.checksum);
        sink.put(&options.target.version().to_header())?;
        Ok(Self { sink, target: options.target })
    }

    /// The number of bytes written so far.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.sink.written()
    }

    fn opcode(&mut self, opcode: u8) -> Result<&mut Sink<W>, WriteError> {
        self.sink.check_complete()?;
        self.sink.put(&[opcode])?;
        Ok(&mut self.sink)
    }

    fn opcode_since(&mut self, byte: u8, since: u16) -> Result<&mut Sink<W>, WriteError> {
        if self.target.newest_of_redis() < since {
            return Err(WriteError::NotInVersion { byte, target: self.target });
        }
        self.opcode(byte)
    }

    /// Writes an auxiliary field. These should be before the first database.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn aux(&mut self, key: &[u8], value: &[u8]) -> Result<(), WriteError> {
        let sink = self.opcode(format::AUX)?;
        string::write(sink, key)?;
        string::write(sink, value)
    }

    /// Writes the auxiliary fields of a server, in its order.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn standard_aux(&mut self, aux: &StandardAux<'_>) -> Result<(), WriteError> {
        self.aux(b"redis-ver", aux.redis_ver.as_bytes())?;
        self.aux(b"redis-bits", usize::BITS.to_string().as_bytes())?;
        self.aux(b"ctime", aux.ctime_s.to_string().as_bytes())?;
        self.aux(b"used-mem", aux.used_mem.to_string().as_bytes())?;
        self.aux(b"aof-base", if aux.aof_base { b"1" } else { b"0" })
    }

    /// Selects the database of the keys that follow.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn select_db(&mut self, number: u32) -> Result<(), WriteError> {
        length::write(self.opcode(format::SELECT_DB)?, u64::from(number))
    }

    /// Writes the approximate numbers of keys that follow in this database, and of those with an expiry.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn resize_db(&mut self, keys: u64, expires: u64) -> Result<(), WriteError> {
        let sink = self.opcode(format::RESIZE_DB)?;
        length::write(sink, keys)?;
        length::write(sink, expires)
    }

    /// Writes the approximate numbers of keys that follow in this slot of a cluster, and of those with an expiry.
    ///
    /// # Errors
    /// [`WriteError`]; versions before 12 and Valkey's have no such record.
    pub fn slot_info(&mut self, slot: u64, keys: u64, expires: u64) -> Result<(), WriteError> {
        let sink = self.opcode_since(format::SLOT_INFO, format::SLOT_INFO_SINCE)?;
        length::write(sink, slot)?;
        length::write(sink, keys)?;
        length::write(sink, expires)
    }

    /// Writes slots that another node of a Valkey cluster is migrating, as read from another file.
    ///
    /// # Errors
    /// [`WriteError`] if the body does not follow its grammar; only Valkey's versions have such a record.
    pub fn slot_import(&mut self, body: &[u8]) -> Result<(), WriteError> {
        check_slot_import(body).map_err(WriteError::Malformed)?;
        if self.target != Target::Valkey80 {
            return Err(WriteError::NotInVersion {
                byte: format::SLOT_IMPORT,
                target: self.target,
            });
        }
        self.opcode(format::SLOT_IMPORT)?.put(body)
    }

    /// Writes a library of functions.
    ///
    /// # Errors
    /// [`WriteError`]; before version 10 there is no such record.
    pub fn function(&mut self, code: &[u8]) -> Result<(), WriteError> {
        let sink = self.opcode_since(format::FUNCTION, format::FUNCTION_SINCE)?;
        string::write(sink, code)
    }

    /// Writes data that a module stores apart from the keys, as read from another file.
    ///
    /// # Errors
    /// [`WriteError`]; a body that does not follow its grammar is refused.
    pub fn module_aux(&mut self, body: &[u8]) -> Result<(), WriteError> {
        value::check_aux(body).map_err(WriteError::Malformed)?;
        self.opcode(format::MODULE_AUX)?.put(body)
    }

    /// Begins a key; write its value with the returned writer.
    pub fn key<'a>(&'a mut self, key: &'a [u8], attributes: Attributes) -> ValueWriter<'a, W> {
        let head = Head::Key { key, attributes, metadata: &[] };
        ValueWriter::new(&mut self.sink, head, self.target)
    }

    /// Writes a batch of keys and values from a file of the same version, or from a
    /// [`BatchWriter`](crate::BatchWriter).
    ///
    /// # Errors
    /// [`WriteError`]; a batch of another version is refused.
    pub fn batch(&mut self, batch: &Batch) -> Result<(), WriteError> {
        if batch.version != self.target.version() {
            return Err(WriteError::OtherVersion { version: batch.version, target: self.target });
        }
        self.sink.check_complete()?;
        self.sink.put(&batch.bytes)
    }

    /// Writes the end and the checksum, flushes, and returns the output.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn finish(mut self) -> Result<W, WriteError> {
        self.opcode(format::EOF)?;
        let checksum = self.sink.checksum()?;
        self.sink.put(&checksum.to_le_bytes())?;
        self.sink.into_inner()
    }
}
