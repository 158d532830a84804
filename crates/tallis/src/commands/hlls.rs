//! Commands on `HyperLogLog`s, which live in strings.

use hll::{Hll, HllMut, Union};
use smallvec::SmallVec;

use super::{keys, slices};
use crate::error::{Error, ErrorKind};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::door::{Door, Scope, View};
use crate::store::stripe::Slot;
use crate::value::{Value, make_raw};

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
    /// See [the trait](Self#errors).
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
            scope.change(keys[0], |slot| add_elements(slot, &elements))
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
            ref several => self.read(several, |view, keys| {
                let mut union = Union::new();
                for &key in keys {
                    if let Some(hll) = hll_at(view, key)? {
                        union.merge(&hll).map_err(|_| Error::corrupt_hll())?;
                    }
                }
                Ok(union.count())
            }),
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
}

impl<D: Door> HllCommands for D {}

fn hll_at<'v>(view: &View<'v>, key: HashedKey<'_>) -> Result<Option<Hll<'v>>, Error> {
    match view.get(key) {
        None => Ok(None),
        Some(Value::Str(bytes)) => Hll::new(bytes).map(Some).map_err(|_| Error::not_hll()),
        Some(Value::Int(_)) => Err(Error::not_hll()),
        Some(Value::Set(_) | Value::Foreign(_)) => Err(Error::wrong_type()),
    }
}

fn hll_mut<'a>(slot: &'a mut Slot<'_, '_, '_>) -> Result<Option<HllMut<'a>>, Error> {
    match slot.value_mut() {
        None => Ok(None),
        Some(Value::Str(bytes)) => HllMut::new(bytes).map(Some).map_err(|_| Error::not_hll()),
        Some(Value::Int(_)) => Err(Error::not_hll()),
        Some(Value::Set(_) | Value::Foreign(_)) => Err(Error::wrong_type()),
    }
}

fn add_elements(slot: &mut Slot<'_, '_, '_>, elements: &[Member<'_>]) -> Result<bool, Error> {
    let limit = slot.context.shared.limits().hll_sparse_max_bytes;
    let created = slot.value().is_none();
    if created {
        slot.put(Value::Str(hll::empty()));
    }
    let Some(mut hll) = hll_mut(slot)? else { return Ok(false) };
    let mut changed = created;
    let mut fault = None;
    for element in elements {
        match element.with_bytes(|bytes| hll.add(bytes, limit)) {
            Ok(raised) => changed |= raised,
            Err(error) => {
                fault = Some(error);
                break;
            }
        }
    }
    if changed {
        mark_raw(slot);
        slot.changed("PFADD", || elements.iter().map(|element| element.to_bytes()).collect());
    }
    fault.map_or(Ok(changed), |_| Err(Error::corrupt_hll()))
}

/// Notes that the string was changed in place.
fn mark_raw(slot: &mut Slot<'_, '_, '_>) {
    if let Some(Value::Str(bytes)) = slot.value_mut() {
        make_raw(bytes);
    }
}

/// The count that a single key remembers, or 0 for no key; `None` if it has to be made.
fn cached_count(view: &View<'_>, key: HashedKey<'_>) -> Result<Option<u64>, Error> {
    Ok(hll_at(view, key)?.map_or(Some(0), |hll| hll.cached()))
}

fn count_and_cache(slot: &mut Slot<'_, '_, '_>) -> Result<u64, Error> {
    let Some(mut hll) = hll_mut(slot)? else { return Ok(0) };
    let counted = hll.count().map_err(|_| Error::corrupt_hll())?;
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
        scope.change(key, |slot| match hll_mut(slot)? {
            None => Ok(()),
            Some(hll) => union
                .merge(&hll.view().map_err(|_| Error::not_hll())?)
                .map_err(|_| Error::corrupt_hll()),
        })?;
    }
    let limit = scope.shared().limits().hll_sparse_max_bytes;
    scope.change(target, |slot| {
        if slot.value().is_none() {
            slot.put(Value::Str(hll::empty()));
        }
        if let Some(Value::Str(bytes)) = slot.value_mut() {
            union.merge_into(bytes, limit).map_err(|_| Error::corrupt_hll())?;
        }
        mark_raw(slot);
        slot.changed("PFMERGE", || {
            sources.iter().map(|key| bytes::Bytes::copy_from_slice(key.bytes)).collect()
        });
        Ok(())
    })
}
