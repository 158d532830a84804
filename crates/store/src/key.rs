//! Keys as they are stored, and as a command looks them up.

use std::fmt;

use crate::error::Error;
use crate::short::Short;
use crate::to_key::KeyRef;
use crate::to_keys::HashKey;

/// An owned key.
#[derive(Clone)]
pub(crate) enum Key {
    Short(Short),
    Heap(Box<[u8]>),
}

impl Key {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Short::new(bytes).map_or_else(|| Self::Heap(bytes.into()), Self::Short)
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Short(short) => short.as_bytes(),
            Self::Heap(bytes) => bytes,
        }
    }

    /// The bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::Short(_) => 0,
            Self::Heap(bytes) => bytes.len(),
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.as_bytes().escape_ascii())
    }
}

/// A key of a command with its hash, which is computed once.
#[expect(unnameable_types, reason = "only functions of this crate take it")]
#[derive(Clone, Copy, Debug)]
pub struct HashedKey<'k> {
    pub(crate) hash: u64,
    pub(crate) bytes: &'k [u8],
    /// Whether a transaction only reads the key.
    pub(crate) reads: bool,
}

impl<'k> HashedKey<'k> {
    /// Placeholder in an array of keys before they are hashed.
    pub(crate) const NONE: Self = Self::new(0, &[]);

    #[inline]
    pub(crate) const fn new(hash: u64, bytes: &'k [u8]) -> Self {
        Self { hash, bytes, reads: false }
    }

    /// Hashes a key with `hash`.
    // The value inside a `Result` is one word, which stays in a register.
    #[inline]
    pub(crate) fn of(key: KeyRef<'k>, hash: &impl HashKey) -> Result<Self, Error> {
        Ok(Self { hash: hash.hash(key)?, bytes: key.bytes, reads: key.reads })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::short::SHORT_MAX;

    #[test]
    fn a_key_is_three_words_and_keeps_its_bytes() {
        assert_eq!(size_of::<Key>(), 24);
        for len in [0, 1, 21, 22, 23, 100] {
            let bytes = vec![b'k'; len];
            let key = Key::new(&bytes);
            assert_eq!(key.as_bytes(), bytes);
            assert_eq!(matches!(key, Key::Short(_)), len <= SHORT_MAX);
        }
    }
}
