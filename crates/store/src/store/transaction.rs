//! Several commands as one.

use std::cell::RefCell;
use std::ops::Range;

use smallvec::SmallVec;

use super::door::{Door, Keys, Scope, View};
use super::{Shared, Store};
use crate::error::{Error, ErrorKind};
use crate::key::HashedKey;

/// The handle inside a transaction: it has the commands of a [`Store`], on the keys that were named.
#[derive(Debug)]
pub struct Tx<'t> {
    shared: &'t Shared,
    scope: RefCell<Scope<'t>>,
    allowed: Allowed<'t>,
}

/// Which keys a transaction may touch.
#[derive(Clone, Copy, Debug)]
enum Allowed<'t> {
    /// Those that were named.
    Named(&'t [HashedKey<'t>]),
    /// Those whose stripe is locked.
    Locked,
}

impl Store {
    /// Runs several commands on the named keys as one: nobody sees them half done.
    ///
    /// As in Redis, what ran before an error stays. The locks are held while `work` runs, so `tx` is the only handle
    /// to use inside: the store itself would wait for its own locks.
    ///
    /// # Errors
    ///
    /// None of its own; inside, a command on a key that was not named fails with
    /// [`ErrorKind::KeyNotNamed`].
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{Store, prelude::*};
    ///
    /// let store = Store::new();
    /// let new = store.transaction(["seen", "count"], |tx| {
    ///     if tx.sadd("seen", ["alice"])? == 1 {
    ///         tx.incr("count", 1)?;
    ///     }
    ///     tx.get("count")
    /// })?;
    /// assert_eq!(new.as_deref(), Some(&b"1"[..]));
    /// assert!(store.transaction(["seen"], |tx| tx.incr("count", 1)).is_err());
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn transaction<K: AsRef<[u8]>, R>(
        &self,
        keys: impl IntoIterator<Item = K>,
        work: impl FnOnce(&Tx<'_>) -> R,
    ) -> R {
        let keys: SmallVec<[K; 4]> = keys.into_iter().collect();
        let bytes: SmallVec<[&[u8]; 4]> = keys.iter().map(AsRef::as_ref).collect();
        let named: Keys<'_> = self.shared.hashed(&bytes);
        let scope = self.shared.write_scope(self.db, self.shared.stripes_of(&named));
        let allowed = Allowed::Named(&named);
        work(&Tx { shared: &self.shared, scope: RefCell::new(scope), allowed })
    }

    /// Runs several commands on any keys as one, with the whole store locked.
    pub fn transaction_all<R>(&self, work: impl FnOnce(&Tx<'_>) -> R) -> R {
        let scope = self.shared.write_scope(self.db, 0..self.shared.stripe_count());
        work(&Tx { shared: &self.shared, scope: RefCell::new(scope), allowed: Allowed::Locked })
    }

    /// Runs commands with the stripes of these keys locked, or with all of them.
    pub(crate) fn with_locks<R>(
        &self,
        keys: Option<&[&[u8]]>,
        work: impl FnOnce(&Tx<'_>) -> R,
    ) -> R {
        let Some(keys) = keys else { return self.transaction_all(work) };
        let keys = self.shared.hashed(keys);
        let scope = self.shared.write_scope(self.db, self.shared.stripes_of(&keys));
        work(&Tx { shared: &self.shared, scope: RefCell::new(scope), allowed: Allowed::Locked })
    }
}

impl Tx<'_> {
    fn allowed<'k>(&self, keys: &[&'k [u8]]) -> Result<Keys<'k>, Error> {
        let hashed = self.shared.hashed(keys);
        for key in &hashed {
            let allowed = match self.allowed {
                Allowed::Named(named) => {
                    named.iter().any(|one| one.hash == key.hash && one.bytes == key.bytes)
                }
                Allowed::Locked => self.scope.borrow().has_stripe(key.hash),
            };
            if !allowed {
                return Err(not_named(key.bytes));
            }
        }
        Ok(hashed)
    }

    /// The whole store, for a command that asks for it.
    fn check_whole(&self) -> Result<(), Error> {
        let whole = matches!(self.allowed, Allowed::Locked)
            && self.scope.borrow().stripe_count() == self.shared.stripe_count();
        if whole { Ok(()) } else { Err(not_whole()) }
    }

    /// Goes on with another database, as SELECT does.
    pub(crate) fn select(&self, db: u32) {
        self.scope.borrow_mut().db = db;
    }

    /// The version of a key that a session watches.
    pub(crate) fn version(&self, db: u32, key: &[u8]) -> Option<u64> {
        self.scope.borrow_mut().version(db, self.shared.hashed_one(key))
    }
}

#[cold]
fn not_named(key: &[u8]) -> Error {
    Error::new(
        ErrorKind::KeyNotNamed,
        format!("ERR key '{}' is not one of those that the transaction named", key.escape_ascii()),
    )
}

#[cold]
fn not_whole() -> Error {
    Error::new(
        ErrorKind::KeyNotNamed,
        "ERR the transaction named its keys; a command on all keys needs one on the whole store",
    )
}

impl Door for Tx<'_> {
    fn read<R>(
        &self,
        keys: &[&[u8]],
        operation: impl FnOnce(&View<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let keys = self.allowed(keys)?;
        let result = operation(&self.scope.borrow().view(), &keys);
        let mut scope = self.scope.borrow_mut();
        if scope.met_expired() {
            for &key in &keys {
                scope.change(key, |_| ());
            }
        }
        result
    }

    fn write<R>(
        &self,
        keys: &[&[u8]],
        operation: impl FnOnce(&mut Scope<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let keys = self.allowed(keys)?;
        operation(&mut self.scope.borrow_mut(), &keys)
    }

    fn read_stripes<R>(
        &self,
        stripes: Range<usize>,
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.check_whole()?;
        operation(&self.scope.borrow().view().narrow(stripes))
    }

    fn write_all<R>(
        &self,
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.check_whole()?;
        operation(&mut self.scope.borrow_mut())
    }

    fn shared(&self) -> &Shared {
        self.shared
    }
}
