//! Several commands as one atomic operation.

use super::held::{Allowed, Held};
use super::holding::{Holding, check_free};
use super::locked::LockedStripe;
use super::locks::Striped;
use super::shared::Logged;
use super::{Shared, Store};
use crate::error::Error;
use crate::to_keys::ToKeys;

/// The handle inside a transaction: a [`Store`] that holds the locks of the named keys, with all commands on them.
pub type Tx<'t> = Store<Held<'t>>;

impl Store {
    /// Runs several commands on the named keys atomically: other threads see none of their effects before the end.
    ///
    /// As in Redis, commands that ran before an error are not rolled back. The locks are held while `work` runs, so
    /// only `tx` can be used inside: commands on the store itself return an error, since they would wait for these
    /// locks.
    ///
    /// # Errors
    ///
    /// The error of `work`. Inside: [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) for a command on a key
    /// that was not named, and [`ErrorKind::Locked`](crate::ErrorKind::Locked) for a command on the store itself.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{ErrorKind, Store};
    ///
    /// let store = Store::new();
    /// let new = store.transaction(["seen", "count"], |tx| {
    ///     if tx.sadd("seen", ["alice"])? == 1 {
    ///         tx.incr("count", 1)?;
    ///     }
    ///     tx.get("count")
    /// })?;
    /// assert_eq!(new.as_deref(), Some(&b"1"[..]));
    ///
    /// let refused = store.transaction(["seen"], |tx| tx.incr("count", 1));
    /// assert_eq!(refused.unwrap_err().kind(), ErrorKind::KeyNotNamed);
    /// let refused = store.transaction(["seen"], |_| store.incr("count", 1));
    /// assert_eq!(refused.unwrap_err().kind(), ErrorKind::Locked);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[inline]
    pub fn transaction<R>(
        &self,
        keys: impl ToKeys,
        work: impl FnOnce(&Tx<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.locks.transaction(keys, work)
    }

    /// Runs several commands on any keys atomically, with the whole store locked.
    ///
    /// # Errors
    ///
    /// As [`transaction`](Self::transaction).
    pub fn transaction_all<R>(
        &self,
        work: impl FnOnce(&Tx<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.locks.shared.check_writable()?;
        self.all_locked(work)
    }

    fn all_locked<R>(&self, work: impl FnOnce(&Tx<'_>) -> Result<R, Error>) -> Result<R, Error> {
        let Striped { shared, db, .. } = &self.locks;
        check_free(shared)?;
        let done =
            shared.lock_all(|locked| hold(shared, *db, locked.stripes, Allowed::Locked, work));
        shared.acknowledge(done)
    }

    /// Runs commands with the stripes of these keys locked, or all stripes. The caller has checked that writes are
    /// allowed.
    pub(crate) fn with_locks<R>(
        &self,
        keys: Option<&[&[u8]]>,
        work: impl FnOnce(&Tx<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let Some(keys) = keys else { return self.all_locked(work) };
        let Striped { shared, db, .. } = &self.locks;
        keys.located(&self.locks, |keys| {
            check_free(shared)?;
            shared.acknowledge(shared.lock(
                keys,
                |_| false,
                |locked| hold(shared, *db, locked.stripes, Allowed::Locked, work),
            ))
        })
    }
}

impl Striped {
    /// As [`Store::transaction`].
    #[inline]
    pub(super) fn transaction<R>(
        &self,
        keys: impl ToKeys,
        work: impl FnOnce(&Tx<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let Self { shared, db, .. } = self;
        keys.located(self, |keys| {
            check_free(shared)?;
            if !keys.iter().all(|key| key.reads) {
                shared.check_writable()?;
            }
            shared.acknowledge(shared.lock(
                keys,
                |key| key.reads,
                |locked| hold(shared, *db, locked.stripes, Allowed::Named(keys), work),
            ))
        })
    }
}

/// Runs commands while these stripes are locked.
#[inline]
fn hold<'t, R>(
    shared: &'t Shared,
    db: u32,
    stripes: &'t mut [LockedStripe<'t>],
    allowed: Allowed<'t>,
    work: impl FnOnce(&Tx<'t>) -> Result<R, Error>,
) -> (Result<R, Error>, Logged) {
    // Declared first, so that it is dropped after the locks, whose release calls the sinks.
    let _holding = Holding::new(shared);
    let tx = Store::on(Held::new(shared, db, stripes, allowed));
    (work(&tx), tx.locks.commit())
}

/// # The time of a transaction
impl Tx<'_> {
    /// Returns the time of the transaction, in microseconds since the Unix epoch. It is read at the first call, and
    /// does not change afterwards.
    #[must_use]
    pub fn now_us(&self) -> i64 {
        self.locks.now_us()
    }
}
