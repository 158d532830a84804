//! Changing a hash, and with it its encoding.

use extendible::Extendible;
use listpack::{Entry, ListPack, MAX_BYTES};

use super::{Expiring, FieldExpiry, Fields, Form, FormMut, Found, Hash, Large, Pair, find};
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::store::CommandTime;

impl Hash {
    /// Gets ready for a command that is about to set these fields.
    #[inline]
    pub(crate) fn expect(&mut self, pairs: &[Pair<'_>], policy: &EncodingPolicy<'_>) {
        let Some(mut bytes) = self.listpack_len() else { return };
        let settings = policy.settings;
        let many =
            policy.profile.sizes_ahead() && pairs.len() > settings.hash_max_listpack_entries();
        let long = pairs.iter().any(|pair| {
            bytes += text_len(pair.0) + text_len(pair.1);
            is_long(*pair, policy)
        });
        if many || long || bytes > MAX_BYTES {
            self.make_table(policy);
        }
    }

    /// The bytes of the listpack, if it is one.
    #[inline]
    fn listpack_len(&self) -> Option<usize> {
        match self.form() {
            Form::ListPack(list) => Some(list.as_bytes().len()),
            Form::Table(_) => None,
            Form::Expiring(hash) => hash.listpack_len(),
        }
    }

    /// Sets the value of a field, which does not expire then unless `expiry` says so; `true` if the field is new.
    #[inline]
    pub(crate) fn set(
        &mut self,
        pair: Pair<'_>,
        expiry: FieldExpiry,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> bool {
        if let Some(hash) = self.as_expiring_mut() {
            return hash.set(pair, expiry, policy, time);
        }
        self.set_lasting(pair, policy)
    }

    /// As [`set`](Self::set), of a hash none of whose fields expires.
    #[inline]
    pub(crate) fn set_lasting(&mut self, pair: Pair<'_>, policy: &EncodingPolicy<'_>) -> bool {
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
        match self.form_mut() {
            FormMut::Table(table) => set_in_table(table, pair, policy),
            FormMut::ListPack(_) | FormMut::Expiring(_) => false,
        }
    }

    /// The hash as one whose fields can expire.
    #[cold]
    pub(crate) fn make_expiring(&mut self, policy: &EncodingPolicy<'_>) -> Option<&mut Expiring> {
        if self.as_expiring().is_none() {
            let hash = std::mem::replace(self, Self::new());
            *self = Self::of_expiring(Expiring::of(hash, policy));
        }
        self.as_expiring_mut()
    }

    /// Lets a field expire then that was found.
    pub(crate) fn set_expiry(
        &mut self,
        field: Member<'_>,
        found: Found,
        expires_at: i64,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) {
        let Some(hash) = self.make_expiring(policy) else { return };
        let place = found.place.or_else(|| hash.find(field, policy, time)?.place);
        if let Some(place) = place {
            hash.set_expiry(place, expires_at);
        }
    }

    /// Removes a field; `true` if it was there.
    pub(crate) fn remove(
        &mut self,
        field: Member<'_>,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> bool {
        match self.form_mut() {
            FormMut::ListPack(list) => {
                find(list, field).is_some_and(|found| list.delete_run(found, 2) == 2)
            }
            FormMut::Table(table) => field.with_bytes(|field| {
                table.remove(policy.hash(field), field, &|field| policy.hash(field))
            }),
            FormMut::Expiring(hash) => hash.remove(field, policy, time),
        }
    }

    /// Makes a hash table of it.
    #[cold]
    pub(super) fn make_table(&mut self, policy: &EncodingPolicy<'_>) {
        match self.form_mut() {
            FormMut::Table(_) => {}
            FormMut::Expiring(hash) => hash.make_table(policy),
            FormMut::ListPack(list) => {
                let mut table = Extendible::new(0);
                let mut entries = list.iter();
                while let (Some(field), Some(value)) = (entries.next(), entries.next()) {
                    set_in_table(&mut table, (field.into(), value.into()), policy);
                }
                *self = Self::Large(Box::new(Large::Table(table)));
            }
        }
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
