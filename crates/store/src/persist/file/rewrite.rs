//! Copying a value from one file to another.

use std::io::{Read, Write};

use rdb::{
    Node, Reader, StringValue, Strings, StringsWriter, Target, Value, ValueType, ValueWriter,
};

use super::element::{Element, each_element};
use super::error::{RewriteError, ValueError};
use crate::persist::value::{listpack, listpack_of};

/// Returns whether a version has a form without loss for values of this type: the type itself, or an older one for all
/// types that Tallis supports.
///
/// ```
/// # use store as tallis;
/// use rdb::{Target, ValueType};
/// use tallis::file::has_form;
///
/// assert!(has_form(ValueType::SetListpack, Target::V9));
/// assert!(has_form(ValueType::Stream3, Target::V11) && !has_form(ValueType::Stream3, Target::V10));
/// ```
#[must_use]
pub fn has_form(kind: ValueType, target: Target) -> bool {
    is_open(kind)
        || target.has(kind)
        || is_timed(kind) && TIMED.into_iter().any(|kind| target.has(kind))
}

/// The types of hashes with fields that expire, of Redis and of Valkey.
const TIMED: [ValueType; 2] = [ValueType::HashTtl, ValueType::ValkeyHashTtl];

/// Returns whether a type is that of a hash with fields that expire.
const fn is_timed(kind: ValueType) -> bool {
    use ValueType as T;
    matches!(
        kind,
        T::HashTtl
            | T::HashTtlListpack
            | T::HashTtlPreRelease
            | T::HashTtlListpackPreRelease
            | T::ValkeyHashTtl
    )
}

/// Returns whether values of this type can be decoded, and written element by element in every version.
const fn is_open(kind: ValueType) -> bool {
    use ValueType as T;
    matches!(
        kind,
        T::String
            | T::List
            | T::Set
            | T::ZSetText
            | T::Hash
            | T::ZSet
            | T::HashZipmap
            | T::ListZiplist
            | T::SetIntset
            | T::ZSetZiplist
            | T::HashZiplist
            | T::ListQuicklist
            | T::HashListpack
            | T::ZSetListpack
            | T::ListQuicklist2
            | T::SetListpack
    )
}

/// Options for rewriting values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Rewrite {
    reencode: bool,
}

impl Rewrite {
    /// Creates the default: values are copied unchanged if the target version has their type, and otherwise converted
    /// to an older form.
    pub const fn new() -> Self {
        Self { reencode: false }
    }

    /// Sets whether strings are encoded again, with or without compression as the writer is configured, instead of
    /// copied unchanged. Values of types that Tallis does not support keep their bytes.
    pub const fn reencode(self, reencode: bool) -> Self {
        Self { reencode }
    }

    /// Writes the next value, which is of type `kind`.
    ///
    /// O(bytes), in constant memory if the type is kept; a listpack, and a list for a version before 10, are in memory
    /// as a whole.
    ///
    /// # Errors
    /// The value is not valid for its type, or the version cannot represent it. The file being written cannot be
    /// completed then.
    pub fn value<R: Read, W: Write>(
        self,
        reader: &mut Reader<R>,
        kind: ValueType,
        writer: ValueWriter<'_, W>,
    ) -> Result<(), RewriteError> {
        let target = writer.target();
        if target.has(kind) && !(self.reencode && is_open(kind)) {
            return Ok(reader.copy_value(writer)?);
        }
        if !has_form(kind, target) {
            return Err(RewriteError::NoForm { kind, target });
        }
        let at = reader.offset();
        write_open(reader.value()?, kind, at, writer)
    }
}

fn write_open<R: Read, W: Write>(
    value: Value<'_, R>,
    kind: ValueType,
    at: u64,
    writer: ValueWriter<'_, W>,
) -> Result<(), RewriteError> {
    let target = writer.target();
    let here = |fault| ValueError::new(at, fault);
    match value {
        Value::String(StringValue::Int(number)) => writer.int(number)?,
        Value::String(StringValue::Bytes(bytes)) => writer.string(&bytes)?,
        Value::Blob(blob, bytes) if target.has(blob.value_type()) => {
            writer.blob(blob, &bytes)?;
        }
        Value::Set(members) => {
            let to = writer.set(members.announced())?;
            copy_strings(members, to)?;
        }
        Value::List(elements) => {
            let to = writer.list(elements.announced())?;
            copy_strings(elements, to)?;
        }
        Value::Hash(fields) => {
            let to = writer.hash(fields.announced() / 2)?;
            copy_strings(fields, to)?;
        }
        Value::ZSet(mut scores) => {
            let mut members = writer.zset(scores.announced())?;
            while let Some((member, score)) = scores.next()? {
                members.member(member, score)?;
            }
            members.finish()?;
        }
        Value::ListZiplists(mut lists) if target.has(ValueType::ListQuicklist2) => {
            let mut nodes = writer.list_nodes(lists.announced())?;
            while let Some(list) = lists.next()? {
                nodes.packed(listpack_of(list).map_err(here)?.as_bytes())?;
            }
            nodes.finish()?;
        }
        Value::ListNodes(mut lists) if target.has(ValueType::ListQuicklist2) => {
            let mut nodes = writer.list_nodes(lists.announced())?;
            while let Some(node) = lists.next()? {
                match node {
                    Node::Plain(element) => nodes.plain(&element)?,
                    Node::Packed(blob) => nodes.packed(listpack(blob).map_err(here)?.as_bytes())?,
                }
            }
            nodes.finish()?;
        }
        other @ (Value::Blob(..)
        | Value::HashTtl(_)
        | Value::HashTtlListpack { .. }
        | Value::ListZiplists(_)
        | Value::ListNodes(_)
        | Value::Raw(_)) => {
            write_elements(other, kind, at, writer)?;
        }
    }
    Ok(())
}

fn copy_strings<R: Read, W: Write>(
    mut from: Strings<'_, R>,
    mut to: StringsWriter<'_, W>,
) -> Result<(), RewriteError> {
    while let Some(string) = from.next()? {
        to.member(string)?;
    }
    Ok(to.finish()?)
}

/// Writes elements of a decoded value, preceded by their number.
fn write_elements<R: Read, W: Write>(
    value: Value<'_, R>,
    kind: ValueType,
    at: u64,
    writer: ValueWriter<'_, W>,
) -> Result<(), RewriteError> {
    let (mut strings, mut scores, mut times) = (Vec::new(), Vec::new(), Vec::new());
    each_element(value, at, |element| {
        if is_timed(kind) {
            times.push(if let Element::Expiring(.., at_ms) = element { Some(at_ms) } else { None });
        }
        match element {
            Element::One(one) => strings.push(one.to_bytes()),
            Element::Pair(field, value) | Element::Expiring(field, value, _) => {
                strings.extend([field.to_bytes(), value.to_bytes()]);
            }
            Element::Scored(member, score) => scores.push((member.to_bytes(), score)),
        }
        Ok::<(), ValueError>(())
    })?;
    let count = strings.len() as u64;
    let mut members = match kind.type_name() {
        "zset" => {
            let mut members = writer.zset(scores.len() as u64)?;
            // As servers do: the highest score first.
            scores.iter().rev().try_for_each(|(member, score)| members.member(member, *score))?;
            return Ok(members.finish()?);
        }
        "hash" if times.iter().any(Option::is_some) => {
            let earliest = times.iter().flatten().min().copied().unwrap_or_default();
            let mut fields = writer.hash_ttl(count / 2, earliest)?;
            for (pair, &expire_at_ms) in strings.chunks_exact(2).zip(&times) {
                fields.field(rdb::Field { field: &pair[0], value: &pair[1], expire_at_ms })?;
            }
            return Ok(fields.finish()?);
        }
        "hash" => writer.hash(count / 2)?,
        "list" => writer.list(count)?,
        _ => writer.set(count)?,
    };
    strings.iter().try_for_each(|string| members.member(string))?;
    Ok(members.finish()?)
}
