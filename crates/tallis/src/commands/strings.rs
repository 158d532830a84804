//! Commands on strings.

use bytes::Bytes;

use super::checked;
use crate::error::Error;
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::door::{Door, Scope, View};
use crate::value::Value;

/// Commands on strings.
pub trait StringCommands: Door {
    /// GET: the string at the key. O(length).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string.
    fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<Bytes>, Error> {
        self.read(&[key.as_ref()], |view, keys| Ok(string_at(view, keys[0])?.map(Member::to_bytes)))
    }

    /// SET: puts a string at the key, whatever was there, and takes its expiry away. O(length).
    ///
    /// # Errors
    ///
    /// A value of more than 512 MiB.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{Store, prelude::*};
    ///
    /// let store = Store::new();
    /// store.set("name", "Thomas")?;
    /// store.set("born", 1505)?;
    /// assert_eq!(store.get("born")?.as_deref(), Some(&b"1505"[..]));
    /// assert_eq!(store.object_encoding("born")?, Some("int"));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    fn set<'a>(&self, key: impl AsRef<[u8]>, value: impl Into<Member<'a>>) -> Result<(), Error> {
        let value = checked(value.into())?;
        self.write(&[key.as_ref()], |scope, keys| {
            put(scope, keys[0], value, false);
            Ok(())
        })
    }

    /// SETNX: puts a string at the key if there is no such key; `false` if there is one. O(length).
    ///
    /// # Errors
    ///
    /// A value of more than 512 MiB.
    fn set_nx<'a>(
        &self,
        key: impl AsRef<[u8]>,
        value: impl Into<Member<'a>>,
    ) -> Result<bool, Error> {
        let value = checked(value.into())?;
        self.write(&[key.as_ref()], |scope, keys| Ok(put(scope, keys[0], value, true)))
    }

    /// INCRBY: adds `delta` to the number at the key, 0 if there is none, and returns the sum. An expiry stays. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no string, and
    /// [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) if the string is no whole number or the sum leaves
    /// the range of `i64`.
    fn incr(&self, key: impl AsRef<[u8]>, delta: i64) -> Result<i64, Error> {
        self.write(&[key.as_ref()], |scope, keys| increment(scope, keys[0], delta))
    }
}

impl<D: Door> StringCommands for D {}

/// The string at a key, if there is one.
#[inline]
fn string_at<'v>(view: &View<'v>, key: HashedKey<'_>) -> Result<Option<Member<'v>>, Error> {
    let Some(value) = view.get(key) else { return Ok(None) };
    value.as_str().map(Some).ok_or_else(Error::wrong_type)
}

fn put(scope: &mut Scope<'_>, key: HashedKey<'_>, value: Member<'_>, only_new: bool) -> bool {
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

/// Adds to the number at a key.
pub(crate) fn increment(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    delta: i64,
) -> Result<i64, Error> {
    scope.change(key, |slot| {
        let old = match slot.value() {
            None => 0,
            // A string that was changed in place may be a number now.
            Some(value) => value
                .as_str()
                .ok_or_else(Error::wrong_type)?
                .as_int()
                .ok_or_else(Error::not_integer)?,
        };
        let sum = old.checked_add(delta).ok_or_else(Error::overflow)?;
        slot.put(Value::Int(sum));
        slot.changed("INCRBY", || vec![Member::Int(delta).to_bytes()]);
        Ok(sum)
    })
}
