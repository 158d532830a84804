//! Values in Redis's encodings.

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
pub(crate) use set::{Entries, Extracted, SetIndex, SetMut, SetRef};
pub(crate) use zset::{
    ScoreIndex, ZSet, of_scores, prefetch as prefetch_in_zset,
    prefetch_updates as prefetch_updates_in_zset,
};

/// The members of a large set.
pub(crate) type Members = Extendible<MemberBucket>;

/// A value of the keyspace.
///
/// The variants are flat so that a value is three words, including a short string: groups of variants (the three forms
/// of a string, the encodings of a set) are accessed with [`as_str`](Self::as_str), [`as_set`](Self::as_set) and
/// similar methods.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A string that is the canonical decimal form of an `i64`, stored as the integer.
    Int(i64),
    /// A string that is short enough to be stored inline, unchanged since it was set.
    Short(Short),
    /// Any other string: text, a `HyperLogLog`, a bitmap.
    Str {
        /// Whether it has been changed in place, after which OBJECT ENCODING is `raw` for any length.
        raw: bool,
        /// The number of bytes of the buffer that are the string. A string has at most 512 MiB.
        len: u32,
        /// The string, and capacity for growth.
        buffer: Box<[u8]>,
    },
    /// A set of integers, in Redis's encoding.
    IntSet(IntSet),
    /// The same in less memory: ids that share their high bits, in a recipe that shards sets by these.
    Compact(Compact),
    /// A set of a few members, in Redis's encoding.
    ListPack(ListPack),
    /// A set of any number of members.
    HashTable(Box<Members>),
    /// A sorted set, in any encoding.
    ZSet(ZSet),
    /// A list, in any encoding.
    List(List),
    /// A hash without fields that expire, in any encoding.
    Hash(Lasting),
    /// A hash with fields that expire, or have expired, in any encoding.
    HashTtl(Expiring),
    /// A Bloom filter.
    Bloom(Box<BloomFilter>),
    /// A value of a type without commands, as in the file: it can be renamed, copied, deleted, dumped and saved, and
    /// has a type and an expiry.
    Opaque(Arc<RawValue>),
}

/// How many keys or members are looked up together: what these look-ups read fits in the L1 cache.
pub(crate) const AT_ONCE: usize = 64;

impl Value {
    /// The type, as returned by TYPE.
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

    /// Whether it is a string.
    #[inline]
    pub(crate) const fn is_string(&self) -> bool {
        matches!(self, Self::Int(_) | Self::Short(_) | Self::Str { .. })
    }

    /// Prefetches the start of the value's heap memory.
    #[expect(clippy::wildcard_enum_match_arm, reason = "large values are read in pieces")]
    pub(crate) fn prefetch(&self) {
        match self {
            Self::Str { buffer, .. } => prefetch::byte(buffer, 0),
            Self::IntSet(set) => set.prefetch_ends(),
            Self::ListPack(set) => prefetch::byte(set.as_bytes(), 0),
            _ => {}
        }
    }

    /// Prefetches a look-up of a member in this set. The start of the value's memory was prefetched before.
    pub(crate) fn prefetch_member(&self, member: Member<'_>) {
        if let (Self::IntSet(set), Some(number)) = (self, member.as_int()) {
            set.prefetch_place(number);
        }
    }

    /// The encoding, as returned by OBJECT ENCODING.
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
            // As for every value of a module.
            Self::Bloom(_) => "raw",
            Self::Opaque(value) => opaque::encoding(value),
        }
    }

    /// The type of the value, if only newer servers have it, for the version of files and payloads.
    pub(crate) fn newer_kind(&self) -> Option<ValueType> {
        if let Self::Opaque(value) = self {
            return Some(value.kind());
        }
        let expiring = self.as_expiring()?;
        let timed = expiring.packed().is_some() || expiring.earliest() != NEVER;
        timed.then_some(ValueType::HashTtl)
    }

    /// A copy that shares the nodes of a list until they change.
    pub(crate) fn share(&mut self) -> Self {
        if let Self::List(list) = self { Self::List(list.share()) } else { self.clone() }
    }

    /// The memory of the value in addition to its part of the table, in bytes, including the allocator's overhead (see
    /// [`allocated`]).
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

/// The memory of an allocation of `bytes`, with overhead.
///
/// Allocators round up and store a header. This is the rule of glibc: a header of 8 bytes, multiples of 16, at least
/// 32. Others (jemalloc's size classes) differ by a few percent.
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
