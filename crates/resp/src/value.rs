//! A parsed reply.

use crate::{Protocol, Writer};

/// A reply as a tree.
///
/// # Examples
///
/// ```
/// use resp::{Protocol, Replies, Value};
///
/// let mut replies = Replies::new();
/// replies.feed(b"%1\r\n$1\r\na\r\n:1\r\n");
/// let map = replies.take()?.expect("all of it");
/// assert_eq!(map, Value::Map(vec![(Value::Bulk(b"a".to_vec()), Value::Int(1))]));
///
/// let mut out = Vec::new();
/// map.write(Protocol::Resp2, &mut out);
/// assert_eq!(out, b"*2\r\n$1\r\na\r\n:1\r\n");
/// # Ok::<(), resp::ReplyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A status, such as `OK`.
    Status(Vec<u8>),
    /// An error, its code first.
    Error(Vec<u8>),
    /// An integer.
    Int(i64),
    /// A byte string.
    Bulk(Vec<u8>),
    /// Null: the null of RESP3, or a null byte string of RESP2.
    Null,
    /// A null array (RESP2).
    NullArray,
    /// An array.
    Array(Vec<Self>),
    /// A boolean (RESP3).
    Boolean(bool),
    /// A floating-point number (RESP3).
    Double(f64),
    /// An integer of any size, as text (RESP3).
    BigNumber(Vec<u8>),
    /// Text of a named format (RESP3).
    Verbatim {
        /// `txt` or `mkd`.
        format: [u8; 3],
        /// The text.
        text: Vec<u8>,
    },
    /// A map: pairs without an order (RESP3).
    Map(Vec<(Self, Self)>),
    /// A set: elements without an order (RESP3).
    Set(Vec<Self>),
    /// A push: a message that is not the reply to a request (RESP3).
    Push(Vec<Self>),
    /// A reply with attributes (RESP3).
    Attributed {
        /// The attributes.
        attributes: Vec<(Self, Self)>,
        /// The reply itself.
        value: Box<Self>,
    },
}

impl Value {
    /// Appends the reply to `out` in the form of `protocol`. Doubles have the digits that are needed to parse the same
    /// value.
    pub fn write(&self, protocol: Protocol, out: &mut Vec<u8>) {
        self.write_to(&mut Writer::new(out, protocol));
    }

    fn write_to(&self, writer: &mut Writer<'_>) {
        match self {
            Self::Status(text) => writer.status(text),
            Self::Error(text) => writer.error(text),
            Self::Int(number) => writer.int(*number),
            Self::Bulk(bytes) => writer.bulk(bytes),
            Self::Null => writer.null(),
            Self::NullArray => writer.null_array(),
            Self::Boolean(yes) => writer.boolean(*yes),
            Self::Double(number) if number.is_nan() => writer.double("nan"),
            Self::Double(number) => writer.double(&number.to_string()),
            Self::BigNumber(digits) => writer.big_number(digits),
            Self::Verbatim { format, text } => writer.verbatim(*format, text),
            Self::Array(all) => {
                writer.array(all.len());
                write_all(all, writer);
            }
            Self::Set(all) => {
                writer.set(all.len());
                write_all(all, writer);
            }
            Self::Push(all) => {
                writer.push(all.len());
                write_all(all, writer);
            }
            Self::Map(pairs) => {
                writer.map(pairs.len());
                write_pairs(pairs, writer);
            }
            Self::Attributed { attributes, value } => {
                if writer.attributes(attributes.len()) {
                    write_pairs(attributes, writer);
                }
                value.write_to(writer);
            }
        }
    }
}

fn write_all(all: &[Value], writer: &mut Writer<'_>) {
    for one in all {
        one.write_to(writer);
    }
}

fn write_pairs(pairs: &[(Value, Value)], writer: &mut Writer<'_>) {
    for (key, value) in pairs {
        key.write_to(writer);
        value.write_to(writer);
    }
}
