//! A hash of which no field expires.

use extendible::Extendible;
use listpack::{Entry, ListPack, Position};

use super::{Fields, Pair};
use crate::member::Member;
use crate::policy::EncodingPolicy;

/// A hash of which no field expires.
#[derive(Clone, Debug)]
pub(crate) enum Lasting {
    /// A few fields, each before its value, as Redis's own blob.
    ListPack(ListPack),
    /// Any fields.
    Table(Box<Fields>),
}

impl Lasting {
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
    pub(crate) const fn encoding(&self) -> &'static str {
        match self {
            Self::ListPack(_) => "listpack",
            Self::Table(_) => "hashtable",
        }
    }

    /// Bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::ListPack(list) => crate::value::allocated(list.heap_bytes()),
            Self::Table(table) => crate::value::allocated(size_of::<Fields>()) + table.heap_bytes(),
        }
    }

    /// The bytes of the listpack, if it is one.
    #[inline]
    pub(super) fn listpack_len(&self) -> Option<usize> {
        match self {
            Self::ListPack(list) => Some(list.as_bytes().len()),
            Self::Table(_) => None,
        }
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

    /// Sets the value of a field; `true` if the field is new.
    #[inline]
    pub(crate) fn set(&mut self, pair: Pair<'_>, policy: &EncodingPolicy<'_>) -> bool {
        if let Self::ListPack(list) = self {
            if !is_long(pair, policy)
                && let Some(new) = set_entry(list, pair)
            {
                if new && list.len() / 2 > policy.settings.hash_max_listpack_entries() {
                    self.make_table(policy);
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

    /// Removes a field; `true` if it was there.
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

    /// Makes a hash table of it.
    #[cold]
    pub(super) fn make_table(&mut self, policy: &EncodingPolicy<'_>) {
        if let Self::ListPack(list) = self {
            *self = Self::Table(Box::new(table_of(list, policy)));
        }
    }

    /// The fields, in a table.
    pub(super) fn into_table(self, policy: &EncodingPolicy<'_>) -> Fields {
        match self {
            Self::ListPack(list) => table_of(&list, policy),
            Self::Table(table) => *table,
        }
    }
}

/// The fields of a listpack, in a table.
fn table_of(list: &ListPack, policy: &EncodingPolicy<'_>) -> Fields {
    let mut table = Extendible::new(0);
    let mut entries = list.iter();
    while let (Some(field), Some(value)) = (entries.next(), entries.next()) {
        set_in_table(&mut table, (field.into(), value.into()), policy);
    }
    table
}

/// Where a field is; its value is the next entry.
#[inline]
fn find(list: &ListPack, field: Member<'_>) -> Option<Position> {
    list.find_from(list.first()?, Entry::from(field), 1)
}

/// How many bytes a member is as text.
#[inline]
pub(super) fn text_len(member: Member<'_>) -> usize {
    match member {
        Member::Int(number) => Entry::Int(number).text_len(),
        Member::Bytes(bytes) => bytes.len(),
    }
}

/// Whether a field or its value is too long for a listpack.
#[inline]
pub(super) fn is_long((field, value): Pair<'_>, policy: &EncodingPolicy<'_>) -> bool {
    let longest = policy.settings.hash_max_listpack_value();
    text_len(field) > longest || text_len(value) > longest
}

/// Sets the value of a field of a listpack; `true` if the field is new, `None` if the listpack would be too large.
#[inline]
fn set_entry(list: &mut ListPack, (field, value): Pair<'_>) -> Option<bool> {
    if let Some(found) = find(list, field) {
        let at = list.next(found)?;
        list.replace(at, Entry::from(value)).ok()?;
        return Some(false);
    }
    list.insert_all(list.end(), [Entry::from(field), Entry::from(value)]).ok()?;
    Some(true)
}

/// Sets the value of a field of a table; `true` if the field is new.
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
