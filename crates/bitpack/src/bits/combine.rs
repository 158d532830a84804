//! Bitwise operations between strings, as in BITOP.
//!
//! # Lengths
//!
//! Shorter sources count as followed by zeros. So the output consists of stretches that end where a source ends, and in
//! each stretch the sources that have ended either have no effect or decide the result: no stretch needs padding.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::arch::{self, Fold};

/// An operation of [`combine`] on the bits x of the first source and y1, y2, .. of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Op {
    /// Bits that all sources have.
    And,
    /// Bits that any source has.
    Or,
    /// Bits that an odd number of sources have.
    Xor,
    /// Bits that the one source lacks.
    Not,
    /// Bits that the first source has and no other: x and not (y1 or y2 ..). Redis has it from 8.2 on.
    Diff,
    /// Bits that others have and the first source has not: (y1 or y2 ..) and not x. Redis has it from 8.2 on.
    Diff1,
    /// Bits that the first source has and another too: x and (y1 or y2 ..). Redis has it from 8.2 on.
    AndOr,
    /// Bits that exactly one source has. Redis has it from 8.2 on.
    One,
}

impl Op {
    /// Every operation.
    pub const ALL: [Self; 8] = [
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Not,
        Self::Diff,
        Self::Diff1,
        Self::AndOr,
        Self::One,
    ];

    /// Checks the number of sources.
    ///
    /// # Errors
    ///
    /// If it is not exactly one for NOT, at least two for DIFF, DIFF1 and ANDOR, or at least one for the others.
    ///
    /// # Examples
    ///
    /// ```
    /// use bitpack::bits::Op;
    ///
    /// assert!(Op::Or.check_sources(1).is_ok());
    /// assert!(Op::Diff.check_sources(1).is_err());
    /// assert!(Op::Not.check_sources(2).is_err());
    /// ```
    pub const fn check_sources(self, got: usize) -> Result<(), SourcesError> {
        let right = match self {
            Self::Not => got == 1,
            Self::Diff | Self::Diff1 | Self::AndOr => got >= 2,
            Self::And | Self::Or | Self::Xor | Self::One => got >= 1,
        };
        if right { Ok(()) } else { Err(SourcesError { op: self, got }) }
    }
}

/// An operation has too few or too many sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcesError {
    op: Op,
    got: usize,
}

impl SourcesError {
    /// The operation.
    #[must_use]
    pub const fn op(&self) -> Op {
        self.op
    }

    /// The number of sources.
    #[must_use]
    pub const fn got(&self) -> usize {
        self.got
    }
}

impl fmt::Display for SourcesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, need) = match self.op {
            Op::And => ("AND", "at least one source"),
            Op::Or => ("OR", "at least one source"),
            Op::Xor => ("XOR", "at least one source"),
            Op::One => ("ONE", "at least one source"),
            Op::Not => ("NOT", "one source"),
            Op::Diff => ("DIFF", "at least two sources"),
            Op::Diff1 => ("DIFF1", "at least two sources"),
            Op::AndOr => ("ANDOR", "at least two sources"),
        };
        write!(f, "{name} takes {need}, got {}", self.got)
    }
}

impl core::error::Error for SourcesError {}

/// Combines sources into `out`, which becomes as long as the longest of them. The previous content of `out` is
/// replaced; its memory is reused if it is large enough. O(sum of the lengths).
///
/// # Errors
///
/// If the operation does not take this number of sources; `out` is unchanged.
///
/// # Examples
///
/// ```
/// use bitpack::bits::{Op, combine};
///
/// let mut out = Vec::new();
/// combine(Op::And, &[b"foobar", b"abcdef"], &mut out)?;
/// assert_eq!(out, b"`bc`ab");
/// combine(Op::Diff, &[b"\xff\xff", b"\x0f", b"\x30"], &mut out)?;
/// assert_eq!(out, b"\xc0\xff");
/// # Ok::<(), bitpack::bits::SourcesError>(())
/// ```
pub fn combine(op: Op, sources: &[&[u8]], out: &mut Vec<u8>) -> Result<(), SourcesError> {
    op.check_sources(sources.len())?;
    let len = sources.iter().map(|source| source.len()).max().unwrap_or(0);
    if out.capacity() < len {
        // The system provides many new zeros at no cost.
        *out = vec![0; len];
    } else {
        out.resize(len, 0);
    }
    write(op, sources, out);
    Ok(())
}

/// Combines sources into a slice. All of it is written, as if the sources were followed by zeros; bytes of the sources
/// beyond its length are ignored. O(sum of the lengths).
///
/// # Errors
///
/// If the operation does not take this number of sources; `out` is unchanged.
///
/// # Examples
///
/// ```
/// use bitpack::bits::{Op, combine_into};
///
/// let mut out = [0xaa; 3];
/// combine_into(Op::Not, &[b"\x0f"], &mut out)?;
/// assert_eq!(out, [0xf0, 0xff, 0xff]);
/// combine_into(Op::One, &[b"\x07\x01", b"\x0e", b"\x10\x01\x01"], &mut out[..2])?;
/// assert_eq!(out, [0x19, 0x00, 0xff]);
/// # Ok::<(), bitpack::bits::SourcesError>(())
/// ```
pub fn combine_into(op: Op, sources: &[&[u8]], out: &mut [u8]) -> Result<(), SourcesError> {
    op.check_sources(sources.len())?;
    write(op, sources, out);
    Ok(())
}

/// Sources for which the list of a stretch needs no heap.
const FEW: usize = 8;

fn write(op: Op, sources: &[&[u8]], out: &mut [u8]) {
    let mut few: [&[u8]; FEW] = [&[]; FEW];
    let mut many: Vec<&[u8]>;
    let list = if sources.len() <= FEW {
        &mut few[..]
    } else {
        many = vec![&[]; sources.len()];
        &mut many[..]
    };
    let mut at = 0;
    while at < out.len() {
        let lens = sources.iter().map(|source| source.len());
        let end = lens.filter(|&len| len > at).fold(out.len(), usize::min);
        let mut here = 0;
        for source in sources {
            if let Some(part) = source.get(at..end) {
                list[here] = part;
                here += 1;
            }
        }
        let leads = sources.first().is_some_and(|first| first.len() >= end);
        stretch(op, &list[..here], leads, here == sources.len(), &mut out[at..end]);
        at = end;
    }
}

/// A stretch of the output, from the sources that reach over it: whether the first of all `leads` them, and whether
/// they are `all` there are.
fn stretch(op: Op, sources: &[&[u8]], leads: bool, all: bool, out: &mut [u8]) {
    let any = |fold, out: &mut [u8]| match sources {
        [] => out.fill(0),
        [only] => out.copy_from_slice(only),
        [first, others @ ..] => arch::combine(out, fold, first, others),
    };
    match (op, sources) {
        (Op::Or, _) => any(Fold::Or, out),
        (Op::Xor, _) => any(Fold::Xor, out),
        (Op::One, _) => any(Fold::One, out),
        (Op::And, _) if all => any(Fold::And, out),
        (Op::Not, [only, ..]) => arch::combine(out, Fold::Not, only, &[]),
        (Op::Not, []) => out.fill(0xff),
        (Op::Diff, [only]) if leads => out.copy_from_slice(only),
        (Op::Diff, [first, others @ ..]) if leads => arch::combine(out, Fold::Diff, first, others),
        (Op::Diff1, _) if !leads => any(Fold::Or, out),
        (Op::Diff1, [first, others @ ..]) if !others.is_empty() => {
            arch::combine(out, Fold::Diff1, first, others);
        }
        (Op::AndOr, [first, others @ ..]) if leads && !others.is_empty() => {
            arch::combine(out, Fold::AndOr, first, others);
        }
        (Op::And | Op::Diff | Op::Diff1 | Op::AndOr, _) => out.fill(0),
    }
}
