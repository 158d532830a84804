//! The start and the end of a snapshot concurrent with writers.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Run;
use crate::persist::SaveError;
use crate::store::Shared;
use crate::store::stripe::Stripe;
use crate::sync::{MutexGuard, RwLockWriteGuard};

/// A snapshot that has begun.
pub(crate) struct Begun {
    pub(crate) run: Arc<Run>,
    /// The number of keys of each database.
    pub(crate) databases: BTreeMap<u32, u64>,
    /// The number of changes at its start.
    pub(crate) changes: u64,
}

impl Shared {
    /// A lock to be held while a snapshot runs concurrently with writers.
    pub(crate) fn one_snapshot(&self) -> MutexGuard<'_, ()> {
        self.snapshot.lock()
    }

    /// Sets the snapshot's point in time: `at_cut` runs while no command does.
    pub(crate) fn begin_handover(
        &self,
        run: impl FnOnce() -> Result<Run, SaveError>,
        at_cut: impl FnOnce() -> Result<(), SaveError>,
    ) -> Result<Begun, SaveError> {
        self.lock_all(|locked| {
            let run = Arc::new(run()?);
            at_cut()?;
            let mut databases = BTreeMap::new();
            for (number, stripe) in locked.stripes.iter_mut().enumerate() {
                for (db, keyspace) in stripe.as_mut().keyspaces_mut() {
                    if !keyspace.is_empty() {
                        *databases.entry(db).or_default() += keyspace.len() as u64;
                        keyspace.begin_handover(&run, db, self.first_hash(number));
                    }
                }
            }
            Ok(Begun { run, databases, changes: self.changes() })
        })
    }

    /// Runs `work` with a stripe locked for writing, and then releases the lock fairly: the snapshot, which requests it
    /// again immediately, would otherwise overtake every thread that must be woken.
    pub(crate) fn in_stripe<R>(&self, number: usize, work: impl FnOnce(&mut Stripe) -> R) -> R {
        let mut stripe = self.stripes[number].write();
        let result = work(&mut stripe);
        RwLockWriteGuard::unlock_fair(stripe);
        result
    }

    /// Ends a snapshot, complete or not. O(keys) if not complete.
    pub(crate) fn end_handover(&self, run: &Run) {
        run.end();
        for number in 0..self.stripe_count() {
            let give_up = |stripe: &mut Stripe| {
                let mut more = false;
                for (_, keyspace) in stripe.keyspaces_mut() {
                    more |= keyspace.give_up(self);
                }
                more
            };
            while self.in_stripe(number, give_up) {}
        }
    }
}
