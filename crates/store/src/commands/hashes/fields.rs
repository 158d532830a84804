//! Commands on the expiry of fields.

use std::borrow::Borrow;
use std::time::Duration;

use bytes::Bytes;

use super::{FieldExistenceCheck, FieldExpire, FieldPersist, HashEntry, hash_at, with_pairs};
use crate::commands::expiry::{ExpireOption, ExpireTime, Ttl, system_time};
use crate::commands::{ExistenceCheck, Expiry, ExpiryChange, SetExpiry, Time, Unit};
use crate::error::{Error, Result};
use crate::execute::refused;
use crate::member::Member;
use crate::profile::Profile;
use crate::store::{Locks, Store};
use crate::to_expiry::{ToSpan, ToTime};
use crate::to_key::ToKey;
use crate::to_member::{ToMember, ToMembers};
use crate::value::{FieldExpiry, NEVER};

/// Commands on the expiry of fields.
///
/// An expired field is not visible to any command, to the millisecond of the store's [`Clock`](crate::Clock). Its
/// memory is released when it is written, or by [`sweep`](Self::sweep). The key of a hash whose fields have all expired
/// is removed then, too: until then it is an empty hash. The first expiry of a field converts the hash to an encoding
/// with times, in O(fields).
impl<L: Locks> Store<L> {
    /// HEXPIRE: sets fields to expire `seconds` from now, or after a [`Duration`]; returns the result for each. Zero
    /// deletes the fields. O(1) each in a hash table, O(fields) in a listpack.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no hash;
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) for a negative number, or a time after the year 4199.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use std::sync::Arc;
    ///
    /// use tallis::{ExpireOption, FieldExpire, ManualClock, Store};
    ///
    /// let clock = Arc::new(ManualClock::new(0));
    /// let store = Store::builder().clock(clock.clone()).build();
    /// store.hset("session", "token", "f00")?;
    /// let expire = store.hexpire("session", 60, ExpireOption::Always, ["token", "none"])?;
    /// assert_eq!(expire, [FieldExpire::Set, FieldExpire::NoField]);
    /// assert_eq!(store.httl("session", "token")?[0].secs(), 60);
    /// clock.advance(60_000);
    /// assert_eq!(store.hget("session", "token")?, None);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn hexpire(
        &self,
        key: impl ToKey,
        seconds: impl ToSpan,
        option: ExpireOption,
        fields: impl ToMembers,
    ) -> Result<Vec<FieldExpire>> {
        self.expire_fields(key, seconds.to_span_ms(1000), false, option, fields, "hexpire")
    }

    /// HPEXPIRE: as [`hexpire`](Self::hexpire), in milliseconds.
    ///
    /// # Errors
    ///
    /// As [`hexpire`](Self::hexpire).
    pub fn hpexpire(
        &self,
        key: impl ToKey,
        milliseconds: impl ToSpan,
        option: ExpireOption,
        fields: impl ToMembers,
    ) -> Result<Vec<FieldExpire>> {
        self.expire_fields(key, milliseconds.to_span_ms(1), false, option, fields, "hpexpire")
    }

    /// HEXPIREAT: sets fields to expire at that many seconds since the Unix epoch, or at a
    /// [`SystemTime`](std::time::SystemTime); returns the result for each. A time in the past deletes the fields.
    /// Complexity as [`hexpire`](Self::hexpire).
    ///
    /// # Errors
    ///
    /// As [`hexpire`](Self::hexpire).
    pub fn hexpire_at(
        &self,
        key: impl ToKey,
        seconds: impl ToTime,
        option: ExpireOption,
        fields: impl ToMembers,
    ) -> Result<Vec<FieldExpire>> {
        self.expire_fields(key, seconds.to_time_ms(1000), true, option, fields, "hexpireat")
    }

    /// HPEXPIREAT: as [`hexpire_at`](Self::hexpire_at), in milliseconds.
    ///
    /// # Errors
    ///
    /// As [`hexpire`](Self::hexpire).
    pub fn hpexpire_at(
        &self,
        key: impl ToKey,
        milliseconds: impl ToTime,
        option: ExpireOption,
        fields: impl ToMembers,
    ) -> Result<Vec<FieldExpire>> {
        self.expire_fields(key, milliseconds.to_time_ms(1), true, option, fields, "hpexpireat")
    }

    fn expire_fields(
        &self,
        key: impl ToKey,
        ms: Option<i64>,
        absolute: bool,
        option: ExpireOption,
        fields: impl ToMembers,
        command: &str,
    ) -> Result<Vec<FieldExpire>> {
        fields.with_members(|fields| {
            self.entry(key, |hash: &mut HashEntry<'_>| {
                let amount = ms.ok_or_else(|| Error::invalid_expire(command))?;
                let time = Time { unit: Unit::Milliseconds, absolute, amount };
                let at_ms = field_time(time, || hash.now_ms(), hash.shared().profile(), command)?;
                Ok(hash.expire_fields(fields, at_ms, option))
            })
        })
    }

    /// HPERSIST: removes the expiry of fields; returns the result for each. Complexity as [`hexpire`](Self::hexpire).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no hash.
    pub fn hpersist(&self, key: impl ToKey, fields: impl ToMembers) -> Result<Vec<FieldPersist>> {
        fields.with_members(|fields| {
            self.entry(key, |hash: &mut HashEntry<'_>| Ok(hash.persist_fields(fields)))
        })
    }

    /// HTTL and HPTTL: returns the time until each field expires, with millisecond precision; [`Ttl::NoKey`] for a
    /// field that does not exist. Complexity as [`hexpire`](Self::hexpire).
    ///
    /// # Errors
    ///
    /// As [`hpersist`](Self::hpersist).
    pub fn httl(&self, key: impl ToKey, fields: impl ToMembers) -> Result<Vec<Ttl>> {
        self.expiries(key, fields, |expiry, now_ms| match expiry {
            None => Ttl::NoKey,
            Some(NEVER) => Ttl::Never,
            Some(at) => Ttl::In(Duration::from_millis(at.saturating_sub(now_ms).unsigned_abs())),
        })
    }

    /// HEXPIRETIME and HPEXPIRETIME: returns the time at which each field expires, with millisecond precision;
    /// [`ExpireTime::NoKey`] for a field that does not exist. Complexity as [`hexpire`](Self::hexpire).
    ///
    /// # Errors
    ///
    /// As [`hpersist`](Self::hpersist).
    pub fn hexpire_time(&self, key: impl ToKey, fields: impl ToMembers) -> Result<Vec<ExpireTime>> {
        self.expiries(key, fields, |expiry, _| match expiry {
            None => ExpireTime::NoKey,
            Some(NEVER) => ExpireTime::Never,
            Some(at) => system_time(at).map_or(ExpireTime::Never, ExpireTime::At),
        })
    }

    fn expiries<T>(
        &self,
        key: impl ToKey,
        fields: impl ToMembers,
        tell: impl Fn(Option<i64>, i64) -> T,
    ) -> Result<Vec<T>> {
        fields.with_members(|fields| {
            self.read(key, |view, keys| {
                let hash = hash_at(view, keys[0])?;
                let expiry = |&field: &Member<'_>| {
                    let found = hash?.find(field, &view.policy(), view.time())?;
                    Some(found.expires_at)
                };
                Ok(fields.iter().map(|field| tell(expiry(field), view.now_ms())).collect())
            })
        })
    }

    /// HGETEX: returns the values of fields and changes their expiry; a time in the past deletes them. Complexity as
    /// [`hexpire`](Self::hexpire).
    ///
    /// # Errors
    ///
    /// As [`hexpire`](Self::hexpire).
    pub fn hget_ex(
        &self,
        key: impl ToKey,
        fields: impl ToMembers,
        expiry: impl Into<Expiry>,
    ) -> Result<Vec<Option<Bytes>>> {
        let change = ExpiryChange::from(expiry.into());
        fields.with_members(|fields| {
            self.entry(key, |hash: &mut HashEntry<'_>| {
                let expiry = hash.time_of(change, "hgetex")?;
                Ok(hash.get_expiring(fields, expiry))
            })
        })
    }

    /// HSETEX: sets fields with options; returns `false` if a condition does not hold. Without an expiry option, the
    /// expiry of the fields is removed. Complexity as [`hexpire`](Self::hexpire).
    ///
    /// # Errors
    ///
    /// As [`hexpire`](Self::hexpire); an error if a field or a value exceeds 512 MiB.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{FieldExistenceCheck, HashSetExOptions, SetExpiry, Store};
    ///
    /// let store = Store::new();
    /// let options = HashSetExOptions::default()
    ///     .set_existence_check(FieldExistenceCheck::FNX)
    ///     .set_expiration(SetExpiry::EX(60));
    /// assert!(store.hset_ex("session", &options, [("token", "f00")])?);
    /// assert!(!store.hset_ex("session", &options, [("token", "bar")])?);
    /// assert_eq!(store.httl("session", "token")?[0].secs(), 60);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn hset_ex<F: ToMember, V: ToMember>(
        &self,
        key: impl ToKey,
        options: &HashSetExOptions,
        items: impl IntoIterator<Item: Borrow<(F, V)>>,
    ) -> Result<bool> {
        with_pairs(items, |pairs| {
            self.entry(key, |hash: &mut HashEntry<'_>| hash.set_with(pairs, options))
        })
    }

    /// HGETDEL: removes fields and returns their values. Complexity as [`hdel`](Self::hdel).
    ///
    /// # Errors
    ///
    /// As [`hpersist`](Self::hpersist).
    pub fn hget_del(&self, key: impl ToKey, fields: impl ToMembers) -> Result<Vec<Option<Bytes>>> {
        fields.with_members(|fields| {
            self.entry(key, |hash: &mut HashEntry<'_>| Ok(hash.take_fields(fields)))
        })
    }
}

/// The options of HSETEX, with the names of the `redis` crate.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HashSetExOptions {
    pub(super) condition: Option<ExistenceCheck>,
    pub(super) fields: Option<FieldExistenceCheck>,
    pub(super) expiry: ExpiryChange,
}

impl HashSetExOptions {
    /// Sets the fields only if none of them exists, or only if all of them exist.
    #[must_use]
    pub const fn set_existence_check(mut self, check: FieldExistenceCheck) -> Self {
        self.fields = Some(check);
        self
    }

    /// Sets the fields only if the key exists, or only if it does not.
    #[must_use]
    pub const fn conditional_set(mut self, existence_check: ExistenceCheck) -> Self {
        self.condition = Some(existence_check);
        self
    }

    /// Sets what happens to the expiry of the fields. Default: it is removed.
    #[must_use]
    pub fn set_expiration(self, expiration: impl Into<SetExpiry>) -> Self {
        self.ttl(expiration.into().into())
    }

    pub(super) const fn ttl(mut self, ttl: ExpiryChange) -> Self {
        self.expiry = ttl;
        self
    }
}

impl HashEntry<'_> {
    /// HGETEX.
    pub(super) fn get_expiring(
        &mut self,
        fields: &[Member<'_>],
        expiry: FieldExpiry,
    ) -> Vec<Option<Bytes>> {
        if expiry != FieldExpiry::Keep {
            self.take_times(&[]);
        }
        if let FieldExpiry::At(at_ms) = expiry
            && self.time().has_come(at_ms)
        {
            return self.take_fields(fields);
        }
        let values: Vec<Option<Bytes>> =
            fields.iter().map(|&field| self.get(field).map(Member::to_bytes)).collect();
        match expiry {
            FieldExpiry::Keep => {}
            FieldExpiry::At(NEVER) => {
                self.persist_fields(fields);
            }
            FieldExpiry::At(at_ms) => {
                self.expire_fields(fields, at_ms, ExpireOption::Always);
            }
        }
        values
    }

    /// HSETEX.
    pub(super) fn set_with(
        &mut self,
        pairs: &[(Member<'_>, Member<'_>)],
        options: &HashSetExOptions,
    ) -> Result<bool> {
        let expiry = self.time_of(options.expiry, "hsetex")?;
        if options.condition.is_some_and(|check| !check.holds(self.exists())) {
            return Ok(false);
        }
        Ok(self.set_expiring(pairs, options.fields, expiry))
    }

    pub(super) fn time_of(&self, change: ExpiryChange, command: &str) -> Result<FieldExpiry> {
        Ok(match change {
            ExpiryChange::Keep => FieldExpiry::Keep,
            ExpiryChange::Clear => FieldExpiry::At(NEVER),
            ExpiryChange::Until(time) => FieldExpiry::At(field_time(
                time,
                || self.now_ms(),
                self.shared().profile(),
                command,
            )?),
        })
    }
}

/// The time at which a field expires, in milliseconds since the epoch.
pub(super) fn field_time(
    time: Time,
    now_ms: impl FnOnce() -> i64,
    profile: Profile,
    command: &str,
) -> Result<i64> {
    if time.amount < 0 && !profile.reads_fields_as_valkey() {
        return Err(refused("ERR invalid expire time, must be >= 0"));
    }
    let at_ms = Some(time).filter(|time| time.amount >= 0).and_then(|it| it.since_epoch(now_ms));
    let latest = profile.last_field_expiry();
    at_ms.filter(|&at| at <= latest).ok_or_else(|| Error::invalid_expire(command))
}
