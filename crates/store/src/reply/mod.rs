//! What a command answers.

mod convert;
mod write;

use std::borrow::Cow;

use bytes::Bytes;

use crate::error::Error;
use crate::member::Member;
use crate::profile::Profile;

pub use convert::FromReply;

/// The reply to a command given as words, in the shapes of RESP3.
///
/// A reply is a tree of plain values: `redis-cli`, a RESP encoder and a test each visit it in their own way.
/// [`into_resp2`](Self::into_resp2) turns it into what a client of RESP2 sees, [`convert`](Self::convert) into a type
/// of the caller's.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::{ErrorKind, Store};
///
/// let store = Store::new();
/// store.execute(&["SET", "page", "41"]);
/// assert_eq!(store.execute(&["INCR", "page"]).as_int(), Some(42));
/// assert_eq!(store.execute(&["MGET", "page", "none"]).convert::<Vec<Option<u8>>>()?, [Some(42), None]);
///
/// let refused = store.execute(&["SADD", "page", "x"]).into_result().unwrap_err();
/// assert_eq!(refused.kind(), ErrorKind::WrongType);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reply {
    /// A short status, `OK` above all.
    Status(Cow<'static, str>),
    /// An error, word for word as Redis says it: the first word is its code (`ERR`, `WRONGTYPE`, ...).
    Error(Error),
    /// An integer.
    Int(i64),
    /// Yes or no. RESP2 shows them as 1 and 0.
    Boolean(bool),
    /// A byte string.
    Bulk(Bytes),
    /// A score. RESP2 shows it as a byte string, with the digits that the release series gives it.
    Double(f64),
    /// A coordinate in degrees. RESP2 shows it as a byte string, with up to 17 digits behind the point.
    Coordinate(f64),
    /// A text for people to read, such as that of INFO. RESP2 shows it as a byte string.
    Verbatim(String),
    /// Nothing: the key or member does not exist.
    Nil,
    /// Nothing where a command replies with an array otherwise. RESP2 has a null of its own for it (`*-1`); in RESP3 it
    /// is the same as [`Nil`](Self::Nil).
    NullArray,
    /// A list of replies, in order.
    Array(Vec<Reply>),
    /// A list of replies without an order. RESP2 shows it as an array.
    Set(Vec<Reply>),
    /// Pairs. RESP2 shows them as an array of keys and values in turn.
    Map(Vec<(Reply, Reply)>),
    /// A value with its name, a map of one. RESP2 shows an array of the value alone.
    Named(&'static str, Box<Reply>),
    /// Pairs in order, each an array of two. RESP2 shows them as an array of firsts and seconds in turn.
    Pairs(Vec<(Reply, Reply)>),
}

impl Reply {
    /// The status `OK`.
    pub const OK: Self = Self::Status(Cow::Borrowed("OK"));

    /// Whether this is an error.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }

    /// Whether this is nothing, of either sort.
    #[must_use]
    pub const fn is_nil(&self) -> bool {
        matches!(self, Self::Nil | Self::NullArray)
    }

    /// The error, if it is one.
    #[must_use]
    pub const fn as_error(&self) -> Option<&Error> {
        if let Self::Error(error) = self { Some(error) } else { None }
    }

    /// The integer, if it is one.
    #[must_use]
    pub const fn as_int(&self) -> Option<i64> {
        if let Self::Int(number) = self { Some(*number) } else { None }
    }

    /// Yes or no, if it is that, or the 1 or 0 of the commands that are older than RESP3.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        if let Self::Boolean(yes) = self {
            Some(*yes)
        } else if let Self::Int(number @ 0..=1) = self {
            Some(*number == 1)
        } else {
            None
        }
    }

    /// The score or coordinate, if it is one.
    #[must_use]
    pub const fn as_f64(&self) -> Option<f64> {
        if let Self::Double(number) | Self::Coordinate(number) = self {
            Some(*number)
        } else {
            None
        }
    }

    /// The bytes of a byte string, a status or a text.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        if let Self::Bulk(bytes) = self {
            Some(bytes)
        } else if let Self::Status(text) = self {
            Some(text.as_bytes())
        } else if let Self::Verbatim(text) = self {
            Some(text.as_bytes())
        } else {
            None
        }
    }

    /// The same, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.as_bytes()?).ok()
    }

    /// The elements of an array or a set.
    #[must_use]
    pub fn as_slice(&self) -> Option<&[Self]> {
        if let Self::Array(elements) | Self::Set(elements) = self { Some(elements) } else { None }
    }

    /// The reply, or the error that it is.
    ///
    /// # Errors
    ///
    /// That of the command.
    pub fn into_result(self) -> Result<Self, Error> {
        if let Self::Error(error) = self { Err(error) } else { Ok(self) }
    }

    /// The reply as a type of the caller's: see [`FromReply`].
    ///
    /// # Errors
    ///
    /// That of the command; [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the type cannot hold the reply.
    pub fn convert<T: FromReply>(self) -> Result<T, Error> {
        T::from_reply(self.into_result()?)
    }

    /// The same reply as a client of RESP2 sees it: arrays in place of sets and maps, byte strings in place of texts
    /// and scores, whose digits are those of the profile.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{Reply, Store};
    ///
    /// let store = Store::new();
    /// store.execute(&["SADD", "s", "1"]);
    /// let members = store.execute(&["SMEMBERS", "s"]);
    /// assert_eq!(members, Reply::Set(vec![Reply::Bulk("1".into())]));
    /// assert_eq!(members.into_resp2(store.profile()), Reply::Array(vec![Reply::Bulk("1".into())]));
    /// ```
    #[must_use]
    pub fn into_resp2(self, profile: Profile) -> Self {
        let each = |reply: Self| reply.into_resp2(profile);
        match self {
            Self::Array(items) | Self::Set(items) => {
                Self::Array(items.into_iter().map(each).collect())
            }
            Self::Map(pairs) | Self::Pairs(pairs) => Self::Array(
                pairs.into_iter().flat_map(|(key, value)| [each(key), each(value)]).collect(),
            ),
            Self::Verbatim(text) => Self::Bulk(text.into()),
            Self::Boolean(yes) => Self::Int(yes.into()),
            Self::Named(_, value) => Self::Array(vec![each(*value)]),
            Self::Double(number) => Self::Bulk(profile.double(number).into()),
            Self::Coordinate(degrees) => Self::Bulk(coordinate(degrees, profile).into()),
            Self::Status(_)
            | Self::Error(_)
            | Self::Int(_)
            | Self::Bulk(_)
            | Self::Nil
            | Self::NullArray => self,
        }
    }

    /// A byte string that is known beforehand.
    pub(crate) const fn text(text: &'static str) -> Self {
        Self::Bulk(Bytes::from_static(text.as_bytes()))
    }

    /// A number of things.
    pub(crate) fn count(count: usize) -> Self {
        Self::Int(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

/// A coordinate as the servers of a profile write it.
fn coordinate(degrees: f64, profile: Profile) -> String {
    if profile.coordinates_as_scores() { profile.double(degrees) } else { human(degrees) }
}

/// A number with as many digits behind the point as there are, but 17 at most.
fn human(number: f64) -> String {
    let mut text = format!("{number:.17}");
    let kept = text.trim_end_matches('0').trim_end_matches('.').len();
    text.truncate(kept);
    if text == "-0" {
        text.remove(0);
    }
    text
}

macro_rules! from {
    ($($(#[$doc:meta])* $name:ident: $value:ty => $reply:expr;)*) => {$(
        $(#[$doc])*
        impl From<$value> for Reply {
            fn from($name: $value) -> Self {
                $reply
            }
        }
    )*};
}

from! {
    _ok: () => Self::OK;
    number: u8 => Self::Int(number.into());
    number: u32 => Self::Int(number.into());
    number: i64 => Self::Int(number);
    /// As a signed number, which is what Redis shows of the greatest too.
    number: u64 => Self::Int(number.cast_signed());
    count: usize => Self::count(count);
    /// Redis answers yes and no as 1 and 0.
    yes: bool => Self::Int(i64::from(yes));
    /// A score.
    score: f64 => Self::Double(score);
    bytes: Bytes => Self::Bulk(bytes);
    text: String => Self::Bulk(text.into());
    text: &'static str => Self::text(text);
    member: Member<'_> => Self::Bulk(member.to_bytes());
    error: Error => Self::Error(error);
}

impl<T: Into<Self>> From<Option<T>> for Reply {
    fn from(found: Option<T>) -> Self {
        found.map_or(Self::Nil, Into::into)
    }
}

impl<T: Into<Self>> From<Vec<T>> for Reply {
    fn from(all: Vec<T>) -> Self {
        Self::Array(all.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Self>> From<Result<T, Error>> for Reply {
    fn from(answer: Result<T, Error>) -> Self {
        answer.map_or_else(Self::Error, Into::into)
    }
}
