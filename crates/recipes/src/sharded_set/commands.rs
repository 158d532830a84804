//! The procedures that are one command.

use std::iter::once;

use bytes::Bytes;
use store::{Error, KeyRef, Member, Tx};

use crate::procedure::{Backend, Keys, Procedure, all_read, read, step};

/// SADD of one member: whether it is new.
#[inline]
pub(super) fn add(key: &[u8], member: Member<'_>) -> impl Procedure<Output = bool> {
    step([key], move |tx| tx.with_set(key, |set| set.add(member)))
}

/// SREM of one member: whether it was there.
pub(super) fn remove(key: &[u8], member: Member<'_>) -> impl Procedure<Output = bool> {
    step([key], move |tx| tx.with_set(key, |set| Ok(set.remove(member))))
}

/// SISMEMBER.
#[inline]
pub(super) fn contains(key: &[u8], member: Member<'_>) -> impl Procedure<Output = bool> {
    step([read(key)], move |tx| tx.sismember(key, member))
}

/// SCARD.
pub(super) fn card(key: &[u8]) -> impl Procedure<Output = u64> {
    step([read(key)], move |tx| Ok(tx.scard(key)? as u64))
}

/// SMEMBERS.
pub(super) fn members(key: &[u8]) -> impl Procedure<Output = Vec<Bytes>> {
    step([read(key)], move |tx| tx.smembers(key))
}

/// GET.
pub(crate) fn get(key: &[u8]) -> impl Procedure<Output = Option<Bytes>> {
    step([read(key)], move |tx| tx.get(key))
}

/// An operation on sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetOperation {
    /// What all of them have.
    Inter,
    /// What any of them has.
    Union,
    /// What the first has and no other.
    Diff,
}

impl SetOperation {
    /// SINTER, SUNION or SDIFF.
    pub(super) fn members(self, tx: &Tx<'_>, sets: &[&[u8]]) -> Result<Vec<Bytes>, Error> {
        match self {
            Self::Inter => tx.sinter(sets),
            Self::Union => tx.sunion(sets),
            Self::Diff => tx.sdiff(sets),
        }
    }
}

/// SINTER, SUNION or SDIFF.
pub(super) fn combine(
    backend: &impl Backend,
    operation: SetOperation,
    sets: &[&[u8]],
) -> Result<Vec<Bytes>, Error> {
    backend.call(&step(&*all_read(sets), |tx| operation.members(tx, sets)))
}

/// SINTERCARD without a limit.
pub(super) fn inter_card(backend: &impl Backend, sets: &[&[u8]]) -> Result<u64, Error> {
    backend.call(&step(&*all_read(sets), |tx| Ok(tx.sintercard(sets, 0)? as u64)))
}

/// SINTERSTORE, SUNIONSTORE or SDIFFSTORE: how many members the target has now.
pub(super) fn combine_store(
    backend: &impl Backend,
    operation: SetOperation,
    target: &[u8],
    sets: &[&[u8]],
) -> Result<u64, Error> {
    let keys = once(&target).chain(sets).map(|key| KeyRef::new(key));
    let store = |tx: &Tx<'_>| match operation {
        SetOperation::Inter => tx.sinterstore(target, sets),
        SetOperation::Union => tx.sunionstore(target, sets),
        SetOperation::Diff => tx.sdiffstore(target, sets),
    };
    backend.call(&step(&*keys.collect::<Keys<'_>>(), |tx| Ok(store(tx)? as u64)))
}
