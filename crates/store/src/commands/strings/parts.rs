//! Parts of strings: what lies at some offset, and what two strings have in common.

use bytes::Bytes;

use super::options::{LcsMatch, LcsMatches};
use super::string_at;
use crate::commands::STRING_MAX;
use crate::error::{Error, Result};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::scope::View;
use crate::store::{Locks, Store};
use crate::text::{lcs, range};
use crate::to_key::ToKey;

/// What Redis lets strings grow to, and the table of LCS.
const STRING_MAX_U64: u64 = STRING_MAX as u64;

/// GETRANGE.
pub(super) fn range_of(view: &View<'_>, key: HashedKey<'_>, from: i64, to: i64) -> Result<Bytes> {
    let Some(string) = string_at(view, key)? else { return Ok(Bytes::new()) };
    Ok(string
        .with_bytes(|bytes| Bytes::copy_from_slice(&bytes[range::slice(from, to, bytes.len())])))
}

/// LCS: hands both strings, empty where no key is, to `find`.
pub(crate) fn common<R>(
    store: &Store<impl Locks>,
    a: impl ToKey,
    b: impl ToKey,
    find: impl FnOnce(&[u8], &[u8]) -> Result<R>,
) -> Result<R> {
    store.read((a, b), |view, keys| {
        let string =
            |key| Ok(string_at(view, key).map_err(|_| Error::no_strings())?.unwrap_or(NOTHING));
        let (a, b) = (string(keys[0])?, string(keys[1])?);
        a.with_bytes(|a| b.with_bytes(|b| find(a, b)))
    })
}

const NOTHING: Member<'static> = Member::Bytes(b"");

pub(crate) fn common_text(a: &[u8], b: &[u8]) -> Result<Bytes> {
    Ok(Bytes::from(lcs::lcs(a, b, STRING_MAX_U64)?.text()))
}

pub(crate) fn common_len(a: &[u8], b: &[u8]) -> Result<usize> {
    lcs::length(a, b, STRING_MAX_U64)
}

pub(crate) fn common_runs(a: &[u8], b: &[u8], shortest: usize) -> Result<LcsMatches> {
    let common = lcs::lcs(a, b, STRING_MAX_U64)?;
    let runs = common.matches().filter(|run| run.len >= shortest);
    let matches = runs.map(|run| LcsMatch { a: run.a..run.a + run.len, b: run.b..run.b + run.len });
    Ok(LcsMatches { len: common.len(), matches: matches.collect() })
}
