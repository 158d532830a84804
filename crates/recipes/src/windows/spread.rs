//! Steps that access one key each, for a cluster where the keys of windows are in different slots.
//!
//! # How buckets are merged
//!
//! One step cannot both remove a name from the set of open buckets and merge the bucket. So that no visit is lost, even
//! if a handle is interrupted at any step, or several merge at the same time:
//!
//! * **a visit** is written to its bucket, and then the bucket's name to the set of open ones, whether or not the
//!   bucket changed: recording a visit again completes an interrupted one;
//! * **a merge** puts a mark of its own after the bucket's name (`201909281911*MARK`), which replaces any other mark;
//!   reads the bucket; adds it to the larger bucket; and only then removes its own mark, and no other.
//!
//! If a visit was written after the bucket was read, its name was written after the mark was set, so the bucket is open
//! again. If a merge was interrupted, its mark remains, and the next merge replaces it and starts again. A count treats
//! a bucket whose name is marked as open.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use hll::{Hll, Union};
use macros::blocking_and_async;
use store::{Error, KeyRef, Member, PreparedKey, SetExpiry, SetOptions, each};

use super::UvWindows;
use super::procedures::{self, BucketKey, corrupt, refused};
use super::scripts::{ADD_ALONE, EXPIRE, FINISH, REPLACE, TAKE};
use super::users::Users;
use crate::backend::{AsyncBackend, Backend, call_all, call_all_async};
use crate::procedure::{Procedure, read, step};
use crate::request::Request;
use crate::text::Text;

/// The separator between a name and a mark.
const MARK: u8 = b'*';

/// How many buckets are read in one pipeline.
const FETCHED: usize = 256;

/// How long a bucket is kept at least after it was merged, in milliseconds, so that a count that has just read the
/// names finds it.
const HOUR_MS: i64 = 3_600_000;

/// Returns whether a name in the set of open buckets is marked.
pub(super) fn is_marked(name: &[u8]) -> bool {
    name.contains(&MARK)
}

/// Returns a name without its mark.
pub(super) fn without_mark(name: &[u8]) -> &[u8] {
    name.split(|&byte| byte == MARK).next().unwrap_or(name)
}

/// Returns a mark that no other handle uses.
fn new_mark() -> Vec<u8> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let [high, low] = [0_u64, 1].map(|half| RandomState::new().hash_one((number, half)));
    format!("*{high:016x}{low:016x}").into_bytes()
}

/// Adds users to a bucket that exists or is kept, and removes its expiry if one of them changes it. Returns how many
/// changed it, and the error of the first who could not be added; none if it is not kept.
///
/// # Errors
///
/// The error of the first user. Nothing has changed then.
pub(super) fn add_alone<'k, B>(
    bucket: &'k BucketKey<PreparedKey, B>,
    users: Users<'k>,
) -> impl Procedure<Output = Option<(u64, Option<Error>)>> {
    step([&bucket.key], move |tx| {
        tx.with_hll(&bucket.key, |hll| {
            let now = hll.now_us().div_euclid(1000);
            if !hll.exists() && bucket.expires_at.is_some_and(|at| at <= now) {
                return Ok(None);
            }
            users.add_and_persist(hll).map(Some)
        })
    })
    .on_server_with(
        move || {
            let request = Request::script(&ADD_ALONE).key(&bucket.key);
            request.arg(bucket.until()).args(users.names())
        },
        |reply| {
            let done: Option<(u64, String)> = reply.convert()?;
            Ok(done.map(|(changed, text)| (changed, refused(text))))
        },
    )
}

/// SADD of names to the set of open buckets: returns how many are new.
pub(super) fn open<'k>(open: &'k [u8], names: &'k [&'k [u8]]) -> impl Procedure<Output = u64> {
    step([open], move |tx| Ok(tx.sadd(open, each(names.iter().copied()))? as u64))
        .on_server(move || Request::command("SADD").key(open).args(names.iter().copied()))
}

/// Marks those of the names that are in the set of open buckets, which replaces other marks. Returns which names these
/// are.
pub(super) fn take<'k>(
    open: &'k [u8],
    mark: &'k [u8],
    names: &'k [&'k [u8]],
) -> impl Procedure<Output = Vec<Bytes>> {
    step([open], move |tx| {
        let members = tx.smembers(open)?;
        let mut taken = Vec::new();
        for &name in names {
            let of_name = members.iter().filter(|member| without_mark(member) == name);
            let of_name: Vec<&[u8]> = of_name.map(|member| &**member).collect();
            if of_name.is_empty() {
                continue;
            }
            let marked = [name, mark].concat();
            tx.sadd(open, [&marked])?;
            let others: Vec<&[u8]> =
                of_name.into_iter().filter(|member| *member != marked).collect();
            tx.srem(open, each(others.iter().copied()))?;
            taken.push(Bytes::copy_from_slice(name));
        }
        Ok(taken)
    })
    .on_server(move || {
        let request = Request::script(&TAKE).key(open).arg(mark);
        request.args(names.iter().copied())
    })
}

/// GET.
pub(super) fn value(key: &[u8]) -> impl Procedure<Output = Option<Bytes>> {
    step([read(key)], move |tx| tx.get(key)).on_server(move || Request::command("GET").key(key))
}

/// Replaces the value of a bucket, if it is unchanged; returns whether it was. With `stays_open` its expiry is removed,
/// otherwise it is set to the end of the retention time.
pub(super) fn replace<'k, B>(
    bucket: &'k BucketKey<Vec<u8>, B>,
    held: &'k [u8],
    value: &'k [u8],
    stays_open: bool,
) -> impl Procedure<Output = bool> {
    step([&bucket.key], move |tx| {
        let key = KeyRef::new(&bucket.key);
        if tx.get(key)?.unwrap_or_default() != held {
            return Ok(false);
        }
        let keep = SetOptions::default().with_expiration(SetExpiry::KEEPTTL);
        tx.set_options(key, value, keep)?;
        if stays_open {
            tx.persist(key)?;
        } else if let Some(at) = bucket.expires_at {
            tx.pexpire_at(key, at)?;
        }
        Ok(true)
    })
    .on_server(move || {
        let request = Request::script(&REPLACE).key(&bucket.key).arg(held).arg(value);
        request.arg(i64::from(stays_open)).arg(bucket.until())
    })
}

/// Sets the expiry of a bucket whose value is unchanged to the end of its retention time, but at least an hour from
/// now; returns whether it was unchanged.
pub(super) fn expire<'k>(key: &'k [u8], value: &'k [u8], at: i64) -> impl Procedure<Output = bool> {
    step([key], move |tx| {
        if tx.get(key)?.as_deref() != Some(value) {
            return Ok(false);
        }
        let earliest = tx.now_us().div_euclid(1000).saturating_add(HOUR_MS);
        tx.pexpire_at(key, at.max(earliest))
    })
    .on_server(move || Request::script(&EXPIRE).key(key).arg(value).arg(at))
}

/// SADD of some members to the set of open buckets, and SREM of others.
pub(super) fn finish<'k>(
    open: &'k [u8],
    added: &'k [&'k [u8]],
    removed: &'k [&'k [u8]],
) -> impl Procedure<Output = ()> {
    step([open], move |tx| {
        tx.scard(open)?;
        tx.sadd(open, each(added.iter().copied()))?;
        tx.srem(open, each(removed.iter().copied()))?;
        Ok(())
    })
    .on_server(move || {
        let count = Member::Int(added.len().try_into().unwrap_or(i64::MAX));
        let request = Request::script(&FINISH).key(open).arg(count);
        request.args(added.iter().copied()).args(removed.iter().copied())
    })
}

#[blocking_and_async]
impl<B: Backend> UvWindows<B> {
    /// Merges buckets into one, on a cluster: see the module. Returns how many were open.
    pub(super) async fn roll_spread(
        &self,
        buckets: &[BucketKey<Vec<u8>>],
        into: Option<&BucketKey<Vec<u8>>>,
        stays_open: bool,
    ) -> Result<u64, Error> {
        let open = &*self.open_key;
        let mark = new_mark();
        let names: Vec<&[u8]> = buckets.iter().map(BucketKey::name).collect();
        let taken = self.backend.call(&take(open, &mark, &names)).await?;
        if taken.is_empty() {
            return Ok(0);
        }
        let taken: Vec<&BucketKey<Vec<u8>>> = buckets
            .iter()
            .filter(|bucket| taken.iter().any(|name| name == bucket.name()))
            .collect();
        let mut merged = Vec::new();
        for part in taken.chunks(FETCHED) {
            let mut union = Union::new();
            let keys: Vec<&[u8]> = part.iter().map(|bucket| &bucket.key[..]).collect();
            let values = self.fetch(&keys, &mut union).await?;
            if let Some(into) = into
                && values.iter().any(Option::is_some)
            {
                self.merge(&union, into, stays_open).await?;
                merged = vec![into.name()];
            }
            let over = part.iter().zip(&values).filter_map(|(bucket, value)| {
                Some(expire(&bucket.key, value.as_deref()?, bucket.expires_at?))
            });
            call_all(&self.backend, &over.collect::<Vec<_>>(), |_, _| {}).await?;
        }
        if !stays_open {
            merged.clear();
        }
        let marked = taken.iter().map(|bucket| [bucket.name(), &mark].concat());
        let marked: Vec<Vec<u8>> = marked.collect();
        let marked: Vec<&[u8]> = marked.iter().map(|name| &name[..]).collect();
        self.backend.call(&finish(open, &merged, &marked)).await?;
        Ok(taken.len() as u64)
    }

    /// Adds a union to a bucket as PFMERGE does, with retries if other clients write to it.
    async fn merge(
        &self,
        union: &Union,
        into: &BucketKey<Vec<u8>>,
        stays_open: bool,
    ) -> Result<(), Error> {
        loop {
            let held = self.backend.call(&value(&into.key)).await?;
            let mut value = held.as_ref().map_or_else(hll::empty, |held| held.to_vec());
            view(&value)?;
            union.clone().merge_into(&mut value, hll::SPARSE_MAX_BYTES).map_err(corrupt)?;
            let held = held.unwrap_or_default();
            if self.backend.call(&replace(into, &held, &value, stays_open)).await? {
                return Ok(());
            }
        }
    }

    /// Fetches buckets and adds them to a union; returns the value of each.
    async fn fetch(&self, keys: &[&[u8]], union: &mut Union) -> Result<Vec<Option<Bytes>>, Error> {
        let reads: Vec<_> = keys.iter().map(|key| value(key)).collect();
        let mut values = vec![None; keys.len()];
        call_all(&self.backend, &reads, |at, value| values[at] = value).await?;
        for value in values.iter().flatten() {
            union.merge(&view(value)?).map_err(corrupt)?;
        }
        Ok(values)
    }

    /// As [`procedures::count`], from the values of the buckets: the open buckets must be the same before and after
    /// they are read.
    pub(super) async fn count_fetched(
        &self,
        names: &[Bytes],
        keys: &[Text],
    ) -> Result<Option<(u64, i64)>, Error> {
        let mut union = Union::new();
        for keys in keys.chunks(FETCHED) {
            let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
            self.fetch(&keys, &mut union).await?;
        }
        let (now, names_then) = self.backend.call(&procedures::open_names(&self.open_key)).await?;
        Ok((names == names_then).then(|| (union.count(), now)))
    }
}

/// Returns the registers of a value.
fn view(value: &[u8]) -> Result<Hll<'_>, Error> {
    Hll::new(value).map_err(|_| procedures::not_hll())
}
