//! Payloads of DUMP and RESTORE: one value, without its key.
//!
//! ```text
//! +------+------ ... ------+---------+----------------+
//! | type | body            | version | CRC-64         |   u16 and u64, little-endian;
//! +------+------ ... ------+---------+----------------+   the checksum is of all before it
//! ```
//!
//! Type and body are those of a file. A checksum of 0 has no special meaning here, unlike in a file. Redis 7.0 ignores
//! bytes between value and footer; here they are an error, because ignoring them may lose a part of a value.
//!
//! ```
//! use rdb::{StringValue, Value, WriteOptions, dump};
//!
//! let payload = dump::encode(WriteOptions::default(), |value| value.string(b"10"))?;
//! assert_eq!(payload, b"\x00\xc0\x0a\x0a\x00\x6e\x9f\x57\x45\x0e\xae\x63\xbb");
//! let mut read = dump::decode(&payload)?;
//! assert!(matches!(read.value()?, Value::String(StringValue::Int(10))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io;

use crate::{
    checksum::crc64,
    error::{Error, ErrorKind},
    sink::Sink,
    source::Source,
    value::{Body, Head, MODULE_PRE_RELEASE, RawValue, State, Value, ValueType, ValueWriter},
    version::Version,
    writer::{WriteError, WriteOptions},
};

const TYPE_BYTES: u64 = 1;
const VERSION_BYTES: usize = 2;
const CHECKSUM_BYTES: usize = 8;

/// Creates the payload of the value that `write` writes.
///
/// # Errors
/// The error of `write`, or [`WriteError::NotOneValue`] if it writes no value.
pub fn encode(
    options: WriteOptions,
    write: impl FnOnce(ValueWriter<'_, Vec<u8>>) -> Result<(), WriteError>,
) -> Result<Vec<u8>, WriteError> {
    let mut sink = Sink::new(Vec::new(), options.compression, false);
    write(ValueWriter::new(&mut sink, Head::Payload, options.target))?;
    sink.check_complete()?;
    if sink.written() == 0 {
        return Err(WriteError::NotOneValue);
    }
    let mut payload = sink.into_inner()?;
    payload.extend_from_slice(&options.target.number().to_le_bytes());
    let checksum = crc64(&payload);
    payload.extend_from_slice(&checksum.to_le_bytes());
    Ok(payload)
}

/// Returns the length in bytes of the body of the value that `write` writes, without the type byte: what DEBUG OBJECT
/// shows as `serializedlength`.
///
/// # Errors
/// As [`encode`].
///
/// ```
/// use rdb::{WriteOptions, dump};
///
/// assert_eq!(dump::body_len(WriteOptions::default(), |value| value.string(b"10"))?, 2);
/// assert_eq!(dump::body_len(WriteOptions::default(), |value| value.string(b"hello"))?, 6);
/// # Ok::<(), rdb::WriteError>(())
/// ```
pub fn body_len(
    options: WriteOptions,
    write: impl FnOnce(ValueWriter<'_, io::Sink>) -> Result<(), WriteError>,
) -> Result<u64, WriteError> {
    let mut sink = Sink::new(io::sink(), options.compression, false);
    write(ValueWriter::new(&mut sink, Head::Payload, options.target))?;
    sink.check_complete()?;
    sink.written().checked_sub(TYPE_BYTES).ok_or(WriteError::NotOneValue)
}

/// A payload with a valid footer and a value that ends where the footer begins.
#[derive(Debug)]
pub struct Payload<'a> {
    body: Body<&'a [u8]>,
    version: Version,
    kind: ValueType,
}

/// Validates a payload's footer, and that it has exactly one value. O(bytes).
///
/// # Errors
/// The payload is too short, has an unsupported version (0 is accepted, as on servers), a wrong checksum, a malformed
/// value, or bytes after the value. Packed blobs are not validated.
pub fn decode(payload: &[u8]) -> Result<Payload<'_>, Error> {
    let truncated = || Error::new(payload.len() as u64, ErrorKind::Truncated);
    let (summed, stored) = payload.split_last_chunk::<CHECKSUM_BYTES>().ok_or_else(truncated)?;
    let (value, number) = summed.split_last_chunk::<VERSION_BYTES>().ok_or_else(truncated)?;
    let version = Version::of_payload(u16::from_le_bytes(*number));
    if !version.is_supported() && version.number() != 0 {
        return Err(Error::new(value.len() as u64, ErrorKind::UnsupportedVersion(version)));
    }
    let (stored, computed) = (u64::from_le_bytes(*stored), crc64(summed));
    if stored != computed {
        return Err(Error::new(summed.len() as u64, ErrorKind::Checksum { stored, computed }));
    }
    let mut scanned = open(value, version)?;
    scanned.body.skip_value()?;
    scanned.body.source.check_end()?;
    open(value, version)
}

fn open(value: &[u8], version: Version) -> Result<Payload<'_>, Error> {
    let mut source = Source::new(value, Some(value.len() as u64), false);
    let byte = source.byte()?;
    let kind = ValueType::from_byte(byte, version.dialect()).ok_or_else(|| {
        let pre_release = byte == MODULE_PRE_RELEASE;
        let unknown = ErrorKind::UnknownType { byte, key: None };
        Error::new(0, if pre_release { ErrorKind::PreRelease(byte) } else { unknown })
    })?;
    Ok(Payload { body: Body::new(source, State::Value(kind)), version, kind })
}

impl<'a> Payload<'a> {
    /// The version in the footer. A server refuses one above its own.
    #[must_use]
    pub fn version(&self) -> Version {
        self.version
    }

    /// The type of the value.
    #[must_use]
    pub fn kind(&self) -> ValueType {
        self.kind
    }

    /// Reads the value. This can be called once.
    ///
    /// # Errors
    /// [`ErrorKind::NoValue`] the second time.
    pub fn value(&mut self) -> Result<Value<'_, &'a [u8]>, Error> {
        self.body.value()
    }

    /// Reads the value without decoding it. This can be called once.
    ///
    /// # Errors
    /// [`ErrorKind::NoValue`] the second time.
    pub fn raw_value(&mut self) -> Result<RawValue, Error> {
        self.body.raw()
    }
}
