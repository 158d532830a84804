//! BF.ADD, BF.MADD and BF.INSERT.

use bloom::{ItemHash, Settings};
use smallvec::SmallVec;

use super::item_hash;
use crate::commands::BloomEntry;
use crate::error::{Error, Result};
use crate::member::Member;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;

/// How BF.INSERT creates a filter: by default as BF.ADD does, for 100 items at 1 %.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[must_use]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BloomInsertOptions {
    pub(super) settings: Settings,
    pub(super) no_create: bool,
}

impl BloomInsertOptions {
    /// CAPACITY, ERROR, EXPANSION, NONSCALING: sets the settings of a new filter.
    pub const fn new(settings: Settings) -> Self {
        Self { settings, no_create: false }
    }

    /// NOCREATE: does not create a filter.
    pub const fn no_create(mut self) -> Self {
        self.no_create = true;
        self
    }
}

/// The result for the items of a call.
#[derive(Debug)]
pub(crate) struct Insertion {
    /// Whether each was new, up to the one that failed.
    pub(crate) added: Vec<bool>,
    /// Why the next one failed.
    pub(crate) refused: Option<Error>,
    /// For the items after it, whether they were found, as far as RedisBloom checks them: if a filter cannot grow, but
    /// not if it does not scale.
    pub(crate) behind: Vec<bool>,
}

impl Insertion {
    /// The results, if there is one for each item.
    #[inline]
    pub(crate) fn complete(self) -> Result<Vec<bool>> {
        self.refused.map_or(Ok(self.added), Err)
    }
}

/// Adds items to the filter at a key.
pub(crate) fn insert_items(
    store: &Store<impl Locks>,
    key: impl ToKey,
    items: &[Member<'_>],
    options: &BloomInsertOptions,
) -> Result<Insertion> {
    // Computed before the lock is taken.
    let hashes: SmallVec<[ItemHash; 8]> = items.iter().map(|&item| item_hash(item)).collect();
    store.entry(key, |entry: &mut BloomEntry<'_>| entry.insert(items, &hashes, options))
}
