//! How an operation gets at its keys: locks taken, expiry judged, time fixed.

use smallvec::SmallVec;

use parking_lot::RwLockWriteGuard;

use super::Shared;
use super::moment::Moment;
use super::stripe::{Context, Keyspace, Slot, Stripe};
use crate::error::Error;
use crate::key::HashedKey;
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

    /// DBSIZE: how many keys the database holds. Keys that have expired but were not touched since are counted, as Redis
    /// does. O(stripes).
    fn dbsize(&self) -> usize;
}

/// The keys of a reading operation.
#[derive(Debug)]
pub struct View<'v> {
    pub(super) shared: &'v Shared,
    pub(super) db: u32,
    pub(super) stripes: SmallVec<[(usize, &'v Stripe); 2]>,
    pub(super) moment: &'v Moment<'v>,
}

impl<'v> View<'v> {
    /// The value at a key that has not expired.
    #[inline]
    pub(crate) fn get(&self, key: HashedKey<'_>) -> Option<&'v Value> {
        self.get_with_expiry(key).map(|(value, _)| value)
    }

    /// The value at a key that has not expired, and the millisecond at which it will.
    #[inline]
    pub(crate) fn get_with_expiry(&self, key: HashedKey<'_>) -> Option<(&'v Value, Option<i64>)> {
        let found = self.stripe(key).find(self.moment, self.db, key)?;
        Some((found.value(self.moment), found.expires_at()))
    }

    pub(crate) fn shared(&self) -> &'v Shared {
        self.shared
    }

    /// What a key and its value take in memory, if the key exists.
    pub(crate) fn memory_usage(&self, key: HashedKey<'_>) -> Option<usize> {
        let place = self.stripe(key).find(self.moment, self.db, key)?;
        Some(place.memory_usage())
    }

    /// The seconds since a command last touched a key, if the key exists.
    pub(crate) fn idle_secs(&self, key: HashedKey<'_>) -> Option<u32> {
        let found = self.stripe(key).find(self.moment, self.db, key)?;
        Some(self.moment.coarse_secs().saturating_sub(found.accessed()))
    }

    fn stripe(&self, key: HashedKey<'_>) -> &'v Stripe {
        self.stripes[stripe_place(&self.stripes, self.shared.stripe_of(key.hash))].1
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.moment.now_ms()
    }
}

/// The keys of a writing operation, with their locks. What it did reaches the sinks when it is dropped, before the
/// locks are.
#[derive(Debug)]
pub struct Scope<'s> {
    pub(super) context: Context<'s>,
    pub(super) db: u32,
    pub(super) stripes: SmallVec<[(usize, RwLockWriteGuard<'s, Stripe>); 2]>,
}

impl<'s> Scope<'s> {
    /// Changes one key (see [`Stripe::write`]).
    #[inline]
    pub(crate) fn change<R>(
        &mut self,
        key: HashedKey<'_>,
        change: impl FnOnce(&mut Slot<'_, '_, '_>) -> R,
    ) -> R {
        let at = stripe_place(&self.stripes, self.context.shared.stripe_of(key.hash));
        self.stripes[at].1.write(&mut self.context, self.db, key, change)
    }

    pub(crate) fn shared(&self) -> &'s Shared {
        self.context.shared
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.context.moment.now_ms()
    }

    pub(super) fn dbsize(&self) -> usize {
        let keyspaces = self.stripes.iter().filter_map(|(_, stripe)| stripe.keyspace(self.db));
        keyspaces.map(Keyspace::len).sum()
    }

    /// The same keys, to read.
    pub(crate) fn view(&self) -> View<'_> {
        View {
            shared: self.context.shared,
            db: self.db,
            stripes: self.stripes.iter().map(|(number, guard)| (*number, &**guard)).collect(),
            moment: &self.context.moment,
        }
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        if !self.context.effects.is_empty() {
            self.context.shared.commit(&self.context.effects);
        }
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
