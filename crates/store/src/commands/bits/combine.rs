//! BITOP: combines several strings.

use std::borrow::Cow;

use bitpack::bits::{self, Op};
use bytes::Bytes;
use smallvec::SmallVec;

use crate::commands::strings::string_at;
use crate::error::{Error, ErrorKind, Result};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::scope::{Scope, View};
use crate::store::slot::{BY_COMMAND, Expires, Outcome, Slot};
use crate::store::{Locks, Store};
use crate::to_key::ToKey;
use crate::to_keys::{OneAndMany, ToKeys};
use crate::value::Value;

/// How many bytes are copied at a time of a string that is both source and target: they fit in the L1 cache.
const BLOCK: usize = 16 << 10;

/// BITOP: stores the result at a key, or removes the key if the result is empty; returns its length in bytes.
pub(crate) fn combine(
    store: &Store<impl Locks>,
    op: Op,
    target: impl ToKey,
    sources: impl ToKeys,
) -> Result<usize> {
    store.write(OneAndMany(target, sources), |scope, keys| {
        let (target, sources) = (keys[0], &keys[1..]);
        op.check_sources(sources.len()).map_err(|_| wrong_sources(op))?;
        for &key in sources {
            scope.drop_expired(key);
        }
        let len = longest(scope, sources)?;
        if len == 0 {
            scope.slot(target).delete();
            return Ok(0);
        }
        let old = memory_of(scope.slot(target), len);
        let result = made(scope, op, target, sources, old, len)?;
        report(scope, op, target, sources, &result);
        scope.slot(target).put(result, Expires::Never, BY_COMMAND);
        Ok(len)
    })
}

/// Takes the value of the target, which the result replaces, if its allocation has room for the result. The old bytes
/// that a snapshot needs are kept.
fn memory_of(mut target: Slot<'_>, len: usize) -> Option<Value> {
    if target.is_in_snapshot() {
        return None;
    }
    let take = |old: &mut Value| {
        let fits = old.has_room_for(len);
        (fits.then(|| std::mem::replace(old, Value::Int(0))), Outcome::Same)
    };
    target.edit(take, |_| ("", Vec::new())).flatten()
}

/// Reports the change to the sinks. Operations of only the newest servers are reported as the resulting bytes, since
/// the reader of a log may be older.
fn report(
    scope: &mut Scope<'_>,
    op: Op,
    target: HashedKey<'_>,
    sources: &[HashedKey<'_>],
    result: &Value,
) {
    let copied = Bytes::copy_from_slice;
    if matches!(op, Op::And | Op::Or | Op::Xor | Op::Not) {
        scope.effect(|| {
            let keys = std::iter::once(&target).chain(sources).map(|key| key.bytes);
            [b"BITOP", name(op).as_bytes()].into_iter().chain(keys).map(copied).collect()
        });
        return;
    }
    scope.effect(|| vec!["DEL".into(), copied(target.bytes)]);
    scope.effect(|| {
        let bytes = result.as_str().map(Member::to_bytes).unwrap_or_default();
        vec!["SETRANGE".into(), copied(target.bytes), "0".into(), bytes]
    });
}

/// The length of the longest source, in bytes.
fn longest(view: &View<'_>, sources: &[HashedKey<'_>]) -> Result<usize> {
    sources.iter().try_fold(0, |longest, &key| {
        Ok(longest.max(string_at(view, key)?.map_or(0, Member::byte_len)))
    })
}

/// The result, in the allocation of the target's old value if it is large enough; the target is empty meanwhile.
fn made(
    scope: &Scope<'_>,
    op: Op,
    target: HashedKey<'_>,
    sources: &[HashedKey<'_>],
    old: Option<Value>,
    len: usize,
) -> Result<Value> {
    let bytes = |key| Ok(string_at(scope, key)?.map_or(Cow::Borrowed(&b""[..]), bytes_of));
    let Some(mut result) = old else {
        let strings = sources.iter().map(|&key| bytes(key));
        let strings: SmallVec<[Cow<'_, [u8]>; 4]> = strings.collect::<Result<_>>()?;
        let strings: SmallVec<[&[u8]; 4]> = strings.iter().map(AsRef::as_ref).collect();
        let mut out = Vec::new();
        bits::combine(op, &strings, &mut out).map_err(|_| wrong_sources(op))?;
        return Ok(Value::raw_string(out));
    };
    // `None` for a source that is also the target.
    let strings = sources
        .iter()
        .map(|&key| if key.bytes == target.bytes { Ok(None) } else { bytes(key).map(Some) });
    let strings: SmallVec<[Option<Cow<'_, [u8]>>; 4]> = strings.collect::<Result<_>>()?;
    let out = result.refill(len).ok_or_else(Error::wrong_type)?;
    let in_place = strings.iter().any(Option::is_none);
    let block = if in_place { BLOCK } else { len };
    let mut aside = vec![0; if in_place { block.min(len) } else { 0 }];
    for (number, out) in out.chunks_mut(block).enumerate() {
        let at = number * block;
        let aside = if in_place {
            let aside = &mut aside[..out.len()];
            aside.copy_from_slice(out);
            &*aside
        } else {
            &[]
        };
        let parts = strings.iter().map(|string| match string {
            None => aside,
            Some(string) => string.get(at..).unwrap_or_default(),
        });
        let parts: SmallVec<[&[u8]; 4]> = parts.collect();
        bits::combine_into(op, &parts, out).map_err(|_| wrong_sources(op))?;
    }
    Ok(result)
}

fn bytes_of(string: Member<'_>) -> Cow<'_, [u8]> {
    match string {
        Member::Bytes(bytes) => Cow::Borrowed(bytes),
        Member::Int(_) => Cow::Owned(string.with_bytes(<[u8]>::to_vec)),
    }
}

/// The name of an operation, as BITOP takes it.
const fn name(op: Op) -> &'static str {
    match op {
        Op::And => "AND",
        Op::Or => "OR",
        Op::Xor => "XOR",
        Op::Not => "NOT",
        Op::Diff => "DIFF",
        Op::Diff1 => "DIFF1",
        Op::AndOr => "ANDOR",
        Op::One => "ONE",
    }
}

#[cold]
fn wrong_sources(op: Op) -> Error {
    let need = match op {
        Op::Not => "a single source key",
        Op::Diff | Op::Diff1 | Op::AndOr => "at least two source keys",
        Op::And | Op::Or | Op::Xor | Op::One => "at least one source key",
    };
    Error::new(ErrorKind::Syntax, format!("ERR BITOP {} must be called with {need}.", name(op)))
}
