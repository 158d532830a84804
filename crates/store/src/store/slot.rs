//! One key under the lock of its stripe: the only way to change a key, its value or its expiry.
//!
//! Each method that changes something takes the effect of the change. When the slot is dropped, the changes are
//! counted, sessions that watch the key are notified, and the access time is set; the effects go to the sinks while the
//! locks are still held.

mod announce;
mod expired;
mod outcome;

use std::marker::PhantomData;

use bytes::Bytes;

pub(super) use expired::drop_if_expired;
pub(crate) use outcome::{Expires, Outcome, Taken};

use expired::drop_expired;

use super::handover::Change;
use super::keyspace::Keyspace;
use super::shared::Shared;
use super::sink::{Effect, Effects};
use super::stripe::Stripe;
use super::time::CommandTime;
use super::watch::Watches;
use crate::error::Error;
use crate::key::{HashedKey, Key};
use crate::policy::EncodingPolicy;
use crate::table::keys::{Entry as KeyEntry, Position};
use crate::value::Value;
use extendible::BucketId;

/// The context of a running command or transaction.
#[derive(Debug)]
pub(crate) struct Running<'a> {
    pub(super) shared: &'a Shared,
    pub(super) time: &'a CommandTime<'a>,
    pub(super) effects: &'a mut Effects,
}

impl Running<'_> {
    pub(super) const fn reborrow(&mut self) -> Running<'_> {
        Running { shared: self.shared, time: self.time, effects: &mut *self.effects }
    }

    /// Notes an effect if there is a sink.
    #[inline]
    pub(super) fn note(&mut self, db: u32, words: impl FnOnce() -> Vec<Bytes>) {
        if self.shared.has_sinks() {
            self.push(db, words());
        }
    }

    // A separate function, so that it is compiled once and not for each command; likewise `named`.
    fn push(&mut self, db: u32, args: Vec<Bytes>) {
        if !args.is_empty() {
            self.effects.push(Effect { db, args });
        }
    }
}

/// The words of a command: its name, the key and the arguments.
fn named(command: &'static str, key: &[u8], args: Vec<Bytes>) -> Vec<Bytes> {
    let mut words = args;
    words.reserve(BEFORE_ARGS);
    words.insert(0, Bytes::copy_from_slice(key));
    if command.bytes().any(|byte| byte == b' ') {
        // PFDEBUG TODENSE.
        let both = command.split(' ').map(|word| Bytes::from_static(word.as_bytes()));
        words.splice(0..0, both);
    } else {
        words.insert(0, Bytes::from_static(command.as_bytes()));
    }
    words
}

/// One key under the lock of its stripe, looked up once, with or without a value. `K` is the type that the value was
/// checked to have, if any.
///
/// The methods that read and change the value are those of the type's entry, such as [`SetEntry`](crate::SetEntry).
/// Each change is counted, is visible to sessions that watch the key, and reaches the sinks as the command that it
/// corresponds to. A key that does not exist is an empty value; a key is removed when its value loses its last member.
#[derive(Debug)]
pub struct Entry<'a, K = Any> {
    keyspace: &'a mut Keyspace,
    watches: &'a mut Watches,
    running: Running<'a>,
    db: u32,
    key: HashedKey<'a>,
    at: BucketId,
    place: Option<Position>,
    changes: u64,
    /// Whether the value has the type.
    fits: bool,
    /// Whether the change of the value was announced, and a snapshot has kept the old form.
    announced: bool,
    kind: PhantomData<fn() -> K>,
}

/// The entry of a key whose value may have any type.
pub(crate) type Slot<'a> = Entry<'a, Any>;

/// Any type of value.
#[expect(unnameable_types, reason = "only this crate opens such an entry")]
#[derive(Clone, Copy, Debug)]
pub enum Any {}

/// A type that a value can be checked to have.
#[expect(unnameable_types, reason = "only types of this crate implement it")]
pub trait Kind {
    /// Whether a value has the type.
    #[expect(private_interfaces, reason = "only this crate calls it")]
    fn is_kind_of(value: &Value) -> bool;
}

impl Kind for Any {
    #[expect(private_interfaces, reason = "only this crate calls it")]
    fn is_kind_of(_: &Value) -> bool {
        true
    }
}

/// The effect of a change that the command notes once for all of its keys (see
/// [`Scope::effect`](super::scope::Scope::effect)).
pub(crate) const BY_COMMAND: (&str, fn() -> Vec<Bytes>) = ("", Vec::new);

/// The number of words before the arguments of an effect: the command and the key.
const BEFORE_ARGS: usize = 2;

/// The arguments of an effect, with reserved capacity for the words before them.
pub(crate) fn args_of(args: impl Iterator<Item = Bytes>) -> Vec<Bytes> {
    let mut words = Vec::with_capacity(BEFORE_ARGS + args.size_hint().0);
    words.extend(args);
    words
}

impl<'a, K: Kind> Entry<'a, K> {
    /// Creates the entry of a key. An expired key is dropped first.
    ///
    /// It is created in place: moving it would take longer than most operations on it.
    #[expect(clippy::inline_always, reason = "an entry is constructed in place")]
    #[inline(always)]
    pub(super) fn new(
        stripe: &'a mut Stripe,
        mut running: Running<'a>,
        db: u32,
        key: HashedKey<'a>,
    ) -> Self {
        let (keyspace, watches) = stripe.parts(db, running.shared.stripe_bits());
        let at = keyspace.locate(key.hash);
        let (mut place, mut changes, mut fits) = (None, 0, true);
        if let Some(bucket) = keyspace.get(at)
            && let Some(found) = bucket.find(key)
        {
            if bucket.expires_at(found).is_some_and(|at| running.time.has_come(at)) {
                drop_expired(keyspace, at, found, &mut running, db, key);
                changes = 1;
            } else {
                bucket.stamp(found, running.time.coarse_secs());
                fits = K::is_kind_of(&bucket.entry(found).value);
                place = Some(found);
            }
        }
        Self {
            keyspace,
            watches,
            running,
            db,
            key,
            at,
            place,
            changes,
            fits,
            announced: false,
            kind: PhantomData,
        }
    }

    /// Returns an error if the key holds a value of another type.
    #[inline]
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.fits { Ok(()) } else { Err(Error::wrong_type()) }
    }
}

impl<'a, K> Entry<'a, K> {
    /// Returns the value, if the key exists.
    #[inline]
    pub(crate) fn value(&self) -> Option<&Value> {
        let place = self.place?;
        self.keyspace.get(self.at).map(|bucket| &bucket.entry(place).value)
    }

    pub(crate) const fn key(&self) -> &'a [u8] {
        self.key.bytes
    }

    /// Returns whether the key exists.
    #[must_use]
    #[inline]
    pub const fn exists(&self) -> bool {
        self.place.is_some()
    }

    /// Returns the expiry of the key, in milliseconds since the Unix epoch; `None` if it has none or does not exist.
    #[must_use]
    #[inline]
    pub fn expires_at_ms(&self) -> Option<i64> {
        self.keyspace.get(self.at)?.expires_at(self.place?)
    }

    /// Returns the value for a change.
    #[inline]
    fn value_to_change(&mut self) -> Option<&mut Value> {
        if self.keyspace.is_in_snapshot() && !std::mem::take(&mut self.announced) {
            self.keep(Change::Any);
        }
        self.keyspace.value_mut(self.at, self.place?)
    }

    /// Counts a change, and notes the command that makes the same change, with the arguments after the key.
    #[inline]
    fn note(&mut self, command: &'static str, args: impl FnOnce() -> Vec<Bytes>) {
        let key = self.key.bytes;
        self.running.note(self.db, || {
            if command.is_empty() { Vec::new() } else { named(command, key, args()) }
        });
    }

    /// Sets the value, and keeps, sets or removes the expiry.
    #[inline]
    pub(crate) fn put(
        &mut self,
        value: Value,
        expires: impl Into<Expires>,
        (command, args): (&'static str, impl FnOnce() -> Vec<Bytes>),
    ) {
        self.fill(value);
        match expires.into() {
            Expires::Keep => {}
            Expires::Never => self.put_expiry(None),
            Expires::At(at_ms) => self.put_expiry(Some(at_ms)),
        }
        self.changes += 1;
        self.note(command, args);
    }

    #[inline]
    fn fill(&mut self, value: Value) {
        if self.keyspace.is_in_snapshot() {
            return self.fill_in_snapshot(value);
        }
        match self.value_to_change() {
            Some(old) if old.is_string() => *old = value,
            Some(old) => {
                let old = std::mem::replace(old, value);
                self.keyspace.garbage.add(old);
            }
            None => self.make(value),
        }
    }

    #[cold]
    fn fill_in_snapshot(&mut self, value: Value) {
        self.keep(Change::Gone);
        let Some(place) = self.place else { return self.make(value) };
        if let Some(old) = self.keyspace.value_mut(self.at, place) {
            let old = std::mem::replace(old, value);
            self.keyspace.left(self.key.bytes, old);
        }
    }

    /// Creates the key.
    fn make(&mut self, value: Value) {
        let shared = self.running.shared;
        let now = self.running.time.coarse_secs();
        let (hash, rehash) = (self.key.hash, |key: &[u8]| shared.hash(key));
        let entry = KeyEntry { key: Key::new(self.key.bytes), value };
        let (at, place) = self.keyspace.insert(hash, entry, now, &rehash);
        (self.at, self.place) = (at, Some(place));
    }

    #[inline]
    fn put_expiry(&mut self, at_ms: Option<i64>) {
        let Some(place) = self.place else { return };
        if self.keyspace.is_in_snapshot() {
            self.keep(Change::Expiry);
        }
        self.keyspace.set_expiry(self.at, place, at_ms);
    }

    /// Calls `edit` to change the value, if the key exists; returns its result.
    ///
    /// `effect` is called only if there was a change and there is a sink.
    #[inline]
    pub(crate) fn edit<R>(
        &mut self,
        edit: impl FnOnce(&mut Value) -> (R, Outcome),
        effect: impl FnOnce(&R) -> (&'static str, Vec<Bytes>),
    ) -> Option<R> {
        let (result, outcome) = edit(self.value_to_change()?);
        self.edited(result, outcome, effect).into()
    }

    /// As [`edit`](Self::edit); `make` creates the value if there is none.
    #[inline]
    pub(crate) fn edit_or_make<R>(
        &mut self,
        make: impl FnOnce() -> Value,
        edit: impl FnOnce(&mut Value) -> (R, Outcome),
        effect: impl FnOnce(&R) -> (&'static str, Vec<Bytes>),
    ) -> Option<R> {
        if self.place.is_none() {
            self.fill(make());
        }
        self.edit(edit, effect)
    }

    #[inline]
    fn edited<R>(
        &mut self,
        result: R,
        outcome: Outcome,
        effect: impl FnOnce(&R) -> (&'static str, Vec<Bytes>),
    ) -> R {
        match outcome {
            Outcome::Same => return result,
            Outcome::Unmade => {
                self.drop_key();
                return result;
            }
            Outcome::Reformed => {}
            Outcome::Changed => self.changes += 1,
            Outcome::Emptied => {
                self.changes += 1;
                self.drop_key();
            }
        }
        if self.running.shared.has_sinks() {
            let (command, args) = effect(&result);
            self.note(command, || args);
        }
        result
    }

    /// Marks the key as changed for sessions that watch it, without a change.
    pub(crate) const fn touch(&mut self) {
        self.changes += 1;
    }

    /// Removes the key and returns its value.
    pub(crate) fn take(
        &mut self,
        (command, args): (&'static str, impl FnOnce() -> Vec<Bytes>),
    ) -> Option<Taken> {
        let taken = self.unlink()?;
        self.changes += 1;
        self.note(command, args);
        Some(taken)
    }

    /// Stores a value that was taken from another key.
    pub(crate) fn arrive(&mut self, taken: Taken) {
        self.put(taken.value, taken.expires_at, BY_COMMAND);
        if let Some(large) = taken.large {
            self.keyspace.adopt(self.key.bytes, *large);
        }
    }

    /// Removes the key and its whole value; returns `false` if it does not exist.
    pub(crate) fn remove_key(
        &mut self,
        effect: (&'static str, impl FnOnce() -> Vec<Bytes>),
    ) -> bool {
        let taken = self.take(effect);
        self.dispose(taken)
    }

    /// DEL: deletes the key; returns `false` if it does not exist. O(members).
    pub fn delete(&mut self) -> bool {
        self.remove_key(("DEL", Vec::new))
    }

    fn drop_key(&mut self) {
        let taken = self.unlink();
        self.dispose(taken);
    }

    /// Drops a value that was taken from its key; returns whether there is one.
    fn dispose(&mut self, taken: Option<Taken>) -> bool {
        let Some(taken) = taken else { return false };
        self.keyspace.dispose(taken.value, taken.large);
        true
    }

    fn unlink(&mut self) -> Option<Taken> {
        let expires_at = self.expires_at_ms();
        if self.keyspace.is_in_snapshot() {
            self.keep(Change::Gone);
        }
        let place = self.place.take()?;
        let shared = self.running.shared;
        let value = self.keyspace.remove(self.at, place, &|key| shared.hash(key))?;
        let large = self.keyspace.take_large(self.key.bytes);
        Some(Taken { value, expires_at, large })
    }

    /// PEXPIREAT: sets the expiry, in milliseconds since the Unix epoch, if the key exists. A time that is not in the
    /// future deletes the key.
    #[inline]
    pub fn expire_at_ms(&mut self, at_ms: i64) {
        if self.has_come(at_ms) {
            self.delete();
        } else if self.exists() {
            self.put_expiry(Some(at_ms));
            self.changes += 1;
            self.note("PEXPIREAT", || vec![at_ms.to_string().into()]);
        }
    }

    /// PERSIST: removes the expiry; returns `false` if there was none.
    pub fn persist(&mut self) -> bool {
        if self.expires_at_ms().is_none() {
            return false;
        }
        self.put_expiry(None);
        self.changes += 1;
        self.note("PERSIST", Vec::new);
        true
    }

    /// Sets the access time to that many seconds ago.
    pub(crate) fn set_idle(&mut self, seconds: u32) {
        if let (Some(place), Some(bucket)) = (self.place, self.keyspace.get(self.at)) {
            bucket.stamp(place, self.running.time.coarse_secs().saturating_sub(seconds));
        }
    }

    /// Returns the time of the command or transaction, in milliseconds since the Unix epoch.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        self.running.time.now_ms()
    }

    /// Returns whether a key with that expiry, in milliseconds since the Unix epoch, would have expired.
    pub(crate) fn has_come(&self, at_ms: i64) -> bool {
        self.running.time.has_come(at_ms)
    }

    /// Returns the time of the command or transaction, in microseconds since the Unix epoch.
    #[must_use]
    #[inline]
    pub fn now_us(&self) -> i64 {
        self.running.time.now_us()
    }

    /// The time of the command or transaction.
    #[inline]
    pub(crate) const fn time(&self) -> &'a CommandTime<'a> {
        self.running.time
    }

    /// The current encoding policy.
    #[inline]
    pub(crate) fn policy(&self) -> EncodingPolicy<'a> {
        self.running.shared.policy()
    }

    pub(crate) const fn shared(&self) -> &'a Shared {
        self.running.shared
    }
}

impl<K> Drop for Entry<'_, K> {
    #[inline]
    fn drop(&mut self) {
        if self.changes > 0 {
            self.running.shared.count_changes(self.key.hash, self.changes);
            self.watches.changed(self.db, self.key.bytes);
        }
    }
}
