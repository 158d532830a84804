//! Hashes that are split into shards small enough to stay listpacks.

use std::borrow::Borrow;

use bytes::Bytes;
use macros::blocking_and_async;
use store::{Error, FromReply, KeyRef, Member, Store, ToMember, ToMembers};

use crate::backend::{AsyncBackend, Backend, Keyspace, call_all, call_all_async};
use crate::held::{self, Held};
use crate::procedure::{parts, read, step};
use crate::request::Request;
use crate::shard::shard_key;

/// A hash that is split into shards, each small enough to be a listpack (Redis in Action, section 9.2.1).
///
/// One hash of a million fields is a hash table. Split into hashes of at most `hash-max-listpack-entries` short fields,
/// it takes little more than the bytes of its fields and values. The key of a field's shard is [`shard_key`]: fields
/// that are integers, or digits only, fill one shard after the other with `shard_size` fields each; other fields are
/// spread by a hash over `2 * total_elements / shard_size` shards.
///
/// A shard with more fields than the limit becomes a hash table. It is as correct, but takes the memory that sharding
/// was to save. A call is atomic for the fields of each shard, not as a whole.
///
/// # On a server
///
/// The backend may be a `Server`, with the features `redis` and `redis2`. Each shard is one command: HSET, HGET, HMGET,
/// HEXISTS, HINCRBY, HDEL; a call for several fields is a pipeline. After [`ErrorKind::Io`](store::ErrorKind::Io) it is
/// unknown whether a call was done; a repeated [`hincr`](Self::hincr) may add twice.
///
/// Each call that uses the backend has an asynchronous form, whose name ends with `_async`, for an [`AsyncBackend`].
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::{ShardedHash, Store};
///
/// let store = Store::new();
/// let cities = ShardedHash::new(store.clone(), "cityid2city", 100_000, 100);
/// assert!(cities.hset(1234, "Oslo")?);
/// cities.hset_multiple([(1235, "Bergen"), (7, "Tromso")])?;
/// assert_eq!(cities.hget(1235)?.as_deref(), Some(&b"Bergen"[..]));
/// assert_eq!(store.hlen("cityid2city:12")?, 2);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShardedHash<B = Store> {
    backend: B,
    base: Box<str>,
    total_elements: u64,
    shard_size: u64,
}

impl<B: Keyspace> ShardedHash<B> {
    /// Creates a handle on the sharded hash at `base`.
    ///
    /// All handles on a hash must be given the same three values, because the keys depend on them. A `shard_size` of 0
    /// is taken as 1.
    #[must_use]
    pub fn new(
        backend: B,
        base: impl Into<Box<str>>,
        total_elements: u64,
        shard_size: u64,
    ) -> Self {
        Self { backend, base: base.into(), total_elements, shard_size }
    }

    /// Returns the key of the shard that a field belongs to: see [`shard_key`]. O(length of the field).
    #[must_use]
    pub fn shard_key(&self, field: impl ToMember) -> String {
        shard_key(&self.base, field, self.total_elements, self.shard_size)
    }

    /// Groups fields by shard, with their indexes in order.
    fn by_shard<'f, F: ToMember + 'f>(&self, fields: impl Iterator<Item = &'f F>) -> Vec<OfShard> {
        let shard = |(place, field): (usize, &'f F)| {
            (field.with_member(|field| self.shard_key(field)), place)
        };
        let mut places: Vec<(String, usize)> = fields.enumerate().map(shard).collect();
        places.sort_unstable();
        let of_shard = |of_shard: &[(String, usize)]| OfShard {
            name: of_shard[0].0.clone(),
            places: of_shard.iter().map(|&(_, place)| place).collect(),
        };
        places.chunk_by(|a, b| a.0 == b.0).map(of_shard).collect()
    }
}

impl<B: Backend> ShardedHash<B> {
    /// Sets the value of a field, as HSET does; returns `true` if the field is new. O(shard).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the shard's key holds another type; an error for a
    /// field or a value of more than 512 MiB.
    pub fn hset(&self, field: impl ToMember, value: impl ToMember) -> Result<bool, Error> {
        field.with_member(|field| value.with_member(|value| self.set(field, value)))
    }

    /// Returns the value of a field, as HGET does. O(shard).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the shard's key holds another type.
    pub fn hget(&self, field: impl ToMember) -> Result<Option<Bytes>, Error> {
        field.with_member(|field| self.get(field))
    }

    /// Returns the values of several fields, as HMGET does, shard by shard. O(shard) each.
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget).
    pub fn hmget(&self, fields: impl ToMembers) -> Result<Vec<Option<Bytes>>, Error> {
        fields.with_members(|fields| self.get_each(fields))
    }

    /// Returns whether a field exists, as HEXISTS does. O(shard).
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget).
    pub fn hexists(&self, field: impl ToMember) -> Result<bool, Error> {
        field.with_member(|field| self.has(field))
    }

    /// Adds to the integer value of a field, as HINCRBY does, and returns the sum. A missing field counts as 0.
    /// O(shard).
    ///
    /// # Errors
    ///
    /// As [`hset`](Self::hset); [`ErrorKind::NotInteger`](store::ErrorKind::NotInteger) if the value is no integer, or
    /// if the sum overflows.
    pub fn hincr(&self, field: impl ToMember, increment: i64) -> Result<i64, Error> {
        field.with_member(|field| self.add(field, increment))
    }

    /// Removes fields, as HDEL does, shard by shard; returns how many existed. O(shard) each. The key of a shard is
    /// deleted with its last field.
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget); fields of other shards may have been removed.
    pub fn hdel(&self, fields: impl ToMembers) -> Result<usize, Error> {
        fields.with_members(|fields| self.remove_each(fields))
    }
}

#[blocking_and_async]
impl<B: Backend> ShardedHash<B> {
    /// Sets several fields, as HSET does, shard by shard; returns how many are new. O(shard) each.
    ///
    /// # Errors
    ///
    /// As [`hset`](Self::hset); fields of other shards may have been set.
    pub async fn hset_multiple<F: ToMember, V: ToMember>(
        &self,
        items: impl IntoIterator<Item: Borrow<(F, V)>>,
    ) -> Result<usize, Error> {
        let items: Vec<_> = items.into_iter().collect();
        let by_shard = self.by_shard(items.iter().map(|item| &item.borrow().0));
        let sets = by_shard.iter().map(|shard| {
            let key = shard.key();
            let of_shard = || shard.places.iter().map(|&place| items[place].borrow());
            let request = move || {
                let request = Request::command("HSET").key(key);
                of_shard().fold(request, |request, (field, value)| {
                    let request = field.with_member(|field| request.arg(field));
                    value.with_member(|value| request.arg(value))
                })
            };
            step([key], move |tx| tx.hset_multiple(key, of_shard())).on_server(request)
        });
        let sets: Vec<_> = sets.collect();
        let mut new = 0_usize;
        call_all(&self.backend, &sets, |_, added: usize| new = new.saturating_add(added)).await?;
        Ok(new)
    }

    /// Returns the value of a field, as [`hget`](Self::hget) does, converted to a `T`: see [`FromReply`].
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget); [`ErrorKind::Conversion`](store::ErrorKind::Conversion) if it cannot be converted to a
    /// `T`.
    pub async fn hget_as<T: FromReply>(&self, field: impl ToMember) -> Result<T, Error> {
        T::from_reply(self.hget(field).await?.into())
    }

    #[inline]
    async fn set(&self, field: Member<'_>, value: Member<'_>) -> Result<bool, Error> {
        let shard = self.shard_key(field);
        let key = KeyRef::new(shard.as_bytes());
        let set = step([key], |tx| Ok(tx.hset(key, field, value)? == 1));
        let request = || Request::command("HSET").key(key).arg(field).arg(value);
        self.backend.call(&set.on_server(request)).await
    }

    #[inline]
    async fn get(&self, field: Member<'_>) -> Result<Option<Bytes>, Error> {
        let shard = self.shard_key(field);
        let key = read(shard.as_bytes());
        let get = step([key], |tx| tx.hget(key, field));
        let request = || Request::command("HGET").key(key).arg(field);
        self.backend.call(&get.on_server(request)).await
    }

    async fn get_each(&self, fields: &[Member<'_>]) -> Result<Vec<Option<Bytes>>, Error> {
        let by_shard = self.by_shard(fields.iter());
        let shards: Vec<_> = by_shard.iter().map(|shard| shard.fields(fields)).collect();
        let gets = shards.iter().map(|(key, fields)| {
            let get = step([key.read()], move |tx| tx.hmget(*key, fields));
            get.on_server_with(
                move || Request::command("HMGET").key(key).args(fields.iter().copied()),
                |reply| parts(reply, fields.len()),
            )
        });
        let gets: Vec<_> = gets.collect();
        let mut values = vec![None; fields.len()];
        call_all(&self.backend, &gets, |at, found: Vec<Option<Bytes>>| {
            for (&place, value) in by_shard[at].places.iter().zip(found) {
                values[place] = value;
            }
        })
        .await?;
        Ok(values)
    }

    #[inline]
    async fn has(&self, field: Member<'_>) -> Result<bool, Error> {
        let shard = self.shard_key(field);
        let key = read(shard.as_bytes());
        let exists = step([key], |tx| tx.hexists(key, field));
        let request = || Request::command("HEXISTS").key(key).arg(field);
        self.backend.call(&exists.on_server(request)).await
    }

    #[inline]
    async fn add(&self, field: Member<'_>, increment: i64) -> Result<i64, Error> {
        let shard = self.shard_key(field);
        let key = KeyRef::new(shard.as_bytes());
        let add = step([key], |tx| tx.hincr(key, field, increment));
        let request = || Request::command("HINCRBY").key(key).arg(field).arg(increment);
        self.backend.call(&add.on_server(request)).await
    }

    async fn remove_each(&self, fields: &[Member<'_>]) -> Result<usize, Error> {
        let by_shard = self.by_shard(fields.iter());
        let shards: Vec<_> = by_shard.iter().map(|shard| shard.fields(fields)).collect();
        let deletions = shards.iter().map(|(key, fields)| {
            let delete = step([*key], move |tx| tx.hdel(*key, fields));
            delete.on_server(move || Request::command("HDEL").key(key).args(fields.iter().copied()))
        });
        let deletions: Vec<_> = deletions.collect();
        let mut removed = 0_usize;
        call_all(&self.backend, &deletions, |_, of_shard: usize| {
            removed = removed.saturating_add(of_shard);
        })
        .await?;
        Ok(removed)
    }
}

/// # Asynchronously
impl<B: AsyncBackend> ShardedHash<B> {
    /// The asynchronous form of [`hset`](Self::hset): it does not block the thread.
    ///
    /// # Errors
    ///
    /// As [`hset`](Self::hset).
    pub async fn hset_async(
        &self,
        field: impl ToMember,
        value: impl ToMember,
    ) -> Result<bool, Error> {
        let (field, value) = (Held::new(field), Held::new(value));
        self.set_async(field.as_member(), value.as_member()).await
    }

    /// The asynchronous form of [`hget`](Self::hget): it does not block the thread.
    ///
    /// # Errors
    ///
    /// As [`hget`](Self::hget).
    pub async fn hget_async(&self, field: impl ToMember) -> Result<Option<Bytes>, Error> {
        self.get_async(Held::new(field).as_member()).await
    }

    /// The asynchronous form of [`hmget`](Self::hmget): it does not block the thread.
    ///
    /// # Errors
    ///
    /// As [`hmget`](Self::hmget).
    pub async fn hmget_async(&self, fields: impl ToMembers) -> Result<Vec<Option<Bytes>>, Error> {
        self.get_each_async(&held::members(&Held::all(fields))).await
    }

    /// The asynchronous form of [`hexists`](Self::hexists): it does not block the thread.
    ///
    /// # Errors
    ///
    /// As [`hexists`](Self::hexists).
    pub async fn hexists_async(&self, field: impl ToMember) -> Result<bool, Error> {
        self.has_async(Held::new(field).as_member()).await
    }

    /// The asynchronous form of [`hincr`](Self::hincr): it does not block the thread.
    ///
    /// # Errors
    ///
    /// As [`hincr`](Self::hincr).
    pub async fn hincr_async(&self, field: impl ToMember, increment: i64) -> Result<i64, Error> {
        self.add_async(Held::new(field).as_member(), increment).await
    }

    /// The asynchronous form of [`hdel`](Self::hdel): it does not block the thread.
    ///
    /// # Errors
    ///
    /// As [`hdel`](Self::hdel).
    pub async fn hdel_async(&self, fields: impl ToMembers) -> Result<usize, Error> {
        self.remove_each_async(&held::members(&Held::all(fields))).await
    }
}

/// The fields of a call that belong to one shard.
struct OfShard {
    /// The key of the shard.
    name: String,
    /// The indexes of its fields.
    places: Vec<usize>,
}

impl OfShard {
    const fn key(&self) -> KeyRef<'_> {
        KeyRef::new(self.name.as_bytes())
    }

    /// Returns the key of the shard, and its fields.
    fn fields<'f>(&'f self, all: &[Member<'f>]) -> (KeyRef<'f>, Vec<Member<'f>>) {
        (self.key(), self.places.iter().map(|&place| all[place]).collect())
    }
}

#[cfg(all(test, feature = "async", feature = "redis"))]
mod tests {
    use std::fmt::Debug;

    use super::*;
    use crate::{AsyncServer, Server, pretend};

    fn text<T: Debug>(outcome: Result<T, Error>) -> String {
        format!("{:?}", outcome.map_err(|error| error.to_string()))
    }

    #[blocking_and_async]
    async fn ask<B: Backend>(hash: &ShardedHash<B>) -> Vec<String> {
        let mut seen = Vec::new();
        seen.push(text(hash.hset(1234, "Oslo").await));
        seen.push(text(hash.hset("1234", String::from("Bergen")).await));
        seen.push(text(hash.hset("count", u64::MAX).await));
        let items: Vec<_> = (0..500).map(|id| (id, format!("city {id}"))).collect();
        seen.push(text(hash.hset_multiple(&items).await));
        seen.push(text(hash.hset_multiple([("alpha", 1), ("beta", 2)]).await));
        seen.push(text(hash.hget(1234).await));
        seen.push(text(hash.hget("nothing").await));
        seen.push(text(hash.hget_as::<u64>("count").await));
        seen.push(text(hash.hget_as::<i64>("count").await));
        seen.push(text(hash.hmget([499, 7, 9999, 7]).await));
        seen.push(text(hash.hmget("beta").await));
        seen.push(text(hash.hexists("alpha").await));
        seen.push(text(hash.hexists(u64::MAX).await));
        seen.push(text(hash.hincr("alpha", 41).await));
        seen.push(text(hash.hincr(7, 1).await));
        seen.push(text(hash.hdel(100..600).await));
        seen.push(text(hash.hdel(["alpha", "gamma"]).await));
        seen.push(text(hash.hget("alpha").await));
        seen
    }

    fn open<B: Keyspace>(backend: B) -> ShardedHash<B> {
        ShardedHash::new(backend, "cities", 10_000, 100)
    }

    fn is_send<T: Send>(future: T) -> T {
        future
    }

    #[tokio::test]
    async fn futures_do_what_calls_do() {
        let stores = [(); 4].map(|()| Store::new());
        let [blocking, asynchronous, served, served_asynchronously] = &stores;
        for store in &stores {
            // The key of a shard, with another type.
            store.set("cities:3", "text").unwrap();
        }
        let wanted = ask(&open(blocking));
        assert_eq!(is_send(ask_async(&open(asynchronous))).await, wanted);
        assert_eq!(ask(&open(Server::redis(served.redis_connection()))), wanted);
        let server = AsyncServer::redis(served_asynchronously.redis_connection());
        assert_eq!(is_send(ask_async(&open(server))).await, wanted);
        for store in &stores[1..] {
            assert_eq!(pretend::dump(store), pretend::dump(blocking));
        }
    }
}
