//! The procedures that are single commands.

use bytes::Bytes;
use store::{Error, KeyRef, Member, ToKeys, Tx};

use crate::procedure::{Procedure, parts, read, step};
use crate::request::Request;

/// SADD of one member: returns whether it is new.
#[inline]
pub(super) fn add(key: &[u8], member: Member<'_>) -> impl Procedure<Output = bool> {
    step([key], move |tx| tx.with_set(key, |set| set.add(member)))
        .on_server(move || Request::command("SADD").key(key).arg(member))
}

/// SADD of members: returns how many are new.
pub(super) fn add_all<'k>(
    key: &'k [u8],
    members: &'k [Member<'k>],
) -> impl Procedure<Output = u64> {
    step([key], move |tx| Ok(tx.sadd(key, members)? as u64))
        .on_server(move || Request::command("SADD").key(key).args(members.iter().copied()))
}

/// SREM of one member: returns whether it was in the set.
pub(super) fn remove(key: &[u8], member: Member<'_>) -> impl Procedure<Output = bool> {
    step([key], move |tx| tx.with_set(key, |set| Ok(set.remove(member))))
        .on_server(move || Request::command("SREM").key(key).arg(member))
}

/// SISMEMBER.
#[inline]
pub(super) fn contains(key: &[u8], member: Member<'_>) -> impl Procedure<Output = bool> {
    step([read(key)], move |tx| tx.sismember(key, member))
        .on_server(move || Request::command("SISMEMBER").key(key).arg(member))
}

/// SMISMEMBER.
pub(super) fn contains_all<'k>(
    key: &'k [u8],
    members: &'k [Member<'k>],
) -> impl Procedure<Output = Vec<bool>> {
    step([read(key)], move |tx| tx.smismember(key, members)).on_server_with(
        move || Request::command("SMISMEMBER").key(key).args(members.iter().copied()),
        |reply| parts(reply, members.len()),
    )
}

/// SCARD.
pub(super) fn card(key: &[u8]) -> impl Procedure<Output = u64> {
    step([read(key)], move |tx| Ok(tx.scard(key)? as u64))
        .on_server(move || Request::command("SCARD").key(key))
}

/// SMEMBERS.
pub(crate) fn members(key: &[u8]) -> impl Procedure<Output = Vec<Bytes>> {
    step([read(key)], move |tx| tx.smembers(key))
        .on_server(move || Request::command("SMEMBERS").key(key))
}

/// GET.
pub(crate) fn get(key: &[u8]) -> impl Procedure<Output = Option<Bytes>> {
    step([read(key)], move |tx| tx.get(key)).on_server(move || Request::command("GET").key(key))
}

/// An operation on sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SetOperation {
    /// The members that all sets have.
    Inter,
    /// The members that any set has.
    Union,
    /// The members that only the first set has.
    Diff,
}

impl SetOperation {
    /// SINTER, SUNION or SDIFF.
    pub(super) fn members<K>(self, tx: &Tx<'_>, sets: &[K]) -> Result<Vec<Bytes>, Error>
    where
        for<'k> &'k [K]: ToKeys,
    {
        match self {
            Self::Inter => tx.sinter(sets),
            Self::Union => tx.sunion(sets),
            Self::Diff => tx.sdiff(sets),
        }
    }

    /// Returns the name of the command that returns the members.
    const fn command(self) -> &'static str {
        match self {
            Self::Inter => "SINTER",
            Self::Union => "SUNION",
            Self::Diff => "SDIFF",
        }
    }

    /// Returns the name of the command that stores them.
    const fn store_command(self) -> &'static str {
        match self {
            Self::Inter => "SINTERSTORE",
            Self::Union => "SUNIONSTORE",
            Self::Diff => "SDIFFSTORE",
        }
    }
}

/// SINTER, SUNION or SDIFF of sets.
pub(super) fn combine<'k>(
    operation: SetOperation,
    sets: &'k [KeyRef<'k>],
) -> impl Procedure<Output = Vec<Bytes>> {
    step(sets, move |tx| operation.members(tx, sets))
        .on_server(move || Request::command(operation.command()).keys(sets))
}

/// SINTERCARD of sets, without a limit.
pub(super) fn inter_card<'k>(sets: &'k [KeyRef<'k>]) -> impl Procedure<Output = u64> {
    step(sets, move |tx| Ok(tx.sintercard(sets, 0)? as u64))
        .on_server(move || Request::command("SINTERCARD").count(sets.len()).keys(sets))
}

/// SINTERSTORE, SUNIONSTORE or SDIFFSTORE of the other sets into the last one: returns its number of members.
pub(super) fn combine_store<'k>(
    operation: SetOperation,
    sets: &'k [&'k [u8]],
) -> impl Procedure<Output = u64> {
    let sources =
        move || sets.split_last().map_or((&[][..], sets), |(target, sets)| (*target, sets));
    let store = move |tx: &Tx<'_>| {
        let (target, sets) = sources();
        match operation {
            SetOperation::Inter => tx.sinterstore(target, sets),
            SetOperation::Union => tx.sunionstore(target, sets),
            SetOperation::Diff => tx.sdiffstore(target, sets),
        }
    };
    step(sets, move |tx| Ok(store(tx)? as u64)).on_server(move || {
        let (target, sets) = sources();
        Request::command(operation.store_command()).key(target).keys(sets)
    })
}
