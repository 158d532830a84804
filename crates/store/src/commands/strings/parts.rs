//! Parts of strings: what lies at some offset, and what two strings have in common.

use bytes::Bytes;

use super::options::{LcsMatch, LcsMatches};
use super::{string_at, string_in};
use crate::commands::{STRING_MAX, too_long};
use crate::error::{Error, ErrorKind};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::door::{Door, View};
use crate::store::slot::Slot;
use crate::text::{lcs, range};
use crate::value::Value;

/// What Redis lets strings grow to, and the table of LCS.
const STRING_MAX_U64: u64 = STRING_MAX as u64;

/// GETRANGE.
pub(super) fn range_of(
    view: &View<'_>,
    key: HashedKey<'_>,
    from: i64,
    to: i64,
) -> Result<Bytes, Error> {
    let Some(string) = string_at(view, key)? else { return Ok(Bytes::new()) };
    Ok(string
        .with_bytes(|bytes| Bytes::copy_from_slice(&bytes[range::slice(from, to, bytes.len())])))
}

/// APPEND: what is not there yet is set, and so may be a number.
pub(super) fn append(slot: &mut Slot<'_, '_, '_>, value: Member<'_>) -> Result<usize, Error> {
    let len = if let Some(len) = string_in(slot)?.map(Member::byte_len) {
        write_at(slot, len, value)?
    } else {
        slot.put(Value::string(value));
        value.byte_len()
    };
    slot.changed("APPEND", || vec![value.to_bytes()]);
    Ok(len)
}

/// SETRANGE: without bytes to write it changes nothing, wherever they were to go.
#[inline]
pub(crate) fn set_range(
    slot: &mut Slot<'_, '_, '_>,
    offset: usize,
    value: Member<'_>,
) -> Result<usize, Error> {
    let old = string_in(slot)?.map(Member::byte_len);
    if value.byte_len() == 0 {
        return Ok(old.unwrap_or(0));
    }
    let len = if old.is_some() {
        write_at(slot, offset, value)?
    } else {
        let end = end_of(offset, value)?;
        let mut bytes = vec![0; end];
        value.with_bytes(|value| bytes[offset..].copy_from_slice(value));
        slot.put(Value::raw_string(bytes));
        end
    };
    slot.changed("SETRANGE", || vec![Bytes::from(offset.to_string()), value.to_bytes()]);
    Ok(len)
}

fn write_at(slot: &mut Slot<'_, '_, '_>, offset: usize, value: Member<'_>) -> Result<usize, Error> {
    end_of(offset, value)?;
    let written =
        slot.value_mut().and_then(|old| value.with_bytes(|new| old.write_at(offset, new)));
    written.ok_or_else(Error::wrong_type)
}

/// Where a write ends, if a string may be as long.
fn end_of(offset: usize, value: Member<'_>) -> Result<usize, Error> {
    let end = offset.checked_add(value.byte_len());
    end.filter(|&end| end <= STRING_MAX).ok_or_else(too_long)
}

/// LCS: hands both strings, empty where no key is, to `find`.
pub(crate) fn common<R>(
    door: &(impl Door + ?Sized),
    a: &[u8],
    b: &[u8],
    find: impl FnOnce(&[u8], &[u8]) -> Result<R, Error>,
) -> Result<R, Error> {
    door.read(&[a, b], |view, keys| {
        let string = |key| Ok(string_at(view, key).map_err(|_| no_strings())?.unwrap_or(NOTHING));
        let (a, b) = (string(keys[0])?, string(keys[1])?);
        a.with_bytes(|a| b.with_bytes(|b| find(a, b)))
    })
}

const NOTHING: Member<'static> = Member::Bytes(b"");

pub(crate) fn common_text(a: &[u8], b: &[u8]) -> Result<Bytes, Error> {
    Ok(Bytes::from(lcs::lcs(a, b, STRING_MAX_U64)?.text()))
}

pub(crate) fn common_len(a: &[u8], b: &[u8]) -> Result<usize, Error> {
    lcs::length(a, b, STRING_MAX_U64)
}

pub(crate) fn common_runs(a: &[u8], b: &[u8], shortest: usize) -> Result<LcsMatches, Error> {
    let common = lcs::lcs(a, b, STRING_MAX_U64)?;
    let runs = common.matches().filter(|run| run.len >= shortest);
    let matches = runs.map(|run| LcsMatch { a: run.a..run.a + run.len, b: run.b..run.b + run.len });
    Ok(LcsMatches { len: common.len(), matches: matches.collect() })
}

#[cold]
fn no_strings() -> Error {
    Error::new(ErrorKind::WrongType, "ERR The specified keys must contain string values")
}
