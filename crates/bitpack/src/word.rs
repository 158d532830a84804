//! Eight bytes as one number whose top bit is the first bit of the string.
#![expect(
    clippy::big_endian_bytes,
    reason = "bit 0 is the high bit of byte 0, so that the order of bytes is that of bits"
)]

/// Bytes of a word.
pub(crate) const BYTES: usize = 8;

#[inline]
pub(crate) const fn from_bytes(bytes: [u8; BYTES]) -> u64 {
    u64::from_be_bytes(bytes)
}

#[inline]
pub(crate) const fn to_bytes(word: u64) -> [u8; BYTES] {
    word.to_be_bytes()
}

/// The first bytes of a slice, followed by zeros where there are not enough.
#[inline]
pub(crate) fn first(bytes: &[u8]) -> u64 {
    if let Some(&word) = bytes.first_chunk() {
        return from_bytes(word);
    }
    let mut word = [0; BYTES];
    word[..bytes.len()].copy_from_slice(bytes);
    from_bytes(word)
}
