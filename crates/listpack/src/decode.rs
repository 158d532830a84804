//! Decoding an entry. Nothing here trusts the bytes, even if they were validated before: malformed bytes are not an
//! entry.

use crate::Entry;
use crate::encode::{
    INT_13, INT_16, INT_24, INT_32, INT_64, LONGEST_BACKLEN, STR_6, STR_12, STR_32, backlen_size,
};

/// How an entry lies in the blob.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The bytes in front of the text of a string; all bytes of an integer.
    pub(crate) head: usize,
    /// The bytes of the text; none for an integer.
    pub(crate) text: usize,
}

/// Why there is no shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unshaped {
    /// The tag is not a known encoding.
    Tag(u8),
    /// The bytes end inside the head, which needs this many.
    Cut(usize),
}

impl Shape {
    /// Reads the head of the entry that `bytes` begin with.
    #[inline(always)]
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Unshaped> {
        let Some(&tag) = bytes.first() else { return Err(Unshaped::Cut(1)) };
        Ok(match tag {
            0..STR_6 => Self { head: 1, text: 0 },
            STR_6..INT_13 => Self { head: 1, text: usize::from(tag & 0x3f) },
            INT_13..STR_12 => Self { head: 2, text: 0 },
            STR_12..STR_32 => {
                let [high, low] = *bytes.first_chunk().ok_or(Unshaped::Cut(2))?;
                Self { head: 2, text: usize::from(high & 0x0f) << 8 | usize::from(low) }
            }
            STR_32 => {
                let [_, a, b, c, d] = *bytes.first_chunk().ok_or(Unshaped::Cut(5))?;
                Self { head: 5, text: u32::from_le_bytes([a, b, c, d]) as usize }
            }
            INT_16 => Self { head: 3, text: 0 },
            INT_24 => Self { head: 4, text: 0 },
            INT_32 => Self { head: 5, text: 0 },
            INT_64 => Self { head: 9, text: 0 },
            _ => return Err(Unshaped::Tag(tag)),
        })
    }

    /// The bytes of the entry, without the length at its end.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.head.saturating_add(self.text)
    }

    /// The bytes of the entry, with the length at its end.
    #[inline(always)]
    pub(crate) fn size(self) -> usize {
        let len = self.len();
        len.saturating_add(backlen_size(len))
    }
}

/// The bytes of an entry with this tag, with the length at its end; 0 if the tag alone does not say, or is of no
/// encoding.
///
/// A scan goes from load to load, and what branches on tags is mispredicted where kinds of entries mix: a table never
/// does.
const SIZES: [u8; 256] = {
    let mut sizes = [0; 256];
    let mut tag = 0_u8;
    while tag < u8::MAX {
        sizes[tag as usize] = match tag {
            0..STR_6 => 2,
            STR_6..INT_13 => (tag & 0x3f) + 2,
            INT_13..STR_12 => 3,
            INT_16 => 4,
            INT_24 => 5,
            INT_32 => 6,
            INT_64 => 10,
            _ => 0,
        };
        tag += 1;
    }
    sizes
};

/// The offset behind the entry at `at`, if there is an entry that ends before or at `end`.
#[inline(always)]
pub(crate) fn next(blob: &[u8], at: usize, end: usize) -> Option<usize> {
    let next = step(blob, at, end, *blob.get(at)?)?;
    (next <= end).then_some(next)
}

/// Entries that are passed over at once where they are of one size.
const GROUP: usize = 8;

/// The offset behind `count` entries from the one at `at` on, if they end before or at `end`.
///
/// Where many entries have one size, that of the first is tried for the next ones. Their tags are loaded without waiting
/// for each other, and each one of that size shows where the one behind it begins.
pub(crate) fn skip(blob: &[u8], mut at: usize, end: usize, mut count: usize) -> Option<usize> {
    while count >= GROUP {
        let size = usize::from(SIZES[usize::from(*blob.get(at)?)]);
        let group = blob.get(at..end)?.get(..GROUP * size).unwrap_or_default();
        let alike = |k: usize| SIZES[usize::from(group[k * size])] == SIZES[usize::from(group[0])];
        if size > 0 && group.len() == GROUP * size && (1..GROUP).all(alike) {
            at += group.len();
        } else {
            for _ in 0..GROUP {
                at = next(blob, at, end)?;
            }
        }
        count -= GROUP;
    }
    for _ in 0..count {
        at = next(blob, at, end)?;
    }
    Some(at)
}

/// The offset of the entry that is `count` before `at`, if it does not begin before `start`. As [`skip`], by the lengths
/// at the ends of the entries.
pub(crate) fn skip_back(
    blob: &[u8],
    start: usize,
    mut at: usize,
    mut count: usize,
) -> Option<usize> {
    while count >= GROUP {
        let before = blob.get(start..at)?;
        let len = *before.last()?;
        let size = usize::from(len) + 1;
        let group = before.len().checked_sub(GROUP * size).and_then(|from| before.get(from..));
        // A length of one byte, without the mark of more.
        match group {
            Some(group) if len < 0x80 && (1..GROUP).all(|k| group[k * size - 1] == len) => {
                at -= group.len();
            }
            _ => {
                for _ in 0..GROUP {
                    at = previous(blob, start, at)?;
                }
            }
        }
        count -= GROUP;
    }
    for _ in 0..count {
        at = previous(blob, start, at)?;
    }
    Some(at)
}

/// As [`next`], for the tag that stands there; the entry may reach beyond `end`, but does not begin there.
#[inline(always)]
pub(crate) fn step(blob: &[u8], at: usize, end: usize, tag: u8) -> Option<usize> {
    match SIZES[usize::from(tag)] {
        0 => long_step(blob, at, end),
        size if at < end => Some(at + usize::from(size)),
        _ => None,
    }
}

#[cold]
#[inline(never)]
fn long_step(blob: &[u8], at: usize, end: usize) -> Option<usize> {
    let next = at.checked_add(Shape::read(blob.get(at..end)?).ok()?.size())?;
    (next <= end).then_some(next)
}

/// The entry at `at`, and the offset behind it, if there is an entry that ends before or at `end`.
#[inline(always)]
pub(crate) fn entry(blob: &[u8], at: usize, end: usize) -> Option<(Entry<'_>, usize)> {
    // The common string first, in few steps.
    if let [STR_6..INT_13, rest @ ..] = blob.get(at..end)? {
        let len = usize::from(blob[at] & 0x3f);
        let (text, [_, ..]) = rest.split_at_checked(len)? else { return None };
        return Some((Entry::Str(text), at + len + 2));
    }
    any_entry(blob, at, end)
}

#[inline]
fn any_entry(blob: &[u8], at: usize, end: usize) -> Option<(Entry<'_>, usize)> {
    let bytes = blob.get(at..end)?;
    let shape = Shape::read(bytes).ok()?;
    let size = shape.size();
    let (bytes, _) = bytes.split_at_checked(size)?;
    let entry = match *bytes {
        [tag @ ..STR_6, ..] => Entry::Int(tag.into()),
        [high @ INT_13..STR_12, low, ..] => Entry::Int(int_13(high, low)),
        [INT_16, a, b, ..] => Entry::Int(i16::from_le_bytes([a, b]).into()),
        [INT_24, a, b, c, ..] => Entry::Int((i32::from_le_bytes([0, a, b, c]) >> 8).into()),
        [INT_32, a, b, c, d, ..] => Entry::Int(i32::from_le_bytes([a, b, c, d]).into()),
        [INT_64, a, b, c, d, e, f, g, h, ..] => {
            Entry::Int(i64::from_le_bytes([a, b, c, d, e, f, g, h]))
        }
        // A string, or what `Shape::read` has refused.
        _ => Entry::Str(bytes.get(shape.head..shape.len())?),
    };
    Some((entry, at + size))
}

/// The integer of 13 bits whose tag is `high`.
#[inline(always)]
fn int_13(high: u8, low: u8) -> i64 {
    // The tag's three bits leave at the top.
    i64::from(i16::from_le_bytes([low, high]) << 3 >> 3)
}

/// The offset of the entry that ends at `at`, if its length does not reach back beyond `start`.
#[inline(always)]
pub(crate) fn previous(blob: &[u8], start: usize, at: usize) -> Option<usize> {
    let len = backlen_before(blob, at)?;
    let previous = at.checked_sub(len.checked_add(backlen_size(len))?)?;
    (previous >= start).then_some(previous)
}

/// The length that ends at `at`, read from behind.
#[inline(always)]
pub(crate) fn backlen_before(blob: &[u8], at: usize) -> Option<usize> {
    let mut len = 0_u64;
    for (index, &byte) in blob.get(..at)?.iter().rev().take(LONGEST_BACKLEN).enumerate() {
        len |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return usize::try_from(len).ok();
        }
    }
    None
}
