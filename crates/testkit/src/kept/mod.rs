//! Values and files, read completely and written again, for tests of files and payloads.

mod file;
mod used;

use std::fmt;
use std::io::{Read, Write};

use rdb::{
    Blob, Error, Field, Node, RawValue, StringValue, Strings, Value, ValueWriter, WriteError,
};

pub use file::{Item, read_file, write_file};
pub use used::ON_ANY_VALUE;

/// A field, its value, and its expiry in milliseconds since 1970.
pub type KeptField = (Vec<u8>, Vec<u8>, Option<i64>);

/// A value of a file or a payload, read completely.
#[derive(Clone, PartialEq, Eq)]
pub enum Kept {
    /// A string.
    String(StringValue),
    /// A collection in one blob.
    Blob(Blob, Vec<u8>),
    /// The members of a hash table, in the order of the bytes.
    Set(Vec<Vec<u8>>),
    /// The fields of a hash table with their values, in the order of the bytes.
    Hash(Vec<[Vec<u8>; 2]>),
    /// The earliest expiry of a hash table whose fields expire, and its fields with their values and expiries, in the
    /// order of the bytes.
    HashTtl(i64, Vec<KeptField>),
    /// A listpack of fields that expire, and the earliest expiry.
    HashTtlListpack(Vec<u8>, i64),
    /// The elements of a list.
    List(Vec<Vec<u8>>),
    /// The ziplists of a list.
    ListZiplists(Vec<Vec<u8>>),
    /// The nodes of a list.
    ListNodes(Vec<Node>),
    /// Members, and the bits of their scores (a NaN is not equal to itself).
    ZSet(Vec<(Vec<u8>, u64)>),
    /// A value of another type, or one that was not decoded.
    Raw(RawValue),
}

impl Kept {
    /// Reads a value.
    ///
    /// # Errors
    /// [`Error`] if the bytes are malformed.
    pub fn read<R: Read>(value: Value<'_, R>) -> Result<Self, Error> {
        Ok(match value {
            Value::String(string) => Self::String(string),
            Value::Blob(blob, bytes) => Self::Blob(blob, bytes),
            Value::Set(members) => Self::Set(strings(members)?),
            Value::Hash(fields) => {
                let strings = strings(fields)?;
                let pairs = strings.chunks_exact(2).map(|pair| [pair[0].clone(), pair[1].clone()]);
                Self::Hash(pairs.collect())
            }
            Value::HashTtl(mut fields) => {
                let earliest = fields.earliest_ms();
                let mut kept = Vec::new();
                while let Some(Field { field, value, expire_at_ms }) = fields.next()? {
                    kept.push((field.to_vec(), value.to_vec(), expire_at_ms));
                }
                Self::HashTtl(earliest, kept)
            }
            Value::HashTtlListpack { listpack, earliest_ms } => {
                Self::HashTtlListpack(listpack, earliest_ms)
            }
            Value::List(elements) => Self::List(strings(elements)?),
            Value::ListZiplists(nodes) => Self::ListZiplists(strings(nodes)?),
            Value::ListNodes(mut nodes) => {
                let mut kept = Vec::new();
                while let Some(node) = nodes.next()? {
                    kept.push(node);
                }
                Self::ListNodes(kept)
            }
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

    /// Writes the value.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn write<W: Write>(&self, to: ValueWriter<'_, W>) -> Result<(), WriteError> {
        match self {
            Self::String(StringValue::Int(int)) => to.int(*int),
            Self::String(StringValue::Bytes(bytes)) => to.string(bytes),
            Self::Blob(blob, bytes) => to.blob(*blob, bytes),
            Self::Set(members) => {
                let mut to = to.set(members.len() as u64)?;
                members.iter().try_for_each(|member| to.member(member))?;
                to.finish()
            }
            Self::Hash(fields) => {
                let mut to = to.hash(fields.len() as u64)?;
                fields.iter().flatten().try_for_each(|string| to.member(string))?;
                to.finish()
            }
            Self::HashTtl(earliest, fields) => {
                let mut to = to.hash_ttl(fields.len() as u64, *earliest)?;
                for (field, value, expire_at_ms) in fields {
                    to.field(Field { field, value, expire_at_ms: *expire_at_ms })?;
                }
                to.finish()
            }
            Self::HashTtlListpack(listpack, earliest) => to.hash_ttl_listpack(listpack, *earliest),
            Self::List(elements) => {
                let mut to = to.list(elements.len() as u64)?;
                elements.iter().try_for_each(|element| to.member(element))?;
                to.finish()
            }
            Self::ListZiplists(nodes) => to.raw(&ziplists(nodes)),
            Self::ListNodes(nodes) => {
                let mut to = to.list_nodes(nodes.len() as u64)?;
                for node in nodes {
                    match node {
                        Node::Plain(element) => to.plain(element)?,
                        Node::Packed(blob) => to.packed(blob)?,
                    }
                }
                to.finish()
            }
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

    /// Returns the value with a string as bytes, even if it was stored as an integer.
    #[must_use]
    pub fn with_string_as_bytes(self) -> Self {
        let Self::String(string) = self else { return self };
        Self::String(StringValue::Bytes(string.into_bytes()))
    }

    /// Returns the value with the members of a hash table in the order of their bytes, and without what servers do not
    /// store correctly.
    #[must_use]
    pub fn in_order(mut self) -> Self {
        match &mut self {
            Self::Set(members) => members.sort_unstable(),
            Self::Hash(fields) => fields.sort_unstable(),
            Self::HashTtl(_, fields) => fields.sort_unstable(),
            // A server does not update it when the earliest field no longer expires.
            Self::HashTtlListpack(_, earliest) => *earliest = 0,
            Self::String(_)
            | Self::Blob(..)
            | Self::List(_)
            | Self::ListZiplists(_)
            | Self::ListNodes(_)
            | Self::ZSet(_)
            | Self::Raw(_) => {}
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
            Self::Blob(blob, bytes) => named(&format!("{blob:?}"), bytes),
            Self::Set(members) => {
                f.write_str("members")?;
                members.iter().try_for_each(|member| write!(f, " {}", quoted(member)))
            }
            Self::Hash(fields) => {
                f.write_str("fields")?;
                fields.iter().flatten().try_for_each(|string| write!(f, " {}", quoted(string)))
            }
            Self::HashTtl(_, fields) => {
                f.write_str("fields")?;
                fields.iter().try_for_each(|(field, value, at)| {
                    write!(f, " {} {} {at:?}", quoted(field), quoted(value))
                })
            }
            Self::HashTtlListpack(listpack, _) => named("listpackex", listpack),
            Self::List(strings) | Self::ListZiplists(strings) => {
                f.write_str("list")?;
                strings.iter().try_for_each(|string| write!(f, " {}", quoted(string)))
            }
            Self::ListNodes(nodes) => {
                f.write_str("nodes")?;
                nodes.iter().try_for_each(|node| match node {
                    Node::Plain(element) => write!(f, " plain {}", quoted(element)),
                    Node::Packed(blob) => write!(f, " packed {}", quoted(blob)),
                })
            }
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

/// Reads the remaining strings.
fn strings<R: Read>(mut strings: Strings<'_, R>) -> Result<Vec<Vec<u8>>, Error> {
    let mut kept = Vec::with_capacity(strings.size_hint());
    while let Some(string) = strings.next()? {
        kept.push(string.to_vec());
    }
    Ok(kept)
}

/// A list of ziplists as a value: none of the versions that can be written has its own form for it.
fn ziplists(nodes: &[Vec<u8>]) -> RawValue {
    let mut body = length(nodes.len());
    for node in nodes {
        body.extend(length(node.len()));
        body.extend_from_slice(node);
    }
    RawValue::new(rdb::ValueType::ListQuicklist, body).expect("strings are all there is to it")
}

/// A length of four bytes after its mark, in big-endian order.
fn length(len: usize) -> Vec<u8> {
    let mut bytes = u32::try_from(len).expect("a length of 32 bits").to_le_bytes().to_vec();
    bytes.push(0x80);
    bytes.reverse();
    bytes
}
