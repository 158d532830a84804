//! Shared parts of the commands on bits.

use std::iter;
use std::ops::Range;

use bitpack::bits;
use bytes::Bytes;

use super::options::{BitFieldOp, BitRange};
use crate::commands::STRING_MAX;
use crate::commands::strings::{StringEntry, string_at};
use crate::error::{Error, Result};
use crate::member::Member;
use crate::store::slot::Outcome;
use crate::store::{Locks, Store};
use crate::to_key::ToKey;
use crate::value::Value;

/// Runs an operation that may write.
#[inline]
pub(super) fn change_one(
    store: &Store<impl Locks>,
    key: impl ToKey,
    operation: BitFieldOp,
) -> Result<Option<i64>> {
    check_offset(operation.offset)?;
    store.entry(key, |entry: &mut StringEntry<'_>| {
        let mut answer = None;
        entry.bitfield(&[operation], |number| answer = number)?;
        Ok(answer)
    })
}

/// Checks that a string may be long enough for the bit at this offset.
#[inline]
pub(super) fn check_offset(offset: u64) -> Result<()> {
    const MOST: u64 = STRING_MAX as u64;
    if offset / 8 < MOST { Ok(()) } else { Err(Error::bit_out_of_range()) }
}

/// How a string was changed to prepare it for an operation, other than its bits.
#[derive(Clone, Copy)]
pub(super) struct Grown {
    /// Whether the key is new, or the string has become longer.
    pub(super) grew: bool,
    /// Whether its encoding has changed, which OBJECT ENCODING may show.
    reformed: bool,
}

impl Grown {
    /// The outcome of an operation that may have changed bits.
    pub(super) const fn outcome(self, changed: bool) -> Outcome {
        if changed {
            Outcome::Changed
        } else if self.grew || self.reformed {
            Outcome::Reformed
        } else {
            Outcome::Same
        }
    }
}

impl StringEntry<'_> {
    /// Calls `edit` with these bytes of the string, after creating or extending it to that length.
    #[inline]
    pub(super) fn edit_bits<R>(
        &mut self,
        least: usize,
        ranges: impl IntoIterator<Item = Range<usize>>,
        edit: impl FnOnce(&mut [u8], Grown) -> (R, Outcome),
        effect: impl FnOnce() -> (&'static str, Vec<Bytes>),
    ) -> Result<R> {
        let created = !self.exists();
        self.announce_bytes(ranges);
        let edited = self.edit_or_make(
            || Value::raw_string(vec![0; least]),
            |value| {
                let len = value.as_str().map_or(0, Member::byte_len);
                let grown =
                    Grown { grew: created || len < least, reformed: !created && !value.is_raw() };
                match value.bytes_mut(least) {
                    Some(bytes) => {
                        let (result, outcome) = edit(bytes, grown);
                        (Ok(result), outcome)
                    }
                    None => (Err(Error::wrong_type()), Outcome::Same),
                }
            },
            |_| effect(),
        );
        edited.unwrap_or_else(|| Err(Error::wrong_type()))
    }

    /// SETBIT: sets or clears a bit; returns its old value.
    ///
    /// # Errors
    ///
    /// The offset is beyond 512 MiB.
    #[inline]
    pub fn set_bit(&mut self, offset: u64, on: bool) -> Result<bool> {
        check_offset(offset)?;
        let least = bits::bytes_for(offset).ok_or_else(Error::bit_out_of_range)?;
        self.edit_bits(
            least,
            iter::once(least - 1..least),
            |bytes, grown| {
                let old = bits::set(bytes, offset, on);
                (old, grown.outcome(grown.grew || old != on))
            },
            || ("SETBIT", vec![offset.to_string().into(), u8::from(on).to_string().into()]),
        )
    }
}

/// BITCOUNT of a range, which is only parsed if the key holds a string: an invalid one is no error otherwise.
pub(crate) fn count_with(
    store: &Store<impl Locks>,
    key: impl ToKey,
    range: impl FnOnce() -> Result<BitRange>,
) -> Result<u64> {
    store.read(key, |view, keys| {
        let Some(string) = string_at(view, keys[0])? else { return Ok(0) };
        let range = range()?;
        // Redis checks this before it clamps the range to the string, after which the order is no longer visible.
        if range.is_inverted() {
            return Ok(0);
        }
        let count = |bytes: &[u8]| {
            range.resolve(bytes.len()).map_or(0, |range| bits::count_in(bytes, range))
        };
        Ok(string.with_bytes(count))
    })
}

/// BITPOS in a range, which is parsed as by [`count_with`].
pub(crate) fn position_with(
    store: &Store<impl Locks>,
    key: impl ToKey,
    bit: bool,
    range: impl FnOnce() -> Result<BitRange>,
) -> Result<Option<u64>> {
    store.read(key, |view, keys| {
        let Some(string) = string_at(view, keys[0])? else { return Ok((!bit).then_some(0)) };
        let range = range()?;
        Ok(string.with_bytes(|bytes| {
            let within = range.resolve(bytes.len())?;
            let behind = (!bit && range.is_open()).then_some(within.end);
            bits::position_in(bytes, bit, within).or(behind)
        }))
    })
}
