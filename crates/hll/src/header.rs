//! The sixteen bytes before the registers.
//!
//! ```text
//!  0       4     5            8                               16
//! +-------+-----+------------+-------------------------------+----
//! | HYLL  | enc | 0   0   0  | cached cardinality, u64 LE    | registers
//! +-------+-----+------------+-------------------------------+----
//!                             bit 63 set: stale, the rest is whatever it was
//! ```
//!
//! A change of a register only sets the stale bit and leaves the old count in the other bits, as Redis does: `GET` and
//! `DUMP` return both.

use crate::error::DecodeError;
use crate::layout::{
    CACHE_AT, DENSE_LEN, ENCODING_AT, HEADER_LEN, MAGIC, RESERVED_LEN, STALE, STALE_AT,
};

/// The encoding of a HyperLogLog's registers.
///
/// Ordered by growth: sparse turns into dense, never back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Encoding {
    /// Run lengths of equal registers, from two bytes up to a limit.
    Sparse,
    /// Six bits per register.
    Dense,
}

impl Encoding {
    /// The encoding byte.
    pub(crate) const fn byte(self) -> u8 {
        match self {
            Self::Dense => 0,
            Self::Sparse => 1,
        }
    }
}

/// Checks what Redis checks before any command: length, magic, encoding, and the length of the dense encoding.
/// The reserved bytes may hold anything.
#[inline]
pub(crate) fn check(bytes: &[u8]) -> Result<Encoding, DecodeError> {
    let Some(header) = bytes.first_chunk::<HEADER_LEN>() else {
        return Err(DecodeError::ShortHeader { got: bytes.len() });
    };
    let [m0, m1, m2, m3, encoding, ..] = *header;
    if [m0, m1, m2, m3] != MAGIC {
        return Err(DecodeError::WrongMagic { got: [m0, m1, m2, m3] });
    }
    if encoding == Encoding::Sparse.byte() {
        Ok(Encoding::Sparse)
    } else if encoding != Encoding::Dense.byte() {
        Err(DecodeError::UnknownEncoding { got: encoding })
    } else if bytes.len() == DENSE_LEN {
        Ok(Encoding::Dense)
    } else {
        Err(DecodeError::WrongDenseLength { got: bytes.len() })
    }
}

/// The header that Redis leaves on a new key: sparse, and marked stale at once because creating it is a change.
pub(crate) const fn new() -> [u8; HEADER_LEN] {
    let mut header = [0; HEADER_LEN];
    let (magic, _) = header.split_at_mut(ENCODING_AT);
    magic.copy_from_slice(&MAGIC);
    header[ENCODING_AT] = Encoding::Sparse.byte();
    header[STALE_AT] = 0x80;
    header
}

/// The cached cardinality, unless it is stale.
#[inline]
pub(crate) fn cached(bytes: &[u8]) -> Option<u64> {
    let field = bytes.get(CACHE_AT..)?.first_chunk()?;
    let count = u64::from_le_bytes(*field);
    (count & STALE == 0).then_some(count)
}

/// Stores a cardinality. One of 2^63 and more reads as stale, in Redis too.
pub(crate) fn store(bytes: &mut [u8], count: u64) {
    if let Some(field) = bytes.get_mut(CACHE_AT..HEADER_LEN) {
        field.copy_from_slice(&count.to_le_bytes());
    }
}

/// Marks the cached cardinality stale and leaves its other bits.
#[inline]
pub(crate) fn invalidate(bytes: &mut [u8]) {
    if let Some(byte) = bytes.get_mut(STALE_AT) {
        *byte |= 0x80;
    }
}

/// Names another encoding; the caller changes the registers.
pub(crate) fn set_encoding(bytes: &mut [u8], encoding: Encoding) {
    if let Some(byte) = bytes.get_mut(ENCODING_AT) {
        *byte = encoding.byte();
    }
}

const _: () = assert!(RESERVED_LEN == 3);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_count_stays_underneath() {
        let mut bytes = new();
        assert_eq!(cached(&bytes), None);
        store(&mut bytes, 3);
        assert_eq!(cached(&bytes), Some(3));
        invalidate(&mut bytes);
        assert_eq!(cached(&bytes), None);
        assert_eq!(bytes[CACHE_AT..], [3, 0, 0, 0, 0, 0, 0, 0x80]);
    }

    #[test]
    fn the_header_is_drawn_as_it_is() {
        assert_eq!(new(), *b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80");
    }
}
