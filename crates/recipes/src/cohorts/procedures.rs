//! The atomic steps of cohorts.

use bitpack::bits;
use bytes::Bytes;
use macros::blocking_and_async;
use smallvec::SmallVec;
use store::{Error, KeyRef, ToKeys, Tx};

use super::program::Program;
use super::scripts::{BYTES, PUT, SET_BITS, STORE};
use crate::backend::{AsyncBackend, Backend, BackendKind, Keyspace, call_all, call_all_async};
use crate::procedure::{Procedure, all_read, parts, read, step};
use crate::request::Request;
use crate::slot::{hash_tag, key_slot};

/// Sets or clears the same bit in several strings, each named once; returns whether any of the bits changed.
///
/// The keys are an array if their number is known, which needs no allocation, or a slice.
#[inline]
pub(super) fn set_bits<'k>(
    keys: impl ToKeys + AsRef<[&'k [u8]]> + Copy,
    bit: u32,
    on: bool,
) -> impl Procedure<Output = bool> {
    step(keys, move |tx| {
        let keys = keys.as_ref();
        if keys.len() > 1 {
            // Every offset of 32 bits is in range, so only the type can be wrong.
            for &key in keys {
                tx.strlen(key)?;
            }
        }
        let mut changed = false;
        for &key in keys {
            changed |= tx.setbit(key, bit.into(), on)? != on;
        }
        Ok(changed)
    })
    .on_server_with(
        move || {
            let (bit, on) = (i64::from(bit), i64::from(on));
            match keys.as_ref() {
                [key] => Request::command("SETBIT").key(key).arg(bit).arg(on),
                keys => Request::script(&SET_BITS).keys(keys).arg(bit).arg(on),
            }
        },
        move |reply| {
            let said: bool = reply.convert()?;
            // SETBIT replies with the previous bit.
            Ok(if keys.as_ref().len() == 1 { said != on } else { said })
        },
    )
}

/// As [`set_bits`], in one step per key: those of a cluster are in different slots.
#[blocking_and_async]
pub(super) async fn set_each(
    backend: &impl Backend,
    keys: &[&[u8]],
    bit: u32,
    on: bool,
) -> Result<bool, Error> {
    let steps: Vec<_> = keys.iter().map(|&key| set_bits([key], bit, on)).collect();
    let mut changed = false;
    call_all(backend, &steps, |_, one| changed |= one).await?;
    Ok(changed)
}

/// GETBIT.
#[inline]
pub(super) fn has_bit(key: &[u8], bit: u32) -> impl Procedure<Output = bool> {
    step([read(key)], move |tx| tx.getbit(key, bit.into()))
        .on_server(move || Request::command("GETBIT").key(key).arg(i64::from(bit)))
}

/// BITCOUNT.
pub(super) fn count_bits(key: &[u8]) -> impl Procedure<Output = u64> {
    step([read(key)], move |tx| {
        look_at(tx, &[key], |strings| strings.iter().map(|it| bits::count(it)).sum())
    })
    .on_server(move || Request::command("BITCOUNT").key(key))
}

/// Keys that are read, in the two forms that a step needs.
#[derive(Debug)]
pub(super) struct Read<'k> {
    keys: &'k [&'k [u8]],
    named: Vec<KeyRef<'k>>,
}

/// Returns these keys, for reading.
pub(super) fn all<'k>(keys: &'k [&'k [u8]]) -> Read<'k> {
    Read { keys, named: keys.iter().map(|key| read(key)).collect() }
}

/// Returns one byte of each string, or nothing if it is shorter.
pub(super) fn bytes<'k>(from: &'k Read<'k>, byte: u32) -> impl Procedure<Output = Vec<Bytes>> {
    step(&*from.named, move |tx| {
        look_at(tx, from.keys, |strings| {
            let at = byte as usize;
            let byte = |string: &&[u8]| Bytes::copy_from_slice(string.get(at..=at).unwrap_or(&[]));
            strings.iter().map(byte).collect()
        })
    })
    .on_server_with(
        move || Request::script(&BYTES).keys(from.keys).arg(i64::from(byte)),
        |reply| parts(reply, from.keys.len()),
    )
}

/// Returns the strings at all keys by MGET, which does not report another type. With `check` it only checks the type of
/// the first key, by STRLEN.
pub(super) fn strings<'k>(
    from: &'k Read<'k>,
    check: bool,
) -> impl Procedure<Output = Vec<Option<Bytes>>> {
    step(&*from.named, move |tx| {
        if check {
            return from.keys.first().map_or(Ok(0), |&key| tx.strlen(key)).map(|_| Vec::new());
        }
        tx.mget(from.keys)
    })
    .on_server_with(
        move || {
            if check {
                Request::command("STRLEN").keys(&from.keys[..1])
            } else {
                Request::command("MGET").keys(from.keys)
            }
        },
        move |reply| {
            if check {
                reply.convert::<i64>().map(|_| Vec::new())
            } else {
                parts(reply, from.keys.len())
            }
        },
    )
}

/// Returns a string by GET, or one byte of it by GETRANGE.
fn string(key: &[u8], byte: Option<u32>) -> impl Procedure<Output = Bytes> {
    step([read(key)], move |tx| {
        look_at(tx, &[key], |strings| {
            let string = strings.first().copied().unwrap_or_default();
            Bytes::copy_from_slice(match byte.map(|byte| byte as usize) {
                None => string,
                Some(at) => string.get(at..=at).unwrap_or(&[]),
            })
        })
    })
    .on_server_with(
        move || match byte.map(i64::from) {
            None => Request::command("GET").key(key),
            Some(byte) => Request::command("GETRANGE").key(key).arg(byte).arg(byte),
        },
        |reply| Ok(reply.convert::<Option<Bytes>>()?.unwrap_or_default()),
    )
}

/// Calls a function with the strings at some keys; those of keys that do not exist are empty.
#[blocking_and_async]
pub(super) async fn ask<R>(
    backend: &impl Backend,
    keys: &[&[u8]],
    question: impl Fn(&[&[u8]]) -> R,
) -> Result<R, Error> {
    if backend.kind() != BackendKind::Store {
        return Ok(question(&borrowed(&fetch(backend, keys).await?)));
    }
    backend.call(&step(&*all_read(keys), |tx| look_at(tx, keys, &question))).await
}

/// Calls a function with one byte of each string; those that are shorter are empty.
#[blocking_and_async]
pub(super) async fn ask_byte<R>(
    backend: &impl Backend,
    keys: &[&[u8]],
    byte: u32,
    question: impl Fn(&[&[u8]]) -> R,
) -> Result<R, Error> {
    let bytes = if keys.len() == 1 || is_spread(backend, keys) {
        each_string(backend, keys, Some(byte)).await?
    } else {
        backend.call(&bytes(&all(keys), byte)).await?
    };
    Ok(question(&borrowed(&bytes)))
}

/// Returns the strings at some keys of a server, atomically, or of a cluster.
#[blocking_and_async]
async fn fetch(backend: &impl Backend, keys: &[&[u8]]) -> Result<Vec<Bytes>, Error> {
    if keys.len() == 1 || is_spread(backend, keys) {
        return each_string(backend, keys, None).await;
    }
    let whole = all(keys);
    let checked: Vec<Read<'_>> = keys.chunks(1).map(all).collect();
    let checks = checked.iter().map(|key| strings(key, true));
    let steps: Vec<_> =
        [strings(&whole, false)].into_iter().filter(|_| !keys.is_empty()).chain(checks).collect();
    let mut all = Vec::new();
    call_all(backend, &steps, |at, strings| {
        if at == 0 {
            all = strings;
        }
    })
    .await?;
    Ok(all.into_iter().map(Option::unwrap_or_default).collect())
}

/// Returns the string at each key, or one byte of it, in one step per key.
#[blocking_and_async]
async fn each_string(
    backend: &impl Backend,
    keys: &[&[u8]],
    byte: Option<u32>,
) -> Result<Vec<Bytes>, Error> {
    let steps: Vec<_> = keys.iter().map(|key| string(key, byte)).collect();
    let mut all = vec![Bytes::new(); keys.len()];
    call_all(backend, &steps, |at, string| all[at] = string).await?;
    Ok(all)
}

fn borrowed(strings: &[Bytes]) -> Vec<&[u8]> {
    strings.iter().map(|string| &**string).collect()
}

/// Returns whether the keys are in different slots of a cluster.
pub(super) fn is_spread(backend: &impl Keyspace, keys: &[&[u8]]) -> bool {
    backend.kind() == BackendKind::Cluster
        && keys.split_first().is_some_and(|(first, others)| {
            let slot = key_slot(first);
            others.iter().any(|key| key_slot(key) != slot)
        })
}

/// Stores a bitmap that is computed from the strings at some keys at a target of any type, or deletes the target if the
/// bitmap is empty; returns its length.
///
/// If the keys are in different slots of a cluster, it is computed by the client, and the strings may change meanwhile.
#[blocking_and_async]
pub(super) async fn store(
    backend: &impl Backend,
    target: &[u8],
    sources: &[&[u8]],
    program: &Program,
) -> Result<u64, Error> {
    let make = |strings: &[&[u8]]| program.bitmap(strings);
    if backend.kind() == BackendKind::Store {
        let mut keys = all_read(sources);
        keys.push(KeyRef::new(target));
        return backend.call(&step(&*keys, |tx| store_on(tx, target, sources, make))).await;
    }
    let between = between(target, sources, program.results() + 1);
    let keys = StoreKeys::new(target, &between, sources);
    if is_spread(backend, &keys.all) {
        let bitmap = ask(backend, sources, make).await?;
        return backend.call(&put(target, &bitmap)).await;
    }
    backend.call(&store_with(&keys, program)).await
}

/// As [`store`], if it is one step.
pub(super) fn store_with<'k>(
    keys: &'k StoreKeys<'k>,
    program: &'k Program,
) -> impl Procedure<Output = u64> {
    step(&*keys.named, move |tx| {
        let [target, ..] = *keys.all else { return Ok(0) };
        let sources = &keys.all[1 + keys.unused..];
        store_on(tx, target, sources, |strings| program.bitmap(strings))
    })
    .on_server(move || {
        let unused = i64::try_from(keys.unused).unwrap_or(i64::MAX);
        let request = Request::script(&STORE).keys(&keys.all).arg(unused);
        program.steps_as_text().iter().fold(request, Request::arg)
    })
}

/// The keys for storing a bitmap.
#[derive(Debug)]
pub(super) struct StoreKeys<'k> {
    /// The target, the keys of intermediate results, and the sources.
    all: Vec<&'k [u8]>,
    unused: usize,
    named: Vec<KeyRef<'k>>,
}

impl<'k> StoreKeys<'k> {
    pub(super) fn new(target: &'k [u8], between: &'k [Vec<u8>], sources: &'k [&'k [u8]]) -> Self {
        let written = [target].into_iter().chain(between.iter().map(|key| &key[..]));
        let all: Vec<&[u8]> = written.chain(sources.iter().copied()).collect();
        let of_sources = sources.iter().map(|key| read(key));
        // A store needs no keys for intermediate results.
        let named = of_sources.chain([KeyRef::new(target)]).collect();
        Self { all, unused: between.len(), named }
    }
}

/// Returns the keys of `count` intermediate results: in the slot of the target, and none of them a source.
pub(super) fn between(target: &[u8], sources: &[&[u8]], count: usize) -> Vec<Vec<u8>> {
    let tagged = hash_tag(target).is_some() || target.contains(&b'}');
    let base = if tagged { target.to_vec() } else { [b"{", target, b"}"].concat() };
    (0_u64..)
        .map(|number| [&base, format!(":bitop:{number}").as_bytes()].concat())
        .filter(|key| key != target && !sources.contains(&&key[..]))
        .take(count)
        .collect()
}

/// Stores a bitmap at a key of any type, or deletes it if the bitmap is empty; returns its length.
pub(super) fn put<'k>(target: &'k [u8], bitmap: &'k [u8]) -> impl Procedure<Output = u64> {
    step([target], move |tx| put_on(tx, target, bitmap))
        .on_server(move || Request::script(&PUT).key(target).arg(bitmap))
}

/// As [`store`], as part of a transaction.
pub(super) fn store_on(
    tx: &Tx<'_>,
    target: &[u8],
    sources: &[&[u8]],
    make: impl Fn(&[&[u8]]) -> Vec<u8>,
) -> Result<u64, Error> {
    let bitmap = look_at(tx, sources, make)?;
    put_on(tx, target, &bitmap)
}

fn put_on(tx: &Tx<'_>, target: &[u8], bitmap: &[u8]) -> Result<u64, Error> {
    // As with BITOP, the result has the raw encoding, even if its bytes are those of an integer.
    tx.del([target])?;
    Ok(tx.setrange(target, 0, bitmap)? as u64)
}

/// Calls a function with the strings at the keys.
fn look_at<R>(tx: &Tx<'_>, keys: &[&[u8]], look: impl FnOnce(&[&[u8]]) -> R) -> Result<R, Error> {
    tx.with_strings_read(keys, |strings| {
        let mut all = SmallVec::<[&[u8]; 4]>::with_capacity(strings.len());
        all.extend(strings.iter().map(|string| string.unwrap_or_default()));
        Ok(look(&all))
    })
}
