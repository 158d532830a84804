//! Visitor ids: 128-bit hashes of a visitor's name.

use std::fmt;

use xxhash_rust::xxh3::xxh3_128;

/// The id of a visitor: XXH3-128 (seed 0) of the bytes of its name.
///
/// Its text has the form of a UUID and is the unmodified digest: version and variant bits are not set. Its first 15
/// digits are the visitor's [number](Self::number).
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::VisitorId;
///
/// let id = VisitorId::of("");
/// assert_eq!(id.as_str(), "99aa06d3-0147-98d8-6001-c324468d497f");
/// assert_eq!(id.number(), 0x99a_a06d_3014_798d);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct VisitorId {
    digest: u128,
    text: [u8; Self::LEN],
}

impl VisitorId {
    /// The length of the text in bytes: 32 digits and 4 hyphens.
    pub const LEN: usize = 36;

    /// Returns the id of the visitor with this name.
    #[must_use]
    pub fn of(name: impl AsRef<[u8]>) -> Self {
        let digest = xxh3_128(name.as_ref());
        let mut text = [b'-'; Self::LEN];
        // Byte by byte, because this runs for every line of a log.
        for (byte, at) in digest.to_le_bytes().into_iter().rev().zip(BYTES_AT) {
            text[at..at + 2].copy_from_slice(&HEX[usize::from(byte)]);
        }
        Self { digest, text }
    }

    /// Returns the number that [`Visitors`](crate::Visitors) stores for the visitor: the high 60 bits of the digest.
    #[must_use]
    pub const fn number(&self) -> i64 {
        number_of(self.digest)
    }

    /// Returns the text as bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.text
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // The text is ASCII, so this cannot fail.
        std::str::from_utf8(&self.text).unwrap_or_default()
    }
}

impl fmt::Debug for VisitorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VisitorId").field(&self.as_str()).finish()
    }
}

impl fmt::Display for VisitorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns the number of the visitor with this name, without formatting the text.
#[inline]
pub(crate) fn hashed_number(name: &[u8]) -> i64 {
    number_of(xxh3_128(name))
}

/// The number of bits of a visitor's number.
pub(crate) const BITS: u32 = 60;

#[inline]
const fn number_of(digest: u128) -> i64 {
    (digest >> (u128::BITS - BITS)) as i64
}

/// The offset in the text of each of the sixteen bytes of a UUID.
const BYTES_AT: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/// The two hexadecimal digits of each byte.
static HEX: [[u8; 2]; 256] = {
    let digits = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        pairs[byte] = [digits[byte >> 4], digits[byte & 15]];
        byte += 1;
    }
    pairs
};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::session_id::SessionIds;

    #[test]
    fn the_id_of_an_address() {
        // The result of the C library of xxHash.
        let id = VisitorId::of("83.149.9.216");
        assert_eq!(id.as_str(), "c2a8a5f6-13cf-0caa-660f-ab542837ed35");
        assert_eq!(id.number(), 0x0c2a_8a5f_613c_f0ca);
    }

    proptest! {
        #[test]
        fn the_text_is_the_digest(name in prop::collection::vec(prop::num::u8::ANY, 0..300)) {
            let id = VisitorId::of(&name);
            let digits = id.to_string().replace('-', "");
            prop_assert_eq!(&digits, &format!("{:032x}", xxh3_128(&name)));
            let hyphens: Vec<_> = id.as_str().match_indices('-').map(|(at, _)| at).collect();
            prop_assert_eq!(hyphens, [8, 13, 18, 23]);
            prop_assert_eq!(id.number(), i64::from_str_radix(&digits[..15], 16).unwrap());
            prop_assert_eq!(SessionIds::Hashed.id(&name).unwrap(), id.number());
        }
    }
}
