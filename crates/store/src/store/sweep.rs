//! Releasing the memory of keys that have expired.

use std::ops::ControlFlow;

use super::Store;
use super::holding::check_free;
use super::scope::Scope;
use super::time::CommandTime;
use crate::commands::has_due_fields;
use crate::error::Error;
use crate::key::{HashedKey, Key};
use crate::table::keys::KeyBucket;

/// How many buckets of the tables a call visits at most: some hundred thousand keys with an expiry.
const BUCKETS: usize = 512;

/// Where the next call continues.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    stripe: usize,
    db: u32,
    /// A hash; `None` for the start of the stripe.
    position: Option<u64>,
}

/// The remaining work of a call.
#[derive(Debug)]
struct Budget {
    keys: usize,
    buckets: usize,
}

impl Store {
    /// Drops up to `most` expired keys, and expired fields of hashes, and returns how many it dropped.
    ///
    /// An expired key is never visible to a command, swept or not: sweeping only releases its memory. Programs with
    /// many expiring keys call this periodically, or start a [`sweeper`](Self::sweeper). The time of a call is bounded:
    /// it visits `most` expired keys and some hundred thousand other keys at most, and the next call continues where it
    /// stopped. Stripes are locked one at a time.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Locked`](crate::ErrorKind::Locked) inside a transaction of the store.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use std::sync::Arc;
    /// use tallis::{ManualClock, Store};
    ///
    /// let clock = Arc::new(ManualClock::new(0));
    /// let store = Store::builder().clock(clock.clone()).build();
    /// store.set("k", "v")?;
    /// store.pexpire("k", 5)?;
    /// clock.advance(5);
    /// assert_eq!(store.dbsize()?, 1);
    /// assert_eq!(store.sweep(100)?, 1);
    /// assert_eq!(store.dbsize()?, 0);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn sweep(&self, most: usize) -> Result<usize, Error> {
        let shared = self.shared();
        check_free(shared)?;
        let mut place = shared.swept.lock();
        let mut budget = Budget { keys: most, buckets: BUCKETS };
        // All stripes once, then the rest of the first one.
        for _ in 0..=shared.stripes.len() {
            let hash = shared.first_hash(place.stripe);
            let swept = shared.lock(
                &[HashedKey::new(hash, &[])],
                |_| false,
                |locked| Scope::new(shared, 0, locked.stripes).sweep(&mut place, &mut budget),
            );
            if swept.is_break() {
                break;
            }
            *place =
                Place { stripe: (place.stripe + 1) % shared.stripes.len(), ..Place::default() };
        }
        Ok(most - budget.keys)
    }
}

impl Scope<'_> {
    /// Continues at `place`; breaks when the budget is used up, with `place` at the next position.
    fn sweep(&mut self, place: &mut Place, budget: &mut Budget) -> ControlFlow<()> {
        let shared = self.shared;
        let (now_ms, time) = (self.now_ms(), self.time().clone());
        let may_expire_fields = shared.may_expire_fields();
        let first = shared.first_hash(place.stripe);
        let databases: Vec<u32> =
            self.stripe_mut(first).databases().filter(|&db| db >= place.db).collect();
        for db in databases {
            if db != place.db {
                *place = Place { db, position: None, ..*place };
            }
            let mut next = Some(place.position.unwrap_or_else(|| shared.first_hash(place.stripe)));
            while let Some(position) = next.filter(|&at| shared.stripe_of(at) == place.stripe) {
                place.position = Some(position);
                if budget.keys == 0 || budget.buckets == 0 {
                    return ControlFlow::Break(());
                }
                budget.buckets -= 1;
                let Some(keyspace) = self.stripe_mut(first).keyspace(db) else { break };
                let step = keyspace.step(position, usize::MAX);
                let expired: Vec<Key> = step
                    .bucket
                    .map_or_else(Vec::new, |bucket| expired_keys(bucket, now_ms, budget.keys));
                next = step.next();
                let bucket = step.bucket.filter(|_| may_expire_fields);
                let due: Vec<Key> =
                    bucket.map_or_else(Vec::new, |bucket| due_hashes(bucket, &time));
                for key in &expired {
                    let hash = shared.hash(key.as_bytes());
                    self.drop_expired_in(db, HashedKey::new(hash, key.as_bytes()));
                }
                budget.keys -= expired.len();
                for key in &due {
                    let key = HashedKey::new(shared.hash(key.as_bytes()), key.as_bytes());
                    budget.keys -= self.drop_expired_fields_in(db, key, budget.keys);
                    if budget.keys == 0 {
                        // The hash may have more expired fields.
                        return ControlFlow::Break(());
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// The hashes that may have expired fields.
fn due_hashes(bucket: &KeyBucket, time: &CommandTime<'_>) -> Vec<Key> {
    let due = bucket.iter().filter(|(entry, _)| has_due_fields(&entry.value, time));
    due.map(|(entry, _)| entry.key.clone()).collect()
}

fn expired_keys(bucket: &KeyBucket, now_ms: i64, most: usize) -> Vec<Key> {
    if bucket.expiring() == 0 {
        return Vec::new();
    }
    let expired = bucket.iter().filter(|(_, expires)| expires.is_some_and(|at| at <= now_ms));
    expired.take(most).map(|(entry, _)| entry.key.clone()).collect()
}
