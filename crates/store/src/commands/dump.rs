//! Values as payloads.

use bytes::Bytes;

use crate::error::{Error, Result};
use crate::persist;
use crate::store::slot::Slot;
use crate::store::{Locks, Store};
use crate::value::Value;

use crate::to_key::ToKey;

/// DUMP and RESTORE: values as payloads, between stores and servers.
///
/// # Errors
///
/// In a transaction, all of them fail on a key that it did not name.
impl<L: Locks> Store<L> {
    /// DUMP: the value as a payload that RESTORE takes, of the version of the store's [`Profile`](crate::Profile); a
    /// value of a type that only newer servers have gets theirs. `None` if there is no such key. O(size of the value).
    ///
    /// # Errors
    ///
    /// A value of a type that no version of Redis's payloads has.
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

    /// RESTORE: makes a key of a payload of DUMP, as [`RestoreOptions`] say. The payload is not trusted. O(size of the
    /// value).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::KeyExists`](crate::ErrorKind::KeyExists) if the key is there and not to be replaced;
    /// [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) if the payload's version or checksum are wrong, or its value
    /// breaks the rules of its encoding.
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
            // Looking for the key counts as an access; a payload that is refused does not.
            if !options.replace && scope.slot(keys[0]).exists() {
                return Err(Error::busy_key());
            }
            let value = persist::restore(payload, scope.shared(), options.any_version)?;
            restore(&mut scope.slot(keys[0]), value, payload, options);
            Ok(())
        })
    }
}

/// How [`Store::restore`](crate::Store::restore) restores: by default a key that never expires, was used just now, and
/// replaces no other.
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
    /// Lets the key expire in so many milliseconds; 0 for never.
    pub const fn ttl_ms(mut self, milliseconds: u64) -> Self {
        self.ttl_ms = milliseconds;
        self.absolute = false;
        self
    }

    /// ABSTTL: lets the key expire at so many milliseconds since the Unix epoch; 0 for never. A time that has come
    /// already leaves no key.
    pub const fn expire_at_ms(mut self, milliseconds: u64) -> Self {
        self.ttl_ms = milliseconds;
        self.absolute = true;
        self
    }

    /// REPLACE: whether the key takes the place of one that is there.
    pub const fn replace(mut self, replace: bool) -> Self {
        self.replace = replace;
        self
    }

    /// Whether payloads of versions and types are taken that came later than the servers of the store's
    /// [`Profile`](crate::Profile), as a file's are: between stores that loaded them. The RESTORE that sinks receive is
    /// then one that only later servers take.
    pub const fn any_version(mut self, any: bool) -> Self {
        self.any_version = any;
        self
    }

    /// IDLETIME: the seconds for which the key was not used.
    pub const fn idle_secs(mut self, seconds: u32) -> Self {
        self.idle_secs = seconds;
        self
    }

    fn expires_at(self, now_ms: i64) -> Option<i64> {
        let ttl = i64::try_from(self.ttl_ms).unwrap_or(i64::MAX);
        match (ttl, self.absolute) {
            (0, _) => None,
            (at, true) => Some(at),
            // Redis lets the sum wrap, to a time long gone, which no reply distinguishes from a time that never comes.
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
