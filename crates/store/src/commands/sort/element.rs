//! An element while the others are sorted.

use std::cmp::Ordering;

use bytes::Bytes;

use crate::error::Result;
use crate::member::Member;

/// A [`Member`] that owns its bytes. An integer needs no allocation, and most elements of a large list are not returned.
#[derive(Clone, Debug)]
pub(super) enum Element {
    Int(i64),
    Bytes(Bytes),
}

impl Element {
    pub(super) fn as_member(&self) -> Member<'_> {
        match self {
            Self::Int(number) => Member::Int(*number),
            Self::Bytes(bytes) => Member::Bytes(bytes),
        }
    }

    pub(super) fn with_bytes<R>(&self, read: impl FnOnce(&[u8]) -> R) -> R {
        self.as_member().with_bytes(read)
    }

    /// The number that the element is, which `parse` reads from a text.
    #[expect(clippy::cast_precision_loss, reason = "a text is rounded to the nearest too")]
    pub(super) fn number(&self, parse: impl FnOnce(&[u8]) -> Result<f64>) -> Result<f64> {
        match self {
            Self::Int(number) => Ok(*number as f64),
            Self::Bytes(bytes) => parse(bytes),
        }
    }

    /// Compares the bytes.
    #[cold]
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        self.with_bytes(|a| other.with_bytes(|b| a.cmp(b)))
    }
}

impl From<Member<'_>> for Element {
    fn from(member: Member<'_>) -> Self {
        match member {
            Member::Int(number) => Self::Int(number),
            Member::Bytes(bytes) => Self::Bytes(Bytes::copy_from_slice(bytes)),
        }
    }
}
