//! What the commands on bits are made of.

use bitpack::bits;
use bytes::Bytes;

use super::fields;
use super::options::{BitFieldOp, BitRange};
use crate::commands::STRING_MAX;
use crate::commands::strings::string_at;
use crate::error::{Error, ErrorKind};
use crate::store::door::Door;
use crate::store::slot::Slot;
use crate::value::Value;

/// An operation that may write.
#[inline]
pub(super) fn change_one(
    door: &(impl Door + ?Sized),
    key: &[u8],
    operation: BitFieldOp,
) -> Result<Option<i64>, Error> {
    check_offset(operation.offset)?;
    door.write(&[key], |scope, keys| {
        scope.change(keys[0], |slot| {
            let mut answer = None;
            fields::change(slot, &[operation], |number| answer = number)?;
            Ok(answer)
        })
    })
}

/// Whether a string may be long enough for its bit at this offset.
#[inline]
pub(super) fn check_offset(offset: u64) -> Result<(), Error> {
    const MOST: u64 = STRING_MAX as u64;
    if offset / 8 < MOST { Ok(()) } else { Err(out_of_range()) }
}

/// What is said to an offset that is none.
#[cold]
pub(crate) fn out_of_range() -> Error {
    Error::new(ErrorKind::Syntax, "ERR bit offset is not an integer or out of range")
}

/// The string in a slot, to be changed.
pub(super) struct Room<'s> {
    pub(super) bytes: &'s mut [u8],
    /// Whether the key is new, or the string longer than it was.
    pub(super) grew: bool,
    /// Whether it is kept in another form than it was, which OBJECT ENCODING may tell.
    pub(super) reformed: bool,
}

/// Makes the string in a slot at least so long, which may be new.
#[inline]
pub(super) fn room<'s>(slot: &'s mut Slot<'_, '_, '_>, least: usize) -> Result<Room<'s>, Error> {
    let (grew, reformed) = if let Some(value) = slot.value() {
        let len = value.as_str().ok_or_else(Error::wrong_type)?.byte_len();
        (len < least, !value.is_raw())
    } else {
        slot.put(Value::raw_string(vec![0; least]));
        (true, false)
    };
    let bytes = slot.value_mut().and_then(|value| value.bytes_mut(least));
    Ok(Room { bytes: bytes.ok_or_else(Error::wrong_type)?, grew, reformed })
}

/// SETBIT.
#[inline]
pub(crate) fn set_bit(slot: &mut Slot<'_, '_, '_>, offset: u64, on: bool) -> Result<bool, Error> {
    let least = bits::bytes_for(offset).ok_or_else(out_of_range)?;
    let Room { bytes, grew, reformed } = room(slot, least)?;
    let old = bits::set(bytes, offset, on);
    let words = || [offset.to_string().into(), u8::from(on).to_string().into()];
    if grew || old != on {
        slot.changed("SETBIT", || words().into());
    } else if reformed {
        slot.reformed(|key| {
            let [offset, on]: [Bytes; 2] = words();
            vec!["SETBIT".into(), key, offset, on]
        });
    }
    Ok(old)
}

/// BITCOUNT of a range, which is asked for only when there is a string at the key: what is wrong with it does not matter
/// before.
pub(crate) fn count_with(
    door: &(impl Door + ?Sized),
    key: &[u8],
    range: impl FnOnce() -> Result<BitRange, Error>,
) -> Result<u64, Error> {
    door.read(&[key], |view, keys| {
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
    door: &(impl Door + ?Sized),
    key: &[u8],
    bit: bool,
    range: impl FnOnce() -> Result<BitRange, Error>,
) -> Result<Option<u64>, Error> {
    door.read(&[key], |view, keys| {
        let Some(string) = string_at(view, keys[0])? else { return Ok((!bit).then_some(0)) };
        let range = range()?;
        Ok(string.with_bytes(|bytes| {
            let within = range.resolve(bytes.len())?;
            let behind = (!bit && range.is_open()).then_some(within.end);
            bits::position_in(bytes, bit, within).or(behind)
        }))
    })
}
