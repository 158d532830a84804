//! The place of one key, inside the write door.

use bytes::Bytes;
use extendible::BucketId;

use super::context::Context;
use super::stripe::Keyspace;
use crate::key::{HashedKey, Key};
use crate::table::keys::{Entry, Position};
use crate::value::Value;

/// The place of one key, inside the write door: a value that is there, or room for one.
#[derive(Debug)]
pub(crate) struct Slot<'a, 'c, 'k> {
    keyspace: &'a mut Keyspace,
    pub(crate) context: &'a mut Context<'c>,
    db: u32,
    key: HashedKey<'k>,
    at: BucketId,
    place: Option<Position>,
    /// Seconds by which the access lies back.
    idle_secs: u32,
    changes: u64,
}

/// A value on its way from one key to another.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) value: Value,
    pub(crate) expires_at: Option<i64>,
}

impl<'a, 'c, 'k> Slot<'a, 'c, 'k> {
    #[inline]
    pub(super) const fn new(
        keyspace: &'a mut Keyspace,
        context: &'a mut Context<'c>,
        db: u32,
        key: HashedKey<'k>,
        at: BucketId,
        place: Option<Position>,
    ) -> Self {
        Self { keyspace, context, db, key, at, place, idle_secs: 0, changes: 0 }
    }

    /// Stamps the access; returns how many changes there were.
    #[inline]
    pub(super) fn finish(self) -> u64 {
        if let Some(place) = self.place
            && let Some(piece) = self.keyspace.get(self.at)
        {
            let now = self.context.moment.coarse_secs();
            piece.stamp(place, now.saturating_sub(self.idle_secs));
        }
        self.changes
    }

    /// The value, if the key exists.
    #[inline]
    pub(crate) fn value(&self) -> Option<&Value> {
        let place = self.place?;
        self.keyspace.get(self.at).map(|piece| &piece.entry(place).value)
    }

    /// The value, to be changed in place. Whoever changes it also calls [`changed`](Self::changed).
    #[inline]
    pub(crate) fn value_mut(&mut self) -> Option<&mut Value> {
        let place = self.place?;
        self.keyspace.get_mut(self.at).map(|piece| piece.value_mut(place))
    }

    /// Sets the value; an expiry stays as it was.
    #[inline]
    pub(crate) fn put(&mut self, value: Value) {
        if let Some(old) = self.value_mut() {
            *old = value;
            return;
        }
        let shared = self.context.shared;
        let (hash, rehash) = (self.key.hash, |key: &[u8]| shared.hash(key));
        let entry = Entry { key: Key::new(self.key.bytes), value };
        let (at, place) = self.keyspace.insert(hash, &rehash, |piece| piece.insert(hash, entry, 0));
        (self.at, self.place) = (at, Some(place));
    }

    /// Removes the key and hands over what it held.
    pub(crate) fn take(&mut self) -> Option<Taken> {
        let place = self.place.take()?;
        let shared = self.context.shared;
        let piece = self.keyspace.get_mut(self.at)?;
        let expires_at = piece.expires_at(place);
        let value = piece.remove(place, &|key| shared.hash(key));
        self.keyspace.removed();
        Some(Taken { value, expires_at })
    }

    /// Removes the key; `false` if it was not there.
    pub(crate) fn remove(&mut self) -> bool {
        self.take().is_some()
    }

    /// When the key expires, in milliseconds since the epoch.
    #[inline]
    pub(crate) fn expires_at(&self) -> Option<i64> {
        self.keyspace.get(self.at)?.expires_at(self.place?)
    }

    /// Sets or clears the expiry of a key that exists.
    #[inline]
    pub(crate) fn set_expiry(&mut self, at_ms: Option<i64>) {
        if let (Some(place), Some(piece)) = (self.place, self.keyspace.get_mut(self.at)) {
            piece.set_expiry(place, at_ms);
        }
    }

    /// Makes the access count as one that many seconds ago.
    pub(crate) const fn set_idle(&mut self, seconds: u32) {
        self.idle_secs = seconds;
    }

    /// The time of the command, in milliseconds since the epoch.
    pub(crate) fn now_ms(&self) -> i64 {
        self.context.moment.now_ms()
    }

    /// The time of the command, in microseconds since the epoch.
    #[inline]
    pub(crate) fn now_us(&self) -> i64 {
        self.context.moment.now_us()
    }

    /// Says that something changed, and by which command after the key the same change could be made again.
    #[inline]
    pub(crate) fn changed(&mut self, command: &'static str, args: impl FnOnce() -> Vec<Bytes>) {
        self.changes += 1;
        let key = self.key.bytes;
        self.context.note(self.db, || {
            let mut all = vec![Bytes::from_static(command.as_bytes()), Bytes::copy_from_slice(key)];
            all.extend(args());
            all
        });
    }

    /// Notes the effect of a change that sessions which watch the key do not see, since Redis does not show it to them: the
    /// value says the same as before in another form, or the command failed half-way.
    pub(crate) fn reformed(&mut self, effect: impl FnOnce(Bytes) -> Vec<Bytes>) {
        let key = self.key.bytes;
        self.context.note(self.db, || effect(Bytes::copy_from_slice(key)));
    }

    /// Says that something changed of which another key's effect tells: a command on several keys has one effect.
    pub(crate) const fn touched(&mut self) {
        self.changes += 1;
    }
}
