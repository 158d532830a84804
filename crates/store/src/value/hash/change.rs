//! Changing a hash, and with it its encoding.

use extendible::Extendible;
use listpack::{Entry, ListPack, MAX_BYTES};

use super::{Fields, Hash, Pair, find};
use crate::member::Member;
use crate::policy::EncodingPolicy;

impl Hash {
    /// Gets ready for a command that is about to set these fields.
    #[inline]
    pub(crate) fn expect(&mut self, pairs: &[Pair<'_>], policy: &EncodingPolicy<'_>) {
        let Self::ListPack(list) = self else { return };
        let settings = policy.settings;
        let many =
            policy.profile.sizes_ahead() && pairs.len() > settings.hash_max_listpack_entries();
        let mut bytes = list.as_bytes().len();
        let long = pairs.iter().any(|pair| {
            bytes += text_len(pair.0) + text_len(pair.1);
            is_long(*pair, policy)
        });
        if many || long || bytes > MAX_BYTES {
            self.make_table(policy);
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
    pub(crate) fn remove(&mut self, field: Member<'_>, policy: &EncodingPolicy<'_>) -> bool {
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
        if let Self::Table(_) = self {
            return;
        }
        let mut table = Box::new(Extendible::new(0));
        self.for_each(|field, value| {
            set_in_table(&mut table, (field, value), policy);
        });
        *self = Self::Table(table);
    }
}

/// How many bytes a member is as text.
#[inline]
fn text_len(member: Member<'_>) -> usize {
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
