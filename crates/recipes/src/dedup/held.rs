//! Items that are kept while a future waits.

use bytes::Bytes;
use store::Member;

/// A copy of an item: what hands it over lends it for the length of a call, and a future outlives that.
#[derive(Clone, Debug)]
pub(super) enum Held {
    Int(i64),
    Bytes(Bytes),
}

impl Held {
    /// A copy of this one. O(bytes).
    pub(super) fn of(item: Member<'_>) -> Self {
        match item {
            Member::Int(number) => Self::Int(number),
            Member::Bytes(bytes) => Self::Bytes(Bytes::copy_from_slice(bytes)),
        }
    }

    /// The item.
    pub(super) fn item(&self) -> Member<'_> {
        match self {
            Self::Int(number) => Member::Int(*number),
            Self::Bytes(bytes) => Member::Bytes(bytes),
        }
    }
}
