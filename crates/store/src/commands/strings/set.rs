//! Putting whole strings at keys, and taking them away.

use bytes::Bytes;
use smallvec::SmallVec;

use super::options::{ExistenceCheck, SetOptions, SetOutcome, Ttl};
use super::string_in;
use crate::commands::checked;
use crate::commands::keys::delete;
use crate::error::Error;
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::door::{Door, Scope};
use crate::store::slot::Slot;
use crate::value::Value;

/// SET without options, and SETNX.
#[inline]
pub(super) fn put(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    value: Member<'_>,
    only_new: bool,
) -> bool {
    scope.change(key, |slot| {
        if only_new && slot.value().is_some() {
            return false;
        }
        slot.put(Value::string(value));
        slot.set_expiry(None);
        slot.changed("SET", || vec![value.to_bytes()]);
        true
    })
}

/// SET with options, for the command of that name.
///
/// As in Redis, the time is judged first, then the type if the old string is asked for, then the condition.
pub(crate) fn set_with(
    door: &(impl Door + ?Sized),
    key: &[u8],
    value: Member<'_>,
    options: SetOptions,
    command: &str,
) -> Result<SetOutcome, Error> {
    let value = checked(value)?;
    door.write(&[key], |scope, keys| {
        let until = match options.ttl {
            Ttl::Until(time) => Some(time.at_ms(|| scope.now_ms(), command)?),
            Ttl::Clear | Ttl::Keep => None,
        };
        scope.change(keys[0], |slot| {
            let old = if options.get { string_in(slot)?.map(Member::to_bytes) } else { None };
            let set = match options.condition {
                None => true,
                Some(ExistenceCheck::NX) => slot.value().is_none(),
                Some(ExistenceCheck::XX) => slot.value().is_some(),
            };
            if set {
                match (until, options.ttl) {
                    (Some(at), _) => put_until(slot, value, at),
                    (None, Ttl::Keep) if slot.expires_at().is_some() => {
                        slot.put(Value::string(value));
                        slot.changed("SET", || vec![value.to_bytes(), "KEEPTTL".into()]);
                    }
                    (None, _) => {
                        slot.put(Value::string(value));
                        slot.set_expiry(None);
                        slot.changed("SET", || vec![value.to_bytes()]);
                    }
                }
            }
            Ok(SetOutcome { set, old })
        })
    })
}

/// Puts a string that expires at `at`. One that is to expire in the past is put too, as in Redis: it is never seen, but
/// DBSIZE counts it until somebody looks.
fn put_until(slot: &mut Slot<'_, '_, '_>, value: Member<'_>, at: i64) {
    slot.put(Value::string(value));
    slot.set_expiry(Some(at));
    slot.changed("SET", || vec![value.to_bytes(), "PXAT".into(), Bytes::from(at.to_string())]);
}

/// GETDEL.
pub(super) fn take(slot: &mut Slot<'_, '_, '_>) -> Result<Option<Bytes>, Error> {
    let old = string_in(slot)?.map(Member::to_bytes);
    if old.is_some() {
        slot.remove();
        slot.changed("DEL", Vec::new);
    }
    Ok(old)
}

/// GETEX. The expiry is asked for only when there is a string at the key: what is wrong with it does not matter before.
pub(crate) fn get_with(
    door: &(impl Door + ?Sized),
    key: &[u8],
    ttl: impl FnOnce() -> Result<Ttl, Error>,
) -> Result<Option<Bytes>, Error> {
    door.write(&[key], |scope, keys| {
        scope.change(keys[0], |slot| {
            let Some(string) = string_in(slot)?.map(Member::to_bytes) else { return Ok(None) };
            match ttl()? {
                Ttl::Keep => {}
                Ttl::Clear if slot.expires_at().is_none() => {}
                Ttl::Clear => {
                    slot.set_expiry(None);
                    slot.changed("PERSIST", Vec::new);
                }
                Ttl::Until(time) => {
                    let at = time.at_ms(|| slot.now_ms(), "getex")?;
                    if at <= slot.now_ms() {
                        delete(slot);
                    } else {
                        slot.set_expiry(Some(at));
                        slot.changed("PEXPIREAT", || vec![Bytes::from(at.to_string())]);
                    }
                }
            }
            Ok(Some(string))
        })
    })
}

/// MSET and MSETNX; `false` if one of the keys exists and must not.
pub(crate) fn put_all<'p>(
    door: &(impl Door + ?Sized),
    pairs: impl Iterator<Item = (&'p [u8], Member<'p>)>,
    only_new: bool,
) -> Result<bool, Error> {
    let (mut names, mut values) =
        (SmallVec::<[&[u8]; 4]>::new(), SmallVec::<[Member<'_>; 4]>::new());
    for (name, value) in pairs {
        names.push(name);
        values.push(checked(value)?);
    }
    if names.is_empty() {
        return Ok(true);
    }
    door.write(&names, |scope, keys| {
        let exists = |scope: &mut Scope<'_>, key| scope.change(key, |slot| slot.value().is_some());
        if only_new && keys.iter().any(|&key| exists(scope, key)) {
            return Ok(false);
        }
        for (&key, &value) in keys.iter().zip(&values) {
            scope.change(key, |slot| {
                slot.put(Value::string(value));
                slot.set_expiry(None);
                slot.touched();
            });
        }
        scope.note(|| {
            let mut words = vec![Bytes::from_static(b"MSET")];
            for (name, value) in names.iter().zip(&values) {
                words.extend([Bytes::copy_from_slice(name), value.to_bytes()]);
            }
            words
        });
        Ok(true)
    })
}
