//! A hash: a listpack while it is small, then a hash table.
//!
//! # Transitions
//!
//! | from | trigger | to |
//! |---|---|---|
//! | listpack | more fields than `hash-max-listpack-entries` | hash table |
//! | listpack | a field or a value longer than `hash-max-listpack-value` | hash table |
//! | listpack | a command with more fields than `hash-max-listpack-entries`, from 7.2 on | hash table |
//! | either | a field is to expire | the same with times: `listpackex`, or a hash table |
//!
//! There is no way back in place.

mod change;
mod expiring;
mod load;
mod visit;

use extendible::{Extendible, FieldBucket};
use listpack::{Entry, ListPack, Position};

use super::Value;
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::store::CommandTime;

pub(crate) use expiring::{Expiring, FieldExpiry, Found, NEVER, Packed, Timed, split};

/// The fields of a large hash and their values.
pub(crate) type Fields = Extendible<FieldBucket>;

/// A hash.
#[derive(Clone, Debug)]
pub(crate) enum Hash {
    /// A few fields, each before its value, as Redis's own blob.
    ListPack(ListPack),
    /// Any other.
    Large(Box<Large>),
}

/// A hash that is not just a listpack.
#[derive(Clone, Debug)]
pub(crate) enum Large {
    /// Any fields.
    Table(Fields),
    /// Fields of which some expire.
    Expiring(Expiring),
}

/// A hash, as what it is.
#[derive(Clone, Copy)]
pub(crate) enum Form<'h> {
    ListPack(&'h ListPack),
    Table(&'h Fields),
    Expiring(&'h Expiring),
}

/// A hash, as what it is, to be changed.
enum FormMut<'h> {
    ListPack(&'h mut ListPack),
    Table(&'h mut Fields),
    Expiring(&'h mut Expiring),
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

    #[inline]
    pub(crate) fn form(&self) -> Form<'_> {
        match self {
            Self::ListPack(list) => Form::ListPack(list),
            Self::Large(large) => match &**large {
                Large::Table(table) => Form::Table(table),
                Large::Expiring(hash) => Form::Expiring(hash),
            },
        }
    }

    #[inline]
    fn form_mut(&mut self) -> FormMut<'_> {
        match self {
            Self::ListPack(list) => FormMut::ListPack(list),
            Self::Large(large) => match &mut **large {
                Large::Table(table) => FormMut::Table(table),
                Large::Expiring(hash) => FormMut::Expiring(hash),
            },
        }
    }

    /// A hash of which fields expire.
    pub(crate) fn of_expiring(hash: Expiring) -> Self {
        Self::Large(Box::new(Large::Expiring(hash)))
    }

    /// The fields of which some expire, if there are any, to be changed.
    pub(crate) fn as_expiring_mut(&mut self) -> Option<&mut Expiring> {
        if let FormMut::Expiring(hash) = self.form_mut() { Some(hash) } else { None }
    }

    /// How many fields there are.
    #[inline]
    pub(crate) fn len(&self, time: &CommandTime<'_>) -> usize {
        match self.form() {
            Form::ListPack(list) => list.len() / 2,
            Form::Table(table) => table.len(),
            Form::Expiring(hash) => hash.len(time),
        }
    }

    /// How many fields are held, those too that have expired.
    #[inline]
    pub(crate) fn held(&self) -> usize {
        match self.form() {
            Form::ListPack(list) => list.len() / 2,
            Form::Table(table) => table.len(),
            Form::Expiring(hash) => hash.held(),
        }
    }

    /// How OBJECT ENCODING names it.
    pub(super) fn encoding(&self) -> &'static str {
        match self.form() {
            Form::ListPack(_) => "listpack",
            Form::Table(_) => "hashtable",
            Form::Expiring(hash) => hash.encoding(),
        }
    }

    /// Bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        match self.form() {
            Form::ListPack(list) => super::allocated(list.heap_bytes()),
            Form::Table(table) => super::allocated(size_of::<Large>()) + table.heap_bytes(),
            Form::Expiring(hash) => super::allocated(size_of::<Large>()) + hash.heap_bytes(),
        }
    }

    /// The value of a field.
    #[inline]
    pub(crate) fn get(
        &self,
        field: Member<'_>,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> Option<Member<'_>> {
        if let Form::Expiring(hash) = self.form() {
            return Some(hash.get(field, policy, time)?.0);
        }
        self.get_lasting(field, policy)
    }

    /// As [`get`](Self::get), of a hash none of whose fields expires.
    #[inline]
    pub(crate) fn get_lasting(
        &self,
        field: Member<'_>,
        policy: &EncodingPolicy<'_>,
    ) -> Option<Member<'_>> {
        match self.form() {
            Form::ListPack(list) => {
                let at = list.next(find(list, field)?)?;
                list.entry(at).map(Member::from)
            }
            Form::Table(table) => field.with_bytes(|field| {
                let hashed = policy.hash(field);
                table.bucket(hashed)?.get(hashed, field).map(Member::Bytes)
            }),
            Form::Expiring(_) => None,
        }
    }

    /// A field, and when it expires.
    pub(crate) fn find(
        &self,
        field: Member<'_>,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> Option<Found> {
        if let Form::Expiring(hash) = self.form() {
            return hash.find(field, policy, time);
        }
        self.get(field, policy, time).map(|_| Found { expires_at: NEVER, place: None })
    }

    /// The table of its fields, if it has one; in that of a hash whose fields expire a time stands before each value.
    pub(crate) fn fields(&self) -> Option<&Fields> {
        match self.form() {
            Form::ListPack(_) => None,
            Form::Table(table) => Some(table),
            Form::Expiring(hash) => hash.table().map(Timed::fields),
        }
    }

    /// The fields of which some expire, if there are any.
    pub(crate) fn as_expiring(&self) -> Option<&Expiring> {
        if let Form::Expiring(hash) = self.form() { Some(hash) } else { None }
    }
}

/// Where a field is; its value is the next entry.
#[inline]
fn find(list: &ListPack, field: Member<'_>) -> Option<Position> {
    list.find_from(list.first()?, Entry::from(field), 1)
}
