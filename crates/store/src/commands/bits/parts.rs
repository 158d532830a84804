//! What the commands on bits are made of.

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

/// An operation that may write.
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

/// Whether a string may be long enough for its bit at this offset.
#[inline]
pub(super) fn check_offset(offset: u64) -> Result<()> {
    const MOST: u64 = STRING_MAX as u64;
    if offset / 8 < MOST { Ok(()) } else { Err(Error::bit_out_of_range()) }
}

/// What has become of a string that an operation on bits has got ready, beside its bits.
#[derive(Clone, Copy)]
pub(super) struct Grown {
    /// Whether the key is new, or the string longer than it was.
    pub(super) grew: bool,
    /// Whether it is kept in another form than it was, which OBJECT ENCODING may show.
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
    /// Lets `edit` change these bytes of the string, and makes the string, or makes it longer, to be at least so long.
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

    /// SETBIT: sets a bit; returns what it was.
    ///
    /// # Errors
    ///
    /// An offset beyond 512 MiB.
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

/// BITCOUNT of a range, which is asked for only when there is a string at the key: what is wrong with it does not
/// matter before.
pub(crate) fn count_with(
    store: &Store<impl Locks>,
    key: impl ToKey,
    range: impl FnOnce() -> Result<BitRange>,
) -> Result<u64> {
    store.read(key, |view, keys| {
        let Some(string) = string_at(view, keys[0])? else { return Ok(0) };
        let range = range()?;
        // Redis looks at this before it cuts the range to the string, so that nothing is left of what lies before it.
        if range.is_inverted() {
            return Ok(0);
        }
        let count = |bytes: &[u8]| {
            range.resolve(bytes.len()).map_or(0, |range| bits::count_in(bytes, range))
        };
        Ok(string.with_bytes(count))
    })
}

/// BITPOS in a range, which is asked for as by [`count_with`].
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
