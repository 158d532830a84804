//! Commands on Bloom filters.

mod entry;
mod insert;
mod load;
pub(super) mod table;
mod text;

use bloom::{BloomFilter, ItemHash, Settings, SettingsError, SizeError};
use bytes::Bytes;
use smallvec::SmallVec;

pub use entry::{BloomEntry, BloomKind};
pub use insert::BloomInsertOptions;
pub(crate) use insert::{Insertion, insert_items};

use crate::error::{Error, ErrorKind, Result};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::scope::View;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;
use crate::to_member::{ToMember, ToMembers};
use crate::value::Value;

/// Commands on Bloom filters: whether an item was added before. By default an item of any length takes about ten bits,
/// and 1 % of the items that were not added are false positives; the rate can be chosen.
///
/// Replies, errors and bytes are those of RedisBloom. The crate [`bloom`] has the filter itself, and functions to plan
/// its size.
///
/// # Errors
///
/// All of them except [`bf_exists`](Self::bf_exists) and [`bf_mexists`](Self::bf_mexists) return
/// [`ErrorKind::WrongType`] if the key holds another type. A filter has at most
/// [`Limits::bloom_memory_usage_limit`](crate::Limits::bloom_memory_usage_limit) bytes; a command that would exceed it
/// returns [`ErrorKind::OutOfMemory`].
impl<L: Locks> Store<L> {
    /// BF.RESERVE: creates an empty filter. O(bits), for zeroed memory.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyExists`] if the key exists; [`ErrorKind::InvalidArgument`] if the settings are out of range;
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {bloom, store::*}; }
    /// use tallis::{Store, bloom::Settings};
    ///
    /// let store = Store::new();
    /// store.bf_reserve("seen", &Settings::new(1000, 0.001).non_scaling())?;
    /// assert_eq!(store.bf_info("seen")?.capacity, 1000);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn bf_reserve(&self, key: impl ToKey, settings: &Settings) -> Result<()> {
        self.entry(key, |entry: &mut BloomEntry<'_>| entry.reserve(settings))
    }

    /// BF.ADD: adds an item; returns whether it is new. If the key does not exist, a filter with the default
    /// [`Settings`] is created. O(hashes), for each link of the filter.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::FilterFull`] if the filter is full and does not scale; [`ErrorKind::KeyNotNamed`] in a transaction
    /// that did not name the key. Adding an item that is already found is never an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// assert!(store.bf_add("codehole", "user1")?);
    /// assert!(store.bf_exists("codehole", "user1")?);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[inline]
    pub fn bf_add(&self, key: impl ToKey, item: impl ToMember) -> Result<bool> {
        item.with_member(|item| {
            let hash = item_hash(item);
            self.entry(key, |entry: &mut BloomEntry<'_>| {
                entry.add_hashed(item, hash, &BloomInsertOptions::default())
            })
        })
    }

    /// BF.MADD: adds items in order, as [`bf_add`](Self::bf_add); returns for each whether it is new. The cache misses
    /// overlap: with a large filter, many items in one call take a fraction of the time of single calls.
    ///
    /// # Errors
    ///
    /// As [`bf_add`](Self::bf_add). Items before the one that failed were added.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// assert_eq!(store.bf_madd("codehole", ["user4", "user5", "user6"])?, [true; 3]);
    /// let known = store.bf_mexists("codehole", ["user4", "user5", "user6", "user7"])?;
    /// assert_eq!(known, [true, true, true, false]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn bf_madd(&self, key: impl ToKey, items: impl ToMembers) -> Result<Vec<bool>> {
        self.bf_insert(key, items, BloomInsertOptions::default())
    }

    /// BF.INSERT: as [`bf_madd`](Self::bf_madd), with the settings for a new filter.
    ///
    /// # Errors
    ///
    /// As [`bf_madd`](Self::bf_madd); [`ErrorKind::NoSuchKey`] if there is no filter and `options` forbid creating one.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {bloom, store::*}; }
    /// use tallis::{BloomInsertOptions, ErrorKind, Store, bloom::Settings};
    ///
    /// let store = Store::new();
    /// let make = BloomInsertOptions::new(Settings::new(10_000, 0.001));
    /// assert_eq!(store.bf_insert("seen", ["a", "a"], make)?, [true, false]);
    /// let none = store.bf_insert("unseen", ["a"], make.no_create());
    /// assert_eq!(none.unwrap_err().kind(), ErrorKind::NoSuchKey);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn bf_insert(
        &self,
        key: impl ToKey,
        items: impl ToMembers,
        options: BloomInsertOptions,
    ) -> Result<Vec<bool>> {
        items.with_members(|items| insert_items(self, key, items, &options)?.complete())
    }

    /// BF.EXISTS: returns whether an item was added or is a false positive. `false` if the key does not exist or holds
    /// another type. O(hashes), for each link of the filter.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    #[inline]
    pub fn bf_exists(&self, key: impl ToKey, item: impl ToMember) -> Result<bool> {
        item.with_member(|item| {
            let hash = item_hash(item);
            self.read(key, |view, keys| {
                let filter = view.get(keys[0]).and_then(Value::as_bloom);
                Ok(filter.is_some_and(|filter| filter.contains_hash(hash)))
            })
        })
    }

    /// BF.MEXISTS: returns [`bf_exists`](Self::bf_exists) for each item, in order. The cache misses overlap.
    ///
    /// # Errors
    ///
    /// As [`bf_exists`](Self::bf_exists).
    pub fn bf_mexists(&self, key: impl ToKey, items: impl ToMembers) -> Result<Vec<bool>> {
        let hashes: SmallVec<[ItemHash; 32]> =
            items.with_members(|items| items.iter().map(|&item| item_hash(item)).collect());
        self.read(key, |view, keys| {
            let mut answers = Vec::with_capacity(hashes.len());
            match view.get(keys[0]).and_then(Value::as_bloom) {
                Some(filter) => filter.contains_hashes(&hashes, &mut answers),
                None => answers.resize(hashes.len(), false),
            }
            Ok(answers)
        })
    }

    /// BF.INFO: returns the properties of a filter. O(links).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuchKey`] if the key does not exist; [`ErrorKind::KeyNotNamed`] in a transaction that did not
    /// name the key.
    pub fn bf_info(&self, key: impl ToKey) -> Result<BloomInfo> {
        self.read(key, |view, keys| Ok(BloomInfo::of(filter_at(view, keys[0])?)))
    }

    /// BF.CARD: returns the number of items that were new when they were added; 0 if the key does not exist. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    pub fn bf_card(&self, key: impl ToKey) -> Result<u64> {
        self.read(key, |view, keys| match view.get(keys[0]) {
            None => Ok(0),
            Some(Value::Bloom(filter)) => Ok(filter.len()),
            Some(_) => Err(Error::wrong_type()),
        })
    }

    /// BF.SCANDUMP: returns the chunk of a dump at a cursor, 0 for the first one, with the cursor for the next call,
    /// which is also the one to load this chunk with; `None` at the end. A chunk has at most 16 MiB. O(bytes of the
    /// chunk).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuchKey`] if the key does not exist; [`ErrorKind::KeyNotNamed`] in a transaction that did not
    /// name the key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.bf_madd("seen", 0..1000)?;
    /// let mut cursor = 0;
    /// while let Some((next, piece)) = store.bf_scandump("seen", cursor)? {
    ///     store.bf_loadchunk("copy", next, piece)?;
    ///     cursor = next;
    /// }
    /// assert_eq!(store.dump("copy")?, store.dump("seen")?);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn bf_scandump(&self, key: impl ToKey, cursor: u64) -> Result<Option<(u64, Bytes)>> {
        self.read(key, |view, keys| {
            let chunk = filter_at(view, keys[0])?.chunk_at(cursor);
            Ok(chunk.map(|chunk| (chunk.cursor, chunk.bytes.into_owned().into())))
        })
    }

    /// BF.LOADCHUNK: loads a chunk of a dump, given the cursor that was returned with it. The first chunk creates the
    /// filter, with no bit set; the others may come in any order. The bytes are not trusted. O(bits) for the first
    /// chunk, otherwise O(bytes).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuchKey`] if there is no filter and this is not the first chunk; [`ErrorKind::Corrupt`] if the
    /// chunk is malformed, or its range is not in the filter; [`ErrorKind::KeyNotNamed`] in a transaction that did not
    /// name the key. Nothing has changed then.
    pub fn bf_loadchunk(
        &self,
        key: impl ToKey,
        cursor: u64,
        chunk: impl AsRef<[u8]>,
    ) -> Result<()> {
        self.entry(key, |entry: &mut BloomEntry<'_>| entry.load_chunk(cursor, chunk.as_ref()))
    }

    /// BF.DEBUG: returns the number of items, and the properties of each link, as text. O(links).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuchKey`] if the key does not exist; [`ErrorKind::KeyNotNamed`] in a transaction that did not
    /// name the key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.bf_add("seen", "a")?;
    /// assert_eq!(
    ///     store.bf_debug("seen")?,
    ///     ["size:1", "bytes:144 bits:1152 hashes:8 hashwidth:64 capacity:100 size:1 ratio:0.005"]
    /// );
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn bf_debug(&self, key: impl ToKey) -> Result<Vec<String>> {
        self.read(key, |view, keys| Ok(text::debug(filter_at(view, keys[0])?)))
    }
}

/// The properties of a filter, as BF.INFO returns them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BloomInfo {
    /// The capacity of all links together, in items.
    pub capacity: u64,
    /// The size in bytes, as RedisBloom computes it.
    pub size: u64,
    /// The number of links.
    pub filters: usize,
    /// The number of items that were new when they were added.
    pub items: u64,
    /// The factor between the capacities of successive links; `None` if the filter does not scale.
    pub expansion: Option<u32>,
    /// The current false positive rate, estimated from the number of items. BF.INFO does not return it.
    pub error_rate: f64,
}

impl BloomInfo {
    fn of(filter: &BloomFilter) -> Self {
        Self {
            capacity: filter.capacity(),
            size: filter.memory(),
            filters: filter.link_count(),
            items: filter.len(),
            expansion: filter.expansion(),
            error_rate: filter.error_rate_by_items(),
        }
    }
}

#[inline]
pub(crate) fn item_hash(item: Member<'_>) -> ItemHash {
    item.with_bytes(ItemHash::of)
}

/// The filter at a key, which must exist.
fn filter_at<'v>(view: &'v View<'_>, key: HashedKey<'_>) -> Result<&'v BloomFilter> {
    match view.get(key) {
        None => Err(Error::no_filter()),
        Some(value) => value.as_bloom().ok_or_else(Error::wrong_type),
    }
}

/// Creates an empty filter of at most `limit` bytes.
fn create(settings: &Settings, limit: usize) -> Result<BloomFilter> {
    settings.max_bytes(limit as u64).build().map_err(|why| unmade(settings, why))
}

/// The error for settings that are not valid.
#[cold]
fn unmade(settings: &Settings, why: SettingsError) -> Error {
    match why {
        SettingsError::Size(SizeError::OutOfMemory { .. }) => {
            Error::new(ErrorKind::OutOfMemory, "ERR Insufficient memory to create filter")
        }
        SettingsError::Capacity { .. } => Error::capacity_range(),
        SettingsError::Expansion { .. } => Error::expansion_range(),
        // Half of the smallest positive number, for a scaling filter.
        SettingsError::Size(SizeError::ErrorRate { .. })
            if settings.error_rate() > 0.0 && settings.error_rate() < 1.0 =>
        {
            Error::new(ErrorKind::InvalidArgument, "ERR could not create filter")
        }
        SettingsError::Size(_) | _ => Error::error_rate_range(),
    }
}
