//! Bloom filters, as in RedisBloom.

use bloom::BloomFilter;

use super::Value;

/// The name of the type in files and in TYPE.
pub(crate) const MODULE_TYPE: [u8; 9] = *b"MBbloom--";

/// [`MODULE_TYPE`] as text.
pub(super) const TYPE_NAME: &str = "MBbloom--";

impl Value {
    /// The Bloom filter, if it is one.
    #[inline]
    pub(crate) const fn as_bloom(&self) -> Option<&BloomFilter> {
        if let Self::Bloom(filter) = self { Some(filter) } else { None }
    }

    /// The Bloom filter, if it is one, mutable.
    #[inline]
    pub(crate) const fn as_bloom_mut(&mut self) -> Option<&mut BloomFilter> {
        if let Self::Bloom(filter) = self { Some(filter) } else { None }
    }
}
