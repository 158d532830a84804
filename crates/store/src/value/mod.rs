//! A value: its own bytes, in Redis's encoding.

mod bloom;
mod hash;
mod list;
mod lookups;
mod opaque;
mod scan;
mod set;
mod string;
mod zset;

use std::borrow::Cow;
use std::sync::Arc;

use ::bloom::BloomFilter;
use extendible::{Extendible, MemberBucket};
use intset::{Compact, IntSet};
use listpack::ListPack;
use rdb::{RawValue, ValueType};

use crate::member::Member;
use crate::short::Short;

pub(crate) use bloom::MODULE_TYPE as BLOOM_TYPE;
pub(crate) use hash::{
    Expiring, FieldExpiry, Fields, Found, HashRef, Lasting, NEVER, Packed, Pair, split,
};
pub use list::Direction;
pub(crate) use list::{List, Loading};
pub(crate) use listpack::parse_int;
pub(crate) use set::{Extracted, SetMut, SetRef};
pub(crate) use zset::{
    ZSet, of_scores, prefetch as prefetch_in_zset, prefetch_updates as prefetch_updates_in_zset,
};

/// The members of a large set.
pub(crate) type Members = Extendible<MemberBucket>;

/// A value of the keyspace.
///
/// The variants are flat so that a value is three words, a short string included: what belongs together (the three
/// forms of a string, the encodings of a set) is reached through [`as_str`](Self::as_str), [`as_set`](Self::as_set) and
/// their like.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A string that is the canonical decimal form of an `i64`, kept as the number.
    Int(i64),
    /// A string that is short enough to be kept in place, as it was set.
    Short(Short),
    /// Any other string: text, a `HyperLogLog`, a bitmap.
    Str {
        /// Whether it has been changed in place, which makes OBJECT ENCODING `raw` whatever its length.
        raw: bool,
        /// How many bytes of the buffer are the string. A string has at most 512 MiB.
        len: u32,
        /// The string, and room for it to grow.
        buffer: Box<[u8]>,
    },
    /// A set of integers, as Redis's own blob.
    IntSet(IntSet),
    /// The same in less memory: ids that share their high bits, of a recipe that cuts sets by these.
    Compact(Compact),
    /// A set of a few members, as Redis's own blob.
    ListPack(ListPack),
    /// A set of any members.
    HashTable(Box<Members>),
    /// A sorted set, in whichever form.
    ZSet(ZSet),
    /// A list, in whichever form.
    List(List),
    /// A hash of which no field expires, in whichever form.
    Hash(Lasting),
    /// A hash of which fields expire, or have expired, in whichever form.
    HashTtl(Expiring),
    /// A Bloom filter.
    Bloom(Box<BloomFilter>),
    /// A value of a type that the store does not work on, as the file had it: it can be named, typed, expired, copied,
    /// deleted, dumped and saved.
    Opaque(Arc<RawValue>),
}

/// How many keys or members are looked up at once: what that reads fits into the nearest cache.
pub(crate) const AT_ONCE: usize = 64;

impl Value {
    /// The type, as TYPE answers it.
    pub(crate) fn type_name(&self) -> Cow<'static, str> {
        match self {
            Self::Int(_) | Self::Short(_) | Self::Str { .. } => "string".into(),
            Self::IntSet(_) | Self::Compact(_) | Self::ListPack(_) | Self::HashTable(_) => {
                "set".into()
            }
            Self::ZSet(_) => "zset".into(),
            Self::List(_) => "list".into(),
            Self::Hash(_) | Self::HashTtl(_) => "hash".into(),
            Self::Bloom(_) => bloom::TYPE_NAME.into(),
            Self::Opaque(value) => opaque::type_name(value),
        }
    }

    /// Asks for the beginning of what the value holds on the heap.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what is large is read piece by piece")]
    pub(crate) fn prefetch(&self) {
        match self {
            Self::Str { buffer, .. } => prefetch::byte(buffer, 0),
            Self::IntSet(set) => set.prefetch_ends(),
            Self::ListPack(set) => prefetch::byte(set.as_bytes(), 0),
            _ => {}
        }
    }

    /// Asks for what a look-up of a member in this set will read, once the beginning of the value is there.
    pub(crate) fn prefetch_member(&self, member: Member<'_>) {
        if let (Self::IntSet(set), Some(number)) = (self, member.as_int()) {
            set.prefetch_place(number);
        }
    }

    /// The encoding, as OBJECT ENCODING answers it.
    pub(crate) fn encoding(&self) -> &'static str {
        match self {
            Self::Int(_) | Self::Short(_) | Self::Str { .. } => self.string_encoding(),
            Self::IntSet(set) => SetRef::IntSet(set).encoding(),
            Self::Compact(set) => SetRef::Compact(set).encoding(),
            Self::ListPack(set) => SetRef::ListPack(set).encoding(),
            Self::HashTable(table) => SetRef::HashTable(table).encoding(),
            Self::ZSet(set) => zset::encoding(set),
            Self::List(list) => list.encoding(),
            Self::Hash(hash) => hash.encoding(),
            Self::HashTtl(hash) => hash.encoding(),
            // As of every value of a module.
            Self::Bloom(_) => "raw",
            Self::Opaque(value) => opaque::encoding(value),
        }
    }

    /// A type that only newer servers have, if it is of one, for files and payloads that have to hold it.
    pub(crate) fn newer_kind(&self) -> Option<ValueType> {
        if let Self::Opaque(value) = self {
            return Some(value.kind());
        }
        let expiring = self.as_expiring()?;
        let timed = expiring.packed().is_some() || expiring.earliest() != NEVER;
        timed.then_some(ValueType::HashTtl)
    }

    /// A copy, for which the nodes of a list are not copied until they change.
    pub(crate) fn share(&mut self) -> Self {
        if let Self::List(list) = self { Self::List(list.share()) } else { self.clone() }
    }

    /// What the allocator holds for the value beyond its part of the table (see [`allocated`]).
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::Int(_) | Self::Short(_) => 0,
            Self::Str { buffer, .. } => allocated(buffer.len()),
            Self::IntSet(set) => allocated(set.heap_bytes()),
            Self::Compact(set) => allocated(set.heap_bytes()),
            Self::ListPack(set) => allocated(set.heap_bytes()),
            Self::HashTable(table) => allocated(size_of::<Members>()) + table.heap_bytes(),
            Self::ZSet(set) => allocated(set.heap_bytes()),
            Self::List(list) => list.heap_bytes(),
            Self::Hash(hash) => hash.heap_bytes(),
            Self::HashTtl(hash) => hash.heap_bytes(),
            Self::Bloom(filter) => {
                allocated(size_of::<BloomFilter>()) + allocated(filter.heap_bytes())
            }
            Self::Opaque(value) => allocated(size_of::<RawValue>()) + allocated(value.body().len()),
        }
    }
}

/// What an allocation of `bytes` costs in all.
///
/// Allocators round up and keep a header. This is the rule of glibc's: a header of 8 bytes, multiples of 16, at
/// least 32. Others (jemalloc's size classes) differ by a few percent.
pub(crate) const fn allocated(bytes: usize) -> usize {
    if bytes == 0 {
        return 0;
    }
    let chunk = (bytes + 8).next_multiple_of(16);
    if chunk < 32 { 32 } else { chunk }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_three_words() {
        assert_eq!(size_of::<Value>(), 24);
    }
}
