//! The slots of a Redis Cluster.

use crc_fast::CrcAlgorithm;

/// The number of slots of a cluster.
const SLOTS: u64 = 1 << 14;

/// Returns the slot of a key on a Redis Cluster, 0 to 16,383: CRC-16 (XMODEM) of its hash tag, or of the whole key if
/// it has none, modulo 16,384. O(length).
///
/// The hash tag is the text between the first `{` and the next `}`, if it is not empty. Keys of one slot are on one
/// node, so one command or transaction can access all of them.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::key_slot;
///
/// assert_eq!(key_slot("foo"), 12_182);
/// assert_eq!(key_slot("{user1000}.following"), key_slot("{user1000}.followers"));
/// assert_eq!(key_slot("monday:{17}"), key_slot("tuesday:{17}"));
/// assert_ne!(key_slot("foo{}{bar}"), key_slot("bar"));
/// ```
#[must_use]
pub fn key_slot(key: impl AsRef<[u8]>) -> u16 {
    let key = key.as_ref();
    let sum = crc_fast::checksum(CrcAlgorithm::Crc16Xmodem, hash_tag(key).unwrap_or(key));
    (sum % SLOTS) as u16
}

/// Returns the hash tag of a key: the text between the first `{` and the next `}`, if it is not empty.
pub(crate) fn hash_tag(key: &[u8]) -> Option<&[u8]> {
    let open = key.iter().position(|&byte| byte == b'{')?;
    let rest = &key[open + 1..];
    let close = rest.iter().position(|&byte| byte == b'}')?;
    (close > 0).then(|| &rest[..close])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes CRC-16 without a table: the polynomial 0x1021, from 0, highest bit first.
    fn slot(bytes: &[u8]) -> u16 {
        let sum = bytes.iter().fold(0_u16, |sum, &byte| {
            (0..8).fold(sum ^ u16::from(byte) << 8, |sum, _| {
                if sum & 0x8000 == 0 { sum << 1 } else { sum << 1 ^ 0x1021 }
            })
        });
        sum % 16_384
    }

    // Values of the Redis Cluster specification.
    #[test]
    fn the_sum_is_that_of_the_specification() {
        assert_eq!(crc_fast::checksum(CrcAlgorithm::Crc16Xmodem, b"123456789"), 0x31c3);
        assert_eq!(key_slot("123456789"), 0x31c3);
        assert_eq!(key_slot(""), 0);
    }

    #[test]
    fn sums_of_every_length_equal_those_computed_bit_by_bit() {
        let key: Vec<u8> = (0..=255).map(|byte: u8| byte.wrapping_mul(167) | 0x80).collect();
        for len in 0..key.len() {
            assert_eq!(key_slot(&key[..len]), slot(&key[..len]), "{len}");
        }
    }

    #[test]
    fn tags_are_those_of_the_specification() {
        for (key, tag) in [
            ("{user1000}.following", Some("user1000")),
            ("{user1000}.followers", Some("user1000")),
            ("foo{}{bar}", None),
            ("foo{{bar}}zap", Some("{bar")),
            ("foo{bar}{zap}", Some("bar")),
            ("", None),
            ("{", None),
            ("}", None),
            ("{}", None),
            ("}{", None),
            ("}{a}", Some("a")),
            ("{a", None),
            ("a}", None),
            ("{a}", Some("a")),
        ] {
            assert_eq!(hash_tag(key.as_bytes()), tag.map(str::as_bytes), "{key}");
            assert_eq!(key_slot(key), slot(tag.unwrap_or(key).as_bytes()), "{key}");
        }
    }
}
