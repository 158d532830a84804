//! Changes of a hash and of its encoding.

use listpack::MAX_BYTES;

use super::lasting::{is_long, text_len};
use super::{Expiring, FieldExpiry, Found, HashRef, Lasting, Pair};
use crate::member::Member;
use crate::policy::EncodingPolicy;
use crate::store::CommandTime;
use crate::value::{AT_ONCE, Value};

/// A mutable hash, which may change its encoding.
#[derive(Debug)]
pub(crate) struct HashMut<'h>(&'h mut Value);

/// A mutable hash, by its encoding.
enum Form<'h> {
    Lasting(&'h mut Lasting),
    Expiring(&'h mut Expiring),
}

impl Value {
    /// The hash, if it is one, mutable.
    #[inline]
    pub(crate) const fn as_hash_mut(&mut self) -> Option<HashMut<'_>> {
        if self.as_hash().is_some() { Some(HashMut(self)) } else { None }
    }
}

impl HashMut<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other type is a hash")]
    #[inline]
    const fn form(&mut self) -> Option<Form<'_>> {
        match self.0 {
            Value::Hash(hash) => Some(Form::Lasting(hash)),
            Value::HashTtl(hash) => Some(Form::Expiring(hash)),
            _ => None,
        }
    }

    /// The hash, read-only.
    #[inline]
    const fn as_ref(&self) -> Option<HashRef<'_>> {
        self.0.as_hash()
    }

    /// Finds a field; returns its expiry too.
    pub(crate) fn find(
        &self,
        field: Member<'_>,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> Option<Found> {
        self.as_ref()?.find(field, policy, time)
    }

    /// The number of stored fields, including expired ones.
    #[inline]
    pub(crate) fn held(&self) -> usize {
        self.as_ref().map_or(0, HashRef::held)
    }

    /// Returns whether there are no fields.
    #[inline]
    pub(crate) fn is_empty(&self, time: &CommandTime<'_>) -> bool {
        self.as_ref().is_none_or(|hash| hash.len(time) == 0)
    }

    /// Prepares the encoding for a command that will set these fields.
    #[inline]
    pub(crate) fn expect(&mut self, pairs: &[Pair<'_>], policy: &EncodingPolicy<'_>) {
        let Some(mut bytes) = self.as_ref().and_then(HashRef::listpack_len) else { return };
        let settings = policy.settings;
        let many =
            policy.profile.sizes_ahead() && pairs.len() > settings.hash_max_listpack_entries();
        let long = pairs.iter().any(|pair| {
            bytes += text_len(pair.0) + text_len(pair.1);
            is_long(*pair, policy)
        });
        if many || long || bytes > MAX_BYTES {
            match self.form() {
                Some(Form::Lasting(hash)) => hash.make_table(policy),
                Some(Form::Expiring(hash)) => hash.make_table(policy),
                None => {}
            }
        }
    }

    /// Sets the value of a field, and removes its expiry unless `expiry` says otherwise; returns whether the field is
    /// new.
    #[inline]
    pub(crate) fn set(
        &mut self,
        pair: Pair<'_>,
        expiry: FieldExpiry,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> bool {
        match self.form() {
            Some(Form::Lasting(hash)) => hash.set(pair, policy),
            Some(Form::Expiring(hash)) => hash.set(pair, expiry, policy, time),
            None => false,
        }
    }

    /// As [`set`](Self::set) for several fields; returns how many are new.
    #[inline]
    pub(crate) fn set_each(
        &mut self,
        pairs: &[Pair<'_>],
        expiry: FieldExpiry,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> usize {
        if let Some(Form::Lasting(hash)) = self.form()
            && let Some(added) = hash.fill(pairs, policy)
        {
            return added;
        }
        let field = |(field, _)| field;
        self.change_each(pairs, field, policy, |hash, pair| hash.set(pair, expiry, policy, time))
    }

    /// Converts the hash to one whose fields can expire.
    #[cold]
    pub(crate) fn make_expiring(&mut self, policy: &EncodingPolicy<'_>) -> Option<&mut Expiring> {
        if let Value::Hash(hash) = self.0 {
            let hash = std::mem::replace(hash, Lasting::new());
            *self.0 = Value::HashTtl(Expiring::of(hash, policy));
        }
        self.0.as_expiring_mut()
    }

    /// Sets the expiry of a field that was found.
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

    /// Calls `change` to set or remove each of `all`, whose fields `field` returns; returns how often it was `true`.
    /// The cache misses of many fields overlap.
    #[inline]
    pub(crate) fn change_each<'m, T: Copy>(
        &mut self,
        all: &[T],
        field: impl Fn(T) -> Member<'m>,
        policy: &EncodingPolicy<'_>,
        change: impl Fn(&mut Self, T) -> bool,
    ) -> usize {
        if let [one] = all {
            return change(self, *one).into();
        }
        let mut changed = 0;
        for some in all.chunks(AT_ONCE) {
            if let Some(hash) = self.as_ref() {
                hash.prefetch(some.iter().map(|one| field(*one)), policy);
            }
            changed += some.iter().filter(|one| change(self, **one)).count();
        }
        changed
    }

    /// Removes a field; returns whether it existed.
    pub(crate) fn remove(
        &mut self,
        field: Member<'_>,
        policy: &EncodingPolicy<'_>,
        time: &CommandTime<'_>,
    ) -> bool {
        match self.form() {
            Some(Form::Lasting(hash)) => hash.remove(field, policy),
            Some(Form::Expiring(hash)) => hash.remove(field, policy, time),
            None => false,
        }
    }
}
