//! Tags: one byte of the hash of each entry of a bucket, compared all at once.
//!
//! The tags of [`LINE`] entries are one cache line, so one cache miss shows which entries to compare. Another entry has
//! the same tag with a probability of 1 in 256. A bucket has more entries only if splits cannot separate their hashes;
//! those beyond have no tag, and each of them is compared.

#[cfg(target_arch = "x86_64")]
use safe_arch::{cmp_eq_mask_i8_m128i, m128i, move_mask_i8_m128i, set_splat_i8_m128i};
// It supports other processors too, but takes long to compile.
#[cfg(not(target_arch = "x86_64"))]
use wide::u8x16;

/// The maximum number of tags of a bucket: one cache line.
pub const LINE: usize = 64;

/// The tags of a bucket's entries, in their order: a byte of each hash.
///
/// A bucket stores its entries in columns, of which the tags are one; an entry has the same position in all of them.
///
/// ```
/// use extendible::Tags;
///
/// let (mut tags, mut entries) = (Tags::default(), Vec::new());
/// for (hash, entry) in [(0x51, "a"), (0x07, "b"), (0x1051, "c")] {
///     tags.push(hash);
///     entries.push(entry);
/// }
/// let mut looked_at = Vec::new();
/// let found = tags.find(0x1051, |at| {
///     looked_at.push(at);
///     entries[at] == "c"
/// });
/// assert_eq!(found, Some(2));
/// assert_eq!(looked_at, [0, 2], "the tag of b is another");
/// ```
#[derive(Clone, Debug)]
pub struct Tags {
    line: [u8; LINE],
    /// The number of entries. Those after the first [`LINE`] have no tag.
    len: u32,
}

impl Default for Tags {
    fn default() -> Self {
        Self { line: [0; LINE], len: 0 }
    }
}

impl Tags {
    /// The number of entries.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there is no entry.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the position of the first entry for which `is` returns true, among those that may have this hash.
    #[inline]
    pub fn find(&self, hash: u64, mut is: impl FnMut(usize) -> bool) -> Option<usize> {
        let tag = tag(hash);
        let mut found = equal_in_line(&self.line, tag) & filled(self.len());
        while found != 0 {
            let at = found.trailing_zeros() as usize;
            if is(at) {
                return Some(at);
            }
            found &= found - 1;
        }
        (LINE..self.len()).find(|&at| is(at))
    }

    /// Prefetches each cache line that [`find`](Self::find) reads.
    #[inline]
    pub fn prefetch(&self) {
        prefetch::value(&self.line[0]);
        prefetch::value(&self.len);
    }

    /// Adds the tag of a new last entry.
    #[inline]
    pub fn push(&mut self, hash: u64) {
        if let Some(free) = self.line.get_mut(self.len as usize) {
            *free = tag(hash);
        }
        self.len += 1;
    }

    /// Removes the tag of an entry. The tag of the last entry moves to its position, computed from `last_hash` if it
    /// had none.
    #[inline]
    pub fn swap_remove(&mut self, at: usize, last_hash: impl FnOnce() -> u64) {
        self.len -= 1;
        let last = match self.line.get(self.len()) {
            Some(&last) => last,
            None => tag(last_hash()),
        };
        if let Some(gap) = self.line.get_mut(at) {
            *gap = last;
        }
    }
}

/// The bits of a hash that no directory uses.
#[inline]
const fn tag(hash: u64) -> u8 {
    hash.to_le_bytes()[0]
}

/// A bit for each of the existing entries.
#[inline]
const fn filled(len: usize) -> u64 {
    if len >= LINE { u64::MAX } else { (1 << len) - 1 }
}

/// A bit for each of the tags that is equal to this one, the first tag's lowest.
#[inline]
fn equal_in_line(line: &[u8; LINE], tag: u8) -> u64 {
    let (quarters, _) = line.as_chunks::<16>();
    quarters.iter().rev().fold(0, |mask, quarter| mask << 16 | u64::from(equal(quarter, tag)))
}

/// Compares 16 tags with `tag` and returns a bit for each equal byte, that of the first byte lowest. For buckets with
/// their own layout of tags.
///
/// ```
/// assert_eq!(extendible::equal(b"a....a..........", b'a'), 0b10_0001);
/// ```
#[inline]
#[must_use]
pub fn equal(tags: &[u8; 16], tag: u8) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        let equal = cmp_eq_mask_i8_m128i(m128i::from(*tags), set_splat_i8_m128i(tag.cast_signed()));
        move_mask_i8_m128i(equal).cast_unsigned()
    }
    #[cfg(not(target_arch = "x86_64"))]
    u8x16::new(*tags).simd_eq(u8x16::splat(tag)).to_bitmask()
}

#[cfg(test)]
mod tests {
    use testkit::rng::Rng;

    use super::*;

    #[test]
    fn equal_tags_are_found() {
        let mut rng = Rng::new(1);
        for _ in 0..2000 {
            // Few different tags, so that many are equal, and all high bits.
            let line: [u8; LINE] = std::array::from_fn(|_| [1, 64, 127, 190, 253][rng.index(5)]);
            for tag in [0, 1, 64, 127, 128, 190, 253, 255] {
                let plain = line.iter().rev().fold(0, |mask, &is| mask << 1 | u64::from(is == tag));
                assert_eq!(equal_in_line(&line, tag), plain, "{tag} in {line:?}");
            }
        }
    }

    #[test]
    fn tags_follow_their_entries_within_the_line_and_beyond() {
        let mut rng = Rng::new(2);
        for most in [10, LINE, LINE + 1, 200] {
            let (mut tags, mut entries) = (Tags::default(), Vec::new());
            for _ in 0..3000 {
                if entries.len() < most && rng.below(2) == 0 {
                    let hash = rng.below(40);
                    tags.push(hash);
                    entries.push(hash);
                } else if !entries.is_empty() {
                    let at = rng.index(entries.len());
                    tags.swap_remove(at, || *entries.last().unwrap());
                    entries.swap_remove(at);
                }
                assert_eq!(tags.len(), entries.len());
                let hash = rng.below(40);
                let all = |hash| {
                    let mut found_at = Vec::new();
                    let found = tags.find(hash, |at| {
                        found_at.push(at);
                        false
                    });
                    assert_eq!(found, None);
                    found_at
                };
                let expected: Vec<usize> =
                    (0..entries.len()).filter(|&at| entries[at] == hash || at >= LINE).collect();
                assert_eq!(all(hash), expected);
                assert_eq!(tags.find(hash, |_| true), expected.first().copied());
            }
        }
    }
}
