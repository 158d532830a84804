//! Strings that are counted up and down.

use bytes::Bytes;

use super::string_in;
use crate::error::{Error, ErrorKind};
use crate::key::HashedKey;
use crate::member::Member;
use crate::store::door::Scope;
use crate::text::extended::{Extended, NOT_A_FLOAT, NOT_FINITE};
use crate::value::Value;

/// Adds to the number at a key.
#[inline]
pub(crate) fn increment(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    delta: i64,
) -> Result<i64, Error> {
    scope.change(key, |slot| {
        let old = match string_in(slot)? {
            None => 0,
            // A string that was changed in place may be a number now.
            Some(string) => string.as_int().ok_or_else(Error::not_integer)?,
        };
        let sum = old.checked_add(delta).ok_or_else(Error::overflow)?;
        slot.put(Value::Int(sum));
        slot.changed("INCRBY", || vec![Member::Int(delta).to_bytes()]);
        Ok(sum)
    })
}

/// The increment that takes away `delta`.
pub(super) fn negated(delta: i64) -> Result<i64, Error> {
    delta
        .checked_neg()
        .ok_or_else(|| Error::new(ErrorKind::NotInteger, "ERR decrement would overflow"))
}

/// Adds to the number of 80 bits at a key; returns the text that is there now.
pub(crate) fn increment_float(
    scope: &mut Scope<'_>,
    key: HashedKey<'_>,
    delta: &[u8],
) -> Result<Bytes, Error> {
    let parse = |text: &[u8]| Extended::parse(text).ok_or_else(|| not_a_float(NOT_A_FLOAT));
    scope.change(key, |slot| {
        let old = string_in(slot)?.unwrap_or(Member::Int(0)).with_bytes(parse)?;
        let sum = old.add(parse(delta)?).ok_or_else(|| not_a_float(NOT_FINITE))?;
        let text = sum.to_text();
        // Text even where it is a whole number: INCR makes it one again.
        slot.put(Value::text(&text));
        let text = Bytes::from(text);
        slot.changed("SET", || vec![text.clone(), "KEEPTTL".into()]);
        Ok(text)
    })
}

#[cold]
fn not_a_float(text: &'static str) -> Error {
    Error::new(ErrorKind::NotInteger, text)
}
