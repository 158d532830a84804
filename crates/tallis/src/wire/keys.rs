//! The keys of a store: each with its database, its expiry and its value in its encoding, as in an RDB file, but
//! without compression.

use std::fmt;
use std::time::UNIX_EPOCH;

use bloom::BloomFilter;
use intset::IntSet;
use listpack::{Entry, ListPack};
use rdb::{Blob, Field, Node, StringValue, Strings, Target, ValueWriter, WriteError, WriteOptions};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_bytes::ByteBuf;
use store::file::write_bloom;
use store::{ExpireTime, RestoreOptions, Store, Tx};

use super::codec;
use super::error::Error;
use super::kind::sealed::Payload;

/// A key.
#[derive(Debug, Serialize, Deserialize)]
struct Key {
    db: u32,
    name: ByteBuf,
    /// In milliseconds since the epoch.
    expires_at: Option<u64>,
    value: Value,
}

/// The value of a key. The order of the variants is part of the format.
#[derive(Debug, Serialize, Deserialize)]
enum Value {
    String(ByteBuf),
    IntSet(IntSet),
    SetListPack(ListPack),
    /// Members, sorted.
    Set(Vec<ByteBuf>),
    ZSetListPack(ListPack),
    /// Members and scores, the highest first.
    ZSet(Vec<(ByteBuf, f64)>),
    HashListPack(ListPack),
    /// Fields and values, sorted.
    Hash(Vec<(ByteBuf, ByteBuf)>),
    /// Nodes: whether each is a single element, and its bytes.
    List(Vec<(bool, ByteBuf)>),
    Bloom(BloomFilter),
    /// Fields, values and expiry times in turn, sorted by expiry time.
    HashTtlListPack(ListPack),
    /// Fields, values and their expiry times, in milliseconds since the epoch, sorted by field.
    HashTtl(Vec<(ByteBuf, ByteBuf, Option<i64>)>),
}

impl Payload for Store {
    fn write(&self, out: Vec<u8>) -> Result<Vec<u8>, Error> {
        let mut keys = Vec::new();
        for db in self.databases().map_err(unframed)? {
            let of_db = self.db(db.number).transaction_all(|tx| {
                let mut names = tx.keys("*")?;
                names.sort_unstable();
                Ok(names.iter().map(|name| key_of(tx, db.number, name)).collect())
            });
            let of_db: Result<Vec<Option<Key>>, Error> = of_db.map_err(unframed)?;
            keys.extend(of_db?.into_iter().flatten());
        }
        codec::write(&keys, out)
    }

    fn read(bytes: &[u8]) -> Result<Self, Error> {
        codec::read(bytes).map(|Restored(store)| store)
    }
}

/// Appends those of the keys that exist, without duplicates.
pub(super) fn write_some(store: &Store, names: &[&[u8]], out: Vec<u8>) -> Result<Vec<u8>, Error> {
    let mut names = names.to_vec();
    names.sort_unstable();
    names.dedup();
    let keys = store.transaction(names.as_slice(), |tx| {
        Ok(names.iter().filter_map(|name| key_of(tx, 0, name).transpose()).collect())
    });
    let keys: Result<Vec<Key>, Error> = keys.map_err(unframed)?;
    codec::write(&keys?, out)
}

/// Returns a key with its value; `None` if it does not exist.
fn key_of(store: &Tx<'_>, db: u32, name: &[u8]) -> Result<Option<Key>, Error> {
    let Some(payload) = store.dump(name).map_err(unframed)? else { return Ok(None) };
    let expires_at = match store.expire_time(name).map_err(unframed)? {
        ExpireTime::NoKey => return Ok(None),
        ExpireTime::Never => None,
        ExpireTime::At(time) => {
            let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
            Some(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
        }
    };
    let opaque = || {
        let why =
            format!("key '{}' has a type that is supported only in files", name.escape_ascii());
        Error::Unframed(why.into())
    };
    let mut payload = rdb::dump::decode(&payload).map_err(|_| opaque())?;
    let value = payload.value().map_err(|_| opaque())?;
    let value = if matches!(value, rdb::Value::Raw(_)) {
        let filter = store.with_bloom(name, |entry| Ok(entry.filter().cloned()));
        Value::Bloom(filter.ok().flatten().ok_or_else(opaque)?)
    } else {
        Value::of(value).ok().flatten().ok_or_else(opaque)?
    };
    Ok(Some(Key { db, name: ByteBuf::from(name), expires_at, value }))
}

fn unframed(error: impl fmt::Display) -> Error {
    Error::Unframed(error.to_string().into())
}

impl Value {
    /// Converts a value of a file; `None` for types that the store does not implement.
    fn of(value: rdb::Value<'_, &[u8]>) -> Result<Option<Self>, rdb::Error> {
        Ok(Some(match value {
            rdb::Value::String(StringValue::Int(number)) => {
                Self::String(ByteBuf::from(number.to_string()))
            }
            rdb::Value::String(StringValue::Bytes(bytes)) => Self::String(ByteBuf::from(bytes)),
            rdb::Value::Blob(Blob::IntSet, bytes) => {
                let set = IntSet::from_bytes(bytes, intset::Validation::Shallow);
                return Ok(set.ok().map(Self::IntSet));
            }
            rdb::Value::Blob(blob, bytes) => {
                let list = ListPack::from_bytes(bytes, listpack::Validation::Shallow);
                let form: fn(ListPack) -> Self = match blob {
                    Blob::SetListpack => Self::SetListPack,
                    Blob::ZSetListpack => Self::ZSetListPack,
                    Blob::HashListpack => Self::HashListPack,
                    // The store writes none of these.
                    Blob::IntSet
                    | Blob::HashZipmap
                    | Blob::ListZiplist
                    | Blob::ZSetZiplist
                    | Blob::HashZiplist => return Ok(None),
                };
                return Ok(list.ok().map(form));
            }
            rdb::Value::Set(members) => {
                let mut members = all(members)?;
                members.sort_unstable();
                Self::Set(members)
            }
            rdb::Value::Hash(strings) => {
                let mut strings = all(strings)?.into_iter();
                let mut fields = Vec::new();
                while let Some(pair) = strings.next().zip(strings.next()) {
                    fields.push(pair);
                }
                fields.sort_unstable();
                Self::Hash(fields)
            }
            rdb::Value::ListNodes(mut nodes) => {
                let mut list = Vec::new();
                while let Some(node) = nodes.next()? {
                    list.push(match node {
                        Node::Plain(bytes) => (true, ByteBuf::from(bytes)),
                        Node::Packed(bytes) => (false, ByteBuf::from(bytes)),
                    });
                }
                Self::List(list)
            }
            rdb::Value::ZSet(mut scores) => {
                let mut members = Vec::new();
                while let Some((member, score)) = scores.next()? {
                    members.push((ByteBuf::from(member), score));
                }
                Self::ZSet(members)
            }
            rdb::Value::HashTtl(mut of_hash) => {
                let mut fields = Vec::new();
                while let Some(Field { field, value, expire_at_ms }) = of_hash.next()? {
                    fields.push((ByteBuf::from(field), ByteBuf::from(value), expire_at_ms));
                }
                fields.sort_unstable();
                Self::HashTtl(fields)
            }
            rdb::Value::HashTtlListpack { listpack, .. } => {
                let list = ListPack::from_bytes(listpack, listpack::Validation::Shallow);
                return Ok(list.ok().map(Self::HashTtlListPack));
            }
            // The store writes none of these.
            rdb::Value::List(_) | rdb::Value::ListZiplists(_) | rdb::Value::Raw(_) => {
                return Ok(None);
            }
        }))
    }

    /// Writes the value as in a file.
    fn write(&self, to: ValueWriter<'_, Vec<u8>>) -> Result<(), WriteError> {
        match self {
            Self::String(bytes) => to.string(bytes),
            Self::IntSet(set) => to.blob(Blob::IntSet, set.as_bytes()),
            Self::SetListPack(list) => to.blob(Blob::SetListpack, list.as_bytes()),
            Self::ZSetListPack(list) => to.blob(Blob::ZSetListpack, list.as_bytes()),
            Self::HashListPack(list) => to.blob(Blob::HashListpack, list.as_bytes()),
            Self::Set(members) => {
                let mut set = to.set(members.len() as u64)?;
                members.iter().try_for_each(|member| set.member(member))?;
                set.finish()
            }
            Self::Hash(fields) => {
                let mut hash = to.hash(fields.len() as u64)?;
                for (field, value) in fields {
                    hash.member(field)?;
                    hash.member(value)?;
                }
                hash.finish()
            }
            Self::List(nodes) => {
                let mut list = to.list_nodes(nodes.len() as u64)?;
                for (plain, bytes) in nodes {
                    if *plain { list.plain(bytes)? } else { list.packed(bytes)? }
                }
                list.finish()
            }
            Self::ZSet(members) => {
                let mut set = to.zset(members.len() as u64)?;
                for (member, score) in members {
                    set.member(member, *score)?;
                }
                set.finish()
            }
            Self::Bloom(filter) => write_bloom(filter, to),
            Self::HashTtlListPack(list) => {
                // The time of the first field. Without one, the reader of the listpack reports the error.
                let earliest = if let Some(Entry::Int(at)) = list.get(2) { at } else { 0 };
                to.hash_ttl_listpack(list.as_bytes(), earliest)
            }
            Self::HashTtl(fields) => {
                let earliest = fields.iter().filter_map(|(.., at)| *at).min();
                let mut hash = to.hash_ttl(fields.len() as u64, earliest.unwrap_or(0))?;
                for (field, value, expire_at_ms) in fields {
                    hash.field(Field { field, value, expire_at_ms: *expire_at_ms })?;
                }
                hash.finish()
            }
        }
    }
}

/// Returns the remaining strings.
fn all(mut strings: Strings<'_, &[u8]>) -> Result<Vec<ByteBuf>, rdb::Error> {
    let mut read = Vec::new();
    while let Some(string) = strings.next()? {
        read.push(ByteBuf::from(string));
    }
    Ok(read)
}

/// A store that is filled while its keys are read, so that no key is in memory twice.
struct Restored(Store);

impl<'de> Deserialize<'de> for Restored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;

        impl<'de> Visitor<'de> for Keys {
            type Value = Restored;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the keys of a store")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut keys: A) -> Result<Restored, A::Error> {
                let store = Store::new();
                while let Some(key) = keys.next_element::<Key>()? {
                    restore(&store, &key).map_err(|why| {
                        A::Error::custom(format!("key '{}': {why}", key.name.escape_ascii()))
                    })?;
                }
                Ok(Restored(store))
            }
        }

        deserializer.deserialize_seq(Keys)
    }
}

/// Adds a key to a store, with the checks of RESTORE.
fn restore(store: &Store, key: &Key) -> Result<(), String> {
    // The first version that has a type for each of them.
    let options = WriteOptions { target: Target::V12, compression: false, checksum: true };
    let payload = rdb::dump::encode(options, |to| key.value.write(to));
    let payload = payload.map_err(|error| error.to_string())?;
    // For RESTORE, 0 means no expiry.
    let expires_at = key.expires_at.map_or(0, |at| at.max(1));
    let options = RestoreOptions::default().expire_at_ms(expires_at);
    let restored = store.db(key.db).restore(key.name.as_slice(), payload, options);
    restored.map_err(|error| error.to_string())
}
