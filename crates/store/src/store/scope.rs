//! The keys of a running command: what it may read, and what it may write.

use std::ops::{Deref, Range};

use bytes::Bytes;
use parking_lot::{RwLockReadGuard, RwLockWriteGuard};

use super::shared::Shared;
use super::sink::Effect;
use super::slot::{Entry, Kind, Running, Slot};
use super::stripe::{Found, Keyspace, Stripe};
use super::time::CommandTime;
use crate::error::Error;
use crate::key::HashedKey;
use crate::policy::EncodingPolicy;
use crate::table::keys::{Entry as KeyEntry, KeyBucket};
use crate::value::Value;

/// A lock of a stripe that is held.
#[derive(Debug)]
pub(super) enum Guard<'s> {
    Read(RwLockReadGuard<'s, Stripe>),
    Write(RwLockWriteGuard<'s, Stripe>),
}

impl Deref for Guard<'_> {
    type Target = Stripe;

    #[inline]
    fn deref(&self) -> &Stripe {
        match self {
            Self::Read(stripe) => stripe,
            Self::Write(stripe) => stripe,
        }
    }
}

impl Guard<'_> {
    /// The stripe, to be written: a scope that may write a key has locked its stripe for that.
    #[inline]
    fn as_mut(&mut self) -> &mut Stripe {
        match self {
            Self::Write(stripe) => stripe,
            Self::Read(_) => {
                unreachable!("a key that is written is in a stripe locked for writing")
            }
        }
    }
}

/// Stripes that are locked, in order of their numbers. Most commands and transactions need up to three, which take no list.
#[derive(Debug)]
pub(super) enum Guards<'s> {
    One(usize, Guard<'s>),
    Two([(usize, Guard<'s>); 2]),
    Three([(usize, Guard<'s>); 3]),
    Many(Vec<(usize, Guard<'s>)>),
}

impl<'s> Guards<'s> {
    /// The stripe of that number, if it is locked.
    #[inline]
    fn get(&self, number: usize) -> Option<&Guard<'s>> {
        match self {
            Self::One(only, stripe) => (*only == number).then_some(stripe),
            Self::Two(both) => both.iter().find(|(at, _)| *at == number).map(|(_, stripe)| stripe),
            Self::Three(all) => all.iter().find(|(at, _)| *at == number).map(|(_, stripe)| stripe),
            Self::Many(all) => {
                let at = all.partition_point(|(locked, _)| *locked < number);
                all.get(at).filter(|(at, _)| *at == number).map(|(_, stripe)| stripe)
            }
        }
    }

    /// The stripe of that number, which is locked.
    #[inline]
    fn stripe(&self, number: usize) -> &Stripe {
        match self {
            Self::One(_, stripe) => stripe,
            Self::Two([(at, first), (_, second)]) => {
                if *at == number {
                    first
                } else {
                    second
                }
            }
            Self::Three([(first, a), (second, b), (_, c)]) => {
                if *first == number {
                    a
                } else if *second == number {
                    b
                } else {
                    c
                }
            }
            Self::Many(all) => &all[all.partition_point(|(locked, _)| *locked < number)].1,
        }
    }

    /// The same, to be written.
    #[inline]
    fn stripe_mut(&mut self, number: usize) -> &mut Stripe {
        match self {
            Self::One(_, stripe) => stripe.as_mut(),
            Self::Two([(at, first), (_, second)]) => {
                if *at == number {
                    first.as_mut()
                } else {
                    second.as_mut()
                }
            }
            Self::Three([(first, a), (second, b), (_, c)]) => {
                let of = if *first == number {
                    a
                } else if *second == number {
                    b
                } else {
                    c
                };
                of.as_mut()
            }
            Self::Many(all) => {
                let at = all.partition_point(|(locked, _)| *locked < number);
                all[at].1.as_mut()
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Stripe> {
        let (one, many): (_, &[_]) = match self {
            Self::One(_, stripe) => (Some(stripe), &[]),
            Self::Two(both) => (None, both),
            Self::Three(all) => (None, all),
            Self::Many(all) => (None, all),
        };
        one.into_iter().chain(many.iter().map(|(_, stripe)| stripe)).map(|stripe| &**stripe)
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut Stripe> {
        let (one, many): (_, &mut [_]) = match self {
            Self::One(_, stripe) => (Some(stripe), &mut []),
            Self::Two(both) => (None, both),
            Self::Three(all) => (None, all),
            Self::Many(all) => (None, all),
        };
        one.into_iter().chain(many.iter_mut().map(|(_, stripe)| stripe)).map(Guard::as_mut)
    }

    fn len(&self) -> usize {
        match self {
            Self::One(..) => 1,
            Self::Two(_) => 2,
            Self::Three(_) => 3,
            Self::Many(all) => all.len(),
        }
    }
}

/// The stripes that an operation may read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Locked<'v> {
    One(&'v Stripe),
    Guards(&'v Guards<'v>),
    /// Some of the stripes of a transaction that has locked all.
    Part(&'v [(usize, Guard<'v>)]),
}

/// The keys of a reading operation.
#[expect(unnameable_types, reason = "only this crate calls what takes it")]
#[derive(Debug)]
pub struct View<'v> {
    pub(super) shared: &'v Shared,
    pub(super) db: u32,
    pub(super) locked: Locked<'v>,
    pub(super) time: &'v CommandTime<'v>,
}

impl<'v> View<'v> {
    /// The value at a key that has not expired.
    #[inline]
    pub(crate) fn get(&self, key: HashedKey<'_>) -> Option<&'v Value> {
        Some(self.find(key)?.value(self.time))
    }

    /// The value at a key that has not expired, looked at without counting as an access.
    pub(crate) fn peek(&self, key: HashedKey<'_>) -> Option<&'v Value> {
        Some(self.find(key)?.peek())
    }

    /// A key that has not expired.
    #[inline]
    pub(crate) fn find(&self, key: HashedKey<'_>) -> Option<Found<'v>> {
        self.stripe(key.hash).find(self.time, self.db, key)
    }

    /// The seconds since a command last touched a key, if the key exists.
    pub(crate) fn idle_secs(&self, key: HashedKey<'_>) -> Option<u32> {
        Some(self.time.coarse_secs().saturating_sub(self.find(key)?.accessed()))
    }

    pub(crate) const fn shared(&self) -> &'v Shared {
        self.shared
    }

    #[inline]
    pub(crate) fn policy(&self) -> EncodingPolicy<'v> {
        self.shared.policy()
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.time.now_ms()
    }

    #[inline]
    pub(crate) fn stripe(&self, hash: u64) -> &'v Stripe {
        match self.locked {
            Locked::One(stripe) => stripe,
            Locked::Guards(guards) => guards.stripe(self.shared.stripe_of(hash)),
            Locked::Part(part) => {
                let number = self.shared.stripe_of(hash);
                &part[part.partition_point(|(locked, _)| *locked < number)].1
            }
        }
    }

    /// The same, but only those stripes; all of them are locked.
    pub(super) fn narrow(self, stripes: Range<usize>) -> Self {
        let locked = match self.locked {
            Locked::Guards(Guards::Two(all)) => Locked::Part(&all[stripes]),
            Locked::Guards(Guards::Three(all)) => Locked::Part(&all[stripes]),
            Locked::Guards(Guards::Many(all)) => Locked::Part(&all[stripes]),
            // There is one stripe, and it is the one that is asked for.
            one @ (Locked::One(_) | Locked::Guards(Guards::One(..)) | Locked::Part(_)) => one,
        };
        Self { locked, ..self }
    }

    /// Every stripe that is locked.
    pub(crate) fn stripes(&self) -> impl Iterator<Item = &'v Stripe> {
        let (one, guards, part): (_, _, &[_]) = match self.locked {
            Locked::One(stripe) => (Some(stripe), None, &[]),
            Locked::Guards(guards) => (None, Some(guards), &[]),
            Locked::Part(part) => (None, None, part),
        };
        let part = part.iter().map(|(_, stripe)| &**stripe);
        one.into_iter().chain(guards.into_iter().flat_map(Guards::iter)).chain(part)
    }

    /// The keys of this database in every stripe that is locked, those too that have expired.
    pub(crate) fn keyspaces(&self) -> impl Iterator<Item = &'v Keyspace> {
        let db = self.db;
        self.stripes().filter_map(move |stripe| stripe.keyspace(db))
    }

    /// Every key of this database in the stripes that are locked, expired ones aside.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &'v KeyEntry> {
        let entries = self.keyspaces().flat_map(Keyspace::buckets).flat_map(KeyBucket::iter);
        entries.filter(|(_, expires)| !self.expired(*expires)).map(|(entry, _)| entry)
    }

    /// Whether a key with this expiry has expired.
    #[inline]
    pub(crate) fn expired(&self, expires_at: Option<i64>) -> bool {
        self.time.has_passed(expires_at)
    }
}

/// The keys of a writing operation, with their locks. What it did reaches the sinks when it is dropped, before the
/// locks are released.
#[expect(unnameable_types, reason = "only this crate calls what takes it")]
#[derive(Debug)]
pub struct Scope<'s> {
    pub(super) shared: &'s Shared,
    pub(super) time: CommandTime<'s>,
    pub(super) effects: Vec<Effect>,
    pub(super) db: u32,
    pub(super) guards: Guards<'s>,
}

impl<'s> Scope<'s> {
    pub(super) fn new(shared: &'s Shared, db: u32, guards: Guards<'s>) -> Self {
        Self { shared, time: CommandTime::new(shared.clock()), effects: Vec::new(), db, guards }
    }

    /// One of the keys, to be changed.
    #[expect(clippy::inline_always, reason = "an entry is made where it is used")]
    #[inline(always)]
    pub(crate) fn slot<'a>(&'a mut self, key: HashedKey<'a>) -> Slot<'a> {
        self.slot_in(self.db, key)
    }

    /// One of the keys, in another database.
    #[expect(clippy::inline_always, reason = "an entry is made where it is used")]
    #[inline(always)]
    pub(crate) fn slot_in<'a>(&'a mut self, db: u32, key: HashedKey<'a>) -> Slot<'a> {
        self.entry_in(db, key)
    }

    /// One of the keys, if it holds a value of that type or none.
    #[expect(clippy::inline_always, reason = "an entry is made where it is used")]
    #[inline(always)]
    pub(crate) fn with<'a, K: Kind, R>(
        &'a mut self,
        key: HashedKey<'a>,
        work: impl FnOnce(&mut Entry<'a, K>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut entry = self.entry_in(self.db, key);
        entry.check()?;
        work(&mut entry)
    }

    #[expect(clippy::inline_always, reason = "an entry is made where it is used")]
    #[inline(always)]
    fn entry_in<'a, K: Kind>(&'a mut self, db: u32, key: HashedKey<'a>) -> Entry<'a, K> {
        let Self { shared, time, effects, guards, .. } = self;
        let stripe = guards.stripe_mut(shared.stripe_of(key.hash));
        Entry::new(stripe, Running { shared, time, effects }, db, key)
    }

    /// Drops a key that has expired, so that sinks receive it before a command that reads it.
    pub(crate) fn drop_expired(&mut self, key: HashedKey<'_>) {
        drop(self.slot(key));
    }

    pub(crate) const fn shared(&self) -> &'s Shared {
        self.shared
    }

    #[inline]
    pub(crate) fn policy(&self) -> EncodingPolicy<'s> {
        self.shared.policy()
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.time.now_ms()
    }

    pub(crate) const fn db(&self) -> u32 {
        self.db
    }

    /// Notes the effect of a change on several keys, or on none in particular.
    pub(crate) fn effect(&mut self, words: impl FnOnce() -> Vec<Bytes>) {
        let Self { shared, time, effects, db, .. } = self;
        Running { shared, time, effects }.note(*db, words);
    }

    /// The same keys, to read.
    #[inline]
    pub(crate) fn view(&self) -> View<'_> {
        let locked = Locked::Guards(&self.guards);
        View { shared: self.shared, db: self.db, locked, time: &self.time }
    }

    /// Whether a key that has expired was found.
    pub(super) const fn found_expired(&self) -> bool {
        self.time.found_expired()
    }

    /// Whether the stripe of this hash is locked.
    pub(super) fn has_stripe(&self, hash: u64) -> bool {
        self.guards.get(self.shared.stripe_of(hash)).is_some()
    }

    /// Whether every stripe is locked.
    pub(super) fn has_all(&self) -> bool {
        self.guards.len() == self.shared.stripe_count()
    }

    pub(super) fn stripe_mut(&mut self, hash: u64) -> &mut Stripe {
        self.guards.stripe_mut(self.shared.stripe_of(hash))
    }

    /// Drops every key of one database, or of all; returns how many there were.
    pub(crate) fn flush(&mut self, only: Option<u32>) -> usize {
        let shared = self.shared;
        let mut dropped = 0;
        for stripe in self.guards.iter_mut() {
            dropped += stripe.flush(only, shared);
        }
        // It counts for the database, not for one of its stripes.
        shared.count_changes(0, dropped as u64);
        dropped
    }

    /// Exchanges two databases.
    pub(crate) fn swap(&mut self, a: u32, b: u32) {
        let Self { shared, time, effects, guards, .. } = self;
        for stripe in guards.iter_mut() {
            stripe.swap(a, b, &mut Running { shared, time, effects });
        }
        shared.count_changes(0, 1);
    }

    /// The version of a key that a session watches; a key that has expired is dropped first.
    pub(super) fn version(&mut self, db: u32, key: HashedKey<'_>) -> Option<u64> {
        drop(self.slot_in(db, key));
        self.stripe_mut(key.hash).version(db, key.bytes)
    }
}

impl Drop for Scope<'_> {
    #[inline]
    fn drop(&mut self) {
        if !self.effects.is_empty() {
            self.shared.commit(&self.effects);
        }
    }
}
