//! The entry of a Bloom filter.

use std::iter;

use bloom::{AddError, BloomFilter, ItemHash, MergeError, SettingsError, SizeError};
use bytes::Bytes;

use super::insert::{BloomInsertOptions, Insertion};
use super::{create, item_hash, load, text, unmade};
use crate::commands::entry_of;
use crate::error::{Error, ErrorKind, Result};
use crate::member::Member;
use crate::persist;
use crate::store::slot::{Entry, Expires, Outcome};
use crate::to_member::ToMember;
use crate::value::Value;

/// The Bloom filter at a key, with one look-up and one type check: see [`Store::with_bloom`](crate::Store::with_bloom).
pub type BloomEntry<'e> = Entry<'e, BloomKind>;

entry_of!(BloomEntry, BloomKind, with_bloom, "Bloom filter", |value| value.as_bloom().is_some());

impl BloomEntry<'_> {
    /// The maximum size of a filter, in bytes.
    fn limit(&self) -> usize {
        self.policy().settings.bloom_memory_usage_limit()
    }

    /// Returns the filter, if the key exists.
    #[must_use]
    pub fn filter(&self) -> Option<&BloomFilter> {
        self.value().and_then(Value::as_bloom)
    }

    /// Returns the hash of an item, for [`add_hashed`](Self::add_hashed). It can be computed before the entry is
    /// opened.
    #[must_use]
    pub fn hash(item: impl ToMember) -> ItemHash {
        item.with_member(item_hash)
    }

    /// BF.ADD of a hashed item: returns whether it is new. If the key does not exist, a filter is created with
    /// `options`. O(hashes), for each link of the filter.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::FilterFull`](crate::ErrorKind::FilterFull) if the filter is full and does not scale,
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if it would exceed the size limit,
    /// [`ErrorKind::NoSuchKey`](crate::ErrorKind::NoSuchKey) if there is no filter and `options` forbid creating one.
    #[inline]
    pub fn add_hashed(
        &mut self,
        item: impl ToMember,
        hash: ItemHash,
        options: &BloomInsertOptions,
    ) -> Result<bool> {
        item.with_member(|item| {
            let limit = self.limit() as u64;
            self.announce_items(&[hash]);
            let added = self.edit(
                |value| {
                    let Some(filter) = value.as_bloom_mut() else {
                        return (Err(Error::wrong_type()), Outcome::Same);
                    };
                    filter.set_max_bytes(limit);
                    let added = filter.add_hash(hash).map_err(refusal);
                    let outcome = Outcome::changed(matches!(added, Ok(true)));
                    (added, outcome)
                },
                |_| ("BF.MADD", vec![item.to_bytes()]),
            );
            if let Some(added) = added {
                return added;
            }
            let added = self.insert(&[item], &[hash], options)?;
            Ok(added.complete()?.contains(&true))
        })
    }

    /// BF.INSERT of hashed items, in order: returns whether each is new. The cache misses overlap. If the key does not
    /// exist, a filter is created with `options`.
    ///
    /// # Errors
    ///
    /// As [`add_hashed`](Self::add_hashed). Items before the one that failed were added: use
    /// [`check_room`](Self::check_room) first to prevent that.
    pub fn add_hashed_many(
        &mut self,
        items: &[Member<'_>],
        hashes: &[ItemHash],
        options: &BloomInsertOptions,
    ) -> Result<Vec<bool>> {
        self.insert(items, hashes, options)?.complete()
    }

    /// Checks that `items` new items can be added to the filter, which may have to grow; if there is none, to the one
    /// that `options` create. O(links).
    ///
    /// # Errors
    ///
    /// As [`add_hashed`](Self::add_hashed). Nothing has changed.
    #[inline]
    pub fn check_room(&self, items: u64, options: &BloomInsertOptions) -> Result<()> {
        match self.filter() {
            Some(filter) => filter.check_room(items, self.limit() as u64).map_err(refusal),
            None if options.no_create => Err(Error::no_filter()),
            None => self.check_new(items, options),
        }
    }

    /// Checks that `items` items can be added to a new filter that `options` create. O(links).
    ///
    /// # Errors
    ///
    /// As [`add_hashed`](Self::add_hashed) if the key does not exist. Nothing has changed.
    pub fn check_new(&self, items: u64, options: &BloomInsertOptions) -> Result<()> {
        let settings = options.settings.max_bytes(self.limit() as u64);
        settings.check_room(items).map_err(|why| {
            let SettingsError::Size(size @ SizeError::Capacity { .. }) = why else {
                return unmade(&settings, why);
            };
            // The capacity of the settings is in range: so it is too small, or that of a further link is too large.
            refusal(if settings.is_scaling() {
                AddError::Grow(size)
            } else {
                AddError::Full { capacity: settings.capacity() }
            })
        })
    }

    /// Adds all items of another filter with the same settings (see [`BloomFilter::merge`]), which is copied if the key
    /// does not exist. Servers have no such command; sinks receive a RESTORE. O(bits).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if the settings differ,
    /// [`ErrorKind::OutOfMemory`](crate::ErrorKind::OutOfMemory) if the filter would exceed the size limit. Nothing has
    /// changed.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {bloom, store::*}; }
    /// use tallis::{Store, bloom::BloomFilter};
    ///
    /// let mut other = BloomFilter::default();
    /// other.add(b"bob")?;
    /// let store = Store::new();
    /// store.bf_add("seen", "alice")?;
    /// store.with_bloom("seen", |filter| filter.merge(&other))?;
    /// assert_eq!(store.bf_mexists("seen", ["alice", "bob"])?, [true, true]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn merge(&mut self, other: &BloomFilter) -> Result<()> {
        let mut filter = self.filter().unwrap_or(other).clone();
        filter.set_max_bytes(self.limit() as u64);
        filter.merge(other).map_err(|why| match why {
            MergeError::OutOfMemory { .. } => Error::filter_grows(),
            MergeError::Different | _ => {
                Error::new(ErrorKind::InvalidArgument, format!("ERR {why}"))
            }
        })?;
        let value = Value::Bloom(Box::new(filter));
        let payload = if self.shared().has_sinks() {
            persist::dump(&value, self.shared().profile())?
        } else {
            Vec::new()
        };
        let expires_at = self.expires_at_ms().unwrap_or(0);
        let words = || {
            let words = [Bytes::from(expires_at.to_string()), payload.into()];
            let options = ["REPLACE", "ABSTTL"].map(|word| Bytes::from_static(word.as_bytes()));
            words.into_iter().chain(options).collect()
        };
        self.put(value, Expires::Keep, ("RESTORE", words));
        Ok(())
    }

    /// Announces that the next edit adds these items.
    #[inline]
    fn announce_items(&mut self, hashes: &[ItemHash]) {
        if self.is_in_snapshot()
            && let Some(filter) = self.filter()
        {
            let touched = hashes.iter().flat_map(|&hash| filter.touched(hash));
            let touched: Vec<usize> = touched.collect();
            self.announce_bytes(touched.into_iter().map(|byte| byte..byte + 1));
        }
    }

    /// BF.RESERVE: creates an empty filter.
    pub(super) fn reserve(&mut self, settings: &bloom::Settings) -> Result<()> {
        if self.exists() {
            return Err(Error::filter_exists());
        }
        let filter = create(settings, self.limit())?;
        let words = text::reserve_words(settings);
        let header = words.is_none().then(|| filter.header());
        let value = Value::Bloom(Box::new(filter));
        match (words, header) {
            (Some(words), _) => self.put(value, Expires::Keep, ("BF.RESERVE", || words)),
            // A filter that BF.RESERVE cannot describe is created from its header.
            (None, header) => {
                let words = || vec![Bytes::from_static(b"1"), header.unwrap_or_default().into()];
                self.put(value, Expires::Keep, ("BF.LOADCHUNK", words));
            }
        }
        Ok(())
    }

    /// BF.INSERT of hashed items.
    pub(crate) fn insert(
        &mut self,
        items: &[Member<'_>],
        hashes: &[ItemHash],
        options: &BloomInsertOptions,
    ) -> Result<Insertion> {
        let limit = self.limit() as u64;
        self.announce_items(hashes);
        let inserted = self.edit(
            |value| {
                let Some(filter) = value.as_bloom_mut() else {
                    return (Err(Error::wrong_type()), Outcome::Same);
                };
                filter.set_max_bytes(limit);
                let insertion = add(filter, hashes);
                let outcome = Outcome::changed(insertion.added.contains(&true));
                (Ok(insertion), outcome)
            },
            |insertion| {
                let added = insertion.as_ref().map_or(&[][..], |insertion| &insertion.added);
                ("BF.MADD", new_items(items, added).collect())
            },
        );
        if let Some(inserted) = inserted {
            return inserted;
        }
        if options.no_create {
            return Err(Error::no_filter());
        }
        let mut filter = create(&options.settings, self.limit())?;
        let insertion = add(&mut filter, hashes);
        let words = || {
            let words = text::insert_words(&options.settings);
            words.into_iter().chain(new_items(items, &insertion.added)).collect()
        };
        self.put(Value::Bloom(Box::new(filter)), Expires::Keep, ("BF.INSERT", words));
        Ok(insertion)
    }

    /// BF.LOADCHUNK.
    pub(super) fn load_chunk(&mut self, cursor: u64, chunk: &[u8]) -> Result<()> {
        let words = || vec![Bytes::from(cursor.to_string()), Bytes::copy_from_slice(chunk)];
        let end = usize::try_from(cursor.saturating_sub(1)).unwrap_or(usize::MAX);
        self.announce_bytes(iter::once(end.saturating_sub(chunk.len())..end));
        let loaded = self.edit(
            |value| {
                let Some(filter) = value.as_bloom_mut() else {
                    return (Err(Error::wrong_type()), Outcome::Same);
                };
                let loaded = filter.load_chunk(cursor, chunk);
                let outcome = Outcome::changed(loaded.is_ok());
                (loaded.map_err(|why| load::misplaced(why, cursor, chunk)), outcome)
            },
            |_| ("BF.LOADCHUNK", words()),
        );
        if let Some(loaded) = loaded {
            return loaded;
        }
        let filter = load::from_header(cursor, chunk, self.limit() as u64)?;
        self.put(Value::Bloom(Box::new(filter)), Expires::Keep, ("BF.LOADCHUNK", words));
        Ok(())
    }
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

/// The items that were new; the others have no effect.
fn new_items(items: &[Member<'_>], added: &[bool]) -> impl Iterator<Item = Bytes> {
    items.iter().zip(added).filter(|&(_, &new)| new).map(|(item, _)| item.to_bytes())
}

#[cold]
fn refusal(why: AddError) -> Error {
    match why {
        AddError::Full { .. } => Error::filter_full(),
        AddError::Grow(_) | _ => Error::filter_grows(),
    }
}
