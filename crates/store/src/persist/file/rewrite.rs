//! Writing a value of one file into another.

use std::io::{Read, Write};

use rdb::{
    Node, Reader, StringValue, Strings, StringsWriter, Target, Value, ValueType, ValueWriter,
};

use super::element::{Element, each_element};
use super::error::{RewriteError, ValueError};
use crate::persist::value::{listpack, listpack_of};

/// Whether a version has a form for values of this type that loses nothing: the type itself, or for all that Tallis works
/// on an older one.
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

/// The forms of hashes whose fields expire, one for each line of servers.
const TIMED: [ValueType; 2] = [ValueType::HashTtl, ValueType::ValkeyHashTtl];

/// Whether a type is that of a hash whose fields expire.
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

/// Whether values of this type can be taken apart, and written element by element in every version.
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

/// How values are rewritten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Rewrite {
    reencode: bool,
}

impl Rewrite {
    /// Values go over as they came where the version to write has their type, and else in an older form.
    pub const fn new() -> Self {
        Self { reencode: false }
    }

    /// Writes each string anew, compressed or not as the writer is told to, where it would go over as it came. Values of
    /// types that Tallis does not work on keep their bytes.
    pub const fn reencode(self, reencode: bool) -> Self {
        Self { reencode }
    }

    /// Writes the value that is next, which is of type `kind`.
    ///
    /// O(bytes), in constant memory where the type stays; a listpack, and a list that a version before 10 is to hold, are
    /// held whole.
    ///
    /// # Errors
    /// A value that is not what its type asks for, and one that the version cannot hold. What was begun cannot be
    /// finished then.
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

/// Writes what has to be taken apart: elements, whose number stands before them.
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
