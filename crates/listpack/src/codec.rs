//! The blob: its header, and the validation of untrusted blobs.

use core::{error, fmt};

use crate::decode::{Shape, Unshaped, backlen_before};
use crate::encode::END;

const TOTAL_AT: usize = 0;
const COUNT_AT: usize = TOTAL_AT + size_of::<u32>();
/// Where the entries begin.
pub(crate) const HEADER: usize = COUNT_AT + size_of::<u16>();
/// The length of an empty list, in bytes.
pub(crate) const LEAST: usize = HEADER + 1;

const _: () = assert!(HEADER == 6);

/// The count of a list that has more entries than its header can hold, or had once.
pub(crate) const UNKNOWN: u16 = u16::MAX;

/// The blob of a list that holds nothing.
pub(crate) const EMPTY: [u8; LEAST] = [7, 0, 0, 0, 0, 0, END];

/// The length of the blob in bytes, and the number of entries.
#[inline(always)]
pub(crate) const fn decode_header(header: [u8; HEADER]) -> (u32, u16) {
    let [t0, t1, t2, t3, n0, n1] = header;
    (u32::from_le_bytes([t0, t1, t2, t3]), u16::from_le_bytes([n0, n1]))
}

/// The header of a blob of `total` bytes.
#[inline(always)]
pub(crate) const fn encode_header(total: u32, count: u16) -> [u8; HEADER] {
    let [t0, t1, t2, t3] = total.to_le_bytes();
    let [n0, n1] = count.to_le_bytes();
    [t0, t1, t2, t3, n0, n1]
}

/// How much of a blob to validate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Validation {
    /// The header, the length in it, and the end marker. O(1).
    ///
    /// Bytes inside that do not parse are treated as the end of the list: results are wrong, but nothing panics. Use
    /// this for bytes that a checksum protects.
    Shallow,
    /// Also each entry, the length at its end, and the count, as Redis checks them. O(n).
    ///
    /// An entry need not have the narrowest encoding, and an integer may be stored as text.
    Deep,
}

/// Why bytes are not a valid list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes are fewer than those of an empty list.
    Truncated {
        /// The length of an empty list, in bytes.
        need: usize,
        /// The length, in bytes.
        got: usize,
    },
    /// The length is not what the header says.
    LengthMismatch {
        /// The length in the header, in bytes.
        expected: u32,
        /// The length, in bytes.
        got: usize,
    },
    /// The last byte is not the end marker.
    NoEndMarker {
        /// The offset where it should be.
        offset: usize,
        /// The byte there.
        got: u8,
    },
    /// The first byte of an entry is not a known encoding, or is an end marker before the last byte.
    UnknownEncoding {
        /// The offset of the entry.
        offset: usize,
        /// The byte there.
        got: u8,
    },
    /// An entry reaches into the end marker, or beyond.
    EntryTooLong {
        /// The offset of the entry.
        offset: usize,
        /// The bytes that it needs.
        need: usize,
        /// The bytes before the end marker.
        got: usize,
    },
    /// The length at the end of an entry is not that of the entry.
    BacklenMismatch {
        /// The offset of the entry.
        offset: usize,
        /// The bytes of the entry.
        expected: usize,
    },
    /// The count in the header is not the number of entries.
    CountMismatch {
        /// The count in the header.
        expected: u16,
        /// The number of entries.
        got: usize,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { need, got } => {
                write!(f, "listpack takes at least {need} bytes, got {got}")
            }
            Self::LengthMismatch { expected, got } => {
                write!(f, "listpack header specifies {expected} bytes, got {got}")
            }
            Self::NoEndMarker { offset, got } => {
                write!(f, "listpack ends with {got:#04x} at offset {offset}, expected {END:#04x}")
            }
            Self::UnknownEncoding { offset, got } => {
                write!(f, "listpack entry at offset {offset} has unknown encoding {got:#04x}")
            }
            Self::EntryTooLong { offset, need, got } => {
                write!(f, "listpack entry at offset {offset} needs {need} bytes, got {got}")
            }
            Self::BacklenMismatch { offset, expected } => write!(
                f,
                "listpack entry at offset {offset} does not end with its length of {expected} bytes"
            ),
            Self::CountMismatch { expected, got } => {
                write!(
                    f,
                    "listpack header at offset {COUNT_AT} specifies {expected} entries, got {got}"
                )
            }
        }
    }
}

impl error::Error for DecodeError {}

/// Validates that `blob` is exactly one list. O(1) for [`Validation::Shallow`], O(n) for [`Validation::Deep`].
///
/// [`Validation::Deep`] accepts exactly what the deep check of Redis accepts.
///
/// # Errors
///
/// The first error, with what was expected, what was found and where.
///
/// # Examples
///
/// ```
/// use listpack::{DecodeError, Validation, validate};
///
/// let blob = [10, 0, 0, 0, 1, 0, 0x81, b'a', 7, 0xff];
/// assert_eq!(validate(&blob, Validation::Shallow), Ok(()));
/// let error = validate(&blob, Validation::Deep).unwrap_err();
/// assert_eq!(error, DecodeError::BacklenMismatch { offset: 6, expected: 2 });
/// assert_eq!(
///     error.to_string(),
///     "listpack entry at offset 6 does not end with its length of 2 bytes"
/// );
/// ```
pub fn validate(blob: &[u8], validation: Validation) -> Result<(), DecodeError> {
    let Some([header @ .., _]) = blob.first_chunk::<LEAST>() else {
        return Err(DecodeError::Truncated { need: LEAST, got: blob.len() });
    };
    let (total, count) = decode_header(*header);
    if u64::from(total) != blob.len() as u64 {
        return Err(DecodeError::LengthMismatch { expected: total, got: blob.len() });
    }
    if let Some(&got) = blob.last()
        && got != END
    {
        return Err(DecodeError::NoEndMarker { offset: blob.len() - 1, got });
    }
    match validation {
        Validation::Shallow => Ok(()),
        Validation::Deep => check_entries(blob, count),
    }
}

/// Checks what stands between the header and the end marker.
fn check_entries(blob: &[u8], count: u16) -> Result<(), DecodeError> {
    let end = blob.len().saturating_sub(1);
    let (mut offset, mut got) = (HEADER, 0);
    while offset < end {
        let left = end - offset;
        let shape = match Shape::read(blob.get(offset..end).unwrap_or_default()) {
            Ok(shape) => shape,
            Err(Unshaped::Tag(tag)) => {
                return Err(DecodeError::UnknownEncoding { offset, got: tag });
            }
            Err(Unshaped::Cut(need)) => {
                return Err(DecodeError::EntryTooLong { offset, need, got: left });
            }
        };
        let (len, size) = (shape.len(), shape.size());
        if size > left {
            return Err(DecodeError::EntryTooLong { offset, need: size, got: left });
        }
        // By its marks, not by its size, and into what stands before it if need be: as Redis reads it.
        if backlen_before(blob, offset + size) != Some(len) {
            return Err(DecodeError::BacklenMismatch { offset, expected: len });
        }
        offset += size;
        got += 1;
    }
    if count != UNKNOWN && usize::from(count) != got {
        return Err(DecodeError::CountMismatch { expected: count, got });
    }
    Ok(())
}
