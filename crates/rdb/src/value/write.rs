//! Writing values.

use std::{fmt, io::Write};

use super::{
    expiring::{ExpiryForm, FieldsWriter},
    kind::{Blob, ValueType},
    module::{self, ModuleId, ModulePart},
    raw::RawValue,
    scan::{PACKED, PLAIN},
};
use crate::{
    error::{Error, ErrorKind},
    format, length,
    record::Attributes,
    sink::Sink,
    string,
    version::Target,
    writer::WriteError,
};

/// What is owed of a module's value until it is finished.
const END_TAG: u64 = 1;

/// What stands before a value.
#[derive(Clone, Copy)]
pub(crate) enum Head<'a> {
    /// In a file: attributes, metadata, type, key.
    Key { key: &'a [u8], attributes: Attributes, metadata: &'a [u8] },
    /// In a payload: the type alone.
    Payload,
}

/// Writes one value, with what belongs before it.
///
/// Nothing is written until the value is: one that is dropped leaves no trace.
#[must_use = "nothing is written until the value is"]
pub struct ValueWriter<'a, W> {
    sink: &'a mut Sink<W>,
    head: Head<'a>,
    target: Target,
}

impl<'a, W: Write> ValueWriter<'a, W> {
    pub(crate) fn new(sink: &'a mut Sink<W>, head: Head<'a>, target: Target) -> Self {
        Self { sink, head, target }
    }

    pub(crate) fn begin(self, kind: ValueType) -> Result<&'a mut Sink<W>, WriteError> {
        let Self { sink, head, target } = self;
        sink.check_complete()?;
        if !target.has(kind) {
            return Err(WriteError::NotInVersion { byte: kind.byte(), target });
        }
        if let Head::Key { metadata, .. } = head
            && !metadata.is_empty()
        {
            module::check_metadata(metadata).map_err(WriteError::Malformed)?;
            if !target.has_key_metadata() {
                return Err(WriteError::NotInVersion { byte: format::KEY_METADATA, target });
            }
        }
        match head {
            Head::Payload => sink.put(&[kind.byte()])?,
            Head::Key { key, attributes, metadata } => {
                if let Some(at) = attributes.expire_at_ms {
                    sink.put(&[format::EXPIRE_MS])?;
                    sink.put(&at.to_le_bytes())?;
                }
                if let Some(idle) = attributes.idle_s {
                    sink.put(&[format::IDLE])?;
                    length::write(sink, idle)?;
                }
                if let Some(freq) = attributes.freq {
                    sink.put(&[format::FREQ, freq])?;
                }
                if !metadata.is_empty() {
                    sink.put(&[format::KEY_METADATA])?;
                    sink.put(metadata)?;
                }
                sink.put(&[kind.byte()])?;
                string::write(sink, key)?;
            }
        }
        Ok(sink)
    }

    /// Puts before the key of a file what modules store with it, as it came: the metadata of a
    /// [`Record::Key`](crate::Record::Key). A payload holds none.
    ///
    /// What writes the value fails if it does not follow its grammar, and before version 13.
    pub fn metadata(mut self, bytes: &'a [u8]) -> Self {
        if let Head::Key { metadata, .. } = &mut self.head {
            *metadata = bytes;
        }
        self
    }

    /// The version that is written: what it lacks has to be given in an older form.
    #[must_use]
    pub fn target(&self) -> Target {
        self.target
    }

    /// A string, as an integer or compressed where servers do so.
    ///
    /// # Errors
    /// [`WriteError`], as for all of these.
    pub fn string(self, bytes: &[u8]) -> Result<(), WriteError> {
        string::write(self.begin(ValueType::String)?, bytes)
    }

    /// A string of so many bytes that come in parts, written as they are.
    ///
    /// # Errors
    /// [`WriteError`].
    ///
    /// ```
    /// use rdb::{WriteOptions, dump};
    ///
    /// let options = WriteOptions::default();
    /// let whole = dump::encode(options, |value| value.string(b"hello"))?;
    /// let in_parts = dump::encode(options, |value| {
    ///     let mut parts = value.string_in_parts(5)?;
    ///     parts.part(b"he")?;
    ///     parts.part(b"llo")?;
    ///     parts.finish()
    /// })?;
    /// assert_eq!(in_parts, whole);
    /// # Ok::<(), rdb::WriteError>(())
    /// ```
    pub fn string_in_parts(self, len: u64) -> Result<PartsWriter<'a, W>, WriteError> {
        PartsWriter::new(self.begin(ValueType::String)?, len)
    }

    /// A string of so many bytes whose LZF stream is this.
    ///
    /// # Errors
    /// [`WriteError`]; a stream that gives another number of bytes is refused.
    pub fn compressed_string(self, stream: &[u8], plain_len: u64) -> Result<(), WriteError> {
        check_stream(stream, plain_len)?;
        string::write_stream(self.begin(ValueType::String)?, stream, plain_len)
    }

    /// A string that is the decimal text of an integer.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn int(self, int: i64) -> Result<(), WriteError> {
        string::write_int(self.begin(ValueType::String)?, int)
    }

    /// A collection in one blob.
    ///
    /// # Errors
    /// [`WriteError`]; a form that the version to write does not have is refused.
    pub fn blob(self, blob: Blob, bytes: &[u8]) -> Result<(), WriteError> {
        string::write(self.begin(blob.value_type())?, bytes)
    }

    /// A set as its members, of which there must be exactly as many as announced.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn set(self, members: u64) -> Result<StringsWriter<'a, W>, WriteError> {
        self.strings(ValueType::Set, members, 1)
    }

    /// A hash as its fields, each before its value, of which there must be exactly as many as announced.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn hash(self, fields: u64) -> Result<StringsWriter<'a, W>, WriteError> {
        self.strings(ValueType::Hash, fields, 2)
    }

    /// A list as its elements, of which there must be exactly as many as announced: the form before nodes.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn list(self, elements: u64) -> Result<StringsWriter<'a, W>, WriteError> {
        self.strings(ValueType::List, elements, 1)
    }

    /// A list as its nodes, of which there must be exactly as many as announced.
    ///
    /// # Errors
    /// [`WriteError`]; before version 10 there is no such value.
    pub fn list_nodes(self, nodes: u64) -> Result<NodesWriter<'a, W>, WriteError> {
        let sink = self.begin(ValueType::ListQuicklist2)?;
        length::write(sink, nodes)?;
        sink.owed = nodes;
        Ok(NodesWriter { sink })
    }

    /// A count of items, each of which is that many strings.
    fn strings(
        self,
        kind: ValueType,
        count: u64,
        each: u64,
    ) -> Result<StringsWriter<'a, W>, WriteError> {
        let sink = self.begin(kind)?;
        length::write(sink, count)?;
        sink.owed = count.saturating_mul(each);
        Ok(StringsWriter { sink })
    }

    /// A sorted set as its members and scores, of which there must be exactly as many as announced. Servers write the
    /// highest score first, which loads fastest.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn zset(self, members: u64) -> Result<ZSetWriter<'a, W>, WriteError> {
        let sink = self.begin(ValueType::ZSet)?;
        length::write(sink, members)?;
        sink.owed = members;
        Ok(ZSetWriter { sink })
    }

    /// A hash of which fields expire, as its fields, of which there must be exactly as many as announced; no field expires
    /// before `earliest_ms`, in milliseconds since the epoch.
    ///
    /// # Errors
    /// [`WriteError`]; Redis has such a value since version 12, and Valkey since 80.
    ///
    /// ```
    /// use rdb::{Field, Target, WriteOptions, dump};
    ///
    /// let options = WriteOptions { target: Target::V12, ..WriteOptions::default() };
    /// let payload = dump::encode(options, |value| {
    ///     let mut hash = value.hash_ttl(1, 5000)?;
    ///     hash.field(Field { field: b"f", value: b"v", expire_at_ms: Some(5000) })?;
    ///     hash.finish()
    /// })?;
    /// assert_eq!(payload[..15], *b"\x18\x88\x13\0\0\0\0\0\0\x01\x01\x01f\x01v");
    /// # Ok::<(), rdb::WriteError>(())
    /// ```
    pub fn hash_ttl(
        self,
        fields: u64,
        earliest_ms: i64,
    ) -> Result<FieldsWriter<'a, W>, WriteError> {
        let (kind, form) = if self.target.has(ValueType::ValkeyHashTtl) {
            (ValueType::ValkeyHashTtl, ExpiryForm::Behind)
        } else {
            (ValueType::HashTtl, ExpiryForm::Since(earliest_ms))
        };
        let sink = self.begin(kind)?;
        if form != ExpiryForm::Behind {
            sink.put(&earliest_ms.to_le_bytes())?;
        }
        length::write(sink, fields)?;
        sink.owed = fields;
        Ok(FieldsWriter { sink, form })
    }

    /// A hash of which fields expire, as a listpack: each field before its value and its time, those that expire first
    /// before the others, and those that do not, with 0, behind them. `earliest_ms` is the first time.
    ///
    /// # Errors
    /// [`WriteError`]; Redis has such a value since version 12, and Valkey has none.
    pub fn hash_ttl_listpack(self, listpack: &[u8], earliest_ms: i64) -> Result<(), WriteError> {
        let sink = self.begin(ValueType::HashTtlListpack)?;
        sink.put(&earliest_ms.to_le_bytes())?;
        string::write(sink, listpack)
    }

    /// A value of a module, part by part.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn module(self, id: ModuleId) -> Result<ModuleWriter<'a, W>, WriteError> {
        let sink = self.begin(ValueType::Module)?;
        length::write(sink, id.bits())?;
        sink.owed = END_TAG;
        Ok(ModuleWriter { sink })
    }

    /// A value as it came from another file or payload.
    ///
    /// # Errors
    /// [`WriteError`]; a type that the version to write does not have is refused.
    pub fn raw(self, value: &RawValue) -> Result<(), WriteError> {
        self.begin(value.kind())?.put(value.body())
    }
}

/// An error unless the stream gives so many bytes.
fn check_stream(stream: &[u8], plain_len: u64) -> Result<(), WriteError> {
    lzf::check(stream, plain_len)
        .map_err(|error| WriteError::Malformed(Error::new(0, ErrorKind::Lzf(error))))
}

impl<W> fmt::Debug for ValueWriter<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueWriter").field("target", &self.target).finish_non_exhaustive()
    }
}

/// Takes the bytes of a string.
///
/// If it is dropped before the last, whatever comes next on the writer fails.
#[must_use = "the bytes are still to be written"]
pub struct PartsWriter<'a, W> {
    sink: &'a mut Sink<W>,
    /// What is owed behind the string.
    behind: u64,
}

impl<'a, W: Write> PartsWriter<'a, W> {
    fn new(sink: &'a mut Sink<W>, len: u64) -> Result<Self, WriteError> {
        length::write(sink, len)?;
        let behind = sink.owed;
        sink.owed = behind.saturating_add(len);
        Ok(Self { sink, behind })
    }

    /// The next bytes.
    ///
    /// # Errors
    /// [`WriteError`]; more bytes than announced are refused, and leave the file as it was.
    pub fn part(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let left = self.sink.owed.checked_sub(bytes.len() as u64);
        let left = left.filter(|&left| left >= self.behind).ok_or(WriteError::TooManyMembers)?;
        self.sink.put(bytes)?;
        self.sink.owed = left;
        Ok(())
    }

    /// Ends the string.
    ///
    /// # Errors
    /// [`WriteError`], if bytes are missing; then the file cannot be finished.
    pub fn finish(self) -> Result<(), WriteError> {
        self.sink.check_owed(self.behind)
    }
}

impl<W> fmt::Debug for PartsWriter<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PartsWriter").finish_non_exhaustive()
    }
}

/// Takes the strings of a collection: the members of a set, the fields and values of a hash.
///
/// If it is dropped before the last, whatever comes next on the writer fails.
#[must_use = "the strings are still to be written"]
pub struct StringsWriter<'a, W> {
    sink: &'a mut Sink<W>,
}

impl<W: Write> StringsWriter<'_, W> {
    /// One member; one field or value of a hash.
    ///
    /// # Errors
    /// [`WriteError`]; one more than announced is refused, and leaves the file as it was.
    pub fn member(&mut self, member: &[u8]) -> Result<(), WriteError> {
        let left = self.sink.owed.checked_sub(1).ok_or(WriteError::TooManyMembers)?;
        string::write(self.sink, member)?;
        self.sink.owed = left;
        Ok(())
    }

    /// Ends the collection.
    ///
    /// # Errors
    /// [`WriteError`], if strings are missing; then the file cannot be finished.
    pub fn finish(self) -> Result<(), WriteError> {
        self.sink.check_complete()
    }
}

impl<W> fmt::Debug for StringsWriter<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StringsWriter").finish_non_exhaustive()
    }
}

/// Takes the nodes of a list.
///
/// If it is dropped before the last, whatever comes next on the writer fails.
#[must_use = "the nodes are still to be written"]
pub struct NodesWriter<'a, W> {
    sink: &'a mut Sink<W>,
}

impl<W: Write> NodesWriter<'_, W> {
    /// A node of one element.
    ///
    /// # Errors
    /// [`WriteError`]; one node more than announced is refused, and leaves the file as it was.
    pub fn plain(&mut self, element: &[u8]) -> Result<(), WriteError> {
        self.node(PLAIN, element)
    }

    /// A node of several, as a listpack blob.
    ///
    /// # Errors
    /// As [`plain`](Self::plain).
    pub fn packed(&mut self, blob: &[u8]) -> Result<(), WriteError> {
        self.node(PACKED, blob)
    }

    fn node(&mut self, container: u64, bytes: &[u8]) -> Result<(), WriteError> {
        let left = self.sink.owed.checked_sub(1).ok_or(WriteError::TooManyMembers)?;
        length::write(self.sink, container)?;
        string::write(self.sink, bytes)?;
        self.sink.owed = left;
        Ok(())
    }

    /// Ends the list.
    ///
    /// # Errors
    /// [`WriteError`], if nodes are missing; then the file cannot be finished.
    pub fn finish(self) -> Result<(), WriteError> {
        self.sink.check_complete()
    }
}

impl<W> fmt::Debug for NodesWriter<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NodesWriter").finish_non_exhaustive()
    }
}

/// Takes the members of a sorted set.
///
/// If it is dropped before the last, whatever comes next on the writer fails.
#[must_use = "the members are still to be written"]
pub struct ZSetWriter<'a, W> {
    sink: &'a mut Sink<W>,
}

impl<W: Write> ZSetWriter<'_, W> {
    /// One member and its score.
    ///
    /// # Errors
    /// [`WriteError`]; one member more than announced is refused, and leaves the file as it was.
    pub fn member(&mut self, member: &[u8], score: f64) -> Result<(), WriteError> {
        let left = self.sink.owed.checked_sub(1).ok_or(WriteError::TooManyMembers)?;
        string::write(self.sink, member)?;
        self.sink.put(&score.to_le_bytes())?;
        self.sink.owed = left;
        Ok(())
    }

    /// Ends the set.
    ///
    /// # Errors
    /// [`WriteError`], if members are missing; then the file cannot be finished.
    pub fn finish(self) -> Result<(), WriteError> {
        self.sink.check_complete()
    }
}

impl<W> fmt::Debug for ZSetWriter<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZSetWriter").finish_non_exhaustive()
    }
}

/// Takes the parts of a module's value.
///
/// If it is dropped before [`finish`](Self::finish), whatever comes next on the writer fails.
#[must_use = "the parts are still to be written"]
pub struct ModuleWriter<'a, W> {
    sink: &'a mut Sink<W>,
}

impl<W: Write> ModuleWriter<'_, W> {
    /// One part; a string is compressed where servers do so.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn part(&mut self, part: ModulePart<&[u8]>) -> Result<(), WriteError> {
        self.sink.check_owed(END_TAG)?;
        module::write_part(self.sink, part)
    }

    /// A string of so many bytes that come in parts, written as they are.
    ///
    /// # Errors
    /// [`WriteError`].
    ///
    /// ```
    /// use rdb::{ModuleId, ModulePart, WriteOptions, dump};
    ///
    /// let options = WriteOptions::default();
    /// let id = ModuleId::new(*b"MBbloom--", 4).unwrap();
    /// let whole = dump::encode(options, |value| {
    ///     let mut value = value.module(id)?;
    ///     value.part(ModulePart::Bytes(b"hello"))?;
    ///     value.finish()
    /// })?;
    /// let in_parts = dump::encode(options, |value| {
    ///     let mut value = value.module(id)?;
    ///     let mut parts = value.bytes_in_parts(5)?;
    ///     parts.part(b"he")?;
    ///     parts.part(b"llo")?;
    ///     parts.finish()?;
    ///     value.finish()
    /// })?;
    /// assert_eq!(in_parts, whole);
    /// # Ok::<(), rdb::WriteError>(())
    /// ```
    pub fn bytes_in_parts(&mut self, len: u64) -> Result<PartsWriter<'_, W>, WriteError> {
        self.sink.check_owed(END_TAG)?;
        module::write_string_tag(self.sink)?;
        PartsWriter::new(self.sink, len)
    }

    /// A string of so many bytes whose LZF stream is this.
    ///
    /// # Errors
    /// [`WriteError`]; a stream that gives another number of bytes is refused.
    pub fn compressed_bytes(&mut self, stream: &[u8], plain_len: u64) -> Result<(), WriteError> {
        check_stream(stream, plain_len)?;
        self.sink.check_owed(END_TAG)?;
        module::write_string_tag(self.sink)?;
        string::write_stream(self.sink, stream, plain_len)
    }

    /// Ends the value.
    ///
    /// # Errors
    /// [`WriteError`], if bytes of a string are missing; then the file cannot be finished.
    pub fn finish(self) -> Result<(), WriteError> {
        self.sink.check_owed(END_TAG)?;
        module::write_end(self.sink)?;
        self.sink.owed = 0;
        Ok(())
    }
}

impl<W> fmt::Debug for ModuleWriter<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModuleWriter").finish_non_exhaustive()
    }
}
