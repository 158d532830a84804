//! The type byte before each value.

use crate::version::{Dialect, Version};

/// The type of an encoded value: each of Redis's types in every layout that a server has written.
///
/// A type byte never changes its meaning, so a layout that is no longer written keeps its byte. The only conflict is
/// 22, which Redis used in a release candidate of 7.4 and Valkey uses since 9.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// A string. A bitmap and a HyperLogLog are strings too.
    String,
    /// A list as its elements.
    List,
    /// A set as its members.
    Set,
    /// A sorted set with scores as text.
    ZSetText,
    /// A hash as its fields.
    Hash,
    /// A sorted set with scores as binary doubles.
    ZSet,
    /// A value of a module.
    Module,
    /// A hash as a zipmap.
    HashZipmap,
    /// A list as a ziplist.
    ListZiplist,
    /// A set as an intset.
    SetIntset,
    /// A sorted set as a ziplist.
    ZSetZiplist,
    /// A hash as a ziplist.
    HashZiplist,
    /// A list of ziplists.
    ListQuicklist,
    /// A stream, first layout (Redis 5).
    Stream1,
    /// A hash as a listpack.
    HashListpack,
    /// A sorted set as a listpack.
    ZSetListpack,
    /// A list of listpacks and plain nodes.
    ListQuicklist2,
    /// A stream, second layout (Redis 7.0).
    Stream2,
    /// A set as a listpack.
    SetListpack,
    /// A stream, third layout (Redis 7.2).
    Stream3,
    /// A hash whose fields expire, as a release candidate of Redis 7.4 wrote it.
    HashTtlPreRelease,
    /// A hash whose fields expire, as a listpack, as a release candidate of Redis 7.4 wrote it.
    HashTtlListpackPreRelease,
    /// A hash whose fields expire.
    HashTtl,
    /// A hash whose fields expire, as a listpack.
    HashTtlListpack,
    /// A stream, fourth layout (Redis 8.6).
    Stream4,
    /// A hash whose fields expire, as Valkey 9 writes it.
    ValkeyHashTtl,
}

/// Type, byte, first version of Redis's numbering that may hold it, name of what it holds.
const TYPES: [(ValueType, u8, u16, &str); 26] = {
    use ValueType as T;
    [
        (T::String, 0, 1, "string"),
        (T::List, 1, 1, "list"),
        (T::Set, 2, 1, "set"),
        (T::ZSetText, 3, 1, "zset"),
        (T::Hash, 4, 2, "hash"),
        (T::ZSet, 5, 8, "zset"),
        (T::Module, 7, 8, "module"),
        (T::HashZipmap, 9, 2, "hash"),
        (T::ListZiplist, 10, 2, "list"),
        (T::SetIntset, 11, 2, "set"),
        (T::ZSetZiplist, 12, 2, "zset"),
        (T::HashZiplist, 13, 4, "hash"),
        (T::ListQuicklist, 14, 7, "list"),
        (T::Stream1, 15, 9, "stream"),
        (T::HashListpack, 16, 10, "hash"),
        (T::ZSetListpack, 17, 10, "zset"),
        (T::ListQuicklist2, 18, 10, "list"),
        (T::Stream2, 19, 10, "stream"),
        (T::SetListpack, 20, 11, "set"),
        (T::Stream3, 21, 11, "stream"),
        (T::HashTtlPreRelease, 22, 12, "hash"),
        (T::HashTtlListpackPreRelease, 23, 12, "hash"),
        (T::HashTtl, 24, 12, "hash"),
        (T::HashTtlListpack, 25, 12, "hash"),
        (T::Stream4, 26, 13, "stream"),
        (T::ValkeyHashTtl, 22, Version::VALKEY, "hash"),
    ]
};

/// The type of a collection in one blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Blob {
    /// A set as an intset.
    IntSet,
    /// A set as a listpack.
    SetListpack,
    /// A sorted set as a listpack.
    ZSetListpack,
    /// A sorted set as a [ziplist](crate::ziplist).
    ZSetZiplist,
    /// A hash as a listpack.
    HashListpack,
    /// A hash as a [ziplist](crate::ziplist).
    HashZiplist,
    /// A hash as a [zipmap](crate::zipmap).
    HashZipmap,
    /// A list as a [ziplist](crate::ziplist).
    ListZiplist,
}

const BLOBS: [(Blob, ValueType); 8] = [
    (Blob::IntSet, ValueType::SetIntset),
    (Blob::SetListpack, ValueType::SetListpack),
    (Blob::ZSetListpack, ValueType::ZSetListpack),
    (Blob::ZSetZiplist, ValueType::ZSetZiplist),
    (Blob::HashListpack, ValueType::HashListpack),
    (Blob::HashZiplist, ValueType::HashZiplist),
    (Blob::HashZipmap, ValueType::HashZipmap),
    (Blob::ListZiplist, ValueType::ListZiplist),
];

impl Blob {
    /// What the one string of such a value is.
    pub(crate) fn of(kind: ValueType) -> Option<Self> {
        BLOBS.iter().find_map(|&(blob, this)| (this == kind).then_some(blob))
    }

    /// The type of the value.
    #[must_use]
    pub fn value_type(self) -> ValueType {
        #[expect(clippy::indexing_slicing, reason = "a test checks that the table is in order")]
        BLOBS[self as usize].1
    }
}

/// The type byte of modules' values that no released server wrote, and that cannot be skipped.
pub(crate) const MODULE_PRE_RELEASE: u8 = 6;
/// From this byte on the meaning depends on the dialect.
const FIRST_BY_DIALECT: u8 = 22;

impl ValueType {
    /// Returns the type of a type byte in a file of this dialect.
    #[must_use]
    pub fn from_byte(byte: u8, dialect: Dialect) -> Option<Self> {
        TYPES
            .iter()
            .filter(|(kind, ..)| byte < FIRST_BY_DIALECT || kind.dialect() == dialect)
            .find_map(|&(kind, this, ..)| (this == byte).then_some(kind))
    }

    fn row(self) -> (ValueType, u8, u16, &'static str) {
        #[expect(clippy::indexing_slicing, reason = "a test checks that the table is in order")]
        TYPES[self as usize]
    }

    /// The type byte.
    #[must_use]
    pub fn byte(self) -> u8 {
        self.row().1
    }

    /// The first version that has this type, in Redis's numbering, or in Valkey's for
    /// [`ValkeyHashTtl`](Self::ValkeyHashTtl).
    #[must_use]
    pub fn since(self) -> u16 {
        self.row().2
    }

    /// The reply of TYPE for such a key (`module` for a module's value, whose own name is in its
    /// [`ModuleId`](crate::ModuleId)).
    #[must_use]
    pub fn type_name(self) -> &'static str {
        self.row().3
    }

    /// The dialect in which this type byte has this meaning. Valkey shares all below 22.
    #[must_use]
    pub fn dialect(self) -> Dialect {
        if self == Self::ValkeyHashTtl { Dialect::Valkey } else { Dialect::Redis }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (index, (kind, ..)) in TYPES.into_iter().enumerate() {
            assert_eq!(kind as usize, index);
        }
        for (index, (blob, kind)) in BLOBS.into_iter().enumerate() {
            assert_eq!((blob as usize, Blob::of(kind)), (index, Some(blob)));
        }
    }

    #[test]
    fn bytes_come_back() {
        for (kind, byte, ..) in TYPES {
            assert_eq!(ValueType::from_byte(byte, kind.dialect()), Some(kind));
        }
        assert_eq!(ValueType::from_byte(21, Dialect::Valkey), Some(ValueType::Stream3));
        assert_eq!(ValueType::from_byte(23, Dialect::Valkey), None);
        for unknown in [6, 8].into_iter().chain(27..=255) {
            assert_eq!(ValueType::from_byte(unknown, Dialect::Redis), None);
        }
    }
}
