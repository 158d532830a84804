//! Replies of commands.

mod convert;
mod write;

use std::borrow::Cow;

use bytes::Bytes;

use crate::error::Error;
use crate::member::Member;
use crate::profile::Profile;

pub use convert::FromReply;

/// The reply to a command that was given as words, with RESP3 types.
///
/// A reply is a tree of plain values, to be formatted, encoded or compared. [`into_resp2`](Self::into_resp2) converts
/// it to RESP2 types, [`convert`](Self::convert) to a type of the caller.
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
    /// A short status, usually `OK`.
    Status(Cow<'static, str>),
    /// An error with Redis's text: the first word is its code (`ERR`, `WRONGTYPE`, ...).
    Error(Error),
    /// An integer.
    Int(i64),
    /// A boolean. In RESP2 it is 1 or 0.
    Boolean(bool),
    /// A byte string.
    Bulk(Bytes),
    /// A score. In RESP2 it is a byte string, with the digits of the release series.
    Double(f64),
    /// A coordinate in degrees. In RESP2 it is a byte string, with up to 17 digits after the decimal point.
    Coordinate(f64),
    /// A text for people, such as that of INFO. In RESP2 it is a byte string.
    Verbatim(String),
    /// Null: the key or member does not exist.
    Nil,
    /// Null from a command that otherwise replies with an array. RESP2 has a separate null for it (`*-1`); in RESP3 it
    /// is the same as [`Nil`](Self::Nil).
    NullArray,
    /// An ordered list of replies.
    Array(Vec<Reply>),
    /// A list of replies without an order. In RESP2 it is an array.
    Set(Vec<Reply>),
    /// Pairs. In RESP2 they are an array of keys and values in turn.
    Map(Vec<(Reply, Reply)>),
    /// A value with its name, a map with one entry. In RESP2 it is an array of the value alone.
    Named(&'static str, Box<Reply>),
    /// Ordered pairs, each an array of two. In RESP2 they are an array of first and second elements in turn.
    Pairs(Vec<(Reply, Reply)>),
}

impl Reply {
    /// The status `OK`.
    pub const OK: Self = Self::Status(Cow::Borrowed("OK"));

    /// Returns whether this is an error.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }

    /// Returns whether this is null, of either kind.
    #[must_use]
    pub const fn is_nil(&self) -> bool {
        matches!(self, Self::Nil | Self::NullArray)
    }

    /// Returns the error, if it is one.
    #[must_use]
    pub const fn as_error(&self) -> Option<&Error> {
        if let Self::Error(error) = self { Some(error) } else { None }
    }

    /// Returns the integer, if it is one.
    #[must_use]
    pub const fn as_int(&self) -> Option<i64> {
        if let Self::Int(number) = self { Some(*number) } else { None }
    }

    /// Returns the boolean, if it is one, or a 1 or 0 of commands that are older than RESP3.
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

    /// Returns the score or coordinate, if it is one.
    #[must_use]
    pub const fn as_f64(&self) -> Option<f64> {
        if let Self::Double(number) | Self::Coordinate(number) = self {
            Some(*number)
        } else {
            None
        }
    }

    /// Returns the bytes of a byte string, a status or a text.
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

    /// Returns a byte string, a status or a text, if it is UTF-8.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.as_bytes()?).ok()
    }

    /// Returns the elements of an array or a set.
    #[must_use]
    pub fn as_slice(&self) -> Option<&[Self]> {
        if let Self::Array(elements) | Self::Set(elements) = self { Some(elements) } else { None }
    }

    /// Returns the reply, or the error if it is one.
    ///
    /// # Errors
    ///
    /// The error of the command.
    pub fn into_result(self) -> Result<Self, Error> {
        if let Self::Error(error) = self { Err(error) } else { Ok(self) }
    }

    /// Converts the reply to a type of the caller: see [`FromReply`].
    ///
    /// # Errors
    ///
    /// The error of the command; [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the type cannot represent
    /// the reply.
    pub fn convert<T: FromReply>(self) -> Result<T, Error> {
        T::from_reply(self.into_result()?)
    }

    /// Converts the reply to RESP2 types: arrays instead of sets and maps, byte strings instead of texts and scores,
    /// with the digits of the profile.
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

    /// A constant byte string.
    pub(crate) const fn text(text: &'static str) -> Self {
        Self::Bulk(Bytes::from_static(text.as_bytes()))
    }

    /// A count, as an integer.
    pub(crate) fn count(count: usize) -> Self {
        Self::Int(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

/// Formats a coordinate as the servers of a profile do.
fn coordinate(degrees: f64, profile: Profile) -> String {
    if profile.coordinates_as_scores() { profile.double(degrees) } else { human(degrees) }
}

/// Formats a number with as many digits after the decimal point as necessary, at most 17.
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
    /// As a signed number, as Redis does, also for the maximum.
    number: u64 => Self::Int(number.cast_signed());
    count: usize => Self::count(count);
    /// Redis replies to yes/no questions with 1 and 0.
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
