//! A few fields with expiries, in Redis's encoding.

use std::collections::HashSet;

use ahash::RandomState;
use listpack::{Entry, ListPack, Position};

use super::{Field, FieldExpiry, NEVER};
use crate::member::Member;
use crate::store::CommandTime;

/// The stored time of a field that does not expire.
const NONE: i64 = 0;

/// The entries per field: the field, its value, its time.
const EACH: usize = 3;

/// A listpack of fields, each followed by its value and its expiry. Fields are ordered by expiry; those without one,
/// which have time 0, come last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed(ListPack);

/// The entry for a time.
fn entry_of(expires_at: i64) -> Entry<'static> {
    Entry::Int(if expires_at == NEVER { NONE } else { expires_at })
}

impl Packed {
    /// Converts the fields of a listpack without times, in their order.
    pub(in crate::value::hash) fn of_pairs(list: &ListPack) -> Option<Self> {
        // The time of a field without an expiry takes two bytes.
        let mut packed = ListPack::with_capacity(list.as_bytes().len() + list.len());
        let mut entries = list.iter();
        while let (Some(field), Some(value)) = (entries.next(), entries.next()) {
            packed.insert_all(packed.end(), [field, value, Entry::Int(NONE)]).ok()?;
        }
        Some(Self(packed))
    }

    /// Creates it from a listpack of a file or payload; `None` if it has a duplicate field, an invalid time, or times
    /// that are not in order.
    pub(crate) fn from_listpack(list: ListPack) -> Option<Self> {
        let mut seen: HashSet<Entry<'_>, RandomState> = HashSet::default();
        let mut entries = list.iter();
        let mut last = 0;
        while let Some(field) = entries.next() {
            let (_, Some(Entry::Int(time))) = (entries.next()?, entries.next()) else {
                return None;
            };
            let time = if time == NONE { NEVER } else { time };
            if time < last || !seen.insert(field) {
                return None;
            }
            last = time;
        }
        Some(Self(list))
    }

    /// The encoded bytes.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len() / EACH
    }

    pub(super) fn heap_bytes(&self) -> usize {
        crate::value::allocated(self.0.heap_bytes())
    }

    /// The earliest expiry of a field.
    pub(super) fn earliest(&self) -> i64 {
        self.0
            .first()
            .and_then(|first| self.expiry(first))
            .map_or(NEVER, |(_, expires_at)| expires_at)
    }

    /// The position of the time of the field there, and the time.
    pub(super) fn expiry(&self, at: Position) -> Option<(Position, i64)> {
        let list = &self.0;
        let time = list.next(list.next(at)?)?;
        Some((time, self.time(time)?))
    }

    /// The time there.
    fn time(&self, at: Position) -> Option<i64> {
        let Entry::Int(expires_at) = self.0.entry(at)? else { return None };
        Some(if expires_at == NONE { NEVER } else { expires_at })
    }

    /// The position of a field, valid until the listpack changes.
    pub(super) fn find(&self, field: Member<'_>) -> Option<Position> {
        self.0.find_from(self.0.first()?, Entry::from(field), EACH - 1)
    }

    /// The field there, and the position of the next one.
    fn at(&self, at: Position) -> Option<(Field<'_>, Option<Position>)> {
        let (list, (time, expires_at)) = (&self.0, self.expiry(at)?);
        let (name, value) = (list.entry(at)?.into(), list.entry(list.next(at)?)?.into());
        Some((Field { name, value, expires_at }, list.next(time)))
    }

    /// The value of a field, and its expiry.
    pub(super) fn get(&self, field: Member<'_>) -> Option<(Member<'_>, i64)> {
        let (found, _) = self.at(self.find(field)?)?;
        Some((found.value, found.expires_at))
    }

    pub(super) fn nth(&self, index: usize) -> Option<Field<'_>> {
        Some(self.at(self.0.seek(index * EACH)?)?.0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Field<'_>> {
        let mut next = self.0.first();
        std::iter::from_fn(move || {
            let (field, behind) = self.at(next?)?;
            next = behind;
            Some(field)
        })
    }

    pub(super) fn for_each<'a>(&'a self, visit: impl FnMut(Field<'a>)) {
        self.iter().for_each(visit);
    }

    /// Sets the value and the expiry of a field; returns `false` if the listpack would be too large.
    pub(super) fn set(&mut self, new: Field<'_>, expiry: FieldExpiry) -> bool {
        let Some(at) = self.find(new.name) else { return self.insert(new) };
        // A field that is given its old time is placed before others with that time.
        let given = !matches!(expiry, FieldExpiry::Keep | FieldExpiry::At(NEVER));
        let moves = given || self.expiry(at).is_none_or(|(_, old)| old != new.expires_at);
        let value = self.0.next(at);
        let replaced = value.is_some_and(|at| self.0.replace(at, Entry::from(new.value)).is_ok());
        replaced && (!moves || self.set_expiry(at, new.expires_at))
    }

    /// The position before all fields, from a given one, that expire at that time or later.
    fn place_for(&self, expires_at: i64, from: Option<Position>) -> Position {
        // Usually it is later than all others.
        let latest = self.0.last().and_then(|last| self.time(last));
        let before_some = latest.is_none_or(|latest| latest >= expires_at);
        let mut next = from.filter(|_| before_some && expires_at != NEVER);
        while let Some(at) = next
            && let Some((time, other)) = self.expiry(at)
        {
            if other >= expires_at {
                return at;
            }
            next = self.0.next(time);
        }
        self.0.end()
    }

    /// Adds a field before all that expire at that time or later.
    fn insert(&mut self, Field { name, value, expires_at }: Field<'_>) -> bool {
        let place = self.place_for(expires_at, self.0.first());
        let entries = [Entry::from(name), Entry::from(value), entry_of(expires_at)];
        self.0.insert_all(place, entries).is_ok()
    }

    /// Moves the field there to the position for another time; returns `false` if the listpack would be too large.
    pub(super) fn set_expiry(&mut self, at: Position, expires_at: i64) -> bool {
        let Some((time, old)) = self.expiry(at) else { return false };
        if self.0.replace(time, entry_of(expires_at)).is_err() {
            return false;
        }
        // Fields before it expire no later than it did, so the search ends at the field itself at the latest.
        let from = if expires_at > old { self.0.next(time) } else { self.0.first() };
        self.0.move_run(at, EACH, self.place_for(expires_at, from))
    }

    pub(super) fn remove(&mut self, field: Member<'_>) -> bool {
        self.find(field).is_some_and(|at| self.0.delete_run(at, EACH) == EACH)
    }

    /// Iterates over the expired fields.
    fn all_due<'a>(&'a self, time: &CommandTime<'_>) -> impl Iterator<Item = Field<'a>> {
        self.iter().take_while(move |field| time.has_come(field.expires_at))
    }

    pub(super) fn count_due(&self, time: &CommandTime<'_>) -> usize {
        self.all_due(time).count()
    }

    pub(super) fn due(&self, most: usize, time: &CommandTime<'_>) -> Vec<Vec<u8>> {
        let due = self.all_due(time).take(most);
        due.map(|field| field.name.with_bytes(<[u8]>::to_vec)).collect()
    }

    /// Removes the expired fields.
    pub(super) fn drop_due(&mut self, time: &CommandTime<'_>) {
        let due = self.count_due(time);
        self.0.delete_range(0, due * EACH);
    }
}
