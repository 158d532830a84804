//! The entry of a hash.

use bytes::Bytes;

use super::expiry::with_fields;
use crate::commands::{checked, entry_of};
use crate::error::{Error, ErrorKind, Result};
use crate::member::Member;
use crate::persist::note_field_expiry;
use crate::store::slot::{Entry, Outcome, args_of};
use crate::text::extended::{Extended, NOT_FINITE};
use crate::to_member::{ToMember, ToMembers};
use crate::value::{FieldExpiry, HashRef, Lasting, NEVER, Pair, Value};

/// The hash at a key, with one look-up and one type check: see [`Store::with_hash`](crate::Store::with_hash).
///
/// A key that does not exist is an empty hash, and the key is removed with the last field.
pub type HashEntry<'e> = Entry<'e, HashKind>;

entry_of!(HashEntry, HashKind, with_hash, "hash", |value| value.as_hash().is_some());

impl HashEntry<'_> {
    #[inline]
    pub(super) fn value_ref(&self) -> Option<HashRef<'_>> {
        self.value().and_then(Value::as_hash)
    }

    /// Returns whether the encoding stores a time for each field.
    #[inline]
    fn has_times(&self) -> bool {
        self.expiring().is_some()
    }

    /// Returns the number of fields. O(1), unless some have expired and were not swept yet.
    #[must_use]
    pub fn len(&self) -> usize {
        self.value_ref().map_or(0, |hash| hash.len(self.time()))
    }

    /// Returns whether there are no fields. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value of a field. O(1) in a hash table, O(fields) in a listpack.
    #[must_use]
    #[inline]
    pub fn get(&self, field: impl ToMember) -> Option<Member<'_>> {
        field.with_member(|field| self.value_ref()?.get(field, &self.policy(), self.time()))
    }

    /// Calls `visit` with each field and its value. O(fields).
    pub fn for_each(&self, visit: impl FnMut(Member<'_>, Member<'_>)) {
        if let Some(hash) = self.value_ref() {
            hash.for_each(self.time(), visit);
        }
    }

    /// Sets the value of a field; returns whether the field is new. O(1) in a hash table, O(fields) in a listpack.
    ///
    /// # Errors
    ///
    /// The field or the value exceeds 512 MiB.
    #[inline]
    pub fn set(&mut self, field: impl ToMember, value: impl ToMember) -> Result<bool> {
        field.with_member(|field| {
            value.with_member(|value| Ok(self.set_all(&[(checked(field)?, checked(value)?)]) == 1))
        })
    }

    /// Sets the value of a field that does not exist; returns `false` if it exists. Complexity as [`set`](Self::set).
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set).
    pub fn set_new(&mut self, field: impl ToMember, value: impl ToMember) -> Result<bool> {
        field.with_member(|field| Ok(self.get(field).is_none() && self.set(field, value)?))
    }

    /// Sets the values of fields; returns the number of new fields.
    #[inline]
    pub(crate) fn set_all(&mut self, pairs: &[Pair<'_>]) -> usize {
        if pairs.is_empty() {
            return 0;
        }
        self.put_all(pairs, FieldExpiry::At(NEVER), true)
    }

    /// As [`set_all`](Self::set_all), with another expiry of the fields. The sum of a counter does not influence the
    /// encoding before it is set.
    #[inline]
    pub(super) fn put_all(
        &mut self,
        pairs: &[Pair<'_>],
        expiry: FieldExpiry,
        expect: bool,
    ) -> usize {
        let (policy, time) = (&self.policy(), self.time());
        let timed = expiry != FieldExpiry::At(NEVER);
        if !timed || self.has_times() {
            self.announce_members(pairs.iter().map(|&(field, _)| field));
        }
        let at_ms = match expiry {
            FieldExpiry::At(at_ms) if timed => Some(at_ms),
            FieldExpiry::At(_) | FieldExpiry::Keep => None,
        };
        if at_ms.is_some() && !self.has_times() {
            note_field_expiry(self.shared());
        }
        let words = || pairs.iter().flat_map(|&(field, value)| [field, value]);
        // KEEPTTL is only used if a field has a time, for readers that do not know the command.
        let keeps = timed && at_ms.is_none() && self.has_times();
        let added = self.edit_or_make(
            || Value::Hash(Lasting::new()),
            |value| {
                let Some(mut hash) = value.as_hash_mut() else { return (0, Outcome::Same) };
                if expect {
                    hash.expect(pairs, policy);
                }
                if at_ms.is_some() {
                    hash.make_expiring(policy);
                }
                let added = hash.set_each(pairs, expiry, policy, time);
                (added, Outcome::Changed)
            },
            |_| match at_ms {
                Some(at_ms) => {
                    let before = ["PXAT".to_owned(), at_ms.to_string()];
                    ("HSETEX", with_fields(&before, pairs.len(), words()))
                }
                None if keeps => {
                    ("HSETEX", with_fields(&["KEEPTTL".to_owned()], pairs.len(), words()))
                }
                None => ("HSET", self::words(words())),
            },
        );
        added.unwrap_or(0)
    }

    /// Adds to the integer in a field, or to 0 if the field does not exist; returns the sum. Complexity as
    /// [`set`](Self::set).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotInteger`] if the value is not an integer, or the sum does not fit; an error if the field exceeds
    /// 512 MiB.
    pub fn incr(&mut self, field: impl ToMember, delta: i64) -> Result<i64> {
        field.with_member(|field| {
            let field = checked(field)?;
            let old = match self.get(field) {
                None => 0,
                Some(value) => value.as_int().ok_or_else(Error::hash_not_integer)?,
            };
            let sum = old.checked_add(delta).ok_or_else(Error::overflow)?;
            self.put_all(&[(field, Member::Int(sum))], FieldExpiry::Keep, false);
            Ok(sum)
        })
    }

    /// Adds to the 80-bit number in a field; returns the new text.
    pub(crate) fn incr_float(&mut self, field: Member<'_>, delta: Extended) -> Result<Bytes> {
        let old = self.get(field).unwrap_or(Member::Int(0));
        let old = old.with_bytes(Extended::parse).ok_or_else(Error::hash_not_a_float)?;
        let sum = old.add(delta).ok_or_else(|| Error::new(ErrorKind::NotInteger, NOT_FINITE))?;
        let text = Bytes::from(sum.to_text());
        self.put_all(&[(field, Member::Bytes(&text))], FieldExpiry::Keep, false);
        Ok(text)
    }

    /// Removes fields; returns how many existed. O(1) each in a hash table, O(fields) in a listpack.
    pub fn remove(&mut self, fields: impl ToMembers) -> usize {
        fields.with_members(|fields| self.remove_all(fields))
    }

    #[inline]
    pub(super) fn remove_all(&mut self, fields: &[Member<'_>]) -> usize {
        let (policy, time) = (self.policy(), self.time());
        self.announce_members(fields.iter().copied());
        let removed = self.edit(
            |value| {
                let Some(mut hash) = value.as_hash_mut() else { return (0, Outcome::Same) };
                let held = hash.held();
                let removed = hash.change_each(
                    fields,
                    |field| field,
                    &policy,
                    |hash, field| hash.remove(field, &policy, time),
                );
                // Expired fields do not count as removed, but they are removed too.
                let changed = hash.held() < held;
                let emptied = changed && hash.is_empty(time);
                (removed, if emptied { Outcome::Emptied } else { Outcome::changed(changed) })
            },
            |_| ("HDEL", words(fields.iter().copied())),
        );
        removed.unwrap_or(0)
    }
}

pub(super) fn words<'a>(members: impl Iterator<Item = Member<'a>>) -> Vec<Bytes> {
    args_of(members.map(Member::to_bytes))
}
