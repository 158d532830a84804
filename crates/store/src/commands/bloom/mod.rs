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

/// Commands on Bloom filters: whether an item was seen, in some ten bits an item whatever its length, and wrong about
/// one in a hundred of those that were not, or however few are asked for.
///
/// Replies, errors and bytes are those of RedisBloom. The filter itself is the crate [`bloom`], which plans sizes too.
///
/// # Errors
///
/// All of them but [`bf_exists`](Self::bf_exists) and [`bf_mexists`](Self::bf_mexists) fail with
/// [`ErrorKind::WrongType`] if the key holds something else. A filter has at most
/// [`Limits::bloom_memory_usage_limit`](crate::Limits::bloom_memory_usage_limit) bytes; what would make it larger fails
/// with [`ErrorKind::OutOfMemory`].
impl<L: Locks> Store<L> {
    /// BF.RESERVE: makes an empty filter. O(bits), which is what it takes to get zeroed memory.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyExists`] if the key is there; [`ErrorKind::InvalidArgument`] for settings out of range; in a
    /// transaction, a key that it did not name.
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

    /// BF.ADD: adds an item; returns whether it is new. A filter of the default [`Settings`] is made if need be.
    /// O(hashes), for each link of the filter.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::FilterFull`] if the filter is full and does not scale; in a transaction, a key that it did not
    /// name. An item that is there is no error.
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

    /// BF.MADD: [`bf_add`](Self::bf_add) of each item, in order. The cache misses overlap, so many items at once take a
    /// fraction of the time of single ones in a large filter.
    ///
    /// # Errors
    ///
    /// As of [`bf_add`](Self::bf_add). The items before the one that was refused are in.
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

    /// BF.INSERT: as [`bf_madd`](Self::bf_madd), with the settings of a filter that has to be made.
    ///
    /// # Errors
    ///
    /// As of [`bf_madd`](Self::bf_madd); [`ErrorKind::NoSuchKey`] if there is no filter and none is to be made.
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

    /// BF.EXISTS: whether an item was added, or is taken for one that was. `false` where there is no filter, whatever
    /// else is there. O(hashes), for each link of the filter.
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
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

    /// BF.MEXISTS: [`bf_exists`](Self::bf_exists) of each item, in order. The cache misses overlap.
    ///
    /// # Errors
    ///
    /// As of [`bf_exists`](Self::bf_exists).
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

    /// BF.INFO: what a filter holds and takes. O(links).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuchKey`] if there is none; in a transaction, a key that it did not name.
    pub fn bf_info(&self, key: impl ToKey) -> Result<BloomInfo> {
        self.read(key, |view, keys| Ok(BloomInfo::of(filter_at(view, keys[0])?)))
    }

    /// BF.CARD: how many items were new when they were added; 0 if there is no filter. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn bf_card(&self, key: impl ToKey) -> Result<u64> {
        self.read(key, |view, keys| match view.get(keys[0]) {
            None => Ok(0),
            Some(Value::Bloom(filter)) => Ok(filter.len()),
            Some(_) => Err(Error::wrong_type()),
        })
    }

    /// BF.SCANDUMP: the chunk of a dump at a cursor, 0 at first, and the cursor that belongs to it: to ask for the next
    /// chunk, and to load this one with. `None` at the end. A chunk has at most 16 MiB. O(its bytes).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuchKey`] if there is none; in a transaction, a key that it did not name.
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

    /// BF.LOADCHUNK: takes a chunk of a dump, and the cursor that came with it. The first makes the filter, with no bit
    /// set; the others may come in any order. The bytes are not trusted. O(bits) for the first, else O(bytes).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuchKey`] if there is no filter and this is not the first chunk; [`ErrorKind::Corrupt`] if it is
    /// not what it should be, or has no place in the filter; in a transaction, a key that it did not name. Nothing has
    /// changed then.
    pub fn bf_loadchunk(
        &self,
        key: impl ToKey,
        cursor: u64,
        chunk: impl AsRef<[u8]>,
    ) -> Result<()> {
        self.entry(key, |entry: &mut BloomEntry<'_>| entry.load_chunk(cursor, chunk.as_ref()))
    }

    /// BF.DEBUG: the number of items, and the numbers of each link, as texts. O(links).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuchKey`] if there is none; in a transaction, a key that it did not name.
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

/// What BF.INFO returns of a filter.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BloomInfo {
    /// Items that all its links together were made for.
    pub capacity: u64,
    /// Bytes by RedisBloom's reckoning.
    pub size: u64,
    /// Its links.
    pub filters: usize,
    /// Items that were new when they were added.
    pub items: u64,
    /// How many times larger each further link is; `None` if the filter does not scale.
    pub expansion: Option<u32>,
    /// The false positive rate as the filter is now, estimated from the number of items. BF.INFO does not return it.
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

/// The filter at a key, which must be there.
fn filter_at<'v>(view: &'v View<'_>, key: HashedKey<'_>) -> Result<&'v BloomFilter> {
    match view.get(key) {
        None => Err(Error::no_filter()),
        Some(value) => value.as_bloom().ok_or_else(Error::wrong_type),
    }
}

/// An empty filter of at most `limit` bytes.
fn create(settings: &Settings, limit: usize) -> Result<BloomFilter> {
    settings.max_bytes(limit as u64).build().map_err(|why| unmade(settings, why))
}

/// Why settings make no filter.
#[cold]
fn unmade(settings: &Settings, why: SettingsError) -> Error {
    match why {
        SettingsError::Size(SizeError::OutOfMemory { .. }) => {
            Error::new(ErrorKind::OutOfMemory, "ERR Insufficient memory to create filter")
        }
        SettingsError::Capacity { .. } => Error::capacity_range(),
        SettingsError::Expansion { .. } => Error::expansion_range(),
        // Half of the least number there is, for a scaling filter.
        SettingsError::Size(SizeError::ErrorRate { .. })
            if settings.error_rate() > 0.0 && settings.error_rate() < 1.0 =>
        {
            Error::new(ErrorKind::InvalidArgument, "ERR could not create filter")
        }
        SettingsError::Size(_) | _ => Error::error_rate_range(),
    }
}
