//! The frame around a value.

use store::Store;

use super::codec::MAX_LEN;
use super::error::Error;
use super::keys;
use super::kind::{Framed, Kind};

const MAGIC: [u8; 6] = *b"TALLIS";

/// The number of the format: the [`codec`](super::codec), and CRC-64.
const FORMAT: u8 = 1;

const CHECKSUM_LEN: usize = 8;

/// The length of the header in bytes, which precedes the value.
pub const HEADER_LEN: usize = 16;

/// The header of a frame: enough to read the rest of it from a stream.
///
/// # Examples
///
/// ```
/// use std::io::Read;
///
/// use tallis::wire::{self, HEADER_LEN, Header, Kind};
/// use tallis::{hll::HyperLogLog, intset::IntSet};
///
/// let mut sent = wire::encode(&HyperLogLog::new())?;
/// sent.extend(wire::encode(&IntSet::new())?);
///
/// let mut stream = sent.as_slice();
/// let mut kinds = Vec::new();
/// while !stream.is_empty() {
///     let mut frame = vec![0; HEADER_LEN];
///     stream.read_exact(&mut frame)?;
///     let header = Header::read(&frame)?;
///     stream.by_ref().take(header.rest()).read_to_end(&mut frame)?;
///     match header.kind() {
///         Some(Kind::HyperLogLog) => assert_eq!(wire::decode::<HyperLogLog>(&frame, 1 << 16)?.count(), 0),
///         Some(Kind::IntSet) => assert!(wire::decode::<IntSet>(&frame, 1 << 16)?.is_empty()),
///         other => panic!("unexpected {other:?}"),
///     }
///     kinds.extend(header.kind());
/// }
/// assert_eq!(kinds, [Kind::HyperLogLog, Kind::IntSet]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    kind: u8,
    len: u64,
}

impl Header {
    /// Parses the header of the frame that begins with these bytes, of which there must be at least [`HEADER_LEN`].
    ///
    /// # Errors
    ///
    /// [`Error::BadMagic`], [`Error::UnknownFormat`], and [`Error::Truncated`] if the header is incomplete.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        let begun = bytes.len().min(MAGIC.len());
        if bytes.get(..begun) != MAGIC.get(..begun) || begun == 0 {
            return Err(Error::BadMagic);
        }
        let Some(&[_, _, _, _, _, _, format, kind, ref len @ ..]) =
            bytes.first_chunk::<HEADER_LEN>()
        else {
            return Err(Error::Truncated { need: HEADER_LEN as u64, got: bytes.len() as u64 });
        };
        if format != FORMAT {
            return Err(Error::UnknownFormat(format));
        }
        Ok(Self { kind, len: u64::from_le_bytes(*len) })
    }

    /// Returns the kind of the value; `None` if it is one of a later version.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        Kind::from_byte(self.kind)
    }

    /// Returns the length of the value in bytes.
    #[must_use]
    pub const fn value_len(&self) -> u64 {
        self.len
    }

    /// Returns the number of bytes after the header.
    #[must_use]
    pub const fn rest(&self) -> u64 {
        self.len.saturating_add(CHECKSUM_LEN as u64)
    }
}

/// Encodes a value as a frame. O(bytes); for a store, O(n log n) for its n keys, and writers of a database are blocked
/// while it is read.
///
/// # Errors
///
/// [`Error::TooLong`] if the value has more than [`MAX_LEN`] bytes, [`Error::Unframed`] if it cannot be encoded.
///
/// # Examples
///
/// ```
/// use tallis::{Store, wire};
///
/// let store = Store::new();
/// store.sadd("languages", ["Rust", "C"])?;
/// let frame = wire::encode(&store)?;
/// let copy: Store = wire::decode(&frame, 1 << 20)?;
/// assert_eq!(copy.scard("languages")?, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn encode<T: Framed>(value: &T) -> Result<Vec<u8>, Error> {
    framed(T::KIND, |out| value.write(out))
}

/// Encodes some keys of the database of this handle as a frame, each with its value and expiry, as keys of database 0.
/// Keys that do not exist are left out.
///
/// # Errors
///
/// As [`encode`].
///
/// # Examples
///
/// ```
/// use tallis::{Store, wire};
///
/// let store = Store::new();
/// store.sadd("a", ["x"])?;
/// store.sadd("b", ["y"])?;
/// let copy: Store = wire::decode(&wire::encode_keys(&store, &["b", "c"])?, 1 << 10)?;
/// assert_eq!(copy.keys("*")?, ["b"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn encode_keys<K: AsRef<[u8]>>(store: &Store, keys: &[K]) -> Result<Vec<u8>, Error> {
    let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
    framed(Kind::Keys, |out| keys::write_some(store, &keys, out))
}

fn framed(
    kind: Kind,
    write: impl FnOnce(Vec<u8>) -> Result<Vec<u8>, Error>,
) -> Result<Vec<u8>, Error> {
    let mut frame = Vec::with_capacity(HEADER_LEN);
    frame.extend_from_slice(&MAGIC);
    frame.extend_from_slice(&[FORMAT, kind as u8]);
    frame.extend_from_slice(&[0; size_of::<u64>()]);
    let mut frame = write(frame)?;
    let len = (frame.len() - HEADER_LEN) as u64;
    if len > MAX_LEN {
        return Err(Error::TooLong { len, limit: MAX_LEN });
    }
    if let Some(field) = frame.get_mut(HEADER_LEN - size_of::<u64>()..HEADER_LEN) {
        field.copy_from_slice(&len.to_le_bytes());
    }
    let checksum = rdb::crc64(&frame);
    frame.extend_from_slice(&checksum.to_le_bytes());
    Ok(frame)
}

/// Decodes the value of a frame, which may have at most `limit` bytes. The bytes need not be trusted. O(bytes).
///
/// A decoded store has the default limits of encodings, and keys that have expired are left out.
///
/// # Errors
///
/// Any [`Error`] that describes invalid bytes.
///
/// # Examples
///
/// ```
/// use tallis::bloom::BloomFilter;
/// use tallis::intset::IntSet;
/// use tallis::wire::{self, Error, Kind};
///
/// let frame = wire::encode(&[1, 2, 3].into_iter().collect::<IntSet>())?;
/// assert_eq!(wire::decode::<IntSet>(&frame, 100)?.len(), 3);
///
/// assert_eq!(wire::decode::<IntSet>(&frame, 10), Err(Error::TooLong { len: 22, limit: 10 }));
/// let other = wire::decode::<BloomFilter>(&frame, 100).unwrap_err();
/// assert_eq!(other, Error::Kind { expected: Kind::BloomFilter, got: Kind::IntSet as u8 });
/// # Ok::<(), Error>(())
/// ```
pub fn decode<T: Framed>(frame: &[u8], limit: u64) -> Result<T, Error> {
    let header = Header::read(frame)?;
    if header.kind != T::KIND as u8 {
        return Err(Error::Kind { expected: T::KIND, got: header.kind });
    }
    let limit = limit.min(MAX_LEN);
    if header.len > limit {
        return Err(Error::TooLong { len: header.len, limit });
    }
    let (need, got) = (HEADER_LEN as u64 + header.rest(), frame.len() as u64);
    if got < need {
        return Err(Error::Truncated { need, got });
    }
    if got > need {
        return Err(Error::Trailing { bytes: got - need });
    }
    let short = Error::Truncated { need, got };
    let (summed, stored) = frame.split_last_chunk().ok_or_else(|| short.clone())?;
    let (stored, computed) = (u64::from_le_bytes(*stored), rdb::crc64(summed));
    if stored != computed {
        return Err(Error::Checksum { stored, computed });
    }
    T::read(summed.get(HEADER_LEN..).ok_or(short)?)
}
