//! Writing values.

use std::{fmt, io::Write};

use super::{
    expiring::FieldsWriter,
    items::{NodesWriter, StringsWriter, ZSetWriter},
    kind::{Blob, ValueType},
    module::{self, ModuleId, ModuleWriter},
    parts::PartsWriter,
    raw::RawValue,
};
use crate::{
    format, length, record::Attributes, sink::Sink, string, version::Target, writer::WriteError,
};

/// The bytes before a value.
#[derive(Clone, Copy)]
pub(crate) enum Head<'a> {
    /// In a file: attributes, metadata, type, key.
    Key { key: &'a [u8], attributes: Attributes, metadata: &'a [u8] },
    /// In a payload: the type alone.
    Payload,
}

/// Writes one value, preceded by its key or type byte.
///
/// Nothing is written before the value: a writer that is dropped has no effect.
#[must_use = "nothing is written until the value is written"]
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

    /// Sets the metadata that modules store with the key, as read in a [`Record::Key`](crate::Record::Key). A payload
    /// has none.
    ///
    /// Writing the value fails if the metadata do not follow their grammar, and for versions before 13.
    pub fn metadata(mut self, bytes: &'a [u8]) -> Self {
        if let Head::Key { metadata, .. } = &mut self.head {
            *metadata = bytes;
        }
        self
    }

    /// The version that is written. Types that it does not have must be written in an older form.
    #[must_use]
    pub fn target(&self) -> Target {
        self.target
    }

    /// Writes a string, as an integer or compressed if servers do so.
    ///
    /// # Errors
    /// [`WriteError`], as for all methods.
    pub fn string(self, bytes: &[u8]) -> Result<(), WriteError> {
        string::write(self.begin(ValueType::String)?, bytes)
    }

    /// Begins a string of `len` bytes that is written in parts, not compressed.
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

    /// Writes a string of `plain_len` bytes as this LZF stream.
    ///
    /// # Errors
    /// [`WriteError`] if the stream is malformed or decompresses to another number of bytes.
    pub fn compressed_string(self, stream: &[u8], plain_len: u64) -> Result<(), WriteError> {
        string::check_stream(stream, plain_len)?;
        string::write_stream(self.begin(ValueType::String)?, stream, plain_len)
    }

    /// Writes a string that is the decimal text of an integer.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn int(self, int: i64) -> Result<(), WriteError> {
        string::write_int(self.begin(ValueType::String)?, int)
    }

    /// Writes a collection in one blob, which is not validated.
    ///
    /// # Errors
    /// [`WriteError`] if the version does not have this form.
    pub fn blob(self, blob: Blob, bytes: &[u8]) -> Result<(), WriteError> {
        string::write(self.begin(blob.value_type())?, bytes)
    }

    /// Begins a set of exactly `members` members.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn set(self, members: u64) -> Result<StringsWriter<'a, W>, WriteError> {
        self.strings(ValueType::Set, members, 1)
    }

    /// Begins a hash of exactly `fields` fields, each written before its value.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn hash(self, fields: u64) -> Result<StringsWriter<'a, W>, WriteError> {
        self.strings(ValueType::Hash, fields, 2)
    }

    /// Begins a list of exactly `elements` elements: the old form, without nodes.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn list(self, elements: u64) -> Result<StringsWriter<'a, W>, WriteError> {
        self.strings(ValueType::List, elements, 1)
    }

    /// Begins a list of exactly `nodes` nodes.
    ///
    /// # Errors
    /// [`WriteError`]; versions before 10 have no such value.
    pub fn list_nodes(self, nodes: u64) -> Result<NodesWriter<'a, W>, WriteError> {
        Ok(NodesWriter { sink: self.begin(ValueType::ListQuicklist2)?.announce(nodes, 1)? })
    }

    /// A count of items, each of which is that many strings.
    fn strings(
        self,
        kind: ValueType,
        count: u64,
        each: u64,
    ) -> Result<StringsWriter<'a, W>, WriteError> {
        Ok(StringsWriter { sink: self.begin(kind)?.announce(count, each)? })
    }

    /// Begins a sorted set of exactly `members` members with scores. Servers write the highest score first, which loads
    /// fastest.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn zset(self, members: u64) -> Result<ZSetWriter<'a, W>, WriteError> {
        Ok(ZSetWriter { sink: self.begin(ValueType::ZSet)?.announce(members, 1)? })
    }

    /// Begins a hash whose fields can expire, of exactly the announced number of fields. No field may expire before
    /// `earliest_ms`, in milliseconds since 1970.
    ///
    /// # Errors
    /// [`WriteError`]; Redis has such a value from version 12 on, Valkey from 80 on.
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
        if self.target.has(ValueType::ValkeyHashTtl) {
            let sink = self.begin(ValueType::ValkeyHashTtl)?.announce(fields, 1)?;
            return Ok(FieldsWriter { sink, earliest_ms: None });
        }
        let sink = self.begin(ValueType::HashTtl)?;
        sink.put(&earliest_ms.to_le_bytes())?;
        Ok(FieldsWriter { sink: sink.announce(fields, 1)?, earliest_ms: Some(earliest_ms) })
    }

    /// Writes a hash whose fields can expire as a listpack of field, value and expiry in turn, ascending by expiry;
    /// fields without one have 0 and come last. `earliest_ms` is the first expiry, in milliseconds since 1970.
    ///
    /// # Errors
    /// [`WriteError`]; Redis has such a value from version 12 on, Valkey has none.
    pub fn hash_ttl_listpack(self, listpack: &[u8], earliest_ms: i64) -> Result<(), WriteError> {
        let sink = self.begin(ValueType::HashTtlListpack)?;
        sink.put(&earliest_ms.to_le_bytes())?;
        string::write(sink, listpack)
    }

    /// Begins a module's value, written part by part.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn module(self, id: ModuleId) -> Result<ModuleWriter<'a, W>, WriteError> {
        ModuleWriter::new(self.begin(ValueType::Module)?, id)
    }

    /// Writes a value that was read from another file or payload without decoding.
    ///
    /// # Errors
    /// [`WriteError`] if the version does not have this type.
    pub fn raw(self, value: &RawValue) -> Result<(), WriteError> {
        self.begin(value.kind())?.put(value.body())
    }
}

impl<W> fmt::Debug for ValueWriter<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueWriter").field("target", &self.target).finish_non_exhaustive()
    }
}
