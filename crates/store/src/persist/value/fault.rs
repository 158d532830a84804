//! Errors in a value.

use std::fmt;

use rdb::{ziplist, zipmap};

/// An error in a value.
#[derive(Debug)]
pub(in crate::persist) enum Fault {
    /// Malformed bytes of the file.
    Bytes(rdb::Error),
    /// An invalid intset.
    IntSet(intset::DecodeError),
    /// An invalid listpack.
    ListPack(listpack::DecodeError),
    /// An empty intset.
    EmptyIntSet,
    /// A duplicate member in a set.
    TwiceInSet,
    /// A duplicate field in a hash, or one without a value.
    TwiceInHash,
    /// A duplicate field, or one without a time, in a hash with fields that expire.
    ExpiringHash,
    /// An empty node of a list.
    EmptyNode,
    /// An invalid zipmap.
    Zipmap(zipmap::Error),
    /// An invalid ziplist.
    Ziplist(ziplist::Error),
    /// The contents of a listpack are not a sorted set.
    ZSet(skiplist_zset::DecodeError),
    /// Members and scores are not a sorted set.
    Scores(skiplist_zset::BuildError),
    /// More bytes than a listpack can hold.
    Full,
    /// The value of a module is not a Bloom filter.
    Bloom(bloom::DecodeError),
    /// Data follow a Bloom filter.
    LongFilter,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(error) => write!(f, "{error}"),
            Self::IntSet(error) => write!(f, "the intset is malformed: {error}"),
            Self::ListPack(error) => write!(f, "the listpack is malformed: {error}"),
            Self::EmptyIntSet => f.write_str("the intset is empty"),
            Self::TwiceInSet => f.write_str("the set has a duplicate member"),
            Self::TwiceInHash => {
                f.write_str("the hash has a duplicate field or a field without a value")
            }
            Self::ExpiringHash => {
                f.write_str("a field is a duplicate or has an invalid expiry time")
            }
            Self::EmptyNode => f.write_str("a node of the list is empty"),
            Self::Zipmap(error) => write!(f, "the zipmap is malformed: {error}"),
            Self::Ziplist(error) => write!(f, "the ziplist is malformed: {error}"),
            Self::ZSet(error) => write!(f, "the sorted set is malformed: {error}"),
            Self::Scores(error) => write!(f, "the sorted set is malformed: {error}"),
            Self::Full => f.write_str("the ziplist is too long for a listpack"),
            Self::Bloom(error) => write!(f, "the Bloom filter is malformed: {error}"),
            Self::LongFilter => f.write_str("trailing data after the Bloom filter"),
        }
    }
}

impl From<rdb::Error> for Fault {
    fn from(error: rdb::Error) -> Self {
        Self::Bytes(error)
    }
}
