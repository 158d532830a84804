//! How members are spread over shards that are split.

use store::Member;

use crate::shard::member_hash;

/// How members are spread over shards that are split: by a hash, whose last bits determine the shard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Spread {
    /// By the CRC-32 of `x` and the member's text (see [`shard_key`](crate::shard_key)).
    #[default]
    Crc32,
    /// By the high bits of integers of this many bits, 1 to 64, unsigned or for 64 signed. The hash is the bits in
    /// reverse order, so that each split uses one more bit, and all integers of a shard share the bits of its suffix.
    /// Other members are spread by their CRC-32.
    HighBits {
        /// The number of bits of the integers.
        of: u32,
    },
}

impl Spread {
    /// Returns the hash of a member.
    #[inline]
    pub(super) fn hash(self, member: Member<'_>) -> u32 {
        match self {
            Self::Crc32 => member_hash(member),
            Self::HighBits { of } => match member.as_int() {
                Some(number) => {
                    // Bits above this number are ignored.
                    let high = number.cast_unsigned() << (u64::BITS - of) >> u32::BITS;
                    (high as u32).reverse_bits()
                }
                None => member_hash(member),
            },
        }
    }
}
