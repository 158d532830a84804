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
use crate::to_key::{KeyRef, ToKey};

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
    pub fn set<'a>(&self, key: impl ToKey, value: impl Into<Member<'a>>) -> Result<()> {
        let value = checked(value.into())?;
        self.write([key], |scope, keys| {
            put(&mut scope.slot(keys[0]), value, Expires::Never);
            Ok(())
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
    pub fn set_options<'a>(
        &self,
        key: impl ToKey,
        value: impl Into<Member<'a>>,
        options: SetOptions,
    ) -> Result<SetOutcome> {
        set_with(self, key, value.into(), options, "set")
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
    pub fn set_ex<'a>(
        &self,
        key: impl ToKey,
        value: impl Into<Member<'a>>,
        seconds: u64,
    ) -> Result<()> {
        let options = SetOptions::default().with_expiration(SetExpiry::EX(seconds));
        set_with(self, key, value.into(), options, "setex").map(drop)
    }

    /// PSETEX: as [`set_ex`](Self::set_ex), in milliseconds.
    ///
    /// # Errors
    ///
    /// As [`set_ex`](Self::set_ex).
    pub fn pset_ex<'a>(
        &self,
        key: impl ToKey,
        value: impl Into<Member<'a>>,
        milliseconds: u64,
    ) -> Result<()> {
        let options = SetOptions::default().with_expiration(SetExpiry::PX(milliseconds));
        set_with(self, key, value.into(), options, "psetex").map(drop)
    }

    /// SETNX: puts a string at the key if there is no such key; `false` if there is one. O(length).
    ///
    /// # Errors
    ///
    /// A value of more than 512 MiB.
    pub fn set_nx<'a>(&self, key: impl ToKey, value: impl Into<Member<'a>>) -> Result<bool> {
        let value = checked(value.into())?;
        self.write([key], |scope, keys| {
            let mut slot = scope.slot(keys[0]);
            let new = !slot.exists();
            if new {
                put(&mut slot, value, Expires::Never);
            }
            Ok(new)
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
    pub fn mset<'a, K: ToKey, V>(&self, items: &'a [(K, V)]) -> Result<()>
    where
        &'a V: Into<Member<'a>>,
    {
        put_all(self, pairs(items), false).map(drop)
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
    pub fn mset_nx<'a, K: ToKey, V>(&self, items: &'a [(K, V)]) -> Result<bool>
    where
        &'a V: Into<Member<'a>>,
    {
        put_all(self, pairs(items), true)
    }

    /// GETSET: puts a string at the key and gives the old one back. The expiry is taken away. O(length).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string, and a value of more than
    /// 512 MiB.
    pub fn getset<'a>(
        &self,
        key: impl ToKey,
        value: impl Into<Member<'a>>,
    ) -> Result<Option<Bytes>> {
        let options = SetOptions::default().get(true);
        Ok(set_with(self, key, value.into(), options, "getset")?.old)
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

fn pairs<'a, K: ToKey, V>(items: &'a [(K, V)]) -> impl Iterator<Item = (KeyRef<'a>, Member<'a>)>
where
    &'a V: Into<Member<'a>>,
{
    items.iter().map(|(key, value)| (key.to_key(), value.into()))
}
