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

impl AsRef<[u8]> for KeyRef<'_> {
    fn as_ref(&self) -> &[u8] {
        self.bytes
    }
}

/// A key that is used often, with its hash: see [`Store::prepare`](crate::Store::prepare).
///
/// Another store takes it too, and hashes it anew.
#[derive(Clone, Debug)]
pub struct PreparedKey {
    pub(crate) bytes: Bytes,
    /// The number of the store that has hashed it, and the hash.
    pub(crate) hashed: Option<(u64, u64)>,
}

impl PreparedKey {
    /// A key that no store has hashed: one of a server, or of a store that is to come.
    #[must_use]
    pub fn unhashed(key: &[u8]) -> Self {
        Self { bytes: Bytes::copy_from_slice(key), hashed: None }
    }

    /// The key as an argument. It is one itself; this is for a [`read`](KeyRef::read) of it.
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

/// What a key borrows from.
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

/// Those that are no list of anything else: one key is a list of one.
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
