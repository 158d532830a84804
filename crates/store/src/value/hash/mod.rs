//! A hash: a listpack while it is small, then a hash table.
//!
//! # Transitions
//!
//! | from | trigger | to |
//! |---|---|---|
//! | listpack | more fields than `hash-max-listpack-entries` | hash table |
//! | listpack | a field or a value longer than `hash-max-listpack-value` | hash table |
//! | listpack | a command with more fields than `hash-max-listpack-entries`, from 7.2 on | hash table |
//! | either | an expiry of a field is set | the same with times: `listpackex`, or a hash table |
//!
//! The encoding never changes back in place.

mod change;
mod expiring;
mod lasting;
mod load;
mod visit;

use extendible::{Extendible, FieldBucket};
use listpack::Entry;

use super::lookups::prefetch_in_table;
use super::{AT_ONCE, Value};
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::store::CommandTime;

pub(crate) use expiring::{Expiring, FieldExpiry, Found, NEVER, Packed, Timed, split};
pub(crate) use lasting::Lasting;

/// The fields of a large hash and their values.
pub(crate) type Fields = Extendible<FieldBucket>;

/// A field and its value.
pub(crate) type Pair<'a> = (Member<'a>, Member<'a>);

/// A hash, read-only.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HashRef<'h> {
    /// Without fields that expire.
    Lasting(&'h Lasting),
    /// With fields that expire, or have expired.
    Expiring(&'h Expiring),
}

/// The record of a field in a table, by the hash of the field's text.
#[inline]
fn record_of<'t>(table: &'t Fields, field: Member<'_>, hash: u64) -> Option<&'t [u8]> {
    field.with_bytes(|field| table.bucket(hash)?.get(hash, field))
}

impl Value {
    /// The hash, if it is one.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other type is a hash")]
    #[inline]
    pub(crate) const fn as_hash(&self) -> Option<HashRef<'_>> {
        match self {
            Self::Hash(hash) => Some(HashRef::Lasting(hash)),
            Self::HashTtl(hash) => Some(HashRef::Expiring(hash)),
            _ => None,
        }
    }

    /// The hash, if it has fields that expire, or have expired.
    #[inline]
    pub(crate) const fn as_expiring(&self) -> Option<&Expiring> {
        if let Self::HashTtl(hash) = self { Some(hash) } else { None }
    }

    /// The same, mutable.
    #[inline]
    pub(crate) const fn as_expiring_mut(&mut self) -> Option<&mut Expiring> {
        if let Self::HashTtl(hash) = self { Some(hash) } else { None }
    }
}

impl<'h> HashRef<'h> {
    /// The number of fields.
    #[inline]
    pub(crate) fn len(self, time: &CommandTime<'_>) -> usize {
        match self {
            Self::Lasting(hash) => hash.len(),
            Self::Expiring(hash) => hash.len(time),
        }
    }

    /// The number of stored fields, including expired ones.
    #[inline]
    pub(crate) fn held(self) -> usize {
        match self {
            Self::Lasting(hash) => hash.len(),
            Self::Expiring(hash) => hash.held(),
        }
    }

    /// The length of the listpack in bytes, if it is one.
    #[inline]
    fn listpack_len(self) -> Option<usize> {
        match self {
            Self::Lasting(hash) => hash.listpack_len(),
            Self::Expiring(hash) => hash.listpack_len(),
        }
    }

    /// The value of a field.
    #[inline]
    pub(crate) fn get(
        self,
        field: Member<'_>,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> Option<Member<'h>> {
        match self {
            Self::Lasting(hash) => hash.get(field, policy),
            Self::Expiring(hash) => hash.get(field, policy, time).map(|(value, _)| value),
        }
    }

    /// Calls `take` with the value of each of these fields, in order.
    pub(crate) fn get_each(
        self,
        fields: &[Member<'_>],
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
        mut take: impl FnMut(Option<Member<'h>>),
    ) {
        if let Self::Lasting(hash) = self
            && let Some(index) = hash.index(fields.len())
        {
            let value = |field: &Member<'_>| index.get(&Entry::from(*field)).copied();
            return fields.iter().for_each(|field| take(value(field).map(Member::from)));
        }
        for fields in fields.chunks(AT_ONCE) {
            match self.prefetch(fields.iter().copied(), policy) {
                Some(hashes) => fields
                    .iter()
                    .zip(hashes)
                    .for_each(|(field, hash)| take(self.get_hashed(*field, hash, time))),
                None => fields.iter().for_each(|field| take(self.get(*field, policy, time))),
            }
        }
    }

    /// Prefetches look-ups of some fields, at most [`AT_ONCE`]. Returns the hashes of their texts, or `None` if there
    /// is only one field, or this is not a hash table larger than the CPU caches.
    fn prefetch<'m>(
        self,
        fields: impl ExactSizeIterator<Item = Member<'m>>,
        policy: &EncodingPolicy<'_>,
    ) -> Option<[u64; AT_ONCE]> {
        if fields.len() < 2 {
            return None;
        }
        prefetch_in_table(self.table()?, fields, policy)
    }

    /// The value of a field of a table, by the hash of its text.
    #[inline]
    fn get_hashed(
        self,
        field: Member<'_>,
        hash: u64,
        time: &CommandTime<'_>,
    ) -> Option<Member<'h>> {
        let record = record_of(self.table()?, field, hash)?;
        match self {
            Self::Lasting(_) => Some(Member::Bytes(record)),
            Self::Expiring(_) => {
                let (value, expires_at) = split(record)?;
                (!time.has_come(expires_at)).then_some(Member::Bytes(value))
            }
        }
    }

    /// Finds a field; returns its expiry too.
    pub(crate) fn find(
        self,
        field: Member<'_>,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> Option<Found> {
        match self {
            Self::Lasting(hash) => {
                hash.get(field, policy).map(|_| Found { expires_at: NEVER, place: None })
            }
            Self::Expiring(hash) => hash.find(field, policy, time),
        }
    }

    /// The table of its fields, if it has one; in that of a hash with fields that expire, values are preceded by a
    /// time.
    #[inline]
    pub(crate) fn table(self) -> Option<&'h Fields> {
        match self {
            Self::Lasting(hash) => hash.table(),
            Self::Expiring(hash) => hash.table().map(Timed::fields),
        }
    }
}
