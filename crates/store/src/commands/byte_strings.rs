//! Many byte strings in one allocation.

use bytes::{Bytes, BytesMut};
use smallvec::SmallVec;

use crate::member::Member;
use crate::store::scope::MANY;

/// The number of ends that need no allocation: a page of a range seldom has more strings.
const FEW: usize = 16;
/// The first string determines the estimated length of the others, up to this limit, since all of them keep the buffer
/// allocated.
const LENGTH_MAX: usize = 32;
/// Strings of up to this average length that are read together are copied into one buffer, which each of them keeps
/// allocated.
const SHORT: usize = 64;

/// Collects byte strings that are returned together.
///
/// They share one buffer, so that a million members need one allocation instead of a million. The buffer is freed when
/// the last of them is dropped.
#[derive(Debug)]
pub(crate) struct ByteStrings {
    buffer: BytesMut,
    ends: SmallVec<[usize; FEW]>,
    /// The expected number of strings.
    expected: usize,
}

impl ByteStrings {
    /// Creates a collection with capacity for about `count` strings as long as the first one.
    pub(crate) fn with_capacity(count: usize) -> Self {
        let ends = SmallVec::with_capacity(count);
        Self { buffer: BytesMut::new(), ends, expected: count }
    }

    /// Copies strings.
    pub(crate) fn of<'m>(members: impl ExactSizeIterator<Item = Member<'m>>) -> Self {
        let mut strings = Self::with_capacity(members.len());
        members.for_each(|member| strings.push(member));
        strings
    }

    /// Adds a string.
    pub(crate) fn push(&mut self, member: Member<'_>) {
        member.with_bytes(|bytes| {
            if self.ends.is_empty() {
                self.buffer.reserve(self.expected.saturating_mul(bytes.len().min(LENGTH_MAX)));
            }
            self.buffer.extend_from_slice(bytes);
        });
        self.ends.push(self.buffer.len());
    }

    /// Returns all strings, in order.
    pub(crate) fn finish(self) -> Vec<Bytes> {
        self.slices().collect()
    }

    /// Returns all strings, each with a value.
    pub(crate) fn finish_with<V>(self, values: impl IntoIterator<Item = V>) -> Vec<(Bytes, V)> {
        self.slices().zip(values).collect()
    }

    /// Returns the strings in pairs; an odd one at the end is dropped.
    pub(crate) fn finish_pairs(self) -> Vec<(Bytes, Bytes)> {
        let count = self.ends.len() / 2;
        let mut slices = self.slices();
        let mut pairs = Vec::with_capacity(count);
        while let (Some(first), Some(second)) = (slices.next(), slices.next()) {
            pairs.push((first, second));
        }
        pairs
    }

    fn slices(self) -> impl Iterator<Item = Bytes> {
        let whole = self.buffer.freeze();
        let mut start = 0;
        self.ends.into_iter().map(move |end| {
            let slice = whole.slice(start..end);
            start = end;
            slice
        })
    }
}

/// Copies strings.
pub(crate) fn copies(strings: &[Option<Member<'_>>]) -> Vec<Option<Bytes>> {
    let there = || strings.iter().flatten();
    let few = strings.len() < MANY;
    if few || there().map(|string| string.byte_len()).sum::<usize>() > strings.len() * SHORT {
        return strings.iter().map(|string| string.map(Member::to_bytes)).collect();
    }
    let mut short = ByteStrings::with_capacity(strings.len());
    there().for_each(|&string| short.push(string));
    let mut short = short.slices();
    strings.iter().map(|string| string.and_then(|_| short.next())).collect()
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
        let mut members = ByteStrings::with_capacity(2);
        for member in [&b"longer than what comes behind, and than the most"[..], b"", b"b"] {
            members.push(Member::Bytes(member));
        }
        let members = members.finish_with(0..);
        assert_eq!(members[1..], [(Bytes::new(), 1), (Bytes::from("b"), 2)]);
        let mut members = ByteStrings::with_capacity(4);
        (1..=4).for_each(|number| members.push(Member::Int(number)));
        let pairs = [("1", "2"), ("3", "4")].map(|(a, b)| (Bytes::from(a), Bytes::from(b)));
        assert_eq!(members.finish_pairs(), pairs);
    }
}
