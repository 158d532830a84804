//! A key as the store keeps it, and as a command looks it up.

use std::fmt;

/// The longest key that needs no allocation of its own.
///
/// Twenty-two bytes hold `unique:2015-05-17:1234`, a shard of a day's visitors, and fill the three words that a
/// heap key takes anyway.
const INLINE: usize = 22;

/// An owned key.
#[derive(Clone)]
pub(crate) enum Key {
    Inline { len: u8, bytes: [u8; INLINE] },
    Heap(Box<[u8]>),
}

impl Key {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        if bytes.len() > INLINE {
            return Self::Heap(bytes.into());
        }
        let mut inline = [0; INLINE];
        inline[..bytes.len()].copy_from_slice(bytes);
        // The length is at most INLINE here.
        Self::Inline { len: u8::try_from(bytes.len()).unwrap_or(0), bytes: inline }
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Inline { len, bytes } => &bytes[..usize::from(*len).min(INLINE)],
            Self::Heap(bytes) => bytes,
        }
    }

    /// Bytes held on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::Inline { .. } => 0,
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
#[expect(unnameable_types, reason = "only this crate calls what takes it")]
#[derive(Clone, Copy, Debug)]
pub struct HashedKey<'k> {
    pub(crate) hash: u64,
    pub(crate) bytes: &'k [u8],
    /// Whether a transaction only reads it.
    pub(crate) reads: bool,
}

impl<'k> HashedKey<'k> {
    /// What stands in an array of keys before they are hashed.
    pub(crate) const NONE: Self = Self::new(0, &[]);

    #[inline]
    pub(crate) const fn new(hash: u64, bytes: &'k [u8]) -> Self {
        Self { hash, bytes, reads: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_three_words_and_keeps_its_bytes() {
        assert_eq!(size_of::<Key>(), 24);
        for len in [0, 1, 21, 22, 23, 100] {
            let bytes = vec![b'k'; len];
            let key = Key::new(&bytes);
            assert_eq!(key.as_bytes(), bytes);
            assert_eq!(matches!(key, Key::Inline { .. }), len <= INLINE);
        }
    }
}
