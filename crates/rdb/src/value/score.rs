//! The scores of a sorted set that is stored member by member.
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

/// Reads a score; it is NaN if the digits are not a number, because skipped scores are not validated either.
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

/// Skips a score, without validating its digits.
pub(crate) fn scan<R: Read>(source: &mut Source<R>, form: ScoreForm) -> Result<(), Error> {
    match form {
        ScoreForm::Double => source.array::<8>().map(drop),
        ScoreForm::Text => match source.byte()? {
            NAN.. => Ok(()),
            len => source.skip(u64::from(len)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read_and_passed_over() {
        for (form, bytes, score) in [
            (ScoreForm::Text, &b"\x031.5"[..], Some(1.5)),
            (ScoreForm::Text, b"\x15-3.1400000000000001e2", Some(-314.0)),
            (ScoreForm::Text, b"\xfd", None),
            (ScoreForm::Text, b"\xfe", Some(f64::INFINITY)),
            (ScoreForm::Text, b"\xff", Some(f64::NEG_INFINITY)),
            (ScoreForm::Text, b"\x03abc", None),
            (ScoreForm::Text, b"\0", None),
            (ScoreForm::Double, b"\0\0\0\0\0\0\xf8\xbf", Some(-1.5)),
        ] {
            let source = || Source::new(bytes, Some(bytes.len() as u64), false);
            let read = read(&mut source(), form).unwrap();
            assert_eq!(Some(read).filter(|score| !score.is_nan()), score, "{bytes:?}");
            let mut scanned = source();
            scan(&mut scanned, form).unwrap();
            assert_eq!(scanned.left(), Some(0), "{bytes:?}");
            let cut = &bytes[..bytes.len() - 1];
            assert!(
                super::read(&mut Source::new(cut, Some(cut.len() as u64), false), form).is_err()
            );
        }
    }
}
