//! What a writer keeps before it changes a key.

use std::ops::Range;

use extendible::BucketId;

use super::{Handover, Large};
use crate::member::Member;
use crate::store::Shared;
use crate::store::keyspace::Keyspace;
use crate::table::keys::Position;
use crate::value::{Direction, Value};

/// What is about to change in a key.
pub(crate) enum Change<'c, 'm> {
    /// Only the expiry.
    Expiry,
    /// The value is removed or replaced: the old one is handed over as it is.
    Gone,
    /// Any part of the value.
    Any,
    /// These members of a set or sorted set, or fields of a hash.
    Members(&'c mut dyn Iterator<Item = Member<'m>>),
    /// These bytes of a string, or of the bit arrays of a Bloom filter, and bytes beyond their end.
    Bytes(&'c mut dyn Iterator<Item = Range<usize>>),
    /// That many elements at an end of a list are removed, or others are added before them.
    End(Direction, usize),
}

impl Keyspace {
    /// Keeps the old form of what is about to change, if the snapshot does not have it yet.
    #[cold]
    pub(in crate::store) fn keep(
        &mut self,
        shared: &Shared,
        at: BucketId,
        place: Position,
        change: Change<'_, '_>,
    ) {
        let (table, mark, handover) = self.parts();
        let (Some(handover), Some(bucket)) = (handover, table.get_mut(at)) else { return };
        if bucket.mark(place) != mark {
            bucket.set_mark(place, mark);
            handover.keep_first(shared, bucket, place);
        }
        let entry = bucket.entry(place);
        let key = entry.key.as_bytes();
        let Some(large) = handover.large.get_mut(key) else { return };
        if !large.keep(&entry.value, change, &shared.policy())
            && let Some(large) = handover.large.remove(key)
        {
            large.own(bucket.value_mut(place).share());
        }
    }

    /// Hands over a value that was removed from a key, if it is large and begun.
    pub(in crate::store) fn left(&mut self, key: &[u8], value: Value) {
        let large = self.take_large(key);
        self.dispose(value, large);
    }

    /// Passes a value that has left its key to the snapshot, if the snapshot has begun with it.
    #[inline]
    pub(in crate::store) fn dispose(&mut self, value: Value, large: Option<Box<Large>>) {
        match large {
            Some(large) => large.own(value),
            None => self.garbage.add(value),
        }
    }

    /// Takes the snapshot's state of a large value that is leaving its key.
    pub(in crate::store) fn take_large(&mut self, key: &[u8]) -> Option<Box<Large>> {
        self.handover.as_mut()?.large.remove(key).map(Box::new)
    }

    /// Adds the snapshot's state of a large value that came from another key.
    pub(in crate::store) fn adopt(&mut self, key: &[u8], large: Large) {
        if !large.run().has_ended() {
            let handover = self.handover.get_or_insert_with(|| Handover::new(large.run(), None));
            handover.large.insert(key.into(), large);
        }
    }
}
