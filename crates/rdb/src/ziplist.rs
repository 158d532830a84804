//! The ziplist: the packed list of servers before 7.0, replaced by the listpack.
//!
//! It is only read: a sorted set, a hash or a list in a file may be one, and is converted to a listpack by the caller.
//!
//! # Representation
//!
//! ```text
//! bytes u32 | last u32 | entries u16 | entry | entry | ... | ff        little-endian
//!
//! entry     length of the entry before it | tag | the rest
//!           one byte up to 253, or fe and four bytes
//!
//! tag       00llllll               l bytes              |  c0  i16     d0  i32     e0  i64
//!           01llllll llllllll      l bytes              |  f0  i24     fe  i8
//!           80 llllllll x 4        l bytes              |  f1 ..= fd   0 ..= 12
//!           l is big-endian
//! ```
//!
//! `bytes` counts the whole blob and `last` is the offset of the last entry. An `entries` of 65535 means that the
//! entries were not counted.
//!
//! # Worked example
//!
//! ```
//! use rdb::ziplist::{self, Entry};
//!
//! let blob = b"\x11\0\0\0\x0d\0\0\0\x02\0\0\x01a\x03\xf6\xff";
//! assert_eq!(ziplist::entries(blob).err(), Some(ziplist::Error::Length { told: 17, there: 16 }));
//! let blob = b"\x10\0\0\0\x0d\0\0\0\x02\0\0\x01a\x03\xf6\xff";
//! assert_eq!(ziplist::entries(blob)?, [Entry::Str(b"a"), Entry::Int(5)]);
//! # Ok::<(), ziplist::Error>(())
//! ```

#![expect(clippy::big_endian_bytes, reason = "the lengths of strings are big-endian")]

use core::{error, fmt};

/// An entry of a ziplist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry<'b> {
    /// An entry stored as an integer.
    Int(i64),
    /// Any other text.
    Str(&'b [u8]),
}

/// Why bytes are not a valid ziplist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// There are fewer bytes than in an empty ziplist.
    Short,
    /// The blob is longer or shorter than its header says.
    Length {
        /// The length in the header.
        told: usize,
        /// The actual value.
        there: usize,
    },
    /// An entry exceeds the end, has an unknown tag, or stores a wrong length of the previous entry.
    Entry {
        /// Its offset in the blob.
        offset: usize,
    },
    /// The last entry is not at the offset in the header.
    Last {
        /// The offset in the header.
        told: usize,
        /// The actual offset.
        there: usize,
    },
    /// The number of entries is not the one in the header.
    Count {
        /// The number in the header.
        told: usize,
        /// The actual value.
        there: usize,
    },
    /// The byte after the last entry is not the end marker.
    End,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Short => f.write_str("ziplist is too short"),
            Self::Length { told, there } => {
                write!(f, "ziplist header specifies {told} bytes, got {there}")
            }
            Self::Entry { offset } => write!(f, "invalid ziplist entry at offset {offset}"),
            Self::Last { told, there } => {
                write!(f, "ziplist header specifies the last entry at offset {told}, got {there}")
            }
            Self::Count { told, there } => {
                write!(f, "ziplist header specifies {told} entries, got {there}")
            }
            Self::End => f.write_str("ziplist has no end marker"),
        }
    }
}

impl error::Error for Error {}

/// Bytes before the first entry.
const HEADER: usize = 10;
/// Behind the last.
const END: u8 = 0xff;
/// The count of entries that were not counted.
const NOT_COUNTED: u16 = u16::MAX;
/// The first byte of a length that has four more.
const LONG: u8 = 0xfe;

/// Parses and validates a ziplist, and returns its entries. O(bytes).
///
/// # Errors
///
/// [`Error`].
pub fn entries(blob: &[u8]) -> Result<Vec<Entry<'_>>, Error> {
    let (header, mut rest) = blob.split_first_chunk::<HEADER>().ok_or(Error::Short)?;
    let [a, b, c, d, e, f, g, h, i, j] = *header;
    let (told, last) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
    let (told, last) = (told as usize, last as usize);
    if told != blob.len() {
        return Err(Error::Length { told, there: blob.len() });
    }
    let mut entries = Vec::new();
    let (mut at, mut before) = (HEADER, 0);
    while let [tag, ..] = rest
        && *tag != END
    {
        let offset = blob.len() - rest.len();
        let (told_before, behind) = prior(rest).ok_or(Error::Entry { offset })?;
        let (entry, behind) = entry(behind).ok_or(Error::Entry { offset })?;
        if told_before != before {
            return Err(Error::Entry { offset });
        }
        entries.push(entry);
        before = rest.len() - behind.len();
        at = offset;
        rest = behind;
    }
    if *rest != [END] {
        return Err(Error::End);
    }
    if last != at {
        return Err(Error::Last { told: last, there: at });
    }
    let count = u16::from_le_bytes([i, j]);
    if count != NOT_COUNTED && usize::from(count) != entries.len() {
        return Err(Error::Count { told: count.into(), there: entries.len() });
    }
    Ok(entries)
}

/// The length of the entry before, and what follows.
fn prior(bytes: &[u8]) -> Option<(usize, &[u8])> {
    match bytes {
        [LONG, a, b, c, d, rest @ ..] => {
            Some((u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest))
        }
        [LONG, ..] | [] => None,
        [len, rest @ ..] => Some((usize::from(*len), rest)),
    }
}

/// The entry at a tag, and the rest.
fn entry(bytes: &[u8]) -> Option<(Entry<'_>, &[u8])> {
    let (len, rest) = match bytes {
        [tag @ 0..=0x3f, rest @ ..] => (u32::from(*tag), rest),
        [tag @ 0x40..=0x7f, low, rest @ ..] => {
            (u32::from(u16::from_be_bytes([tag & 0x3f, *low])), rest)
        }
        [0x80, a, b, c, d, rest @ ..] => (u32::from_be_bytes([*a, *b, *c, *d]), rest),
        _ => return int(bytes).map(|(int, rest)| (Entry::Int(int), rest)),
    };
    let (text, rest) = rest.split_at_checked(len as usize)?;
    Some((Entry::Str(text), rest))
}

fn int(bytes: &[u8]) -> Option<(i64, &[u8])> {
    Some(match bytes {
        [0xc0, a, b, rest @ ..] => (i64::from(i16::from_le_bytes([*a, *b])), rest),
        [0xd0, a, b, c, d, rest @ ..] => (i64::from(i32::from_le_bytes([*a, *b, *c, *d])), rest),
        [0xe0, a, b, c, d, e, f, g, h, rest @ ..] => {
            (i64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]), rest)
        }
        [0xf0, a, b, c, rest @ ..] => (i64::from(i32::from_le_bytes([0, *a, *b, *c]) >> 8), rest),
        [0xfe, a, rest @ ..] => (i64::from(a.cast_signed()), rest),
        [tag @ 0xf1..=0xfd, rest @ ..] => (i64::from(tag - 0xf1), rest),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
