//! A hash: a listpack while it is small, then a hash table.
//!
//! # Transitions
//!
//! | from | trigger | to |
//! |---|---|---|
//! | listpack | more fields than `hash-max-listpack-entries` | hash table |
//! | listpack | a field or a value longer than `hash-max-listpack-value` | hash table |
//! | listpack | a command with more fields than `hash-max-listpack-entries`, from 7.2 on | hash table |
//!
//! There is no way back in place.

mod change;
mod load;
mod visit;

use extendible::{Extendible, FieldBucket};
use listpack::{Entry, ListPack, Position};

use super::Value;
use crate::member::Member;
use crate::policy::EncodingPolicy;

/// The fields of a large hash and their values.
pub(crate) type Fields = Extendible<FieldBucket>;

/// A hash.
#[derive(Clone, Debug)]
pub(crate) enum Hash {
    /// A few fields, each before its value, as Redis's own blob.
    ListPack(ListPack),
    /// Any fields.
    Table(Box<Fields>),
}

/// A field and its value.
pub(crate) type Pair<'a> = (Member<'a>, Member<'a>);

impl Value {
    /// The hash, if it is one.
    #[inline]
    pub(crate) const fn as_hash(&self) -> Option<&Hash> {
        if let Self::Hash(hash) = self { Some(hash) } else { None }
    }

    /// The hash, if it is one, to be changed.
    #[inline]
    pub(crate) const fn as_hash_mut(&mut self) -> Option<&mut Hash> {
        if let Self::Hash(hash) = self { Some(hash) } else { None }
    }
}

impl Hash {
    /// The empty hash.
    pub(crate) fn new() -> Self {
        Self::ListPack(ListPack::new())
    }

    /// How many fields there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::ListPack(list) => list.len() / 2,
            Self::Table(table) => table.len(),
        }
    }

    /// How OBJECT ENCODING names it.
    pub(super) const fn encoding(&self) -> &'static str {
        match self {
            Self::ListPack(_) => "listpack",
            Self::Table(_) => "hashtable",
        }
    }

    /// Bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Self::ListPack(list) => super::allocated(list.heap_bytes()),
            Self::Table(table) => super::allocated(size_of::<Fields>()) + table.heap_bytes(),
        }
    }

    /// The value of a field.
    #[inline]
    pub(crate) fn get(&self, field: Member<'_>, policy: &EncodingPolicy<'_>) -> Option<Member<'_>> {
        match self {
            Self::ListPack(list) => {
                let at = list.next(find(list, field)?)?;
                list.entry(at).map(Member::from)
            }
            Self::Table(table) => field.with_bytes(|field| {
                let hashed = policy.hash(field);
                table.bucket(hashed)?.get(hashed, field).map(Member::Bytes)
            }),
        }
    }
}

/// Where a field is; its value is the next entry.
#[inline]
fn find(list: &ListPack, field: Member<'_>) -> Option<Position> {
    list.find_from(list.first()?, Entry::from(field), 1)
}
