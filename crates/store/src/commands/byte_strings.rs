//! Many byte strings in one allocation.

use bytes::{Bytes, BytesMut};

use crate::member::Member;

/// Collects byte strings that are returned together.
///
/// They share one buffer, so that a million members cost one allocation and not a million. Each of them keeps the whole
/// buffer alive.
#[derive(Debug)]
pub(crate) struct ByteStrings {
    buffer: BytesMut,
    ends: Vec<usize>,
}

impl ByteStrings {
    /// With room for about so many short ones.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self { buffer: BytesMut::with_capacity(count * 8), ends: Vec::with_capacity(count) }
    }

    /// Adds one.
    pub(crate) fn push(&mut self, member: Member<'_>) {
        member.with_bytes(|bytes| self.buffer.extend_from_slice(bytes));
        self.ends.push(self.buffer.len());
    }

    /// All of them, in the order in which they came.
    pub(crate) fn finish(self) -> Vec<Bytes> {
        let whole = self.buffer.freeze();
        let mut start = 0;
        let slices = self.ends.into_iter().map(|end| {
            let slice = whole.slice(start..end);
            start = end;
            slice
        });
        slices.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_strings_are_returned_in_order() {
        let mut members = ByteStrings::with_capacity(1);
        for member in [Member::Int(-7), Member::Bytes(b""), Member::Bytes(b"text")] {
            members.push(member);
        }
        assert_eq!(members.finish(), ["-7", "", "text"]);
        assert!(ByteStrings::with_capacity(0).finish().is_empty());
    }
}
