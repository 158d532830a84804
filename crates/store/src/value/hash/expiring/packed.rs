//! A few fields that expire, in Redis's blob.

use std::collections::HashSet;

use ahash::RandomState;
use listpack::{Entry, ListPack, Position};

use super::{Field, FieldExpiry, NEVER};
use crate::member::Member;
use crate::store::CommandTime;

/// What stands in the place of the time of a field that does not expire.
const NONE: i64 = 0;

/// Entries of a field: itself, its value, its time.
const EACH: usize = 3;

/// A listpack of fields, each before its value and the time at which it expires. Those that expire first come first, and
/// those that do not, with 0, last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed(ListPack);

impl Packed {
    /// The fields of a listpack without times, in their order.
    pub(in crate::value::hash) fn of_pairs(list: &ListPack) -> Option<Self> {
        let mut packed = ListPack::new();
        let mut entries = list.iter();
        while let (Some(field), Some(value)) = (entries.next(), entries.next()) {
            packed.insert_all(packed.end(), [field, value, Entry::Int(NONE)]).ok()?;
        }
        Some(Self(packed))
    }

    /// The fields of a listpack of a file or payload; `None` if it has a field twice, a time that is none, or times that
    /// are not in order.
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

    /// The blob.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len() / EACH
    }

    pub(super) fn heap_bytes(&self) -> usize {
        crate::value::allocated(self.0.heap_bytes())
    }

    /// When the first field expires.
    pub(super) fn earliest(&self) -> i64 {
        self.0.first().and_then(|first| self.at(first)).map_or(NEVER, |(field, _)| field.expires_at)
    }

    fn find(&self, field: Member<'_>) -> Option<Position> {
        self.0.find_from(self.0.first()?, Entry::from(field), EACH - 1)
    }

    /// The field there, and where the next one is.
    fn at(&self, at: Position) -> Option<(Field<'_>, Option<Position>)> {
        let list = &self.0;
        let value = list.next(at)?;
        let time = list.next(value)?;
        let Entry::Int(expires_at) = list.entry(time)? else { return None };
        let expires_at = if expires_at == NONE { NEVER } else { expires_at };
        let (name, value) = (list.entry(at)?.into(), list.entry(value)?.into());
        Some((Field { name, value, expires_at }, list.next(time)))
    }

    /// The value of a field, and when it expires.
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

    /// Sets the value of a field and its time; `false` if the listpack would be too large.
    pub(super) fn set(&mut self, new: Field<'_>, expiry: FieldExpiry) -> bool {
        let Some(at) = self.find(new.name) else { return self.insert(new) };
        // One that is given the time that it had goes before the others of that time.
        let given = !matches!(expiry, FieldExpiry::Keep | FieldExpiry::At(NEVER));
        let moves = given || self.at(at).is_none_or(|(old, _)| old.expires_at != new.expires_at);
        let value = self.0.next(at);
        let replaced = value.is_some_and(|at| self.0.replace(at, Entry::from(new.value)).is_ok());
        replaced && (!moves || self.set_expiry(new.name, new.expires_at))
    }

    /// Adds a field, before all that expire then or later.
    fn insert(&mut self, Field { name, value, expires_at }: Field<'_>) -> bool {
        let mut next = self.0.first().filter(|_| expires_at != NEVER);
        let place = loop {
            let Some((at, (field, behind))) = next.and_then(|at| Some((at, self.at(at)?))) else {
                break self.0.end();
            };
            if field.expires_at >= expires_at {
                break at;
            }
            next = behind;
        };
        let time = if expires_at == NEVER { NONE } else { expires_at };
        let entries = [Entry::from(name), Entry::from(value), Entry::Int(time)];
        self.0.insert_all(place, entries).is_ok()
    }

    /// Moves a field to where it belongs with another time; `false` if it is not there.
    pub(super) fn set_expiry(&mut self, field: Member<'_>, expires_at: i64) -> bool {
        let Some(at) = self.find(field) else { return false };
        let Some((old, _)) = self.at(at) else { return false };
        let value = old.value.to_bytes();
        self.0.delete_run(at, EACH);
        self.insert(Field { name: field, value: Member::from(&value), expires_at })
    }

    pub(super) fn remove(&mut self, field: Member<'_>) -> bool {
        self.find(field).is_some_and(|at| self.0.delete_run(at, EACH) == EACH)
    }

    /// The fields that have expired.
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

    /// Removes the fields that have expired.
    pub(super) fn drop_due(&mut self, time: &CommandTime<'_>) {
        let due = self.count_due(time);
        self.0.delete_range(0, due * EACH);
    }
}
