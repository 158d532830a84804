//! Commands on parts of strings: APPEND, GETRANGE, SETRANGE.

use bytes::Bytes;

use super::{StringEntry, string_at};
use crate::commands::checked;
use crate::error::Result;
use crate::store::{Locks, Store};
use crate::text::range::slice;
use crate::to_key::ToKey;
use crate::to_member::ToMember;

/// Commands on parts of strings.
impl<L: Locks> Store<L> {
    /// APPEND: appends bytes to the string at the key, which is created if it does not exist, and returns the new
    /// length in bytes. The expiry is kept. Amortised O(bytes appended).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string; an error if the string would
    /// exceed 512 MiB.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// assert_eq!(store.append("log", "one;")?, 4);
    /// assert_eq!(store.append("log", "two;")?, 8);
    /// assert_eq!(store.getrange("log", 4, -1)?, "two;");
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn append(&self, key: impl ToKey, value: impl ToMember) -> Result<usize> {
        value.with_member(|value| {
            checked(value)?;
            self.entry(key, |entry: &mut StringEntry<'_>| entry.append(value))
        })
    }

    /// GETRANGE and SUBSTR: returns the bytes between two offsets, both included; negative offsets count from the end,
    /// and offsets beyond the ends are clamped. O(bytes returned).
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
    /// store.set("k", "Hello World")?;
    /// assert_eq!(store.getrange("k", 0, 4)?, "Hello");
    /// assert_eq!(store.getrange("k", -5, 100)?, "World");
    /// assert_eq!(store.getrange("none", 0, -1)?, "");
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn getrange(&self, key: impl ToKey, from: i64, to: i64) -> Result<Bytes> {
        self.read(key, |view, keys| {
            let Some(string) = string_at(view, keys[0])? else { return Ok(Bytes::new()) };
            let part = |bytes: &[u8]| Bytes::copy_from_slice(&bytes[slice(from, to, bytes.len())]);
            Ok(string.with_bytes(part))
        })
    }

    /// SETRANGE: writes bytes at an offset of the string at the key, which is created if it does not exist and
    /// zero-padded up to the offset; returns the length in bytes. An empty value changes nothing. The expiry is kept.
    /// O(bytes written), and the padding.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string; an error if the string would
    /// exceed 512 MiB.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
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
    pub fn setrange(&self, key: impl ToKey, offset: usize, value: impl ToMember) -> Result<usize> {
        value.with_member(|value| {
            checked(value)?;
            self.entry(key, |entry: &mut StringEntry<'_>| entry.set_range(offset, value))
        })
    }
}
