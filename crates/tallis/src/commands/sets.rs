//! Commands on sets.

use bytes::Bytes;

use super::members;
use crate::error::Error;
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::door::{Door, Scope, View};
use crate::value::{SetRef, Value};

/// Commands on sets.
///
/// A set of at most `set-max-intset-entries` whole numbers is an intset, any other a hash table; an intset becomes a
/// hash table when a member does not fit, never the other way round.
pub trait SetCommands: Door {
    /// SADD: adds members; returns how many were new. O(1) each in a hash table, O(members) in an intset of at
    /// most 512.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set; a member of more than 512
    /// MiB.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis::{Store, prelude::*};
    ///
    /// let store = Store::new();
    /// assert_eq!(store.sadd("s", [1, 2, 3])?, 3);
    /// assert_eq!(store.sadd("s", ["3", "4"])?, 1);
    /// assert!(store.sismember("s", 4)?);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    fn sadd<'a, M: Into<Member<'a>>>(
        &self,
        key: impl AsRef<[u8]>,
        of: impl IntoIterator<Item = M>,
    ) -> Result<usize, Error> {
        let of = members(of)?;
        self.write(&[key.as_ref()], |scope, keys| add_members(scope, keys[0], &of))
    }

    /// SREM: removes members; returns how many were there. A set without members is no key. O(1) each in a hash table,
    /// O(members) in an intset.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set.
    fn srem<'a, M: Into<Member<'a>>>(
        &self,
        key: impl AsRef<[u8]>,
        of: impl IntoIterator<Item = M>,
    ) -> Result<usize, Error> {
        let of = members(of)?;
        self.write(&[key.as_ref()], |scope, keys| remove_members(scope, keys[0], &of))
    }

    /// SISMEMBER: whether the set has this member. O(1) in a hash table, O(log members) in an intset.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set.
    fn sismember<'a>(
        &self,
        key: impl AsRef<[u8]>,
        member: impl Into<Member<'a>>,
    ) -> Result<bool, Error> {
        let member = member.into();
        self.read(&[key.as_ref()], |view, keys| {
            Ok(set_at(view, keys[0])?.is_some_and(|set| set.contains(member, &view.rules())))
        })
    }

    /// SCARD: how many members the set has. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set.
    fn scard(&self, key: impl AsRef<[u8]>) -> Result<usize, Error> {
        self.read(&[key.as_ref()], |view, keys| Ok(set_at(view, keys[0])?.map_or(0, SetRef::len)))
    }

    /// SMEMBERS: all members, those of an intset in ascending order. O(members).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set.
    fn smembers(&self, key: impl AsRef<[u8]>) -> Result<Vec<Bytes>, Error> {
        self.read(&[key.as_ref()], |view, keys| {
            let Some(set) = set_at(view, keys[0])? else { return Ok(Vec::new()) };
            let mut all = Vec::with_capacity(set.len());
            set.for_each(|member| all.push(member.to_bytes()));
            Ok(all)
        })
    }
}

impl<D: Door> SetCommands for D {}

/// The set at a key, if there is one.
#[inline]
pub(crate) fn set_at<'v>(view: &View<'v>, key: HashedKey<'_>) -> Result<Option<SetRef<'v>>, Error> {
    let Some(value) = view.get(key) else { return Ok(None) };
    value.as_set().map(Some).ok_or_else(Error::wrong_type)
}

/// Adds members to the set at a key; returns how many were new.
pub(crate) fn add_members(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    members: &[Member<'_>],
) -> Result<usize, Error> {
    let Some(&first) = members.first() else { return Ok(0) };
    let rules = scope.rules();
    scope.change(key, |slot| {
        if slot.value().is_none() {
            slot.put(Value::set_for(first, members.len(), &rules));
        }
        let mut set = slot.value_mut().and_then(Value::as_set_mut).ok_or_else(Error::wrong_type)?;
        let added = members.iter().filter(|&&member| set.add(member, &rules)).count();
        if added > 0 {
            slot.changed("SADD", || members.iter().map(|member| member.to_bytes()).collect());
        }
        Ok(added)
    })
}

fn remove_members(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    members: &[Member<'_>],
) -> Result<usize, Error> {
    let rules = scope.rules();
    scope.change(key, |slot| {
        let Some(value) = slot.value_mut() else { return Ok(0) };
        let mut set = value.as_set_mut().ok_or_else(Error::wrong_type)?;
        let removed = members.iter().filter(|&&member| set.remove(member, &rules)).count();
        if set.as_ref().len() == 0 {
            slot.remove();
        }
        if removed > 0 {
            slot.changed("SREM", || members.iter().map(|member| member.to_bytes()).collect());
        }
        Ok(removed)
    })
}
