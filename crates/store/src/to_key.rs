//! Keys as arguments.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use smallvec::SmallVec;

use crate::error::Error;
use crate::key::HashedKey;

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

impl AsRef<[u8]> for PreparedKey {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Anything that is a key: bytes, text, or a key that is [prepared](crate::Store::prepare).
///
/// It is implemented for byte strings and texts, owned and borrowed, and cannot be implemented elsewhere.
pub trait ToKey: sealed::Sealed {
    /// The key.
    fn to_key(&self) -> KeyRef<'_>;
}

/// Several keys: an array, a slice, a vector, or a tuple of keys of different types.
///
/// It cannot be implemented elsewhere.
pub trait ToKeys: sealed::Sealed {
    /// Hands over the keys with their hashes as `hash` finds them, or the first error.
    // What `work` returns is returned as it is: to take it out of one result and put it into another is slow.
    #[doc(hidden)]
    fn located<'k, R>(
        &'k self,
        hash: impl Fn(KeyRef<'k>) -> Result<u64, Error>,
        work: impl FnOnce(&[HashedKey<'k>]) -> Result<R, Error>,
    ) -> Result<R, Error>;
}

mod sealed {
    #[expect(unnameable_types, reason = "no other crate is to implement it")]
    pub trait Sealed {}
}

macro_rules! bytes_are_keys {
    ($($type:ty),*) => {$(
        impl sealed::Sealed for $type {}

        impl ToKey for $type {
            #[inline]
            fn to_key(&self) -> KeyRef<'_> {
                KeyRef::new(AsRef::<[u8]>::as_ref(&**self))
            }
        }
    )*};
}

bytes_are_keys! {
    String,
    Bytes,
    Box<[u8]>,
    Box<str>,
    Arc<[u8]>,
    Arc<str>,
    Cow<'_, [u8]>,
    Cow<'_, str>
}

impl ToKey for [u8] {
    #[inline]
    fn to_key(&self) -> KeyRef<'_> {
        KeyRef::new(self)
    }
}

impl ToKey for Vec<u8> {
    #[inline]
    fn to_key(&self) -> KeyRef<'_> {
        KeyRef::new(self)
    }
}

impl<const N: usize> ToKey for [u8; N] {
    #[inline]
    fn to_key(&self) -> KeyRef<'_> {
        KeyRef::new(self)
    }
}

impl sealed::Sealed for str {}

impl ToKey for str {
    #[inline]
    fn to_key(&self) -> KeyRef<'_> {
        KeyRef::new(self.as_bytes())
    }
}

impl sealed::Sealed for KeyRef<'_> {}

impl ToKey for KeyRef<'_> {
    #[inline]
    fn to_key(&self) -> KeyRef<'_> {
        *self
    }
}

impl sealed::Sealed for PreparedKey {}

impl ToKey for PreparedKey {
    #[inline]
    fn to_key(&self) -> KeyRef<'_> {
        KeyRef { bytes: &self.bytes, hashed: Some((self.store, self.hash)), reads: false }
    }
}

impl<T: sealed::Sealed + ?Sized> sealed::Sealed for &T {}

impl<T: ToKey + ?Sized> ToKey for &T {
    #[inline]
    fn to_key(&self) -> KeyRef<'_> {
        (**self).to_key()
    }
}

impl<T, const N: usize> sealed::Sealed for [T; N] {}

impl<T> sealed::Sealed for [T] {}

impl<T> sealed::Sealed for Vec<T> {}

impl<K: ToKey, const N: usize> ToKeys for [K; N] {
    #[inline]
    fn located<'k, R>(
        &'k self,
        hash: impl Fn(KeyRef<'k>) -> Result<u64, Error>,
        work: impl FnOnce(&[HashedKey<'k>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut keys = [HashedKey::NONE; N];
        for (located, key) in keys.iter_mut().zip(self) {
            *located = HashedKey::of(key.to_key(), &hash)?;
        }
        work(&keys)
    }
}

#[inline]
fn each_located<'k, K: ToKey, R>(
    keys: &'k [K],
    hash: impl Fn(KeyRef<'k>) -> Result<u64, Error>,
    work: impl FnOnce(&[HashedKey<'k>]) -> Result<R, Error>,
) -> Result<R, Error> {
    // Pushed one by one: collecting into a `SmallVec` costs several times the hashing.
    let mut located = SmallVec::<[HashedKey<'_>; 4]>::new();
    for key in keys {
        located.push(HashedKey::of(key.to_key(), &hash)?);
    }
    work(&located)
}

macro_rules! lists_are_keys {
    ($($type:ty;)*) => {$(
        impl<K: ToKey> ToKeys for $type {
            #[inline]
            fn located<'k, R>(
                &'k self,
                hash: impl Fn(KeyRef<'k>) -> Result<u64, Error>,
                work: impl FnOnce(&[HashedKey<'k>]) -> Result<R, Error>,
            ) -> Result<R, Error> {
                each_located(self, hash, work)
            }
        }
    )*};
}

lists_are_keys! {
    &[K];
    &Vec<K>;
    Vec<K>;
    SmallVec<[K; 4]>;
}

impl<K> sealed::Sealed for SmallVec<[K; 4]> {}

impl<K: ToKey, const N: usize> ToKeys for &[K; N] {
    #[inline]
    fn located<'k, R>(
        &'k self,
        hash: impl Fn(KeyRef<'k>) -> Result<u64, Error>,
        work: impl FnOnce(&[HashedKey<'k>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        (**self).located(hash, work)
    }
}

macro_rules! tuples_are_keys {
    ($($key:ident $at:tt),+) => {
        impl<$($key),+> sealed::Sealed for ($($key,)+) {}

        impl<$($key: ToKey),+> ToKeys for ($($key,)+) {
            #[inline]
            fn located<'k, R>(
                &'k self,
                hash: impl Fn(KeyRef<'k>) -> Result<u64, Error>,
                work: impl FnOnce(&[HashedKey<'k>]) -> Result<R, Error>,
            ) -> Result<R, Error> {
                work(&[$(HashedKey::of(self.$at.to_key(), &hash)?),+])
            }
        }
    };
}

tuples_are_keys!(A 0, B 1);
tuples_are_keys!(A 0, B 1, C 2);
tuples_are_keys!(A 0, B 1, C 2, D 3);
tuples_are_keys!(A 0, B 1, C 2, D 3, E 4);
tuples_are_keys!(A 0, B 1, C 2, D 3, E 4, F 5);
