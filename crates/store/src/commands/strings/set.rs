//! How whole strings are put at keys and taken away.

use bytes::Bytes;

use super::entry::put;
use super::options::{ExistenceCheck, ExpiryChange, SetOptions, SetOutcome};
use super::string_in;
use crate::commands::StringEntry;
use crate::commands::{check, checked};
use crate::error::Result;
use crate::member::Member;
use crate::store::slot::{BY_COMMAND, Expires};
use crate::store::{Locks, Store};
use crate::to_key::ToKey;
use crate::to_keys::ToKeys;
use crate::value::Value;

/// SET with options, for the command of that name.
///
/// As in Redis, the time is judged first, then the type if the old string is asked for, then the condition.
pub(crate) fn set_with(
    store: &Store<impl Locks>,
    key: impl ToKey,
    value: Member<'_>,
    options: SetOptions,
    command: &str,
) -> Result<SetOutcome> {
    let value = checked(value)?;
    store.write(key, |scope, keys| {
        let expires = match options.ttl {
            ExpiryChange::Until(time) => Expires::At(time.at_ms(|| scope.now_ms(), command)?),
            ExpiryChange::Clear => Expires::Never,
            ExpiryChange::Keep => Expires::Keep,
        };
        let (deletes, now_ms) = (store.shared().profile().set_deletes(), scope.now_ms());
        let mut slot = scope.slot(keys[0]);
        let old = if options.get { string_in(&slot)?.map(Member::to_bytes) } else { None };
        let set = match options.condition {
            None => true,
            Some(ExistenceCheck::NX) => !slot.exists(),
            Some(ExistenceCheck::XX) => slot.exists(),
        };
        if set {
            // One that is to expire in the past is put too, as in Redis: it is never seen, but DBSIZE counts it until
            // it is read. Later servers delete the key.
            match expires {
                Expires::At(at) if deletes && at <= now_ms => drop(slot.delete()),
                Expires::Keep | Expires::Never | Expires::At(_) => put(&mut slot, value, expires),
            }
        }
        Ok(SetOutcome { set, old })
    })
}

/// GETEX. The expiry is asked for only when there is a string at the key: what is wrong with it does not matter before.
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
            ExpiryChange::Clear => drop(entry.persist()),
            ExpiryChange::Until(time) => {
                let at = time.at_ms(|| entry.now_ms(), "getex")?;
                entry.expire_at_ms(at);
            }
        }
        Ok(Some(string))
    })
}

/// MSET and MSETNX; `false` if one of the keys exists and must not.
pub(crate) fn put_all(
    store: &Store<impl Locks>,
    keys: impl ToKeys,
    values: &[Member<'_>],
    only_new: bool,
) -> Result<bool> {
    check(values)?;
    store.write(keys, |scope, keys| {
        if keys.is_empty() {
            return Ok(true);
        }
        if only_new && keys.iter().any(|&key| scope.slot(key).exists()) {
            return Ok(false);
        }
        for (&key, &value) in keys.iter().zip(values) {
            scope.slot(key).put(Value::string(value), Expires::Never, BY_COMMAND);
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
