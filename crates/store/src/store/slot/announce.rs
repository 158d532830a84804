//! Announcements of changes, for a running snapshot.

use std::ops::Range;

use super::Entry;
use crate::member::Member;
use crate::store::handover::Change;
use crate::value::Direction;

impl<K> Entry<'_, K> {
    /// Keeps the old form of what is about to change, for a running snapshot.
    #[cold]
    pub(super) fn keep(&mut self, change: Change<'_, '_>) {
        if let Some(place) = self.place {
            self.keyspace.keep(self.running.shared, self.at, place, change);
        }
    }

    /// Returns whether the next edit should be announced, since a snapshot is running. Without an announcement the
    /// snapshot copies the whole value, even a large one.
    #[inline]
    pub(crate) fn is_in_snapshot(&self) -> bool {
        self.keyspace.is_in_snapshot()
    }

    /// Announces that the next edit changes only these members of a set or sorted set, or fields of a hash.
    #[inline]
    pub(crate) fn announce_members<'m>(&mut self, members: impl IntoIterator<Item = Member<'m>>) {
        if self.is_in_snapshot() {
            self.announce(Change::Members(&mut members.into_iter()));
        }
    }

    /// Announces that the next edit changes only these bytes of a string, or of the bit arrays of a Bloom filter, or
    /// bytes beyond their end.
    #[inline]
    pub(crate) fn announce_bytes(&mut self, ranges: impl IntoIterator<Item = Range<usize>>) {
        if self.is_in_snapshot() {
            self.announce(Change::Bytes(&mut ranges.into_iter()));
        }
    }

    /// Announces that the next edit removes that many elements from an end of a list, or adds elements there.
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
