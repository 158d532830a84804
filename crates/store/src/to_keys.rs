//! Several keys as arguments.

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashSet};
use std::marker::PhantomData;

use smallvec::SmallVec;

use crate::error::Error;
use crate::key::HashedKey;
use crate::to_key::{AsKey, KeyRef, ToKey};
use crate::to_member::Each;
use crate::to_member::sealed::Sealed;

/// Types that can be passed as one or more keys.
///
/// It is implemented for each [`ToKey`], for arrays, slices, vectors, sets and ranges of them, for tuples of keys of
/// different types, and for iterators by [`each`](crate::each). The trait is sealed.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{Store, each};
///
/// let store = Store::new();
/// store.mset(&[("a", 1), ("b", 2), ("c", 3), ("4", 4)])?;
/// assert_eq!(store.del("a")?, 1);
/// assert_eq!(store.del(["a", "b"])?, 1);
/// assert_eq!(store.exists_many(("c", 4))?, 2);
/// assert_eq!(store.del(each("cde".chars()))?, 1);
/// # Ok::<(), tallis::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a key or a collection of keys",
    note = "pass an iterator as `each(iterator)`"
)]
pub trait ToKeys: Sealed {
    /// Calls `work` with the keys and their hashes by `hash`, or returns the first error.
    // The result of `work` is returned unchanged: to move it from one result into another is slow.
    #[doc(hidden)]
    fn located<R>(
        &self,
        hash: &impl HashKey,
        work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error>;
}

/// Hashes keys, or refuses them.
#[expect(unnameable_types, reason = "only this crate implements and calls it")]
pub trait HashKey {
    fn hash(&self, key: KeyRef<'_>) -> Result<u64, Error>;
}

impl<F: Fn(KeyRef<'_>) -> Result<u64, Error>> HashKey for F {
    #[inline]
    fn hash(&self, key: KeyRef<'_>) -> Result<u64, Error> {
        self(key)
    }
}

/// Implements [`ToKeys`] for types: `|keys, hash, work|` are the arguments of [`ToKeys::located`].
macro_rules! to_keys {
    ($([$($generic:tt)*] $type:ty: |$keys:ident, $hash:ident, $work:ident| $located:expr;)*) => {$(
        impl<$($generic)*> ToKeys for $type {
            #[inline]
            fn located<R>(
                &self,
                $hash: &impl $crate::to_keys::HashKey,
                $work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, $crate::error::Error>,
            ) -> Result<R, $crate::error::Error> {
                let $keys = self;
                $located
            }
        }
    )*};
}

pub(crate) use to_keys;

to_keys! {
    [T: ToKeys + ?Sized] &T: |keys, hash, work| (**keys).located(hash, work);
    [K: ToKey, const N: usize] [K; N]: |keys, hash, work| {
        if K::IS_BYTE {
            return K::located_in(keys, hash, work);
        }
        let held = keys.each_ref().map(ToKey::held);
        let mut all = [HashedKey::NONE; N];
        for (hashed, key) in all.iter_mut().zip(&held) {
            *hashed = HashedKey::of(key.as_key(), hash)?;
        }
        work(&all)
    };
    [K: ToKey] [K]: |keys, hash, work| K::located_in(keys, hash, work);
    [K: ToKey] Vec<K>: |keys, hash, work| keys.as_slice().located(hash, work);
    [K: ToKey] SmallVec<[K; 4]>: |keys, hash, work| keys.as_slice().located(hash, work);
    [K: ToKey, S] HashSet<K, S>: |keys, hash, work| each_located(keys.iter(), hash, work);
    [K: ToKey] BTreeSet<K>: |keys, hash, work| each_located(keys.iter(), hash, work);
    [I: IntoIterator<Item: ToKey> + Clone] Each<I>: |keys, hash, work| {
        each_located(keys.items().iter(), hash, work)
    };
    [I: Borrow<(K, V)>, K: ToKey, V] KeysOfPairs<'_, I, K, V>: |keys, hash, work| {
        each_located(keys.0.iter().map(|pair| &pair.borrow().0), hash, work)
    };
    [D: ToKey, K: ToKeys] OneAndMany<D, K>: |keys, hash, work| {
        let one = keys.0.held();
        let one = HashedKey::of(one.as_key(), hash)?;
        keys.1.located(hash, |many| {
            let mut all = SmallVec::<[HashedKey<'_>; 4]>::with_capacity(1 + many.len());
            all.push(one);
            all.extend_from_slice(many);
            work(&all)
        })
    };
}

impl<K> Sealed for SmallVec<[K; 4]> {}

/// The most keys for which memory is reserved in advance.
const MOST_ROOM: usize = 4096;

/// Calls `work` with the keys of an iterator and their hashes.
#[inline]
pub(crate) fn each_located<'l, K: ToKey + 'l, R>(
    keys: impl Iterator<Item = &'l K>,
    hash: &impl HashKey,
    work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, Error>,
) -> Result<R, Error> {
    let held = held_of(keys);
    let mut hashed = SmallVec::new();
    hash_all(&held, hash, &mut hashed)?;
    work(&hashed)
}

/// Returns what each key borrows from.
// Like `hash_all`, it does not depend on what is done with the keys, so it is compiled once for all commands.
fn held_of<'l, K: ToKey + 'l>(keys: impl Iterator<Item = &'l K>) -> SmallVec<[K::Held<'l>; 4]> {
    // Pushed one by one: collecting into a `SmallVec` takes several times as long as the hashing. The length that an
    // iterator claims is not trusted beyond the limit.
    let count = keys.size_hint().0.min(MOST_ROOM);
    let mut held = SmallVec::with_capacity(count);
    for key in keys {
        held.push(key.held());
    }
    held
}

/// Adds the keys with their hashes to `hashed`, or returns the first error.
fn hash_all<'h>(
    held: &'h [impl AsKey],
    hash: &impl HashKey,
    hashed: &mut SmallVec<[HashedKey<'h>; 4]>,
) -> Result<(), Error> {
    // All of them before the first is hashed, so that their cache misses overlap.
    for key in held {
        prefetch::byte(key.as_key().bytes, 0);
    }
    hashed.reserve(held.len());
    for key in held {
        hashed.push(HashedKey::of(key.as_key(), hash)?);
    }
    Ok(())
}

/// A destination key, then the source keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneAndMany<D, K>(pub(crate) D, pub(crate) K);

impl<D, K> Sealed for OneAndMany<D, K> {}

/// The keys of pairs of a key and a value, owned or borrowed.
pub(crate) struct KeysOfPairs<'l, I, K, V>(&'l [I], PhantomData<fn() -> (K, V)>);

impl<'l, I: Borrow<(K, V)>, K, V> KeysOfPairs<'l, I, K, V> {
    pub(crate) const fn new(pairs: &'l [I]) -> Self {
        Self(pairs, PhantomData)
    }
}

impl<I, K, V> Sealed for KeysOfPairs<'_, I, K, V> {}

macro_rules! tuples_of_keys {
    ($($key:ident $at:tt),+) => {
        impl<$($key),+> Sealed for ($($key,)+) {}

        to_keys! {
            [$($key: ToKey),+] ($($key,)+): |keys, hash, work| {
                let held = ($(keys.$at.held(),)+);
                work(&[$(HashedKey::of(held.$at.as_key(), hash)?),+])
            };
        }
    };
}

tuples_of_keys!(A 0, B 1);
tuples_of_keys!(A 0, B 1, C 2);
tuples_of_keys!(A 0, B 1, C 2, D 3);
tuples_of_keys!(A 0, B 1, C 2, D 3, E 4);
tuples_of_keys!(A 0, B 1, C 2, D 3, E 4, F 5);

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::sync::Arc;

    use bytes::Bytes;

    use super::*;
    use crate::to_member::each;

    fn texts(keys: impl ToKeys) -> Vec<String> {
        let lengths = |key: KeyRef<'_>| Ok(key.bytes.len() as u64);
        let found = keys.located(&lengths, |keys| {
            assert!(keys.iter().all(|key| key.hash == key.bytes.len() as u64));
            Ok(keys.iter().map(|key| String::from_utf8_lossy(key.bytes).into_owned()).collect())
        });
        found.expect("nothing is refused")
    }

    #[test]
    fn one_key_is_a_list_of_one() {
        assert_eq!(texts("k"), ["k"]);
        assert_eq!(texts(String::from("k")), ["k"]);
        assert_eq!(texts(Box::<str>::from("k")), ["k"]);
        assert_eq!(texts(Arc::<str>::from("k")), ["k"]);
        assert_eq!(texts(Cow::Borrowed("k")), ["k"]);
        assert_eq!(texts(Bytes::from_static(b"k")), ["k"]);
        assert_eq!(texts(Box::<[u8]>::from(*b"k")), ["k"]);
        assert_eq!(texts(Arc::<[u8]>::from(*b"k")), ["k"]);
        assert_eq!(texts(Cow::Borrowed(&b"k"[..])), ["k"]);
        assert_eq!(texts(KeyRef::new(b"k")), ["k"]);
        assert_eq!(texts(true), ["1"]);
        assert_eq!(texts('k'), ["k"]);
        assert_eq!(texts(0.5), ["0.5"]);
        assert_eq!(texts(0.5f32), ["0.5"]);
    }

    #[test]
    fn integers_of_every_width_are_decimal() {
        assert_eq!(texts(7u8), ["7"]);
        assert_eq!(texts((i8::MIN, u16::MAX, i16::MIN)), ["-128", "65535", "-32768"]);
        assert_eq!(texts((u32::MAX, i32::MIN)), ["4294967295", "-2147483648"]);
        assert_eq!(texts([0, u64::MAX]), ["0", "18446744073709551615"]);
        assert_eq!(texts(&[i64::MIN][..]), ["-9223372036854775808"]);
        assert_eq!(texts((7usize, -7isize)), ["7", "-7"]);
        assert_eq!(texts(u128::MAX), ["340282366920938463463374607431768211455"]);
        assert_eq!(texts(i128::MIN), ["-170141183460469231731687303715884105728"]);
    }

    #[test]
    fn lists_are_many_and_bytes_are_one() {
        assert_eq!(texts(["a", "b"]), ["a", "b"]);
        assert_eq!(texts(vec![String::from("a"), String::from("b")]), ["a", "b"]);
        let list = vec!["a", "b"];
        assert_eq!(texts(&list), list);
        assert_eq!(texts(&["a", "b"][..]), ["a", "b"]);
        assert_eq!(texts(SmallVec::from(["a", "b", "c", "d"])), ["a", "b", "c", "d"]);
        assert_eq!(texts(BTreeSet::from(["b", "a"])), ["a", "b"]);
        assert_eq!(texts(BTreeSet::from([2u8, 1])), ["1", "2"]);
        assert_eq!(texts(HashSet::from(["a"])), ["a"]);
        assert_eq!(texts(each((0..3u8).rev())), ["2", "1", "0"]);
        assert_eq!(texts(("a", 1, b"c", 'd', 0.5, true)), ["a", "1", "c", "d", "0.5", "1"]);
        assert_eq!(texts(OneAndMany("to", ["a", "b"])), ["to", "a", "b"]);
        assert_eq!(texts(KeysOfPairs::new(&[("a", 1), ("b", 2)])), ["a", "b"]);
        assert_eq!(texts(KeysOfPairs::new(&[&(1, "x")])), ["1"]);
        assert_eq!(texts(Vec::<&str>::new()), [""; 0]);
        assert_eq!(texts([b"ab", b"cd"]), ["ab", "cd"]);
        assert_eq!(texts(b"ab"), ["ab"]);
        assert_eq!(texts([b'a', b'b']), ["ab"]);
        assert_eq!(texts(vec![b'a', b'b']), ["ab"]);
        assert_eq!(texts(&[b'a', b'b'][..]), ["ab"]);
    }

    #[test]
    fn the_first_key_that_is_refused_ends_it() {
        let refuse = |key: KeyRef<'_>| match key.bytes {
            b"no" => Err(Error::syntax()),
            _ => Ok(0),
        };
        assert!(OneAndMany("a", ["b", "no"]).located(&refuse, |_| Ok(())).is_err());
        assert!(OneAndMany("no", ["b"]).located(&refuse, |_| Ok(())).is_err());
        assert!(["a", "no"].located(&refuse, |_| Ok(())).is_err());
        assert!(vec!["a", "no"].located(&refuse, |_| Ok(())).is_err());
        assert!("no".located(&refuse, |_| Ok(())).is_err());
        assert!(("a", "no").located(&refuse, |_| Ok(())).is_err());
        assert!(b"no".located(&refuse, |_| Ok(())).is_err());
    }
}
