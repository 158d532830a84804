//! One value, to and from the form in which files and payloads hold it.

use std::fmt;
use std::io::{Read, Write};
use std::ops::ControlFlow;

use intset::{IntSet, Validation};
use listpack::ListPack;
use rdb::{StringValue, Target, ValueWriter, WriteError};

use crate::member::Member;
use crate::store::Shared;
use crate::value::Value;

/// Writes a value in the encoding that it has.
pub(super) fn write<W: Write>(value: &Value, writer: ValueWriter<'_, W>) -> Result<(), WriteError> {
    match value {
        Value::Int(number) => writer.int(*number),
        Value::Short { .. } | Value::Str { .. } => {
            value.as_str().map_or(Ok(()), |string| string.with_bytes(|bytes| writer.string(bytes)))
        }
        Value::IntSet(set) => writer.intset(set.as_bytes()),
        Value::ListPack(list) if writer.target() >= Target::V11 => {
            writer.set_listpack(list.as_bytes())
        }
        Value::ListPack(_) | Value::HashTable(_) => {
            let Some(set) = value.as_set() else { return Ok(()) };
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

/// The value of the store that a value of a file or payload is.
pub(super) fn load<R: Read>(value: rdb::Value<'_, R>, shared: &Shared) -> Result<Loaded, Fault> {
    let rules = shared.rules();
    let value = match value {
        rdb::Value::String(StringValue::Int(number)) => Value::Int(number),
        rdb::Value::String(StringValue::Bytes(bytes)) => Value::string_from(bytes),
        rdb::Value::IntSet(blob) => {
            let set = IntSet::from_bytes(blob, Validation::Deep).map_err(Fault::IntSet)?;
            if set.is_empty() {
                return Err(Fault::EmptyIntSet);
            }
            Value::set_from_intset(set, &rules)
        }
        rdb::Value::SetListpack(blob) => {
            let list = ListPack::from_bytes(blob, listpack::Validation::Deep);
            let list = list.map_err(Fault::ListPack)?;
            if list.is_empty() {
                return Ok(Loaded::Empty);
            }
            Value::set_from_listpack(list, &rules).ok_or(Fault::TwiceInSet)?
        }
        rdb::Value::Set(mut members) => {
            let announced = usize::try_from(members.announced()).unwrap_or(usize::MAX);
            let mut loaded = Value::set_to_load(announced, &rules);
            let mut any = false;
            while let Some(member) = members.next()? {
                any = true;
                let mut set = loaded.as_set_mut().ok_or(Fault::TwiceInSet)?;
                if !set.add(Member::Bytes(member), &rules) {
                    return Err(Fault::TwiceInSet);
                }
            }
            if !any {
                return Ok(Loaded::Empty);
            }
            loaded
        }
        // Types that the store does not work on are kept as they came.
        rdb::Value::Raw(raw) => Value::Foreign(Box::new(raw)),
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
    /// The blob of a listpack.
    ListPack(listpack::DecodeError),
    /// An intset without members.
    EmptyIntSet,
    /// A member that a set has twice.
    TwiceInSet,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(error) => write!(f, "{error}"),
            Self::IntSet(error) => write!(f, "the intset is malformed: {error}"),
            Self::ListPack(error) => write!(f, "the listpack is malformed: {error}"),
            Self::EmptyIntSet => f.write_str("the intset is empty"),
            Self::TwiceInSet => f.write_str("the set has a member twice"),
        }
    }
}

impl From<rdb::Error> for Fault {
    fn from(error: rdb::Error) -> Self {
        Self::Bytes(error)
    }
}
