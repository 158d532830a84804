//! A hash without fields that expire.

use std::collections::HashMap;

use ahash::RandomState;
use extendible::Extendible;
use listpack::{Entry, ListPack, Position, Refused};

use super::{Fields, Pair};
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::value::Entries;
use crate::value::lookups::is_hashed;

/// A hash without fields that expire.
#[derive(Clone, Debug)]
pub(crate) enum Lasting {
    /// A few fields, each followed by its value, in Redis's encoding.
    ListPack(ListPack),
    /// Any number of fields.
    Table(Box<Fields>),
}

impl Lasting {
    /// Creates an empty hash.
    pub(crate) fn new() -> Self {
        Self::ListPack(ListPack::new())
    }

    /// The number of fields.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::ListPack(list) => list.len() / 2,
            Self::Table(table) => table.len(),
        }
    }

    /// The name of the encoding in OBJECT ENCODING.
    pub(crate) const fn encoding(&self) -> &'static str {
        match self {
            Self::ListPack(_) => "listpack",
            Self::Table(_) => "hashtable",
        }
    }

    /// The heap memory, in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::ListPack(list) => crate::value::allocated(list.heap_bytes()),
            Self::Table(table) => crate::value::allocated(size_of::<Fields>()) + table.heap_bytes(),
        }
    }

    /// The length of the listpack in bytes, if it is one.
    #[inline]
    pub(super) fn listpack_len(&self) -> Option<usize> {
        match self {
            Self::ListPack(list) => Some(list.as_bytes().len()),
            Self::Table(_) => None,
        }
    }

    /// The values of a listpack by their fields, for `count` look-ups; `None` if a scan for each takes less time.
    pub(super) fn index(&self, count: usize) -> Option<HashMap<Entry<'_>, Entry<'_>, RandomState>> {
        let Self::ListPack(list) = self else { return None };
        // A scan for a field passes over the values too.
        if !is_hashed(list.len(), 2 * count) {
            return None;
        }
        let mut index = HashMap::with_capacity_and_hasher(self.len(), RandomState::new());
        let mut entries = list.iter();
        while let (Some(field), Some(value)) = (entries.next(), entries.next()) {
            index.insert(field, value);
        }
        Some(index)
    }

    /// The table, if it is one.
    #[inline]
    pub(super) fn table(&self) -> Option<&Fields> {
        if let Self::Table(table) = self { Some(table) } else { None }
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

    /// Sets the value of a field; returns whether the field is new.
    #[inline]
    pub(crate) fn set(&mut self, pair: Pair<'_>, policy: &EncodingPolicy<'_>) -> bool {
        if let Self::ListPack(list) = self {
            if !is_long(pair, policy)
                && let Some(new) = set_entry(list, pair)
            {
                if new {
                    self.check_len(policy);
                }
                return new;
            }
            self.make_table(policy);
        }
        match self {
            Self::Table(table) => set_in_table(table, pair, policy),
            Self::ListPack(_) => false,
        }
    }

    /// Sets the values of many fields of an empty listpack; returns how many are new. Returns `None`, and does nothing,
    /// if the hash has fields, or if scanning the listpack for each field takes less time than hashing it.
    pub(super) fn fill(
        &mut self,
        pairs: &[Pair<'_>],
        policy: &EncodingPolicy<'_>,
    ) -> Option<usize> {
        // A scan passes over the values too, and on average over half of the new fields.
        if self.len() > 0 || self.table().is_some() || !is_hashed(pairs.len(), 2 * pairs.len()) {
            return None;
        }
        let most = pairs.len().min(policy.settings.hash_max_listpack_entries());
        let mut fields = Entries::with_capacity_and_hasher(most, RandomState::new());
        let mut added = 0;
        for &pair in pairs {
            let is_new = if self.table().is_none() && fields.insert(Entry::from(pair.0)) {
                self.append(pair, policy);
                true
            } else {
                self.set(pair, policy)
            };
            added += usize::from(is_new);
        }
        Some(added)
    }

    /// Adds a field that the hash does not have.
    fn append(&mut self, pair: Pair<'_>, policy: &EncodingPolicy<'_>) {
        if let Self::ListPack(list) = self
            && !is_long(pair, policy)
            && append_entry(list, pair).is_ok()
        {
            self.check_len(policy);
        } else {
            self.set(pair, policy);
        }
    }

    /// Converts a listpack that has too many fields.
    #[inline]
    fn check_len(&mut self, policy: &EncodingPolicy<'_>) {
        if let Self::ListPack(list) = self
            && list.len() / 2 > policy.settings.hash_max_listpack_entries()
        {
            self.make_table(policy);
        }
    }

    /// Removes a field; returns whether it existed.
    pub(super) fn remove(&mut self, field: Member<'_>, policy: &EncodingPolicy<'_>) -> bool {
        match self {
            Self::ListPack(list) => {
                find(list, field).is_some_and(|found| list.delete_run(found, 2) == 2)
            }
            Self::Table(table) => field.with_bytes(|field| {
                table.remove(policy.hash(field), field, &|field| policy.hash(field))
            }),
        }
    }

    /// Converts it to a hash table.
    #[cold]
    pub(super) fn make_table(&mut self, policy: &EncodingPolicy<'_>) {
        if let Self::ListPack(list) = self {
            *self = Self::Table(Box::new(table_of(list, policy)));
        }
    }

    /// Moves the fields to a table.
    pub(super) fn into_table(self, policy: &EncodingPolicy<'_>) -> Fields {
        match self {
            Self::ListPack(list) => table_of(&list, policy),
            Self::Table(table) => *table,
        }
    }
}

/// Copies the fields of a listpack to a table.
fn table_of(list: &ListPack, policy: &EncodingPolicy<'_>) -> Fields {
    let mut table = Extendible::new(0);
    let mut entries = list.iter();
    while let (Some(field), Some(value)) = (entries.next(), entries.next()) {
        set_in_table(&mut table, (field.into(), value.into()), policy);
    }
    table
}

/// The position of a field; its value is the next entry.
#[inline]
fn find(list: &ListPack, field: Member<'_>) -> Option<Position> {
    list.find_from(list.first()?, Entry::from(field), 1)
}

/// The length of a member as text, in bytes.
#[inline]
pub(super) fn text_len(member: Member<'_>) -> usize {
    match member {
        Member::Int(number) => Entry::Int(number).text_len(),
        Member::Bytes(bytes) => bytes.len(),
    }
}

/// Returns whether a field or its value is too long for a listpack.
#[inline]
pub(super) fn is_long((field, value): Pair<'_>, policy: &EncodingPolicy<'_>) -> bool {
    let longest = policy.settings.hash_max_listpack_value();
    text_len(field) > longest || text_len(value) > longest
}

/// Sets the value of a field of a listpack; returns whether the field is new, or `None` if the listpack would be too
/// large.
#[inline]
fn set_entry(list: &mut ListPack, (field, value): Pair<'_>) -> Option<bool> {
    if let Some(found) = find(list, field) {
        let at = list.next(found)?;
        list.replace(at, Entry::from(value)).ok()?;
        return Some(false);
    }
    append_entry(list, (field, value)).ok()?;
    Some(true)
}

/// Adds a field that the listpack does not have.
#[inline]
fn append_entry(list: &mut ListPack, (field, value): Pair<'_>) -> Result<(), Refused> {
    list.insert_all(list.end(), [Entry::from(field), Entry::from(value)])
}

/// Sets the value of a field of a table; returns whether the field is new.
#[inline]
fn set_in_table(table: &mut Fields, (field, value): Pair<'_>, policy: &EncodingPolicy<'_>) -> bool {
    field.with_bytes(|field| {
        value.with_bytes(|value| {
            let hashed = policy.hash(field);
            if table.bucket_mut(hashed).is_some_and(|it| it.replace(hashed, field, value)) {
                return false;
            }
            let rehash = |field: &[u8]| policy.hash(field);
            table.insert(hashed, &rehash, |bucket| bucket.insert(hashed, field, value));
            true
        })
    })
}
