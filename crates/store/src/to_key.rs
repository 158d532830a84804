//! Keys as arguments.

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeSet, HashSet};
use std::marker::PhantomData;
use std::sync::Arc;

use bytes::Bytes;
use smallvec::SmallVec;

use crate::error::Error;
use crate::key::HashedKey;
use crate::to_member::sealed::Sealed;
use crate::to_member::{Each, ToMember};

/// A key as an argument: borrowed bytes, and their hash where it is known.
#[derive(Clone, Copy, Debug)]
pub struct KeyRef<'k> {
    pub(crate) bytes: &'k [u8],
    /// The number of the store that has hashed it, and the hash.
    pub(crate) hashed: Option<(u64, u64)>,
    /// Whether a transaction only reads it.
    pub(crate) reads: bool,
}

impl<'k> KeyRef<'k> {
    /// A key that is not hashed yet.
    #[must_use]
    #[inline]
    pub const fn new(bytes: &'k [u8]) -> Self {
        Self { bytes, hashed: None, reads: false }
    }

    /// The same key, of which a transaction locks the stripe for reading only.
    ///
    /// Transactions that only read a key do not wait for each other. Writing the key inside fails.
    #[must_use]
    pub const fn read(self) -> Self {
        Self { reads: true, ..self }
    }

    /// The bytes of the key.
    #[must_use]
    pub const fn as_bytes(self) -> &'k [u8] {
        self.bytes
    }
}

/// A key that is used often, with its hash: see [`Store::prepare`](crate::Store::prepare).
///
/// Another store takes it too, and hashes it anew.
#[derive(Clone, Debug)]
pub struct PreparedKey {
    pub(crate) bytes: Bytes,
    pub(crate) store: u64,
    pub(crate) hash: u64,
}

impl PreparedKey {
    /// The key as an argument. It is one itself; this is for a [`read`](KeyRef::read) of it.
    #[must_use]
    #[inline]
    pub fn as_key(&self) -> KeyRef<'_> {
        KeyRef { bytes: &self.bytes, hashed: Some((self.store, self.hash)), reads: false }
    }
}

impl AsRef<[u8]> for PreparedKey {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A key as an argument: bytes, a text, anything else that has one text, or a key that is
/// [prepared](crate::Store::prepare).
///
/// What is one is told at [`ToMember`]: numbers are decimal, and an array, a slice or a vector of `u8` is one byte
/// string. It cannot be implemented elsewhere.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::Store;
///
/// let store = Store::new();
/// store.set(17u64, "seventeen")?;
/// assert!(store.exists("17")?);
/// assert!(store.exists(String::from("17"))?);
/// assert!(store.exists(b"17")?);
/// # Ok::<(), tallis::Error>(())
/// ```
pub trait ToKey: ToKeys {
    /// What the key borrows from: the argument, or a text made of it.
    #[doc(hidden)]
    type Held<'k>: AsKey
    where
        Self: 'k;

    #[doc(hidden)]
    fn held(&self) -> Self::Held<'_>;

    /// A list of these, if it is one byte string.
    #[doc(hidden)]
    fn bytes_of(_list: &[Self]) -> Option<&[u8]>
    where
        Self: Sized,
    {
        None
    }
}

/// What a key borrows from.
#[expect(unnameable_types, reason = "only this crate calls it")]
pub trait AsKey {
    fn as_key(&self) -> KeyRef<'_>;
}

/// One or many keys.
///
/// It is implemented for all that is [`ToKey`], for arrays, slices, vectors, sets and ranges of it, for tuples of keys of
/// different types, and for iterators by [`each`](crate::each). It cannot be implemented elsewhere.
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
    message = "`{Self}` is not one or many keys",
    note = "an iterator is passed as `each(iterator)`"
)]
pub trait ToKeys: Sealed {
    /// Hands over the keys with their hashes as `hash` finds them, or the first error.
    // What `work` returns is returned as it is: to take it out of one result and put it into another is slow.
    #[doc(hidden)]
    fn located<R>(
        &self,
        hash: impl Fn(KeyRef<'_>) -> Result<u64, Error>,
        work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error>;
}

impl Sealed for KeyRef<'_> {}

impl Sealed for PreparedKey {}

impl<K> Sealed for SmallVec<[K; 4]> {}

impl AsKey for &[u8] {
    #[inline]
    fn as_key(&self) -> KeyRef<'_> {
        KeyRef::new(self)
    }
}

impl AsKey for KeyRef<'_> {
    #[inline]
    fn as_key(&self) -> KeyRef<'_> {
        *self
    }
}

impl AsKey for &PreparedKey {
    #[inline]
    fn as_key(&self) -> KeyRef<'_> {
        PreparedKey::as_key(self)
    }
}

/// The text of a number: all but the longest fit.
type Text = SmallVec<[u8; 24]>;

impl AsKey for Text {
    #[inline]
    fn as_key(&self) -> KeyRef<'_> {
        KeyRef::new(self)
    }
}

/// Types of one key, and what is held of them.
macro_rules! keys {
    ($([$($generic:tt)*] $type:ty: $key:ident => $held:ty, $make:expr $(, $bytes_of:item)?;)*) => {$(
        impl<$($generic)*> ToKey for $type {
            type Held<'k> = $held where Self: 'k;

            #[inline]
            fn held(&self) -> Self::Held<'_> {
                let $key = self;
                $make
            }

            $($bytes_of)?
        }
    )*};
}

/// Those that are no list of anything else: one key is a list of one.
macro_rules! single_keys {
    ($([$($generic:tt)*] $type:ty: $key:ident => $held:ty, $make:expr $(, $bytes_of:item)?;)*) => {
        keys! { $([$($generic)*] $type: $key => $held, $make $(, $bytes_of)?;)* }
        $(
            impl<$($generic)*> ToKeys for $type {
                #[inline]
                fn located<R>(
                    &self,
                    hash: impl Fn(KeyRef<'_>) -> Result<u64, Error>,
                    work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, Error>,
                ) -> Result<R, Error> {
                    work(&[HashedKey::of(self.held().as_key(), hash)?])
                }
            }
        )*
    };
}

keys! {
    [] [u8]: bytes => &'k [u8], bytes;
    [] Vec<u8>: bytes => &'k [u8], bytes;
    [const N: usize] [u8; N]: bytes => &'k [u8], bytes;
}

single_keys! {
    [] Box<[u8]>: bytes => &'k [u8], bytes;
    [] Arc<[u8]>: bytes => &'k [u8], bytes;
    ['c] Cow<'c, [u8]>: bytes => &'k [u8], bytes;
    [] Bytes: bytes => &'k [u8], bytes;
    [] str: text => &'k [u8], text.as_bytes();
    [] String: text => &'k [u8], text.as_bytes();
    [] Box<str>: text => &'k [u8], text.as_bytes();
    [] Arc<str>: text => &'k [u8], text.as_bytes();
    ['c] Cow<'c, str>: text => &'k [u8], text.as_bytes();
    ['r] KeyRef<'r>: key => KeyRef<'k>, *key;
    [] PreparedKey: key => &'k Self, key;
    [] bool: yes => Text, text(yes);
    [] char: char => Text, text(char);
    [] i8: number => Text, text(number);
    [] i16: number => Text, text(number);
    [] i32: number => Text, text(number);
    [] i64: number => Text, text(number);
    [] i128: number => Text, text(number);
    [] isize: number => Text, text(number);
    [] u8: number => Text, text(number), fn bytes_of(list: &[Self]) -> Option<&[u8]> {
        Some(list)
    };
    [] u16: number => Text, text(number);
    [] u32: number => Text, text(number);
    [] u64: number => Text, text(number);
    [] u128: number => Text, text(number);
    [] usize: number => Text, text(number);
    [] f32: number => Text, text(number);
    [] f64: number => Text, text(number);
}

fn text(key: &impl ToMember) -> Text {
    key.with_member(|key| key.with_bytes(Text::from_slice))
}

impl<K: ToKey, const N: usize> ToKeys for [K; N] {
    #[inline]
    fn located<R>(
        &self,
        hash: impl Fn(KeyRef<'_>) -> Result<u64, Error>,
        work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        if let Some(bytes) = K::bytes_of(self) {
            return work(&[HashedKey::of(KeyRef::new(bytes), hash)?]);
        }
        let held = self.each_ref().map(ToKey::held);
        let mut keys = [HashedKey::NONE; N];
        for (located, key) in keys.iter_mut().zip(&held) {
            *located = HashedKey::of(key.as_key(), &hash)?;
        }
        work(&keys)
    }
}

impl<K: ToKey> ToKeys for [K] {
    #[inline]
    fn located<R>(
        &self,
        hash: impl Fn(KeyRef<'_>) -> Result<u64, Error>,
        work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        match K::bytes_of(self) {
            Some(bytes) => work(&[HashedKey::of(KeyRef::new(bytes), hash)?]),
            None => each_located(self.iter(), hash, work),
        }
    }
}

/// Hands over keys that an iterator yields.
#[inline]
fn each_located<'l, K: ToKey + 'l, R>(
    keys: impl Iterator<Item = &'l K>,
    hash: impl Fn(KeyRef<'_>) -> Result<u64, Error>,
    work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, Error>,
) -> Result<R, Error> {
    // Pushed one by one: collecting into a `SmallVec` costs several times the hashing.
    let mut held = SmallVec::<[K::Held<'_>; 4]>::new();
    for key in keys {
        held.push(key.held());
    }
    let mut located = SmallVec::<[HashedKey<'_>; 4]>::new();
    for key in &held {
        located.push(HashedKey::of(key.as_key(), &hash)?);
    }
    work(&located)
}

/// Lists that are handed over as a slice or an iterator.
macro_rules! lists_of_keys {
    ($([$($generic:tt)*] $type:ty: $list:ident, $hash:ident, $work:ident => $located:expr;)*) => {$(
        impl<K: ToKey, $($generic)*> ToKeys for $type {
            #[inline]
            fn located<R>(
                &self,
                $hash: impl Fn(KeyRef<'_>) -> Result<u64, Error>,
                $work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, Error>,
            ) -> Result<R, Error> {
                let $list = self;
                $located
            }
        }
    )*};
}

lists_of_keys! {
    [] Vec<K>: list, hash, work => list.as_slice().located(hash, work);
    [] SmallVec<[K; 4]>: list, hash, work => list.as_slice().located(hash, work);
    [S] HashSet<K, S>: list, hash, work => each_located(list.iter(), hash, work);
    [] BTreeSet<K>: list, hash, work => each_located(list.iter(), hash, work);
}

impl<I: IntoIterator<Item: ToKey> + Clone> ToKeys for Each<I> {
    #[inline]
    fn located<R>(
        &self,
        hash: impl Fn(KeyRef<'_>) -> Result<u64, Error>,
        work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        each_located(self.items().iter(), hash, work)
    }
}

/// A key, then several others: where a result goes, and what it is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneAndMany<D, K>(pub(crate) D, pub(crate) K);

impl<D, K> Sealed for OneAndMany<D, K> {}

impl<D: ToKey, K: ToKeys> ToKeys for OneAndMany<D, K> {
    #[inline]
    fn located<R>(
        &self,
        hash: impl Fn(KeyRef<'_>) -> Result<u64, Error>,
        work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let one = self.0.held();
        let one = HashedKey::of(one.as_key(), &hash)?;
        self.1.located(hash, |many| {
            let mut all = SmallVec::<[HashedKey<'_>; 4]>::with_capacity(1 + many.len());
            all.push(one);
            all.extend_from_slice(many);
            work(&all)
        })
    }
}

/// The keys of pairs of a key and a value, owned or borrowed.
pub(crate) struct KeysOfPairs<'l, I, K, V>(&'l [I], PhantomData<fn() -> (K, V)>);

impl<'l, I: Borrow<(K, V)>, K, V> KeysOfPairs<'l, I, K, V> {
    pub(crate) const fn new(pairs: &'l [I]) -> Self {
        Self(pairs, PhantomData)
    }
}

impl<I, K, V> Sealed for KeysOfPairs<'_, I, K, V> {}

impl<I: Borrow<(K, V)>, K: ToKey, V> ToKeys for KeysOfPairs<'_, I, K, V> {
    #[inline]
    fn located<R>(
        &self,
        hash: impl Fn(KeyRef<'_>) -> Result<u64, Error>,
        work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        each_located(self.0.iter().map(|pair| &pair.borrow().0), hash, work)
    }
}

impl<T: ToKey + ?Sized> ToKey for &T {
    type Held<'k>
        = T::Held<'k>
    where
        Self: 'k;

    #[inline]
    fn held(&self) -> Self::Held<'_> {
        (**self).held()
    }
}

impl<T: ToKeys + ?Sized> ToKeys for &T {
    #[inline]
    fn located<R>(
        &self,
        hash: impl Fn(KeyRef<'_>) -> Result<u64, Error>,
        work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        (**self).located(hash, work)
    }
}

macro_rules! tuples_of_keys {
    ($($key:ident $at:tt),+) => {
        impl<$($key),+> Sealed for ($($key,)+) {}

        impl<$($key: ToKey),+> ToKeys for ($($key,)+) {
            #[inline]
            fn located<R>(
                &self,
                hash: impl Fn(KeyRef<'_>) -> Result<u64, Error>,
                work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, Error>,
            ) -> Result<R, Error> {
                let held = ($(self.$at.held(),)+);
                work(&[$(HashedKey::of(held.$at.as_key(), &hash)?),+])
            }
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
    use super::*;
    use crate::to_member::each;

    fn texts(keys: impl ToKeys) -> Vec<String> {
        let lengths = |key: KeyRef<'_>| Ok(key.bytes.len() as u64);
        let found = keys.located(lengths, |keys| {
            assert!(keys.iter().all(|key| key.hash == key.bytes.len() as u64));
            Ok(keys.iter().map(|key| String::from_utf8_lossy(key.bytes).into_owned()).collect())
        });
        found.expect("nothing is refused")
    }

    #[test]
    fn one_is_a_list_of_one() {
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
        assert!(OneAndMany("a", ["b", "no"]).located(refuse, |_| Ok(())).is_err());
        assert!(OneAndMany("no", ["b"]).located(refuse, |_| Ok(())).is_err());
        assert!(["a", "no"].located(refuse, |_| Ok(())).is_err());
        assert!(vec!["a", "no"].located(refuse, |_| Ok(())).is_err());
        assert!("no".located(refuse, |_| Ok(())).is_err());
        assert!(("a", "no").located(refuse, |_| Ok(())).is_err());
        assert!(b"no".located(refuse, |_| Ok(())).is_err());
    }
}
