//! Finding an entry by what it says.
//!
//! A small set asks this for every member that it is asked for, so the loop is tight. The needle is looked at once: a text can only
//! be equal to a string of its length, and an integer to a value, so nothing is formatted and hardly any text is compared in full. A
//! string of the needle's length is compared by one word first: all of it, tag included, if it is short, else its last eight bytes,
//! where the members of a set differ most.
//!
//! The step from entry to entry is a chain of loads, each waiting for the last. Where the tag is that of the needle the step is a
//! constant, which a processor that guesses the branch need not wait for.

use crate::Entry;
use crate::decode;
use crate::encode::{INT_13, STR_6};
use crate::entry::{int_len, parse};

/// The longest string whose tag tells its length.
const SHORT: usize = 0x3f;
const WORD: usize = size_of::<u64>();
/// The bytes of an entry that is one byte and its length.
const LEAST_ENTRY: usize = 2;

/// What entries are compared with.
trait Needle {
    /// The tag of the short strings that have the needle's length; 0 if it is longer.
    fn tag(&self) -> u8;

    /// Whether the integer in this tag is equal.
    fn is_tag(&self, tag: u8) -> bool;

    /// Whether the string at `at`, whose tag is [`Needle::tag`], is equal.
    fn is_short(&self, blob: &[u8], at: usize) -> bool;

    /// Whether any entry is equal.
    fn is(&self, entry: Entry<'_>) -> bool;
}

/// The offset of the first entry at or behind `from` that is equal to `needle`; after each that is looked at, `skip` are passed
/// over. Entries end before or at `end`; the bytes behind are slack, which may be read but means nothing.
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
    let same = needle.tag();
    let same_size = short_size(same);
    let mut at = from;
    while at < end {
        let tag = *blob.get(at)?;
        let (equal, size) = if tag == same && same != 0 {
            (needle.is_short(blob, at), same_size)
        } else if tag < STR_6 {
            (needle.is_tag(tag), LEAST_ENTRY)
        } else if tag < INT_13 {
            (false, short_size(tag))
        } else {
            let (entry, next) = decode::entry(blob, at, end)?;
            (needle.is(entry), next - at)
        };
        if equal {
            return (at + size <= end).then_some(at);
        }
        at += size;
        for _ in 0..skip {
            at = decode::next(blob, at, end)?;
        }
    }
    None
}

/// The bytes of an entry that is a short string.
#[inline(always)]
fn short_size(tag: u8) -> usize {
    usize::from(tag & 0x3f) + LEAST_ENTRY
}

/// A text that stands for no integer.
struct Text<'a> {
    text: &'a [u8],
    tag: u8,
    /// A word of the entry, where it begins, and which of its bits count.
    word: u64,
    word_at: usize,
    mask: u64,
}

impl<'a> Text<'a> {
    #[inline(always)]
    fn new(text: &'a [u8]) -> Self {
        let len = text.len();
        let tag = match u8::try_from(len) {
            Ok(short) if len <= SHORT => STR_6 | short,
            _ => 0,
        };
        if let Some(last) = text.last_chunk() {
            let word = u64::from_le_bytes(*last);
            return Self { text, tag, word, word_at: 1 + len - WORD, mask: u64::MAX };
        }
        let (mut word, mut mask, mut shift) = (u64::from(tag), 0xff, 0);
        for &byte in text {
            shift += 8;
            word |= u64::from(byte) << shift;
            mask |= 0xff << shift;
        }
        Self { text, tag, word, word_at: 0, mask }
    }
}

impl Needle for Text<'_> {
    #[inline(always)]
    fn tag(&self) -> u8 {
        self.tag
    }

    #[inline(always)]
    fn is_tag(&self, _: u8) -> bool {
        false
    }

    #[inline(always)]
    fn is_short(&self, blob: &[u8], at: usize) -> bool {
        let Some(word) = blob.get(at + self.word_at..).and_then(|rest| rest.first_chunk()) else {
            return short_text(blob, at, self.text.len()) == Some(self.text);
        };
        u64::from_le_bytes(*word) & self.mask == self.word
            && (self.text.len() <= WORD
                || short_text(blob, at, self.text.len()) == Some(self.text))
    }

    #[inline(always)]
    fn is(&self, entry: Entry<'_>) -> bool {
        matches!(entry, Entry::Str(text) if text == self.text)
    }
}

/// An integer.
struct Int {
    value: i64,
    tag: u8,
}

impl Int {
    #[inline(always)]
    fn new(value: i64) -> Self {
        // At most twenty digits.
        let len = u8::try_from(int_len(value)).unwrap_or(0);
        Self { value, tag: STR_6 | len }
    }
}

impl Needle for Int {
    #[inline(always)]
    fn tag(&self) -> u8 {
        self.tag
    }

    #[inline(always)]
    fn is_tag(&self, tag: u8) -> bool {
        self.value == i64::from(tag)
    }

    /// Redis never keeps the text of an integer, but takes a blob that does.
    #[inline(always)]
    fn is_short(&self, blob: &[u8], at: usize) -> bool {
        short_text(blob, at, usize::from(self.tag & 0x3f)).and_then(parse) == Some(self.value)
    }

    #[inline(always)]
    fn is(&self, entry: Entry<'_>) -> bool {
        entry.as_int() == Some(self.value)
    }
}

/// The text of the short string at `at`.
#[inline(always)]
fn short_text(blob: &[u8], at: usize, len: usize) -> Option<&[u8]> {
    blob.get(at + 1..at + 1 + len)
}
