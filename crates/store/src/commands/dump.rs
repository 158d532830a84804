//! DUMP and RESTORE: serialized values.

use bytes::Bytes;

use crate::error::{Error, Result};
use crate::persist;
use crate::store::slot::Slot;
use crate::store::{Locks, Store};
use crate::value::Value;

use crate::to_key::ToKey;

/// DUMP and RESTORE: serialized values, for exchange between stores and servers.
///
/// # Errors
///
/// In a transaction, all of them return [`ErrorKind::KeyNotNamed`](crate::ErrorKind::KeyNotNamed) for a key that was
/// not named.
impl<L: Locks> Store<L> {
    /// DUMP: returns the serialized value for RESTORE, or `None` if the key does not exist. The version is that of the
    /// store's [`Profile`](crate::Profile), or a newer one if the type requires it. O(size of the value).
    ///
    /// # Errors
    ///
    /// No version of Redis's format has the type of the value.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.sadd("s", [1, 2, 3])?;
    /// let payload = store.dump("s")?.unwrap();
    /// // The type, the length of the blob, the blob; then the version and a checksum.
    /// assert_eq!(payload[..10], [11, 14, 2, 0, 0, 0, 3, 0, 0, 0]);
    /// assert_eq!(payload[16..18], [11, 0]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn dump(&self, key: impl ToKey) -> Result<Option<Bytes>> {
        self.read(key, |view, keys| {
            let profile = view.shared().profile();
            let value = view.get(keys[0]);
            value.map(|value| persist::dump(value, profile).map(Bytes::from)).transpose()
        })
    }

    /// RESTORE: creates a key from a payload of DUMP, with [`RestoreOptions`]. The payload is not trusted. O(size of
    /// the value).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyExists`](crate::ErrorKind::KeyExists) if the key exists and is not to be replaced;
    /// [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) if the payload's version or checksum is wrong, or its value is
    /// not valid in its encoding.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::{ErrorKind, RestoreOptions, Store};
    ///
    /// let store = Store::new();
    /// store.pfadd("uv", ["alice", "bob"])?;
    /// let payload = store.dump("uv")?.unwrap();
    ///
    /// let other = Store::new();
    /// other.restore("uv", &payload, RestoreOptions::default().ttl_ms(60_000))?;
    /// assert_eq!(other.pfcount(["uv"])?, 2);
    /// assert_eq!(other.ttl("uv")?.secs(), 60);
    /// let again = other.restore("uv", &payload, RestoreOptions::default());
    /// assert_eq!(again.unwrap_err().kind(), ErrorKind::KeyExists);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn restore(
        &self,
        key: impl ToKey,
        payload: impl AsRef<[u8]>,
        options: RestoreOptions,
    ) -> Result<()> {
        let payload = payload.as_ref();
        self.write(key, |scope, keys| {
            // Looking up the key counts as an access; a payload that is refused does not.
            if !options.replace && scope.slot(keys[0]).exists() {
                return Err(Error::busy_key());
            }
            let value = persist::restore(payload, scope.shared(), options.any_version)?;
            restore(&mut scope.slot(keys[0]), value, payload, options);
            Ok(())
        })
    }
}

/// The options of [`Store::restore`](crate::Store::restore). Default: no expiry, accessed now, without replacing an
/// existing key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RestoreOptions {
    ttl_ms: u64,
    absolute: bool,
    replace: bool,
    any_version: bool,
    idle_secs: u32,
}

impl RestoreOptions {
    /// Sets the time to live, in milliseconds; 0 for no expiry.
    pub const fn ttl_ms(mut self, milliseconds: u64) -> Self {
        self.ttl_ms = milliseconds;
        self.absolute = false;
        self
    }

    /// ABSTTL: sets the expiry, in milliseconds since the Unix epoch; 0 for no expiry. With a time in the past no key
    /// is created.
    pub const fn expire_at_ms(mut self, milliseconds: u64) -> Self {
        self.ttl_ms = milliseconds;
        self.absolute = true;
        self
    }

    /// REPLACE: sets whether the key replaces an existing one.
    pub const fn replace(mut self, replace: bool) -> Self {
        self.replace = replace;
        self
    }

    /// Sets whether payloads with versions and types are accepted that are newer than the servers of the store's
    /// [`Profile`](crate::Profile), as in files. Use it between stores. The RESTORE that sinks receive is then one that
    /// only newer servers accept.
    pub const fn any_version(mut self, any: bool) -> Self {
        self.any_version = any;
        self
    }

    /// IDLETIME: sets the seconds since the last access of the key.
    pub const fn idle_secs(mut self, seconds: u32) -> Self {
        self.idle_secs = seconds;
        self
    }

    fn expires_at(self, now_ms: i64) -> Option<i64> {
        let ttl = i64::try_from(self.ttl_ms).unwrap_or(i64::MAX);
        match (ttl, self.absolute) {
            (0, _) => None,
            (at, true) => Some(at),
            // In Redis the sum wraps, to a time in the distant past. Replies cannot distinguish that from a time that
            // is never reached.
            (ttl, false) => Some(now_ms.wrapping_add(ttl)),
        }
    }
}

fn restore(slot: &mut Slot<'_>, value: Value, payload: &[u8], options: RestoreOptions) {
    let expires_at = options.expires_at(slot.now_ms());
    if expires_at.is_some_and(|at| slot.has_come(at)) {
        slot.delete();
        return;
    }
    let words = || {
        let expires_at = expires_at.unwrap_or(0).to_string();
        let options = ["REPLACE", "ABSTTL"].map(|word| Bytes::from_static(word.as_bytes()));
        let words = [Bytes::from(expires_at), Bytes::copy_from_slice(payload)];
        words.into_iter().chain(options).collect()
    };
    slot.put(value, expires_at, ("RESTORE", words));
    slot.set_idle(options.idle_secs);
}
