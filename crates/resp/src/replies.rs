//! Incremental parsing of replies.

use std::io::{self, Read};

use listpack::parse_int;
use memchr::memchr;

use crate::Value;
use crate::buffer::Buffer;
use crate::error::ReplyError;

/// An incremental parser of replies: feed it bytes, take replies.
///
/// # Examples
///
/// ```
/// use resp::{Replies, Value};
///
/// let mut replies = Replies::new();
/// replies.feed(b"+OK\r\n*2\r\n:1\r\n");
/// assert_eq!(replies.take()?, Some(Value::Status(b"OK".to_vec())));
/// assert_eq!(replies.take()?, None);
/// replies.feed(b"_\r\n");
/// assert_eq!(replies.take()?, Some(Value::Array(vec![Value::Int(1), Value::Null])));
/// # Ok::<(), resp::ReplyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Replies {
    buffer: Buffer,
    /// The incomplete aggregates, the outermost first.
    open: Vec<Open>,
    failed: Option<ReplyError>,
}

/// A list of which a part has arrived.
#[derive(Clone, Debug)]
struct Open {
    kind: Kind,
    left: usize,
    items: Vec<Value>,
}

#[derive(Clone, Debug)]
enum Kind {
    Array,
    Set,
    Push,
    Map,
    Attributes,
    /// The reply that has these attributes.
    Attributed(Vec<(Value, Value)>),
}

/// What stands at the front of the bytes.
enum Next {
    Value(Value),
    List(Kind, usize),
}

impl Default for Replies {
    fn default() -> Self {
        Self::new()
    }
}

impl Replies {
    /// The maximum nesting depth of replies. Those of servers are about five deep.
    pub const MAX_DEPTH: usize = 128;

    /// Creates a parser without bytes.
    #[must_use]
    pub const fn new() -> Self {
        Self { buffer: Buffer::new(), open: Vec::new(), failed: None }
    }

    /// Adds bytes that have arrived.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.feed(bytes);
    }

    /// Reads once from `from`, up to 16 KiB, and returns the number of bytes: 0 at the end.
    ///
    /// # Errors
    ///
    /// The error of `from`.
    pub fn fill(&mut self, from: &mut impl Read) -> io::Result<usize> {
        self.buffer.fill(from)
    }

    /// Returns the next reply, or `None` if it is incomplete.
    ///
    /// A reply that arrives in many pieces is parsed incrementally: the cost of all calls is O(bytes).
    ///
    /// # Errors
    ///
    /// [`ReplyError`] if the bytes are malformed. All further calls return the same error.
    pub fn take(&mut self) -> Result<Option<Value>, ReplyError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.find().inspect_err(|&error| self.failed = Some(error))
    }

    fn find(&mut self) -> Result<Option<Value>, ReplyError> {
        while let Some((next, len)) = next(self.buffer.rest())? {
            self.buffer.advance(len);
            let value = match next {
                Next::Value(value) => value,
                Next::List(Kind::Attributes, 0) => {
                    self.open(Kind::Attributed(Vec::new()), 1)?;
                    continue;
                }
                Next::List(kind, 0) => kind.of(Vec::new()),
                Next::List(kind, left) => {
                    self.open(kind, left)?;
                    continue;
                }
            };
            if let Some(whole) = self.put(value)? {
                return Ok(Some(whole));
            }
        }
        Ok(None)
    }

    fn open(&mut self, kind: Kind, left: usize) -> Result<(), ReplyError> {
        if self.open.len() == Self::MAX_DEPTH {
            return Err(ReplyError::Depth);
        }
        self.open.push(Open { kind, left, items: Vec::new() });
        Ok(())
    }

    /// Puts a reply into the list that it belongs to; returns it if it belongs to none, or the list that it completes.
    fn put(&mut self, mut value: Value) -> Result<Option<Value>, ReplyError> {
        loop {
            let Some(list) = self.open.last_mut() else { return Ok(Some(value)) };
            list.items.push(value);
            list.left -= 1;
            if list.left > 0 {
                return Ok(None);
            }
            let Some(Open { kind, items, .. }) = self.open.pop() else { return Ok(None) };
            if matches!(kind, Kind::Attributes) {
                self.open(Kind::Attributed(pairs(items)), 1)?;
                return Ok(None);
            }
            value = kind.of(items);
        }
    }
}

impl Kind {
    /// The list of these elements.
    fn of(self, items: Vec<Value>) -> Value {
        match self {
            Self::Array => Value::Array(items),
            Self::Set => Value::Set(items),
            Self::Push => Value::Push(items),
            Self::Map | Self::Attributes => Value::Map(pairs(items)),
            Self::Attributed(attributes) => {
                let value = items.into_iter().next().unwrap_or(Value::Null);
                Value::Attributed { attributes, value: Box::new(value) }
            }
        }
    }
}

fn pairs(items: Vec<Value>) -> Vec<(Value, Value)> {
    let mut items = items.into_iter();
    let mut pairs = Vec::with_capacity(items.len() / 2);
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        pairs.push((key, value));
    }
    pairs
}

/// Reads a reply, or the length of a list, and how many bytes it takes; `None` if it is not there in full.
fn next(bytes: &[u8]) -> Result<Option<(Next, usize)>, ReplyError> {
    let Some((&kind, rest)) = bytes.split_first() else { return Ok(None) };
    let Some(end) = memchr(b'\r', rest) else { return Ok(None) };
    let (line, after) = rest.split_at(end);
    let after = match after {
        [b'\r', b'\n', after @ ..] => after,
        [_] => return Ok(None),
        _ => return Err(ReplyError::End),
    };
    let len = line.len() + 3;
    let value = match kind {
        b'+' => Value::Status(line.to_vec()),
        b'-' => Value::Error(line.to_vec()),
        b':' => Value::Int(parse_int(line).ok_or(ReplyError::Form)?),
        b'_' if line.is_empty() => Value::Null,
        b'#' if line == b"t" => Value::Boolean(true),
        b'#' if line == b"f" => Value::Boolean(false),
        b',' => Value::Double(double(line).ok_or(ReplyError::Form)?),
        b'(' if is_big_number(line) => Value::BigNumber(line.to_vec()),
        b'_' | b'#' | b'(' => return Err(ReplyError::Form),
        b'$' if line == b"-1" => Value::Null,
        b'*' if line == b"-1" => Value::NullArray,
        b'$' | b'!' | b'=' => {
            let size = length(line)?;
            let Some(end) = size.checked_add(2) else { return Err(ReplyError::Length) };
            let Some(bytes) = after.get(..end) else { return Ok(None) };
            let Some(bytes) = bytes.strip_suffix(b"\r\n") else { return Err(ReplyError::End) };
            return Ok(Some((Next::Value(with_length(kind, bytes)?), len + end)));
        }
        b'*' => return Ok(Some((Next::List(Kind::Array, length(line)?), len))),
        b'~' => return Ok(Some((Next::List(Kind::Set, length(line)?), len))),
        b'>' => return Ok(Some((Next::List(Kind::Push, length(line)?), len))),
        b'%' => return Ok(Some((Next::List(Kind::Map, double_length(line)?), len))),
        b'|' => return Ok(Some((Next::List(Kind::Attributes, double_length(line)?), len))),
        _ => return Err(ReplyError::Kind(kind)),
    };
    Ok(Some((Next::Value(value), len)))
}

/// A reply of this many bytes.
fn with_length(kind: u8, bytes: &[u8]) -> Result<Value, ReplyError> {
    Ok(match kind {
        b'!' => Value::Error(bytes.to_vec()),
        b'=' => match bytes.split_first_chunk() {
            Some((&format, [b':', text @ ..])) => Value::Verbatim { format, text: text.to_vec() },
            _ => return Err(ReplyError::Form),
        },
        _ => Value::Bulk(bytes.to_vec()),
    })
}

fn length(line: &[u8]) -> Result<usize, ReplyError> {
    parse_int(line).and_then(|len| usize::try_from(len).ok()).ok_or(ReplyError::Length)
}

/// The number of replies of this many pairs.
fn double_length(line: &[u8]) -> Result<usize, ReplyError> {
    length(line)?.checked_mul(2).ok_or(ReplyError::Length)
}

/// A number of digits, or one of three names.
fn double(line: &[u8]) -> Option<f64> {
    let named = matches!(line, b"inf" | b"-inf" | b"nan" | b"-nan");
    let digits = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    if !named && !line.iter().all(digits) {
        return None;
    }
    std::str::from_utf8(line).ok()?.parse().ok()
}

fn is_big_number(line: &[u8]) -> bool {
    let digits = line.strip_prefix(b"-").unwrap_or(line);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}
