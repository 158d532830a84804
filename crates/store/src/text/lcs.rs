//! The longest common subsequence, as returned by LCS.
//!
//! # Idea
//!
//! Redis fills the table `L[i][j]`, the length for the first `i` bytes of `a` and the first `j` bytes of `b`, and
//! traces it back from its last corner: equal bytes are taken, otherwise it goes to the previous row if that has a
//! greater length, and else to the previous column. If there are several longest subsequences, the trace determines
//! which one is returned.
//!
//! Along a row, `L` grows by 0 or 1 per column, so a row is a bit string, and each row is computed from the previous
//! one by an addition and a few bit operations, 64 columns at a time. The trace needs only these bits: if the bytes
//! differ, the previous row has a greater length exactly if `L` grows at this column.
//!
//! # Representation
//!
//! ```text
//! rows[i], bit j      0 if L[i + 1][j + 1] = L[i + 1][j] + 1, else 1       64 columns a word
//! ```
//!
//! # Complexity
//!
//! O(len(a) * len(b) / 64) in time and memory: one byte for each 32 of Redis. [`length`] keeps one row only.
//!
//! # References
//!
//! Crochemore, Iliopoulos, Pinzon, Reid: A fast and practical bit-vector algorithm for the longest common subsequence
//! problem, 2001. Hyyro: Bit-parallel LCS-length computation revisited, 2004.

use crate::error::{Error, ErrorKind, Result};

/// Checks the limit of Redis, which refuses tables larger than `proto-max-bulk-len`; this implementation would need
/// less.
///
/// # Errors
///
/// Redis's error texts.
pub(crate) fn check(a: usize, b: usize, proto_max_bulk_len: u64) -> Result<()> {
    let text = match table_bytes(a, b) {
        _ if a.max(b) as u64 >= u64::from(u32::MAX) - 1 => "ERR String too long for LCS",
        None => "ERR Insufficient memory, failed allocating transient memory for LCS",
        Some(bytes) if bytes > proto_max_bulk_len => {
            "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len"
        }
        Some(_) => return Ok(()),
    };
    Err(Error::new(ErrorKind::Syntax, text))
}

fn table_bytes(a: usize, b: usize) -> Option<u64> {
    (a as u64 + 1).checked_mul(b as u64 + 1)?.checked_mul(size_of::<u32>() as u64)
}

/// The length of the longest common subsequence.
///
/// # Errors
///
/// As [`check`].
pub(crate) fn length(a: &[u8], b: &[u8], proto_max_bulk_len: u64) -> Result<usize> {
    check(a.len(), b.len(), proto_max_bulk_len)?;
    // The function is symmetric, so the rows are made long and few.
    let (a, b) = if a.len() > b.len() { (b, a) } else { (a, b) };
    let columns = Columns::new(a, b);
    let mut row = vec![u64::MAX; columns.words];
    for &byte in a {
        columns.step(byte, &mut row);
    }
    Ok(columns.grown(&row))
}

/// The longest common subsequence of two strings.
///
/// # Errors
///
/// As [`check`].
pub(crate) fn lcs<'s>(a: &'s [u8], b: &'s [u8], proto_max_bulk_len: u64) -> Result<Lcs<'s>> {
    check(a.len(), b.len(), proto_max_bulk_len)?;
    let columns = Columns::new(a, b);
    let mut rows = Vec::with_capacity(a.len() * columns.words);
    let mut row = vec![u64::MAX; columns.words];
    for &byte in a {
        columns.step(byte, &mut row);
        rows.extend_from_slice(&row);
    }
    Ok(Lcs { a, b, words: columns.words, len: columns.grown(&row), rows })
}

/// The positions of the bytes of `b`: the columns of the table.
struct Columns {
    len: usize,
    words: usize,
    /// For each byte of `a`, the index of its mask in `masks`.
    mask_of: [u16; 256],
    /// A mask has one bit per column.
    masks: Vec<u64>,
}

impl Columns {
    /// Masks are created for the bytes of `a` only: no more of them than rows.
    fn new(a: &[u8], b: &[u8]) -> Self {
        let words = b.len().div_ceil(64);
        let mut mask_of = [u16::MAX; 256];
        let mut count = 0;
        for &byte in a {
            let mask = &mut mask_of[usize::from(byte)];
            if *mask == u16::MAX {
                *mask = count;
                count += 1;
            }
        }
        let mut masks = vec![0; usize::from(count) * words];
        for (column, &byte) in b.iter().enumerate() {
            let mask = mask_of[usize::from(byte)];
            if mask != u16::MAX {
                masks[usize::from(mask) * words + column / 64] |= 1 << (column % 64);
            }
        }
        Self { len: b.len(), words, mask_of, masks }
    }

    /// Computes the next row from a row, for the byte `byte` of `a`.
    fn step(&self, byte: u8, row: &mut [u64]) {
        let start = usize::from(self.mask_of[usize::from(byte)]) * self.words;
        let mut carry = false;
        for (word, mask) in row.iter_mut().zip(&self.masks[start..]) {
            let equal = *word & mask;
            let (sum, first) = word.overflowing_add(equal);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first | second;
            *word = sum | (*word - equal);
        }
    }

    /// How often the length grows along a row.
    fn grown(&self, row: &[u64]) -> usize {
        let zeros: usize = row.iter().map(|word| word.count_zeros() as usize).sum();
        debug_assert!(zeros <= self.len, "the columns beyond the last one stay set");
        zeros
    }
}

/// A longest common subsequence: the one that Redis returns.
#[derive(Debug)]
pub(crate) struct Lcs<'s> {
    a: &'s [u8],
    b: &'s [u8],
    words: usize,
    len: usize,
    rows: Vec<u64>,
}

/// A run of consecutive bytes in both strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    /// Its start in the first string.
    pub(crate) a: usize,
    /// Its start in the second string.
    pub(crate) b: usize,
    /// Its length in bytes, at least one.
    pub(crate) len: usize,
}

impl Lcs<'_> {
    /// The length.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The subsequence itself.
    pub(crate) fn text(&self) -> Vec<u8> {
        let mut text = vec![0; self.len];
        let mut end = self.len;
        for found in self.matches() {
            text[end - found.len..end].copy_from_slice(&self.a[found.a..found.a + found.len]);
            end -= found.len;
        }
        text
    }

    /// Iterates over the runs, from the ends of the strings to their beginnings, which is the order of LCS IDX. For
    /// MINMATCHLEN, skip the shorter ones.
    pub(crate) fn matches(&self) -> impl Iterator<Item = Match> {
        let (mut i, mut j) = (self.a.len(), self.b.len());
        std::iter::from_fn(move || {
            while i > 0 && j > 0 && self.a[i - 1] != self.b[j - 1] {
                if self.grows(i - 1, j - 1) { i -= 1 } else { j -= 1 }
            }
            let end = i;
            while i > 0 && j > 0 && self.a[i - 1] == self.b[j - 1] {
                i -= 1;
                j -= 1;
            }
            (end > i).then_some(Match { a: i, b: j, len: end - i })
        })
    }

    fn grows(&self, row: usize, column: usize) -> bool {
        self.rows[row * self.words + column / 64] >> (column % 64) & 1 == 0
    }
}

#[cfg(test)]
mod tests;
