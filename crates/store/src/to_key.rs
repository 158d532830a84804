//! A key as an argument.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use smallvec::SmallVec;

use crate::error::Error;
use crate::key::HashedKey;
use crate::to_keys::{HashKey, ToKeys, each_located, to_keys};
use crate::to_member::ToMember;
use crate::to_member::sealed::Sealed;

/// A key as an argument: borrowed bytes, and their hash if it is known.
#[derive(Clone, Copy, Debug)]
pub struct KeyRef<'k> {
    pub(crate) bytes: &'k [u8],
    /// The number of the store that has hashed the key, and the hash.
    pub(crate) hashed: Option<(u64, u64)>,
    /// Whether a transaction only reads the key.
    pub(crate) reads: bool,
}

impl<'k> KeyRef<'k> {
    /// Creates a key without a hash.
    #[must_use]
    #[inline]
    pub const fn new(bytes: &'k [u8]) -> Self {
        Self { bytes, hashed: None, reads: false }
    }

    /// Returns the key, for a transaction that only reads it: its stripe is locked for reading.
    ///
    /// Transactions that only read a key do not wait for each other. Writing the key in the transaction fails.
    #[must_use]
    pub const fn read(self) -> Self {
        Self { reads: true, ..self }
    }

    /// Returns the bytes of the key.
    #[must_use]
    pub const fn as_bytes(self) -> &'k [u8] {
        self.bytes
    }
}

impl AsRef<[u8]> for KeyRef<'_> {
    fn as_ref(&self) -> &[u8] {
        self.bytes
    }
}

/// A key with its hash, for keys that are used often: see [`Store::prepare`](crate::Store::prepare).
///
/// Another store accepts it too, and computes the hash again.
#[derive(Clone, Debug)]
pub struct PreparedKey {
    pub(crate) bytes: Bytes,
    /// The number of the store that has hashed the key, and the hash.
    pub(crate) hashed: Option<(u64, u64)>,
}

impl PreparedKey {
    /// Creates a key without a hash: for a server, or for a store that does not exist yet.
    #[must_use]
    pub fn unhashed(key: &[u8]) -> Self {
        Self { bytes: Bytes::copy_from_slice(key), hashed: None }
    }

    /// Returns the key as a [`KeyRef`], for [`read`](KeyRef::read).
    #[must_use]
    #[inline]
    pub fn as_key(&self) -> KeyRef<'_> {
        KeyRef { bytes: &self.bytes, hashed: self.hashed, reads: false }
    }
}

impl AsRef<[u8]> for PreparedKey {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Types that can be passed as a key: bytes, text, types with a textual form, and
/// [prepared keys](crate::Store::prepare).
///
/// [`ToMember`] lists them: numbers are written in decimal, and an array, a slice or a vector of `u8` is one byte
/// string. The trait is sealed.
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
    /// The type that the key borrows from: the argument, or its text.
    #[doc(hidden)]
    type Held<'k>: AsKey
    where
        Self: 'k;

    #[doc(hidden)]
    fn held(&self) -> Self::Held<'_>;

    /// Whether a list of these is one key: so it is with bytes.
    #[doc(hidden)]
    const IS_BYTE: bool = false;

    /// Hands over a list of these, as [`ToKeys::located`] does.
    #[doc(hidden)]
    #[inline]
    fn located_in<R>(
        list: &[Self],
        hash: &impl HashKey,
        work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error>
    where
        Self: Sized,
    {
        each_located(list.iter(), hash, work)
    }
}

/// The types that keys borrow from.
#[expect(unnameable_types, reason = "only this crate calls it")]
pub trait AsKey {
    fn as_key(&self) -> KeyRef<'_>;
}

impl Sealed for KeyRef<'_> {}

impl Sealed for PreparedKey {}

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

/// The text of a number: all but the longest fit without a heap allocation.
type Text = SmallVec<[u8; 24]>;

impl AsKey for Text {
    #[inline]
    fn as_key(&self) -> KeyRef<'_> {
        KeyRef::new(self)
    }
}

/// Implements [`ToKey`] for types, with the type that a key borrows from.
macro_rules! keys {
    ($([$($generic:tt)*] $type:ty: $key:ident => $held:ty, $make:expr $(, { $($of_lists:item)+ })?;)*) => {$(
        impl<$($generic)*> ToKey for $type {
            type Held<'k> = $held where Self: 'k;

            #[inline]
            fn held(&self) -> Self::Held<'_> {
                let $key = self;
                $make
            }

            $($($of_lists)+)?
        }
    )*};
}

/// The same for types that are no lists: one key is a list of one.
macro_rules! single_keys {
    ($([$($generic:tt)*] $type:ty: $key:ident => $held:ty, $make:expr $(, { $($of_lists:item)+ })?;)*) => {
        keys! { $([$($generic)*] $type: $key => $held, $make $(, { $($of_lists)+ })?;)* }
        $(
            to_keys! {
                [$($generic)*] $type: |key, hash, work| {
                    work(&[HashedKey::of(key.held().as_key(), hash)?])
                };
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
    [] u8: number => Text, text(number), {
        const IS_BYTE: bool = true;

        #[inline]
        fn located_in<R>(
            list: &[Self],
            hash: &impl HashKey,
            work: impl FnOnce(&[HashedKey<'_>]) -> Result<R, Error>,
        ) -> Result<R, Error> {
            work(&[HashedKey::of(KeyRef::new(list), hash)?])
        }
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
