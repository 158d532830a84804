//! Redis's commands as methods of a [`Store`](crate::Store), a file or folder for each family.
//!
//! The names are those of the `redis` crate's `Commands` trait. Each family has an entry type, through which its
//! commands change values.

mod bits;
mod bloom;
mod byte_strings;
mod dump;
mod entry;
mod expiry;
mod geo;
mod given;
mod hashes;
mod hlls;
mod keys;
mod keys_table;
mod keyspace;
mod lists;
mod read_as;
mod scan;
mod scripting;
mod server;
mod sets;
mod sort;
mod strings;
mod time;
mod zsets;

pub use bits::{BitFieldOp, BitRange, BitUnit};
pub use bloom::{BloomEntry, BloomInfo, BloomInsertOptions, BloomKind};
pub use dump::RestoreOptions;
pub use expiry::{ExpireOption, ExpireTime, Ttl};
pub use geo::{GeoCentre, GeoHit, GeoOrder, GeoSearch, GeoStored};
pub(crate) use hashes::has_due_fields;
pub use hashes::{
    FieldExistenceCheck, FieldExpire, FieldPersist, HashEntry, HashKind, HashSetExOptions,
};
pub use hlls::{HllEntry, HllKind};
pub use keys::CopyOptions;
pub use keyspace::ScanOptions;
pub use lists::{ListEntry, ListKind, LposOptions};
pub use scan::Scan;
pub use sets::{SetEntry, SetKind};
pub use sort::SortOptions;
pub use strings::{
    ExistenceCheck, Expiry, LcsMatch, LcsMatches, MSetOptions, SetExpiry, SetOptions, SetOutcome,
    StringEntry, StringKind, ValueComparison,
};
pub use zsets::{
    Aggregate, LexBound, Popped, SortedSetAddOptions, UpdateCheck, ZRange, ZSetEntry, ZSetKind,
};

pub(crate) use bits::{Operations, combine, count_with, operate, position_with};
pub(crate) use bloom::{Insertion, insert_items};
pub(crate) use entry::entry_of;
pub(crate) use geo::{Area, Found, Limits, centre_at, find, place, store as store_places};
pub(crate) use keys::{encoding, persist, references};
pub(crate) use server::begin_with;
pub(crate) use strings::{
    ExpiryChange, common, common_len, common_runs, common_text, get_with, put_all, set_with,
};
pub(crate) use time::{Time, Unit};
pub(crate) use zsets::{Written, scan_scores, zset_at};

use crate::error::{Error, Result};
use crate::execute::{COMMAND, Command};
use crate::member::Member;
use crate::session;

/// Every command, by family. Their attributes are those of Redis 7.0: a test compares them with COMMAND INFO and
/// COMMAND DOCS of a live server.
pub(crate) static FAMILIES: &[&[Command]] = &[
    keys_table::GENERIC,
    keys_table::OBJECT,
    keys_table::DATABASES,
    sort::table::COMMANDS,
    strings::table::COMMANDS,
    bits::table::COMMANDS,
    lists::table::COMMANDS,
    sets::table::COMMANDS,
    hashes::table::COMMANDS,
    hashes::fields_table::COMMANDS,
    hlls::table::COMMANDS,
    zsets::table::COMMANDS,
    geo::table::COMMANDS,
    bloom::table::COMMANDS,
    scripting::SCRIPTS,
    scripting::SCRIPT,
    server::SERVER,
    server::CONNECTION,
    COMMAND,
    session::TRANSACTIONS,
    session::SESSIONS,
    session::CLIENT,
];

/// The maximum length of a string or member, 512 MiB: Redis's `proto-max-bulk-len`.
pub(crate) const STRING_MAX: usize = 512 << 20;

/// The maximum number of members that SRANDMEMBER and ZRANDMEMBER draw with repetition.
const MOST_DRAWS: usize = 1 << 31;

/// Returns an error if a member is longer than Redis allows.
fn check(members: &[Member<'_>]) -> Result<()> {
    members.iter().try_for_each(|&member| checked(member).map(drop))
}

/// Returns a member or value if its length is allowed by Redis.
fn checked(member: Member<'_>) -> Result<Member<'_>> {
    match member {
        Member::Bytes(bytes) if bytes.len() > STRING_MAX => Err(Error::too_long()),
        Member::Int(_) | Member::Bytes(_) => Ok(member),
    }
}

/// Defines methods that store a combination of several keys at another key; each is given its function and argument.
macro_rules! stores {
    ($($(#[$doc:meta])* $method:ident($destination:ident, $keys:ident) => $make:path[$how:expr];)*) => {$(
        $(#[$doc])*
        pub fn $method(&self, $destination: impl ToKey, $keys: impl ToKeys) -> Result<usize> {
            $make(self, $how, $destination, $keys)
        }
    )*};
}

use stores;
