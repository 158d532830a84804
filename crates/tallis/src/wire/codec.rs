//! The codec of format 1, which is bincode 2. No other module depends on bincode.

use bincode::config::{self, Configuration, Fixint, LittleEndian};
use bincode::enc::write::Writer;
use bincode::error::{DecodeError, EncodeError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::Error;

/// The most bytes of the value of a frame: 2 GiB.
pub const MAX_LEN: u64 = 1 << 31;

/// Frames are stored and sent, so every setting is explicit.
///
/// Integers have a fixed width because the limit is counted in decoded widths: with variable-width integers, a value
/// would need a limit of eight times its bytes.
const CONFIG: Configuration<LittleEndian, Fixint> =
    config::standard().with_little_endian().with_fixed_int_encoding().with_no_limit();

/// A growing buffer.
struct Out(Vec<u8>);

impl Writer for Out {
    fn write(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

/// Appends a value.
pub(super) fn write(value: &(impl Serialize + ?Sized), out: Vec<u8>) -> Result<Vec<u8>, Error> {
    let mut out = Out(out);
    bincode::serde::encode_into_writer(value, &mut out, CONFIG)
        .map_err(|error| Error::Unframed(unframed(error).into()))?;
    Ok(out.0)
}

fn unframed(error: EncodeError) -> String {
    if let EncodeError::OtherString(why) = error { why } else { error.to_string() }
}

/// Decodes a value from these bytes, all of which must be used.
///
/// bincode allocates what a length field says before it checks that the bytes are there, up to a limit that is part of
/// the type. So there is a limit for every second power of two, and the smallest that fits is at most four times the
/// number of bytes.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    macro_rules! within {
        ($($bits:literal)*) => {
            match bytes.len() {
                $(len if len <= 1 << $bits => {
                    bincode::serde::decode_from_slice(bytes, CONFIG.with_limit::<{ 1 << $bits }>())
                })*
                len => return Err(Error::TooLong { len: len as u64, limit: MAX_LEN }),
            }
        };
    }
    let read = within!(9 11 13 15 17 19 21 23 25 27 29 31);
    let (value, len): (T, usize) = read.map_err(|error| Error::Malformed(malformed(error)))?;
    match bytes.len() - len {
        0 => Ok(value),
        more => Err(Error::Malformed(format!("{more} trailing bytes").into())),
    }
}

fn malformed(error: DecodeError) -> Box<str> {
    // The error of the type's own validation.
    if let DecodeError::OtherString(why) = error {
        return why.into();
    }
    if matches!(error, DecodeError::UnexpectedEnd { .. }) {
        return "unexpected end".into();
    }
    if matches!(error, DecodeError::LimitExceeded) {
        return "a length exceeds the bytes that remain".into();
    }
    error.to_string().into()
}
