//! Conversion of replies to the caller's types.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a reply of any other kind cannot be converted"
)]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};
use std::str::FromStr;

use bytes::Bytes;

use super::Reply;
use crate::error::{Error, ErrorKind};

/// The types to which a reply can be converted, by [`Reply::convert`].
///
/// | type | from |
/// |---|---|
/// | integers | an integer; a byte string or status in decimal |
/// | `f64`, `f32` | a score or coordinate, an integer, a byte string that is a number |
/// | `bool` | a boolean, 1 and 0, the status `OK` |
/// | `char` | a byte string of one character |
/// | `String` | a byte string, status or text in UTF-8; a number in decimal |
/// | `Bytes`, `Vec<u8>` | the same, with any bytes |
/// | `Option<T>` | null as `None`, otherwise as `T` |
/// | `Vec<T>`, sets | an array or set, null as an empty one |
/// | maps, `Vec<(K, V)>` | a map, pairs, an array of keys and values in turn, or of arrays of two |
/// | tuples, `[T; N]` | an array of as many elements |
/// | `()` | anything |
/// | `Reply` | itself |
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use std::collections::HashMap;
///
/// use tallis::{ErrorKind, Store};
///
/// let store = Store::new();
/// store.execute(&["ZADD", "scores", "1", "ann", "2.5", "bob"]);
/// let scores = store.execute(&["ZRANGE", "scores", "0", "-1", "WITHSCORES"]);
/// let scores: HashMap<String, f64> = scores.convert()?;
/// assert_eq!(scores["bob"], 2.5);
///
/// let refused = store.execute(&["ZSCORE", "scores", "bob"]).convert::<u8>();
/// assert_eq!(refused.unwrap_err().kind(), ErrorKind::Conversion);
/// # Ok::<(), tallis::Error>(())
/// ```
pub trait FromReply: Sized {
    /// Converts a reply to this type.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`] if the type cannot represent it; the error if the reply is one.
    fn from_reply(reply: Reply) -> Result<Self, Error>;

    /// Converts a reply to a list of this type. Bytes are one string.
    #[doc(hidden)]
    fn list_from_reply(reply: Reply) -> Result<Vec<Self>, Error> {
        elements(reply)?.into_iter().map(Self::from_reply).collect()
    }
}

#[cold]
fn cannot_hold<T>(reply: &Reply) -> Error {
    let name = std::any::type_name::<T>();
    Error::new(ErrorKind::Conversion, format!("ERR cannot convert the reply {reply:?} to {name}"))
}

/// The elements of an array or a set.
fn elements(reply: Reply) -> Result<Vec<Reply>, Error> {
    match reply {
        Reply::Error(error) => Err(error),
        Reply::Array(elements) | Reply::Set(elements) => Ok(elements),
        Reply::Pairs(pairs) | Reply::Map(pairs) => {
            Ok(pairs.into_iter().flat_map(|(first, second)| [first, second]).collect())
        }
        Reply::Nil | Reply::NullArray => Ok(Vec::new()),
        other => Err(cannot_hold::<Vec<Reply>>(&other)),
    }
}

/// Pairs, from any representation.
fn pairs<K: FromReply, V: FromReply>(reply: Reply) -> Result<Vec<(K, V)>, Error> {
    let pair = |(key, value)| Ok((K::from_reply(key)?, V::from_reply(value)?));
    match reply {
        Reply::Map(pairs) | Reply::Pairs(pairs) => pairs.into_iter().map(pair).collect(),
        Reply::Named(name, value) => Ok(vec![pair((name.into(), *value))?]),
        other => {
            let elements = elements(other)?;
            if elements.first().is_some_and(|first| first.as_slice().is_some()) {
                return elements.into_iter().map(<(K, V)>::from_reply).collect();
            }
            if elements.len() % 2 == 1 {
                return Err(cannot_hold::<Vec<(K, V)>>(&Reply::Array(elements)));
            }
            let mut elements = elements.into_iter();
            let mut all = Vec::with_capacity(elements.len() / 2);
            while let (Some(key), Some(value)) = (elements.next(), elements.next()) {
                all.push(pair((key, value))?);
            }
            Ok(all)
        }
    }
}

impl FromReply for Reply {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        Ok(reply)
    }
}

impl FromReply for () {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        reply.into_result().map(drop)
    }
}

impl FromReply for Bytes {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        Ok(match reply {
            Reply::Error(error) => return Err(error),
            Reply::Bulk(bytes) => bytes,
            Reply::Status(Cow::Borrowed(text)) => Self::from_static(text.as_bytes()),
            Reply::Status(Cow::Owned(text)) | Reply::Verbatim(text) => text.into(),
            Reply::Int(number) => number.to_string().into(),
            Reply::Double(number) | Reply::Coordinate(number) => number.to_string().into(),
            other => return Err(cannot_hold::<Self>(&other)),
        })
    }
}

impl FromReply for String {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        let bytes = Bytes::from_reply(reply)?;
        Self::from_utf8(bytes.into()).map_err(|error| {
            Error::caused(ErrorKind::Conversion, "ERR the reply is not UTF-8", error)
        })
    }
}

impl FromReply for char {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        let text = String::from_reply(reply)?;
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(one), None) => Ok(one),
            _ => Err(cannot_hold::<Self>(&Reply::from(text))),
        }
    }
}

impl FromReply for bool {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        if let Some(yes) = reply.as_bool() {
            return Ok(yes);
        }
        match reply.as_bytes() {
            Some(b"1" | b"OK") => Ok(true),
            Some(b"0") => Ok(false),
            _ => Err(reply.into_result().map_or_else(|error| error, |it| cannot_hold::<Self>(&it))),
        }
    }
}

/// Parses a number from an integer or from text.
fn number<T: FromStr>(reply: Reply, from_int: impl Fn(i64) -> Option<T>) -> Result<T, Error> {
    let found = match reply.as_int() {
        Some(number) => from_int(number),
        None => reply.as_str().and_then(|text| text.parse().ok()),
    };
    found.map_or_else(|| Err(cannot_hold::<T>(&reply.into_result()?)), Ok)
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl FromReply for $integer {
            fn from_reply(reply: Reply) -> Result<Self, Error> {
                number(reply, |number| number.try_into().ok())
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, i128, isize, u16, u32, u64, u128, usize);

impl FromReply for u8 {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        number(reply, |number| number.try_into().ok())
    }

    fn list_from_reply(reply: Reply) -> Result<Vec<Self>, Error> {
        // An array of numbers is accepted too.
        if reply.is_nil() || reply.as_slice().is_some() {
            return elements(reply)?.into_iter().map(Self::from_reply).collect();
        }
        Bytes::from_reply(reply).map(Vec::from)
    }
}

impl FromReply for f64 {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        #[expect(clippy::cast_precision_loss, reason = "integers are converted as for scores")]
        reply.as_f64().map_or_else(|| number(reply, |number| Some(number as Self)), Ok)
    }
}

impl FromReply for f32 {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        #[expect(clippy::cast_possible_truncation, reason = "the nearest `f32` is returned")]
        f64::from_reply(reply).map(|number| number as Self)
    }
}

impl<T: FromReply> FromReply for Option<T> {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        if reply.is_nil() { Ok(None) } else { T::from_reply(reply).map(Some) }
    }
}

impl<T: FromReply> FromReply for Vec<T> {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        T::list_from_reply(reply)
    }
}

impl<T: FromReply, const N: usize> FromReply for [T; N] {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        let all = T::list_from_reply(reply)?;
        let len = all.len();
        all.try_into().map_err(|_| cannot_hold::<Self>(&Reply::count(len)))
    }
}

impl<T: FromReply + Eq + Hash, S: BuildHasher + Default> FromReply for HashSet<T, S> {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        Vec::from_reply(reply).map(|all: Vec<T>| all.into_iter().collect())
    }
}

impl<T: FromReply + Ord> FromReply for BTreeSet<T> {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        Vec::from_reply(reply).map(|all: Vec<T>| all.into_iter().collect())
    }
}

impl<K, V, S> FromReply for HashMap<K, V, S>
where
    K: FromReply + Eq + Hash,
    V: FromReply,
    S: BuildHasher + Default,
{
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        pairs(reply).map(|all| all.into_iter().collect())
    }
}

impl<K: FromReply + Ord, V: FromReply> FromReply for BTreeMap<K, V> {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        pairs(reply).map(|all| all.into_iter().collect())
    }
}

/// Exactly as many elements as the tuple has.
fn exactly<T, const N: usize>(reply: Reply) -> Result<[Reply; N], Error> {
    elements(reply)?.try_into().map_err(|all| cannot_hold::<T>(&Reply::Array(all)))
}

impl<A: FromReply, B: FromReply> FromReply for (A, B) {
    fn from_reply(reply: Reply) -> Result<Self, Error> {
        let [a, b] = exactly::<Self, 2>(reply)?;
        Ok((A::from_reply(a)?, B::from_reply(b)?))
    }

    fn list_from_reply(reply: Reply) -> Result<Vec<Self>, Error> {
        pairs(reply)
    }
}

/// Tuples of lengths other than two, which are also the pairs of maps.
macro_rules! tuples {
    ($($count:literal: $($element:ident)+;)+) => {$(
        impl<$($element: FromReply),+> FromReply for ($($element,)+) {
            fn from_reply(reply: Reply) -> Result<Self, Error> {
                let mut all = exactly::<Self, $count>(reply)?.into_iter();
                Ok(($($element::from_reply(all.next().unwrap_or(Reply::Nil))?,)+))
            }
        }
    )+};
}

tuples! {
    1: A;
    3: A B C;
    4: A B C D;
    5: A B C D E;
    6: A B C D E F;
    7: A B C D E F G;
    8: A B C D E F G H;
    9: A B C D E F G H I;
    10: A B C D E F G H I J;
    11: A B C D E F G H I J K;
    12: A B C D E F G H I J K L;
}

impl<T: FromReply> TryFrom<Reply> for Vec<T> {
    type Error = Error;

    fn try_from(reply: Reply) -> Result<Self, Error> {
        reply.convert()
    }
}

macro_rules! try_from {
    ($($value:ty),*) => {$(
        impl TryFrom<Reply> for $value {
            type Error = Error;

            fn try_from(reply: Reply) -> Result<Self, Error> {
                reply.convert()
            }
        }
    )*};
}

try_from!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);
try_from!(f32, f64, bool, char, String, Bytes);

#[cfg(test)]
mod tests {
    use super::*;

    fn bulk(text: &str) -> Reply {
        Reply::Bulk(Bytes::copy_from_slice(text.as_bytes()))
    }

    fn refused<T: FromReply + std::fmt::Debug>(reply: Reply) -> ErrorKind {
        reply.convert::<T>().unwrap_err().kind()
    }

    #[test]
    fn numbers_come_from_integers_and_from_text() {
        assert_eq!(Reply::Int(-5).convert::<i8>().unwrap(), -5);
        assert_eq!(bulk("300").convert::<u16>().unwrap(), 300);
        assert_eq!(Reply::Verbatim("7".into()).convert::<u8>().unwrap(), 7);
        assert_eq!(Reply::Int(2).convert::<f64>().unwrap().to_bits(), 2f64.to_bits());
        assert_eq!(Reply::Double(0.5).convert::<f32>().unwrap().to_bits(), 0.5f32.to_bits());
        assert!(bulk("-inf").convert::<f64>().unwrap().is_infinite());
        for reply in
            [Reply::Int(300), Reply::Int(-1), bulk("x"), bulk(""), Reply::Double(1.0), Reply::Nil]
        {
            assert_eq!(refused::<u8>(reply), ErrorKind::Conversion);
        }
    }

    #[test]
    fn text_comes_from_all_that_has_bytes() {
        for (reply, text) in [
            (bulk("a"), "a"),
            (Reply::OK, "OK"),
            (Reply::Status("x".to_owned().into()), "x"),
            (Reply::Int(-12), "-12"),
            (Reply::Double(1.5), "1.5"),
        ] {
            assert_eq!(reply.clone().convert::<String>().unwrap(), text);
            assert_eq!(reply.clone().convert::<Vec<u8>>().unwrap(), text.as_bytes());
            assert_eq!(reply.convert::<Bytes>().unwrap(), text.as_bytes());
        }
        assert_eq!(
            refused::<String>(Reply::Bulk(Bytes::from_static(b"\xff"))),
            ErrorKind::Conversion
        );
        assert_eq!(refused::<String>(Reply::Array(Vec::new())), ErrorKind::Conversion);
        assert_eq!(bulk("\u{e9}").convert::<char>().unwrap(), '\u{e9}');
        assert_eq!(refused::<char>(bulk("ab")), ErrorKind::Conversion);
        assert_eq!(refused::<char>(bulk("")), ErrorKind::Conversion);
    }

    #[test]
    fn yes_and_no_come_in_every_form() {
        for yes in [Reply::Boolean(true), Reply::Int(1), bulk("1"), Reply::OK] {
            assert!(yes.convert::<bool>().unwrap());
        }
        for no in [Reply::Boolean(false), Reply::Int(0), bulk("0")] {
            assert!(!no.convert::<bool>().unwrap());
        }
        for neither in [Reply::Int(2), bulk("yes"), Reply::Nil] {
            assert_eq!(refused::<bool>(neither), ErrorKind::Conversion);
        }
    }

    #[test]
    fn nil_is_none_or_empty() {
        for nothing in [Reply::Nil, Reply::NullArray] {
            assert!(nothing.is_nil());
            assert_eq!(nothing.clone().convert::<Option<i64>>().unwrap(), None);
            assert_eq!(nothing.clone().convert::<Vec<i64>>().unwrap(), []);
            assert_eq!(nothing.clone().convert::<()>().unwrap(), ());
            assert_eq!(refused::<String>(nothing), ErrorKind::Conversion);
        }
        assert_eq!(bulk("5").convert::<Option<i64>>().unwrap(), Some(5));
    }

    #[test]
    fn pairs_come_in_every_form() {
        let (a, b) = ((bulk("a"), Reply::Int(1)), (bulk("b"), Reply::Int(2)));
        let flat = vec![a.0.clone(), a.1.clone(), b.0.clone(), b.1.clone()];
        let nested = [&a, &b].map(|(key, value)| Reply::Array(vec![key.clone(), value.clone()]));
        for reply in [
            Reply::Map(vec![a.clone(), b.clone()]),
            Reply::Pairs(vec![a, b]),
            Reply::Array(flat),
            Reply::Array(nested.to_vec()),
        ] {
            let list: Vec<(String, i64)> = reply.clone().convert().unwrap();
            assert_eq!(list, [("a".to_owned(), 1), ("b".to_owned(), 2)]);
            let map: BTreeMap<String, i64> = reply.clone().convert().unwrap();
            assert_eq!(map.into_iter().collect::<Vec<_>>(), list);
            let map: HashMap<char, u8> = reply.convert().unwrap();
            assert_eq!((map[&'a'], map[&'b']), (1, 2));
        }
        let named = Reply::Named("n", Box::new(Reply::Int(1)));
        assert_eq!(named.convert::<Vec<(String, u8)>>().unwrap(), [("n".to_owned(), 1)]);
        assert_eq!(
            refused::<Vec<(String, u8)>>(Reply::Array(vec![bulk("odd")])),
            ErrorKind::Conversion
        );
    }

    #[test]
    fn lists_have_the_elements_of_arrays_and_sets() {
        let three = vec![Reply::Int(3), bulk("1"), Reply::Int(2)];
        for reply in [Reply::Array(three.clone()), Reply::Set(three.clone())] {
            assert_eq!(reply.clone().convert::<Vec<u32>>().unwrap(), [3, 1, 2]);
            assert_eq!(reply.clone().convert::<[i64; 3]>().unwrap(), [3, 1, 2]);
            assert_eq!(
                reply.clone().convert::<(i64, String, f64)>().unwrap(),
                (3, "1".into(), 2.0)
            );
            let set: BTreeSet<u8> = reply.clone().convert().unwrap();
            assert_eq!(set.into_iter().collect::<Vec<_>>(), [1, 2, 3]);
            assert_eq!(reply.clone().convert::<HashSet<u8>>().unwrap().len(), 3);
            assert_eq!(refused::<[i64; 2]>(reply.clone()), ErrorKind::Conversion);
            assert_eq!(refused::<(i64, i64)>(reply.clone()), ErrorKind::Conversion);
            assert_eq!(Vec::<Reply>::try_from(reply).unwrap(), three);
        }
        assert_eq!(refused::<Vec<i64>>(Reply::Int(1)), ErrorKind::Conversion);
        assert_eq!(bulk("abc").convert::<[u8; 3]>().unwrap(), *b"abc");
    }

    #[test]
    fn errors_stay_errors() {
        let error = || Reply::Error(Error::wrong_type());
        assert_eq!(refused::<u8>(error()), ErrorKind::WrongType);
        assert_eq!(refused::<f64>(error()), ErrorKind::WrongType);
        assert_eq!(refused::<bool>(error()), ErrorKind::WrongType);
        assert_eq!(refused::<()>(error()), ErrorKind::WrongType);
        assert_eq!(refused::<Option<String>>(error()), ErrorKind::WrongType);
        // Errors in elements too, as in EXEC.
        let results = || Reply::Array(vec![Reply::Int(1), error()]);
        assert_eq!(refused::<Vec<i64>>(results()), ErrorKind::WrongType);
        assert_eq!(refused::<(i64, String)>(results()), ErrorKind::WrongType);
        assert_eq!(refused::<(i64, Vec<i64>)>(results()), ErrorKind::WrongType);
        assert_eq!(refused::<(i64, BTreeMap<i64, i64>)>(results()), ErrorKind::WrongType);
        let (one, kept): (i64, Reply) = results().convert().unwrap();
        assert_eq!((one, kept.as_error().map(Error::kind)), (1, Some(ErrorKind::WrongType)));
        assert_eq!(i64::try_from(error()).unwrap_err().kind(), ErrorKind::WrongType);
    }
}
