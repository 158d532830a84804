//! What windows ask of whoever holds their `HyperLogLog`s.

use std::cell::Cell;

use bytes::Bytes;
use smallvec::SmallVec;

use crate::commands::{
    ExpiryCommands, HllCommands, SetCommands, add_hashed, count_union, hll_at, set_at,
};
use crate::error::Error;
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::Store;
use crate::store::door::{Door, Keys};
use crate::store::slot::Slot;

/// The key of a bucket, as the steps of windows get it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UvKey<'k> {
    /// The key.
    pub key: &'k [u8],
    /// The bucket's name, with which the key ends.
    pub name: &'k [u8],
    /// When the bucket is to be forgotten, in milliseconds since the epoch; `None` for never.
    pub expires_at: Option<i64>,
}

/// The key of a bucket, with what the steps make of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UvHashed<'k> {
    /// The key.
    pub key: &'k [u8],
    /// What [`UvSteps::hash_key`] made of it.
    pub hash: u64,
}

/// The steps that [`UvWindows`](super::UvWindows) needs, each atomic.
///
/// A bucket is *open* if it holds visits that the larger ones do not have yet. Its name is a member of the set of open
/// buckets then, and its key does not expire; the key of any other bucket does, but for those that are never forgotten.
pub trait UvSteps {
    /// TIME, in milliseconds since the epoch.
    ///
    /// # Errors
    ///
    /// Whatever TIME answers.
    fn now_ms(&self) -> Result<i64, Error>;

    /// Whatever the steps want to know of a key: it is asked once and handed back with the key for as long as a minute's visits
    /// come, by clones of the steps too. A store wants the hash.
    fn hash_key(&self, key: &[u8]) -> u64;

    /// PFADD of the user to each of the keys, and PEXPIREAT of those that this makes, at the time that `expires_at` tells of
    /// the key of that place. A key that would have expired already is not made. Whether any changed; `None` if there is none
    /// to add to.
    ///
    /// The keys are those of a minute, its hour and so on, and nothing else writes to them: what is in one of them is in all
    /// after it.
    ///
    /// # Errors
    ///
    /// Whatever PFADD answers.
    fn add_to_all(
        &self,
        keys: &[UvHashed<'_>],
        user: Member<'_>,
        expires_at: impl Fn(usize) -> Result<Option<i64>, Error>,
    ) -> Result<Option<bool>, Error>;

    /// PFADD of the user if the key is there and does not expire: whether it changed, or `None` if it is not so.
    ///
    /// # Errors
    ///
    /// Whatever PFADD answers.
    fn add_if_open(&self, key: UvHashed<'_>, user: Member<'_>) -> Result<Option<bool>, Error>;

    /// PFADD of the user; if that changes the key, PERSIST, and SADD of its name to the open ones. Whether it changed.
    ///
    /// # Errors
    ///
    /// Whatever PFADD and SADD answer.
    fn add_and_open(&self, open: &[u8], to: UvKey<'_>, user: Member<'_>) -> Result<bool, Error>;

    /// SMEMBERS: the names of the open buckets.
    ///
    /// # Errors
    ///
    /// Whatever SMEMBERS answers.
    fn open_names(&self, open: &[u8]) -> Result<Vec<Bytes>, Error>;

    /// PFMERGE of those of the buckets that are open still into another one, PERSIST of that, and SADD of its name to the open
    /// ones, or PEXPIREAT if `stays_open` is not set; then SREM of their own names and PEXPIREAT, or DEL if that time has
    /// passed. Without a bucket to merge them into, they are forgotten. How many there were.
    ///
    /// # Errors
    ///
    /// Whatever the commands answer; nothing has changed then.
    fn roll(
        &self,
        open: &[u8],
        buckets: &[UvKey<'_>],
        into: Option<UvKey<'_>>,
        stays_open: bool,
    ) -> Result<u64, Error>;

    /// PFCOUNT of the keys, of which each is there once, and TIME in milliseconds, both of one moment; `None` if the open
    /// buckets are not those any more. No key is written.
    ///
    /// # Errors
    ///
    /// Whatever PFCOUNT answers.
    fn count(
        &self,
        open: &[u8],
        names: &[Bytes],
        keys: &[&[u8]],
    ) -> Result<Option<(u64, i64)>, Error>;
}

impl UvSteps for Store {
    #[inline]
    fn now_ms(&self) -> Result<i64, Error> {
        Ok(self.shared().clock().now_ms())
    }

    #[inline]
    fn hash_key(&self, key: &[u8]) -> u64 {
        self.shared().hash(key)
    }

    #[inline]
    fn add_to_all(
        &self,
        keys: &[UvHashed<'_>],
        user: Member<'_>,
        expires_at: impl Fn(usize) -> Result<Option<i64>, Error>,
    ) -> Result<Option<bool>, Error> {
        let hash = user.with_bytes(hll::hash);
        let &[minute, ..] = keys else { return Ok(None) };
        // What is in the minute is in all that is larger. Looking costs less than four locks; in a sparse one it costs as much
        // as adding.
        let minute = minute.hashed();
        if SPARSE.get() != minute.hash {
            let has = self.read_hashed(&[minute], |view| match hll_at(view, minute)? {
                Some(hll) if hll.encoding() == hll::Encoding::Dense => has(Some(hll), hash),
                _ => {
                    SPARSE.set(minute.hash);
                    Ok(false)
                }
            })?;
            if has {
                return Ok(Some(false));
            }
        }
        add_to_rest(self, keys, user, hash, expires_at)
    }

    #[inline]
    fn add_if_open(&self, key: UvHashed<'_>, user: Member<'_>) -> Result<Option<bool>, Error> {
        let (key, hash) = (key.hashed(), user.with_bytes(hll::hash));
        self.write_hashed(&[key], |scope| {
            scope.change(key, |slot| {
                if slot.value().is_none() || slot.expires_at().is_some() {
                    return Ok(None);
                }
                add_hashed(slot, user, hash).map(Some)
            })
        })
    }

    fn add_and_open(&self, open: &[u8], to: UvKey<'_>, user: Member<'_>) -> Result<bool, Error> {
        self.transaction([to.key, open], |tx| {
            // First what can fail, so that nothing is left half done.
            tx.sismember(open, to.name)?;
            let changed = tx.pfadd(to.key, [user])?;
            if changed {
                tx.persist(to.key)?;
                tx.sadd(open, [to.name])?;
            }
            Ok(changed)
        })
    }

    fn open_names(&self, open: &[u8]) -> Result<Vec<Bytes>, Error> {
        self.smembers(open)
    }

    fn roll(
        &self,
        open: &[u8],
        buckets: &[UvKey<'_>],
        into: Option<UvKey<'_>>,
        stays_open: bool,
    ) -> Result<u64, Error> {
        let keys = buckets.iter().chain(&into).map(|bucket| bucket.key).chain([open]);
        self.transaction(keys, |tx| {
            let mut rolled: SmallVec<[UvKey<'_>; 4]> = SmallVec::new();
            for &bucket in buckets {
                // Somebody else may have been first.
                if tx.sismember(open, bucket.name)? {
                    rolled.push(bucket);
                }
            }
            if rolled.is_empty() {
                return Ok(0);
            }
            if let Some(into) = into {
                tx.pfmerge(into.key, rolled.iter().map(|bucket| bucket.key))?;
                if stays_open {
                    tx.persist(into.key)?;
                    tx.sadd(open, [into.name])?;
                } else if let Some(at) = into.expires_at {
                    tx.pexpire_at(into.key, at)?;
                }
            }
            tx.srem(open, rolled.iter().map(|bucket| bucket.name))?;
            for bucket in &rolled {
                if let Some(at) = bucket.expires_at {
                    tx.pexpire_at(bucket.key, at)?;
                }
            }
            Ok(rolled.len() as u64)
        })
    }

    fn count(
        &self,
        open: &[u8],
        names: &[Bytes],
        keys: &[&[u8]],
    ) -> Result<Option<(u64, i64)>, Error> {
        let mut all: SmallVec<[&[u8]; 128]> = SmallVec::from_slice(keys);
        all.push(open);
        self.read(&all, |view, all| {
            let Some((&open, keys)) = all.split_last() else { return Ok(None) };
            let rules = view.rules();
            let same = set_at(view, open)?.map_or(names.is_empty(), |set| {
                let has = |name: &Bytes| set.contains(Member::Bytes(name), &rules);
                set.len() == names.len() && names.iter().all(has)
            });
            if !same {
                return Ok(None);
            }
            let count = match *keys {
                // Its own cache answers if it is good; it is not filled.
                [key] => match hll_at(view, key)? {
                    Some(hll) => match hll.cached() {
                        Some(count) => count,
                        None => hll.count().map_err(|_| Error::corrupt_hll())?,
                    },
                    None => 0,
                },
                _ => count_union(view, keys)?,
            };
            Ok(Some((count, view.now_ms())))
        })
    }
}

thread_local! {
    /// The hash of the minute's key that this thread found sparse last, to which it adds without looking first. Only the order of the steps
    /// goes by it, so a wrong one costs time and nothing else.
    static SPARSE: Cell<u64> = const { Cell::new(0) };
}

impl<'k> UvHashed<'k> {
    #[inline]
    const fn hashed(self) -> HashedKey<'k> {
        HashedKey { hash: self.hash, bytes: self.key }
    }
}

/// Adds the user to each of the keys unless the first is dense and has it.
#[inline(never)]
fn add_to_rest(
    store: &Store,
    keys: &[UvHashed<'_>],
    user: Member<'_>,
    hash: u64,
    expires_at: impl Fn(usize) -> Result<Option<i64>, Error>,
) -> Result<Option<bool>, Error> {
    if let &[minute, hour, ..] = keys {
        let (minute, hour) = (minute.hashed(), hour.hashed());
        if store.read_hashed(&[hour], |view| has(hll_at(view, hour)?, hash))? {
            let added = store.write_hashed(&[minute], |scope| {
                scope.change(minute, |slot| {
                    let added = add_to_kept(slot, user, hash, || expires_at(0))?;
                    if added == Some(false) {
                        // It may have become dense.
                        SPARSE.set(0);
                    }
                    Ok(added)
                })
            })?;
            return Ok(Some(added.unwrap_or(false)));
        }
    }
    let mut all = Keys::new();
    for key in keys {
        all.push(key.hashed());
    }
    let keys = all;
    store.write_hashed(&keys, |scope| {
        let mut added = None;
        for (place, &key) in keys.iter().enumerate() {
            let one =
                scope.change(key, |slot| add_to_kept(slot, user, hash, || expires_at(place)))?;
            added = added.max(one);
        }
        Ok(added)
    })
}

/// Whether the register of that hash is as high already.
#[inline]
fn has(hll: Option<hll::Hll<'_>>, hash: u64) -> Result<bool, Error> {
    let Some(hll) = hll else { return Ok(false) };
    let (register, rank) = hll::register_and_rank(hash);
    let stored = hll.register(register).map_err(|_| Error::corrupt_hll())?;
    Ok(stored.is_some_and(|stored| stored >= rank))
}

/// Adds the user to a key, made if it is not there and would not have expired already.
#[inline]
fn add_to_kept(
    slot: &mut Slot<'_, '_, '_>,
    user: Member<'_>,
    hash: u64,
    expires_at: impl Fn() -> Result<Option<i64>, Error>,
) -> Result<Option<bool>, Error> {
    if slot.value().is_some() {
        return add_hashed(slot, user, hash).map(Some);
    }
    let expires_at = expires_at()?;
    if expires_at.is_some_and(|at| at <= slot.now_ms()) {
        return Ok(None);
    }
    add_hashed(slot, user, hash)?;
    if let Some(at) = expires_at {
        slot.set_expiry(Some(at));
        slot.changed("PEXPIREAT", || vec![Member::Int(at).to_bytes()]);
    }
    Ok(Some(true))
}
