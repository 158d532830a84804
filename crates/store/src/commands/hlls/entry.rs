//! The entry of a `HyperLogLog`.

use bytes::Bytes;
use hll::{DecodeError, Hll, HllMut};

use super::hll_of;
use crate::commands::entry_of;
use crate::error::{Error, Result};
use crate::member::Member;
use crate::store::slot::{Entry, Outcome};
use crate::to_member::ToMember;
use crate::value::Value;

/// The `HyperLogLog` at a key, with one look-up and one type check: see [`Store::with_hll`](crate::Store::with_hll).
pub type HllEntry<'e> = Entry<'e, HllKind>;

entry_of!(HllEntry, HllKind, with_hll, "HyperLogLog", |value| value.as_str().is_some());

impl HllEntry<'_> {
    /// Returns the registers, for reading; `None` if the key does not exist.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidHll`](crate::ErrorKind::InvalidHll) if the string is not a `HyperLogLog`.
    #[inline]
    pub fn view(&self) -> Result<Option<Hll<'_>>> {
        self.value().map(hll_of).transpose()
    }

    /// PFADD: adds an element, given its [`hll::hash`]; returns whether a register changed or the key is new.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidHll`](crate::ErrorKind::InvalidHll) if the string is not a `HyperLogLog`.
    #[inline]
    pub fn add_hashed(&mut self, element: impl ToMember, hash: u64) -> Result<bool> {
        element.with_member(|element| self.add_one(element, || hash))
    }

    /// PFADD: adds elements, given their [`hll::hash`]es, which is faster than single calls: see
    /// [`HllMut::add_hashes`]. Appends to `changed` for each whether a register changed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidHll`](crate::ErrorKind::InvalidHll) if the string is not a `HyperLogLog`. If it is damaged,
    /// elements before the one that reaches the damage were added, and `changed` has results only for these.
    ///
    /// # Panics
    ///
    /// If the number of hashes is not the number of elements.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {hll, store::*}; }
    /// use tallis::{Member, Store, hll};
    ///
    /// let store = Store::new();
    /// let users = ["alice", "bob", "alice"];
    /// let elements = users.map(|user| Member::Bytes(user.as_bytes()));
    /// let hashes = users.map(|user| hll::hash(user.as_bytes()));
    /// let mut changed = Vec::new();
    /// store.with_hll("uv", |uv| uv.add_many_hashed(&elements, &hashes, &mut changed))?;
    /// assert_eq!(changed, [true, true, false]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn add_many_hashed(
        &mut self,
        elements: &[Member<'_>],
        hashes: &[u64],
        changed: &mut Vec<bool>,
    ) -> Result<()> {
        assert_eq!(elements.len(), hashes.len(), "there must be as many hashes as elements");
        let before = changed.len();
        let added = self.add_by(elements, |mut hll, limit| {
            let added = hll.add_hashes(hashes, limit, changed);
            (changed[before..].contains(&true), added)
        });
        added.map(|_| ())
    }

    /// PFADD.
    #[inline]
    pub(super) fn pfadd(&mut self, elements: &[Member<'_>]) -> Result<bool> {
        let hash = |element: &Member<'_>| element.with_bytes(hll::hash);
        if let [element] = elements {
            return self.add_one(*element, || hash(element));
        }
        let hashes: Vec<u64> = elements.iter().map(hash).collect();
        let mut changed = Vec::new();
        self.add_by(elements, |mut hll, limit| {
            let added = hll.add_hashes(&hashes, limit, &mut changed);
            (changed.contains(&true), added)
        })
    }

    #[inline]
    fn add_one(&mut self, element: Member<'_>, hash: impl Fn() -> u64) -> Result<bool> {
        if let Some(changed) = self.add_in_place(&element, &hash)? {
            return Ok(changed);
        }
        self.add_by(&[element], |mut hll, limit| {
            let added = hll.add_hash(hash(), limit);
            (matches!(added, Ok(true)), added.map(|_| ()))
        })
    }

    /// PFADD of elements by `add`, which receives the limit of the sparse encoding and reports whether a register
    /// changed, even if it fails. Returns whether one did or the key is new.
    #[inline]
    fn add_by(
        &mut self,
        elements: &[Member<'_>],
        add: impl FnOnce(HllMut<'_>, usize) -> (bool, Result<(), DecodeError>),
    ) -> Result<bool> {
        self.view()?;
        let limit = self.policy().settings.hll_sparse_max_bytes();
        let created = !self.exists();
        let added = self.edit_or_make(
            || Value::raw_string(hll::empty()),
            |value| {
                let added = edit_hll(value, |hll| add(hll, limit));
                let (changed, added) = match added {
                    Ok((changed, added)) => (changed || created, Ok(added)),
                    Err(error) => (created, Err(error)),
                };
                let outcome = match &added {
                    Ok(Ok(())) => Outcome::changed(changed),
                    // As in Redis, the first elements were added and WATCH does not see it, but replicas must.
                    Ok(Err(_)) | Err(_) if changed => Outcome::Reformed,
                    Ok(Err(_)) | Err(_) => Outcome::Same,
                };
                (added.map(|added| added.map(|()| changed)), outcome)
            },
            |_| ("PFADD", elements.iter().map(|element| element.to_bytes()).collect()),
        );
        added.unwrap_or(Ok(Ok(false)))?.map_err(|_| Error::corrupt_hll())
    }

    /// Adds to a dense `HyperLogLog` in place; `None` if the key holds none, and nothing was changed.
    #[inline]
    fn add_in_place(
        &mut self,
        element: &Member<'_>,
        hash: impl FnOnce() -> u64,
    ) -> Result<Option<bool>> {
        let added = self.edit(
            |value| {
                // Hardly any other string has the length of a dense one; the general path reports errors.
                let Some(bytes) = value.bytes_of_length(hll::DENSE_LEN) else {
                    return (Ok(None), Outcome::Same);
                };
                let added = HllMut::add_in_place(bytes, hash());
                let outcome = Outcome::changed(matches!(added, Ok(Some(true))));
                (added.map_err(|_| Error::not_hll()), outcome)
            },
            |_| ("PFADD", vec![element.to_bytes()]),
        );
        added.unwrap_or(Ok(None))
    }

    /// PFCOUNT of one key: returns the estimated number of distinct elements, and caches it in the value. 0 if the key
    /// does not exist.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidHll`](crate::ErrorKind::InvalidHll) if the string is not a valid `HyperLogLog`.
    pub fn count(&mut self) -> Result<u64> {
        let counted = self.edit_hll(
            |mut hll| hll.count(),
            |counted| Outcome::changed(counted.as_ref().is_ok_and(|counted| counted.stored)),
            "PFCOUNT",
        )?;
        let Some(counted) = counted else { return Ok(0) };
        Ok(counted.map_err(|_| Error::corrupt_hll())?.count)
    }

    /// Calls `edit` with the `HyperLogLog`, which counts as changed in place afterwards; `None` if the key does not
    /// exist.
    #[inline]
    pub(super) fn edit_hll<R>(
        &mut self,
        edit: impl FnOnce(HllMut<'_>) -> R,
        outcome: impl FnOnce(&R) -> Outcome,
        command: &'static str,
    ) -> Result<Option<R>> {
        self.view()?;
        let edited = self.edit(
            |value| {
                let edited = edit_hll(value, edit);
                let outcome = edited.as_ref().map_or(Outcome::Same, outcome);
                (edited, outcome)
            },
            |_| (command, Vec::new()),
        );
        edited.transpose()
    }

    /// PFMERGE: adds the elements of a union.
    pub(super) fn merge(
        &mut self,
        union: &mut hll::Union,
        sources: impl FnOnce() -> Vec<Bytes>,
    ) -> Result<()> {
        let limit = self.policy().settings.hll_sparse_max_bytes();
        let merged = self.edit_or_make(
            || Value::raw_string(hll::empty()),
            |value| {
                let merged = value.edit(|bytes| union.merge_into(bytes, limit));
                let outcome = Outcome::changed(matches!(merged, Some(Ok(_))));
                (merged, outcome)
            },
            |_| ("PFMERGE", sources()),
        );
        match merged.flatten() {
            Some(merged) => merged.map(|_| ()).map_err(|_| Error::corrupt_hll()),
            None => Err(Error::wrong_type()),
        }
    }
}

#[inline]
fn edit_hll<R>(value: &mut Value, edit: impl FnOnce(HllMut<'_>) -> R) -> Result<R> {
    let edited = value.edit(|bytes| HllMut::new(bytes).map(edit));
    edited.ok_or_else(Error::wrong_type)?.map_err(|_| Error::not_hll())
}
