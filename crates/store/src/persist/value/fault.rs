//! What may be wrong with a value.

use std::fmt;

use rdb::{ziplist, zipmap};

/// What is wrong with a value.
#[derive(Debug)]
pub(in crate::persist) enum Fault {
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
