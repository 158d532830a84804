//! A handle of any kind, behind a pointer.

use std::ops::Range;

use super::holding::Holding;
use super::locks::{Access, Locks};
use super::scope::{Scope, View};
use super::transaction::Tx;
use super::{Shared, Store};
use crate::error::Error;
use crate::key::HashedKey;
use crate::to_key::KeyRef;
use crate::to_keys::HashKey;

/// Accesses the keys of a command that is called by words, through a pointer to the handle that runs it. So the command,
/// and the code that locks its keys, are compiled once and not for each kind of handle.
#[derive(Clone, Copy)]
pub(crate) struct Erased<'h>(&'h dyn Pointed);

/// A store of any kind of handle.
pub(crate) type AnyStore<'h> = Store<Erased<'h>>;

impl<'h> Erased<'h> {
    #[inline]
    pub(super) const fn new(locks: &'h dyn Pointed) -> Self {
        Self(locks)
    }
}

/// [`Access`] without generic methods: an operation stores its result in the caller.
pub(super) trait Pointed {
    fn shared(&self) -> &Shared;

    fn db(&self) -> u32;

    fn holding(&self) -> Option<Holding>;

    fn hash(&self, key: KeyRef<'_>) -> Result<u64, Error>;

    fn read(
        &self,
        keys: &[HashedKey<'_>],
        operation: &mut dyn FnMut(&View<'_>) -> Result<(), Error>,
    ) -> Result<(), Error>;

    fn write(
        &self,
        keys: &[HashedKey<'_>],
        operation: &mut dyn FnMut(&mut Scope<'_>) -> Result<(), Error>,
    ) -> Result<(), Error>;

    fn with_keys(
        &self,
        keys: &[KeyRef<'_>],
        work: &mut dyn FnMut(&Tx<'_>) -> Result<(), Error>,
    ) -> Result<(), Error>;

    fn read_stripes(
        &self,
        stripes: Range<usize>,
        operation: &mut dyn FnMut(&View<'_>) -> Result<(), Error>,
    ) -> Result<(), Error>;

    fn write_all(
        &self,
        operation: &mut dyn FnMut(&mut Scope<'_>) -> Result<(), Error>,
    ) -> Result<(), Error>;
}

impl<L: Access> Pointed for L {
    fn shared(&self) -> &Shared {
        Access::shared(self)
    }

    fn db(&self) -> u32 {
        Access::db(self)
    }

    fn holding(&self) -> Option<Holding> {
        Access::holding(self)
    }

    fn hash(&self, key: KeyRef<'_>) -> Result<u64, Error> {
        HashKey::hash(self, key)
    }

    fn read(
        &self,
        keys: &[HashedKey<'_>],
        operation: &mut dyn FnMut(&View<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        Access::read(self, keys, operation)
    }

    fn write(
        &self,
        keys: &[HashedKey<'_>],
        operation: &mut dyn FnMut(&mut Scope<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        Access::write(self, keys, operation)
    }

    fn with_keys(
        &self,
        keys: &[KeyRef<'_>],
        work: &mut dyn FnMut(&Tx<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        Access::with_keys(self, keys, work)
    }

    fn read_stripes(
        &self,
        stripes: Range<usize>,
        operation: &mut dyn FnMut(&View<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        Access::read_stripes(self, stripes, operation)
    }

    fn write_all(
        &self,
        operation: &mut dyn FnMut(&mut Scope<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        Access::write_all(self, operation)
    }
}

/// Wraps an operation that runs once into one that can be called through a pointer, for `$run`, and returns its result.
macro_rules! by_pointer {
    ($operation:ident: $on:ty, $pointer:ident => $run:expr) => {{
        let (mut operation, mut result) = (Some($operation), None);
        let $pointer = &mut |on: $on| {
            if let Some(operation) = operation.take() {
                result = Some(operation(on)?);
            }
            Ok(())
        };
        $run?;
        match result {
            Some(result) => Ok(result),
            None => unreachable!("the operation has run, or there is an error"),
        }
    }};
}

impl HashKey for Erased<'_> {
    #[inline]
    fn hash(&self, key: KeyRef<'_>) -> Result<u64, Error> {
        self.0.hash(key)
    }
}

impl Locks for Erased<'_> {}

impl Access for Erased<'_> {
    #[inline]
    fn shared(&self) -> &Shared {
        self.0.shared()
    }

    fn db(&self) -> u32 {
        self.0.db()
    }

    fn holding(&self) -> Option<Holding> {
        self.0.holding()
    }

    #[inline]
    fn read<R>(
        &self,
        keys: &[HashedKey<'_>],
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        by_pointer!(operation: &View<'_>, pointer => self.0.read(keys, pointer))
    }

    #[inline]
    fn write<R>(
        &self,
        keys: &[HashedKey<'_>],
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        by_pointer!(operation: &mut Scope<'_>, pointer => self.0.write(keys, pointer))
    }

    fn with_keys<R>(
        &self,
        keys: &[KeyRef<'_>],
        work: impl FnOnce(&Tx<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        by_pointer!(work: &Tx<'_>, pointer => self.0.with_keys(keys, pointer))
    }

    fn read_stripes<R>(
        &self,
        stripes: Range<usize>,
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        by_pointer!(operation: &View<'_>, pointer => self.0.read_stripes(stripes, pointer))
    }

    fn write_all<R>(
        &self,
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        by_pointer!(operation: &mut Scope<'_>, pointer => self.0.write_all(pointer))
    }
}
