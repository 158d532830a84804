//! How an operation gets at its keys: locks taken, expiry judged, time fixed.

use std::ops::Range;

use bytes::Bytes;
use parking_lot::{RwLockReadGuard, RwLockWriteGuard};
use smallvec::SmallVec;

use super::context::Context;
use super::moment::Moment;
use super::shared::Shared;
use super::slot::Slot;
use super::stripe::{Found, Keyspace, Stripe};
use crate::error::Error;
use crate::key::HashedKey;
use crate::rules::Rules;
use crate::table::keys::{Entry, KeyBucket};
use crate::value::Value;

/// A list of a command's keys, rarely longer than this.
pub(crate) type Keys<'k> = SmallVec<[HashedKey<'k>; 4]>;

/// What runs operations: a store, a session, or a transaction that has its locks already.
///
/// Each operation is written once, against [`View`] or [`Scope`]; this is the one thing in which its callers differ.
pub trait Door {
    /// Runs an operation that changes nothing.
    ///
    /// # Errors
    ///
    /// The operation's own; in a transaction, a key that it did not name.
    fn read<R>(
        &self,
        keys: &[&[u8]],
        operation: impl FnOnce(&View<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error>;

    /// Runs an operation that may change its keys.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    fn write<R>(
        &self,
        keys: &[&[u8]],
        operation: impl FnOnce(&mut Scope<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error>;

    /// Runs an operation that looks at all keys of these stripes.
    ///
    /// # Errors
    ///
    /// The operation's own; in a transaction on named keys, that it has not locked the stripes.
    fn read_stripes<R>(
        &self,
        stripes: Range<usize>,
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error>;

    /// Runs an operation that may change any key.
    ///
    /// # Errors
    ///
    /// As [`read_stripes`](Self::read_stripes).
    fn write_all<R>(
        &self,
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error>;

    /// What all handles on the store share.
    fn shared(&self) -> &Shared;
}

/// The stripes that an operation may read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Locked<'v> {
    One(&'v Stripe),
    Read(&'v [(usize, RwLockReadGuard<'v, Stripe>)]),
    Written(&'v [(usize, RwLockWriteGuard<'v, Stripe>)]),
}

/// The keys of a reading operation.
#[derive(Debug)]
pub struct View<'v> {
    pub(super) shared: &'v Shared,
    pub(super) db: u32,
    pub(super) locked: Locked<'v>,
    pub(super) moment: &'v Moment<'v>,
}

impl<'v> View<'v> {
    /// The value at a key that has not expired.
    #[inline]
    pub(crate) fn get(&self, key: HashedKey<'_>) -> Option<&'v Value> {
        Some(self.find(key)?.value(self.moment))
    }

    /// The value at a key that has not expired, looked at without counting as an access.
    pub(crate) fn peek(&self, key: HashedKey<'_>) -> Option<&'v Value> {
        Some(self.find(key)?.peek())
    }

    /// A key that has not expired.
    #[inline]
    pub(crate) fn find(&self, key: HashedKey<'_>) -> Option<Found<'v>> {
        self.stripe(key.hash).find(self.moment, self.db, key)
    }

    /// The seconds since a command last touched a key, if the key exists.
    pub(crate) fn idle_secs(&self, key: HashedKey<'_>) -> Option<u32> {
        Some(self.moment.coarse_secs().saturating_sub(self.find(key)?.accessed()))
    }

    pub(crate) const fn shared(&self) -> &'v Shared {
        self.shared
    }

    #[inline]
    pub(crate) fn rules(&self) -> Rules<'v> {
        self.shared.rules()
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.moment.now_ms()
    }

    #[inline]
    pub(crate) fn stripe(&self, hash: u64) -> &'v Stripe {
        match self.locked {
            Locked::One(stripe) => stripe,
            Locked::Read(stripes) => &stripes[stripe_place(stripes, self.shared.stripe_of(hash))].1,
            Locked::Written(stripes) => {
                &stripes[stripe_place(stripes, self.shared.stripe_of(hash))].1
            }
        }
    }

    /// The same, but only those stripes; all of them are locked.
    pub(super) fn narrow(self, stripes: Range<usize>) -> Self {
        let locked = match self.locked {
            Locked::One(stripe) => Locked::One(stripe),
            Locked::Read(all) => Locked::Read(&all[stripes]),
            Locked::Written(all) => Locked::Written(&all[stripes]),
        };
        Self { locked, ..self }
    }

    /// Every stripe that is locked.
    pub(crate) fn stripes(&self) -> impl Iterator<Item = &'v Stripe> {
        let (one, read, written): (_, &[_], &[_]) = match self.locked {
            Locked::One(stripe) => (Some(stripe), &[], &[]),
            Locked::Read(stripes) => (None, stripes, &[]),
            Locked::Written(stripes) => (None, &[], stripes),
        };
        let read = read.iter().map(|(_, stripe)| &**stripe);
        one.into_iter().chain(read).chain(written.iter().map(|(_, stripe)| &**stripe))
    }

    /// The keys of this database in every stripe that is locked, those too that have expired.
    pub(crate) fn keyspaces(&self) -> impl Iterator<Item = &'v Keyspace> {
        let db = self.db;
        self.stripes().filter_map(move |stripe| stripe.keyspace(db))
    }

    /// Every key of this database in the stripes that are locked, expired ones aside.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &'v Entry> {
        let entries = self.keyspaces().flat_map(Keyspace::buckets).flat_map(KeyBucket::iter);
        entries.filter(|(_, expires)| !self.expired(*expires)).map(|(entry, _)| entry)
    }

    /// Whether a key with this expiry has expired.
    #[inline]
    pub(crate) fn expired(&self, expires_at: Option<i64>) -> bool {
        self.moment.has_passed(expires_at)
    }
}

/// The stripes that an operation may write.
#[derive(Debug)]
pub(super) enum Guards<'s> {
    One(usize, RwLockWriteGuard<'s, Stripe>),
    Many(SmallVec<[(usize, RwLockWriteGuard<'s, Stripe>); 3]>),
}

/// The keys of a writing operation, with their locks. What it did reaches the sinks when it is dropped, before the
/// locks are.
#[derive(Debug)]
pub struct Scope<'s> {
    pub(super) context: Context<'s>,
    pub(super) db: u32,
    pub(super) guards: Guards<'s>,
}

impl<'s> Scope<'s> {
    /// Changes one key (see [`Stripe::write`]).
    #[inline]
    pub(crate) fn change<R>(
        &mut self,
        key: HashedKey<'_>,
        change: impl FnOnce(&mut Slot<'_, '_, '_>) -> R,
    ) -> R {
        self.change_in(self.db, key, change)
    }

    /// Changes one key of another database.
    #[inline]
    pub(crate) fn change_in<R>(
        &mut self,
        db: u32,
        key: HashedKey<'_>,
        change: impl FnOnce(&mut Slot<'_, '_, '_>) -> R,
    ) -> R {
        let stripe = match &mut self.guards {
            Guards::One(_, stripe) => stripe,
            Guards::Many(stripes) => {
                let at = stripe_place(stripes, self.context.shared.stripe_of(key.hash));
                &mut stripes[at].1
            }
        };
        stripe.write(&mut self.context, db, key, change)
    }

    pub(crate) const fn shared(&self) -> &'s Shared {
        self.context.shared
    }

    #[inline]
    pub(crate) fn rules(&self) -> Rules<'s> {
        self.context.shared.rules()
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.context.moment.now_ms()
    }

    pub(crate) const fn db(&self) -> u32 {
        self.db
    }

    /// Notes the effect of a change on several keys, or on none in particular.
    pub(crate) fn note(&mut self, args: impl FnOnce() -> Vec<Bytes>) {
        self.context.note(self.db, args);
    }

    /// The same keys, to read.
    #[inline]
    pub(crate) fn view(&self) -> View<'_> {
        let locked = match &self.guards {
            Guards::One(_, stripe) => Locked::One(stripe),
            Guards::Many(stripes) => Locked::Written(stripes),
        };
        View { shared: self.context.shared, db: self.db, locked, moment: &self.context.moment }
    }

    /// Whether a key that has expired was met.
    pub(super) const fn met_expired(&self) -> bool {
        self.context.moment.met_expired()
    }

    /// Whether the stripe of this hash is locked.
    pub(super) fn has_stripe(&self, hash: u64) -> bool {
        let number = self.context.shared.stripe_of(hash);
        match &self.guards {
            Guards::One(only, _) => *only == number,
            Guards::Many(stripes) => {
                stripes.get(stripe_place(stripes, number)).is_some_and(|(at, _)| *at == number)
            }
        }
    }

    /// How many stripes are locked.
    pub(super) fn stripe_count(&self) -> usize {
        match &self.guards {
            Guards::One(..) => 1,
            Guards::Many(stripes) => stripes.len(),
        }
    }

    pub(super) fn stripe_mut(&mut self, hash: u64) -> &mut Stripe {
        match &mut self.guards {
            Guards::One(_, stripe) => stripe,
            Guards::Many(stripes) => {
                let at = stripe_place(stripes, self.context.shared.stripe_of(hash));
                &mut stripes[at].1
            }
        }
    }

    fn each_stripe(&mut self, mut work: impl FnMut(&mut Stripe)) {
        match &mut self.guards {
            Guards::One(_, stripe) => work(stripe),
            Guards::Many(stripes) => stripes.iter_mut().for_each(|(_, stripe)| work(stripe)),
        }
    }

    /// Drops every key of one database, or of all; returns how many there were.
    pub(crate) fn flush(&mut self, only: Option<u32>) -> usize {
        let shared = self.context.shared;
        let mut dropped = 0;
        self.each_stripe(|stripe| dropped += stripe.flush(only, shared));
        dropped
    }

    /// Exchanges two databases.
    pub(crate) fn swap(&mut self, a: u32, b: u32) {
        let shared = self.context.shared;
        self.each_stripe(|stripe| stripe.swap(a, b, shared));
    }

    /// The version of a key that a session watches; a key that has expired is dropped first.
    pub(super) fn version(&mut self, db: u32, key: HashedKey<'_>) -> Option<u64> {
        self.change_in(db, key, |_| ());
        self.stripe_mut(key.hash).version(db, key.bytes)
    }
}

impl Drop for Scope<'_> {
    #[inline]
    fn drop(&mut self) {
        self.context.commit();
    }
}

/// Where the stripe of that number is among those that the operation locked, in order of their numbers.
#[inline]
fn stripe_place<T>(stripes: &[(usize, T)], number: usize) -> usize {
    if stripes.len() == 1 {
        return 0;
    }
    stripes.partition_point(|(locked, _)| *locked < number)
}
