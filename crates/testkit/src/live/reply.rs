//! Replies, and the text of commands.

use std::fmt::{self, Write};

use resp::Value;

/// A reply, in the shapes of RESP2 and RESP3.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// A status, such as `OK`.
    Status(String),
    /// An error, which begins with its code. Bytes that are not UTF-8 are replaced.
    Error(String),
    /// An integer.
    Int(i64),
    /// A byte string.
    Bulk(Vec<u8>),
    /// Null: the null of RESP3, or a null byte string of RESP2.
    Nil,
    /// A null array (RESP2).
    NullArray,
    /// An array.
    Array(Vec<Self>),
    /// A set: elements without an order (RESP3).
    Set(Vec<Self>),
    /// A map: pairs without an order (RESP3).
    Map(Vec<(Self, Self)>),
    /// A floating-point number (RESP3).
    Double(f64),
    /// A boolean (RESP3).
    Bool(bool),
    /// An integer of any size, as text (RESP3).
    BigNumber(String),
    /// Text of a named format (RESP3).
    Verbatim {
        /// `txt` or `mkd`.
        format: String,
        /// The text.
        text: Vec<u8>,
    },
}

impl Reply {
    /// Returns whether this is an error.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }

    /// Returns the bytes of a byte string; `None` for any other reply.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        if let Self::Bulk(bytes) = self { Some(bytes) } else { None }
    }

    /// Returns the elements of an array or a set; `None` for any other reply.
    #[must_use]
    pub fn elements(&self) -> Option<&[Self]> {
        if let Self::Array(all) | Self::Set(all) = self { Some(all) } else { None }
    }

    /// The byte strings of a list, sorted, or a single byte string; empty for any other reply.
    #[cfg(feature = "live")]
    pub(crate) fn given(&self) -> Vec<Vec<u8>> {
        let one = self.bytes().map(|bytes| vec![bytes.to_vec()]);
        one.or_else(|| self.members()).unwrap_or_default()
    }

    /// The byte strings of a list, sorted. `None` if this is not a list, or contains anything else.
    #[cfg(feature = "live")]
    pub(crate) fn members(&self) -> Option<Vec<Vec<u8>>> {
        let mut all: Vec<Vec<u8>> = self
            .elements()?
            .iter()
            .map(|element| element.bytes().map(<[u8]>::to_vec))
            .collect::<Option<_>>()?;
        all.sort_unstable();
        Some(all)
    }
}

/// Attributes, and whether an array was pushed, are omitted, because no comparison needs them.
impl From<Value> for Reply {
    fn from(value: Value) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let list = |all: Vec<Value>| all.into_iter().map(Self::from).collect();
        match value {
            Value::Status(bytes) => Self::Status(text(bytes)),
            Value::Error(bytes) => Self::Error(text(bytes)),
            Value::Int(number) => Self::Int(number),
            Value::Bulk(bytes) => Self::Bulk(bytes),
            Value::NullArray => Self::NullArray,
            Value::Array(all) | Value::Push(all) => Self::Array(list(all)),
            Value::Boolean(truth) => Self::Bool(truth),
            Value::Double(number) => Self::Double(number),
            Value::BigNumber(digits) => Self::BigNumber(text(digits)),
            Value::Verbatim { format, text: bytes } => {
                Self::Verbatim { format: text(format.to_vec()), text: bytes }
            }
            Value::Map(pairs) => {
                let pair = |(key, value): (Value, Value)| (key.into(), value.into());
                Self::Map(pairs.into_iter().map(pair).collect())
            }
            Value::Set(all) => Self::Set(list(all)),
            Value::Attributed { value, .. } => (*value).into(),
            Value::Null | _ => Self::Nil,
        }
    }
}

/// The form of redis-cli on one line; long lists and strings are truncated.
impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(text) => f.write_str(text),
            Self::Error(text) => write!(f, "(error) {}", text.escape_debug()),
            Self::Int(number) => write!(f, "(integer) {number}"),
            Self::Bulk(bytes) => f.write_str(&shown(bytes)),
            Self::Nil => f.write_str("(nil)"),
            Self::NullArray => f.write_str("(nil array)"),
            Self::Array(all) => list(f, '[', all.iter(), ']'),
            Self::Set(all) => list(f, '{', all.iter(), '}'),
            Self::Map(pairs) => {
                f.write_str("(map) ")?;
                list(f, '{', pairs.iter().flat_map(|(key, value)| [key, value]), '}')
            }
            Self::Double(number) => write!(f, "(double) {number:?}"),
            Self::Bool(truth) => write!(f, "({truth})"),
            Self::BigNumber(text) => write!(f, "(big number) {text}"),
            Self::Verbatim { format, text } => write!(f, "({format}) {}", shown(text)),
        }
    }
}

fn list<'a>(
    f: &mut fmt::Formatter<'_>,
    open: char,
    all: impl Iterator<Item = &'a Reply>,
    close: char,
) -> fmt::Result {
    const SHOWN: usize = 40;
    f.write_char(open)?;
    for (at, element) in all.enumerate() {
        if at > 0 {
            f.write_str(", ")?;
        }
        if at == SHOWN {
            f.write_str("...")?;
            break;
        }
        write!(f, "{element}")?;
    }
    f.write_char(close)
}

/// A long string, truncated for the message.
fn shown(bytes: &[u8]) -> String {
    const SHOWN: usize = 400;
    match bytes.get(..SHOWN) {
        None => quoted(bytes),
        Some(head) => format!("{}... ({} bytes)", quoted(head), bytes.len()),
    }
}

/// Returns a word in quotes, as redis-cli accepts it.
///
/// # Examples
///
/// ```
/// use testkit::live::quoted;
/// assert_eq!(quoted(b"a \"b\"\n\x00"), r#""a \"b\"\n\x00""#);
/// ```
#[must_use]
pub fn quoted(bytes: &[u8]) -> String {
    let mut text = Vec::with_capacity(bytes.len() + 2);
    resp::quote_word(bytes, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Returns a command as a line for redis-cli: plain words unquoted, others in quotes.
///
/// # Examples
///
/// ```
/// use testkit::live::command_line;
/// let words: [&[u8]; 3] = [b"SET", b"a b", b"7"];
/// assert_eq!(command_line(&words), r#"SET "a b" 7"#);
/// ```
pub fn command_line<W: AsRef<[u8]>>(words: &[W]) -> String {
    let plain = |word: &[u8]| {
        !word.is_empty()
            && word.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_:.+*".contains(byte))
    };
    let word = |word: &W| match word.as_ref() {
        bytes if plain(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        bytes => quoted(bytes),
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}
