//! PFDEBUG: inspection of the representation.

use std::fmt::Write;

use hll::{DecodeError, Encoding, Hll, Opcode};

use super::HllEntry;
use crate::error::{Error, Result};
use crate::store::slot::Outcome;

/// Returns all registers; the value is dense afterwards, as in Redis.
pub(super) fn registers(entry: &mut HllEntry<'_>) -> Result<Option<Vec<u8>>> {
    if to_dense(entry)?.is_none() {
        return Ok(None);
    }
    look(entry, |hll| Ok(hll.registers()?.collect()))?.transpose().map_err(|_| Error::corrupt_hll())
}

/// Converts the value to dense; returns whether it was sparse.
pub(super) fn to_dense(entry: &mut HllEntry<'_>) -> Result<Option<bool>> {
    let turned = entry.edit_hll(
        |mut hll| hll.promote(),
        |turned| if matches!(turned, Ok(true)) { Outcome::Reformed } else { Outcome::Same },
        "PFDEBUG TODENSE",
    )?;
    turned.transpose().map_err(|_| Error::corrupt_hll())
}

/// The encoding of the registers.
pub(super) fn encoding(entry: &mut HllEntry<'_>) -> Result<Option<Encoding>> {
    entry.edit_hll(|hll| hll.encoding(), |_| Outcome::Same, "")
}

/// The opcodes as text: `z:` and `Z:` with the length of short and long runs of zeros, `v:` with a value and the length
/// of its run.
pub(super) fn decode(entry: &mut HllEntry<'_>) -> Result<Option<String>> {
    let Some(found) = look(entry, |hll| Ok(hll.opcodes().map(text_of)))? else { return Ok(None) };
    let text = found.map_err(|_| Error::not_hll())?.ok_or_else(Error::not_sparse)?;
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

/// Reads the `HyperLogLog` of an entry. It counts as changed in place, as after any PFDEBUG.
fn look<R>(
    entry: &mut HllEntry<'_>,
    read: impl FnOnce(Hll<'_>) -> Result<R, DecodeError>,
) -> Result<Option<Result<R, DecodeError>>> {
    entry.edit_hll(|hll| hll.view().and_then(read), |_| Outcome::Same, "")
}
