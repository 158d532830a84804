//! Finding an entry by its value.
//!
//! A small set does this for each lookup of a member, so the loop is tight. The needle is examined once: a text can
//! only equal a string of the same length, and an integer a value, so nothing is formatted and few texts are compared
//! in full. A string of the needle's length is compared by one word first: all of it, tag included, if it is short,
//! else its last eight bytes, where the members of a set differ most.
//!
//! The step from entry to entry is a chain of loads, each waiting for the last. If the tag is that of the needle, the
//! step is a constant, so with a correctly predicted branch the CPU need not wait for the load.
//!
//! Searching from the back, where the length at the end of an entry is the step, was tried: a quarter faster among
//! members of many lengths, half as fast among members of one, and no faster in small lists.

use crate::Entry;
use crate::decode;
use crate::encode::{Encoded, INT_64, STR_6, STR_12, STR_32};
use crate::entry::int_len;

/// The longest string whose tag holds its length.
const SHORT: usize = 0x3f;
const WORD: usize = size_of::<u64>();

/// The value that entries are compared with.
trait Needle {
    /// The tag of most of the entries that equal the needle; 0 for none.
    fn tag(&self) -> u8;

    /// The bytes of an entry of that tag, with the length at its end.
    fn size(&self) -> usize;

    /// Whether the entry at `at`, of that tag, is equal.
    fn is_alike(&self, blob: &[u8], at: usize, end: usize) -> bool;

    /// Whether the entry at `at`, of another tag, may be equal: a fast test for a rare case.
    fn may_be(&self, blob: &[u8], at: usize, tag: u8) -> bool;

    /// Whether any entry is equal.
    fn is(&self, entry: Entry<'_>) -> bool;
}

/// The offset of the first entry from `from` on that equals `needle`; after each compared entry, `skip` entries are
/// skipped. Entries end at or before `end`; the bytes after it are slack, which may be read but has no meaning.
#[inline(always)]
pub(crate) fn find(
    blob: &[u8],
    from: usize,
    end: usize,
    needle: Entry<'_>,
    skip: usize,
) -> Option<usize> {
    match needle.canonical() {
        Entry::Int(value) => run(blob, from, end, &Int::new(value), skip),
        Entry::Str(text) => run(blob, from, end, &Text::new(text), skip),
    }
}

#[inline(always)]
fn run(blob: &[u8], from: usize, end: usize, needle: &impl Needle, skip: usize) -> Option<usize> {
    let (alike, size) = (needle.tag(), needle.size());
    let mut at = from;
    while at < end {
        let tag = *blob.get(at)?;
        let next = if tag == alike && alike != 0 {
            if needle.is_alike(blob, at, end) {
                return (at + size <= end).then_some(at);
            }
            at + size
        } else {
            if needle.may_be(blob, at, tag) {
                let (entry, _) = decode::entry(blob, at, end)?;
                if needle.is(entry) {
                    return Some(at);
                }
            }
            decode::step(blob, at, end, tag)?
        };
        at = next;
        for _ in 0..skip {
            at = match blob.get(at) {
                // Long integers next to each other are mostly timestamps: here too a predicted branch avoids waiting
                // for a load.
                Some(&INT_64) if alike == INT_64 => at + size,
                _ => decode::next(blob, at, end)?,
            };
        }
    }
    None
}

/// A text that is not an integer.
struct Text<'a> {
    bytes: &'a [u8],
    tag: u8,
    /// A word of the entry, where it begins, and which of its bits count.
    word: u64,
    word_at: usize,
    mask: u64,
}

impl<'a> Text<'a> {
    #[inline(always)]
    fn new(bytes: &'a [u8]) -> Self {
        let len = bytes.len();
        let tag = match u8::try_from(len) {
            Ok(short) if len <= SHORT => STR_6 | short,
            _ => 0,
        };
        if let Some(last) = bytes.last_chunk() {
            let word = u64::from_le_bytes(*last);
            return Self { bytes, tag, word, word_at: 1 + len - WORD, mask: u64::MAX };
        }
        let (mut word, mut mask, mut shift) = (u64::from(tag), 0xff, 0);
        for &byte in bytes {
            shift += 8;
            word |= u64::from(byte) << shift;
            mask |= 0xff << shift;
        }
        Self { bytes, tag, word, word_at: 0, mask }
    }

    /// Whether the text behind the tag at `at` is equal.
    #[inline(always)]
    fn is_at(&self, blob: &[u8], at: usize) -> bool {
        blob.get(at + 1..).is_some_and(|rest| rest.starts_with(self.bytes))
    }
}

impl Needle for Text<'_> {
    #[inline(always)]
    fn tag(&self) -> u8 {
        self.tag
    }

    #[inline(always)]
    fn size(&self) -> usize {
        self.bytes.len() + 2
    }

    #[inline(always)]
    fn is_alike(&self, blob: &[u8], at: usize, _: usize) -> bool {
        match blob.get(at + self.word_at..).and_then(|rest| rest.first_chunk()) {
            Some(word) => {
                u64::from_le_bytes(*word) & self.mask == self.word
                    && (self.bytes.len() <= WORD || self.is_at(blob, at))
            }
            None => self.is_at(blob, at),
        }
    }

    /// Only strings whose tag does not hold the length are left.
    #[inline(always)]
    fn may_be(&self, _: &[u8], _: usize, tag: u8) -> bool {
        (STR_12..=STR_32).contains(&tag)
    }

    #[inline(always)]
    fn is(&self, entry: Entry<'_>) -> bool {
        matches!(entry, Entry::Str(text) if text == self.bytes)
    }
}

/// An integer. A list from another source may have it in a wider encoding than necessary, or as text.
struct Int {
    value: i64,
    /// The tag in the narrowest encoding.
    tag: u8,
    size: usize,
    /// The lowest byte, which is the tag or stands behind it, in every encoding of integers.
    low: u8,
    /// The tag of its text.
    text_tag: u8,
}

impl Int {
    #[inline(always)]
    fn new(value: i64) -> Self {
        let encoded = Encoded::of(Entry::Int(value));
        // At most twenty digits.
        let text_len = u8::try_from(int_len(value)).unwrap_or(0);
        Self {
            value,
            tag: encoded.tag(),
            size: encoded.size(),
            low: value.to_le_bytes()[0],
            text_tag: STR_6 | text_len,
        }
    }
}

impl Needle for Int {
    #[inline(always)]
    fn tag(&self) -> u8 {
        self.tag
    }

    #[inline(always)]
    fn size(&self) -> usize {
        self.size
    }

    #[inline(always)]
    fn is_alike(&self, blob: &[u8], at: usize, end: usize) -> bool {
        self.may_be(blob, at, self.tag)
            && decode::entry(blob, at, end).is_some_and(|(entry, _)| self.is(entry))
    }

    #[expect(
        clippy::needless_bitwise_bool,
        reason = "one branch that is rarely taken, instead of three"
    )]
    #[inline(always)]
    fn may_be(&self, blob: &[u8], at: usize, tag: u8) -> bool {
        // An entry has two bytes or more.
        let second = blob.get(at + 1).copied().unwrap_or(0);
        let low = if tag < STR_6 { tag } else { second };
        (low == self.low) | (tag == self.text_tag) | (STR_12..=STR_32).contains(&tag)
    }

    #[inline(always)]
    fn is(&self, entry: Entry<'_>) -> bool {
        entry.as_int() == Some(self.value)
    }
}
