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

/// The first bytes of a slice, padded with zeros if there are not enough.
///
/// With fewer than eight bytes, the first and the last bytes are loaded as numbers that may overlap and agree where
/// they do, which is faster than a loop or a copy.
#[inline]
pub(crate) fn first(bytes: &[u8]) -> u64 {
    if let Some(&word) = bytes.first_chunk() {
        return from_bytes(word);
    }
    let missing = 8 * (BYTES - bytes.len());
    if let (Some(&first), Some(&last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        u64::from(u32::from_be_bytes(first)) << 32 | u64::from(u32::from_be_bytes(last)) << missing
    } else if let (Some(&first), Some(&last)) = (bytes.first_chunk::<2>(), bytes.last_chunk::<2>())
    {
        u64::from(u16::from_be_bytes(first)) << 48 | u64::from(u16::from_be_bytes(last)) << missing
    } else {
        bytes.first().map_or(0, |&byte| u64::from(byte) << 56)
    }
}

/// Writes the first bytes of a word over a slice of up to eight, as [`first`] reads them.
#[inline]
pub(crate) fn put_first(bytes: &mut [u8], word: u64) {
    let [a, b, c, d, ..] = to_bytes(word);
    if let Some(all) = bytes.first_chunk_mut() {
        *all = to_bytes(word);
    } else if bytes.len() >= 4 {
        let [.., w, x, y, z] = to_bytes(word >> (8 * (BYTES - bytes.len())));
        bytes[..4].copy_from_slice(&[a, b, c, d]);
        if let Some(last) = bytes.last_chunk_mut() {
            *last = [w, x, y, z];
        }
    } else if bytes.len() >= 2 {
        let [.., y, z] = to_bytes(word >> (8 * (BYTES - bytes.len())));
        bytes[..2].copy_from_slice(&[a, b]);
        if let Some(last) = bytes.last_chunk_mut() {
            *last = [y, z];
        }
    } else if let [byte] = bytes {
        *byte = a;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_slices_are_read_and_written_as_padded_ones() {
        let bytes = [0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8, 0x09];
        for len in 0..=bytes.len() {
            let mut padded = [0; BYTES];
            let filled = len.min(BYTES);
            padded[..filled].copy_from_slice(&bytes[..filled]);
            assert_eq!(first(&bytes[..len]), from_bytes(padded), "{len}");
            if len <= BYTES {
                let mut copy = vec![0x55; len];
                put_first(&mut copy, from_bytes(padded));
                assert_eq!(copy, bytes[..len]);
            }
        }
    }
}
