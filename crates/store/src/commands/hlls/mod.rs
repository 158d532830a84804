//! Commands on `HyperLogLog`s, which are stored in strings.

mod debug;
mod entry;
mod selftest;
pub(super) mod table;

use hll::{Encoding, Hll, Union};
use smallvec::SmallVec;

use crate::error::{Error, ErrorKind, Result};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::scope::{Scope, View};
use crate::store::{Locks, Store};
use crate::to_key::ToKey;
use crate::to_keys::{OneAndMany, ToKeys};
use crate::to_member::ToMembers;
use crate::value::Value;
pub use entry::{HllEntry, HllKind};

/// Commands on `HyperLogLog`s: an estimate of the number of distinct elements, with a standard error of 0.81 %, in at
/// most 12,304 bytes.
///
/// # Errors
///
/// All of them return [`ErrorKind::WrongType`] if a key holds no string, and [`ErrorKind::InvalidHll`] if the string is
/// not a valid `HyperLogLog`.
impl<L: Locks> Store<L> {
    /// PFADD: adds elements; returns whether the estimate may have changed or the key is new. Without elements it
    /// creates an empty `HyperLogLog`. O(1) each if dense; O(bytes), at most 3000, if sparse.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`] or [`ErrorKind::InvalidHll`] if a key holds no valid `HyperLogLog`;
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key. If the value is damaged, elements before
    /// the one that reaches the damage were added, as in Redis.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// assert!(store.pfadd("uv", ["alice", "bob"])?);
    /// assert!(!store.pfadd("uv", ["bob"])?);
    /// assert_eq!(store.pfcount(["uv"])?, 2);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn pfadd(&self, key: impl ToKey, elements: impl ToMembers) -> Result<bool> {
        elements.with_members(|elements| {
            self.entry(key, |entry: &mut HllEntry<'_>| entry.pfadd(elements))
        })
    }

    /// Calls `work` with the registers at a key, in place, or with `None` if the key does not exist. Nothing is
    /// written, not even the cached count of PFCOUNT. The key is locked for reading while `work` runs: a command on the
    /// store inside it returns an error.
    ///
    /// # Errors
    ///
    /// The error of `work`; [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {hll, store::*}; }
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.pfadd("uv", ["alice", "bob"])?;
    /// let encoding = store.with_hll_read("uv", |hll| Ok(hll.map(|hll| hll.encoding())))?;
    /// assert_eq!(encoding, Some(tallis::hll::Encoding::Sparse));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[inline]
    pub fn with_hll_read<R>(
        &self,
        key: impl ToKey,
        work: impl FnOnce(Option<Hll<'_>>) -> Result<R>,
    ) -> Result<R> {
        self.read(key, |view, keys| {
            let _holding = self.holding();
            work(hll_at(view, keys[0])?)
        })
    }

    /// PFCOUNT: returns the estimated number of distinct elements in the union of the keys. For a single key the result
    /// is cached in the value until it changes; the union of several is not stored. O(keys), each at most 16,384
    /// registers.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`] or [`ErrorKind::InvalidHll`] if a key holds no valid `HyperLogLog`;
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    pub fn pfcount(&self, keys: impl ToKeys) -> Result<u64> {
        let count = self.read(&keys, |view, keys| match *keys {
            [key] => cached_count(view, key),
            ref several => count_union(view, several).map(Some),
        })?;
        if let Some(count) = count {
            return Ok(count);
        }
        self.write(keys, |scope, keys| {
            scope.with(keys[0], |entry: &mut HllEntry<'_>| entry.count())
        })
    }

    /// PFMERGE: adds the elements of all sources to `target`. O(sources), each at most 16,384 registers.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`] or [`ErrorKind::InvalidHll`] if a key holds no valid `HyperLogLog`;
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key. Nothing has changed then.
    pub fn pfmerge(&self, target: impl ToKey, sources: impl ToKeys) -> Result<()> {
        self.write(OneAndMany(target, sources), merge)
    }

    /// PFDEBUG GETREG: returns the 16,384 registers, or `None` if the key does not exist. As in Redis, a sparse value
    /// is converted to dense, a change that WATCH does not see. O(registers).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`] or [`ErrorKind::InvalidHll`] if a key holds no valid `HyperLogLog`;
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.pfadd("h", ["a"])?;
    /// assert_eq!(store.pfdebug_decode("h")?.as_deref(), Some("Z:12711 v:2,1 Z:3672"));
    /// assert_eq!(store.pfdebug_getreg("h")?.unwrap()[12711], 2);
    /// assert_eq!(store.pfdebug_encoding("h")?, Some("dense"));
    /// assert_eq!(store.pfdebug_todense("h")?, Some(false));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn pfdebug_getreg(&self, key: impl ToKey) -> Result<Option<Vec<u8>>> {
        self.with_hll(key, debug::registers)
    }

    /// PFDEBUG DECODE: returns the opcodes of a sparse value as text, or `None` if the key does not exist. O(bytes).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`] or [`ErrorKind::InvalidHll`] if a key holds no valid `HyperLogLog`;
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key; [`ErrorKind::InvalidHll`] for a dense
    /// value. The opcodes are not validated.
    pub fn pfdebug_decode(&self, key: impl ToKey) -> Result<Option<String>> {
        self.with_hll(key, debug::decode)
    }

    /// PFDEBUG ENCODING: returns `sparse` or `dense`, or `None` if the key does not exist. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`] or [`ErrorKind::InvalidHll`] if a key holds no valid `HyperLogLog`;
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    pub fn pfdebug_encoding(&self, key: impl ToKey) -> Result<Option<&'static str>> {
        let encoding = self.with_hll(key, debug::encoding)?;
        Ok(encoding.map(|encoding| match encoding {
            Encoding::Sparse => "sparse",
            Encoding::Dense => "dense",
        }))
    }

    /// PFDEBUG TODENSE: converts a value to dense, a change that WATCH does not see; returns `false` if it was dense,
    /// or `None` if the key does not exist. O(registers).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`] or [`ErrorKind::InvalidHll`] if a key holds no valid `HyperLogLog`;
    /// [`ErrorKind::KeyNotNamed`] in a transaction that did not name the key.
    pub fn pfdebug_todense(&self, key: impl ToKey) -> Result<Option<bool>> {
        self.with_hll(key, debug::to_dense)
    }

    /// PFSELFTEST: tests registers and estimates on this machine, in some milliseconds. No key is accessed.
    ///
    /// # Errors
    ///
    /// The test that failed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// Store::new().pfselftest()?;
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn pfselftest(&self) -> Result<()> {
        selftest::run()
    }
}

#[inline]
pub(crate) fn hll_at<'v>(view: &'v View<'_>, key: HashedKey<'_>) -> Result<Option<Hll<'v>>> {
    let Some(value) = view.get(key) else { return Ok(None) };
    hll_of(value).map(Some)
}

/// The estimated number of distinct elements in the union of the keys; nothing is written.
pub(crate) fn count_union(view: &View<'_>, keys: &[HashedKey<'_>]) -> Result<u64> {
    view.prefetch(keys);
    let mut hlls: SmallVec<[Hll<'_>; 8]> = SmallVec::with_capacity(keys.len());
    // If several keys are invalid, the first one is reported.
    let wrong = keys.iter().try_for_each(|&key| {
        hlls.extend(hll_at(view, key)?);
        Ok(())
    });
    let mut union = Union::new();
    union.merge_all(&hlls).map_err(|_| Error::corrupt_hll())?;
    wrong.map(|()| union.count())
}

#[inline]
fn hll_of(value: &Value) -> Result<Hll<'_>> {
    match value.as_str() {
        Some(Member::Bytes(bytes)) => Hll::new(bytes).map_err(|_| Error::not_hll()),
        Some(Member::Int(_)) => Err(Error::not_hll()),
        None => Err(Error::wrong_type()),
    }
}

/// The cached count of a single key, or 0 if it does not exist; `None` if it must be computed, or if the string must
/// become one that was changed in place, as PFCOUNT makes of any.
fn cached_count(view: &View<'_>, key: HashedKey<'_>) -> Result<Option<u64>> {
    let Some(value) = view.get(key) else { return Ok(Some(0)) };
    let cached = hll_of(value)?.cached();
    Ok(cached.filter(|_| value.is_raw()))
}

fn merge(scope: &mut Scope<'_>, keys: &[HashedKey<'_>]) -> Result<()> {
    let Some((&target, sources)) = keys.split_first() else {
        return Err(Error::new(ErrorKind::Syntax, "ERR syntax error"));
    };
    let mut union = Union::new();
    for (place, &key) in keys.iter().enumerate() {
        scope.with(key, |entry: &mut HllEntry<'_>| {
            let Some(hll) = entry.view()? else { return Ok(()) };
            // The target is merged when it is written.
            let read = if place == 0 { hll.validate() } else { union.merge(&hll) };
            read.map_err(|_| Error::corrupt_hll())
        })?;
    }
    let names = || sources.iter().map(|key| bytes::Bytes::copy_from_slice(key.bytes)).collect();
    scope.with(target, |entry: &mut HllEntry<'_>| entry.merge(&mut union, names))
}
