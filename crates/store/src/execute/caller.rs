//! Who runs a command of the table.

use std::ops::Range;

use crate::error::Error;
use crate::key::HashedKey;
use crate::store::door::{Door, Scope, View};
use crate::store::{Shared, Store, Tx};

/// Who runs a command of the table: one type for all of them, so that the table is one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Caller<'c, 't> {
    /// A store, or a session outside a transaction.
    Store(&'c Store),
    /// EXEC.
    Tx(&'c Tx<'t>),
}

impl Door for Caller<'_, '_> {
    #[inline]
    fn read<R>(
        &self,
        keys: &[&[u8]],
        operation: impl FnOnce(&View<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        match self {
            Self::Store(store) => store.read(keys, operation),
            Self::Tx(tx) => tx.read(keys, operation),
        }
    }

    #[inline]
    fn write<R>(
        &self,
        keys: &[&[u8]],
        operation: impl FnOnce(&mut Scope<'_>, &[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        match self {
            Self::Store(store) => store.write(keys, operation),
            Self::Tx(tx) => tx.write(keys, operation),
        }
    }

    fn read_stripes<R>(
        &self,
        stripes: Range<usize>,
        operation: impl FnOnce(&View<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        match self {
            Self::Store(store) => store.read_stripes(stripes, operation),
            Self::Tx(tx) => tx.read_stripes(stripes, operation),
        }
    }

    fn write_all<R>(
        &self,
        operation: impl FnOnce(&mut Scope<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        match self {
            Self::Store(store) => store.write_all(operation),
            Self::Tx(tx) => tx.write_all(operation),
        }
    }

    fn shared(&self) -> &Shared {
        match self {
            Self::Store(store) => store.shared(),
            Self::Tx(tx) => tx.shared(),
        }
    }
}
