//! Reading values.

use std::{fmt, io::Read};

use super::{
    expiring::{self, ExpiryForm, Fields},
    kind::{Blob, ValueType},
    raw::RawValue,
    scan::{is_plain, quicklist_node, scan, scan_with},
    score::{self, ScoreForm},
};
use crate::{
    error::{Error, ErrorKind},
    length,
    source::Source,
    string::{self, StringValue},
};

/// The state of the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Before a record, or behind the value of a payload.
    Between,
    /// Before the body of a value.
    Value(ValueType),
    /// Inside a collection, before this many strings.
    Strings(u64),
    /// Inside a list, before this many nodes.
    Nodes(u64),
    /// Inside a sorted set, before this many members.
    Scores { left: u64, form: ScoreForm },
    /// Inside a hash whose fields expire, before this many fields.
    Fields { left: u64, form: ExpiryForm },
    /// Behind the end.
    Ended,
    /// Behind an error.
    Failed,
}

/// A source and where it stands in a value: what a file's reader and a payload share.
///
/// Each step takes the state out, leaving `Failed`, and puts the new one in when it is done; so
/// after an error nothing more can be read.
#[derive(Debug)]
pub(crate) struct Body<R> {
    pub(crate) source: Source<R>,
    pub(crate) state: State,
    pub(super) string: Vec<u8>,
}

impl<R: Read> Body<R> {
    pub(crate) fn new(source: Source<R>, state: State) -> Self {
        Self { source, state, string: Vec::new() }
    }

    pub(crate) fn take_state(&mut self) -> State {
        std::mem::replace(&mut self.state, State::Failed)
    }

    /// The type of the value that is next.
    fn take_value(&mut self) -> Result<ValueType, Error> {
        match self.take_state() {
            State::Value(kind) => Ok(kind),
            State::Failed => Err(self.source.error(ErrorKind::Failed)),
            state @ (State::Between
            | State::Strings(_)
            | State::Nodes(_)
            | State::Scores { .. }
            | State::Fields { .. }
            | State::Ended) => {
                self.state = state; // a misuse, which harms nothing
                Err(self.source.error(ErrorKind::NoValue))
            }
        }
    }

    pub(crate) fn value(&mut self) -> Result<Value<'_, R>, Error> {
        let kind = self.take_value()?;
        if let Some(blob) = Blob::of(kind) {
            let bytes = string::read(&mut self.source)?;
            self.state = State::Between;
            return Ok(Value::Blob(blob, bytes));
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "values of other types are not decoded")]
        let value = match kind {
            ValueType::String => Value::String(string::read_value(&mut self.source)?),
            ValueType::Set => return Ok(Value::Set(self.strings(1)?)),
            ValueType::Hash => return Ok(Value::Hash(self.strings(2)?)),
            ValueType::List => return Ok(Value::List(self.strings(1)?)),
            ValueType::ListQuicklist => return Ok(Value::ListZiplists(self.strings(1)?)),
            ValueType::ListQuicklist2 => {
                let count = length::read(&mut self.source)?;
                self.state = State::Nodes(count);
                return Ok(Value::ListNodes(Nodes { body: self }));
            }
            ValueType::HashTtlPreRelease | ValueType::HashTtl | ValueType::ValkeyHashTtl => {
                let form = ExpiryForm::read(&mut self.source, kind)?;
                let left = length::read(&mut self.source)?;
                self.state = State::Fields { left, form };
                return Ok(Value::HashTtl(Fields::of(self)));
            }
            ValueType::HashTtlListpackPreRelease | ValueType::HashTtlListpack => {
                let earliest_ms = if kind == ValueType::HashTtlListpack {
                    i64::from_le_bytes(self.source.array()?)
                } else {
                    0
                };
                Value::HashTtlListpack { listpack: string::read(&mut self.source)?, earliest_ms }
            }
            ValueType::ZSet => return self.scores(ScoreForm::Double),
            ValueType::ZSetText => return self.scores(ScoreForm::Text),
            other => Value::Raw(self.record(other)?),
        };
        self.state = State::Between;
        Ok(value)
    }

    /// A count of items, and as many strings for each.
    fn strings(&mut self, each: u64) -> Result<Strings<'_, R>, Error> {
        let at = self.source.offset();
        let count = length::read(&mut self.source)?;
        let Some(strings) = count.checked_mul(each) else {
            // Each of them takes at least a byte, so a file cannot have that many.
            let left = self.source.left().unwrap_or(u64::MAX);
            return Err(Error::new(at, ErrorKind::TooLong { len: count, left }));
        };
        self.state = State::Strings(strings);
        Ok(Strings { body: self })
    }

    fn scores(&mut self, form: ScoreForm) -> Result<Value<'_, R>, Error> {
        let left = length::read(&mut self.source)?;
        self.state = State::Scores { left, form };
        Ok(Value::ZSet(Scores { body: self }))
    }

    pub(crate) fn raw(&mut self) -> Result<RawValue, Error> {
        let kind = self.take_value()?;
        let raw = self.record(kind)?;
        self.state = State::Between;
        Ok(raw)
    }

    fn record(&mut self, kind: ValueType) -> Result<RawValue, Error> {
        self.source.start_recording();
        scan(&mut self.source, kind)?;
        Ok(RawValue::scanned(kind, self.source.take_recording()))
    }

    /// Skips a value from its beginning, and returns its stored size.
    pub(crate) fn pass_value(&mut self) -> Result<u64, Error> {
        let kind = self.take_value()?;
        let size = scan_with(&mut self.source, kind, &mut |_| Ok::<(), Error>(()))?;
        self.state = State::Between;
        Ok(size)
    }

    /// Passes the bytes of a value to `out` as they are read.
    pub(crate) fn copy_value<E: From<Error>>(
        &mut self,
        mut out: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        /// The bytes that are passed at once.
        const PIECE: usize = 32 << 10;
        let kind = self.take_value()?;
        self.source.start_recording();
        scan_with(&mut self.source, kind, &mut |source| source.drain_recording(PIECE, &mut out))?;
        out(&self.source.take_recording())?;
        self.state = State::Between;
        Ok(())
    }

    /// Skips the rest of a value.
    pub(crate) fn skip_value(&mut self) -> Result<(), Error> {
        match self.take_state() {
            State::Value(kind) => scan(&mut self.source, kind)?,
            State::Strings(count) => {
                for _ in 0..count {
                    string::scan(&mut self.source)?;
                }
            }
            State::Nodes(left) => {
                for _ in 0..left {
                    quicklist_node(&mut self.source)?;
                }
            }
            State::Scores { left, form } => {
                for _ in 0..left {
                    string::scan(&mut self.source)?;
                    score::scan(&mut self.source, form)?;
                }
            }
            State::Fields { left, form } => {
                for _ in 0..left {
                    expiring::scan_with(&mut self.source, form, &mut |_| Ok::<_, Error>(()))?;
                }
            }
            State::Between => {}
            state @ State::Ended => {
                self.state = state;
                return Ok(());
            }
            State::Failed => return Err(self.source.error(ErrorKind::Failed)),
        }
        self.state = State::Between;
        Ok(())
    }

    /// Limits a count from the input to what the remaining bytes can contain, so that it is safe to use as a capacity.
    pub(crate) fn plausible(&self, count: u64) -> usize {
        /// The limit if the length is not known.
        const UNKNOWN: u64 = 1024;
        usize::try_from(count.min(self.source.left().unwrap_or(UNKNOWN))).unwrap_or(usize::MAX)
    }
}

/// A value of a file or a payload.
#[derive(Debug)]
pub enum Value<'r, R> {
    /// A string.
    String(StringValue),
    /// A collection in one blob, not validated.
    Blob(Blob, Vec<u8>),
    /// A set, to be read member by member.
    Set(Strings<'r, R>),
    /// A hash, to be read string by string: each field, then its value.
    Hash(Strings<'r, R>),
    /// A hash whose fields can expire, to be read field by field.
    HashTtl(Fields<'r, R>),
    /// A hash whose fields can expire, as a listpack that is not validated.
    HashTtlListpack {
        /// Each field, its value, and its expiry in milliseconds since 1970, or 0.
        listpack: Vec<u8>,
        /// The earliest expiry of a field, in milliseconds since 1970.
        earliest_ms: i64,
    },
    /// A list, to be read element by element.
    List(Strings<'r, R>),
    /// A list of [ziplist](crate::ziplist) blobs, to be read one by one.
    ListZiplists(Strings<'r, R>),
    /// A list, to be read node by node.
    ListNodes(Nodes<'r, R>),
    /// A sorted set, to be read member by member.
    ZSet(Scores<'r, R>),
    /// A value of any other type.
    Raw(RawValue),
}

/// Reads the strings of a collection, one at a time: the members of a set, the fields and values of a hash, the
/// elements of a list.
///
/// The file may have duplicate members or fields, or none; the caller must handle this. Strings that are not read are
/// skipped.
pub struct Strings<'r, R> {
    body: &'r mut Body<R>,
}

impl<R: Read> Strings<'_, R> {
    /// Reads the next string, which is valid until the next call; `None` after the last.
    ///
    /// # Errors
    /// [`Error`] if the bytes are malformed.
    #[expect(
        clippy::should_implement_trait,
        reason = "a string is borrowed from the reader, which `Iterator` cannot express"
    )]
    pub fn next(&mut self) -> Result<Option<&[u8]>, Error> {
        match self.body.take_state() {
            State::Strings(left @ 1..) => {
                string::read_into(&mut self.body.source, &mut self.body.string)?;
                self.body.state = State::Strings(left - 1);
                Ok(Some(&self.body.string))
            }
            State::Strings(0) | State::Between => {
                self.body.state = State::Between;
                Ok(None)
            }
            State::Value(_)
            | State::Nodes(_)
            | State::Scores { .. }
            | State::Fields { .. }
            | State::Ended
            | State::Failed => Err(self.body.source.error(ErrorKind::Failed)),
        }
    }

    /// The number of strings not yet read, according to the file.
    #[must_use]
    pub fn announced(&self) -> u64 {
        match self.body.state {
            State::Strings(left) => left,
            State::Value(_)
            | State::Nodes(_)
            | State::Scores { .. }
            | State::Fields { .. }
            | State::Between
            | State::Ended
            | State::Failed => 0,
        }
    }

    /// A safe capacity for the strings: the announced number, limited by the bytes that remain.
    #[must_use]
    pub fn size_hint(&self) -> usize {
        self.body.plausible(self.announced())
    }
}

impl<R> fmt::Debug for Strings<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Strings").field("state", &self.body.state).finish_non_exhaustive()
    }
}

/// Reads the nodes of a list, one at a time.
///
/// Nodes that are not read are skipped.
pub struct Nodes<'r, R> {
    body: &'r mut Body<R>,
}

/// A node of a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// One element.
    Plain(Vec<u8>),
    /// Several elements, as a listpack blob that is not validated.
    Packed(Vec<u8>),
}

impl<R: Read> Nodes<'_, R> {
    /// The number of nodes not yet read, according to the file.
    #[must_use]
    pub fn announced(&self) -> u64 {
        if let State::Nodes(left) = self.body.state { left } else { 0 }
    }

    /// Reads the next node; `None` after the last.
    ///
    /// # Errors
    /// [`Error`] if the bytes are malformed; [`ErrorKind::BadNode`] for a node of an unknown kind.
    #[expect(
        clippy::should_implement_trait,
        reason = "the readers of other items have the same method"
    )]
    pub fn next(&mut self) -> Result<Option<Node>, Error> {
        match self.body.take_state() {
            State::Nodes(left @ 1..) => {
                let plain = is_plain(&mut self.body.source)?;
                let bytes = string::read(&mut self.body.source)?;
                let node = if plain { Node::Plain(bytes) } else { Node::Packed(bytes) };
                self.body.state = State::Nodes(left - 1);
                Ok(Some(node))
            }
            State::Nodes(0) | State::Between => {
                self.body.state = State::Between;
                Ok(None)
            }
            State::Value(_)
            | State::Strings(_)
            | State::Scores { .. }
            | State::Fields { .. }
            | State::Ended
            | State::Failed => Err(self.body.source.error(ErrorKind::Failed)),
        }
    }
}

impl<R> fmt::Debug for Nodes<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nodes").field("state", &self.body.state).finish_non_exhaustive()
    }
}

/// Reads the members of a sorted set with their scores, one at a time. Servers write the highest score first.
///
/// The file may have duplicate members, scores that are NaN, or no member; the caller must handle this. Members that
/// are not read are skipped.
pub struct Scores<'r, R> {
    body: &'r mut Body<R>,
}

impl<R: Read> Scores<'_, R> {
    /// Reads the next member and its score. The member is valid until the next call. `None` after the last.
    ///
    /// # Errors
    /// [`Error`] if the bytes are malformed.
    #[expect(
        clippy::should_implement_trait,
        reason = "a member is borrowed from the reader, which `Iterator` cannot express"
    )]
    pub fn next(&mut self) -> Result<Option<(&[u8], f64)>, Error> {
        match self.body.take_state() {
            State::Scores { left: left @ 1.., form } => {
                string::read_into(&mut self.body.source, &mut self.body.string)?;
                let score = score::read(&mut self.body.source, form)?;
                self.body.state = State::Scores { left: left - 1, form };
                Ok(Some((&self.body.string, score)))
            }
            State::Scores { left: 0, .. } | State::Between => {
                self.body.state = State::Between;
                Ok(None)
            }
            State::Value(_)
            | State::Strings(_)
            | State::Nodes(_)
            | State::Fields { .. }
            | State::Ended
            | State::Failed => Err(self.body.source.error(ErrorKind::Failed)),
        }
    }

    /// The number of members not yet read, according to the file.
    #[must_use]
    pub fn announced(&self) -> u64 {
        match self.body.state {
            State::Scores { left, .. } => left,
            State::Value(_)
            | State::Strings(_)
            | State::Nodes(_)
            | State::Fields { .. }
            | State::Between
            | State::Ended
            | State::Failed => 0,
        }
    }

    /// A safe capacity for the members: the announced number, limited by the bytes that remain.
    #[must_use]
    pub fn size_hint(&self) -> usize {
        self.body.plausible(self.announced())
    }
}

impl<R> fmt::Debug for Scores<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scores").field("state", &self.body.state).finish_non_exhaustive()
    }
}
