//! Commands on hashes.

mod entry;
mod expiry;
mod fields;
pub(super) mod fields_table;
#[cfg(feature = "serde")]
mod structs;
pub(super) mod table;

use std::borrow::Borrow;

use bytes::Bytes;
use smallvec::SmallVec;

use super::byte_strings::{ByteStrings, copies};
use super::keyspace::ScanOptions;
use super::{MOST_DRAWS, check};
use crate::error::{Error, Result};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::scope::View;
use crate::store::{Locks, Store};
use crate::text::extended::Extended;
use crate::to_key::ToKey;
use crate::to_member::{ToMember, ToMembers};
use crate::value::{HashRef, Pair, Value};
pub use entry::{HashEntry, HashKind};
pub(crate) use expiry::has_due_fields;
pub use expiry::{FieldExistenceCheck, FieldExpire, FieldPersist};
pub use fields::HashSetExOptions;

/// Commands on hashes.
///
/// A hash with at most `hash-max-listpack-entries` fields, and no field or value longer than `hash-max-listpack-value`,
/// is a listpack, any other a hash table; it never changes back.
impl<L: Locks> Store<L> {
    /// HSET: sets the value of a field; returns 1 if the field is new, otherwise 0. O(1) in a hash table, O(fields) in
    /// a listpack.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no hash; an error if the field or the
    /// value exceeds 512 MiB.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// assert_eq!(store.hset("user:1", "name", "ann")?, 1);
    /// assert_eq!(store.hset_multiple("user:1", [("age", 41), ("visits", 7)])?, 2);
    /// assert_eq!(store.hincr("user:1", "visits", 1)?, 8);
    /// assert_eq!(store.hget("user:1", "name")?.as_deref(), Some(&b"ann"[..]));
    /// assert_eq!(store.hget_as::<u8>("user:1", "age")?, 41);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn hset(
        &self,
        key: impl ToKey,
        field: impl ToMember,
        value: impl ToMember,
    ) -> Result<usize> {
        self.entry(key, |hash: &mut HashEntry<'_>| hash.set(field, value).map(usize::from))
    }

    /// HSET of several fields: sets their values; returns the number of new fields. O(1) each in a hash table,
    /// O(fields) in a listpack.
    ///
    /// # Errors
    ///
    /// As [`hset`](Self::hset).
    pub fn hset_multiple<F: ToMember, V: ToMember>(
        &self,
        key: impl ToKey,
        items: impl IntoIterator<Item: Borrow<(F, V)>>,
    ) -> Result<usize> {
        with_pairs(items, |pairs| {
            self.entry(key, |hash: &mut HashEntry<'_>| Ok(hash.set_all(pairs)))
        })
    }

    /// HSETNX: sets the value of a field that does not exist; returns `false` if it exists. Complexity as
    /// [`hset`](Self::hset).
    ///
    /// # Errors
    ///
    /// As [`hset`](Self::hset).
    pub fn hset_nx(
        &self,
        key: impl ToKey,
        field: impl ToMember,
        value: impl ToMember,
    ) -> Result<bool> {
        self.entry(key, |hash: &mut HashEntry<'_>| hash.set_new(field, value))
    }

    /// HGET: returns the value of a field. O(1) in a hash table, O(fields) in a listpack.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no hash.
    pub fn hget(&self, key: impl ToKey, field: impl ToMember) -> Result<Option<Bytes>> {
        self.look_up(key, field, Bytes::copy_from_slice)
    }

    fn look_up<R>(
        &self,
        key: impl ToKey,
        field: impl ToMember,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>> {
        field.with_member(|field| {
            self.read(key, |view, keys| {
                let Some(hash) = hash_at(view, keys[0])? else { return Ok(None) };
                let value = match hash {
                    HashRef::Lasting(hash) => hash.get(field, &view.policy()),
                    HashRef::Expiring(hash) => {
                        let get = |time: &_| hash.get(field, &view.policy(), time);
                        view.time().lend(get).map(|(value, _)| value)
                    }
                };
                Ok(value.map(|value| value.with_bytes(read)))
            })
        })
    }

    /// HGET without a copy: calls `read` with the value of a field, if the field exists, and returns its result. The
    /// key is locked meanwhile. Complexity as [`hget`](Self::hget).
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget).
    pub fn hget_with<R>(
        &self,
        key: impl ToKey,
        field: impl ToMember,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>> {
        self.look_up(key, field, |value| {
            let _holding = self.holding();
            read(value)
        })
    }

    /// HMGET: returns the values of several fields. O(1) each in a hash table, O(fields) in a listpack.
    ///
    /// From five fields on, values of up to 64 bytes on average share one buffer, which is freed when the last of them
    /// is dropped.
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget).
    pub fn hmget(&self, key: impl ToKey, fields: impl ToMembers) -> Result<Vec<Option<Bytes>>> {
        fields.with_members(|fields| {
            self.read(key, |view, keys| {
                let Some(hash) = hash_at(view, keys[0])? else {
                    return Ok(vec![None; fields.len()]);
                };
                let mut values = SmallVec::<[_; 4]>::with_capacity(fields.len());
                hash.get_each(fields, &view.policy(), view.time(), |value| values.push(value));
                Ok(copies(&values))
            })
        })
    }

    /// HGETALL: returns all fields and their values. O(fields).
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget).
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use std::collections::HashMap;
    ///
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// store.hset_multiple("stock", [("apples", 12), ("pears", 3)])?;
    /// let stock: HashMap<String, u32> = store.hgetall_as("stock")?;
    /// assert_eq!(stock["apples"], 12);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn hgetall(&self, key: impl ToKey) -> Result<Vec<(Bytes, Bytes)>> {
        self.read(key, |view, keys| {
            let Some(hash) = hash_at(view, keys[0])? else { return Ok(Vec::new()) };
            let mut all = ByteStrings::with_capacity(hash.held() * 2);
            hash.for_each(view.time(), |field, value| {
                all.push(field);
                all.push(value);
            });
            Ok(all.finish_pairs())
        })
    }

    /// HGETALL without a copy: calls `visit` with each field and its value; returns the number of fields. The key is
    /// locked meanwhile. O(fields).
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget).
    pub fn hgetall_with(
        &self,
        key: impl ToKey,
        mut visit: impl FnMut(&[u8], &[u8]),
    ) -> Result<usize> {
        self.read(key, |view, keys| {
            let Some(hash) = hash_at(view, keys[0])? else { return Ok(0) };
            let _holding = self.holding();
            hash.for_each(view.time(), |field, value| {
                field.with_bytes(|field| value.with_bytes(|value| visit(field, value)));
            });
            Ok(hash.len(view.time()))
        })
    }

    /// HKEYS: returns all fields. O(fields).
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget).
    pub fn hkeys(&self, key: impl ToKey) -> Result<Vec<Bytes>> {
        self.gather(key, |field, _| field)
    }

    /// HVALS: returns the values of all fields. O(fields).
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget).
    pub fn hvals(&self, key: impl ToKey) -> Result<Vec<Bytes>> {
        self.gather(key, |_, value| value)
    }

    fn gather(
        &self,
        key: impl ToKey,
        choose: for<'a> fn(Member<'a>, Member<'a>) -> Member<'a>,
    ) -> Result<Vec<Bytes>> {
        self.read(key, |view, keys| {
            let Some(hash) = hash_at(view, keys[0])? else { return Ok(Vec::new()) };
            let mut all = ByteStrings::with_capacity(hash.held());
            hash.for_each(view.time(), |field, value| all.push(choose(field, value)));
            Ok(all.finish())
        })
    }

    /// HLEN: returns the number of fields. O(1).
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget).
    pub fn hlen(&self, key: impl ToKey) -> Result<usize> {
        self.read(key, |view, keys| {
            Ok(hash_at(view, keys[0])?.map_or(0, |hash| hash.len(view.time())))
        })
    }

    /// HEXISTS: returns whether the hash has this field. Complexity as [`hget`](Self::hget).
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget).
    pub fn hexists(&self, key: impl ToKey, field: impl ToMember) -> Result<bool> {
        Ok(self.look_up(key, field, |_| ())?.is_some())
    }

    /// HSTRLEN: returns the length of the value of a field in bytes, or 0 if the field does not exist. Complexity as
    /// [`hget`](Self::hget).
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget).
    pub fn hstrlen(&self, key: impl ToKey, field: impl ToMember) -> Result<usize> {
        Ok(self.look_up(key, field, <[u8]>::len)?.unwrap_or(0))
    }

    /// HDEL: removes fields; returns how many existed. The key is removed with the last field. O(1) each in a hash
    /// table, O(fields) in a listpack.
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget).
    pub fn hdel(&self, key: impl ToKey, fields: impl ToMembers) -> Result<usize> {
        self.entry(key, |hash: &mut HashEntry<'_>| Ok(hash.remove(fields)))
    }

    /// HINCRBY: adds an integer of any width to the integer in a field, or to 0 if the field does not exist, and
    /// returns the sum. Complexity as [`hset`](Self::hset).
    ///
    /// # Errors
    ///
    /// As [`hset`](Self::hset); [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) if the value is not an integer,
    /// or the increment or the sum does not fit `i64`.
    pub fn hincr(
        &self,
        key: impl ToKey,
        field: impl ToMember,
        increment: impl TryInto<i64>,
    ) -> Result<i64> {
        let increment = increment.try_into().map_err(|_| Error::not_integer())?;
        self.entry(key, |hash: &mut HashEntry<'_>| hash.incr(field, increment))
    }

    /// HINCRBYFLOAT: adds a number to the number in a field, or to 0 if the field does not exist, and returns the sum.
    /// Complexity as [`hset`](Self::hset).
    ///
    /// Numbers are added in 80-bit precision and stored as decimal text, as for [`incr_float`](Self::incr_float). The
    /// returned sum is rounded to 64 bits.
    ///
    /// # Errors
    ///
    /// As [`hset`](Self::hset); [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) if the value is not a number,
    /// or the increment or the sum is not finite.
    pub fn hincr_float(
        &self,
        key: impl ToKey,
        field: impl ToMember,
        increment: impl Into<f64>,
    ) -> Result<f64> {
        let increment = increment.into().to_string();
        let sum = field.with_member(|field| self.add_float(key, field, increment.as_bytes()))?;
        let sum = str::from_utf8(&sum).ok().and_then(|text| text.parse().ok());
        sum.ok_or_else(Error::not_integer)
    }

    /// As [`hincr_float`](Self::hincr_float), with text as argument and result.
    fn add_float(&self, key: impl ToKey, field: Member<'_>, increment: &[u8]) -> Result<Bytes> {
        let increment = Extended::parse(increment).ok_or_else(Error::not_a_float)?;
        if !increment.is_finite() {
            return Err(Error::not_finite());
        }
        check(&[field])?;
        self.entry(key, |hash: &mut HashEntry<'_>| hash.incr_float(field, increment))
    }

    /// HRANDFIELD: returns a field, chosen uniformly at random, or `None` if there is none. O(1), O(fields) in a
    /// listpack.
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget).
    pub fn hrandfield(&self, key: impl ToKey) -> Result<Option<Bytes>> {
        self.read(key, |view, keys| {
            let Some(hash) = hash_at(view, keys[0])? else { return Ok(None) };
            Ok(hash.random(view.shared().random(), view.time()).map(|(field, _)| field.to_bytes()))
        })
    }

    /// HRANDFIELD with a count: returns that many distinct fields, or all of them; with a negative count, that many
    /// fields drawn with repetition. O(count), or O(fields) if that is a large part of the hash.
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget); [`ErrorKind::NotInteger`](crate::ErrorKind::NotInteger) for more than 2^31 draws with
    /// repetition.
    pub fn hrandfield_multiple(&self, key: impl ToKey, count: i64) -> Result<Vec<Bytes>> {
        let fields = self.draw(key, count, |fields, (field, _)| fields.push(field))?;
        Ok(fields.finish())
    }

    /// HRANDFIELD WITHVALUES: as [`hrandfield_multiple`](Self::hrandfield_multiple), and returns each field with its
    /// value.
    ///
    /// # Errors
    ///
    /// As [`hrandfield_multiple`](Self::hrandfield_multiple).
    pub fn hrandfield_withvalues(
        &self,
        key: impl ToKey,
        count: i64,
    ) -> Result<Vec<(Bytes, Bytes)>> {
        let pairs = self.draw(key, count, |pairs, (field, value)| {
            pairs.push(field);
            pairs.push(value);
        })?;
        Ok(pairs.finish_pairs())
    }

    fn draw(
        &self,
        key: impl ToKey,
        count: i64,
        push: impl Fn(&mut ByteStrings, Pair<'_>),
    ) -> Result<ByteStrings> {
        self.read(key, |view, keys| {
            let Some(hash) = hash_at(view, keys[0])? else {
                return Ok(ByteStrings::with_capacity(0));
            };
            let (random, time) = (view.shared().random(), view.time());
            let wanted = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
            let mut drawn = ByteStrings::with_capacity(wanted.min(hash.held()));
            let draw = |pair| push(&mut drawn, pair);
            if count >= 0 {
                hash.sample(wanted, random, time).into_iter().for_each(draw);
            } else if wanted > MOST_DRAWS {
                return Err(Error::out_of_range());
            } else {
                hash.draw(wanted, random, time, draw);
            }
            Ok(drawn)
        })
    }

    /// HSCAN with a cursor: returns some of the fields with their values, and the next cursor. Start with cursor 0; the
    /// returned cursor is 0 at the end. Fields that exist during the whole iteration are returned at least once, even
    /// if other fields are added and removed meanwhile. A listpack is returned in one call. O(fields returned), plus a
    /// few hundred at most.
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget).
    pub fn hscan_cursor(
        &self,
        key: impl ToKey,
        cursor: u64,
        options: &ScanOptions,
    ) -> Result<(u64, Vec<(Bytes, Bytes)>)> {
        self.hscan_strings(key, cursor, options).map(|(next, found)| (next, found.finish_pairs()))
    }

    /// HSCAN: fields and values in turn.
    fn hscan_strings(
        &self,
        key: impl ToKey,
        cursor: u64,
        options: &ScanOptions,
    ) -> Result<(u64, ByteStrings)> {
        let glob = options.glob();
        self.read(key, |view, keys| {
            let Some(hash) = hash_at(view, keys[0])? else {
                return Ok((0, ByteStrings::with_capacity(0)));
            };
            let mut found = ByteStrings::with_capacity(hash.held().min(options.count()) * 2);
            let next =
                hash.scan(cursor, options.count(), &view.policy(), view.time(), |field, value| {
                    if glob.is_none_or(|glob| field.with_bytes(|field| glob.matches(field))) {
                        found.push(field);
                        found.push(value);
                    }
                });
            Ok((next, found))
        })
    }
}

/// The hash at a key, if it exists.
#[inline]
pub(crate) fn hash_at<'v>(view: &'v View<'_>, key: HashedKey<'_>) -> Result<Option<HashRef<'v>>> {
    let Some(value) = view.get(key) else { return Ok(None) };
    Value::as_hash(value).map(Some).ok_or_else(Error::wrong_type)
}

/// Passes on the pairs of a call, collected before any lock is taken.
fn with_pairs<F: ToMember, V: ToMember, I: Borrow<(F, V)>, R>(
    items: impl IntoIterator<Item = I>,
    take: impl FnOnce(&[Pair<'_>]) -> Result<R>,
) -> Result<R> {
    let items: SmallVec<[I; 8]> = items.into_iter().collect();
    F::with_each(items.iter().map(|item| &item.borrow().0), |fields| {
        V::with_each(items.iter().map(|item| &item.borrow().1), |values| {
            check(fields)?;
            check(values)?;
            let pairs = fields.iter().copied().zip(values.iter().copied());
            take(&pairs.collect::<SmallVec<[_; 8]>>())
        })
    })
}
