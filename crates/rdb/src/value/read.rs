//! Reading values.

use std::{fmt, io::Read};

use super::{
    kind::ValueType,
    raw::RawValue,
    scan::scan,
    score::{self, ScoreForm},
};
use crate::{
    error::{Error, ErrorKind},
    length,
    source::Source,
    string::{self, StringValue},
};

/// Where the reading stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Before a record, or behind the value of a payload.
    Between,
    /// Before the body of a value.
    Value(ValueType),
    /// Inside a set, before this many members.
    Members(u64),
    /// Inside a sorted set, before this many members.
    Scores { left: u64, form: ScoreForm },
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
    member: Vec<u8>,
}

impl<R: Read> Body<R> {
    pub(crate) fn new(source: Source<R>, state: State) -> Self {
        Self { source, state, member: Vec::new() }
    }

    pub(crate) fn take_state(&mut self) -> State {
        std::mem::replace(&mut self.state, State::Failed)
    }

    /// The type of the value that is next.
    fn take_value(&mut self) -> Result<ValueType, Error> {
        match self.take_state() {
            State::Value(kind) => Ok(kind),
            State::Failed => Err(self.source.error(ErrorKind::Failed)),
            state @ (State::Between | State::Members(_) | State::Scores { .. } | State::Ended) => {
                self.state = state; // a misuse, which harms nothing
                Err(self.source.error(ErrorKind::NoValue))
            }
        }
    }

    pub(crate) fn value(&mut self) -> Result<Value<'_, R>, Error> {
        let value = match self.take_value()? {
            ValueType::String => Value::String(string::read_value(&mut self.source)?),
            ValueType::SetIntset => Value::IntSet(string::read(&mut self.source)?),
            ValueType::SetListpack => Value::SetListpack(string::read(&mut self.source)?),
            ValueType::Set => {
                let count = length::read(&mut self.source)?;
                self.state = State::Members(count);
                return Ok(Value::Set(Members { body: self }));
            }
            ValueType::ZSetListpack => Value::ZSetListpack(string::read(&mut self.source)?),
            ValueType::ZSetZiplist => Value::ZSetZiplist(string::read(&mut self.source)?),
            ValueType::ZSet => return self.scores(ScoreForm::Double),
            ValueType::ZSetText => return self.scores(ScoreForm::Text),
            kind @ (ValueType::List
            | ValueType::Hash
            | ValueType::Module
            | ValueType::HashZipmap
            | ValueType::ListZiplist
            | ValueType::HashZiplist
            | ValueType::ListQuicklist
            | ValueType::Stream1
            | ValueType::HashListpack
            | ValueType::ListQuicklist2
            | ValueType::Stream2
            | ValueType::Stream3
            | ValueType::HashTtlPreRelease
            | ValueType::HashTtlListpackPreRelease
            | ValueType::HashTtl
            | ValueType::HashTtlListpack
            | ValueType::ValkeyHashTtl) => Value::Raw(self.record(kind)?),
        };
        self.state = State::Between;
        Ok(value)
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

    /// Passes over what is left of a value.
    pub(crate) fn skip_value(&mut self) -> Result<(), Error> {
        match self.take_state() {
            State::Value(kind) => scan(&mut self.source, kind)?,
            State::Members(count) => {
                for _ in 0..count {
                    string::scan(&mut self.source)?;
                }
            }
            State::Scores { left, form } => {
                for _ in 0..left {
                    string::scan(&mut self.source)?;
                    score::scan(&mut self.source, form)?;
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

    /// A count from the input, as far as the bytes that remain allow; fit to size a
    /// table with.
    pub(crate) fn plausible(&self, count: u64) -> usize {
        /// Taken for granted where the length is not known.
        const UNKNOWN: u64 = 1024;
        usize::try_from(count.min(self.source.left().unwrap_or(UNKNOWN))).unwrap_or(usize::MAX)
    }
}

/// A value.
#[derive(Debug)]
pub enum Value<'r, R> {
    /// A string.
    String(StringValue),
    /// A set as an intset blob, not looked into.
    IntSet(Vec<u8>),
    /// A set as a listpack blob, not looked into.
    SetListpack(Vec<u8>),
    /// A set as its members, still to be read.
    Set(Members<'r, R>),
    /// A sorted set as a listpack blob, not looked into.
    ZSetListpack(Vec<u8>),
    /// A sorted set as a [ziplist](crate::ziplist) blob, not looked into.
    ZSetZiplist(Vec<u8>),
    /// A sorted set as its members and scores, still to be read.
    ZSet(Scores<'r, R>),
    /// A value of any other type.
    Raw(RawValue),
}

/// The members of a set, one after the other.
///
/// The file may hold a member twice, and no member at all; that is for the caller to judge.
/// Members that are not read are skipped.
pub struct Members<'r, R> {
    body: &'r mut Body<R>,
}

impl<R: Read> Members<'_, R> {
    /// The next member, which lasts until the one after is asked for; `None` after the last.
    ///
    /// # Errors
    /// What is wrong with the bytes, and where.
    #[expect(
        clippy::should_implement_trait,
        reason = "a member is borrowed, which `Iterator` cannot say"
    )]
    pub fn next(&mut self) -> Result<Option<&[u8]>, Error> {
        match self.body.take_state() {
            State::Members(left @ 1..) => {
                string::read_into(&mut self.body.source, &mut self.body.member)?;
                self.body.state = State::Members(left - 1);
                Ok(Some(&self.body.member))
            }
            State::Members(0) | State::Between => {
                self.body.state = State::Between;
                Ok(None)
            }
            State::Value(_) | State::Scores { .. } | State::Ended | State::Failed => {
                Err(self.body.source.error(ErrorKind::Failed))
            }
        }
    }

    /// How many members are still to come, by the file's own word.
    #[must_use]
    pub fn announced(&self) -> u64 {
        match self.body.state {
            State::Members(left) => left,
            State::Value(_)
            | State::Scores { .. }
            | State::Between
            | State::Ended
            | State::Failed => 0,
        }
    }

    /// How many members to make room for: what is announced, as far as the bytes that remain can
    /// bear it out.
    #[must_use]
    pub fn size_hint(&self) -> usize {
        self.body.plausible(self.announced())
    }
}

impl<R> fmt::Debug for Members<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Members").field("state", &self.body.state).finish_non_exhaustive()
    }
}

/// The members of a sorted set with their scores, one after the other; servers write the highest score first.
///
/// The file may hold a member twice, a score that is not a number, and no member at all; that is for the caller to
/// judge. Members that are not read are skipped.
pub struct Scores<'r, R> {
    body: &'r mut Body<R>,
}

impl<R: Read> Scores<'_, R> {
    /// The next member and its score; the member lasts until the one after is asked for. `None` after the last.
    ///
    /// # Errors
    /// What is wrong with the bytes, and where.
    #[expect(
        clippy::should_implement_trait,
        reason = "a member is borrowed, which `Iterator` cannot say"
    )]
    pub fn next(&mut self) -> Result<Option<(&[u8], f64)>, Error> {
        match self.body.take_state() {
            State::Scores { left: left @ 1.., form } => {
                string::read_into(&mut self.body.source, &mut self.body.member)?;
                let score = score::read(&mut self.body.source, form)?;
                self.body.state = State::Scores { left: left - 1, form };
                Ok(Some((&self.body.member, score)))
            }
            State::Scores { left: 0, .. } | State::Between => {
                self.body.state = State::Between;
                Ok(None)
            }
            State::Value(_) | State::Members(_) | State::Ended | State::Failed => {
                Err(self.body.source.error(ErrorKind::Failed))
            }
        }
    }

    /// How many members are still to come, by the file's own word.
    #[must_use]
    pub fn announced(&self) -> u64 {
        match self.body.state {
            State::Scores { left, .. } => left,
            State::Value(_) | State::Members(_) | State::Between | State::Ended | State::Failed => {
                0
            }
        }
    }

    /// How many members to make room for: what is announced, as far as the bytes that remain can
    /// bear it out.
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
