//! Redis's commands as typed calls, a trait for each family.
//!
//! The names are those of the `redis` crate's `Commands` trait. Everything that runs commands has them all: a
//! [`Store`](crate::Store), a [`Session`](crate::Session), a [`Tx`](crate::Tx). Import them with
//! `use tallis::prelude::*`.
//!
//! Each operation is written once, here; the command door (`execute`) and the recipes call these.

mod bits;
mod bloom;
mod dump;
mod expiry;
mod gathered;
mod geo;
mod hlls;
mod keys;
mod keys_table;
mod keyspace;
mod server;
mod sets;
mod strings;
mod table;
mod zsets;

pub use bits::{BitCommands, BitFieldOp, BitRange, BitUnit};
pub use bloom::{BloomCommands, BloomInfo, BloomInsertOptions};
pub use dump::{DumpCommands, RestoreOptions};
pub use expiry::{ExpireOption, ExpiryCommands};
pub use geo::{GeoCentre, GeoCommands, GeoHit, GeoOrder, GeoSearch, GeoStored};
pub use hlls::HllCommands;
pub use keys::{CopyOptions, KeyCommands};
pub use keyspace::{KeyspaceCommands, ScanOptions};
pub use sets::SetCommands;
pub use strings::{
    ExistenceCheck, Expiry, LcsCommands, LcsMatch, LcsMatches, SetExpiry, SetOptions, SetOutcome,
    StringCommands,
};

pub use zsets::{
    Aggregate, LexBound, Popped, SortedSetAddOptions, UpdateCheck, ZRange, ZSetAlgebraCommands,
    ZSetCommands, ZSetRangeCommands,
};

pub(crate) use bits::{
    Operations, combine, count_with, operate, out_of_range, position_with, set_bit,
};
pub(crate) use bloom::{
    Insertion, capacity_range, error_range, expansion_range, insert_hashed, insert_items, item_hash,
};
pub(crate) use geo::{Found, Limits, find, place, place_of, store as store_places, undecodable};
pub(crate) use hlls::{add_hashed, count_union, hll_at};
pub(crate) use keys::{references, rename};
pub(crate) use sets::{Operation, add_members, add_members_to, combined, remove_members, set_at};
pub(crate) use strings::{
    Time, Ttl, Unit, common, common_len, common_runs, common_text, get_with, increment,
    increment_float, put_all, set_range, set_with, string_at,
};
pub(crate) use table::FAMILIES;

pub(crate) use zsets::{Pair, Written, add_scores, check_sources, refusal, scan_scores, zset_at};

use smallvec::SmallVec;

use crate::error::{Error, ErrorKind};
use crate::member::Member;

/// The greatest length of a string or member, 512 MiB: Redis's `proto-max-bulk-len`.
pub(crate) const STRING_MAX: usize = 512 << 20;

/// The most members that SRANDMEMBER and ZRANDMEMBER draw with repeats.
const MOST_DRAWS: usize = 1 << 31;

/// The members of a call, gathered before any lock is taken.
type Members<'a> = SmallVec<[Member<'a>; 8]>;

fn members<'a, M: Into<Member<'a>>>(
    members: impl IntoIterator<Item = M>,
) -> Result<Members<'a>, Error> {
    members.into_iter().map(|member| checked(member.into())).collect()
}

/// A member or value of a length that Redis takes.
fn checked(member: Member<'_>) -> Result<Member<'_>, Error> {
    match member {
        Member::Bytes(bytes) if bytes.len() > STRING_MAX => Err(too_long()),
        Member::Int(_) | Member::Bytes(_) => Ok(member),
    }
}

#[cold]
fn too_long() -> Error {
    Error::new(ErrorKind::Syntax, "ERR string exceeds maximum allowed size (proto-max-bulk-len)")
}

/// Gathers the keys of a call on any number of them.
fn keys<K: AsRef<[u8]>>(keys: impl IntoIterator<Item = K>) -> SmallVec<[K; 4]> {
    keys.into_iter().collect()
}

fn slices<K: AsRef<[u8]>>(keys: &[K]) -> SmallVec<[&[u8]; 4]> {
    keys.iter().map(AsRef::as_ref).collect()
}
