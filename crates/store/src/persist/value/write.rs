//! Writing a value.

use std::io::Write;
use std::ops::ControlFlow;

use bloom::{BloomFilter, Field};
use rdb::{Blob, ModuleId, ModulePart, ModuleWriter, ValueType, ValueWriter, WriteError};

use crate::member::Member;
use crate::value::{BLOOM_TYPE, Direction, Expiring, HashRef, Lasting, List, NEVER, Value};

/// Writes a value in its current encoding.
pub(in crate::persist) fn write<W: Write>(
    value: &Value,
    writer: ValueWriter<'_, W>,
) -> Result<(), WriteError> {
    match value {
        Value::Int(number) => writer.int(*number),
        Value::Short { .. } | Value::Str { .. } => {
            value.as_str().map_or(Ok(()), |string| string.with_bytes(|bytes| writer.string(bytes)))
        }
        Value::IntSet(set) => writer.blob(Blob::IntSet, set.as_bytes()),
        Value::Compact(set) => writer.blob(Blob::IntSet, set.to_int_set().as_bytes()),
        Value::ListPack(list) if writer.target().has(ValueType::SetListpack) => {
            writer.blob(Blob::SetListpack, list.as_bytes())
        }
        Value::ListPack(_) | Value::HashTable(_) => {
            let Some(set) = value.as_set() else { return Ok(()) };
            let mut members = writer.set(set.len() as u64)?;
            let written =
                set.try_for_each(|member| flow(member.with_bytes(|bytes| members.member(bytes))));
            unless_broken(written)?;
            members.finish()
        }
        Value::ZSet(set) => match set.as_listpack() {
            Some(list) if writer.target().has(ValueType::ZSetListpack) => {
                writer.blob(Blob::ZSetListpack, list.as_bytes())
            }
            Some(_) | None => {
                let mut scores = writer.zset(set.len() as u64)?;
                for (member, score) in set.iter().rev() {
                    Member::from(member).with_bytes(|bytes| scores.member(bytes, score))?;
                }
                scores.finish()
            }
        },
        Value::List(list) if writer.target().has(ValueType::ListQuicklist2) => {
            write_nodes(list, writer)
        }
        Value::List(list) => {
            let mut elements = writer.list(list.len() as u64)?;
            let mut written = Ok(());
            list.for_each(0..list.len(), Direction::Left, |element| {
                if written.is_ok() {
                    written = element.with_bytes(|bytes| elements.member(bytes));
                }
            });
            written?;
            elements.finish()
        }
        Value::Hash(Lasting::ListPack(list)) if writer.target().has(ValueType::HashListpack) => {
            writer.blob(Blob::HashListpack, list.as_bytes())
        }
        Value::Hash(hash) => write_fields(HashRef::Lasting(hash), writer),
        Value::HashTtl(hash) => {
            let earliest = hash.first_expiry();
            if let Some(packed) = hash.packed()
                && writer.target().has(ValueType::HashTtlListpack)
            {
                let earliest = if earliest == NEVER { 0 } else { earliest };
                return writer.hash_ttl_listpack(packed.as_bytes(), earliest);
            }
            if earliest == NEVER {
                return write_fields(HashRef::Expiring(hash), writer);
            }
            write_expiring(hash, earliest, writer)
        }
        Value::Bloom(filter) => write_bloom(filter, writer),
        Value::Opaque(value) => writer.raw(value),
    }
}

/// Writes the fields of a hash without their times.
fn write_fields<W: Write>(hash: HashRef<'_>, writer: ValueWriter<'_, W>) -> Result<(), WriteError> {
    let mut fields = writer.hash(hash.held() as u64)?;
    let written = hash.try_for_each_held(|field, value, _| {
        let mut write = |one: Member<'_>| one.with_bytes(|bytes| fields.member(bytes));
        flow(write(field).and_then(|()| write(value)))
    });
    unless_broken(written)?;
    fields.finish()
}

/// Writes a hash with fields that expire.
fn write_expiring<W: Write>(
    hash: &Expiring,
    earliest: i64,
    writer: ValueWriter<'_, W>,
) -> Result<(), WriteError> {
    let mut fields = writer.hash_ttl(hash.held() as u64, earliest)?;
    let written = hash.try_for_each(|field| {
        let expire_at_ms = field.expiry();
        flow(field.name.with_bytes(|name| {
            field
                .value
                .with_bytes(|value| fields.field(rdb::Field { field: name, value, expire_at_ms }))
        }))
    });
    unless_broken(written)?;
    fields.finish()
}

/// Continues unless the result is an error.
fn flow<E>(result: Result<(), E>) -> ControlFlow<E> {
    result.map_or_else(ControlFlow::Break, ControlFlow::Continue)
}

/// Returns the error that ended a loop.
fn unless_broken<E>(flow: ControlFlow<E>) -> Result<(), E> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

/// Writes a list as its nodes.
fn write_nodes<W: Write>(list: &List, writer: ValueWriter<'_, W>) -> Result<(), WriteError> {
    match list {
        List::ListPack(list) => {
            let mut nodes = writer.list_nodes(1)?;
            nodes.packed(list.as_bytes())?;
            nodes.finish()
        }
        List::Quick(list) => {
            let mut nodes = writer.list_nodes(list.node_count() as u64)?;
            for node in list.nodes() {
                let bytes = node.bytes();
                if node.is_plain() { nodes.plain(&bytes)? } else { nodes.packed(&bytes)? }
            }
            nodes.finish()
        }
    }
}

/// Writes a Bloom filter as the RedisBloom module does.
///
/// # Errors
/// The [`WriteError`] of the writer.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use rdb::{WriteOptions, dump};
/// use tallis::{RestoreOptions, Store, file::write_bloom};
///
/// let mut filter = bloom::BloomFilter::default();
/// filter.add(b"alice")?;
/// let payload = dump::encode(WriteOptions::default(), |writer| write_bloom(&filter, writer))?;
///
/// let store = Store::new();
/// store.restore("seen", &payload, RestoreOptions::default())?;
/// assert!(store.bf_exists("seen", "alice")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_bloom<W: Write>(
    filter: &BloomFilter,
    writer: ValueWriter<'_, W>,
) -> Result<(), WriteError> {
    let mut value = begin_bloom(writer)?;
    for field in filter.fields() {
        value.part(match field {
            Field::Unsigned(number) => ModulePart::Unsigned(number),
            Field::Double(number) => ModulePart::Double(number),
            Field::Bytes(bytes) => ModulePart::Bytes(bytes),
        })?;
    }
    value.finish()
}

/// Starts a Bloom filter; its fields must follow.
pub(in crate::persist) fn begin_bloom<W: Write>(
    writer: ValueWriter<'_, W>,
) -> Result<ModuleWriter<'_, W>, WriteError> {
    let id = ModuleId::new(BLOOM_TYPE, bloom::ENCODING_VERSION).ok_or(WriteError::NotOneValue)?;
    writer.module(id)
}
