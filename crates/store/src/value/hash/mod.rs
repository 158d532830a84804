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
mod lasting;
mod load;
mod visit;

use extendible::{Extendible, FieldBucket};

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

/// A hash, to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HashRef<'h> {
    /// None of its fields expires.
    Lasting(&'h Lasting),
    /// Some of its fields expire, or have expired.
    Expiring(&'h Expiring),
}

/// What a table has beside a field, by the hash of the field's text.
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

    /// The hash, if some of its fields expire, or have expired.
    #[inline]
    pub(crate) const fn as_expiring(&self) -> Option<&Expiring> {
        if let Self::HashTtl(hash) = self { Some(hash) } else { None }
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) const fn as_expiring_mut(&mut self) -> Option<&mut Expiring> {
        if let Self::HashTtl(hash) = self { Some(hash) } else { None }
    }
}

impl<'h> HashRef<'h> {
    /// How many fields there are.
    #[inline]
    pub(crate) fn len(self, time: &CommandTime<'_>) -> usize {
        match self {
            Self::Lasting(hash) => hash.len(),
            Self::Expiring(hash) => hash.len(time),
        }
    }

    /// How many fields are held, those too that have expired.
    #[inline]
    pub(crate) fn held(self) -> usize {
        match self {
            Self::Lasting(hash) => hash.len(),
            Self::Expiring(hash) => hash.held(),
        }
    }

    /// The bytes of the listpack, if it is one.
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

    /// Hands the value of each of these fields to `take`, in their order.
    pub(crate) fn get_each(
        self,
        fields: &[Member<'_>],
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
        mut take: impl FnMut(Option<Member<'h>>),
    ) {
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

    /// Asks for what look-ups of some fields, [`AT_ONCE`] at most, will read. The hashes of their texts, or `None` if there
    /// is one field alone, or this is no hash table that is too large for the caches.
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

    /// A field, and when it expires.
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

    /// The table of its fields, if it has one; in that of a hash whose fields expire a time stands before each value.
    #[inline]
    pub(crate) fn table(self) -> Option<&'h Fields> {
        match self {
            Self::Lasting(hash) => hash.table(),
            Self::Expiring(hash) => hash.table().map(Timed::fields),
        }
    }
}
