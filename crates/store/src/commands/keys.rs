//! Commands on keys of any type.

use std::borrow::Cow;

use bytes::Bytes;

use crate::error::{Error, ErrorKind, Result};
use crate::key::HashedKey;
use crate::member::Member;
use crate::profile::Profile;
use crate::store::scope::{Needs, Scope};
use crate::store::slot::{Entry, Outcome, Slot, Taken};
use crate::store::stripe::Found;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;
use crate::to_keys::ToKeys;
use crate::value::Value;

/// What OBJECT ENCODING answers of the value at a key of that length.
pub(crate) fn encoding(found: &Found<'_>, key: usize, profile: Profile) -> &'static str {
    let value = found.peek();
    let Some(Member::Bytes(bytes)) = value.as_str() else { return value.encoding() };
    let embeds = profile.embedding().holds(bytes.len(), key, found.expires_at().is_some());
    if embeds && !value.is_raw() { "embstr" } else { "raw" }
}

/// Commands on keys of any type: whether they exist, what they are called, what they hold.
///
/// # Errors
///
/// In a transaction, all of them fail on a key that it did not name.
impl<L: Locks> Store<L> {
    /// DEL: removes keys; returns how many there were. O(keys), and the size of what they hold.
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn del(&self, keys: impl ToKeys) -> Result<usize> {
        self.write(keys, |scope, keys| {
            Ok(keys.iter().filter(|&&key| scope.slot(key).delete()).count())
        })
    }

    /// UNLINK: as [`del`](Self::del). Redis frees the memory in another thread; here the caller's own frees it.
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn unlink(&self, keys: impl ToKeys) -> Result<usize> {
        self.del(keys)
    }

    /// EXISTS: whether there is such a key. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn exists(&self, key: impl ToKey) -> Result<bool> {
        self.read(key, |view, keys| Ok(view.find(keys[0]).is_some()))
    }

    /// EXISTS of several keys: how many of them exist; a key named twice counts twice. O(keys).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn exists_many(&self, keys: impl ToKeys) -> Result<usize> {
        self.read(keys, |view, keys| {
            let mut count = 0;
            view.find_each(keys, Needs::Existence, |found| count += usize::from(found.is_some()));
            Ok(count)
        })
    }

    /// TOUCH: marks keys as used just now; returns how many of them exist. O(keys).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn touch(&self, keys: impl ToKeys) -> Result<usize> {
        self.read(keys, |view, keys| {
            let mut count = 0;
            view.find_each(keys, Needs::Value, |found| {
                count += usize::from(found.map(|found| found.value(view.time())).is_some());
            });
            Ok(count)
        })
    }

    /// TYPE: the type of the value (`string`, `set`, ... or the name of a module's type), `None` if there
    /// is no such key. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn key_type(&self, key: impl ToKey) -> Result<Option<Cow<'static, str>>> {
        self.read(key, |view, keys| Ok(view.peek(keys[0]).map(Value::type_name)))
    }

    /// RENAME: gives a key another name, whatever was there under it. Value and expiry move along. O(1), and the size
    /// of what is replaced.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuchKey`] if there is no such key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{ErrorKind, Store};
    ///
    /// let store = Store::new();
    /// store.set("old", "v")?;
    /// store.rename("old", "new")?;
    /// assert_eq!((store.exists("old")?, store.exists("new")?), (false, true));
    /// assert_eq!(store.rename("old", "new").unwrap_err().kind(), ErrorKind::NoSuchKey);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn rename(&self, key: impl ToKey, new_key: impl ToKey) -> Result<()> {
        self.write((key, new_key), |scope, keys| rename(scope, keys[0], keys[1], false).map(|_| ()))
    }

    /// RENAMENX: as [`rename`](Self::rename), but only if the other name is free; `false` if it is not. O(1).
    ///
    /// # Errors
    ///
    /// As [`rename`](Self::rename).
    pub fn rename_nx(&self, key: impl ToKey, new_key: impl ToKey) -> Result<bool> {
        self.write((key, new_key), |scope, keys| rename(scope, keys[0], keys[1], true))
    }

    /// COPY: puts a copy of the value, with its expiry, at another key; `false` if there is no such key, or if the
    /// target is taken and not to be replaced. O(size of the value).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the target is the key itself.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{CopyOptions, Store};
    ///
    /// let store = Store::new();
    /// store.sadd("s", [1, 2])?;
    /// assert!(store.copy("s", "t", CopyOptions::default())?);
    /// assert!(!store.copy("s", "t", CopyOptions::default())?);
    /// assert!(store.copy("s", "t", CopyOptions::default().replace(true).db(3))?);
    /// assert_eq!(store.db(3).scard("t")?, 2);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn copy(
        &self,
        source: impl ToKey,
        destination: impl ToKey,
        options: CopyOptions,
    ) -> Result<bool> {
        self.write((source, destination), |scope, keys| copy(scope, keys[0], keys[1], options))
    }

    /// MOVE: takes a key, with its expiry, to another database; `false` if there is no such key, or one of that name
    /// there. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if it is in that database already.
    pub fn move_key(&self, key: impl ToKey, db: u32) -> Result<bool> {
        self.write(key, |scope, keys| move_key(scope, keys[0], db))
    }

    /// OBJECT ENCODING: how the value is kept, in Redis's words. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.sadd("s", [1, 2, 3])?;
    /// assert_eq!(store.object_encoding("s")?, Some("intset"));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn object_encoding(&self, key: impl ToKey) -> Result<Option<&'static str>> {
        self.read(key, |view, keys| {
            let found = view.find(keys[0]);
            Ok(found.map(|found| encoding(&found, keys[0].bytes.len(), view.shared().profile())))
        })
    }

    /// OBJECT IDLETIME: the seconds since a command last touched the key, without counting as a touch. `None` if there
    /// is no such key. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn object_idletime(&self, key: impl ToKey) -> Result<Option<u32>> {
        self.read(key, |view, keys| Ok(view.idle_secs(keys[0])))
    }

    /// OBJECT REFCOUNT: 1, or `i32::MAX` for the small integers of which Redis keeps one object for all. Here each
    /// key has its own value; the answer is Redis's. `None` if there is no such key. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn object_refcount(&self, key: impl ToKey) -> Result<Option<i64>> {
        self.read(key, |view, keys| Ok(view.peek(keys[0]).map(references)))
    }

    /// OBJECT FREQ: how often a key is used, which Redis returns only under an eviction policy that counts it. Nothing
    /// is evicted here, so there is no answer for a key that exists, and `None` for one that does not. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for every key that exists.
    pub fn object_freq(&self, key: impl ToKey) -> Result<Option<u8>> {
        self.read(key, |view, keys| match view.peek(keys[0]) {
            None => Ok(None),
            Some(_) => Err(Error::new(
                ErrorKind::InvalidArgument,
                "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when \
                 switching between policies at runtime LRU and LFU data will take some time to adjust.",
            )),
        })
    }

    /// What the key and its value take in memory, in bytes: the allocations of the value and of a long key with the
    /// allocator's own share, and the key's part of the tables. `None` if there is no such key. O(1) for blobs,
    /// O(members / 448) for a large set.
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn memory_usage(&self, key: impl ToKey) -> Result<Option<usize>> {
        self.read(key, |view, keys| Ok(view.find(keys[0]).map(Found::memory_usage)))
    }
}

/// How many references Redis says that a value has.
pub(crate) fn references(value: &Value) -> i64 {
    /// Redis's `OBJ_SHARED_INTEGERS`.
    const SHARED: i64 = 10_000;
    let shared = matches!(value, Value::Int(0..SHARED));
    if shared { i64::from(i32::MAX) } else { 1 }
}

/// How [`Store::copy`](crate::Store::copy) copies: by default within the database, and not over a key that is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CopyOptions {
    db: Option<u32>,
    replace: bool,
}

impl CopyOptions {
    /// DB: copies to the database of that number.
    pub const fn db(mut self, number: u32) -> Self {
        self.db = Some(number);
        self
    }

    /// REPLACE: whether the copy takes the place of a key that is there.
    pub const fn replace(mut self, replace: bool) -> Self {
        self.replace = replace;
        self
    }
}

/// Gives a value another name; `false` if that is taken and is not to be.
pub(crate) fn rename(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    to: HashedKey<'_>,
    only_free: bool,
) -> Result<bool> {
    if !scope.slot(key).exists() {
        return Err(Error::no_such_key());
    }
    let profile = scope.policy().profile;
    if key.bytes == to.bytes {
        return Ok(!only_free);
    }
    // In any case, so that sinks receive a target that has expired before the new name.
    let target_is_there = scope.slot(to).exists();
    if only_free && target_is_there {
        return Ok(false);
    }
    let words = || vec![Bytes::copy_from_slice(to.bytes)];
    let mut slot = scope.slot(key);
    let detached =
        slot.value().and_then(|value| detached(value, key.bytes, slot.expires_at_ms(), profile));
    let mut taken = slot.take(("RENAME", words));
    if let (Some(taken), Some(value)) = (&mut taken, detached) {
        taken.value = value;
    }
    drop(slot);
    arrive(scope.slot(to), taken);
    Ok(true)
}

/// The string of a key with which it does not fit into one block, as it goes on to another key or loses its expiry:
/// `raw`, however short that key is. `None` for any other value.
fn detached(value: &Value, key: &[u8], expires_at: Option<i64>, profile: Profile) -> Option<Value> {
    let Member::Bytes(bytes) = value.as_str()? else { return None };
    let embedding = profile.embedding();
    // One that fits beside no key is `raw` everywhere, and is not copied.
    let may_embed = embedding.goes_by_key() && embedding.holds(bytes.len(), 0, false);
    let embeds = embedding.holds(bytes.len(), key.len(), expires_at.is_some());
    (may_embed && !embeds).then(|| Value::raw_string(bytes.to_vec()))
}

/// PERSIST. A string that did not fit into one block with its expiry stays `raw` without it.
pub(crate) fn persist<K>(slot: &mut Entry<'_, K>) -> bool {
    let expires_at = slot.expires_at_ms();
    if expires_at.is_none() {
        return false;
    }
    let profile = slot.policy().profile;
    let value = slot.value().and_then(|value| detached(value, slot.key(), expires_at, profile));
    if let Some(raw) = value {
        // The same bytes: no change to report.
        slot.edit(
            |value| {
                *value = raw;
                ((), Outcome::Same)
            },
            |()| ("", Vec::new()),
        );
    }
    slot.persist()
}

/// Puts a value with its expiry where it is to be.
fn arrive(mut slot: Slot<'_>, taken: Option<Taken>) {
    if let Some(taken) = taken {
        slot.arrive(taken);
    }
}

fn copy(
    scope: &mut Scope<'_>,
    from: HashedKey<'_>,
    to: HashedKey<'_>,
    options: CopyOptions,
) -> Result<bool> {
    let db = options.db.unwrap_or(scope.db());
    if db == scope.db() && from.bytes == to.bytes {
        return Err(Error::same_object());
    }
    let profile = scope.policy().profile;
    let source = scope.slot(from);
    let expires_at = source.expires_at_ms();
    let Some(value) = source.value() else { return Ok(false) };
    let value = detached(value, from.bytes, expires_at, profile).unwrap_or_else(|| value.clone());
    drop(source);
    let target = scope.slot_in(db, to);
    if target.exists() && !options.replace {
        return Ok(false);
    }
    arrive(target, Some(Taken::new(value, expires_at)));
    scope.effect(|| {
        let words = [b"COPY", from.bytes, to.bytes, b"DB"].map(Bytes::copy_from_slice);
        let mut words = words.to_vec();
        words.extend([Bytes::from(db.to_string()), Bytes::from_static(b"REPLACE")]);
        words
    });
    Ok(true)
}

fn move_key(scope: &mut Scope<'_>, key: HashedKey<'_>, db: u32) -> Result<bool> {
    if db == scope.db() {
        return Err(Error::same_object());
    }
    let movable = scope.slot(key).exists() && !scope.slot_in(db, key).exists();
    if movable {
        let taken = scope.slot(key).take(("MOVE", || vec![Bytes::from(db.to_string())]));
        arrive(scope.slot_in(db, key), taken);
    }
    Ok(movable)
}
