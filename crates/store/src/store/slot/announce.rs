//! What a snapshot that runs is told before a value changes.

use std::ops::Range;

use super::Entry;
use crate::member::Member;
use crate::store::handover::Change;
use crate::value::Direction;

impl<K> Entry<'_, K> {
    /// Keeps what is about to change for a snapshot that runs.
    #[cold]
    pub(super) fn keep(&mut self, change: Change<'_, '_>) {
        if let Some(place) = self.place {
            self.keyspace.keep(self.running.shared, self.at, place, change);
        }
    }

    /// Whether the next edit is to be announced, for a snapshot that runs. One that is not makes the snapshot copy all
    /// of a large value.
    #[inline]
    pub(crate) fn is_in_snapshot(&self) -> bool {
        self.keyspace.is_in_snapshot()
    }

    /// The next edit changes these members of a set or sorted set, or fields of a hash, and nothing else.
    #[inline]
    pub(crate) fn announce_members<'m>(&mut self, members: impl IntoIterator<Item = Member<'m>>) {
        if self.is_in_snapshot() {
            self.announce(Change::Members(&mut members.into_iter()));
        }
    }

    /// The next edit changes these bytes of a string, or of the bit arrays of a Bloom filter, or lies beyond their end.
    #[inline]
    pub(crate) fn announce_bytes(&mut self, ranges: impl IntoIterator<Item = Range<usize>>) {
        if self.is_in_snapshot() {
            self.announce(Change::Bytes(&mut ranges.into_iter()));
        }
    }

    /// The next edit takes so many elements from an end of a list, or puts others there.
    #[inline]
    pub(crate) fn announce_end(&mut self, end: Direction, elements: usize) {
        if self.is_in_snapshot() {
            self.announce(Change::End(end, elements));
        }
    }

    #[cold]
    fn announce(&mut self, change: Change<'_, '_>) {
        self.keep(change);
        self.announced = true;
    }
}
