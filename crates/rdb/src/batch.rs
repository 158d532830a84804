//! Batches of a file: whole keys, unparsed, to be read separately.

use std::{fmt, io};

use crate::{
    reader::Reader,
    record::Attributes,
    sink::Sink,
    source::Source,
    value::{Head, ValueWriter},
    version::{Target, Version},
    writer::{WriteError, WriteOptions},
};

/// Keys of a file with their values, unparsed. One thread can cut batches from a file and another one read them, or one
/// can write batches and another one add them to a file.
///
/// [`Reader::next_batch`] only searches for the ends of the keys, which takes a fraction of the time of reading them. A
/// [`BatchWriter`] creates batches for [`Writer::batch`](crate::Writer::batch).
///
/// ```
/// use rdb::{Reader, Record, Value};
///
/// let file = b"REDIS0010\xfe\x00\x00\x01a\x011\x00\x01b\x012\xff\0\0\0\0\0\0\0\0";
/// let mut reader = Reader::new(&file[..])?;
/// assert!(reader.next_batch(1000)?.is_none()); // a database begins
/// assert_eq!(reader.next_record()?, Some(Record::SelectDb(0)));
///
/// let mut batch = reader.next_batch(1000)?.expect("two keys").into_reader();
/// for expected in [b"a", b"b"] {
///     let Some(Record::Key { key, .. }) = batch.next_record()? else { panic!() };
///     assert_eq!(key, expected);
/// }
/// assert_eq!(batch.next_record()?, None);
/// assert_eq!(reader.next_record()?, None);
/// # Ok::<(), rdb::Error>(())
/// ```
#[derive(Debug)]
pub struct Batch {
    pub(crate) version: Version,
    /// Where it begins in the file.
    pub(crate) offset: u64,
    pub(crate) bytes: Vec<u8>,
}

impl Batch {
    /// The length in bytes.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a batch is never empty")]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns a reader of the keys and values. The offsets of errors are those in the file.
    #[must_use]
    pub fn into_reader(self) -> Reader<io::Empty> {
        let Self { version, offset, bytes } = self;
        Reader::of_batch(Source::of_bytes(bytes, offset), version)
    }
}

/// Writes keys and values without a file.
///
/// ```
/// use rdb::{Attributes, BatchWriter, WriteOptions, Writer};
///
/// let options = WriteOptions::default();
/// let mut whole = Writer::new(Vec::new(), options)?;
/// whole.key(b"a", Attributes::default()).int(1)?;
///
/// let mut batch = BatchWriter::new(options);
/// batch.key(b"a", Attributes::default()).int(1)?;
/// let mut in_batches = Writer::new(Vec::new(), options)?;
/// in_batches.batch(&batch.take()?.expect("a key"))?;
/// assert!(batch.take()?.is_none());
/// assert_eq!(in_batches.finish()?, whole.finish()?);
/// # Ok::<(), rdb::WriteError>(())
/// ```
pub struct BatchWriter {
    sink: Sink<Vec<u8>>,
    target: Target,
}

impl BatchWriter {
    /// Creates a writer without keys.
    #[must_use]
    pub fn new(options: WriteOptions) -> Self {
        let sink = Sink::new(Vec::new(), options.compression, false);
        Self { sink, target: options.target }
    }

    /// Begins a key; write its value with the returned writer.
    pub fn key<'a>(
        &'a mut self,
        key: &'a [u8],
        attributes: Attributes,
    ) -> ValueWriter<'a, Vec<u8>> {
        let head = Head::Key { key, attributes, metadata: &[] };
        ValueWriter::new(&mut self.sink, head, self.target)
    }

    /// The bytes of the keys and values so far.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.sink.written()
    }

    /// Returns the keys and values so far as a batch, or `None` if there are none, and begins the next batch.
    ///
    /// # Errors
    /// [`WriteError`] if a value is incomplete.
    pub fn take(&mut self) -> Result<Option<Batch>, WriteError> {
        self.sink.check_complete()?;
        let bytes = self.sink.take()?;
        let version = self.target.version();
        Ok((!bytes.is_empty()).then_some(Batch { version, offset: 0, bytes }))
    }
}

impl fmt::Debug for BatchWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchWriter").field("target", &self.target).finish_non_exhaustive()
    }
}
