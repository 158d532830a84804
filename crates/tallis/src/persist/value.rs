//! One value, to and from the form in which files and payloads hold it.

use std::fmt;
use std::io::{Read, Write};
use std::ops::ControlFlow;

use intset::{IntSet, Validation};
use rdb::{StringValue, Target, ValueType, ValueWriter, WriteError, WriteOptions};

use crate::error::{Error, ErrorKind};
use crate::member::Member;
use crate::store::Shared;
use crate::value::{SetRef, Value};

/// The DUMP payload of a value.
pub(crate) fn dump(value: &Value, options: WriteOptions) -> Result<Vec<u8>, Error> {
    rdb::dump::encode(options, |writer| write(value, writer))
        .map_err(|error| Error::caused(ErrorKind::Io, format!("ERR cannot dump: {error}"), error))
}

/// How many bytes a value takes in a file, its type and key aside.
pub(crate) fn body_len(value: &Value) -> Result<u64, Error> {
    if let Value::Foreign(value) = value {
        return Ok(value.body().len() as u64);
    }
    // The newest version has a form for every value.
    let options = WriteOptions { target: Target::V12, ..WriteOptions::default() };
    rdb::dump::body_len(options, |writer| write(value, writer)).map_err(|error| {
        Error::caused(ErrorKind::Io, format!("ERR cannot measure: {error}"), error)
    })
}

/// Writes a value in the encoding that it has.
pub(super) fn write<W: Write>(value: &Value, writer: ValueWriter<'_, W>) -> Result<(), WriteError> {
    match value {
        Value::Int(number) => writer.int(*number),
        Value::Short { .. } | Value::Str { .. } => {
            value.as_str().map_or(Ok(()), |string| string.with_bytes(|bytes| writer.string(bytes)))
        }
        Value::IntSet(set) => writer.intset(set.as_bytes()),
        Value::HashTable(table) => {
            let set = SetRef::HashTable(table);
            let mut members = writer.set(set.len() as u64)?;
            let written =
                set.try_for_each(|member| match member.with_bytes(|bytes| members.member(bytes)) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => ControlFlow::Break(error),
                });
            match written {
                ControlFlow::Continue(()) => members.finish(),
                ControlFlow::Break(error) => Err(error),
            }
        }
        Value::Foreign(value) => writer.raw(value),
    }
}

/// What a value in a file turns out to be.
#[derive(Debug)]
pub(super) enum Loaded {
    /// A value in the encoding that the store's limits give it.
    Value(Value),
    /// A collection without members, which is no key.
    Empty,
}

/// Reads a value of the type `kind`.
pub(super) fn read<R: Read>(
    reader: &mut rdb::Reader<R>,
    kind: ValueType,
    shared: &Shared,
) -> Result<Loaded, Fault> {
    // Types that the store does not work on are kept as they came.
    if !matches!(kind, ValueType::String | ValueType::Set | ValueType::SetIntset) {
        return Ok(Loaded::Value(Value::Foreign(Box::new(reader.raw_value()?))));
    }
    let value = match reader.value()? {
        rdb::Value::String(StringValue::Int(number)) => Value::Int(number),
        rdb::Value::String(StringValue::Bytes(bytes)) => Value::string_from(bytes),
        rdb::Value::IntSet(blob) => {
            let set = IntSet::from_bytes(blob, Validation::Deep).map_err(Fault::IntSet)?;
            if set.is_empty() {
                return Err(Fault::EmptyIntSet);
            }
            Value::set_from_intset(set, &shared.rules())
        }
        rdb::Value::Set(mut members) => {
            let rules = shared.rules();
            let announced = usize::try_from(members.announced()).unwrap_or(usize::MAX);
            let mut loaded: Option<Value> = None;
            while let Some(member) = members.next()? {
                let member = Member::Bytes(member);
                let set = loaded.get_or_insert_with(|| Value::set_for(member, announced, &rules));
                if !set.as_set_mut().is_some_and(|mut set| set.add(member, &rules)) {
                    return Err(Fault::TwiceInSet);
                }
            }
            match loaded {
                Some(set) => set,
                None => return Ok(Loaded::Empty),
            }
        }
        rdb::Value::SetListpack(_) | rdb::Value::Raw(_) => return Err(Fault::Type(kind)),
    };
    Ok(Loaded::Value(value))
}

/// What is wrong with a value.
#[derive(Debug)]
pub(super) enum Fault {
    /// The bytes of the file.
    Bytes(rdb::Error),
    /// The blob of an intset.
    IntSet(intset::DecodeError),
    /// An intset without members.
    EmptyIntSet,
    /// A member that a set has twice.
    TwiceInSet,
    /// The reader gave another form than the type has.
    Type(ValueType),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(error) => write!(f, "{error}"),
            Self::IntSet(error) => write!(f, "the intset is malformed: {error}"),
            Self::EmptyIntSet => f.write_str("the intset is empty"),
            Self::TwiceInSet => f.write_str("the set has a member twice"),
            Self::Type(kind) => write!(f, "the value is not of the type {kind:?}"),
        }
    }
}

impl From<rdb::Error> for Fault {
    fn from(error: rdb::Error) -> Self {
        Self::Bytes(error)
    }
}
