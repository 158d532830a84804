//! Loading a value.

use std::io::Read;
use std::sync::Arc;

use bloom::{BloomFilter, Field};
use intset::{IntSet, Validation};
use listpack::{Entry, ListPack};
use rdb::{Blob, ModulePart, Node, RawValue, StringValue, ziplist, zipmap};

use super::Fault;
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::store::{CommandTime, Shared};
use crate::value::{
    BLOOM_TYPE, Expiring, FieldExpiry, HashRef, Lasting, Loading, NEVER, Value, ZSet,
};

/// A value that was loaded.
#[derive(Debug)]
pub(in crate::persist) enum Loaded {
    /// A value in the encoding that the store's limits require.
    Value(Value),
    /// An empty collection, which is not a key.
    Empty,
}

/// Loads a value of a file or payload, without the fields that have expired at that time.
pub(in crate::persist) fn load<R: Read>(
    value: rdb::Value<'_, R>,
    shared: &Shared,
    time: &CommandTime<'_>,
) -> Result<Loaded, Fault> {
    let policy = shared.policy();
    let value = match value {
        rdb::Value::String(StringValue::Int(number)) => Value::Int(number),
        rdb::Value::String(StringValue::Bytes(bytes)) => Value::string_from(bytes),
        rdb::Value::Blob(blob, bytes) => return load_blob(blob, bytes, &policy),
        rdb::Value::Set(mut members) => {
            let announced = usize::try_from(members.announced()).unwrap_or(usize::MAX);
            let mut loaded = Value::set_to_load(announced, &policy);
            let mut any = false;
            while let Some(member) = members.next()? {
                any = true;
                let mut set = loaded.as_set_mut().ok_or(Fault::TwiceInSet)?;
                if !set.add(Member::Bytes(member), &policy) {
                    return Err(Fault::TwiceInSet);
                }
            }
            if !any {
                return Ok(Loaded::Empty);
            }
            loaded
        }
        rdb::Value::Hash(mut strings) => {
            let announced = usize::try_from(strings.announced() / 2).unwrap_or(usize::MAX);
            let mut hash = Lasting::to_load(announced, &policy);
            while let Some(field) = strings.next()?.map(<[u8]>::to_vec) {
                let Some(value) = strings.next()? else { break };
                if !hash.set((Member::Bytes(&field), Member::Bytes(value)), &policy) {
                    return Err(Fault::TwiceInHash);
                }
            }
            if hash.len() == 0 {
                return Ok(Loaded::Empty);
            }
            Value::Hash(hash)
        }
        rdb::Value::List(mut elements) => {
            let mut list = Loading::new(policy);
            while let Some(element) = elements.next()? {
                list.element(element);
            }
            return Ok(loaded(list));
        }
        rdb::Value::ListZiplists(mut nodes) => {
            let mut list = Loading::new(policy);
            while let Some(node) = nodes.next()? {
                list.packed(listpack_of(node)?);
            }
            return Ok(loaded(list));
        }
        rdb::Value::ListNodes(mut nodes) => {
            let mut list = Loading::new(policy);
            while let Some(node) = nodes.next()? {
                match node {
                    Node::Plain(element) if element.is_empty() => return Err(Fault::EmptyNode),
                    Node::Plain(element) => list.plain(element),
                    Node::Packed(blob) => list.packed(listpack(blob)?),
                }
            }
            return Ok(loaded(list));
        }
        rdb::Value::HashTtl(fields) => return hash_from_fields(fields, &policy, time),
        rdb::Value::HashTtlListpack { listpack: blob, .. } => {
            let hash = Expiring::from_listpack(listpack(blob)?, &policy, time);
            return Ok(loaded_hash(hash.ok_or(Fault::ExpiringHash)?));
        }
        rdb::Value::ZSet(scores) => return zset_from_scores(scores, &policy),
        rdb::Value::Raw(raw) => match load_bloom(&raw)? {
            Some(filter) => Value::Bloom(Box::new(filter)),
            // Types without commands are stored unchanged.
            None => Value::Opaque(Arc::new(raw)),
        },
    };
    Ok(Loaded::Value(value))
}

/// A hash with fields that expire. Expired ones are skipped.
fn hash_from_fields<R: Read>(
    mut fields: rdb::Fields<'_, R>,
    policy: &EncodingPolicy<'_>,
    time: &CommandTime<'_>,
) -> Result<Loaded, Fault> {
    let mut hash = Expiring::to_load(fields.announced(), policy);
    while let Some(rdb::Field { field, value, expire_at_ms }) = fields.next()? {
        let at = expire_at_ms.unwrap_or(NEVER);
        let pair = (Member::Bytes(field), Member::Bytes(value));
        if !time.has_come(at) && !hash.set(pair, FieldExpiry::At(at), policy, time) {
            return Err(Fault::TwiceInHash);
        }
    }
    Ok(loaded_hash(hash))
}

fn loaded_hash(hash: Expiring) -> Loaded {
    if hash.held() == 0 {
        return Loaded::Empty;
    }
    Loaded::Value(Value::HashTtl(hash))
}

fn loaded(list: Loading<'_>) -> Loaded {
    list.finish().map_or(Loaded::Empty, |list| Loaded::Value(Value::List(list)))
}

/// The value of a collection in one blob.
fn load_blob(blob: Blob, bytes: Vec<u8>, policy: &EncodingPolicy<'_>) -> Result<Loaded, Fault> {
    if blob == Blob::IntSet {
        let set = IntSet::from_bytes(bytes, Validation::Deep).map_err(Fault::IntSet)?;
        if set.is_empty() {
            return Err(Fault::EmptyIntSet);
        }
        return Ok(Loaded::Value(Value::set_from_intset(set, policy)));
    }
    let hash = |list| Lasting::from_listpack(list, policy).ok_or(Fault::TwiceInHash);
    let value = match blob {
        Blob::HashZipmap => {
            let fields = zipmap::fields(&bytes).map_err(Fault::Zipmap)?;
            let pair = |(field, value)| (Member::Bytes(field), Member::Bytes(value));
            let hash = Lasting::from_pairs(fields.into_iter().map(pair), policy);
            Value::Hash(hash.ok_or(Fault::TwiceInHash)?)
        }
        Blob::ListZiplist => {
            let mut list = Loading::new(*policy);
            for entry in &listpack_of(&bytes)? {
                entry.with_bytes(|bytes| list.element(bytes));
            }
            return Ok(loaded(list));
        }
        Blob::HashZiplist => Value::Hash(hash(listpack_of(&bytes)?)?),
        Blob::HashListpack => Value::Hash(hash(listpack(bytes)?)?),
        Blob::ZSetZiplist => return zset_from_listpack(listpack_of(&bytes)?, policy),
        Blob::ZSetListpack => return zset_from_listpack(listpack(bytes)?, policy),
        Blob::SetListpack | Blob::IntSet => {
            let list = listpack(bytes)?;
            if list.is_empty() {
                return Ok(Loaded::Empty);
            }
            Value::set_from_listpack(list, policy).ok_or(Fault::TwiceInSet)?
        }
    };
    let empty = value.as_hash().map(HashRef::held) == Some(0);
    Ok(if empty { Loaded::Empty } else { Loaded::Value(value) })
}

pub(in crate::persist) fn listpack(bytes: Vec<u8>) -> Result<ListPack, Fault> {
    ListPack::from_bytes(bytes, listpack::Validation::Deep).map_err(Fault::ListPack)
}

/// Converts a ziplist to a listpack.
pub(in crate::persist) fn listpack_of(ziplist: &[u8]) -> Result<ListPack, Fault> {
    let mut list = ListPack::new();
    for entry in ziplist::entries(ziplist).map_err(Fault::Ziplist)? {
        let entry = match entry {
            ziplist::Entry::Int(number) => Entry::Int(number),
            ziplist::Entry::Str(text) => Entry::Str(text).canonical(),
        };
        list.push_back(entry).map_err(|_| Fault::Full)?;
    }
    Ok(list)
}

/// The Bloom filter of a module's value; `None` if it is something else, or a filter of another version that cannot be
/// used.
fn load_bloom(raw: &RawValue) -> Result<Option<BloomFilter>, Fault> {
    let Some((id, mut parts)) = raw.module_parts() else { return Ok(None) };
    if id.name() != BLOOM_TYPE {
        return Ok(None);
    }
    // A value that cannot be a field ends the iteration, and is reported afterwards.
    let mut other = None;
    let fields = parts.by_ref().map_while(|part| match part {
        Ok(ModulePart::Unsigned(number)) => Some(Field::Unsigned(number)),
        Ok(ModulePart::Double(number)) => Some(Field::Double(number)),
        Ok(ModulePart::Bytes(bytes)) => Some(Field::Bytes(bytes)),
        Ok(_) => None,
        Err(error) => {
            other = Some(error);
            None
        }
    });
    let filter = BloomFilter::from_fields(id.version(), fields);
    if let Some(error) = other {
        return Err(error.into());
    }
    match filter {
        Ok(filter) if parts.next().is_none() => Ok(Some(filter)),
        Ok(_) => Err(Fault::LongFilter),
        Err(error) if is_of_other_times(error.fault()) => Ok(None),
        Err(error) => Err(Fault::Bloom(error)),
    }
}

/// Returns whether a filter is valid, but has hashes or sizes that current filters do not have.
const fn is_of_other_times(fault: bloom::Fault) -> bool {
    matches!(
        fault,
        bloom::Fault::Version { .. }
            | bloom::Fault::Options { .. }
            // 64 or more is not the logarithm of a number of bits.
            | bloom::Fault::PowerOfTwo { got: 0..64 }
    )
}

/// The sorted set of a listpack: servers check the number of its members, and not their lengths.
fn zset_from_listpack(list: ListPack, policy: &EncodingPolicy<'_>) -> Result<Loaded, Fault> {
    let mut set = ZSet::from_listpack(list).map_err(Fault::ZSet)?;
    if set.is_empty() {
        return Ok(Loaded::Empty);
    }
    if set.len() > policy.settings.zset_max_listpack_entries() {
        policy.make_skip_list(&mut set);
    }
    Ok(Loaded::Value(Value::ZSet(set)))
}

fn zset_from_scores<R: Read>(
    mut scores: rdb::Scores<'_, R>,
    policy: &EncodingPolicy<'_>,
) -> Result<Loaded, Fault> {
    // A malformed entry ends the iteration, and is reported afterwards.
    let mut fault = None;
    let entries = core::iter::from_fn(|| match scores.next() {
        Ok(next) => next.map(|(member, score)| (member.to_vec(), score)),
        Err(error) => {
            fault = Some(error);
            None
        }
    });
    let set = ZSet::skip_list(entries, policy.hasher.clone());
    if let Some(error) = fault {
        return Err(error.into());
    }
    let mut set = set.map_err(Fault::Scores)?;
    if set.is_empty() {
        return Ok(Loaded::Empty);
    }
    policy.fit_zset(&mut set);
    Ok(Loaded::Value(Value::ZSet(set)))
}
