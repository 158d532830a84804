//! Commands that set, replace and remove whole strings.

use std::borrow::Borrow;

use bytes::Bytes;
use smallvec::SmallVec;

use super::entry::put;
use super::{
    ExistenceCheck, Expiry, ExpiryChange, MSetOptions, SetOptions, SetOutcome, StringEntry,
    ValueComparison, get_with, put_all, set_with,
};
use crate::commands::{Time, Unit, checked};
use crate::error::Result;
use crate::member::Member;
use crate::store::slot::Expires;
use crate::store::{Locks, Store};
use crate::to_expiry::ToSpan;
use crate::to_key::ToKey;
use crate::to_keys::KeysOfPairs;
use crate::to_member::ToMember;

/// Commands that set, replace or remove whole strings.
impl<L: Locks> Store<L> {
    /// SET: sets the string at the key, replacing a value of any type, and removes the expiry. O(length).
    ///
    /// # Errors
    ///
    /// The value exceeds 512 MiB.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
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

    /// SET with options: sets the string at the key, with a condition, the return of the old string, or an expiry.
    /// O(length).
    ///
    /// An expiry in the past removes the key.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if the expiry is zero or does not fit 63 bits of milliseconds,
    /// or the value exceeds 512 MiB; [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the old string is
    /// requested and the key holds no string.
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

    /// SETEX: sets the string at the key, with an expiry `seconds` from now (at least 1). O(length).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if `seconds` is zero or does not fit 63 bits of milliseconds, or
    /// the value exceeds 512 MiB.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.set_ex("code", 4711, 30)?;
    /// assert_eq!(store.ttl("code")?.secs(), 30);
    /// let error = store.set_ex("code", 4711, 0).unwrap_err();
    /// assert_eq!(error.to_string(), "ERR invalid expire time in 'setex' command");
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn set_ex(
        &self,
        key: impl ToKey,
        value: impl ToMember,
        seconds: impl ToSpan,
    ) -> Result<()> {
        value.with_member(|value| {
            set_with(self, key, value, expiring(seconds.to_span_ms(1000)), "setex").map(drop)
        })
    }

    /// PSETEX: as [`set_ex`](Self::set_ex), in milliseconds.
    ///
    /// # Errors
    ///
    /// As [`set_ex`](Self::set_ex).
    pub fn pset_ex(
        &self,
        key: impl ToKey,
        value: impl ToMember,
        milliseconds: impl ToSpan,
    ) -> Result<()> {
        value.with_member(|value| {
            set_with(self, key, value, expiring(milliseconds.to_span_ms(1)), "psetex").map(drop)
        })
    }

    /// SETNX: sets the string at the key if the key does not exist; returns whether it was set. O(length).
    ///
    /// # Errors
    ///
    /// The value exceeds 512 MiB.
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

    /// MSET: sets the strings at several keys atomically, and removes their expiries. If a key is given twice, the last
    /// value counts. O(keys + bytes).
    ///
    /// # Errors
    ///
    /// A value exceeds 512 MiB.
    ///
    /// # Examples
    ///
    /// See [`mget`](Self::mget).
    pub fn mset<K: ToKey, V: ToMember>(
        &self,
        items: impl IntoIterator<Item: Borrow<(K, V)>>,
    ) -> Result<()> {
        put_pairs(self, items, MSetOptions::default()).map(drop)
    }

    /// MSETNX: as [`mset`](Self::mset), but sets nothing and returns `false` if any of the keys exists.
    ///
    /// # Errors
    ///
    /// As [`mset`](Self::mset).
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// assert!(store.mset_nx(&[("a", "x"), ("b", "y")])?);
    /// assert!(!store.mset_nx(&[("b", "z"), ("c", "z")])?);
    /// assert!(!store.exists("c")?);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn mset_nx<K: ToKey, V: ToMember>(
        &self,
        items: impl IntoIterator<Item: Borrow<(K, V)>>,
    ) -> Result<bool> {
        put_pairs(self, items, MSetOptions::default().conditional_set(ExistenceCheck::NX))
    }

    /// MSETEX: as [`mset`](Self::mset), with a condition on the keys and one expiry for all of them; returns `false` if
    /// the condition does not hold. Sinks receive a SET for each key.
    ///
    /// # Errors
    ///
    /// As [`mset`](Self::mset); [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if the expiry is zero or does not fit
    /// 63 bits of milliseconds.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{ExistenceCheck, MSetOptions, SetExpiry, Store};
    ///
    /// let store = Store::new();
    /// let options = MSetOptions::default()
    ///     .conditional_set(ExistenceCheck::NX)
    ///     .with_expiration(SetExpiry::EX(60));
    /// assert!(store.mset_ex(&[("a", "x"), ("b", "y")], options)?);
    /// assert!(!store.mset_ex(&[("b", "z"), ("c", "z")], options)?);
    /// assert_eq!(store.ttl("b")?.secs(), 60);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn mset_ex<K: ToKey, V: ToMember>(
        &self,
        items: impl IntoIterator<Item: Borrow<(K, V)>>,
        options: MSetOptions,
    ) -> Result<bool> {
        put_pairs(self, items, options)
    }

    /// GETSET: sets the string at the key and returns the old one. The expiry is removed. O(length).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string; an error if the value exceeds
    /// 512 MiB.
    pub fn getset(&self, key: impl ToKey, value: impl ToMember) -> Result<Option<Bytes>> {
        value.with_member(|value| {
            let options = SetOptions::default().get(true);
            Ok(set_with(self, key, value, options, "getset")?.old)
        })
    }

    /// GETDEL: removes the key and returns its string, or `None` if it does not exist. O(length).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
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

    /// DELIFEQ: removes the key if the string at it satisfies the comparison; returns `false` if it does not, or the
    /// key does not exist. O(length).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string.
    ///
    /// # Examples
    ///
    /// See [`ValueComparison`].
    pub fn del_ex(&self, key: impl ToKey, comparison: &ValueComparison) -> Result<bool> {
        self.entry(key, |entry: &mut StringEntry<'_>| {
            Ok(comparison.holds(entry.get()) && entry.delete())
        })
    }

    /// GETEX: returns the string at the key and changes the key's expiry. O(length).
    ///
    /// An expiry in the past removes the key.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string;
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) if the key exists and the expiry is zero or does not fit 63 bits
    /// of milliseconds.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{Expiry, Store, Ttl};
    ///
    /// let store = Store::new();
    /// store.set("session", "data")?;
    /// assert_eq!(store.get_ex("session", Expiry::EX(1800))?, Some("data".into()));
    /// assert_eq!(store.ttl("session")?.secs(), 1800);
    /// store.get_ex("session", Expiry::PERSIST)?;
    /// assert_eq!(store.ttl("session")?, Ttl::Never);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn get_ex(&self, key: impl ToKey, expiry: impl Into<Expiry>) -> Result<Option<Bytes>> {
        get_with(self, key, || Ok(ExpiryChange::from(expiry.into())))
    }
}

/// SET with a time to live in milliseconds; `None`, for one that does not fit, is refused.
fn expiring(ms: Option<i64>) -> SetOptions {
    let time = Time { unit: Unit::Milliseconds, absolute: false, amount: ms.unwrap_or(0) };
    SetOptions::default().ttl(ExpiryChange::Until(time))
}

fn put_pairs<K: ToKey, V: ToMember, I: Borrow<(K, V)>>(
    store: &Store<impl Locks>,
    items: impl IntoIterator<Item = I>,
    options: MSetOptions,
) -> Result<bool> {
    let items: SmallVec<[I; 4]> = items.into_iter().collect();
    let keys = KeysOfPairs::new(&items);
    let values = items.iter().map(|item| &item.borrow().1);
    V::with_each(values, |values| put_all(store, keys, values, options))
}
