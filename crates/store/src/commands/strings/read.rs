//! Commands that read whole strings.

use std::borrow::Cow;

use bytes::Bytes;
use smallvec::SmallVec;

use super::string_at;
use crate::commands::byte_strings::copies;
use crate::error::{Error, Result};
use crate::member::Member;
use crate::store::scope::Needs;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;
use crate::to_keys::ToKeys;

/// Commands on strings.
///
/// A string has at most 512 MiB. The canonical decimal form of an `i64` is stored as an integer.
///
/// # Errors
///
/// All of them except those that overwrite the value return [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a
/// key holds no string. A call that fails changes nothing. In a transaction,
/// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) is returned for a key that was not named.
impl<L: Locks> Store<L> {
    /// GET: returns the string at the key, or `None` if it does not exist. O(length).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string.
    pub fn get(&self, key: impl ToKey) -> Result<Option<Bytes>> {
        self.read(key, |view, keys| Ok(string_at(view, keys[0])?.map(Member::to_bytes)))
    }

    /// GET without a copy: calls `read` with the string at the key, or `None` if it does not exist. O(1), plus the time
    /// of `read`.
    ///
    /// The key is locked while `read` runs: a command on the store inside it returns an error.
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
    /// store.set("text", "to be or not to be")?;
    /// let spaces = |text: &[u8]| text.iter().filter(|&&byte| byte == b' ').count();
    /// assert_eq!(store.get_with("text", |text| text.map(spaces))?, Some(5));
    /// assert_eq!(store.get_with("absent", |text| text.map(spaces))?, None);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[inline]
    pub fn get_with<R>(&self, key: impl ToKey, read: impl FnOnce(Option<&[u8]>) -> R) -> Result<R> {
        self.read(key, |view, keys| {
            let string = string_at(view, keys[0])?;
            let _holding = self.holding();
            Ok(match string {
                Some(string) => string.with_bytes(|bytes| read(Some(bytes))),
                None => read(None),
            })
        })
    }

    /// GET of an integer: returns the number that INCR works on, without formatting it. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string,
    /// [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) if the string is not a 64-bit integer.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.set("n", "41")?;
    /// assert_eq!(store.incr("n", 1)?, 42);
    /// assert_eq!(store.get_int("n")?, Some(42));
    /// assert_eq!(store.get_int("absent")?, None);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[inline]
    pub fn get_int(&self, key: impl ToKey) -> Result<Option<i64>> {
        self.read(key, |view, keys| {
            let number = |string: Member<'_>| string.as_int().ok_or_else(Error::not_integer);
            string_at(view, keys[0])?.map(number).transpose()
        })
    }

    /// MGET: returns the strings at the keys, all read at one point in time; `None` for a key that does not exist or
    /// holds no string. O(keys + bytes).
    ///
    /// From five keys on, strings of up to 64 bytes on average share one buffer, which is freed when the last of them
    /// is dropped.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) in a transaction that did not name the key. A wrong
    /// type is not an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.mset(&[("a", 1), ("b", 2)])?;
    /// assert_eq!(store.mget(["b", "none"])?, [Some("2".into()), None]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn mget(&self, keys: impl ToKeys) -> Result<Vec<Option<Bytes>>> {
        self.read(keys, |view, keys| {
            let mut strings = SmallVec::<[Option<Member<'_>>; 4]>::with_capacity(keys.len());
            view.find_each(keys, Needs::Value, |found| {
                strings.push(found.and_then(|found| found.value(view.time()).as_str()));
            });
            Ok(copies(&strings))
        })
    }

    /// MGET without a copy: calls `work` with the strings at several keys, all of one point in time; `None` for a key
    /// that does not exist. The keys are locked for reading while `work` runs: a command on the store inside it returns
    /// an error. O(keys), plus the time of `work`.
    ///
    /// # Errors
    ///
    /// The error of `work`. [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string, unlike
    /// MGET.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.set("a", "words")?;
    /// store.set("b", 12)?;
    /// let len = |string: &Option<&[u8]>| string.map_or(0, <[u8]>::len);
    /// let lens = store.with_strings_read(["a", "b", "none"], |strings| {
    ///     Ok(strings.iter().map(len).collect::<Vec<_>>())
    /// })?;
    /// assert_eq!(lens, [5, 2, 0]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn with_strings_read<R>(
        &self,
        keys: impl ToKeys,
        work: impl FnOnce(&[Option<&[u8]>]) -> Result<R>,
    ) -> Result<R> {
        self.read(keys, |view, keys| {
            let _holding = self.holding();
            view.prefetch(keys);
            let mut strings = SmallVec::<[Option<Cow<'_, [u8]>>; 4]>::with_capacity(keys.len());
            for &key in keys {
                strings.push(string_at(view, key)?.map(|string| match string {
                    Member::Bytes(bytes) => Cow::Borrowed(bytes),
                    Member::Int(_) => Cow::Owned(string.with_bytes(<[u8]>::to_vec)),
                }));
            }
            let strings: SmallVec<[Option<&[u8]>; 4]> =
                strings.iter().map(Option::as_deref).collect();
            work(&strings)
        })
    }

    /// STRLEN: returns the length of the string at the key in bytes, or 0 if it does not exist. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string.
    pub fn strlen(&self, key: impl ToKey) -> Result<usize> {
        self.read(key, |view, keys| Ok(string_at(view, keys[0])?.map_or(0, Member::byte_len)))
    }
}
