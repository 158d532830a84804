//! BF.ADD, BF.MADD and BF.INSERT.

use bloom::{AddError, BloomFilter, ItemHash, Settings};
use bytes::Bytes;
use smallvec::SmallVec;

use super::{create, item_hash, not_found, text};
use crate::error::{Error, ErrorKind};
use crate::member::Member;
use crate::store::door::Door;
use crate::store::slot::Slot;
use crate::value::Value;

/// How BF.INSERT makes a filter: by default as BF.ADD does, for 100 items at 1 %.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[must_use]
pub struct BloomInsertOptions {
    settings: Settings,
    no_create: bool,
}

impl BloomInsertOptions {
    /// CAPACITY, ERROR, EXPANSION, NONSCALING: what a filter is made with if there is none.
    pub const fn new(settings: Settings) -> Self {
        Self { settings, no_create: false }
    }

    /// NOCREATE: makes none.
    pub const fn no_create(mut self) -> Self {
        self.no_create = true;
        self
    }
}

/// What became of the items of a call.
#[derive(Debug)]
pub(crate) struct Insertion {
    /// Whether each was new, up to the one that was refused.
    pub(crate) added: Vec<bool>,
    /// Why the next one was refused.
    pub(crate) refused: Option<Error>,
    /// Whether each behind it was there, if RedisBloom looks at them: where a filter cannot grow, but not where it does not scale.
    pub(crate) behind: Vec<bool>,
}

impl Insertion {
    /// The answers, if there is one for each item.
    #[inline]
    pub(crate) fn complete(self) -> Result<Vec<bool>, Error> {
        self.refused.map_or(Ok(self.added), Err)
    }
}

/// Adds items to the filter at a key.
pub(crate) fn insert_items<D: Door + ?Sized>(
    door: &D,
    key: &[u8],
    items: &[Member<'_>],
    options: BloomInsertOptions,
) -> Result<Insertion, Error> {
    // Outside of the lock.
    let hashes: SmallVec<[ItemHash; 8]> = items.iter().map(|&item| item_hash(item)).collect();
    door.write(&[key], |scope, keys| {
        let limit = scope.rules().limits.bloom_memory_usage_limit;
        scope.change(keys[0], |slot| insert_hashed(slot, items, &hashes, options, limit))
    })
}

/// Adds one item, to a filter of the default settings if there is none.
#[inline]
pub(super) fn add_item(
    slot: &mut Slot<'_, '_, '_>,
    item: Member<'_>,
    hash: ItemHash,
    limit: usize,
) -> Result<bool, Error> {
    let Some(value) = slot.value_mut() else {
        let added = insert_hashed(slot, &[item], &[hash], BloomInsertOptions::default(), limit)?;
        return Ok(added.complete()?.contains(&true));
    };
    let filter = value.as_bloom_mut().ok_or_else(Error::wrong_type)?;
    filter.set_max_bytes(limit as u64);
    let new = filter.add_hash(hash).map_err(refusal)?;
    note(slot, &[item], &[new]);
    Ok(new)
}

/// Adds items that are hashed already.
pub(crate) fn insert_hashed(
    slot: &mut Slot<'_, '_, '_>,
    items: &[Member<'_>],
    hashes: &[ItemHash],
    options: BloomInsertOptions,
    limit: usize,
) -> Result<Insertion, Error> {
    let created = match slot.value_mut() {
        Some(value) => {
            let filter = value.as_bloom_mut().ok_or_else(Error::wrong_type)?;
            filter.set_max_bytes(limit as u64);
            let insertion = add(filter, hashes);
            note(slot, items, &insertion.added);
            return Ok(insertion);
        }
        None if options.no_create => return Err(not_found()),
        None => create(&options.settings, limit),
    };
    let mut filter = created?;
    let insertion = add(&mut filter, hashes);
    slot.put(Value::Bloom(Box::new(filter)));
    slot.changed("BF.INSERT", || {
        let words = text::insert_words(&options.settings);
        words.into_iter().chain(new_items(items, &insertion.added)).collect()
    });
    Ok(insertion)
}

fn add(filter: &mut BloomFilter, hashes: &[ItemHash]) -> Insertion {
    let mut added = Vec::with_capacity(hashes.len());
    let why = filter.add_hashes(hashes, &mut added).err();
    let mut behind = Vec::new();
    if matches!(why, Some(AddError::Grow(_))) {
        filter.contains_hashes(hashes.get(added.len() + 1..).unwrap_or_default(), &mut behind);
    }
    Insertion { added, refused: why.map(refusal), behind }
}

/// Tells of the items that were new: the others change nothing.
#[inline]
fn note(slot: &mut Slot<'_, '_, '_>, items: &[Member<'_>], added: &[bool]) {
    if added.contains(&true) {
        slot.changed("BF.MADD", || new_items(items, added).collect());
    }
}

fn new_items(items: &[Member<'_>], added: &[bool]) -> impl Iterator<Item = Bytes> {
    items.iter().zip(added).filter(|&(_, &new)| new).map(|(item, _)| item.to_bytes())
}

#[cold]
fn refusal(why: AddError) -> Error {
    match why {
        AddError::Full { .. } => {
            Error::new(ErrorKind::FilterFull, "ERR non scaling filter is full")
        }
        AddError::Grow(_) | _ => {
            Error::new(ErrorKind::OutOfMemory, "ERR problem inserting into filter")
        }
    }
}
