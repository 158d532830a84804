//! The expiry of fields.

use std::collections::HashSet;

use ahash::RandomState;
use bytes::Bytes;

use super::HashEntry;
use super::entry::words;
use crate::commands::expiry::ExpireOption;
use crate::member::Member;
use crate::persist::note_field_expiry;
use crate::store::slot::{Outcome, args_of};
use crate::value::{Expiring, FieldExpiry, Found, HashRef, NEVER, Pair, Value};

/// The result of setting the expiry of a field: see [`Store::hexpire`](crate::Store::hexpire).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FieldExpire {
    /// The field does not exist: -2.
    NoField,
    /// The condition does not hold: 0.
    NotMet,
    /// The expiry is set: 1.
    Set,
    /// The time is in the past, so the field was deleted: 2.
    Deleted,
}

impl FieldExpire {
    /// Returns the number that HEXPIRE replies.
    #[must_use]
    pub const fn code(self) -> i64 {
        match self {
            Self::NoField => -2,
            Self::NotMet => 0,
            Self::Set => 1,
            Self::Deleted => 2,
        }
    }
}

/// The result of removing the expiry of a field: see [`Store::hpersist`](crate::Store::hpersist).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FieldPersist {
    /// The field does not exist: -2.
    NoField,
    /// The field has no expiry: -1.
    NoExpiry,
    /// The expiry was removed: 1.
    Persisted,
}

impl FieldPersist {
    /// Returns the number that HPERSIST replies.
    #[must_use]
    pub const fn code(self) -> i64 {
        match self {
            Self::NoField => -2,
            Self::NoExpiry => -1,
            Self::Persisted => 1,
        }
    }
}

/// The condition of HSETEX on the existence of the fields: FNX and FXX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FieldExistenceCheck {
    /// Only if none of them exists.
    FNX,
    /// Only if all of them exist.
    FXX,
}

impl HashEntry<'_> {
    pub(super) fn expiring(&self) -> Option<&Expiring> {
        self.value().and_then(Value::as_expiring)
    }

    /// The expiry of a field, in milliseconds since the epoch, or [`NEVER`]; `None` if the field does not exist.
    pub(super) fn expiry_of(&self, field: Member<'_>) -> Option<i64> {
        self.find(field).map(|found| found.expires_at)
    }

    fn find(&self, field: Member<'_>) -> Option<Found> {
        self.value_ref()?.find(field, &self.policy(), self.time())
    }

    /// Announces a change of fields. The first expiry changes the whole hash.
    fn announce_fields(&mut self, fields: &[Member<'_>], expires: bool) {
        if !expires || self.expiring().is_some() {
            self.announce_members(fields.iter().copied());
        }
    }

    /// Converts a listpack to one with times, or to a table if these fields are too long for one, as Redis does before
    /// it looks up the fields.
    pub(super) fn take_times(&mut self, pairs: &[Pair<'_>]) {
        let policy = self.policy();
        let packed = |hash: HashRef<'_>| hash.table().is_none();
        // Valkey has no listpack with times: the first expiry converts it to a table.
        if !policy.profile.expiring_listpacks() || !self.value_ref().is_some_and(packed) {
            return;
        }
        note_field_expiry(self.shared());
        // The same fields in another encoding: there is no change to report.
        self.edit(
            |value| {
                if let Some(mut hash) = value.as_hash_mut() {
                    hash.expect(pairs, &policy);
                    hash.make_expiring(&policy);
                }
                ((), Outcome::Same)
            },
            |()| ("", Vec::new()),
        );
    }

    /// Converts a listpack with times that is full to a table: Redis adds a field before it deletes it.
    fn outgrow_listpack(&mut self) {
        let policy = self.policy();
        let most = policy.settings.hash_max_listpack_entries();
        let full = |hash: &Expiring| hash.packed().is_some() && hash.held() >= most;
        if !self.expiring().is_some_and(full) {
            return;
        }
        self.edit(
            |value| {
                if let Some(hash) = value.as_expiring_mut() {
                    hash.make_table(&policy);
                }
                ((), Outcome::Same)
            },
            |()| ("", Vec::new()),
        );
    }

    /// HPEXPIREAT: sets the expiry of fields, in milliseconds since the epoch, one after the other; a time in the past
    /// deletes them.
    pub(super) fn expire_fields(
        &mut self,
        fields: &[Member<'_>],
        at_ms: i64,
        option: ExpireOption,
    ) -> Vec<FieldExpire> {
        let (policy, time, shared) = (self.policy(), self.time(), self.shared());
        let unchanged = |found: Option<Found>| {
            let Some(Found { expires_at, .. }) = found else { return Some(FieldExpire::NoField) };
            let allowed = option.allows((expires_at != NEVER).then_some(expires_at), at_ms);
            (!allowed).then_some(FieldExpire::NotMet)
        };
        self.take_times(&[]);
        let mut outcomes = Vec::with_capacity(fields.len());
        let mut found = None;
        for &field in fields {
            found = self.find(field);
            match unchanged(found) {
                Some(outcome) => outcomes.push(outcome),
                None => break,
            }
        }
        if outcomes.len() == fields.len() {
            return outcomes;
        }
        // The first field that changes, which was just found, and those after it.
        let rest = &fields[outcomes.len()..];
        let past = time.has_come(at_ms);
        self.announce_fields(rest, !past);
        if !past && self.expiring().is_none() {
            note_field_expiry(shared);
        }
        let outcomes = self.edit(
            |value| {
                let Some(mut hash) = value.as_hash_mut() else { return (outcomes, Outcome::Same) };
                for &field in rest {
                    let found = found.take().or_else(|| hash.find(field, &policy, time));
                    let outcome = unchanged(found).unwrap_or_else(|| {
                        if past {
                            hash.remove(field, &policy, time);
                            return FieldExpire::Deleted;
                        }
                        if let Some(found) = found {
                            hash.set_expiry(field, found, at_ms, &policy, time);
                        }
                        FieldExpire::Set
                    });
                    outcomes.push(outcome);
                }
                let emptied = past && hash.is_empty(time);
                (outcomes, if emptied { Outcome::Emptied } else { Outcome::Changed })
            },
            |outcomes| {
                let done = if past { FieldExpire::Deleted } else { FieldExpire::Set };
                let changed = fields.iter().zip(outcomes).filter(|&(_, &outcome)| outcome == done);
                let changed: Vec<Member<'_>> = changed.map(|(&field, _)| field).collect();
                if past {
                    return ("HDEL", words(changed.into_iter()));
                }
                (
                    "HPEXPIREAT",
                    with_fields(&[at_ms.to_string()], changed.len(), changed.into_iter()),
                )
            },
        );
        outcomes.unwrap_or_default()
    }

    /// HPERSIST: removes the expiry of fields.
    pub(super) fn persist_fields(&mut self, fields: &[Member<'_>]) -> Vec<FieldPersist> {
        let (policy, time) = (self.policy(), self.time());
        let outcomes: Vec<FieldPersist> = fields
            .iter()
            .map(|&field| match self.expiry_of(field) {
                None => FieldPersist::NoField,
                Some(NEVER) => FieldPersist::NoExpiry,
                Some(_) => FieldPersist::Persisted,
            })
            .collect();
        if !outcomes.contains(&FieldPersist::Persisted) {
            return outcomes;
        }
        self.announce_fields(fields, true);
        let mut outcomes = outcomes;
        self.edit(
            |value| {
                let Some(hash) = value.as_expiring_mut() else { return ((), Outcome::Same) };
                for (&field, outcome) in fields.iter().zip(&mut outcomes) {
                    if *outcome == FieldPersist::Persisted && !hash.persist(field, &policy, time) {
                        // The field was given before.
                        *outcome = FieldPersist::NoExpiry;
                    }
                }
                ((), Outcome::Changed)
            },
            |()| ("HPERSIST", with_fields(&[], fields.len(), fields.iter().copied())),
        );
        outcomes
    }

    /// HGETDEL: removes fields; returns their values.
    pub(super) fn take_fields(&mut self, fields: &[Member<'_>]) -> Vec<Option<Bytes>> {
        let mut seen: HashSet<Bytes, RandomState> = HashSet::default();
        let values = fields.iter().map(|&field| {
            // A field that is given twice is missing the second time.
            let found = self.get(field).filter(|_| seen.insert(field.to_bytes()))?;
            Some(found.to_bytes())
        });
        let values: Vec<Option<Bytes>> = values.collect();
        if !seen.is_empty() {
            self.remove_all(fields);
        }
        values
    }

    /// HSETEX: sets fields with an expiry; returns `false` if the condition does not hold.
    pub(super) fn set_expiring(
        &mut self,
        pairs: &[Pair<'_>],
        condition: Option<FieldExistenceCheck>,
        expiry: FieldExpiry,
    ) -> bool {
        let there = |&(field, _): &Pair<'_>| self.get(field).is_some();
        let allowed = match condition {
            None => true,
            Some(FieldExistenceCheck::FNX) => !pairs.iter().any(there),
            Some(FieldExistenceCheck::FXX) => pairs.iter().all(there),
        };
        if !allowed {
            return false;
        }
        if let FieldExpiry::At(at_ms) = expiry
            && self.time().has_come(at_ms)
        {
            self.take_times(pairs);
            if pairs.first().is_some_and(|&(field, _)| self.get(field).is_none()) {
                self.outgrow_listpack();
            }
            let fields: Vec<Member<'_>> = pairs.iter().map(|&(field, _)| field).collect();
            self.remove_all(&fields);
            if self.policy().profile.watch_sees_expired_fields() {
                // Redis counts them as set.
                self.touch();
            }
            return true;
        }
        self.put_all(pairs, expiry, true);
        true
    }

    /// Removes up to that many expired fields; returns how many.
    pub(crate) fn drop_expired_fields(&mut self, most: usize) -> usize {
        let (policy, time) = (self.policy(), self.time());
        let Some(hash) = self.expiring() else { return 0 };
        let due = hash.due(most, time);
        let fields: Vec<Member<'_>> = due.iter().map(|field| Member::Bytes(field)).collect();
        self.announce_members(fields.iter().copied());
        self.edit(
            |value| {
                let Some(hash) = value.as_expiring_mut() else { return ((), Outcome::Same) };
                for &field in &fields {
                    hash.remove(field, &policy, time);
                }
                hash.settle(time);
                let emptied = hash.held() == 0;
                ((), if emptied { Outcome::Emptied } else { Outcome::changed(!fields.is_empty()) })
            },
            |()| ("HDEL", words(fields.iter().copied())),
        );
        fields.len()
    }
}

/// The words of an effect on fields: some words, FIELDS, the number of fields, and the fields.
pub(super) fn with_fields<'a>(
    before: &[String],
    count: usize,
    fields: impl Iterator<Item = Member<'a>>,
) -> Vec<Bytes> {
    let before = before.iter().map(|word| Bytes::copy_from_slice(word.as_bytes()));
    let named = [Bytes::from_static(b"FIELDS"), count.to_string().into()];
    args_of(before.chain(named).chain(fields.map(Member::to_bytes)))
}

/// Returns whether a value may have expired fields.
pub(crate) fn has_due_fields(value: &Value, time: &crate::store::CommandTime<'_>) -> bool {
    value.as_expiring().is_some_and(|hash| time.has_come(hash.earliest()))
}
