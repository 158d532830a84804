//! The implementation of SET, GETEX and MSETEX.

use bytes::Bytes;

use super::entry::{put, taking_place};
use super::options::{ExistenceCheck, ExpiryChange, MSetOptions, SetOptions, SetOutcome};
use super::string_in;
use crate::commands::StringEntry;
use crate::commands::{check, checked, persist};
use crate::error::Result;
use crate::member::Member;
use crate::store::scope::Scope;
use crate::store::slot::{BY_COMMAND, Expires};
use crate::store::{Locks, Store};
use crate::to_key::ToKey;
use crate::to_keys::ToKeys;
use crate::value::Value;

/// SET with options, for the command.
///
/// As in Redis, the time is checked first, then the type if the old string is requested, then the condition.
pub(crate) fn set_with(
    store: &Store<impl Locks>,
    key: impl ToKey,
    value: Member<'_>,
    options: SetOptions,
    command: &str,
) -> Result<SetOutcome> {
    let value = checked(value)?;
    store.write(key, |scope, keys| {
        let expires = options.ttl.resolve(scope, command)?;
        let past = matches!(expires, Expires::At(at) if at <= scope.now_ms());
        let deletes = past && store.shared().profile().set_deletes();
        let mut slot = scope.slot(keys[0]);
        let reads = options.get || options.comparison.is_some();
        let string = if reads { string_in(&slot)? } else { None };
        let compares = options.comparison.is_none_or(|comparison| comparison.holds(string));
        let old = string.filter(|_| options.get).map(Member::to_bytes);
        let set = compares && options.condition.is_none_or(|check| check.holds(slot.exists()));
        if set && deletes {
            slot.delete();
        } else if set {
            // A string with an expiry in the past is stored too, as in Redis: it is never returned, but DBSIZE counts
            // it until it is accessed. Newer servers delete the key.
            put(&mut slot, value, expires);
        }
        Ok(SetOutcome { set, old })
    })
}

impl ExistenceCheck {
    pub(in crate::commands) const fn holds(self, exists: bool) -> bool {
        exists == matches!(self, Self::XX)
    }
}

impl ExpiryChange {
    fn resolve(self, scope: &Scope<'_>, command: &str) -> Result<Expires> {
        Ok(match self {
            Self::Until(time) => Expires::At(time.at_ms(|| scope.now_ms(), command)?),
            Self::Clear => Expires::Never,
            Self::Keep => Expires::Keep,
        })
    }
}

/// GETEX. The expiry is only parsed if the key holds a string: an invalid one is no error otherwise.
pub(crate) fn get_with(
    store: &Store<impl Locks>,
    key: impl ToKey,
    ttl: impl FnOnce() -> Result<ExpiryChange>,
) -> Result<Option<Bytes>> {
    let read = || {
        let ttl = ttl()?;
        if let ExpiryChange::Until(time) = ttl {
            time.at_ms(|| store.shared().now_secs() * 1000, "getex")?;
        }
        Ok(ttl)
    };
    let first = store.shared().profile().getex_reads_expiry_first();
    let (read_first, ttl) = if first { (Some(read()?), None) } else { (None, Some(read)) };
    store.entry(key, |entry: &mut StringEntry<'_>| {
        let Some(string) = entry.get().map(Member::to_bytes) else { return Ok(None) };
        let ttl =
            ttl.map_or_else(|| Ok(read_first.unwrap_or(ExpiryChange::Keep)), |read| read())?;
        match ttl {
            ExpiryChange::Keep => {}
            ExpiryChange::Clear => drop(persist(entry)),
            ExpiryChange::Until(time) => {
                let at = time.at_ms(|| entry.now_ms(), "getex")?;
                entry.expire_at_ms(at);
            }
        }
        Ok(Some(string))
    })
}

/// MSET, MSETNX and MSETEX; returns `false` if the condition does not hold.
pub(crate) fn put_all(
    store: &Store<impl Locks>,
    keys: impl ToKeys,
    values: &[Member<'_>],
    options: MSetOptions,
) -> Result<bool> {
    check(values)?;
    store.write(keys, |scope, keys| {
        let expires = options.ttl.resolve(scope, "msetex")?;
        if keys.is_empty() {
            return Ok(true);
        }
        if let Some(check) = options.condition
            && !keys.iter().all(|&key| check.holds(scope.slot(key).exists()))
        {
            return Ok(false);
        }
        if expires != Expires::Never {
            for (&key, &value) in keys.iter().zip(values) {
                put(&mut scope.slot(key), value, expires);
            }
            return Ok(true);
        }
        for (&key, &value) in keys.iter().zip(values) {
            let mut slot = scope.slot(key);
            slot.put(taking_place(&slot, Value::string(value)), Expires::Never, BY_COMMAND);
        }
        scope.effect(|| {
            let mut words = vec![Bytes::from_static(b"MSET")];
            for (key, value) in keys.iter().zip(values) {
                words.extend([Bytes::copy_from_slice(key.bytes), value.to_bytes()]);
            }
            words
        });
        Ok(true)
    })
}
