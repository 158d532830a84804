//! Several commands as one.

use std::cell::RefCell;

use smallvec::SmallVec;

use super::Store;
use super::door::{Door, Keys, Scope, View};
use crate::error::{Error, ErrorKind};
use crate::key::HashedKey;

/// The handle inside a transaction: it has the commands of a [`Store`], on the keys that were named.
#[derive(Debug)]
pub struct Tx<'t> {
    scope: RefCell<Scope<'t>>,
    /// The keys that were named; `None` if all stripes are locked.
    named: Option<&'t [HashedKey<'t>]>,
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
        work(&Tx { scope: RefCell::new(scope), named: Some(&named) })
    }

    /// Runs several commands on any keys as one, with the whole store locked.
    pub fn transaction_all<R>(&self, work: impl FnOnce(&Tx<'_>) -> R) -> R {
        let scope = self.shared.write_scope(self.db, 0..self.shared.stripes.len());
        work(&Tx { scope: RefCell::new(scope), named: None })
    }
}

impl Tx<'_> {
    fn named<'k>(&self, keys: &[&'k [u8]]) -> Result<Keys<'k>, Error> {
        let hashed = self.scope.borrow().shared().hashed(keys);
        if let Some(named) = self.named {
            for key in &hashed {
                if !named.iter().any(|one| one.hash == key.hash && one.bytes == key.bytes) {
                    return Err(not_named(key.bytes));
                }
            }
        }
        Ok(hashed)
    }
}

#[cold]
fn not_named(key: &[u8]) -> Error {
    Error::new(
        ErrorKind::KeyNotNamed,
        format!("ERR key '{}' is not one of those that the transaction named", key.escape_ascii()),
    )
}

impl Door for Tx<'_> {
    fn read<R>(
        &self,
        keys: &[&[u8]],
        operation: impl FnOnce(&View<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let keys = self.named(keys)?;
        operation(&self.scope.borrow().view(), &keys)
    }

    fn write<R>(
        &self,
        keys: &[&[u8]],
        operation: impl FnOnce(&mut Scope<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let keys = self.named(keys)?;
        operation(&mut self.scope.borrow_mut(), &keys)
    }

    /// In a transaction on named keys, of the stripes that those keys are in.
    fn dbsize(&self) -> usize {
        self.scope.borrow().dbsize()
    }
}
