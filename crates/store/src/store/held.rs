//! The locks of a transaction.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::ptr;

use smallvec::SmallVec;

use super::holding::{Holding, locked};
use super::locked::{LockedStripe, lend};
use super::locks::{Access, Locks};
use super::scope::{Scope, View};
use super::shared::Logged;
use super::sink::Effects;
use super::time::CommandTime;
use super::transaction::Tx;
use super::{Shared, Store};
use crate::error::{Error, ErrorKind};
use crate::key::HashedKey;
use crate::to_key::KeyRef;
use crate::to_keys::{HashKey, ToKeys};

/// Which keys a transaction may access.
#[derive(Clone, Copy, Debug)]
pub(super) enum Allowed<'t> {
    /// The named keys.
    Named(&'t [HashedKey<'t>]),
    /// The keys with the hashes of named keys: for one of many transactions under the same locks.
    Hashed(&'t [Located]),
    /// All keys of the locked stripes.
    Locked,
}

/// A named key, without its bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located {
    pub(super) hash: u64,
    pub(super) reads: bool,
}

impl Located {
    #[inline]
    pub(super) const fn of(key: &HashedKey<'_>) -> Self {
        Self { hash: key.hash, reads: key.reads }
    }
}

/// The locks of a transaction, held from its start to its end.
#[derive(Debug)]
pub struct Held<'t> {
    shared: &'t Shared,
    scope: RefCell<Scope<'t>>,
    allowed: Cell<Allowed<'t>>,
    /// Whether some keys were named for reading only.
    reads_some: Cell<bool>,
    /// The index of the named key that is expected next: most transactions use their keys in the order in which they
    /// named them.
    next: Cell<usize>,
}

impl<'t> Held<'t> {
    #[inline]
    pub(super) fn new(
        shared: &'t Shared,
        db: u32,
        stripes: &'t mut [LockedStripe<'t>],
        allowed: Allowed<'t>,
    ) -> Self {
        let held = Self::at(shared, db, stripes, allowed, CommandTime::new(shared.time()));
        if let Allowed::Named(keys) = allowed {
            held.scope.borrow().prefetch(keys);
        }
        held
    }

    /// Creates the locks of a transaction at that time.
    #[inline]
    pub(super) fn at(
        shared: &'t Shared,
        db: u32,
        stripes: &'t mut [LockedStripe<'t>],
        allowed: Allowed<'t>,
        time: CommandTime<'t>,
    ) -> Self {
        let scope = RefCell::new(Scope::at(shared, db, stripes, time));
        let reads_some =
            matches!(allowed, Allowed::Named(named) if named.iter().any(|key| key.reads));
        let (allowed, reads_some) = (Cell::new(allowed), Cell::new(reads_some));
        Self { shared, scope, allowed, reads_some, next: Cell::new(0) }
    }

    /// Continues with the next of many transactions, which has named these keys.
    #[inline]
    pub(super) fn begin(&self, keys: &'t [Located]) {
        self.allowed.set(Allowed::Hashed(keys));
        self.reads_some.set(keys.iter().any(|key| key.reads));
    }

    /// Passes the effects to the sinks and to the log.
    #[inline]
    pub(super) fn commit(&self) -> Logged {
        self.scope.borrow_mut().commit()
    }

    /// Copies the time that the transaction has read.
    #[inline]
    pub(super) fn lend_time(&self, time: &CommandTime<'_>) {
        time.take_over(&self.scope.borrow().time);
    }

    /// The hash of a key that is not the expected one, or not at the address at which it was named.
    fn search(&self, key: KeyRef<'_>) -> Result<u64, Error> {
        match self.allowed.get() {
            Allowed::Named(named) => {
                let is = |at: &usize| named[*at].bytes == key.bytes;
                let next = self.next.get();
                let found = (next..named.len()).chain(0..next).find(is);
                let found = found.ok_or_else(|| not_named(key.bytes))?;
                self.next.set(if found + 1 < named.len() { found + 1 } else { 0 });
                Ok(named[found].hash)
            }
            // Another key with the same 64-bit hash would be in the same stripe, which is locked.
            Allowed::Hashed(named) => {
                let hash = self.shared.hash_of(key);
                let is_named = named.iter().any(|one| one.hash == hash);
                if is_named { Ok(hash) } else { Err(not_named(key.bytes)) }
            }
            Allowed::Locked => {
                let hash = self.shared.hash_of(key);
                let scope = self.scope.try_borrow().map_err(|_| locked())?;
                if scope.has_stripe(hash) { Ok(hash) } else { Err(not_named(key.bytes)) }
            }
        }
    }

    /// Drops those of the keys that have expired, after a read has found one.
    #[cold]
    fn drop_expired(&self, keys: &[HashedKey<'_>]) {
        if let Ok(mut scope) = self.scope.try_borrow_mut() {
            for &key in keys.iter().filter(|key| !self.only_reads(key)) {
                scope.drop_expired(key);
            }
        }
    }

    /// Whether a key was named for reading only. A key that is named twice may be written if one of them allows it.
    fn only_reads(&self, key: &HashedKey<'_>) -> bool {
        match self.allowed.get() {
            Allowed::Named(named) => {
                let same = |one: &&HashedKey<'_>| {
                    // In most cases these are the same bytes that were named.
                    one.hash == key.hash
                        && (ptr::eq(one.bytes, key.bytes) || one.bytes == key.bytes)
                };
                named.iter().filter(same).all(|one| one.reads)
            }
            Allowed::Hashed(named) => {
                named.iter().filter(|one| one.hash == key.hash).all(|one| one.reads)
            }
            Allowed::Locked => false,
        }
    }

    /// Returns an error unless the whole store is locked, as the command requires.
    fn check_whole(&self) -> Result<(), Error> {
        let whole = matches!(self.allowed.get(), Allowed::Locked) && self.scope.borrow().has_all();
        if whole { Ok(()) } else { Err(not_whole()) }
    }

    /// Runs a part of the transaction, with a handle on only these of its keys.
    fn part<R>(
        &self,
        keys: &[HashedKey<'_>],
        work: impl FnOnce(&Tx<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut scope = self.scope.try_borrow_mut().map_err(|_| locked())?;
        let (View { shared, db, stripes, time }, effects) = scope.parts();
        // One stripe needs no list.
        let mut numbers = keys.iter().map(|key| shared.stripe_of(key.hash));
        let only = numbers.next().filter(|&first| numbers.all(|number| number == first));
        lend(stripes, only, |lent| {
            let allowed = Allowed::Named(keys);
            let tx = Store::on(Held::at(shared, *db, lent.stripes, allowed, time.clone()));
            // The part also has the previous effects, so that the order is kept if `work` panics.
            tx.locks.exchange_effects(effects);
            let result = work(&tx);
            tx.locks.exchange_effects(effects);
            tx.locks.lend_time(time);
            result
        })
    }

    /// Swaps the effects so far with these.
    fn exchange_effects(&self, effects: &mut Effects) {
        std::mem::swap(self.scope.borrow_mut().parts().1, effects);
    }

    /// Switches to another database, as SELECT does.
    pub(crate) fn select(&self, db: u32) {
        self.scope.borrow_mut().select(db);
    }

    /// The time of the transaction, in microseconds since the epoch.
    pub(super) fn now_us(&self) -> i64 {
        self.scope.borrow().time.now_us()
    }

    /// Runs commands without changing the access times of these keys. Their stripes are locked.
    pub(crate) fn untouched<R>(&self, keys: &[&[u8]], work: impl FnOnce() -> R) -> R {
        let keys = keys.iter().map(|key| HashedKey::new(self.shared.hash(key), key));
        let keys: SmallVec<[HashedKey<'_>; 4]> = keys.collect();
        let accesses = self.scope.borrow().accesses(&keys);
        let result = work();
        self.scope.borrow().put_back(&keys, &accesses);
        result
    }

    /// The version of a key that a session watches.
    pub(crate) fn version(&self, db: u32, key: &[u8]) -> Option<u64> {
        let mut scope = self.scope.borrow_mut();
        let key = HashedKey::new(scope.shared.hash(key), key);
        scope.version(db, key)
    }
}

#[cold]
fn not_named(key: &[u8]) -> Error {
    Error::new(
        ErrorKind::KeyNotNamed,
        format!("ERR key '{}' was not named by the transaction", key.escape_ascii()),
    )
}

#[cold]
fn only_read(key: &[u8]) -> Error {
    Error::new(
        ErrorKind::KeyNotNamed,
        format!("ERR key '{}' was named for reading only by the transaction", key.escape_ascii()),
    )
}

#[cold]
fn not_whole() -> Error {
    Error::new(
        ErrorKind::KeyNotNamed,
        "ERR the transaction named its keys; a command on all keys needs a transaction on the whole store",
    )
}

impl HashKey for Held<'_> {
    /// A named key is already hashed.
    #[inline]
    fn hash(&self, key: KeyRef<'_>) -> Result<u64, Error> {
        let next = self.next.get();
        if let Allowed::Named(named) = self.allowed.get()
            && let Some(one) = named.get(next)
            && ptr::eq(one.bytes, key.bytes)
        {
            self.next.set(if next + 1 < named.len() { next + 1 } else { 0 });
            return Ok(one.hash);
        }
        self.search(key)
    }
}

impl Locks for Held<'_> {}

impl Access for Held<'_> {
    fn shared(&self) -> &Shared {
        // An open entry has borrowed the scope; the shared part never changes.
        self.shared
    }

    fn db(&self) -> u32 {
        self.scope.borrow().db
    }

    #[inline]
    fn holding(&self) -> Option<Holding> {
        // Noted when the transaction began.
        None
    }

    #[inline]
    fn read<R>(
        &self,
        keys: &[HashedKey<'_>],
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let scope = self.scope.try_borrow().map_err(|_| locked())?;
        let result = operation(&scope);
        let found_expired = scope.time.found_expired();
        drop(scope);
        if found_expired {
            self.drop_expired(keys);
        }
        result
    }

    #[inline]
    fn write<R>(
        &self,
        keys: &[HashedKey<'_>],
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        if self.reads_some.get()
            && let Some(key) = keys.iter().find(|key| self.only_reads(key))
        {
            return Err(only_read(key.bytes));
        }
        let mut scope = self.scope.try_borrow_mut().map_err(|_| locked())?;
        operation(&mut scope)
    }

    fn with_keys<R>(
        &self,
        keys: &[KeyRef<'_>],
        work: impl FnOnce(&Tx<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        keys.located(self, |keys| {
            if !keys.iter().all(|key| key.reads) {
                self.shared.check_writable()?;
            }
            // If the transaction may only read a key, so may its part.
            let reads = |key: &HashedKey<'_>| key.reads || self.only_reads(key);
            let keys = keys.iter().map(|key| HashedKey { reads: reads(key), ..*key });
            self.part(&keys.collect::<SmallVec<[HashedKey<'_>; 4]>>(), work)
        })
    }

    fn read_stripes<R>(
        &self,
        stripes: Range<usize>,
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.check_whole()?;
        let scope = self.scope.borrow();
        // All stripes are locked, so each is at the index that is its number.
        let mut part: Vec<_> = scope.stripes[stripes].iter().map(LockedStripe::to_read).collect();
        let time = scope.time.clone();
        operation(&View { shared: self.shared, db: scope.db, stripes: &mut part, time })
    }

    fn write_all<R>(
        &self,
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.check_whole()?;
        operation(&mut self.scope.borrow_mut())
    }
}
