//! A short string without an allocation.

/// The maximum length of a [`Short`], in bytes.
///
/// Twenty-two bytes hold `unique:2015-05-17:1234`, a shard of a day's visitors. With the length and the tag of the enum
/// they fill the three words that a string on the heap takes too.
pub(crate) const SHORT_MAX: usize = 22;

/// A string of at most [`SHORT_MAX`] bytes, stored inline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Short {
    /// The number of bytes in use.
    len: u8,
    /// The bytes, zero-padded.
    bytes: [u8; SHORT_MAX],
}

impl Short {
    /// Creates the string, if it is short enough.
    #[inline]
    pub(crate) fn new(bytes: &[u8]) -> Option<Self> {
        let mut short = [0; SHORT_MAX];
        short.get_mut(..bytes.len())?.copy_from_slice(bytes);
        // The length is at most SHORT_MAX here.
        Some(Self { len: u8::try_from(bytes.len()).unwrap_or(0), bytes: short })
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len).min(SHORT_MAX)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_string_keeps_its_bytes_and_a_long_one_is_refused() {
        assert_eq!(size_of::<Short>(), 23);
        for len in 0..=SHORT_MAX {
            let bytes = vec![b's'; len];
            assert_eq!(Short::new(&bytes).unwrap().as_bytes(), bytes);
        }
        assert!(Short::new(&[0; SHORT_MAX + 1]).is_none());
    }
}
