//! Commands on keys of any type.

use std::borrow::Cow;

use bytes::Bytes;
use rdb::WriteOptions;

use super::{keys, slices};
use crate::error::{Error, ErrorKind};
use crate::key::HashedKey;
use crate::persist;
use crate::store::door::{Door, Scope};
use crate::store::slot::Slot;
use crate::store::stripe::{Found, Keyspace};
use crate::value::Value;

/// Commands on keys of any type, and on all keys.
///
/// # Errors
///
/// Those of an `EXPIRE` whose time leaves the range of 64 bits, and, in a transaction, of a key that it did not
/// name.
pub trait KeyCommands: Door {
    /// DBSIZE: how many keys the database holds. Keys that have expired but were not touched since are counted, as Redis
    /// does. O(stripes).
    ///
    /// # Errors
    ///
    /// In a transaction on named keys, that it has not locked the store.
    fn dbsize(&self) -> Result<usize, Error> {
        self.read_stripes(0..self.shared().stripe_count(), |view| {
            Ok(view.keyspaces().map(Keyspace::len).sum())
        })
    }

    /// DEL: removes keys; returns how many there were. O(keys), and the size of what they hold.
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    fn del<K: AsRef<[u8]>>(&self, of: impl IntoIterator<Item = K>) -> Result<usize, Error> {
        let of = keys(of);
        self.write(&slices(&of), |scope, keys| {
            Ok(keys.iter().filter(|&&key| scope.change(key, delete)).count())
        })
    }

    /// EXISTS: how many of the keys exist; a key named twice counts twice. O(keys).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    fn exists<K: AsRef<[u8]>>(&self, of: impl IntoIterator<Item = K>) -> Result<usize, Error> {
        let of = keys(of);
        self.read(&slices(&of), |view, keys| {
            Ok(keys.iter().filter(|&&key| view.get(key).is_some()).count())
        })
    }

    /// EXPIRE: lets the key expire in `seconds` from now; `false` if there is no such key. O(1).
    ///
    /// With zero or less the key is gone at once.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Syntax`] if the moment does not fit into 64 bits of milliseconds.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{Store, prelude::*};
    ///
    /// let store = Store::new();
    /// store.set("k", "v")?;
    /// assert!(store.expire("k", 60)?);
    /// assert_eq!(store.ttl("k")?, 60);
    /// assert!(!store.expire("other", 60)?);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    fn expire(&self, key: impl AsRef<[u8]>, seconds: i64) -> Result<bool, Error> {
        expire_in(self, key.as_ref(), seconds.checked_mul(1000), "expire")
    }

    /// PEXPIRE: as [`expire`](Self::expire), in milliseconds.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    fn pexpire(&self, key: impl AsRef<[u8]>, milliseconds: i64) -> Result<bool, Error> {
        expire_in(self, key.as_ref(), Some(milliseconds), "pexpire")
    }

    /// PEXPIREAT: lets the key expire at that many milliseconds since the Unix epoch; `false` if there is no such key.
    /// O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    fn pexpire_at(&self, key: impl AsRef<[u8]>, at_ms: i64) -> Result<bool, Error> {
        self.write(&[key.as_ref()], |scope, keys| Ok(expire_at(scope, keys[0], at_ms)))
    }

    /// PERSIST: takes the expiry away; `false` if there was none. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    fn persist(&self, key: impl AsRef<[u8]>) -> Result<bool, Error> {
        self.write(&[key.as_ref()], |scope, keys| {
            Ok(scope.change(keys[0], |slot| {
                let expiring = slot.expires_at().is_some();
                if expiring {
                    slot.set_expiry(None);
                    slot.changed("PERSIST", Vec::new);
                }
                expiring
            }))
        })
    }

    /// TTL: the seconds until the key expires, rounded; -1 if it never does, -2 if there is no such key. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    fn ttl(&self, key: impl AsRef<[u8]>) -> Result<i64, Error> {
        let ms = self.pttl(key)?;
        Ok(if ms < 0 { ms } else { ms.saturating_add(500) / 1000 })
    }

    /// PTTL: as [`ttl`](Self::ttl), in milliseconds.
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    fn pttl(&self, key: impl AsRef<[u8]>) -> Result<i64, Error> {
        self.read(&[key.as_ref()], |view, keys| {
            Ok(match view.find(keys[0]).map(Found::expires_at) {
                None => -2,
                Some(None) => -1,
                Some(Some(at)) => at.saturating_sub(view.now_ms()),
            })
        })
    }

    /// TYPE: the type of the value, `None` if there is no such key. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    fn key_type(&self, key: impl AsRef<[u8]>) -> Result<Option<Cow<'static, str>>, Error> {
        self.read(&[key.as_ref()], |view, keys| Ok(view.get(keys[0]).map(Value::type_name)))
    }

    /// OBJECT ENCODING: how the value is kept, in Redis's words. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{Store, prelude::*};
    ///
    /// let store = Store::new();
    /// store.sadd("s", [1, 2, 3])?;
    /// assert_eq!(store.object_encoding("s")?, Some("intset"));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    fn object_encoding(&self, key: impl AsRef<[u8]>) -> Result<Option<&'static str>, Error> {
        self.read(&[key.as_ref()], |view, keys| Ok(view.get(keys[0]).map(Value::encoding)))
    }

    /// OBJECT IDLETIME: the seconds since a command last touched the key, without counting as a touch. `None` if there is
    /// no such key. O(1).
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    fn object_idletime(&self, key: impl AsRef<[u8]>) -> Result<Option<u32>, Error> {
        self.read(&[key.as_ref()], |view, keys| Ok(view.idle_secs(keys[0])))
    }

    /// DUMP: the value as a payload that RESTORE takes, of Redis 7.0 and later and of every Valkey. `None` if there is no
    /// such key. O(size of the value).
    ///
    /// # Errors
    ///
    /// A value that came from a newer server and has no form in that version.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{Store, prelude::*};
    ///
    /// let store = Store::new();
    /// store.sadd("s", [1, 2, 3])?;
    /// let payload = store.dump("s")?.unwrap();
    /// // The type, the length of the blob, the blob; then the version and a checksum.
    /// assert_eq!(payload[..10], [11, 14, 2, 0, 0, 0, 3, 0, 0, 0]);
    /// assert_eq!(payload[16..18], [10, 0]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    fn dump(&self, key: impl AsRef<[u8]>) -> Result<Option<Bytes>, Error> {
        self.read(&[key.as_ref()], |view, keys| {
            let value = view.get(keys[0]);
            value
                .map(|value| persist::dump(value, WriteOptions::default()).map(Bytes::from))
                .transpose()
        })
    }

    /// What the key and its value take in memory, in bytes: the allocations of the value and of a long key with the
    /// allocator's own share, and the key's part of the tables. `None` if there is no such key. O(1) for blobs,
    /// O(members / 448) for a large set.
    ///
    /// # Errors
    ///
    /// In a transaction, a key that it did not name.
    fn memory_usage(&self, key: impl AsRef<[u8]>) -> Result<Option<usize>, Error> {
        self.read(&[key.as_ref()], |view, keys| Ok(view.find(keys[0]).map(Found::memory_usage)))
    }
}

impl<D: Door> KeyCommands for D {}

fn delete(slot: &mut Slot<'_, '_, '_>) -> bool {
    let removed = slot.remove();
    if removed {
        slot.changed("DEL", Vec::new);
    }
    removed
}

fn expire_in(
    door: &(impl Door + ?Sized),
    key: &[u8],
    ms: Option<i64>,
    command: &str,
) -> Result<bool, Error> {
    door.write(&[key], |scope, keys| {
        let at = ms.and_then(|ms| scope.now_ms().checked_add(ms));
        let at = at.ok_or_else(|| invalid_expire(command))?;
        Ok(expire_at(scope, keys[0], at))
    })
}

fn expire_at(scope: &mut Scope<'_>, key: HashedKey<'_>, at_ms: i64) -> bool {
    scope.change(key, |slot| {
        if slot.value().is_none() {
            return false;
        }
        if at_ms <= slot.now_ms() {
            return delete(slot);
        }
        slot.set_expiry(Some(at_ms));
        slot.changed("PEXPIREAT", || vec![Bytes::from(at_ms.to_string())]);
        true
    })
}

#[cold]
fn invalid_expire(command: &str) -> Error {
    Error::new(ErrorKind::Syntax, format!("ERR invalid expire time in '{command}' command"))
}
