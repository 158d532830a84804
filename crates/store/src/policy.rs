//! What a value needs to know of its store: limits, profile, hash.

use ahash::RandomState;

use crate::limits::Settings;
use crate::profile::Profile;

/// The rules by which the values of a store change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules<'s> {
    pub(crate) settings: &'s Settings,
    pub(crate) profile: Profile,
    pub(crate) hasher: &'s RandomState,
}

impl Rules<'_> {
    /// The hash of a member of a large set, and of a key.
    #[inline]
    pub(crate) fn hash(&self, bytes: &[u8]) -> u64 {
        self.hasher.hash_one(bytes)
    }
}
