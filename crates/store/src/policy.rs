//! The encoding policy: limits, profile and hash function.

use ahash::RandomState;

use crate::limits::Settings;
use crate::profile::Profile;

/// The limits, the profile and the hash function that determine the encodings of a store's values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EncodingPolicy<'s> {
    pub(crate) settings: &'s Settings,
    pub(crate) profile: Profile,
    pub(crate) hasher: &'s RandomState,
}

impl EncodingPolicy<'_> {
    /// The hash of a member of a large set, and of a key.
    #[inline]
    pub(crate) fn hash(&self, bytes: &[u8]) -> u64 {
        self.hasher.hash_one(bytes)
    }
}
