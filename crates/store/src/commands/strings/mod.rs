//! Commands on strings.
//!
//! | module | what it does |
//! |---|---|
//! | `set` | puts whole strings at keys, and takes them away |
//! | `counters` | counts strings up and down |
//! | `parts` | reads and writes parts of strings, and compares two |
//! | `options` | the options and answers of these |

mod entry;
mod lcs;
mod options;
mod parts;
mod set;
pub(super) mod table;

use std::borrow::Cow;

use bytes::Bytes;
use smallvec::SmallVec;

use super::{checked, keys as gathered, slices};
use crate::error::{Error, Result};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::locks::Holding;
use crate::store::scope::View;
use crate::store::slot::Expires;
use crate::store::slot::Slot;
use crate::store::{Locks, Store};

pub use options::{
    ExistenceCheck, Expiry, LcsMatch, LcsMatches, SetExpiry, SetOptions, SetOutcome,
};

use crate::to_key::{KeyRef, ToKey};
pub use entry::{StringEntry, StringKind};
pub(crate) use options::{Time, Ttl, Unit};
pub(crate) use parts::{common, common_len, common_runs, common_text};
pub(crate) use set::{get_with, put_all, set_with};

/// Commands on strings.
///
/// A string is at most 512 MiB long. One that is the canonical decimal form of an `i64` is kept as that number.
///
/// # Errors
///
/// All of them but the ones that put a whole string fail with [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a
/// key holds no string. A call that fails changes nothing. In a transaction, a key that it did not name is an error.
impl<L: Locks> Store<L> {
    /// GET: the string at the key. O(length).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string.
    pub fn get(&self, key: impl ToKey) -> Result<Option<Bytes>> {
        self.read([key], |view, keys| Ok(string_at(view, keys[0])?.map(Member::to_bytes)))
    }

    /// GET without a copy: lets `read` see the string at the key. O(1), beside what `read` does.
    ///
    /// The lock of the key is held while `read` runs: a call on the store inside fails.
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
    /// store.set("text", "to be or not to be")?;
    /// let spaces = |text: &[u8]| text.iter().filter(|&&byte| byte == b' ').count();
    /// assert_eq!(store.get_with("text", |text| text.map(spaces))?, Some(5));
    /// assert_eq!(store.get_with("absent", |text| text.map(spaces))?, None);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[inline]
    pub fn get_with<R>(&self, key: impl ToKey, read: impl FnOnce(Option<&[u8]>) -> R) -> Result<R> {
        self.read([key], |view, keys| {
            let string = string_at(view, keys[0])?;
            let _holding = Holding::new(view.shared());
            Ok(match string {
                Some(string) => string.with_bytes(|bytes| read(Some(bytes))),
                None => read(None),
            })
        })
    }

    /// GET of a number: what INCR works on, without text made of it. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string,
    /// [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) if the string is no number of 64 bits.
    ///
    /// # Examples
    ///
    /// ```
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
        self.read([key], |view, keys| {
            let number = |string: Member<'_>| string.as_int().ok_or_else(Error::not_integer);
            string_at(view, keys[0])?.map(number).transpose()
        })
    }

    /// MGET: the strings at the keys, all read at one point in time; `None` for a key that does not exist or holds no
    /// string. O(keys), and their lengths.
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name; never a wrong type.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.mset(&[("a", 1), ("b", 2)])?;
    /// assert_eq!(store.mget(["b", "none"])?, [Some("2".into()), None]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn mget<K: ToKey>(&self, of: impl IntoIterator<Item = K>) -> Result<Vec<Option<Bytes>>> {
        let of = gathered(of);
        self.read(slices(&of), |view, keys| {
            let string = |&key| view.get(key)?.as_str().map(Member::to_bytes);
            Ok(keys.iter().map(string).collect())
        })
    }

    /// MGET without a copy: lets `work` read the strings at several keys where they lie, all of one time; `None` for a key
    /// that does not exist. The locks of the keys are held for reading while `work` runs: what it asks of the store itself is
    /// refused. O(keys).
    ///
    /// # Errors
    ///
    /// That of `work`. [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if a key holds no string, unlike MGET.
    ///
    /// # Examples
    ///
    /// ```
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
    pub fn with_strings_read<K: ToKey, R>(
        &self,
        of: impl IntoIterator<Item = K>,
        work: impl FnOnce(&[Option<&[u8]>]) -> Result<R>,
    ) -> Result<R> {
        let of = gathered(of);
        self.read(slices(&of), |view, keys| {
            let _holding = Holding::new(view.shared());
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
            entry::put(&mut scope.slot(keys[0]), value, Expires::Never);
            Ok(())
        })
    }

    /// SET with options: a condition, the old string back, an expiry. O(length).
    ///
    /// A key whose new expiry is past is gone at once.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) for an expiry of zero or beyond 63 bits of milliseconds, and for a
    /// value of more than 512 MiB; [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the old string was asked for
    /// and the key holds none.
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
                entry::put(&mut slot, value, Expires::Never);
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
    /// assert_eq!(store.exists(["c"])?, 0);
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
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) for an expiry of zero or beyond 63 bits of milliseconds, if there
    /// is a string.
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

    /// STRLEN: the length of the string at the key in bytes, 0 if there is no such key. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string.
    pub fn strlen(&self, key: impl ToKey) -> Result<usize> {
        self.read([key], |view, keys| Ok(string_at(view, keys[0])?.map_or(0, Member::byte_len)))
    }

    /// APPEND: puts bytes behind the string at the key, which may be new, and returns its length. An expiry stays.
    /// Amortised O(bytes appended).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string, and a string that would be longer
    /// than 512 MiB.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// assert_eq!(store.append("log", "one;")?, 4);
    /// assert_eq!(store.append("log", "two;")?, 8);
    /// assert_eq!(store.getrange("log", 4, -1)?, "two;");
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn append<'a>(&self, key: impl ToKey, value: impl Into<Member<'a>>) -> Result<usize> {
        let value = checked(value.into())?;
        self.entry(key, |entry: &mut StringEntry<'_>| entry.append(value))
    }

    /// GETRANGE, and SUBSTR: the bytes from one offset to another, both included; negative ones count from the end. What
    /// lies outside is cut off. O(bytes returned).
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
    /// store.set("k", "Hello World")?;
    /// assert_eq!(store.getrange("k", 0, 4)?, "Hello");
    /// assert_eq!(store.getrange("k", -5, 100)?, "World");
    /// assert_eq!(store.getrange("none", 0, -1)?, "");
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn getrange(&self, key: impl ToKey, from: i64, to: i64) -> Result<Bytes> {
        self.read([key], |view, keys| parts::range_of(view, keys[0], from, to))
    }

    /// SETRANGE: writes bytes at an offset of the string at the key, which may be new, with zeros up to there, and returns
    /// its length. Without bytes it changes nothing. An expiry stays. O(bytes written), and the zeros.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string, and a string that would be longer
    /// than 512 MiB.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.set("k", "Hello World")?;
    /// assert_eq!(store.setrange("k", 6, "Redis")?, 11);
    /// assert_eq!(store.get("k")?, Some("Hello Redis".into()));
    /// assert_eq!(store.setrange("new", 2, "x")?, 3);
    /// assert_eq!(store.get("new")?, Some("\0\0x".into()));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn setrange<'a>(
        &self,
        key: impl ToKey,
        offset: usize,
        value: impl Into<Member<'a>>,
    ) -> Result<usize> {
        let value = checked(value.into())?;
        self.entry(key, |entry: &mut StringEntry<'_>| entry.set_range(offset, value))
    }

    /// INCRBY: adds `delta` to the number at the key, 0 if there is none, and returns the sum. An expiry stays. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string, and
    /// [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) if the string is not an integer or the sum leaves
    /// the range of `i64`.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// assert_eq!(store.incr("n", 5)?, 5);
    /// assert_eq!(store.decr("n", 7)?, -2);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn incr(&self, key: impl ToKey, delta: impl Into<i64>) -> Result<i64> {
        let delta = delta.into();
        self.entry(key, |entry: &mut StringEntry<'_>| entry.incr(delta))
    }

    /// DECRBY: as [`incr`](Self::incr), but takes `delta` away.
    ///
    /// # Errors
    ///
    /// As [`incr`](Self::incr); besides, `i64::MIN` cannot be taken away.
    pub fn decr(&self, key: impl ToKey, delta: impl Into<i64>) -> Result<i64> {
        self.incr(key, negated(delta.into())?)
    }

    /// INCRBYFLOAT: adds `delta` to the number at the key, 0 if there is none. An expiry stays. O(digits).
    ///
    /// The numbers are added in 80 bits and kept as decimal text, as Redis does on x86-64. What is returned is the sum
    /// rounded to 64 bits; [`get`](Self::get) has the text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string, and
    /// [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) if the string is no number, `delta` is NaN, or the sum is
    /// not finite.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.set("n", "0.1")?;
    /// assert_eq!(store.incr_float("n", 0.2)?, 0.3);
    /// assert_eq!(store.get("n")?, Some("0.3".into()));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn incr_float(&self, key: impl ToKey, delta: f64) -> Result<f64> {
        let delta = delta.to_string();
        let sum =
            self.entry(key, |entry: &mut StringEntry<'_>| entry.incr_float(delta.as_bytes()))?;
        let sum = str::from_utf8(&sum).ok().and_then(|text| text.parse().ok());
        sum.ok_or_else(Error::not_integer)
    }
}

/// The string at a key, if there is one.
#[inline]
pub(crate) fn string_at<'v>(view: &'v View<'_>, key: HashedKey<'_>) -> Result<Option<Member<'v>>> {
    let Some(value) = view.get(key) else { return Ok(None) };
    value.as_str().map(Some).ok_or_else(Error::wrong_type)
}

/// The string in a slot, if there is one.
#[inline]
pub(crate) fn string_in<'s>(slot: &'s Slot<'_>) -> Result<Option<Member<'s>>> {
    let Some(value) = slot.value() else { return Ok(None) };
    value.as_str().map(Some).ok_or_else(Error::wrong_type)
}

/// The increment that takes away `delta`.
fn negated(delta: i64) -> Result<i64> {
    delta.checked_neg().ok_or_else(Error::decr_overflow)
}

fn pairs<'a, K: ToKey, V>(items: &'a [(K, V)]) -> impl Iterator<Item = (KeyRef<'a>, Member<'a>)>
where
    &'a V: Into<Member<'a>>,
{
    items.iter().map(|(key, value)| (key.to_key(), value.into()))
}
