//! Commands on keys of any type.

use std::borrow::Cow;

use bytes::Bytes;

use super::{keys, slices};
use crate::error::{Error, ErrorKind};
use crate::key::HashedKey;
use crate::store::door::{Door, Scope};
use crate::store::slot::{Slot, Taken};
use crate::store::stripe::Found;
use crate::value::Value;

/// Commands on keys of any type: whether they exist, what they are called, what they hold.
///
/// # Errors
///
/// In a transaction, all of them fail on a key that it did not name.
pub trait KeyCommands: Door {
    /// DEL: removes keys; returns how many there were. O(keys), and the size of what they hold.
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    fn del<K: AsRef<[u8]>>(&self, of: impl IntoIterator<Item = K>) -> Result<usize, Error> {
        let of = keys(of);
        self.write(&slices(&of), |scope, keys| {
            Ok(keys.iter().filter(|&&key| scope.change(key, delete)).count())
        })
    }

    /// UNLINK: as [`del`](Self::del). Redis frees the memory in another thread; here the caller's own frees it.
    ///
    /// # Errors
    ///
    /// See [the trait](Self#errors).
    fn unlink<K: AsRef<[u8]>>(&self, of: impl IntoIterator<Item = K>) -> Result<usize, Error> {
        self.del(of)
    }

    /// EXISTS: how many of the keys exist; a key named twice counts twice. O(keys).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    fn exists<K: AsRef<[u8]>>(&self, of: impl IntoIterator<Item = K>) -> Result<usize, Error> {
        let of = keys(of);
        self.read(&slices(&of), |view, keys| {
            Ok(keys.iter().filter(|&&key| view.find(key).is_some()).count())
        })
    }

    /// TOUCH: marks keys as used just now; returns how many of them exist. O(keys).
    ///
    /// # Errors
    ///
    /// See [the trait](Self#errors).
    fn touch<K: AsRef<[u8]>>(&self, of: impl IntoIterator<Item = K>) -> Result<usize, Error> {
        let of = keys(of);
        self.read(&slices(&of), |view, keys| {
            Ok(keys.iter().filter(|&&key| view.get(key).is_some()).count())
        })
    }

    /// TYPE: the type of the value (`string`, `set`, ... or the name of a module's type), `None` if there
    /// is no such key. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    fn key_type(&self, key: impl AsRef<[u8]>) -> Result<Option<Cow<'static, str>>, Error> {
        self.read(&[key.as_ref()], |view, keys| Ok(view.peek(keys[0]).map(Value::type_name)))
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
    /// use tallis::{ErrorKind, Store, prelude::*};
    ///
    /// let store = Store::new();
    /// store.set("old", "v")?;
    /// store.rename("old", "new")?;
    /// assert_eq!((store.exists(["old"])?, store.exists(["new"])?), (0, 1));
    /// assert_eq!(store.rename("old", "new").unwrap_err().kind(), ErrorKind::NoSuchKey);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    fn rename(&self, key: impl AsRef<[u8]>, new_key: impl AsRef<[u8]>) -> Result<(), Error> {
        self.write(&[key.as_ref(), new_key.as_ref()], |scope, keys| {
            rename(scope, keys[0], keys[1], false).map(|_| ())
        })
    }

    /// RENAMENX: as [`rename`](Self::rename), but only if the other name is free; `false` if it is not. O(1).
    ///
    /// # Errors
    ///
    /// As [`rename`](Self::rename).
    fn rename_nx(&self, key: impl AsRef<[u8]>, new_key: impl AsRef<[u8]>) -> Result<bool, Error> {
        self.write(&[key.as_ref(), new_key.as_ref()], |scope, keys| {
            rename(scope, keys[0], keys[1], true)
        })
    }

    /// COPY: puts a copy of the value, with its expiry, at another key; `false` if there is no such key, or if the target
    /// is taken and not to be replaced. O(size of the value).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if the target is the key itself.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{CopyOptions, Store, prelude::*};
    ///
    /// let store = Store::new();
    /// store.sadd("s", [1, 2])?;
    /// assert!(store.copy("s", "t", CopyOptions::default())?);
    /// assert!(!store.copy("s", "t", CopyOptions::default())?);
    /// assert!(store.copy("s", "t", CopyOptions::default().replace(true).db(3))?);
    /// assert_eq!(store.db(3).scard("t")?, 2);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    fn copy(
        &self,
        source: impl AsRef<[u8]>,
        destination: impl AsRef<[u8]>,
        options: CopyOptions,
    ) -> Result<bool, Error> {
        self.write(&[source.as_ref(), destination.as_ref()], |scope, keys| {
            copy(scope, keys[0], keys[1], options)
        })
    }

    /// MOVE: takes a key, with its expiry, to another database; `false` if there is no such key, or one of that name
    /// there. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if it is in that database already.
    fn move_key(&self, key: impl AsRef<[u8]>, db: u32) -> Result<bool, Error> {
        self.write(&[key.as_ref()], |scope, keys| move_key(scope, keys[0], db))
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
    /// use tallis::{Store, prelude::*};
    ///
    /// let store = Store::new();
    /// store.sadd("s", [1, 2, 3])?;
    /// assert_eq!(store.object_encoding("s")?, Some("intset"));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    fn object_encoding(&self, key: impl AsRef<[u8]>) -> Result<Option<&'static str>, Error> {
        self.read(&[key.as_ref()], |view, keys| {
            let profile = view.shared().profile();
            Ok(view.peek(keys[0]).map(|value| value.encoding(profile)))
        })
    }

    /// OBJECT IDLETIME: the seconds since a command last touched the key, without counting as a touch. `None` if there is
    /// no such key. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    fn object_idletime(&self, key: impl AsRef<[u8]>) -> Result<Option<u32>, Error> {
        self.read(&[key.as_ref()], |view, keys| Ok(view.idle_secs(keys[0])))
    }

    /// OBJECT REFCOUNT: 1, or `i32::MAX` for the small whole numbers of which Redis keeps one object for all. Here each
    /// key has its own value; the answer is Redis's. `None` if there is no such key. O(1).
    ///
    /// # Errors
    ///
    /// See [the trait](Self#errors).
    fn object_refcount(&self, key: impl AsRef<[u8]>) -> Result<Option<i64>, Error> {
        self.read(&[key.as_ref()], |view, keys| Ok(view.peek(keys[0]).map(references)))
    }

    /// OBJECT FREQ: how often a key is used, which Redis tells only under a policy of eviction that counts it. Nothing is
    /// evicted here, so there is no answer for a key that exists, and `None` for one that does not. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for every key that exists.
    fn object_freq(&self, key: impl AsRef<[u8]>) -> Result<Option<u8>, Error> {
        self.read(&[key.as_ref()], |view, keys| match view.peek(keys[0]) {
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
    fn memory_usage(&self, key: impl AsRef<[u8]>) -> Result<Option<usize>, Error> {
        self.read(&[key.as_ref()], |view, keys| Ok(view.find(keys[0]).map(Found::memory_usage)))
    }
}

impl<D: Door> KeyCommands for D {}

/// How many references Redis says that a value has.
pub(crate) fn references(value: &Value) -> i64 {
    /// Redis's `OBJ_SHARED_INTEGERS`.
    const SHARED: i64 = 10_000;
    let shared = matches!(value, Value::Int(0..SHARED));
    if shared { i64::from(i32::MAX) } else { 1 }
}

/// How [`KeyCommands::copy`] copies: by default within the database, and not over a key that is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
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

/// Removes the key of a slot; `false` if there is none.
pub(crate) fn delete(slot: &mut Slot<'_, '_, '_>) -> bool {
    let removed = slot.remove();
    if removed {
        slot.changed("DEL", Vec::new);
    }
    removed
}

/// Gives a value another name; `false` if that is taken and is not to be.
pub(crate) fn rename(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    to: HashedKey<'_>,
    only_free: bool,
) -> Result<bool, Error> {
    if scope.change(key, |slot| slot.value().is_none()) {
        return Err(Error::no_such_key());
    }
    if key.bytes == to.bytes {
        return Ok(!only_free);
    }
    // In any case, so that sinks hear of a target that has expired before they hear of the new name.
    let target_is_there = scope.change(to, |slot| slot.value().is_some());
    if only_free && target_is_there {
        return Ok(false);
    }
    let taken = scope.change(key, |slot| {
        let taken = slot.take();
        slot.changed("RENAME", || vec![Bytes::copy_from_slice(to.bytes)]);
        taken
    });
    scope.change(to, |slot| arrive(slot, taken));
    Ok(true)
}

/// Puts a value with its expiry where it is to be.
fn arrive(slot: &mut Slot<'_, '_, '_>, taken: Option<Taken>) {
    if let Some(Taken { value, expires_at }) = taken {
        slot.put(value);
        slot.set_expiry(expires_at);
        slot.touched();
    }
}

fn copy(
    scope: &mut Scope<'_>,
    from: HashedKey<'_>,
    to: HashedKey<'_>,
    options: CopyOptions,
) -> Result<bool, Error> {
    let db = options.db.unwrap_or(scope.db());
    if db == scope.db() && from.bytes == to.bytes {
        return Err(same_object());
    }
    let copied = scope.change(from, |slot| {
        let expires_at = slot.expires_at();
        slot.value().map(|value| Taken { value: value.clone(), expires_at })
    });
    if copied.is_none() {
        return Ok(false);
    }
    let done = scope.change_in(db, to, |slot| {
        let free = options.replace || slot.value().is_none();
        if free {
            arrive(slot, copied);
        }
        free
    });
    if done {
        scope.note(|| {
            let words = [b"COPY", from.bytes, to.bytes, b"DB"].map(Bytes::copy_from_slice);
            let mut words = words.to_vec();
            words.extend([Bytes::from(db.to_string()), Bytes::from_static(b"REPLACE")]);
            words
        });
    }
    Ok(done)
}

fn move_key(scope: &mut Scope<'_>, key: HashedKey<'_>, db: u32) -> Result<bool, Error> {
    if db == scope.db() {
        return Err(same_object());
    }
    let movable = scope.change(key, |slot| slot.value().is_some())
        && scope.change_in(db, key, |slot| slot.value().is_none());
    if movable {
        let taken = scope.change(key, |slot| {
            let taken = slot.take();
            slot.changed("MOVE", || vec![Bytes::from(db.to_string())]);
            taken
        });
        scope.change_in(db, key, |slot| arrive(slot, taken));
    }
    Ok(movable)
}

#[cold]
fn same_object() -> Error {
    Error::new(ErrorKind::InvalidArgument, "ERR source and destination objects are the same")
}
