//! The oracle of the listpack: a `Vec` of texts, and an encoder that follows the table of encodings.

use arbitrary::{Arbitrary, Unstructured};

/// The text of an entry in a test of lists: often short, so that texts repeat, or at the edge of an encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element(pub Vec<u8>);

/// The integers near which encodings change.
const INT_EDGES: [i64; 11] = [
    0,
    127,
    -4096,
    4095,
    i16::MIN as i64,
    i16::MAX as i64,
    -8_388_608,
    8_388_607,
    i32::MIN as i64,
    i32::MAX as i64,
    i64::MAX - 2,
];

/// The lengths near which the encodings of strings, and of the lengths after them, change.
const LENGTH_EDGES: [u16; 5] = [7, 63, 126, 4095, 16_378];

/// Texts that are nearly integers.
const NEARLY: [&str; 9] =
    ["", "-", "-0", "007", "+1", "1.0", "9223372036854775808", "-9223372036854775809", "1e5"];

impl<'a> Arbitrary<'a> for Element {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let text = match u.arbitrary::<u8>()? {
            0..=79 => u.arbitrary::<i8>()?.to_string().into_bytes(),
            80..=99 => u.arbitrary::<i64>()?.to_string().into_bytes(),
            100..=129 => {
                let near: i64 = u.int_in_range(-2..=2)?;
                u.choose(&INT_EDGES)?.wrapping_add(near).to_string().into_bytes()
            }
            130..=139 => u.choose(&NEARLY)?.as_bytes().to_vec(),
            140..=219 => {
                let len = u.int_in_range(0..=12_usize)?;
                u.bytes(len)?.iter().map(|byte| b'a' + byte % 3).collect()
            }
            220..=249 => {
                let len = u.int_in_range(0..=64_usize)?;
                vec![b'x' + u.arbitrary::<u8>()? % 2; len]
            }
            250..=255 => {
                // The long ones are rare: every step compares the whole list.
                let edge = LENGTH_EDGES[usize::from(u.arbitrary::<u8>()?).pow(2) * 5 / (1 << 16)];
                let len = edge + u.int_in_range(0..=3)? - 1;
                vec![b'y'; len.into()]
            }
        };
        Ok(Self(text))
    }
}

/// An operation on a list. Indices are modulo the number of entries.
#[derive(Arbitrary, Clone, Debug, PartialEq, Eq)]
pub enum ListPackOp {
    /// Append an entry.
    PushBack(Element),
    /// Insert an entry at the front.
    PushFront(Element),
    /// Insert an entry before the one at an index, or at the end.
    Insert(u16, Element),
    /// Insert two entries before the one at an index, or at the end.
    InsertPair(u16, Element, Element),
    /// Replace the entry at an index.
    Replace(u16, Element),
    /// Delete the entry at an index.
    Delete(u16),
    /// Delete this many entries from an index on.
    DeleteRange(u16, u8),
    /// Keep the entries whose length has a remainder other than this modulo three.
    Retain(u8),
    /// Append an entry many times.
    PushRun(Element, u8),
    /// Find an entry, skipping this many (modulo three) after each.
    Find(Element, u8),
    /// Find the entry that is at an index.
    FindAt(u16),
    /// Get the entry at an index, from either end.
    Get(u16),
    /// Restore the count in the header.
    SettleCount,
    /// Release the slack.
    ShrinkToFit,
    /// Convert to bytes and back.
    Reload,
    /// Delete everything.
    Clear,
    /// Split the list at an index, and join the parts again, in either order.
    Split(u16, bool),
    /// Move this many entries from an index on to before another index, or to the end.
    MoveRun(u16, u8, u16),
    /// Remove entries that equal the one at an index: this many (modulo four; three means all), from the front if true.
    Remove(u16, u8, bool),
}

/// A simple list of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListPackOracle {
    /// The entries. A caller that changes them must call [`ListPackOracle::changed`].
    pub entries: Vec<Vec<u8>>,
    /// Whether the header has no count.
    uncounted: bool,
}

impl ListPackOracle {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Must be called after a change of the entries: the header may have no count from then on.
    pub fn changed(&mut self) {
        self.uncounted |= self.entries.len() >= 65_535;
    }

    /// Restores the count in the header, if it fits.
    pub fn settle_count(&mut self) {
        self.uncounted = self.entries.len() >= 65_535;
    }

    /// Deletes everything.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// Returns the index of the first entry from `from` on that is `text`, skipping `skip` entries after each.
    #[must_use]
    pub fn find(&self, from: usize, text: &[u8], skip: usize) -> Option<usize> {
        (from..self.entries.len()).step_by(skip + 1).find(|&index| self.entries[index] == text)
    }

    /// Returns Redis's blob of these entries.
    ///
    /// # Panics
    ///
    /// If it would have 2^32 bytes or more.
    #[must_use]
    pub fn blob(&self) -> Vec<u8> {
        let mut blob = vec![0; 6];
        for text in &self.entries {
            blob.extend_from_slice(&encode(text));
        }
        blob.push(0xff);
        let total = u32::try_from(blob.len()).expect("a test's list is small");
        blob[..4].copy_from_slice(&total.to_le_bytes());
        let count = if self.uncounted { 65_535 } else { self.entries.len() };
        let count = u16::try_from(count).expect("more are not counted");
        blob[4..6].copy_from_slice(&count.to_le_bytes());
        blob
    }
}

/// Encodes an entry, with the length at its end.
///
/// # Panics
///
/// If the text has 2^32 bytes or more.
#[must_use]
pub fn encode(text: &[u8]) -> Vec<u8> {
    let integer = core::str::from_utf8(text)
        .ok()
        .and_then(|text| Some((text, text.parse::<i64>().ok()?)))
        .filter(|(text, value)| value.to_string() == *text);
    let mut entry = match integer {
        Some((_, value)) => encode_int(value),
        None => encode_string(text),
    };
    let len = entry.len();
    // Seven bits per byte; but the maximum number of two or more bytes already takes one more byte.
    let size = (1..5).find(|&size| len < (1 << (7 * size)) - usize::from(size > 1)).unwrap_or(5);
    for index in (0..size).rev() {
        let mark = if index + 1 == size { 0 } else { 0x80 };
        entry.push(u8::try_from(len >> (7 * index) & 0x7f).expect("seven bits") | mark);
    }
    entry
}

fn encode_int(value: i64) -> Vec<u8> {
    let bits = (1..64).find(|bits| (-1_i64 << (bits - 1)..1_i64 << (bits - 1)).contains(&value));
    let low = value.to_le_bytes();
    match bits.unwrap_or(64) {
        1..=8 if (0..=127).contains(&value) => vec![low[0]],
        1..=13 => vec![0xc0 | (low[1] & 0x1f), low[0]],
        14..=16 => [&[0xf1], &low[..2]].concat(),
        17..=24 => [&[0xf2], &low[..3]].concat(),
        25..=32 => [&[0xf3], &low[..4]].concat(),
        _ => [&[0xf4], &low[..]].concat(),
    }
}

fn encode_string(text: &[u8]) -> Vec<u8> {
    let len = u32::try_from(text.len()).expect("a test's text is short");
    let low = len.to_le_bytes();
    match len {
        0..=63 => [&[0x80 | low[0]], text].concat(),
        64..=4095 => [&[0xe0 | low[1], low[0]], text].concat(),
        _ => [&[0xf0], &low[..], text].concat(),
    }
}
