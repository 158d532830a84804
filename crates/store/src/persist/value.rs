//! One value, to and from the form in which files and payloads hold it.

use std::fmt;
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use bloom::{BloomFilter, Field};
use intset::{IntSet, Validation};
use listpack::{Entry, ListPack};
use rdb::{
    Blob, ModuleId, ModulePart, ModuleWriter, Node, RawValue, StringValue, ValueType, ValueWriter,
    WriteError, ziplist, zipmap,
};

use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::store::{CommandTime, Shared};
use crate::value::{
    BLOOM_TYPE, Direction, Expiring, FieldExpiry, Hash, List, Loading, NEVER, Value, ZSet,
};

/// Writes a value in the encoding that it has.
pub(super) fn write<W: Write>(value: &Value, writer: ValueWriter<'_, W>) -> Result<(), WriteError> {
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
        Value::Hash(Hash::ListPack(list)) if writer.target().has(ValueType::HashListpack) => {
            writer.blob(Blob::HashListpack, list.as_bytes())
        }
        Value::Hash(hash) => {
            if let Some(hash) = hash.as_expiring() {
                let earliest = hash.first_expiry();
                if let Some(packed) = hash.packed()
                    && writer.target().has(ValueType::HashTtlListpack)
                {
                    let earliest = if earliest == NEVER { 0 } else { earliest };
                    return writer.hash_ttl_listpack(packed.as_bytes(), earliest);
                }
                if earliest != NEVER {
                    return write_expiring(hash, earliest, writer);
                }
            }
            let mut fields = writer.hash(hash.held() as u64)?;
            let written = hash.try_for_each_held(|field, value, _| {
                let mut write = |one: Member<'_>| one.with_bytes(|bytes| fields.member(bytes));
                flow(write(field).and_then(|()| write(value)))
            });
            unless_broken(written)?;
            fields.finish()
        }
        Value::Bloom(filter) => write_bloom(filter, writer),
        Value::Opaque(value) => writer.raw(value),
    }
}

/// Writes a hash of which fields expire.
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

/// Goes on unless something failed.
fn flow<E>(result: Result<(), E>) -> ControlFlow<E> {
    result.map_or_else(ControlFlow::Break, ControlFlow::Continue)
}

/// What a loop that ended was broken by.
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

/// Writes a Bloom filter as RedisBloom's module does.
///
/// # Errors
/// [`WriteError`].
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

/// Begins a Bloom filter: its fields are to follow.
pub(super) fn begin_bloom<W: Write>(
    writer: ValueWriter<'_, W>,
) -> Result<ModuleWriter<'_, W>, WriteError> {
    let id = ModuleId::new(BLOOM_TYPE, bloom::ENCODING_VERSION).ok_or(WriteError::NotOneValue)?;
    writer.module(id)
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
            let mut hash = Hash::to_load(announced, &policy);
            while let Some(field) = strings.next()?.map(<[u8]>::to_vec) {
                let Some(value) = strings.next()? else { break };
                if !hash.set_lasting((Member::Bytes(&field), Member::Bytes(value)), &policy) {
                    return Err(Fault::TwiceInHash);
                }
            }
            if hash.held() == 0 {
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
        rdb::Value::HashTtl(fields) => return hash_from_fields(fields, shared),
        rdb::Value::HashTtlListpack { listpack: blob, .. } => {
            let time = CommandTime::new(shared.time());
            let hash = Expiring::from_listpack(listpack(blob)?, &policy, &time);
            return Ok(loaded_hash(hash.ok_or(Fault::ExpiringHash)?));
        }
        rdb::Value::ZSet(scores) => return zset_from_scores(scores, &policy),
        rdb::Value::Raw(raw) => match load_bloom(&raw)? {
            Some(filter) => Value::Bloom(Box::new(filter)),
            // Types that the store does not work on are kept as they came.
            None => Value::Opaque(Arc::new(raw)),
        },
    };
    Ok(Loaded::Value(value))
}

/// A hash of which fields expire. Those that have are left out.
fn hash_from_fields<R: Read>(
    mut fields: rdb::Fields<'_, R>,
    shared: &Shared,
) -> Result<Loaded, Fault> {
    let (policy, time) = (shared.policy(), CommandTime::new(shared.time()));
    let mut hash = Expiring::to_load(fields.announced(), &policy);
    while let Some(rdb::Field { field, value, expire_at_ms }) = fields.next()? {
        let at = expire_at_ms.unwrap_or(NEVER);
        let pair = (Member::Bytes(field), Member::Bytes(value));
        if !time.has_come(at) && !hash.set(pair, FieldExpiry::At(at), &policy, &time) {
            return Err(Fault::TwiceInHash);
        }
    }
    Ok(loaded_hash(hash))
}

fn loaded_hash(hash: Expiring) -> Loaded {
    if hash.held() == 0 {
        return Loaded::Empty;
    }
    Loaded::Value(Value::Hash(Hash::of_expiring(hash)))
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
    let hash = |list| Hash::from_listpack(list, policy).ok_or(Fault::TwiceInHash);
    let value = match blob {
        Blob::HashZipmap => {
            let fields = zipmap::fields(&bytes).map_err(Fault::Zipmap)?;
            let pair = |(field, value)| (Member::Bytes(field), Member::Bytes(value));
            let hash = Hash::from_pairs(fields.into_iter().map(pair), policy);
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
    let empty = value.as_hash().is_some_and(|hash| hash.held() == 0);
    Ok(if empty { Loaded::Empty } else { Loaded::Value(value) })
}

pub(super) fn listpack(bytes: Vec<u8>) -> Result<ListPack, Fault> {
    ListPack::from_bytes(bytes, listpack::Validation::Deep).map_err(Fault::ListPack)
}

/// The listpack with the entries of a ziplist.
pub(super) fn listpack_of(ziplist: &[u8]) -> Result<ListPack, Fault> {
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

/// The Bloom filter of a module's value; `None` if it is something else, or a filter that only servers of other times
/// can ask.
fn load_bloom(raw: &RawValue) -> Result<Option<BloomFilter>, Fault> {
    let Some((id, mut parts)) = raw.module_parts() else { return Ok(None) };
    if id.name() != BLOOM_TYPE {
        return Ok(None);
    }
    // What is no field of a filter ends the fields, and is reported behind them.
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

/// Whether a filter is well formed, but has hashes or sizes that today's filters do not have.
const fn is_of_other_times(fault: bloom::Fault) -> bool {
    matches!(
        fault,
        bloom::Fault::Version { .. }
            | bloom::Fault::Options { .. }
            // More than any number of bits is a power of two of no filter.
            | bloom::Fault::PowerOfTwo { got: 0..64 }
    )
}

/// The sorted set of a listpack: servers look at the number of its members, and not at their lengths.
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
    // What is wrong with the bytes ends the scan, and is reported behind it.
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
    /// A field that a hash has twice, or one without a value.
    TwiceInHash,
    /// A hash of which fields expire that has a field twice, or one without a time.
    ExpiringHash,
    /// A node of a list without an element.
    EmptyNode,
    /// The blob of a zipmap.
    Zipmap(zipmap::Error),
    /// The blob of a ziplist.
    Ziplist(ziplist::Error),
    /// What a listpack holds is no sorted set.
    ZSet(skiplist_zset::DecodeError),
    /// Members and scores are no sorted set.
    Scores(skiplist_zset::BuildError),
    /// There are more bytes than a listpack holds.
    Full,
    /// What a module's value holds is no Bloom filter.
    Bloom(bloom::DecodeError),
    /// Something follows a Bloom filter.
    LongFilter,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(error) => write!(f, "{error}"),
            Self::IntSet(error) => write!(f, "the intset is malformed: {error}"),
            Self::ListPack(error) => write!(f, "the listpack is malformed: {error}"),
            Self::EmptyIntSet => f.write_str("the intset is empty"),
            Self::TwiceInSet => f.write_str("the set has a member twice"),
            Self::TwiceInHash => f.write_str("the hash has a field twice or without a value"),
            Self::ExpiringHash => f.write_str("a field is there twice or has no sound time"),
            Self::EmptyNode => f.write_str("a node of the list is empty"),
            Self::Zipmap(error) => write!(f, "the zipmap is malformed: {error}"),
            Self::Ziplist(error) => write!(f, "the ziplist is malformed: {error}"),
            Self::ZSet(error) => write!(f, "the sorted set is malformed: {error}"),
            Self::Scores(error) => write!(f, "the sorted set is malformed: {error}"),
            Self::Full => f.write_str("the ziplist is too long for a listpack"),
            Self::Bloom(error) => write!(f, "the Bloom filter is malformed: {error}"),
            Self::LongFilter => f.write_str("something follows the Bloom filter"),
        }
    }
}

impl From<rdb::Error> for Fault {
    fn from(error: rdb::Error) -> Self {
        Self::Bytes(error)
    }
}
