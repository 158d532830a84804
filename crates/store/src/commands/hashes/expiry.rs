//! Fields that expire.

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

/// What became of a field that was to expire: see [`Store::hexpire`](crate::Store::hexpire).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FieldExpire {
    /// There is no such field: -2.
    NoField,
    /// The option forbids it: 0.
    NotMet,
    /// It expires then: 1.
    Set,
    /// The time has come, so it was deleted: 2.
    Deleted,
}

impl FieldExpire {
    /// The number that HEXPIRE replies.
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

/// What became of a field that was not to expire any more: see [`Store::hpersist`](crate::Store::hpersist).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FieldPersist {
    /// There is no such field: -2.
    NoField,
    /// It did not expire: -1.
    NoExpiry,
    /// It does not expire any more: 1.
    Persisted,
}

impl FieldPersist {
    /// The number that HPERSIST replies.
    #[must_use]
    pub const fn code(self) -> i64 {
        match self {
            Self::NoField => -2,
            Self::NoExpiry => -1,
            Self::Persisted => 1,
        }
    }
}

/// Whether fields that are set with a time have to be there: FNX and FXX of HSETEX.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FieldExistenceCheck {
    /// Only if none of them is there.
    FNX,
    /// Only if all of them are.
    FXX,
}

impl HashEntry<'_> {
    pub(super) fn expiring(&self) -> Option<&Expiring> {
        self.value().and_then(Value::as_expiring)
    }

    /// When a field expires, in milliseconds since the epoch, or [`NEVER`]; `None` if there is no such field.
    pub(super) fn expiry_of(&self, field: Member<'_>) -> Option<i64> {
        self.find(field).map(|found| found.expires_at)
    }

    fn find(&self, field: Member<'_>) -> Option<Found> {
        self.value_ref()?.find(field, &self.policy(), self.time())
    }

    /// Announces a change of fields. The first one that expires changes the whole hash.
    fn announce_fields(&mut self, fields: &[Member<'_>], expires: bool) {
        if !expires || self.expiring().is_some() {
            self.announce_members(fields.iter().copied());
        }
    }

    /// Makes a listpack one with times, or a table if these fields are too long for one, as Redis does before it looks at
    /// the fields.
    pub(super) fn take_times(&mut self, pairs: &[Pair<'_>]) {
        let policy = self.policy();
        let packed = |hash: HashRef<'_>| hash.table().is_none();
        // Valkey has no such listpack: a field that gets a time makes a table.
        if !policy.profile.expiring_listpacks() || !self.value_ref().is_some_and(packed) {
            return;
        }
        note_field_expiry(self.shared());
        // The same fields in another form: no change to report.
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

    /// Makes a table of a listpack with times that has no room for one more: Redis adds a field before it deletes it.
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

    /// HPEXPIREAT: lets fields expire at a time, in milliseconds since the epoch, one after the other; one that has come
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
        // The first that changes, which was just found, and those behind it.
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

    /// HPERSIST: lets fields not expire any more.
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
                        // It was named before.
                        *outcome = FieldPersist::NoExpiry;
                    }
                }
                ((), Outcome::Changed)
            },
            |()| ("HPERSIST", with_fields(&[], fields.len(), fields.iter().copied())),
        );
        outcomes
    }

    /// HGETDEL: removes fields; returns what they were.
    pub(super) fn take_fields(&mut self, fields: &[Member<'_>]) -> Vec<Option<Bytes>> {
        let mut seen: HashSet<Bytes, RandomState> = HashSet::default();
        let values = fields.iter().map(|&field| {
            // One that is named twice is gone the second time.
            let found = self.get(field).filter(|_| seen.insert(field.to_bytes()))?;
            Some(found.to_bytes())
        });
        let values: Vec<Option<Bytes>> = values.collect();
        if !seen.is_empty() {
            self.remove_all(fields);
        }
        values
    }

    /// HSETEX: sets fields that expire as `expiry` says; `false` if the condition forbids it.
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
                // For Redis they were set.
                self.touch();
            }
            return true;
        }
        self.put_all(pairs, expiry, true);
        true
    }

    /// Removes up to so many fields that have expired; returns how many.
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

/// The words of an effect that names fields: some, FIELDS, how many, and they.
pub(super) fn with_fields<'a>(
    before: &[String],
    count: usize,
    fields: impl Iterator<Item = Member<'a>>,
) -> Vec<Bytes> {
    let before = before.iter().map(|word| Bytes::copy_from_slice(word.as_bytes()));
    let named = [Bytes::from_static(b"FIELDS"), count.to_string().into()];
    args_of(before.chain(named).chain(fields.map(Member::to_bytes)))
}

/// Whether a value holds fields that have expired, as far as is noted.
pub(crate) fn has_due_fields(value: &Value, time: &crate::store::CommandTime<'_>) -> bool {
    value.as_expiring().is_some_and(|hash| time.has_come(hash.earliest()))
}
