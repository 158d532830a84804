//! Commands on `HyperLogLog`s, which live in strings.

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

/// Commands on `HyperLogLog`s: the number of distinct elements, to within about 0.81 %, in at most 12,304 bytes.
///
/// # Errors
///
/// All of them fail with [`ErrorKind::WrongType`] if a key holds no string, and with [`ErrorKind::InvalidHll`] if the
/// string is no `HyperLogLog` or a damaged one.
impl<L: Locks> Store<L> {
    /// PFADD: adds elements; `true` if the estimate may have changed, or if the key is new. Without elements it makes
    /// an empty `HyperLogLog`. O(1) each when dense, O(bytes), at most 3000, when sparse.
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name. A damaged value may take the first elements before one finds the
    /// damage: they stay, as in Redis.
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

    /// Lets `work` read the registers at a key where they lie; without a `HyperLogLog` if the key does not exist.
    /// Nothing is written, not even the count that PFCOUNT remembers. The lock of the key is held for reading while
    /// `work` runs: what it asks of the store itself is refused.
    ///
    /// # Errors
    ///
    /// That of `work`; in a transaction, a key that it did not name.
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

    /// PFCOUNT: about how many distinct elements the keys hold together. A single key remembers the answer until it
    /// changes; several are united without writing anything. O(keys), each at most 16,384 registers.
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
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

    /// PFMERGE: makes `target` hold all elements of itself and the sources. O(sources), each at most 16,384
    /// registers.
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name; then nothing has changed.
    pub fn pfmerge(&self, target: impl ToKey, sources: impl ToKeys) -> Result<()> {
        self.write(OneAndMany(target, sources), merge)
    }

    /// PFDEBUG GETREG: the 16,384 registers; `None` if there is no such key. As in Redis, a sparse value is dense
    /// afterwards, a change that a WATCH does not see. O(registers).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
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

    /// PFDEBUG DECODE: the opcodes of a sparse value as text; `None` if there is no such key. O(bytes).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name; besides, [`ErrorKind::InvalidHll`] for a dense value. The opcodes
    /// are shown right or wrong.
    pub fn pfdebug_decode(&self, key: impl ToKey) -> Result<Option<String>> {
        self.with_hll(key, debug::decode)
    }

    /// PFDEBUG ENCODING: `sparse` or `dense`; `None` if there is no such key. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn pfdebug_encoding(&self, key: impl ToKey) -> Result<Option<&'static str>> {
        let encoding = self.with_hll(key, debug::encoding)?;
        Ok(encoding.map(|encoding| match encoding {
            Encoding::Sparse => "sparse",
            Encoding::Dense => "dense",
        }))
    }

    /// PFDEBUG TODENSE: makes a value dense, a change that a WATCH does not see; `false` if it was, `None` if there is
    /// no such key. O(registers).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    pub fn pfdebug_todense(&self, key: impl ToKey) -> Result<Option<bool>> {
        self.with_hll(key, debug::to_dense)
    }

    /// PFSELFTEST: tests registers and estimates on this machine, in some milliseconds. No key is touched.
    ///
    /// # Errors
    ///
    /// What failed.
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

/// About how many distinct elements the keys hold together; nothing is written.
pub(crate) fn count_union(view: &View<'_>, keys: &[HashedKey<'_>]) -> Result<u64> {
    view.prefetch(keys);
    let mut hlls: SmallVec<[Hll<'_>; 8]> = SmallVec::with_capacity(keys.len());
    // Of several keys that are wrong the first one is reported.
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

/// The count that a single key remembers, or 0 for no key; `None` if it has to be made, or if the string has to become
/// one that was changed in place, which PFCOUNT makes of any.
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
    for &key in keys {
        scope.with(key, |entry: &mut HllEntry<'_>| match entry.view()? {
            Some(hll) => union.merge(&hll).map_err(|_| Error::corrupt_hll()),
            None => Ok(()),
        })?;
    }
    let names = || sources.iter().map(|key| bytes::Bytes::copy_from_slice(key.bytes)).collect();
    scope.with(target, |entry: &mut HllEntry<'_>| entry.merge(&mut union, names))
}
