//! An argument that is a byte string or an integer.

use bytes::Bytes;

/// A set member or a string value as an argument: bytes, or an integer that represents its decimal text.
///
/// An integer is added to an intset without being formatted. The methods of a [`Store`](crate::Store) accept any
/// [`ToMember`](crate::ToMember), which converts to this type.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::Store;
///
/// let store = Store::new();
/// store.sadd("mixed", [1, 2, 3])?;
/// store.sadd("mixed", ["3", "four"])?;
/// assert_eq!(store.scard("mixed")?, 4);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Member<'a> {
    /// The decimal text of this integer.
    Int(i64),
    /// These bytes.
    Bytes(&'a [u8]),
}

impl Member<'_> {
    /// Calls `read` with the bytes that the member represents.
    #[inline]
    pub fn with_bytes<R>(&self, read: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Self::Int(number) => read(itoa::Buffer::new().format(*number).as_bytes()),
            Self::Bytes(bytes) => read(bytes),
        }
    }

    /// Returns the number of bytes that the member represents.
    #[inline]
    #[must_use]
    pub fn byte_len(self) -> usize {
        self.with_bytes(<[u8]>::len)
    }

    /// Returns a copy of the bytes.
    #[must_use]
    pub fn to_bytes(self) -> Bytes {
        self.with_bytes(Bytes::copy_from_slice)
    }
}

macro_rules! from_bytes {
    ($($name:ident: $text:ty => $bytes:expr;)*) => {$(
        impl<'a> From<$text> for Member<'a> {
            fn from($name: $text) -> Self {
                Self::Bytes($bytes)
            }
        }
    )*};
}

from_bytes! {
    bytes: &'a [u8] => bytes;
    text: &'a str => text.as_bytes();
    text: &'a String => text.as_bytes();
    bytes: &'a Vec<u8> => bytes;
    bytes: &'a Bytes => bytes;
    text: &&'a str => text.as_bytes();
    bytes: &&'a [u8] => bytes;
}

impl<'a, const N: usize> From<&'a [u8; N]> for Member<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Self::Bytes(bytes)
    }
}

macro_rules! from_integer {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Member<'_> {
            fn from(number: $integer) -> Self {
                Self::Int(i64::from(number))
            }
        }

        impl From<&$integer> for Member<'_> {
            fn from(number: &$integer) -> Self {
                Self::Int(i64::from(*number))
            }
        }
    )*};
}

from_integer!(i8, i16, i32, i64, u8, u16, u32);
