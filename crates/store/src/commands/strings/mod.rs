//! Commands on strings.
//!
//! | module | contents |
//! |---|---|
//! | `read` | reads whole strings |
//! | `whole` | sets, replaces and removes whole strings |
//! | `set` | the implementation of these |
//! | `counters` | increments and decrements |
//! | `parts` | reads and writes parts of strings |
//! | `lcs` | compares two strings |
//! | `options` | options and results |

mod counters;
mod entry;
mod lcs;
mod options;
mod parts;
mod read;
mod set;
pub(super) mod table;
mod whole;

pub use entry::{StringEntry, StringKind};
pub use options::{
    ExistenceCheck, Expiry, LcsMatch, LcsMatches, MSetOptions, SetExpiry, SetOptions, SetOutcome,
    ValueComparison,
};

pub(crate) use lcs::{common, common_len, common_runs, common_text};
pub(crate) use options::ExpiryChange;
pub(crate) use set::{get_with, put_all, set_with};

use crate::error::{Error, Result};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::scope::View;
use crate::store::slot::Slot;

/// The string at a key, if it exists.
#[inline]
pub(crate) fn string_at<'v>(view: &'v View<'_>, key: HashedKey<'_>) -> Result<Option<Member<'v>>> {
    let Some(value) = view.get(key) else { return Ok(None) };
    value.as_str().map(Some).ok_or_else(Error::wrong_type)
}

/// The string in a slot, if the key exists.
#[inline]
pub(crate) fn string_in<'s>(slot: &'s Slot<'_>) -> Result<Option<Member<'s>>> {
    let Some(value) = slot.value() else { return Ok(None) };
    value.as_str().map(Some).ok_or_else(Error::wrong_type)
}
