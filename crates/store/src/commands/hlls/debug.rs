//! PFDEBUG: looks inside.

use std::fmt::Write;

use hll::{DecodeError, Encoding, Hll, Opcode};

use super::edit_hll;
use crate::error::{Error, ErrorKind};
use crate::store::slot::Slot;

/// Every register; the value is dense afterwards, as in Redis.
pub(super) fn registers(slot: &mut Slot<'_, '_, '_>) -> Result<Option<Vec<u8>>, Error> {
    if to_dense(slot)?.is_none() {
        return Ok(None);
    }
    look(slot, |hll| Ok(hll.registers()?.collect()))?.transpose().map_err(|_| Error::corrupt_hll())
}

/// Makes it dense; whether it was not.
pub(super) fn to_dense(slot: &mut Slot<'_, '_, '_>) -> Result<Option<bool>, Error> {
    let Some(turned) = edit_hll(slot, |mut hll| hll.promote())? else { return Ok(None) };
    let turned = turned.map_err(|_| Error::corrupt_hll())?;
    if turned {
        slot.reformed(|key| vec!["PFDEBUG".into(), "TODENSE".into(), key]);
    }
    Ok(Some(turned))
}

/// How the registers are kept.
pub(super) fn encoding(slot: &mut Slot<'_, '_, '_>) -> Result<Option<Encoding>, Error> {
    edit_hll(slot, |hll| hll.encoding())
}

/// The opcodes as text: `z:` and `Z:` with the length of short and long runs of zeros, `v:` with a value and the length
/// of its run.
pub(super) fn decode(slot: &mut Slot<'_, '_, '_>) -> Result<Option<String>, Error> {
    let Some(found) = look(slot, |hll| Ok(hll.opcodes().map(text_of)))? else { return Ok(None) };
    let text = found.map_err(|_| Error::not_hll())?.ok_or_else(not_sparse)?;
    Ok(Some(text))
}

fn text_of(opcodes: impl Iterator<Item = Opcode>) -> String {
    let mut text = String::new();
    for opcode in opcodes {
        if !text.is_empty() {
            text.push(' ');
        }
        // Writing to a `String` cannot fail.
        let _ = match opcode {
            Opcode::Zero { span } => write!(text, "z:{span}"),
            Opcode::XZero { span } => write!(text, "Z:{span}"),
            Opcode::Val { value, span } => write!(text, "v:{value},{span}"),
        };
    }
    text
}

/// Reads the `HyperLogLog` of a slot. It counts as changed in place, which PFDEBUG makes of any.
fn look<R>(
    slot: &mut Slot<'_, '_, '_>,
    read: impl FnOnce(Hll<'_>) -> Result<R, DecodeError>,
) -> Result<Option<Result<R, DecodeError>>, Error> {
    edit_hll(slot, |hll| hll.view().and_then(read))
}

#[cold]
fn not_sparse() -> Error {
    Error::new(ErrorKind::InvalidHll, "ERR HLL encoding is not sparse")
}
