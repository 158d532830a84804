//! Commands on strings.
//!
//! | module | what it does |
//! |---|---|
//! | `read` | reads whole strings |
//! | `whole` | puts whole strings at keys, and takes them away |
//! | `set` | how it does that |
//! | `counters` | counts strings up and down |
//! | `parts` | reads and writes parts of strings |
//! | `lcs` | compares two |
//! | `options` | the options and answers of these |

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

/// The string at a key, if there is one.
#[inline]
pub(crate) fn string_at<'v>(view: &'v View<'_>, key: HashedKey<'_>) -> Result<Option<Member<'v>>> {
    let Some(value) = view.get(key) else { return Ok(None) };
    value.as_str().map(Some).ok_or_else(Error::wrong_type)
}

/// The string in a slot, if there is one.
#[inline]
pub(crate) fn string_in<'s>(slot: &'s Slot<'_>) -> Result<Option<Member<'s>>> {
    let Some(value) = slot.value() else { return Ok(None) };
    value.as_str().map(Some).ok_or_else(Error::wrong_type)
}
