//! Putting whole strings at keys, and taking them away.

use bytes::Bytes;

use super::entry::put;
use super::{
    Expiry, SetExpiry, SetOptions, SetOutcome, StringEntry, Ttl, get_with, put_all, set_with,
};
use crate::commands::checked;
use crate::error::Result;
use crate::member::Member;
use crate::store::slot::Expires;
use crate::store::{Locks, Store};
use crate::to_key::{KeysOfPairs, ToKey};
use crate::to_member::ToMember;

/// Commands that put whole strings at keys, or take them away.
impl<L: Locks> Store<L> {
    /// SET: puts a string at the key, whatever was there, and takes its expiry away. O(length).
    ///
    /// # Errors
    ///
    /// A value of more than 512 MiB.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.set("name", "Thomas")?;
    /// store.set("born", 1505)?;
    /// assert_eq!(store.get("born")?.as_deref(), Some(&b"1505"[..]));
    /// assert_eq!(store.object_encoding("born")?, Some("int"));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn set(&self, key: impl ToKey, value: impl ToMember) -> Result<()> {
        value.with_member(|value| {
            checked(value)?;
            self.write(key, |scope, keys| {
                put(&mut scope.slot(keys[0]), value, Expires::Never);
                Ok(())
            })
        })
    }

    /// SET with options: a condition, the old string back, an expiry. O(length).
    ///
    /// A key whose new expiry is past is gone at once.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) for an expiry of zero or beyond 63 bits of milliseconds, and for
    /// a value of more than 512 MiB; [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the old string was asked
    /// for and the key holds none.
    ///
    /// # Examples
    ///
    /// See [`SetOptions`].
    pub fn set_options(
        &self,
        key: impl ToKey,
        value: impl ToMember,
        options: SetOptions,
    ) -> Result<SetOutcome> {
        value.with_member(|value| set_with(self, key, value, options, "set"))
    }

    /// SETEX: puts a string at the key that expires `seconds` from now, 1 at least. O(length).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) for zero seconds, for a time beyond 63 bits of milliseconds, and
    /// for a value of more than 512 MiB.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.set_ex("code", 4711, 30)?;
    /// assert_eq!(store.ttl("code")?, 30);
    /// let error = store.set_ex("code", 4711, 0).unwrap_err();
    /// assert_eq!(error.to_string(), "ERR invalid expire time in 'setex' command");
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn set_ex(&self, key: impl ToKey, value: impl ToMember, seconds: u64) -> Result<()> {
        value.with_member(|value| {
            let options = SetOptions::default().with_expiration(SetExpiry::EX(seconds));
            set_with(self, key, value, options, "setex").map(drop)
        })
    }

    /// PSETEX: as [`set_ex`](Self::set_ex), in milliseconds.
    ///
    /// # Errors
    ///
    /// As [`set_ex`](Self::set_ex).
    pub fn pset_ex(&self, key: impl ToKey, value: impl ToMember, milliseconds: u64) -> Result<()> {
        value.with_member(|value| {
            let options = SetOptions::default().with_expiration(SetExpiry::PX(milliseconds));
            set_with(self, key, value, options, "psetex").map(drop)
        })
    }

    /// SETNX: puts a string at the key if there is no such key; `false` if there is one. O(length).
    ///
    /// # Errors
    ///
    /// A value of more than 512 MiB.
    pub fn set_nx(&self, key: impl ToKey, value: impl ToMember) -> Result<bool> {
        value.with_member(|value| {
            checked(value)?;
            self.write(key, |scope, keys| {
                let mut slot = scope.slot(keys[0]);
                let new = !slot.exists();
                if new {
                    put(&mut slot, value, Expires::Never);
                }
                Ok(new)
            })
        })
    }

    /// MSET: puts strings at keys, all in one atomic step, and takes their expiries away. Of a key that is named twice
    /// the last one counts. O(keys), and the lengths.
    ///
    /// # Errors
    ///
    /// A value of more than 512 MiB.
    ///
    /// # Examples
    ///
    /// See [`mget`](Self::mget).
    pub fn mset<K: ToKey, V: ToMember>(&self, items: &[(K, V)]) -> Result<()> {
        put_pairs(self, items, false).map(drop)
    }

    /// MSETNX: as [`mset`](Self::mset), but sets none and answers `false` if any of the keys exists.
    ///
    /// # Errors
    ///
    /// As [`mset`](Self::mset).
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// assert!(store.mset_nx(&[("a", "x"), ("b", "y")])?);
    /// assert!(!store.mset_nx(&[("b", "z"), ("c", "z")])?);
    /// assert!(!store.exists("c")?);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn mset_nx<K: ToKey, V: ToMember>(&self, items: &[(K, V)]) -> Result<bool> {
        put_pairs(self, items, true)
    }

    /// GETSET: puts a string at the key and gives the old one back. The expiry is taken away. O(length).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string, and a value of more than
    /// 512 MiB.
    pub fn getset(&self, key: impl ToKey, value: impl ToMember) -> Result<Option<Bytes>> {
        value.with_member(|value| {
            let options = SetOptions::default().get(true);
            Ok(set_with(self, key, value, options, "getset")?.old)
        })
    }

    /// GETDEL: gives the string at the key and removes the key. O(length).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.set("token", "abc")?;
    /// assert_eq!(store.get_del("token")?, Some("abc".into()));
    /// assert_eq!(store.get_del("token")?, None);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn get_del(&self, key: impl ToKey) -> Result<Option<Bytes>> {
        self.entry(key, |entry: &mut StringEntry<'_>| {
            let old = entry.get().map(Member::to_bytes);
            entry.delete();
            Ok(old)
        })
    }

    /// GETEX: gives the string at the key and changes when it expires. O(length).
    ///
    /// A key whose new expiry is past is gone at once.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string;
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) for an expiry of zero or beyond 63 bits of milliseconds, if
    /// there is a string.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{Expiry, Store};
    ///
    /// let store = Store::new();
    /// store.set("session", "data")?;
    /// assert_eq!(store.get_ex("session", Expiry::EX(1800))?, Some("data".into()));
    /// assert_eq!(store.ttl("session")?, 1800);
    /// store.get_ex("session", Expiry::PERSIST)?;
    /// assert_eq!(store.ttl("session")?, -1);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn get_ex(&self, key: impl ToKey, expire_at: Expiry) -> Result<Option<Bytes>> {
        get_with(self, key, || Ok(Ttl::from(expire_at)))
    }
}

fn put_pairs<K: ToKey, V: ToMember>(
    store: &Store<impl Locks>,
    items: &[(K, V)],
    only_new: bool,
) -> Result<bool> {
    let values = items.iter().map(|(_, value)| value);
    V::with_each(values, |values| put_all(store, KeysOfPairs(items), values, only_new))
}
