//! By what members are spread over shards that are split.

use store::Member;

use crate::shard::member_hash;

/// By what members are spread over shards that are split: their hash, the last bits of which name the shard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Spread {
    /// The CRC-32 of `x` and their text (see [`shard_key`](crate::shard_key)).
    #[default]
    Crc32,
    /// The high bits of numbers, from 0 on or signed, that have so many: 1 to 64. The hash ends in the highest bit,
    /// so that each split goes by one bit more, and all numbers of a shard share what names it. Other members go by
    /// their CRC-32.
    HighBits {
        /// How many bits the numbers have.
        of: u32,
    },
}

impl Spread {
    /// The hash of a member.
    #[inline]
    pub(super) fn hash(self, member: Member<'_>) -> u32 {
        match self {
            Self::Crc32 => member_hash(member),
            Self::HighBits { of } => match member.as_int() {
                Some(number) => {
                    // What is above the bits that numbers should have does not count.
                    let high = number.cast_unsigned() << (u64::BITS - of) >> u32::BITS;
                    (high as u32).reverse_bits()
                }
                None => member_hash(member),
            },
        }
    }
}
