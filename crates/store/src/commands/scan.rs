//! SCAN, SSCAN, HSCAN and ZSCAN as iterators.

use std::fmt;
use std::iter::FusedIterator;

use bytes::Bytes;

use super::ScanOptions;
use crate::error::Result;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;

/// # Iteration
///
/// See [`Scan`] for the guarantees if the store is changed during the iteration.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{ScanOptions, Store};
///
/// let store = Store::new();
/// for n in 0..1000 {
///     store.set(format!("key:{n}"), n)?;
/// }
/// store.sadd("s", 0..100)?;
/// let options = ScanOptions::default().with_pattern("key:*7").with_type("string");
/// assert_eq!(store.scan_options(options).count(), 100);
///
/// let mut sum = 0;
/// for key in store.scan_match("key:*") {
///     sum += store.get_as::<u32>(key?)?;
/// }
/// assert_eq!(sum, 499_500);
/// assert_eq!(store.sscan("s").collect::<Result<Vec<_>, _>>()?.len(), 100);
/// # Ok::<(), tallis::Error>(())
/// ```
impl<L: Locks> Store<L> {
    /// SCAN: iterates over the keys of the database, in no order. O(1) per key.
    pub fn scan(&self) -> Scan<'_, Bytes> {
        self.scan_options(ScanOptions::default())
    }

    /// SCAN MATCH: iterates over the keys whose names match a pattern. O(keys of the database) in all.
    pub fn scan_match(&self, pattern: impl AsRef<[u8]>) -> Scan<'_, Bytes> {
        self.scan_options(ScanOptions::default().with_pattern(pattern))
    }

    /// SCAN with options: iterates over the selected keys.
    pub fn scan_options(&self, options: ScanOptions) -> Scan<'_, Bytes> {
        Scan::new(move |cursor| self.scan_cursor(cursor, &options))
    }

    /// SSCAN: iterates over the members of a set, in no order. O(1) per member.
    ///
    /// The iterator yields an error if the key holds no set.
    pub fn sscan(&self, key: impl ToKey) -> Scan<'_, Bytes> {
        self.sscan_options(key, ScanOptions::default())
    }

    /// SSCAN MATCH: iterates over the members that match a pattern.
    pub fn sscan_match(&self, key: impl ToKey, pattern: impl AsRef<[u8]>) -> Scan<'_, Bytes> {
        self.sscan_options(key, ScanOptions::default().with_pattern(pattern))
    }

    /// SSCAN with options: iterates over the selected members.
    pub fn sscan_options(&self, key: impl ToKey, options: ScanOptions) -> Scan<'_, Bytes> {
        let key = self.prepare(key);
        Scan::new(move |cursor| self.sscan_cursor(&key, cursor, &options))
    }

    /// HSCAN: iterates over the fields of a hash with their values, in no order. O(1) per field.
    ///
    /// The iterator yields an error if the key holds no hash.
    pub fn hscan(&self, key: impl ToKey) -> Scan<'_, (Bytes, Bytes)> {
        self.hscan_options(key, ScanOptions::default())
    }

    /// HSCAN MATCH: iterates over the fields that match a pattern.
    pub fn hscan_match(
        &self,
        key: impl ToKey,
        pattern: impl AsRef<[u8]>,
    ) -> Scan<'_, (Bytes, Bytes)> {
        self.hscan_options(key, ScanOptions::default().with_pattern(pattern))
    }

    /// HSCAN with options: iterates over the selected fields.
    pub fn hscan_options(&self, key: impl ToKey, options: ScanOptions) -> Scan<'_, (Bytes, Bytes)> {
        let key = self.prepare(key);
        Scan::new(move |cursor| self.hscan_cursor(&key, cursor, &options))
    }

    /// ZSCAN: iterates over the members of a sorted set with their scores, in no order. O(1) per member.
    ///
    /// The iterator yields an error if the key holds no sorted set.
    pub fn zscan(&self, key: impl ToKey) -> Scan<'_, (Bytes, f64)> {
        self.zscan_options(key, ScanOptions::default())
    }

    /// ZSCAN MATCH: iterates over the members that match a pattern.
    pub fn zscan_match(
        &self,
        key: impl ToKey,
        pattern: impl AsRef<[u8]>,
    ) -> Scan<'_, (Bytes, f64)> {
        self.zscan_options(key, ScanOptions::default().with_pattern(pattern))
    }

    /// ZSCAN with options: iterates over the selected members.
    pub fn zscan_options(&self, key: impl ToKey, options: ScanOptions) -> Scan<'_, (Bytes, f64)> {
        let key = self.prepare(key);
        Scan::new(move |cursor| self.zscan_cursor(&key, cursor, &options))
    }
}

/// An iterator over keys or members: see [`Store::scan`], [`Store::sscan`], [`Store::hscan`] and [`Store::zscan`].
///
/// It takes a lock for each SCAN call, and holds none in between: the loop and other threads may read and write the
/// store. In that case
///
/// - an element that exists during the whole iteration is yielded at least once;
/// - an element that is added or removed meanwhile may be yielded or not;
/// - an element that one call has returned is yielded even if it is removed before the loop reaches it;
/// - an element may be yielded again if it is removed and added again, or if the value at the key is replaced.
///
/// [`ScanOptions::with_count`] sets how many elements one call visits. An error ends the iteration.
#[must_use = "an iterator does nothing until it is iterated over"]
pub struct Scan<'s, T> {
    call: Call<'s, T>,
    found: std::vec::IntoIter<T>,
    /// The next cursor; `None` at the end.
    cursor: Option<u64>,
}

/// A SCAN call with that cursor: returns the next cursor and the elements.
type Call<'s, T> = Box<dyn FnMut(u64) -> Result<(u64, Vec<T>)> + 's>;

impl<'s, T> Scan<'s, T> {
    fn new(call: impl FnMut(u64) -> Result<(u64, Vec<T>)> + 's) -> Self {
        Self { call: Box::new(call), found: Vec::new().into_iter(), cursor: Some(0) }
    }
}

impl<T> Iterator for Scan<'_, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(one) = self.found.next() {
                return Some(Ok(one));
            }
            match (self.call)(self.cursor.take()?) {
                Ok((next, found)) => {
                    self.found = found.into_iter();
                    self.cursor = Some(next).filter(|&next| next != 0);
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let found = self.found.len();
        (found, self.cursor.is_none().then_some(found))
    }
}

impl<T> FusedIterator for Scan<'_, T> {}

impl<T> fmt::Debug for Scan<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scan").field("cursor", &self.cursor).finish_non_exhaustive()
    }
}
