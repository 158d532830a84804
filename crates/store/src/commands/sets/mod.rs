//! Commands on sets.

mod algebra;
mod entry;
pub(super) mod table;

use bytes::Bytes;

use super::byte_strings::ByteStrings;
use super::keyspace::ScanOptions;
use super::{MOST_DRAWS, check, checked, stores};
use crate::error::{Error, Result};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::scope::{Scope, View};
use crate::store::{Locks, Store};
use crate::value::SetRef;
use algebra::Operation;
pub use entry::{SetEntry, SetKind};

use crate::to_key::ToKey;
use crate::to_keys::ToKeys;
use crate::to_member::{ToMember, ToMembers};

/// Commands on sets.
///
/// A set of at most `set-max-intset-entries` integers is an intset, one of at most `set-max-listpack-entries` short
/// members a listpack, any other a hash table. The encoding changes when a member does not fit, and never changes back.
impl<L: Locks> Store<L> {
    /// SADD: adds members; returns the number of new ones. O(1) each in a hash table, O(members) in an intset of at
    /// most 512.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set; an error if a member exceeds 512
    /// MiB.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// assert_eq!(store.sadd("s", [1, 2, 3])?, 3);
    /// assert_eq!(store.sadd("s", ["3", "4"])?, 1);
    /// assert!(store.sismember("s", 4)?);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn sadd(&self, key: impl ToKey, of: impl ToMembers) -> Result<usize> {
        of.with_members(|of| {
            check(of)?;
            self.entry(key, |set: &mut SetEntry<'_>| Ok(set.add_all(of)))
        })
    }

    /// SREM: removes members; returns how many existed. The key is removed with the last member. O(1) each in a hash
    /// table, O(members) in an intset.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set.
    pub fn srem(&self, key: impl ToKey, of: impl ToMembers) -> Result<usize> {
        of.with_members(|of| {
            check(of)?;
            self.entry(key, |set: &mut SetEntry<'_>| Ok(set.remove_all(of)))
        })
    }

    /// SISMEMBER: returns whether the set has this member. O(1) in a hash table, O(log members) in an intset.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set.
    pub fn sismember(&self, key: impl ToKey, member: impl ToMember) -> Result<bool> {
        member.with_member(|member| {
            self.read(key, |view, keys| {
                Ok(set_at(view, keys[0])?.is_some_and(|set| set.contains(member, &view.policy())))
            })
        })
    }

    /// SCARD: returns the number of members. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set.
    pub fn scard(&self, key: impl ToKey) -> Result<usize> {
        self.read(key, |view, keys| Ok(set_at(view, keys[0])?.map_or(0, SetRef::len)))
    }

    /// SMEMBERS: returns all members, in ascending order for an intset. O(members).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set.
    pub fn smembers(&self, key: impl ToKey) -> Result<Vec<Bytes>> {
        self.read(key, |view, keys| {
            let Some(set) = set_at(view, keys[0])? else { return Ok(Vec::new()) };
            let mut members = ByteStrings::with_capacity(set.len());
            set.for_each(|member| members.push(member));
            Ok(members.finish())
        })
    }

    /// SMEMBERS without a copy: calls `visit` with each member; returns the number of members. The key is locked
    /// meanwhile. O(members).
    ///
    /// # Errors
    ///
    /// As [`smembers`](Self::smembers).
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.sadd("unique:2015-05-17", [7, 300])?;
    /// let mut sum = 0;
    /// store.smembers_with("unique:2015-05-17", |member| sum += member.as_int().unwrap_or(0))?;
    /// assert_eq!(sum, 307);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn smembers_with(&self, key: impl ToKey, visit: impl FnMut(Member<'_>)) -> Result<usize> {
        self.read(key, |view, keys| {
            let Some(set) = set_at(view, keys[0])? else { return Ok(0) };
            let _holding = self.holding();
            set.for_each(visit);
            Ok(set.len())
        })
    }

    /// SMISMEMBER: returns for each of these members whether the set has it. O(1) each in a hash table, O(log members)
    /// in an intset.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set.
    pub fn smismember(&self, key: impl ToKey, of: impl ToMembers) -> Result<Vec<bool>> {
        of.with_members(|of| {
            check(of)?;
            self.read(key, |view, keys| {
                Ok(match set_at(view, keys[0])? {
                    Some(set) => set.contains_each(of, &view.policy()),
                    None => vec![false; of.len()],
                })
            })
        })
    }

    /// SMOVE: moves a member from one set to another; returns `false` if the source does not have it. O(1) in hash
    /// tables.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if one of the keys holds no set.
    pub fn smove(
        &self,
        source: impl ToKey,
        destination: impl ToKey,
        member: impl ToMember,
    ) -> Result<bool> {
        member.with_member(|member| {
            checked(member)?;
            self.write((source, destination), |scope, keys| {
                move_member(scope, keys[0], keys[1], member)
            })
        })
    }

    /// Moves the members for which `chosen` returns true from one set to another, as SMOVE moves one; returns their
    /// number. Sinks receive an SREM and an SADD. O(members of the source).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if one of the keys holds no set.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.sadd("numbers", 1..=9)?;
    /// assert_eq!(store.smove_if("numbers", "even", |n| n.as_int().is_some_and(|n| n % 2 == 0))?, 4);
    /// assert_eq!(store.smembers("even")?, ["2", "4", "6", "8"]);
    /// assert_eq!(store.scard("numbers")?, 5);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn smove_if(
        &self,
        source: impl ToKey,
        destination: impl ToKey,
        mut chosen: impl FnMut(Member<'_>) -> bool,
    ) -> Result<usize> {
        self.write((source, destination), |scope, keys| {
            let _holding = self.holding();
            let (from, to) = (keys[0], keys[1]);
            scope.with(to, |_: &mut SetEntry<'_>| Ok(()))?;
            if from.bytes == to.bytes {
                return scope.with(from, |set: &mut SetEntry<'_>| {
                    let mut count = 0;
                    set.for_each(|member| count += usize::from(chosen(member)));
                    Ok(count)
                });
            }
            let extracted =
                scope.with(from, |set: &mut SetEntry<'_>| Ok(set.extract_if(chosen)))?;
            scope.with(to, |set: &mut SetEntry<'_>| {
                set.append(&extracted);
                Ok(())
            })?;
            Ok(extracted.len())
        })
    }

    /// SPOP: removes and returns a member, chosen uniformly at random, or `None` if there is none. O(1) in a hash
    /// table, O(members) in the small encodings.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.sadd("raffle", ["alice", "bob", "carol"])?;
    /// let winner = store.spop("raffle")?.unwrap();
    /// assert!(!store.sismember("raffle", &winner)?);
    /// assert_eq!(store.scard("raffle")?, 2);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn spop(&self, key: impl ToKey) -> Result<Option<Bytes>> {
        self.entry(key, |set: &mut SetEntry<'_>| Ok(set.pop(1).pop()))
    }

    /// SPOP with a count: removes and returns that many distinct members, or all. O(count) in a hash table, O(members)
    /// in the small encodings.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set.
    pub fn spop_multiple(&self, key: impl ToKey, count: usize) -> Result<Vec<Bytes>> {
        self.entry(key, |set: &mut SetEntry<'_>| Ok(set.pop(count)))
    }

    /// SRANDMEMBER: returns a member, chosen uniformly at random, or `None` if there is none. O(1), O(members) in a
    /// listpack.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set.
    pub fn srandmember(&self, key: impl ToKey) -> Result<Option<Bytes>> {
        self.read(key, |view, keys| {
            let Some(set) = set_at(view, keys[0])? else { return Ok(None) };
            Ok(set.random(view.shared().random()).map(Member::to_bytes))
        })
    }

    /// SRANDMEMBER with a count: returns that many distinct members, or all of them; with a negative count, that many
    /// members drawn with repetition. O(count), or O(members) if that is a large part of the set.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set;
    /// [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) for more than 2^31 draws with repetition.
    pub fn srandmember_multiple(&self, key: impl ToKey, count: i64) -> Result<Vec<Bytes>> {
        self.read(key, |view, keys| {
            let Some(set) = set_at(view, keys[0])? else { return Ok(Vec::new()) };
            let random = view.shared().random();
            let wanted = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
            let mut members = ByteStrings::with_capacity(wanted.min(set.len()));
            if count >= 0 {
                set.sample(wanted, random).into_iter().for_each(|member| members.push(member));
            } else if wanted > MOST_DRAWS {
                return Err(Error::out_of_range());
            } else {
                set.draw(wanted, random, |member| members.push(member));
            }
            Ok(members.finish())
        })
    }

    /// SINTER: returns the members that all of the sets have, in no order. O(members of the smallest set * sets).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if one of the keys holds no set.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.sadd("a", [1, 2, 3])?;
    /// store.sadd("b", [2, 3, 4])?;
    /// assert_eq!(store.sinter(["a", "b"])?, ["2", "3"]);
    /// assert_eq!(store.sinterstore("both", ["a", "b"])?, 2);
    /// assert_eq!(store.sunionstore("either", ["a", "b"])?, 4);
    /// assert_eq!(store.sdiff(["a", "b"])?, ["1"]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn sinter(&self, keys: impl ToKeys) -> Result<Vec<Bytes>> {
        self.read(keys, |view, keys| algebra::read(view, Operation::Inter, keys))
    }

    /// SINTERCARD: returns the number of members that all of the sets have; stops at `limit` if that is not 0.
    /// O(members of the smallest set * sets).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if one of the keys holds no set.
    pub fn sintercard(&self, keys: impl ToKeys, limit: usize) -> Result<usize> {
        self.read(keys, |view, keys| algebra::count_common(view, keys, limit))
    }

    stores! {
        /// SINTERSTORE: stores the result of [`sinter`](Self::sinter) at `destination`, replacing a value of any type;
        /// returns its number of members. An empty result removes the key. O(members of the smallest set * sets).
        ///
        /// # Errors
        ///
        /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if one of the keys holds no set.
        sinterstore(destination, keys) => algebra::store[Operation::Inter];
    }

    /// SUNION: returns the members that any of the sets has, in no order. O(members of all sets).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if one of the keys holds no set.
    pub fn sunion(&self, keys: impl ToKeys) -> Result<Vec<Bytes>> {
        self.read(keys, |view, keys| algebra::read(view, Operation::Union, keys))
    }

    stores! {
        /// SUNIONSTORE: stores the result of [`sunion`](Self::sunion) at `destination`, replacing a value of any type;
        /// returns its number of members. O(members of all sets).
        ///
        /// # Errors
        ///
        /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if one of the keys holds no set.
        sunionstore(destination, keys) => algebra::store[Operation::Union];
    }

    /// SDIFF: returns the members of the first set that none of the others has, in no order. O(members of the first set
    /// * sets), or O(members of all sets) if that is less.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if one of the keys holds no set.
    pub fn sdiff(&self, keys: impl ToKeys) -> Result<Vec<Bytes>> {
        self.read(keys, |view, keys| algebra::read(view, Operation::Diff, keys))
    }

    stores! {
        /// SDIFFSTORE: stores the result of [`sdiff`](Self::sdiff) at `destination`, replacing a value of any type;
        /// returns its number of members. An empty result removes the key. Complexity as [`sdiff`](Self::sdiff).
        ///
        /// # Errors
        ///
        /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if one of the keys holds no set.
        sdiffstore(destination, keys) => algebra::store[Operation::Diff];
    }

    /// SSCAN with a cursor: returns some of the members, and the next cursor. Start with cursor 0; the returned cursor
    /// is 0 at the end. Members that exist during the whole iteration are returned at least once, even if others are
    /// added and removed meanwhile. The small encodings are returned in one call. O(members returned), plus a few
    /// hundred at most.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no set.
    pub fn sscan_cursor(
        &self,
        key: impl ToKey,
        cursor: u64,
        options: &ScanOptions,
    ) -> Result<(u64, Vec<Bytes>)> {
        let glob = options.glob();
        self.read(key, |view, keys| {
            let Some(set) = set_at(view, keys[0])? else { return Ok((0, Vec::new())) };
            let mut found = ByteStrings::with_capacity(set.len().min(options.count()));
            let next = set.scan(cursor, options.count(), &view.policy(), |member| {
                if glob.is_none_or(|glob| member.with_bytes(|bytes| glob.matches(bytes))) {
                    found.push(member);
                }
            });
            Ok((next, found.finish()))
        })
    }
}

/// The set at a key, if it exists.
#[inline]
pub(crate) fn set_at<'v>(view: &'v View<'_>, key: HashedKey<'_>) -> Result<Option<SetRef<'v>>> {
    let Some(value) = view.get(key) else { return Ok(None) };
    value.as_set().map(Some).ok_or_else(Error::wrong_type)
}

fn move_member(
    scope: &mut Scope<'_>,
    from: HashedKey<'_>,
    to: HashedKey<'_>,
    member: Member<'_>,
) -> Result<bool> {
    let there =
        scope.with(from, |set: &mut SetEntry<'_>| Ok(set.exists().then(|| set.contains(member))));
    let fits = scope.with(to, |_: &mut SetEntry<'_>| Ok(()));
    // Without a source the type of the target is not checked.
    let Some(there) = there? else { return Ok(false) };
    fits?;
    if there && from.bytes != to.bytes {
        scope.with(from, |set: &mut SetEntry<'_>| Ok(set.remove(member)))?;
        scope.with(to, |set: &mut SetEntry<'_>| set.add(member))?;
    }
    Ok(there)
}
