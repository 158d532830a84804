//! A hash with fields that expire, or have expired: a listpack while it is small, then a table.
//!
//! An expired field is not visible, even while it is stored: [`drop_due`](Expiring::drop_due), or any write of the
//! field, removes it.

mod packed;
mod timed;

use std::ops::ControlFlow;

use extendible::FieldBucket;
use listpack::{ListPack, Position};
pub(crate) use packed::Packed;
pub(crate) use timed::{Timed, split};

use super::lasting::is_long;
use super::{Fields, Lasting, Pair};
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::store::{CommandTime, Random};

/// The expiry of a field that does not expire, for comparisons.
pub(crate) const NEVER: i64 = i64::MAX;

/// A field with its value and its expiry, in milliseconds since the epoch, or [`NEVER`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field<'a> {
    pub(crate) name: Member<'a>,
    pub(crate) value: Member<'a>,
    pub(crate) expires_at: i64,
}

impl Field<'_> {
    /// The expiry of the field, if it has one.
    pub(crate) fn expiry(&self) -> Option<i64> {
        (self.expires_at != NEVER).then_some(self.expires_at)
    }
}

/// What happens to the expiry of a field that is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldExpiry {
    /// It is kept.
    Keep,
    /// It is set to this time, or to [`NEVER`].
    At(i64),
}

/// A field that was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Its expiry, or [`NEVER`].
    pub(crate) expires_at: i64,
    /// Its location, until a field is added or removed or another one's expiry is set; `None` in a hash without times.
    pub(super) place: Option<Place>,
}

/// The location of a field with an expiry.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Packed(Position),
    Table(timed::Place),
}

/// A hash with fields that expire, or have expired.
#[derive(Clone, Debug)]
pub(crate) enum Expiring {
    /// A few fields, in Redis's encoding.
    Packed(Packed),
    /// Any number of fields.
    Table(Box<Timed>),
}

impl Expiring {
    /// Converts a hash without expiries.
    pub(super) fn of(hash: Lasting, policy: &EncodingPolicy<'_>) -> Self {
        if policy.profile.expiring_listpacks()
            && let Lasting::ListPack(list) = &hash
            && let Some(packed) = Packed::of_pairs(list)
        {
            return Self::Packed(packed);
        }
        Self::of_table(Timed::of(hash.into_table(policy)))
    }

    fn of_table(table: Timed) -> Self {
        Self::Table(Box::new(table))
    }

    /// Creates a hash of a few fields from the encoding of files and payloads; `None` if it is malformed.
    pub(crate) fn from_listpack(
        list: ListPack,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> Option<Self> {
        let mut packed = Packed::from_listpack(list)?;
        packed.drop_due(time);
        let mut hash = Self::Packed(packed);
        if !Self::fits_listpack(hash.held(), policy) {
            hash.make_table(policy);
        }
        Some(hash)
    }

    /// Creates the empty hash into which `count` fields are loaded.
    pub(crate) fn to_load(count: u64, policy: &EncodingPolicy<'_>) -> Self {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        if Self::fits_listpack(count, policy) {
            return Self::Packed(Packed::default());
        }
        Self::of_table(Timed::of(Fields::to_load(0, count)))
    }

    /// Returns whether that many fields are stored as a listpack.
    fn fits_listpack(count: usize, policy: &EncodingPolicy<'_>) -> bool {
        policy.profile.expiring_listpacks() && count <= policy.settings.hash_max_listpack_entries()
    }

    /// The earliest expiry of a field; [`NEVER`] if there is none. O(fields) in a table.
    pub(crate) fn first_expiry(&self) -> i64 {
        match self {
            Self::Packed(packed) => packed.earliest(),
            Self::Table(table) => table.first_expiry(),
        }
    }

    /// The number of stored fields, including expired ones.
    pub(crate) fn held(&self) -> usize {
        match self {
            Self::Packed(packed) => packed.len(),
            Self::Table(table) => table.len(),
        }
    }

    /// The number of fields. O(1) unless expired fields are still stored.
    pub(crate) fn len(&self, time: &CommandTime<'_>) -> usize {
        if !self.has_due(time) {
            return self.held();
        }
        match self {
            Self::Packed(packed) => packed.len() - packed.count_due(time),
            Self::Table(table) => table.len() - table.count_due(time),
        }
    }

    /// Returns whether there may be expired fields.
    fn has_due(&self, time: &CommandTime<'_>) -> bool {
        time.has_come(match self {
            Self::Packed(packed) => packed.earliest(),
            Self::Table(table) => table.earliest(),
        })
    }

    /// A lower bound of the expiries. It may be too low: a table does not update it when the expiry of a field is
    /// removed.
    pub(crate) fn earliest(&self) -> i64 {
        match self {
            Self::Packed(packed) => packed.earliest(),
            Self::Table(table) => table.earliest(),
        }
    }

    pub(crate) const fn encoding(&self) -> &'static str {
        match self {
            Self::Packed(_) => "listpackex",
            Self::Table(_) => "hashtable",
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::Packed(packed) => packed.heap_bytes(),
            Self::Table(table) => crate::value::allocated(size_of::<Timed>()) + table.heap_bytes(),
        }
    }

    /// The value of a field that has not expired, and its expiry.
    pub(crate) fn get(
        &self,
        field: Member<'_>,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> Option<(Member<'_>, i64)> {
        let found = match self {
            Self::Packed(packed) => packed.get(field),
            Self::Table(table) => table.get(field, policy),
        };
        found.filter(|&(_, expires_at)| !time.has_come(expires_at))
    }

    /// Finds a field that has not expired.
    pub(super) fn find(
        &self,
        field: Member<'_>,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> Option<Found> {
        let (place, expires_at) = match self {
            Self::Packed(packed) => {
                let at = packed.find(field)?;
                (Place::Packed(at), packed.expiry(at)?.1)
            }
            Self::Table(table) => {
                let (place, expires_at) = table.find(field, policy)?;
                (Place::Table(place), expires_at)
            }
        };
        let found = Found { expires_at, place: Some(place) };
        (!time.has_come(expires_at)).then_some(found)
    }

    /// The length of the listpack in bytes, if it is one.
    pub(super) fn listpack_len(&self) -> Option<usize> {
        match self {
            Self::Packed(packed) => Some(packed.as_bytes().len()),
            Self::Table(_) => None,
        }
    }

    /// Sets the value of a field; returns whether the field is new.
    pub(crate) fn set(
        &mut self,
        pair: Pair<'_>,
        expiry: FieldExpiry,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> bool {
        let old = self.get(pair.0, policy, time).map(|(_, expires_at)| expires_at);
        let expires_at = match expiry {
            FieldExpiry::Keep => old.unwrap_or(NEVER),
            FieldExpiry::At(at) => at,
        };
        let field = Field { name: pair.0, value: pair.1, expires_at };
        if let Self::Packed(packed) = self {
            let most = policy.settings.hash_max_listpack_entries();
            if !is_long(pair, policy) && packed.set(field, expiry) {
                if packed.len() > most {
                    self.make_table(policy);
                }
                return old.is_none();
            }
            self.make_table(policy);
        }
        if let Self::Table(table) = self {
            table.set(field, policy);
        }
        old.is_none()
    }

    /// Sets the expiry of the field there, or [`NEVER`].
    pub(super) fn set_expiry(&mut self, place: Place, expires_at: i64) {
        match (self, place) {
            (Self::Packed(packed), Place::Packed(at)) => {
                packed.set_expiry(at, expires_at);
            }
            (Self::Table(table), Place::Table(place)) => table.set_expiry(place, expires_at),
            (Self::Packed(_), Place::Table(_)) | (Self::Table(_), Place::Packed(_)) => {}
        }
    }

    /// Removes the expiry of a field; returns `false` if it had none.
    pub(crate) fn persist(
        &mut self,
        field: Member<'_>,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> bool {
        let found = self.find(field, policy, time).filter(|found| found.expires_at != NEVER);
        let place = found.and_then(|found| found.place);
        place.map(|place| self.set_expiry(place, NEVER)).is_some()
    }

    /// Removes a field; returns whether it existed and had not expired.
    pub(crate) fn remove(
        &mut self,
        field: Member<'_>,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> bool {
        let there = self.get(field, policy, time).is_some();
        match self {
            Self::Packed(packed) => packed.remove(field),
            Self::Table(table) => table.remove(field, policy),
        };
        there
    }

    /// Up to `most` expired fields that are still stored.
    pub(crate) fn due(&self, most: usize, time: &CommandTime<'_>) -> Vec<Vec<u8>> {
        if most == 0 || !self.has_due(time) {
            return Vec::new();
        }
        match self {
            Self::Packed(packed) => packed.due(most, time),
            Self::Table(table) => table.due(most, time),
        }
    }

    /// Updates the earliest expiry, after expired fields were removed.
    pub(crate) fn settle(&mut self, time: &CommandTime<'_>) {
        if let Self::Table(table) = self {
            table.settle(time);
        }
    }

    /// The listpack, if it is one.
    pub(crate) const fn packed(&self) -> Option<&Packed> {
        if let Self::Packed(packed) = self { Some(packed) } else { None }
    }

    /// The table, if it is one.
    pub(crate) fn table(&self) -> Option<&Timed> {
        if let Self::Table(table) = self { Some(table) } else { None }
    }

    /// Calls `visit` with every field until it breaks, including expired ones.
    pub(crate) fn try_for_each<'a, B>(
        &'a self,
        mut visit: impl FnMut(Field<'a>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self {
            Self::Packed(packed) => packed.iter().try_for_each(visit),
            Self::Table(table) => table.fields().buckets_by_hash().try_for_each(|bucket| {
                bucket.try_for_each(&mut |field, record| {
                    field_of(field, record).map_or(ControlFlow::Continue(()), &mut visit)
                })
            }),
        }
    }

    /// A field, possibly an expired one, chosen uniformly at random.
    pub(super) fn random(&self, random: &Random) -> Option<Field<'_>> {
        match self {
            Self::Packed(packed) => packed.nth(random.below(packed.len())),
            Self::Table(table) => {
                let draw = &mut || random.bits();
                let (field, record) = table.fields().random(draw, FieldBucket::nth)?;
                field_of(field, record)
            }
        }
    }

    /// Converts it to a table.
    #[cold]
    pub(crate) fn make_table(&mut self, policy: &EncodingPolicy<'_>) {
        if let Self::Packed(packed) = self {
            let mut table = Timed::new();
            packed.for_each(|field| table.set(field, policy));
            *self = Self::of_table(table);
        }
    }
}

/// A field of a table.
fn field_of<'a>(field: &'a [u8], record: &'a [u8]) -> Option<Field<'a>> {
    let (value, expires_at) = split(record)?;
    Some(Field { name: Member::Bytes(field), value: Member::Bytes(value), expires_at })
}
