//! How a handle locks its keys.

use std::ops::Range;
use std::sync::Arc;

use super::Shared;
use super::holding::{Holding, check_free};
use super::scope::{Scope, View};
use super::transaction::Tx;
use crate::error::Error;
use crate::key::HashedKey;
use crate::persist::OpenDirectory;
use crate::to_key::KeyRef;
use crate::to_keys::HashKey;

/// How a [`Store`](super::Store) locks its keys: this is the difference between a plain handle, a transaction and a
/// session.
///
/// A function on any `&Store<impl Locks>` accepts all of them. The trait is sealed.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{Error, Locks, Store};
///
/// fn visit<L: Locks>(store: &Store<L>, page: &str) -> Result<i64, Error> {
///     store.incr(page, 1)
/// }
///
/// let store = Store::new();
/// assert_eq!(visit(&store, "page")?, 1);
/// assert_eq!(store.transaction(["page"], |tx| visit(tx, "page"))?, 2);
/// assert_eq!(visit(&store.session(), "page")?, 3);
/// # Ok::<(), Error>(())
/// ```
pub trait Locks: Access {}

/// The interface that commands are written against. It hashes the keys that the handle may access.
#[expect(unnameable_types, reason = "only this crate implements and calls it")]
pub trait Access: HashKey {
    /// The state that all handles on the store share.
    fn shared(&self) -> &Shared;

    /// The number of the database.
    fn db(&self) -> u32;

    /// Notes that the caller's code runs while the handle holds locks, if that is not noted yet.
    fn holding(&self) -> Option<Holding>;

    /// Runs a read-only operation.
    fn read<R>(
        &self,
        keys: &[HashedKey<'_>],
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error>;

    /// Runs an operation that may write its keys.
    fn write<R>(
        &self,
        keys: &[HashedKey<'_>],
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error>;

    /// Runs several commands on the named keys atomically: in a transaction of their own, or as part of the handle's
    /// transaction.
    fn with_keys<R>(
        &self,
        keys: &[KeyRef<'_>],
        work: impl FnOnce(&Tx<'_>) -> Result<R, Error>,
    ) -> Result<R, Error>;

    /// Runs a read-only operation on all keys of these stripes.
    fn read_stripes<R>(
        &self,
        stripes: Range<usize>,
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error>;

    /// Runs an operation that may write any key.
    fn write_all<R>(
        &self,
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error>;
}

/// A handle that takes the locks of each command's keys.
#[derive(Clone, Debug)]
pub struct Striped {
    pub(super) shared: Arc<Shared>,
    pub(super) db: u32,
    /// Closes the store's directory when the last handle is dropped.
    #[expect(dead_code, reason = "it is only dropped")]
    pub(super) open: Option<Arc<OpenDirectory>>,
}

impl Striped {
    /// Drops those of the keys that have expired, after a read has found one.
    #[cold]
    fn drop_expired(&self, keys: &[HashedKey<'_>]) {
        self.shared.lock(
            keys,
            |_| false,
            |locked| {
                let mut scope = Scope::new(&self.shared, self.db, locked.stripes);
                for &key in keys {
                    scope.drop_expired(key);
                }
            },
        );
    }
}

impl HashKey for Striped {
    #[inline]
    fn hash(&self, key: KeyRef<'_>) -> Result<u64, Error> {
        Ok(self.shared.hash_of(key))
    }
}

impl Locks for Striped {}

impl Access for Striped {
    #[inline]
    fn shared(&self) -> &Shared {
        &self.shared
    }

    fn db(&self) -> u32 {
        self.db
    }

    #[inline]
    fn holding(&self) -> Option<Holding> {
        Some(Holding::new(&self.shared))
    }

    #[inline]
    fn read<R>(
        &self,
        keys: &[HashedKey<'_>],
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let shared = &*self.shared;
        check_free(shared)?;
        let mut found_expired = false;
        let result = shared.lock(
            keys,
            |_| true,
            |locked| {
                let view = View::new(shared, self.db, locked.stripes);
                let result = operation(&view);
                found_expired = view.time.found_expired();
                result
            },
        );
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
        let shared = &*self.shared;
        check_free(shared)?;
        shared.check_writable()?;
        let done = shared.lock(
            keys,
            |_| false,
            |locked| {
                let mut scope = Scope::new(shared, self.db, locked.stripes);
                scope.prefetch(keys);
                (operation(&mut scope), scope.end())
            },
        );
        shared.acknowledge(done)
    }

    fn with_keys<R>(
        &self,
        keys: &[KeyRef<'_>],
        work: impl FnOnce(&Tx<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.transaction(keys, work)
    }

    fn read_stripes<R>(
        &self,
        stripes: Range<usize>,
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let shared = &*self.shared;
        check_free(shared)?;
        shared
            .guards_in(stripes, true)
            .lend(|locked| operation(&View::new(shared, self.db, locked.stripes)))
    }

    fn write_all<R>(
        &self,
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let shared = &*self.shared;
        check_free(shared)?;
        shared.check_writable()?;
        let done = shared.lock_all(|locked| {
            let mut scope = Scope::new(shared, self.db, locked.stripes);
            (operation(&mut scope), scope.end())
        });
        shared.acknowledge(done)
    }
}
