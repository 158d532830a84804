//! Values and files, read whole, and written again: what tests of files and payloads compare.

mod file;

use std::fmt;
use std::io::{Read, Write};

use rdb::{Error, RawValue, StringValue, Value, ValueType, ValueWriter, WriteError};

pub use file::{Item, read_file, write_file};

/// A value of a file or a payload, read whole.
#[derive(Clone, PartialEq, Eq)]
pub enum Kept {
    /// A string.
    String(StringValue),
    /// The blob of an intset.
    IntSet(Vec<u8>),
    /// The blob of a set's listpack.
    SetListpack(Vec<u8>),
    /// The members of a hash table, in the order of the bytes.
    Set(Vec<Vec<u8>>),
    /// The blob of a sorted set's listpack.
    ZSetListpack(Vec<u8>),
    /// The blob of a sorted set's ziplist.
    ZSetZiplist(Vec<u8>),
    /// Members, and the bits of their scores (a NaN is not equal to itself).
    ZSet(Vec<(Vec<u8>, u64)>),
    /// A value of another type, or one that was taken as it is.
    Raw(RawValue),
}

impl Kept {
    /// Reads a value.
    ///
    /// # Errors
    /// What is wrong with the bytes.
    pub fn read<R: Read>(value: Value<'_, R>) -> Result<Self, Error> {
        Ok(match value {
            Value::String(string) => Self::String(string),
            Value::IntSet(blob) => Self::IntSet(blob),
            Value::SetListpack(blob) => Self::SetListpack(blob),
            Value::Set(mut members) => {
                let mut kept = Vec::with_capacity(members.size_hint());
                while let Some(member) = members.next()? {
                    kept.push(member.to_vec());
                }
                Self::Set(kept)
            }
            Value::ZSetListpack(blob) => Self::ZSetListpack(blob),
            Value::ZSetZiplist(blob) => Self::ZSetZiplist(blob),
            Value::ZSet(mut scores) => {
                let mut kept = Vec::with_capacity(scores.size_hint());
                while let Some((member, score)) = scores.next()? {
                    kept.push((member.to_vec(), score.to_bits()));
                }
                Self::ZSet(kept)
            }
            Value::Raw(raw) => Self::Raw(raw),
        })
    }

    /// Writes the value. A ziplist is passed on as it came, since no version that is written has one of its own.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn write<W: Write>(&self, to: ValueWriter<'_, W>) -> Result<(), WriteError> {
        match self {
            Self::String(StringValue::Int(int)) => to.int(*int),
            Self::String(StringValue::Bytes(bytes)) => to.string(bytes),
            Self::IntSet(blob) => to.intset(blob),
            Self::SetListpack(blob) => to.set_listpack(blob),
            Self::Set(members) => {
                let mut to = to.set(members.len() as u64)?;
                members.iter().try_for_each(|member| to.member(member))?;
                to.finish()
            }
            Self::ZSetListpack(blob) => to.zset_listpack(blob),
            Self::ZSetZiplist(blob) => to.raw(&ziplist(blob)),
            Self::ZSet(scores) => {
                let mut to = to.zset(scores.len() as u64)?;
                for (member, score) in scores {
                    to.member(member, f64::from_bits(*score))?;
                }
                to.finish()
            }
            Self::Raw(raw) => to.raw(raw),
        }
    }

    /// The value with a string as its bytes, whether it was kept as an integer or not.
    #[must_use]
    pub fn with_string_as_bytes(self) -> Self {
        let Self::String(string) = self else { return self };
        Self::String(StringValue::Bytes(string.into_bytes()))
    }

    /// The value with the members of a hash table in the order of their bytes.
    #[must_use]
    pub fn in_order(mut self) -> Self {
        if let Self::Set(members) = &mut self {
            members.sort_unstable();
        }
        self
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut named = |name: &str, bytes: &[u8]| write!(f, "{name} {}", quoted(bytes));
        match self {
            Self::String(StringValue::Int(int)) => write!(f, "string {int}"),
            Self::String(StringValue::Bytes(bytes)) => named("string", bytes),
            Self::IntSet(blob) => named("intset", blob),
            Self::SetListpack(blob) => named("set listpack", blob),
            Self::Set(members) => {
                f.write_str("members")?;
                members.iter().try_for_each(|member| write!(f, " {}", quoted(member)))
            }
            Self::ZSetListpack(blob) => named("zset listpack", blob),
            Self::ZSetZiplist(blob) => named("zset ziplist", blob),
            Self::ZSet(scores) => {
                f.write_str("scores")?;
                scores.iter().try_for_each(|(member, score)| {
                    write!(f, " {} {:?}", quoted(member), f64::from_bits(*score))
                })
            }
            Self::Raw(raw) => named(&format!("{:?}", raw.kind()), raw.body()),
        }
    }
}

fn quoted(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}

/// A ziplist as a value.
fn ziplist(blob: &[u8]) -> RawValue {
    /// A length of four bytes follows, the highest first.
    const LENGTH: u8 = 0x80;
    let mut len = u32::try_from(blob.len()).expect("a ziplist has at most 4 GiB").to_le_bytes();
    len.reverse();
    let body = [&[LENGTH][..], &len, blob].concat();
    RawValue::new(ValueType::ZSetZiplist, body).expect("a string is all there is to it")
}
