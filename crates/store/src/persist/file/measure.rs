//! Measuring the memory that a value of a file would take in a store.

use std::borrow::Cow;
use std::io::Read;

use rdb::{RawValue, Reader, ValueType};

use super::error::ValueError;
use super::sample;
use crate::key::Key;
use crate::member::Member;
use crate::persist::value::{self, Loaded};
use crate::short::SHORT_MAX;
use crate::store::stripe::{LoadedKey, Stripe};
use crate::store::{CommandTime, Store};
use crate::table::keys::Entry;
use crate::value::{HashRef, SetRef, Value, allocated};

/// The properties of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Measured {
    /// Its type as returned by TYPE: a value of a module has the name of the module's own type, such as `MBbloom--`.
    pub type_name: Cow<'static, str>,
    /// Its encoding in the file: see [`ValueType::encoding`].
    pub encoding: &'static str,
    /// The bytes of a string; the elements, members, fields or entries of any other type; the items of a Bloom filter;
    /// 0 for a value of another module. An empty collection is not a key: it is skipped when a file is loaded.
    pub len: u64,
    /// The heap memory that it would take in a store, in bytes.
    pub bytes: u64,
}

impl Measured {
    /// Returns whether this is an empty collection, which is skipped when a file is loaded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0 && matches!(&*self.type_name, "list" | "set" | "zset" | "hash")
    }
}

/// Measures values of files as a store with the default limits would store them.
#[derive(Debug)]
pub struct Meter {
    store: Store,
    /// Bytes of the table per key, if none or all of them have an expiry.
    shares: [u64; 2],
}

impl Default for Meter {
    fn default() -> Self {
        Self::new()
    }
}

impl Meter {
    /// Creates a meter.
    #[must_use]
    pub fn new() -> Self {
        // The seed is arbitrary but fixed, so that a file is always measured alike: how full tables are depends on the
        // hash.
        let store = Store::builder().stripes(1).hash_seed(0).build();
        let shares = [None, Some(i64::MAX)].map(|expires| share_of_a_key(&store, expires));
        Self { store, shares }
    }

    /// Returns the memory that a key takes in a large store in addition to its value, in bytes: its name, and its part
    /// of the table. The sum of both is what MEMORY USAGE returns, except for variations in how full the table is.
    #[must_use]
    pub fn key_bytes(&self, key: &[u8], expires: bool) -> u64 {
        let [lasting, expiring] = self.shares;
        let share = if expires { expiring } else { lasting };
        share + allocated(Key::new(key).heap_bytes()) as u64
    }

    /// Measures the next value, which is of type `kind`.
    ///
    /// It is validated as when loading, except for duplicate members of a large collection. O(bytes), in constant
    /// memory: of a collection of more than 16,384 members, or more than 4 MiB, only samples are built, and the rest is
    /// estimated from the lengths, within a few percent; smaller ones are exact. A compressed string, a packed blob and
    /// a value of a module are in memory as a whole.
    ///
    /// # Errors
    /// The value is not valid for its type.
    pub fn measure<R: Read>(
        &self,
        reader: &mut Reader<R>,
        kind: ValueType,
    ) -> Result<Measured, ValueError> {
        let at = reader.offset();
        if let Some(passed) = pass(reader, kind)? {
            return Ok(passed);
        }
        let policy = self.store.shared().policy();
        let found = |len, bytes| Measured { len, bytes, ..Measured::of(kind) };
        match sample::measure(reader.value()?, &policy) {
            Ok(Ok(size)) => Ok(found(size.len, size.bytes)),
            Ok(Err(whole)) => self.load(whole, kind, at),
            Err(fault) => Err(ValueError::new(at, fault)),
        }
    }

    /// Measures the next value as [`measure`](Self::measure) does, but builds all of it, at any size, as when loading:
    /// so it refuses everything that a load refuses.
    ///
    /// # Errors
    /// As [`measure`](Self::measure).
    pub fn measure_whole<R: Read>(
        &self,
        reader: &mut Reader<R>,
        kind: ValueType,
    ) -> Result<Measured, ValueError> {
        let at = reader.offset();
        match pass(reader, kind)? {
            Some(passed) => Ok(passed),
            None => self.load(reader.value()?, kind, at),
        }
    }

    fn load<R: Read>(
        &self,
        read: rdb::Value<'_, R>,
        kind: ValueType,
        at: u64,
    ) -> Result<Measured, ValueError> {
        let shared = self.store.shared();
        match value::load(read, shared, &CommandTime::new(shared.time())) {
            Ok(Loaded::Value(value)) => Ok(Measured {
                type_name: value.type_name(),
                len: len(&value),
                bytes: value.heap_bytes() as u64,
                ..Measured::of(kind)
            }),
            Ok(Loaded::Empty) => Ok(Measured::of(kind)),
            Err(fault) => Err(ValueError::new(at, fault)),
        }
    }
}

impl Measured {
    /// An empty result for this type.
    fn of(kind: ValueType) -> Self {
        Self { type_name: kind.type_name().into(), encoding: kind.encoding(), len: 0, bytes: 0 }
    }
}

/// Measures a value that is determined by its length. `None` if there is more to read: then nothing was read.
fn pass<R: Read>(reader: &mut Reader<R>, kind: ValueType) -> Result<Option<Measured>, ValueError> {
    use ValueType as T;
    let from = reader.offset();
    #[expect(clippy::wildcard_enum_match_arm, reason = "values of other types are loaded")]
    let (len, bytes) = match kind {
        T::String => {
            let len = reader.pass_value()?;
            let bytes = usize::try_from(len).unwrap_or(usize::MAX);
            (len, if bytes <= SHORT_MAX { 0 } else { allocated(bytes) })
        }
        // Stored unchanged.
        T::Stream1 | T::Stream2 | T::Stream3 | T::Stream4 => {
            let len = reader.pass_value()?;
            (len, opaque(reader.offset() - from))
        }
        _ => return Ok(None),
    };
    Ok(Some(Measured { len, bytes: bytes as u64, ..Measured::of(kind) }))
}

/// The memory of a value that is stored unchanged.
fn opaque(body: u64) -> usize {
    allocated(size_of::<RawValue>()) + allocated(usize::try_from(body).unwrap_or(usize::MAX))
}

fn len(value: &Value) -> u64 {
    let len = match value {
        Value::Bloom(filter) => return filter.len(),
        Value::Int(_) | Value::Short(_) | Value::Str { .. } => value.as_str().map(Member::byte_len),
        Value::IntSet(_) | Value::Compact(_) | Value::ListPack(_) | Value::HashTable(_) => {
            value.as_set().map(SetRef::len)
        }
        Value::ZSet(set) => Some(set.len()),
        Value::List(list) => Some(list.len()),
        Value::Hash(_) | Value::HashTtl(_) => value.as_hash().map(HashRef::held),
        Value::Opaque(_) => None,
    };
    len.unwrap_or(0) as u64
}

/// The bytes per key of a table with many keys.
fn share_of_a_key(store: &Store, expires: Option<i64>) -> u64 {
    /// How full a table is varies between two doublings: the mean over one doubling.
    const FROM: usize = 4096;
    const STEPS: usize = 16;
    let shared = store.shared();
    let mut stripe = Stripe::new(0);
    let (mut shares, mut next) = (0, FROM);
    for number in 1..=2 * FROM {
        let name = (number as u64).to_le_bytes();
        let entry = Entry { key: Key::new(&name), value: Value::Int(0) };
        let loaded = LoadedKey { hash: shared.hash(&name), entry, expires, accessed: 0 };
        let put = stripe.load(shared, 0, loaded);
        debug_assert!(put.is_ok(), "the names are distinct");
        if number == next {
            // These names and values take no heap memory of their own.
            shares += stripe.heap_bytes() / number;
            next += FROM / STEPS;
        }
    }
    (shares / (STEPS + 1)) as u64
}
