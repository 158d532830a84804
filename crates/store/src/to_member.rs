//! Members, values and items as arguments.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use bytes::Bytes;
use smallvec::SmallVec;

use crate::member::Member;

/// The members of a call. Most calls have few.
type List<T> = SmallVec<[T; 8]>;

/// A member, a value or an item as an argument: any type that is a byte string, or has a unique text form.
///
/// | type | the byte string |
/// |---|---|
/// | byte strings and texts, owned and borrowed | their bytes |
/// | integers of every width | decimal |
/// | `f64`, `f32` | the shortest decimal that parses to the same value, with a fraction or an exponent: `1.0`, `1e300` |
/// | `bool` | `1` or `0` |
/// | `char` | UTF-8 |
/// | [`Member`] | what it represents |
///
/// A single `u8` is a number; a slice, an array or a vector of `u8` is one byte string.
///
/// The trait is sealed.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::Store;
///
/// let store = Store::new();
/// store.set("int", u64::MAX)?;
/// store.set("float", 0.1)?;
/// store.set("text", format!("{}-{}", 1, 2))?;
/// store.set("bytes", [0xca, 0xfe])?;
/// assert_eq!(store.get("int")?.as_deref(), Some(&b"18446744073709551615"[..]));
/// assert_eq!(store.get("float")?.as_deref(), Some(&b"0.1"[..]));
/// assert_eq!(store.get("text")?.as_deref(), Some(&b"1-2"[..]));
/// assert_eq!(store.get("bytes")?.as_deref(), Some(&b"\xca\xfe"[..]));
/// # Ok::<(), tallis::Error>(())
/// ```
pub trait ToMember: sealed::Sealed {
    /// Calls `take` with the member.
    #[doc(hidden)]
    fn with_member<R>(&self, take: impl FnOnce(Member<'_>) -> R) -> R;

    /// Passes on several members. Types that a member borrows from need no text.
    #[doc(hidden)]
    fn with_each<'l, R>(
        list: impl Iterator<Item = &'l Self>,
        take: impl FnOnce(&[Member<'_>]) -> R,
    ) -> R
    where
        Self: 'l,
    {
        with_texts(list, take)
    }

    /// The bytes of a list, if it is one byte string.
    #[doc(hidden)]
    fn bytes_of(_list: &[Self]) -> Option<&[u8]>
    where
        Self: Sized,
    {
        None
    }
}

/// One or many members, values or items as an argument.
///
/// It is implemented for every [`ToMember`], for arrays, slices, vectors, sets and ranges of it, and for iterators by
/// [`each`]. The trait is sealed.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::Store;
///
/// let store = Store::new();
/// assert_eq!(store.sadd("s", "a")?, 1);
/// assert_eq!(store.sadd("s", ["a", "b"])?, 1);
/// assert_eq!(store.sadd("s", vec![1, 2, 3])?, 3);
/// assert_eq!(store.sadd("s", 0..10)?, 7);
/// # Ok::<(), tallis::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a member or a collection of members",
    note = "pass an iterator as `each(iterator)`"
)]
pub trait ToMembers: sealed::Sealed {
    /// Calls `take` with the members.
    #[doc(hidden)]
    fn with_members<R>(&self, take: impl FnOnce(&[Member<'_>]) -> R) -> R;
}

pub(crate) mod sealed {
    #[expect(unnameable_types, reason = "other crates must not implement it")]
    pub trait Sealed {}
}

/// Wraps an iterator as one or many members.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{Store, each};
///
/// let store = Store::new();
/// store.sadd("squares", each((1..=10).map(|number: u64| number * number)))?;
/// assert_eq!(store.scard("squares")?, 10);
/// # Ok::<(), tallis::Error>(())
/// ```
pub const fn each<I: IntoIterator + Clone>(items: I) -> Each<I> {
    Each(items)
}

/// An iterator as members, created by [`each`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Each<I>(I);

impl<I> sealed::Sealed for Each<I> {}

impl<I: IntoIterator + Clone> Each<I> {
    pub(crate) fn items(&self) -> List<I::Item> {
        self.0.clone().into_iter().collect()
    }
}

impl<I: IntoIterator<Item: ToMember> + Clone> ToMembers for Each<I> {
    #[inline]
    fn with_members<R>(&self, take: impl FnOnce(&[Member<'_>]) -> R) -> R {
        I::Item::with_each(self.items().iter(), take)
    }
}

/// Types of one member, which are also a list of one.
macro_rules! one {
    ($([$($generic:tt)*] $type:ty;)*) => {$(
        impl<$($generic)*> sealed::Sealed for $type {}

        impl<$($generic)*> ToMembers for $type {
            #[inline]
            fn with_members<R>(&self, take: impl FnOnce(&[Member<'_>]) -> R) -> R {
                self.with_member(|member| take(&[member]))
            }
        }
    )*};
}

one! {
    ['m] Member<'m>;
    [] str;
    [] String;
    [] Box<str>;
    [] Arc<str>;
    ['c] Cow<'c, str>;
    [] Bytes;
    [] Box<[u8]>;
    [] Arc<[u8]>;
    ['c] Cow<'c, [u8]>;
    [] bool;
    [] char;
    [] i8;
    [] i16;
    [] i32;
    [] i64;
    [] i128;
    [] isize;
    [] u8;
    [] u16;
    [] u32;
    [] u64;
    [] u128;
    [] usize;
    [] f32;
    [] f64;
}

/// Types that a member borrows from, or converts from.
macro_rules! plain {
    ($([$($generic:tt)*] $type:ty: $name:ident => $member:expr $(, $bytes_of:item)?;)*) => {$(
        impl<$($generic)*> ToMember for $type {
            #[inline]
            fn with_member<R>(&self, take: impl FnOnce(Member<'_>) -> R) -> R {
                let $name = self;
                take($member)
            }

            #[inline]
            fn with_each<'l, R>(
                list: impl Iterator<Item = &'l Self>,
                take: impl FnOnce(&[Member<'_>]) -> R,
            ) -> R
            where
                Self: 'l,
            {
                let members: List<Member<'_>> = list.map(|$name| $member).collect();
                take(&members)
            }

            $($bytes_of)?
        }
    )*};
}

plain! {
    ['m] Member<'m>: member => *member;
    [] str: text => Member::Bytes(text.as_bytes());
    [] String: text => Member::Bytes(text.as_bytes());
    [] Box<str>: text => Member::Bytes(text.as_bytes());
    [] Arc<str>: text => Member::Bytes(text.as_bytes());
    ['c] Cow<'c, str>: text => Member::Bytes(text.as_bytes());
    [] Bytes: bytes => Member::Bytes(bytes);
    [] Box<[u8]>: bytes => Member::Bytes(bytes);
    [] Arc<[u8]>: bytes => Member::Bytes(bytes);
    ['c] Cow<'c, [u8]>: bytes => Member::Bytes(bytes);
    [] [u8]: bytes => Member::Bytes(bytes);
    [] Vec<u8>: bytes => Member::Bytes(bytes);
    [const N: usize] [u8; N]: bytes => Member::Bytes(bytes);
    [] bool: yes => Member::Int((*yes).into());
    [] i8: number => Member::Int((*number).into());
    [] i16: number => Member::Int((*number).into());
    [] i32: number => Member::Int((*number).into());
    [] i64: number => Member::Int(*number);
    [] u8: number => Member::Int((*number).into()), fn bytes_of(list: &[Self]) -> Option<&[u8]> {
        Some(list)
    };
    [] u16: number => Member::Int((*number).into());
    [] u32: number => Member::Int((*number).into());
}

/// Types that must be formatted.
macro_rules! rendered {
    ($($type:ty: $name:ident, $take:ident => $with:expr;)*) => {$(
        impl ToMember for $type {
            #[inline]
            fn with_member<R>(&self, $take: impl FnOnce(Member<'_>) -> R) -> R {
                let $name = *self;
                $with
            }
        }
    )*};
}

rendered! {
    i128: number, take => with_integer(number, number.try_into().ok(), take);
    isize: number, take => with_integer(number, number.try_into().ok(), take);
    u64: number, take => with_integer(number, number.try_into().ok(), take);
    u128: number, take => with_integer(number, number.try_into().ok(), take);
    usize: number, take => with_integer(number, number.try_into().ok(), take);
    f32: number, take => take(Member::Bytes(format!("{number:?}").as_bytes()));
    f64: number, take => take(Member::Bytes(format!("{number:?}").as_bytes()));
    char: one, take => take(Member::Bytes(one.encode_utf8(&mut [0; 4]).as_bytes()));
}

#[inline]
fn with_integer<R>(
    number: impl itoa::Integer,
    small: Option<i64>,
    take: impl FnOnce(Member<'_>) -> R,
) -> R {
    match small {
        Some(number) => take(Member::Int(number)),
        None => take(Member::Bytes(itoa::Buffer::new().format(number).as_bytes())),
    }
}

/// Passes on members whose texts are formatted into one buffer.
fn with_texts<'l, T: ToMember + ?Sized + 'l, R>(
    list: impl Iterator<Item = &'l T>,
    take: impl FnOnce(&[Member<'_>]) -> R,
) -> R {
    let mut texts = Vec::new();
    let mut made: List<Result<i64, Range<usize>>> = List::new();
    for one in list {
        one.with_member(|member| {
            made.push(match member {
                Member::Int(number) => Ok(number),
                Member::Bytes(text) => {
                    let start = texts.len();
                    texts.extend_from_slice(text);
                    Err(start..texts.len())
                }
            });
        });
    }
    let members: List<Member<'_>> = made
        .iter()
        .map(|made| match made {
            Ok(number) => Member::Int(*number),
            Err(place) => Member::Bytes(&texts[place.clone()]),
        })
        .collect();
    take(&members)
}

impl<T> sealed::Sealed for [T] {}

impl<T: ToMember> ToMembers for [T] {
    #[inline]
    fn with_members<R>(&self, take: impl FnOnce(&[Member<'_>]) -> R) -> R {
        match T::bytes_of(self) {
            Some(bytes) => take(&[Member::Bytes(bytes)]),
            None => T::with_each(self.iter(), take),
        }
    }
}

impl<T, const N: usize> sealed::Sealed for [T; N] {}

impl<T: ToMember, const N: usize> ToMembers for [T; N] {
    #[inline]
    fn with_members<R>(&self, take: impl FnOnce(&[Member<'_>]) -> R) -> R {
        self.as_slice().with_members(take)
    }
}

impl<T> sealed::Sealed for Vec<T> {}

impl<T: ToMember> ToMembers for Vec<T> {
    #[inline]
    fn with_members<R>(&self, take: impl FnOnce(&[Member<'_>]) -> R) -> R {
        self.as_slice().with_members(take)
    }
}

impl<T, S> sealed::Sealed for HashSet<T, S> {}

impl<T: ToMember, S> ToMembers for HashSet<T, S> {
    #[inline]
    fn with_members<R>(&self, take: impl FnOnce(&[Member<'_>]) -> R) -> R {
        T::with_each(self.iter(), take)
    }
}

impl<T> sealed::Sealed for BTreeSet<T> {}

impl<T: ToMember> ToMembers for BTreeSet<T> {
    #[inline]
    fn with_members<R>(&self, take: impl FnOnce(&[Member<'_>]) -> R) -> R {
        T::with_each(self.iter(), take)
    }
}

macro_rules! ranges {
    ($($range:ty),*) => {$(
        impl<T> sealed::Sealed for $range {}

        impl<T: ToMember> ToMembers for $range
        where
            Self: Iterator<Item = T> + Clone,
        {
            #[inline]
            fn with_members<R>(&self, take: impl FnOnce(&[Member<'_>]) -> R) -> R {
                each(self.clone()).with_members(take)
            }
        }
    )*};
}

ranges!(Range<T>, RangeInclusive<T>);

impl<T: sealed::Sealed + ?Sized> sealed::Sealed for &T {}

impl<T: ToMember + ?Sized> ToMember for &T {
    #[inline]
    fn with_member<R>(&self, take: impl FnOnce(Member<'_>) -> R) -> R {
        (**self).with_member(take)
    }

    #[inline]
    fn with_each<'l, R>(
        list: impl Iterator<Item = &'l Self>,
        take: impl FnOnce(&[Member<'_>]) -> R,
    ) -> R
    where
        Self: 'l,
    {
        T::with_each(list.map(|one| &**one), take)
    }
}

impl<T: ToMembers + ?Sized> ToMembers for &T {
    #[inline]
    fn with_members<R>(&self, take: impl FnOnce(&[Member<'_>]) -> R) -> R {
        (**self).with_members(take)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(members: impl ToMembers) -> Vec<String> {
        members.with_members(|members| {
            let text = |member: &Member<'_>| {
                member.with_bytes(|bytes| String::from_utf8_lossy(bytes).into_owned())
            };
            members.iter().map(text).collect()
        })
    }

    #[test]
    fn one_member_is_a_list_of_one() {
        assert_eq!(texts("a"), ["a"]);
        assert_eq!(texts(String::from("a")), ["a"]);
        assert_eq!(texts(Cow::Borrowed("a")), ["a"]);
        assert_eq!(texts(Bytes::from_static(b"a")), ["a"]);
        assert_eq!(texts(Arc::<str>::from("a")), ["a"]);
        assert_eq!(texts(Member::Int(7)), ["7"]);
        assert_eq!(texts(true), ["1"]);
        assert_eq!(texts(false), ["0"]);
        assert_eq!(texts('\u{e9}'), ["\u{e9}"]);
        assert_eq!(texts(1.0), ["1.0"]);
        assert_eq!(texts(-0.1f32), ["-0.1"]);
        assert_eq!(texts(1e300), ["1e300"]);
        assert_eq!(texts(f64::NEG_INFINITY), ["-inf"]);
    }

    #[test]
    fn integers_of_every_width_are_decimal() {
        assert_eq!(texts(7u8), ["7"]);
        assert_eq!(texts([i8::MIN, i8::MAX]), ["-128", "127"]);
        assert_eq!(texts([i64::MIN, i64::MAX]), ["-9223372036854775808", "9223372036854775807"]);
        assert_eq!(texts([0, u64::MAX]), ["0", "18446744073709551615"]);
        assert_eq!(texts([isize::MIN, -1]), ["-9223372036854775808", "-1"]);
        assert_eq!(texts(usize::MAX), ["18446744073709551615"]);
        let widest = ["-170141183460469231731687303715884105728", "5"];
        assert_eq!(texts([i128::MIN, 5]), widest);
        assert_eq!(texts(u128::MAX), ["340282366920938463463374607431768211455"]);
        // A number that fits is passed on as a number, not as text.
        assert!(u64::MAX.with_member(|member| matches!(member, Member::Bytes(_))));
        assert!(7usize.with_member(|member| matches!(member, Member::Int(7))));
    }

    #[test]
    fn lists_are_many_and_bytes_are_one() {
        assert_eq!(texts(["a", "b"]), ["a", "b"]);
        assert_eq!(texts(vec![String::from("a"), String::from("b")]), ["a", "b"]);
        assert_eq!(texts(&["a", "b"][..]), ["a", "b"]);
        assert_eq!(texts([0.5, 2.0]), ["0.5", "2.0"]);
        assert_eq!(texts(['x', 'y']), ["x", "y"]);
        assert_eq!(texts([b"ab", b"cd"]), ["ab", "cd"]);
        assert_eq!(texts(BTreeSet::from([2u8, 1])), ["1", "2"]);
        assert_eq!(texts(HashSet::from(["a"])), ["a"]);
        assert_eq!(texts(0..3u8), ["0", "1", "2"]);
        assert_eq!(texts(-1..=1), ["-1", "0", "1"]);
        assert_eq!(texts(each((0..3u8).rev())), ["2", "1", "0"]);
        assert_eq!(texts(each(["a", "b"].iter().rev())), ["b", "a"]);
        assert_eq!(texts(Vec::<&str>::new()), [""; 0]);
        assert_eq!(texts(b"ab"), ["ab"]);
        assert_eq!(texts([b'a', b'b']), ["ab"]);
        assert_eq!(texts(vec![b'a', b'b']), ["ab"]);
        assert_eq!(texts(&[b'a', b'b'][..]), ["ab"]);
        assert_eq!(texts(Box::<[u8]>::from(*b"ab")), ["ab"]);
    }
}
