//! What a command answers.

use std::borrow::Cow;

use bytes::Bytes;

use crate::error::Error;
use crate::member::Member;
use crate::profile::Profile;

/// The reply to a command given as words, in the shapes of RESP3.
///
/// A reply is a tree of plain values: `redis-cli`, a RESP encoder and a test each visit it in their own way.
/// [`into_resp2`](Self::into_resp2) turns it into what a client of RESP2 sees.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reply {
    /// A short status, `OK` above all.
    Status(Cow<'static, str>),
    /// An error: its code is the first word (`ERR`, `WRONGTYPE`, ...), word for word as Redis says it.
    Error(String),
    /// An integer.
    Int(i64),
    /// Yes or no. RESP2 shows them as 1 and 0.
    Boolean(bool),
    /// A byte string.
    Bulk(Bytes),
    /// A score or a distance, and the release series by which RESP2 shows it as a byte string.
    Double(f64, Profile),
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

    /// The same reply as a client of RESP2 sees it: arrays in place of sets and maps, byte strings in place of texts.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{Reply, Store};
    ///
    /// let store = Store::new();
    /// store.execute(&["SADD", "s", "1"]);
    /// let members = store.execute(&["SMEMBERS", "s"]);
    /// assert_eq!(members, Reply::Set(vec![Reply::Bulk("1".into())]));
    /// assert_eq!(members.into_resp2(), Reply::Array(vec![Reply::Bulk("1".into())]));
    /// ```
    #[must_use]
    pub fn into_resp2(self) -> Self {
        match self {
            Self::Array(items) | Self::Set(items) => {
                Self::Array(items.into_iter().map(Self::into_resp2).collect())
            }
            Self::Map(pairs) | Self::Pairs(pairs) => Self::Array(
                pairs
                    .into_iter()
                    .flat_map(|(key, value)| [key.into_resp2(), value.into_resp2()])
                    .collect(),
            ),
            Self::Verbatim(text) => Self::Bulk(text.into()),
            Self::Boolean(yes) => Self::Int(yes.into()),
            Self::Named(_, value) => Self::Array(vec![value.into_resp2()]),
            Self::Double(number, profile) => Self::Bulk(profile.double(number).into()),
            Self::Coordinate(degrees) => Self::Bulk(human(degrees).into()),
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

/// What a typed method returns, as the reply of its command.
pub(crate) trait IntoReply {
    /// The reply, in the form of `profile`.
    fn into_reply(self, profile: Profile) -> Reply;
}

/// What has one reply, whatever the profile.
macro_rules! into_reply {
    ($($value:ty, $reply:expr;)*) => {$(
        impl IntoReply for $value {
            fn into_reply(self, _: Profile) -> Reply {
                let reply: fn(Self) -> Reply = $reply;
                reply(self)
            }
        }
    )*};
}

into_reply! {
    Reply, |reply| reply;
    (), |()| Reply::OK;
    // Redis replies yes and no as 1 and 0.
    bool, Reply::from;
    u8, |number| Reply::Int(number.into());
    u32, |number| Reply::Int(number.into());
    i64, Reply::Int;
    // As a signed number, which is what Redis shows of the greatest too.
    u64, |number| Reply::Int(number.cast_signed());
    usize, Reply::count;
    Bytes, Reply::Bulk;
    String, |text| Reply::Bulk(text.into());
    &'static str, Reply::text;
}

/// A score.
impl IntoReply for f64 {
    fn into_reply(self, profile: Profile) -> Reply {
        Reply::Double(self, profile)
    }
}

impl<T: IntoReply> IntoReply for Option<T> {
    fn into_reply(self, profile: Profile) -> Reply {
        self.map_or(Reply::Nil, |found| found.into_reply(profile))
    }
}

impl<T: IntoReply> IntoReply for Vec<T> {
    fn into_reply(self, profile: Profile) -> Reply {
        Reply::Array(self.into_iter().map(|one| one.into_reply(profile)).collect())
    }
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
    number: i64 => Self::Int(number);
    /// Redis answers yes and no as 1 and 0.
    yes: bool => Self::Int(i64::from(yes));
    bytes: Bytes => Self::Bulk(bytes);
    bytes: Option<Bytes> => bytes.map_or(Self::Nil, Self::Bulk);
    member: Member<'_> => Self::Bulk(member.to_bytes());
    error: Error => Self::Error(error.to_string());
}
