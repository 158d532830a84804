//! What a value of a file would take in a store.

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

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Measured {
    /// Its type as TYPE answers it: a value of a module has the name of the module's own type, such as `MBbloom--`.
    pub type_name: Cow<'static, str>,
    /// Its encoding in the file: see [`ValueType::encoding`].
    pub encoding: &'static str,
    /// The bytes of a string; the elements, members, fields or entries of anything else; the items of a Bloom filter; 0
    /// for a value of another module. A collection of 0 is no key: a load leaves it out.
    pub len: u64,
    /// Bytes that it would hold on a store's heap.
    pub bytes: u64,
}

impl Measured {
    /// Whether this is a collection without elements, which a load leaves out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0 && matches!(&*self.type_name, "list" | "set" | "zset" | "hash")
    }
}

/// Measures values of files as a store of the default limits would hold them.
#[derive(Debug)]
pub struct Meter {
    store: Store,
    /// Bytes of the table for each key, of which none or all expire.
    shares: [u64; 2],
}

impl Default for Meter {
    fn default() -> Self {
        Self::new()
    }
}

impl Meter {
    /// A meter, with nothing measured yet.
    #[must_use]
    pub fn new() -> Self {
        // Any seed, but the same, so that a file is measured alike each time: tables are as full as the hash makes them.
        let store = Store::builder().stripes(1).hash_seed(0).build();
        let shares = [None, Some(i64::MAX)].map(|expires| share_of_a_key(&store, expires));
        Self { store, shares }
    }

    /// Bytes that a key takes in a store beside its value: its name, and its share of the table that finds it, in a store
    /// of many keys. Both with its value's bytes are what MEMORY USAGE answers, give or take how full the table is.
    #[must_use]
    pub fn key_bytes(&self, key: &[u8], expires: bool) -> u64 {
        let [lasting, expiring] = self.shares;
        let share = if expires { expiring } else { lasting };
        share + allocated(Key::new(key).heap_bytes()) as u64
    }

    /// Measures the value that is next, which is of type `kind`.
    ///
    /// It is checked as a load would, but for members that a large collection has twice. O(bytes), in constant memory: a
    /// collection of more than 16,384 members, or more than 4 MiB, is built sample by sample, not all of them, and the rest
    /// is reckoned from their lengths, which is right within a few percent; anything smaller is exact. A compressed
    /// string, a packed blob and a value of a module are held whole.
    ///
    /// # Errors
    /// A value that is not what its type asks for.
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

    /// Measures the value that is next as [`measure`](Self::measure) does, but builds it whole, whatever its size, as a
    /// load does: then nothing that a load refuses passes.
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
    /// Nothing of this type.
    fn of(kind: ValueType) -> Self {
        Self { type_name: kind.type_name().into(), encoding: kind.encoding(), len: 0, bytes: 0 }
    }
}

/// Measures a value of which its length says all. `None` if there is more to look at: then nothing was read.
fn pass<R: Read>(reader: &mut Reader<R>, kind: ValueType) -> Result<Option<Measured>, ValueError> {
    use ValueType as T;
    let from = reader.offset();
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are loaded")]
    let (len, bytes) = match kind {
        T::String => {
            let len = reader.pass_value()?;
            let bytes = usize::try_from(len).unwrap_or(usize::MAX);
            (len, if bytes <= SHORT_MAX { 0 } else { allocated(bytes) })
        }
        // Kept as they came.
        T::Stream1 | T::Stream2 | T::Stream3 | T::Stream4 => {
            let len = reader.pass_value()?;
            (len, opaque(reader.offset() - from))
        }
        _ => return Ok(None),
    };
    Ok(Some(Measured { len, bytes: bytes as u64, ..Measured::of(kind) }))
}

/// What a value takes that is kept as it came.
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

/// The bytes of a table of many keys for each of them.
fn share_of_a_key(store: &Store, expires: Option<i64>) -> u64 {
    /// How full a table is goes up and down as it doubles: the mean over one doubling.
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
        debug_assert!(put.is_ok(), "no name comes twice");
        if number == next {
            // Neither these names nor these values have anything of their own.
            shares += stripe.heap_bytes() / number;
            next += FROM / STEPS;
        }
    }
    (shares / (STEPS + 1)) as u64
}
