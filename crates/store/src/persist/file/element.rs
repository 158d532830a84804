//! Iteration over the elements of a value in any encoding.

use std::io::Read;

use intset::{IntSet, Validation};
use rdb::{Blob, Node, Value, zipmap};

use super::error::ValueError;
use crate::member::Member;
use crate::persist::value::{Fault, listpack, listpack_of};
use crate::value::{Packed, ZSet};

/// An element of a value.
#[derive(Clone, Copy, Debug)]
pub enum Element<'a> {
    /// A string; an element of a list; a member of a set.
    One(Member<'a>),
    /// A field of a hash and its value.
    Pair(Member<'a>, Member<'a>),
    /// A field of a hash with an expiry, its value, and the expiry in milliseconds since the epoch.
    Expiring(Member<'a>, Member<'a>, i64),
    /// A member of a sorted set and its score.
    Scored(Member<'a>, f64),
}

/// Calls `visit` with every element of a value, in the file's order, in any encoding: those of strings, lists, sets,
/// sorted sets and hashes in all versions. A value of any other type ([`Value::Raw`]) has none.
///
/// Blobs are fully validated before their elements are visited, except for duplicate members. `at` is the offset of the
/// value: [`Reader::offset`](rdb::Reader::offset) before it was read. O(bytes); one blob or one node of a list is in
/// memory at a time.
///
/// # Errors
/// The error in the value, or the error of `visit`.
///
/// ```
/// # use store as tallis;
/// use tallis::file::{Element, ValueError, each_element};
///
/// let file = b"REDIS0010\xfe\x00\x02\x01s\x02\x01a\xc0\x07\xff\0\0\0\0\0\0\0\0";
/// let mut reader = rdb::Reader::new(&file[..])?;
/// while !matches!(reader.next_record()?, Some(rdb::Record::Key { .. })) {}
/// let (at, mut members) = (reader.offset(), Vec::new());
/// each_element(reader.value()?, at, |element| {
///     if let Element::One(member) = element {
///         members.push(member.to_bytes());
///     }
///     Ok::<(), ValueError>(())
/// })?;
/// assert_eq!(members, ["a", "7"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn each_element<R: Read, E: From<ValueError>>(
    value: Value<'_, R>,
    at: u64,
    mut visit: impl FnMut(Element<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let here = |fault| ValueError::new(at, fault);
    let bytes = |error: rdb::Error| ValueError::from(error);
    match value {
        Value::String(string) => {
            visit(Element::One(Member::Bytes(&string.into_bytes())))?;
        }
        Value::Blob(blob, bytes) => return each_of_blob(blob, bytes, at, &mut visit),
        Value::Set(mut strings) | Value::List(mut strings) => {
            while let Some(string) = strings.next().map_err(bytes)? {
                visit(Element::One(Member::Bytes(string)))?;
            }
        }
        Value::Hash(mut strings) => {
            let mut field = Vec::new();
            while let Some(string) = strings.next().map_err(bytes)? {
                field.clear();
                field.extend_from_slice(string);
                let Some(value) = strings.next().map_err(bytes)? else { break };
                visit(Element::Pair(Member::Bytes(&field), Member::Bytes(value)))?;
            }
        }
        Value::HashTtl(mut fields) => {
            while let Some(rdb::Field { field, value, expire_at_ms }) =
                fields.next().map_err(bytes)?
            {
                let (field, value) = (Member::Bytes(field), Member::Bytes(value));
                visit(expire_at_ms.map_or(Element::Pair(field, value), |at| {
                    Element::Expiring(field, value, at)
                }))?;
            }
        }
        Value::HashTtlListpack { listpack: blob, .. } => {
            let list = listpack(blob).map_err(here)?;
            let packed = Packed::from_listpack(list).ok_or(here(Fault::ExpiringHash))?;
            packed.iter().try_for_each(|field| {
                visit(field.expiry().map_or(Element::Pair(field.name, field.value), |at| {
                    Element::Expiring(field.name, field.value, at)
                }))
            })?;
        }
        Value::ZSet(mut scores) => {
            while let Some((member, score)) = scores.next().map_err(bytes)? {
                visit(Element::Scored(Member::Bytes(member), score))?;
            }
        }
        Value::ListZiplists(mut nodes) => {
            while let Some(node) = nodes.next().map_err(bytes)? {
                let list = listpack_of(node).map_err(here)?;
                list.iter().try_for_each(|entry| visit(Element::One(entry.into())))?;
            }
        }
        Value::ListNodes(mut nodes) => {
            while let Some(node) = nodes.next().map_err(bytes)? {
                match node {
                    Node::Plain(element) => visit(Element::One(Member::Bytes(&element)))?,
                    Node::Packed(blob) => {
                        let list = listpack(blob).map_err(here)?;
                        list.iter().try_for_each(|entry| visit(Element::One(entry.into())))?;
                    }
                }
            }
        }
        Value::Raw(_) => {}
    }
    Ok(())
}

fn each_of_blob<E: From<ValueError>>(
    blob: Blob,
    bytes: Vec<u8>,
    at: u64,
    visit: &mut impl FnMut(Element<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let here = |fault| ValueError::new(at, fault);
    let list = match blob {
        Blob::IntSet => {
            let set = IntSet::from_bytes(bytes, Validation::Deep).map_err(Fault::IntSet);
            let set = set.map_err(here)?;
            return set.iter().try_for_each(|number| visit(Element::One(Member::Int(number))));
        }
        Blob::HashZipmap => {
            let fields = zipmap::fields(&bytes).map_err(Fault::Zipmap).map_err(here)?;
            return fields.into_iter().try_for_each(|(field, value)| {
                visit(Element::Pair(Member::Bytes(field), Member::Bytes(value)))
            });
        }
        Blob::ListZiplist | Blob::HashZiplist | Blob::ZSetZiplist => listpack_of(&bytes),
        Blob::SetListpack | Blob::HashListpack | Blob::ZSetListpack => listpack(bytes),
    };
    let list = list.map_err(here)?;
    match blob {
        Blob::HashListpack | Blob::HashZiplist => {
            let mut entries = list.iter();
            while let Some(field) = entries.next() {
                let value = entries.next().ok_or_else(|| here(Fault::TwiceInHash))?;
                visit(Element::Pair(field.into(), value.into()))?;
            }
            Ok(())
        }
        Blob::ZSetListpack | Blob::ZSetZiplist => {
            let set = ZSet::from_listpack(list).map_err(Fault::ZSet).map_err(here)?;
            set.iter().try_for_each(|(member, score)| visit(Element::Scored(member.into(), score)))
        }
        Blob::SetListpack | Blob::ListZiplist | Blob::IntSet | Blob::HashZipmap => {
            list.iter().try_for_each(|entry| visit(Element::One(entry.into())))
        }
    }
}
