//! Commands on `HyperLogLog`s, which live in strings.

mod debug;
mod selftest;
pub(super) mod table;

use hll::{DecodeError, Encoding, Hll, HllMut, Union};
use smallvec::SmallVec;

use super::{keys, slices};
use crate::error::{Error, ErrorKind};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::door::{Door, Scope, View};
use crate::store::slot::Slot;
use crate::value::Value;

/// Commands on `HyperLogLog`s: the number of distinct elements, to within about 0.81 %, in at most 12,304 bytes.
///
/// # Errors
///
/// All of them fail with [`ErrorKind::WrongType`] if a key holds no string, and with [`ErrorKind::InvalidHll`] if the
/// string is no `HyperLogLog` or a damaged one.
pub trait HllCommands: Door {
    /// PFADD: adds elements; `true` if the estimate may have changed, or if the key is new. Without elements it makes
    /// an empty `HyperLogLog`. O(1) each when dense, O(bytes), at most 3000, when sparse.
    ///
    /// # Errors
    ///
    /// See [the trait](Self#errors). A damaged value may take the first elements before one meets the damage: they stay, as
    /// in Redis.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{Store, prelude::*};
    ///
    /// let store = Store::new();
    /// assert!(store.pfadd("uv", ["alice", "bob"])?);
    /// assert!(!store.pfadd("uv", ["bob"])?);
    /// assert_eq!(store.pfcount(["uv"])?, 2);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    fn pfadd<'a, M: Into<Member<'a>>>(
        &self,
        key: impl AsRef<[u8]>,
        elements: impl IntoIterator<Item = M>,
    ) -> Result<bool, Error> {
        let elements: SmallVec<[Member<'_>; 8]> = elements.into_iter().map(Into::into).collect();
        self.write(&[key.as_ref()], |scope, keys| {
            let hash = |element: &Member<'_>| element.with_bytes(hll::hash);
            scope.change(keys[0], |slot| add_with(slot, &elements, hash))
        })
    }

    /// PFCOUNT: about how many distinct elements the keys hold together. A single key remembers the answer until it
    /// changes; several are united without writing anything. O(keys), each at most 16,384 registers.
    ///
    /// # Errors
    ///
    /// See [the trait](Self#errors).
    fn pfcount<K: AsRef<[u8]>>(&self, of: impl IntoIterator<Item = K>) -> Result<u64, Error> {
        let of = keys(of);
        match slices(&of)[..] {
            [key] => {
                if let Some(count) = self.read(&[key], |view, keys| cached_count(view, keys[0]))? {
                    return Ok(count);
                }
                self.write(&[key], |scope, keys| scope.change(keys[0], count_and_cache))
            }
            ref several => self.read(several, count_union),
        }
    }

    /// PFMERGE: makes `target` hold all elements of itself and the sources. O(sources), each at most 16,384
    /// registers.
    ///
    /// # Errors
    ///
    /// See [the trait](Self#errors); then nothing has changed.
    fn pfmerge<K: AsRef<[u8]>>(
        &self,
        target: impl AsRef<[u8]>,
        sources: impl IntoIterator<Item = K>,
    ) -> Result<(), Error> {
        let sources = keys(sources);
        let mut all = slices(&sources);
        all.insert(0, target.as_ref());
        self.write(&all, merge)
    }

    /// PFDEBUG GETREG: the 16,384 registers; `None` if there is no such key. As in Redis, a sparse value is dense
    /// afterwards, a change that a WATCH does not see. O(registers).
    ///
    /// # Errors
    ///
    /// See [the trait](Self#errors).
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{Store, prelude::*};
    ///
    /// let store = Store::new();
    /// store.pfadd("h", ["a"])?;
    /// assert_eq!(store.pfdebug_decode("h")?.as_deref(), Some("Z:12711 v:2,1 Z:3672"));
    /// assert_eq!(store.pfdebug_getreg("h")?.unwrap()[12711], 2);
    /// assert_eq!(store.pfdebug_encoding("h")?, Some("dense"));
    /// assert_eq!(store.pfdebug_todense("h")?, Some(false));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    fn pfdebug_getreg(&self, key: impl AsRef<[u8]>) -> Result<Option<Vec<u8>>, Error> {
        self.write(&[key.as_ref()], |scope, keys| scope.change(keys[0], debug::registers))
    }

    /// PFDEBUG DECODE: the opcodes of a sparse value as text; `None` if there is no such key. O(bytes).
    ///
    /// # Errors
    ///
    /// See [the trait](Self#errors); besides, [`ErrorKind::InvalidHll`] for a dense value. The opcodes are shown right or
    /// wrong.
    fn pfdebug_decode(&self, key: impl AsRef<[u8]>) -> Result<Option<String>, Error> {
        self.write(&[key.as_ref()], |scope, keys| scope.change(keys[0], debug::decode))
    }

    /// PFDEBUG ENCODING: `sparse` or `dense`; `None` if there is no such key. O(1).
    ///
    /// # Errors
    ///
    /// See [the trait](Self#errors).
    fn pfdebug_encoding(&self, key: impl AsRef<[u8]>) -> Result<Option<&'static str>, Error> {
        let encoding =
            self.write(&[key.as_ref()], |scope, keys| scope.change(keys[0], debug::encoding))?;
        Ok(encoding.map(|encoding| match encoding {
            Encoding::Sparse => "sparse",
            Encoding::Dense => "dense",
        }))
    }

    /// PFDEBUG TODENSE: makes a value dense, a change that a WATCH does not see; `false` if it was, `None` if there is no
    /// such key. O(registers).
    ///
    /// # Errors
    ///
    /// See [the trait](Self#errors).
    fn pfdebug_todense(&self, key: impl AsRef<[u8]>) -> Result<Option<bool>, Error> {
        self.write(&[key.as_ref()], |scope, keys| scope.change(keys[0], debug::to_dense))
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
    /// use tallis::{Store, prelude::*};
    ///
    /// Store::new().pfselftest()?;
    /// # Ok::<(), tallis::Error>(())
    /// ```
    fn pfselftest(&self) -> Result<(), Error> {
        selftest::run()
    }
}

impl<D: Door> HllCommands for D {}

pub(crate) fn hll_at<'v>(view: &View<'v>, key: HashedKey<'_>) -> Result<Option<Hll<'v>>, Error> {
    let Some(value) = view.get(key) else { return Ok(None) };
    hll_of(value).map(Some)
}

/// About how many distinct elements the keys hold together; nothing is written.
pub(crate) fn count_union(view: &View<'_>, keys: &[HashedKey<'_>]) -> Result<u64, Error> {
    let mut hlls: SmallVec<[Hll<'_>; 8]> = SmallVec::with_capacity(keys.len());
    // Of several keys that are wrong the first one tells.
    let wrong = keys.iter().try_for_each(|&key| {
        hlls.extend(hll_at(view, key)?);
        Ok(())
    });
    let mut union = Union::new();
    union.merge_all(&hlls).map_err(|_| Error::corrupt_hll())?;
    wrong.map(|()| union.count())
}

fn hll_of(value: &Value) -> Result<Hll<'_>, Error> {
    match value.as_str() {
        Some(Member::Bytes(bytes)) => Hll::new(bytes).map_err(|_| Error::not_hll()),
        Some(Member::Int(_)) => Err(Error::not_hll()),
        None => Err(Error::wrong_type()),
    }
}

/// Lets `edit` change the `HyperLogLog` of a slot, which counts as changed in place from then on; `None` if there is no
/// key.
#[inline]
fn edit_hll<R>(
    slot: &mut Slot<'_, '_, '_>,
    edit: impl FnOnce(HllMut<'_>) -> R,
) -> Result<Option<R>, Error> {
    let Some(value) = slot.value_mut() else { return Ok(None) };
    hll_of(value)?;
    let edited = value.edit(|bytes| HllMut::new(bytes).map(edit));
    edited.transpose().map_err(|_| Error::not_hll())
}

/// PFADD of one element whose [`hll::hash`] is known.
#[inline]
pub(crate) fn add_hashed(
    slot: &mut Slot<'_, '_, '_>,
    element: Member<'_>,
    hash: u64,
) -> Result<bool, Error> {
    add_with(slot, &[element], |_| hash)
}

#[inline]
fn add_with(
    slot: &mut Slot<'_, '_, '_>,
    elements: &[Member<'_>],
    hash: impl Fn(&Member<'_>) -> u64,
) -> Result<bool, Error> {
    if let [element] = elements
        && let Some(changed) = add_in_place(slot, || hash(element))?
    {
        if changed {
            slot.changed("PFADD", || vec![element.to_bytes()]);
        }
        return Ok(changed);
    }
    let limit = slot.context.shared.rules().limits.hll_sparse_max_bytes;
    let created = slot.value().is_none();
    if created {
        slot.put(Value::raw_string(hll::empty()));
    }
    let mut changed = created;
    let added = edit_hll(slot, |mut hll| {
        elements.iter().try_for_each(|element| {
            changed |= hll.add_hash(hash(element), limit)?;
            Ok::<(), DecodeError>(())
        })
    })?;
    if let Some(Err(_)) = added {
        if changed {
            // The first elements are in, as in Redis, where a WATCH does not see it; a mirror has to.
            slot.reformed(|key| {
                let elements = elements.iter().map(|element| element.to_bytes());
                ["PFADD".into(), key].into_iter().chain(elements).collect()
            });
        }
        return Err(Error::corrupt_hll());
    }
    if changed {
        slot.changed("PFADD", || elements.iter().map(|element| element.to_bytes()).collect());
    }
    Ok(changed)
}

/// Adds to a dense `HyperLogLog` where it lies; `None` if the key holds none, and nothing was changed.
#[inline]
fn add_in_place(
    slot: &mut Slot<'_, '_, '_>,
    hash: impl FnOnce() -> u64,
) -> Result<Option<bool>, Error> {
    let Some(value) = slot.value_mut() else { return Ok(None) };
    // What is as long as a dense one is hardly anything else; the general way says what is wrong with the rest.
    if !matches!(value.as_str(), Some(Member::Bytes(bytes)) if bytes.len() == hll::DENSE_LEN) {
        return Ok(None);
    }
    let Some(bytes) = value.bytes_mut(0) else { return Ok(None) };
    HllMut::add_in_place(bytes, hash()).map_err(|_| Error::not_hll())
}

/// The count that a single key remembers, or 0 for no key; `None` if it has to be made, or if the string has to become
/// one that was changed in place, which PFCOUNT makes of any.
fn cached_count(view: &View<'_>, key: HashedKey<'_>) -> Result<Option<u64>, Error> {
    let Some(value) = view.get(key) else { return Ok(Some(0)) };
    let cached = hll_of(value)?.cached();
    Ok(cached.filter(|_| value.is_raw()))
}

fn count_and_cache(slot: &mut Slot<'_, '_, '_>) -> Result<u64, Error> {
    let Some(counted) = edit_hll(slot, |mut hll| hll.count())? else { return Ok(0) };
    let counted = counted.map_err(|_| Error::corrupt_hll())?;
    if counted.stored {
        slot.changed("PFCOUNT", Vec::new);
    }
    Ok(counted.count)
}

fn merge(scope: &mut Scope<'_>, keys: &[HashedKey<'_>]) -> Result<(), Error> {
    let Some((&target, sources)) = keys.split_first() else {
        return Err(Error::new(ErrorKind::Syntax, "ERR syntax error"));
    };
    let mut union = Union::new();
    for &key in keys {
        // Through the door, so that a source that has expired is dropped for the sinks too.
        scope.change(key, |slot| match slot.value() {
            None => Ok(()),
            Some(value) => union.merge(&hll_of(value)?).map_err(|_| Error::corrupt_hll()),
        })?;
    }
    let limit = scope.rules().limits.hll_sparse_max_bytes;
    scope.change(target, |slot| {
        if slot.value().is_none() {
            slot.put(Value::raw_string(hll::empty()));
        }
        if let Some(merged) =
            slot.value_mut().and_then(|value| value.edit(|bytes| union.merge_into(bytes, limit)))
        {
            merged.map_err(|_| Error::corrupt_hll())?;
        }
        slot.changed("PFMERGE", || {
            sources.iter().map(|key| bytes::Bytes::copy_from_slice(key.bytes)).collect()
        });
        Ok(())
    })
}
