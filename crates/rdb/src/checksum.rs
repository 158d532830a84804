//! CRC-64 as Redis computes it.

use std::fmt;

use crc_fast::{CrcAlgorithm, Digest};

/// Computes the CRC-64 of Redis (Jones' polynomial, reflected, initial value and final XOR zero) over a stream of
/// bytes.
///
/// ```
/// let mut crc = rdb::Crc64::new();
/// crc.update(b"12345");
/// crc.update(b"6789");
/// assert_eq!(crc.value(), 0xe9c6_d914_c4b8_d9ca);
/// ```
#[derive(Clone)]
pub struct Crc64(Digest);

impl Crc64 {
    /// Creates the checksum of no bytes, which is 0.
    #[must_use]
    pub fn new() -> Self {
        Self(Digest::new(CrcAlgorithm::Crc64Redis))
    }

    /// Adds bytes to the checksum.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the checksum of the bytes so far.
    #[must_use]
    pub fn value(&self) -> u64 {
        self.0.finalize()
    }
}

impl Default for Crc64 {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Crc64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Crc64({:016x})", self.value())
    }
}

/// Computes the CRC-64 of Redis over a slice. O(length).
///
/// ```
/// assert_eq!(rdb::crc64(b"123456789"), 0xe9c6_d914_c4b8_d9ca);
/// ```
#[must_use]
pub fn crc64(bytes: &[u8]) -> u64 {
    crc_fast::checksum(CrcAlgorithm::Crc64Redis, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, a bit at a time, with the polynomial's bits mirrored.
    fn by_definition(bytes: &[u8]) -> u64 {
        bytes.iter().fold(0, |crc, &byte| {
            (0..8).fold(crc ^ u64::from(byte), |crc, _| {
                (crc >> 1) ^ if crc & 1 == 1 { 0x95ac_9329_ac4b_c9b5 } else { 0 }
            })
        })
    }

    #[test]
    fn agrees_with_the_definition_at_every_length_and_cut() {
        let bytes: Vec<u8> =
            (0..1500_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for len in (0..300).chain([511, 512, 513, 1023, 1024, 1025, 1500]) {
            let expected = by_definition(&bytes[..len]);
            assert_eq!(crc64(&bytes[..len]), expected, "len {len}");
            for cut in [0, 1, len / 3, len / 2, len.saturating_sub(1)] {
                let mut crc = Crc64::new();
                crc.update(&bytes[..cut.min(len)]);
                crc.update(&bytes[cut.min(len)..len]);
                assert_eq!(crc.value(), expected, "len {len} cut {cut}");
            }
        }
    }
}
