//! The blob: its header, and the validation of untrusted blobs.

use core::{error, fmt};

use crate::Width;
use crate::slot::{Slot, View, with_slots};

const WIDTH_AT: usize = 0;
const LEN_AT: usize = WIDTH_AT + size_of::<u32>();
/// Where the members begin.
pub(crate) const HEADER: usize = LEN_AT + size_of::<u32>();

const _: () = assert!(HEADER == 8);

/// The blob of a set that holds nothing and has never held anything wider than 16 bits.
pub(crate) const EMPTY: [u8; HEADER] = encode_header(Width::W16, 0);

/// The header of a set of `len` members.
pub(crate) const fn encode_header(width: Width, len: u32) -> [u8; HEADER] {
    (width.tag() as u64 | (len as u64) << u32::BITS).to_le_bytes()
}

/// The tag of the width, and the number of members.
#[inline(always)]
pub(crate) const fn decode_header(header: [u8; HEADER]) -> (u32, u32) {
    let [w0, w1, w2, w3, n0, n1, n2, n3] = header;
    (u32::from_le_bytes([w0, w1, w2, w3]), u32::from_le_bytes([n0, n1, n2, n3]))
}

/// How much of a blob to validate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Validation {
    /// The header, and that the length is what the header says. O(1).
    ///
    /// A set whose members are out of order gives wrong results, but never panics. Use this for bytes that a checksum
    /// protects.
    Shallow,
    /// Also that the members strictly increase. O(n).
    Deep,
}

/// Why bytes are not a valid set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes end inside the header.
    Truncated {
        /// The length of a header, in bytes.
        need: usize,
        /// The length, in bytes.
        got: usize,
    },
    /// The width at offset 0 is not 2, 4 or 8.
    UnknownWidth {
        /// The width in the header.
        got: u32,
    },
    /// The length is not what the header says.
    LengthMismatch {
        /// The length of header and members, in bytes.
        expected: u64,
        /// The length, in bytes.
        got: usize,
    },
    /// A member is not greater than the one before it.
    NotIncreasing {
        /// The offset of the member, in bytes from the start of the blob.
        offset: usize,
        /// The member before it.
        previous: i64,
        /// The member.
        got: i64,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { need, got } => {
                write!(f, "intset header takes {need} bytes, got {got}")
            }
            Self::UnknownWidth { got } => {
                write!(f, "intset width at offset {WIDTH_AT} is {got}, expected 2, 4 or 8")
            }
            Self::LengthMismatch { expected, got } => {
                write!(f, "intset header specifies {expected} bytes, got {got}")
            }
            Self::NotIncreasing { offset, previous, got } => {
                write!(f, "intset member {got} at offset {offset} is not greater than {previous}")
            }
        }
    }
}

impl error::Error for DecodeError {}

/// Validates that `blob` is exactly one set.
///
/// An empty set is valid, and so is a width that is wider than the members need, because widths never shrink. O(1) for
/// [`Validation::Shallow`], O(n) for [`Validation::Deep`].
///
/// # Errors
///
/// The first error, with what was expected, what was found and where.
///
/// # Examples
///
/// ```
/// use intset::{DecodeError, Validation, validate};
///
/// let blob = [2, 0, 0, 0, 2, 0, 0, 0, 5, 0, 5, 0];
/// assert_eq!(validate(&blob, Validation::Shallow), Ok(()));
/// let error = validate(&blob, Validation::Deep).unwrap_err();
/// assert_eq!(error, DecodeError::NotIncreasing { offset: 10, previous: 5, got: 5 });
/// assert_eq!(error.to_string(), "intset member 5 at offset 10 is not greater than 5");
/// ```
pub fn validate(blob: &[u8], validation: Validation) -> Result<(), DecodeError> {
    let Some((header, payload)) = blob.split_first_chunk::<HEADER>() else {
        return Err(DecodeError::Truncated { need: HEADER, got: blob.len() });
    };
    let (tag, len) = decode_header(*header);
    let Some(width) = Width::from_tag(tag) else {
        return Err(DecodeError::UnknownWidth { got: tag });
    };
    // At most 2^32 * 8 + 8: no overflow, on a machine of any width.
    let expected = HEADER as u64 + u64::from(len) * u64::from(tag);
    if expected != blob.len() as u64 {
        return Err(DecodeError::LengthMismatch { expected, got: blob.len() });
    }
    match validation {
        Validation::Shallow => Ok(()),
        Validation::Deep => {
            with_slots!(View::new(width, payload, len as usize), slots => check_order(slots))
        }
    }
}

fn check_order<S: Slot>(slots: &[S]) -> Result<(), DecodeError> {
    let next = slots.get(1..).unwrap_or_default();
    for (index, (previous, got)) in slots.iter().zip(next).enumerate() {
        let (previous, got) = (previous.get(), got.get());
        if got <= previous {
            let offset = HEADER + (index + 1) * S::BYTES;
            return Err(DecodeError::NotIncreasing { offset, previous, got });
        }
    }
    Ok(())
}
