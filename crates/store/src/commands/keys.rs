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

/// The reply of OBJECT ENCODING for the value at a key of that length.
pub(crate) fn encoding(found: &Found<'_>, key: usize, profile: Profile) -> &'static str {
    let value = found.peek();
    let Some(Member::Bytes(bytes)) = value.as_str() else { return value.encoding() };
    let embeds = profile.embedding().holds(bytes.len(), key, found.expires_at().is_some());
    if embeds && !value.is_raw() { "embstr" } else { "raw" }
}

/// Commands on keys of any type: existence, names, copies, encodings, memory.
///
/// # Errors
///
/// In a transaction, all of them return [`ErrorKind::KeyNotNamed`] for a key that was not named.
impl<L: Locks> Store<L> {
    /// DEL: deletes keys; returns how many existed. O(keys + members).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    pub fn del(&self, keys: impl ToKeys) -> Result<usize> {
        self.write(keys, |scope, keys| {
            Ok(keys.iter().filter(|&&key| scope.slot(key).delete()).count())
        })
    }

    /// UNLINK: as [`del`](Self::del). Redis frees the memory in another thread; here the calling thread frees it, after
    /// it has released its locks.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    pub fn unlink(&self, keys: impl ToKeys) -> Result<usize> {
        self.del(keys)
    }

    /// EXISTS: returns whether the key exists. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    pub fn exists(&self, key: impl ToKey) -> Result<bool> {
        self.read(key, |view, keys| Ok(view.find(keys[0]).is_some()))
    }

    /// EXISTS of several keys: returns how many of them exist; a key that is given twice counts twice. O(keys).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    pub fn exists_many(&self, keys: impl ToKeys) -> Result<usize> {
        self.read(keys, |view, keys| {
            let mut count = 0;
            view.find_each(keys, Needs::Existence, |found| count += usize::from(found.is_some()));
            Ok(count)
        })
    }

    /// TOUCH: sets the access time of keys to now; returns how many of them exist. O(keys).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    pub fn touch(&self, keys: impl ToKeys) -> Result<usize> {
        self.read(keys, |view, keys| {
            let mut count = 0;
            view.find_each(keys, Needs::Value, |found| {
                count += usize::from(found.map(|found| found.value(view.time())).is_some());
            });
            Ok(count)
        })
    }

    /// TYPE: returns the type of the value (`string`, `set`, ... or the name of a module's type), or `None` if the key
    /// does not exist. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    pub fn key_type(&self, key: impl ToKey) -> Result<Option<Cow<'static, str>>> {
        self.read(key, |view, keys| Ok(view.peek(keys[0]).map(Value::type_name)))
    }

    /// RENAME: renames a key, replacing a key with the new name. Value and expiry are moved. O(1), and O(members) of
    /// the value that is replaced.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NoSuchKey`] if the key does not exist.
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

    /// RENAMENX: as [`rename`](Self::rename), but only if the new name does not exist; returns `false` if it does.
    /// O(1).
    ///
    /// # Errors
    ///
    /// As [`rename`](Self::rename).
    pub fn rename_nx(&self, key: impl ToKey, new_key: impl ToKey) -> Result<bool> {
        self.write((key, new_key), |scope, keys| rename(scope, keys[0], keys[1], true))
    }

    /// COPY: copies the value and its expiry to another key; returns `false` if the key does not exist, or if the
    /// target exists and is not to be replaced. O(size of the value).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if source and target are the same key.
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

    /// MOVE: moves a key and its expiry to another database; returns `false` if the key does not exist, or exists there
    /// already. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if it is the same database.
    pub fn move_key(&self, key: impl ToKey, db: u32) -> Result<bool> {
        self.write(key, |scope, keys| move_key(scope, keys[0], db))
    }

    /// OBJECT ENCODING: returns the name of the value's encoding, as Redis does, or `None` if the key does not exist.
    /// O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
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

    /// OBJECT IDLETIME: returns the seconds since the last access of the key, or `None` if it does not exist. Does not
    /// count as an access. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    pub fn object_idletime(&self, key: impl ToKey) -> Result<Option<u32>> {
        self.read(key, |view, keys| Ok(view.idle_secs(keys[0])))
    }

    /// OBJECT REFCOUNT: returns 1, or `i32::MAX` for small integers, which Redis shares between keys, or `None` if the
    /// key does not exist. Here each key has its own value; the number is only Redis's reply. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    pub fn object_refcount(&self, key: impl ToKey) -> Result<Option<i64>> {
        self.read(key, |view, keys| Ok(view.peek(keys[0]).map(references)))
    }

    /// OBJECT FREQ: returns `None` if the key does not exist. Redis returns the access frequency under an LFU eviction
    /// policy; this store does not evict and does not record it. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the key exists.
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

    /// Returns the memory of a key and its value, in bytes: the allocations of the value and of a long key, including
    /// the allocator's overhead, and the key's part of the tables; `None` if the key does not exist. O(1) for values in
    /// one allocation, O(members / 448) for a large set.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    pub fn memory_usage(&self, key: impl ToKey) -> Result<Option<usize>> {
        self.read(key, |view, keys| Ok(view.find(keys[0]).map(Found::memory_usage)))
    }
}

/// The reference count that Redis reports for a value.
pub(crate) fn references(value: &Value) -> i64 {
    /// Redis's `OBJ_SHARED_INTEGERS`.
    const SHARED: i64 = 10_000;
    let shared = matches!(value, Value::Int(0..SHARED));
    if shared { i64::from(i32::MAX) } else { 1 }
}

/// The options of [`Store::copy`](crate::Store::copy). Default: within the database, without replacing an existing key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CopyOptions {
    db: Option<u32>,
    replace: bool,
}

impl CopyOptions {
    /// DB: copies to the database with that number.
    pub const fn db(mut self, number: u32) -> Self {
        self.db = Some(number);
        self
    }

    /// REPLACE: sets whether the copy replaces an existing key.
    pub const fn replace(mut self, replace: bool) -> Self {
        self.replace = replace;
        self
    }
}

/// Renames a key; returns `false` if the new name exists and must not be replaced.
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
    // Checked in all cases, so that sinks receive the drop of an expired target before the new name.
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

/// The string of a key that does not fit in one block together with the key, if it moves to another key or loses its
/// expiry: it becomes `raw`, even for a short key. `None` for any other value.
fn detached(value: &Value, key: &[u8], expires_at: Option<i64>, profile: Profile) -> Option<Value> {
    let Member::Bytes(bytes) = value.as_str()? else { return None };
    let embedding = profile.embedding();
    // A string that fits with no key is `raw` everywhere, and is not copied.
    let may_embed = embedding.goes_by_key() && embedding.holds(bytes.len(), 0, false);
    let embeds = embedding.holds(bytes.len(), key.len(), expires_at.is_some());
    (may_embed && !embeds).then(|| Value::raw_string(bytes.to_vec()))
}

/// PERSIST. A string that did not fit in one block together with its expiry remains `raw` without it.
pub(crate) fn persist<K>(slot: &mut Entry<'_, K>) -> bool {
    let expires_at = slot.expires_at_ms();
    if expires_at.is_none() {
        return false;
    }
    let profile = slot.policy().profile;
    let value = slot.value().and_then(|value| detached(value, slot.key(), expires_at, profile));
    if let Some(raw) = value {
        // The same bytes: there is no change to report.
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

/// Stores a value and its expiry at the target.
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
