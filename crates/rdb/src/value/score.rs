//! The scores of a sorted set that is kept member by member.
//!
//! ```text
//! text      length byte, digits      fd: not a number    fe: infinity    ff: minus infinity
//! double    8 bytes, little-endian
//! ```

use std::io::Read;

use crate::{error::Error, source::Source};

/// How a sorted set has its scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScoreForm {
    Text,
    Double,
}

/// The lengths of a text that stand for a number without digits, this one and those above.
const NAN: u8 = 253;
const INFINITY: u8 = 254;
const MINUS_INFINITY: u8 = 255;

/// Reads a score, which is NaN if the digits are no number: what is passed over is not looked at either.
pub(crate) fn read<R: Read>(source: &mut Source<R>, form: ScoreForm) -> Result<f64, Error> {
    if form == ScoreForm::Double {
        return source.array().map(f64::from_le_bytes);
    }
    match source.byte()? {
        NAN => Ok(f64::NAN),
        INFINITY => Ok(f64::INFINITY),
        MINUS_INFINITY => Ok(f64::NEG_INFINITY),
        len => {
            let number = |text: &[u8]| str::from_utf8(text).ok()?.parse().ok();
            source.lend(u64::from(len), |text| number(text).unwrap_or(f64::NAN))
        }
    }
}

/// Passes over a score, whatever its digits.
pub(crate) fn walk<R: Read>(source: &mut Source<R>, form: ScoreForm) -> Result<(), Error> {
    match form {
        ScoreForm::Double => source.array::<8>().map(drop),
        ScoreForm::Text => match source.byte()? {
            NAN.. => Ok(()),
            len => source.skip(u64::from(len)),
        },
    }
}
