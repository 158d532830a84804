//! BF.LOADCHUNK.

use bloom::{BloomFilter, Fault, LoadError};
use bytes::Bytes;

use super::not_found;
use crate::error::{Error, ErrorKind};
use crate::store::slot::Slot;
use crate::value::Value;

/// The cursor of the header.
const HEADER: u64 = 1;

pub(super) fn load(
    slot: &mut Slot<'_, '_, '_>,
    cursor: u64,
    piece: &[u8],
    limit: usize,
) -> Result<(), Error> {
    match slot.value_mut() {
        None if cursor == HEADER => {
            let filter = BloomFilter::from_header(piece, limit as u64).map_err(|error| {
                let too_large = matches!(error.fault(), Fault::TooLarge { .. });
                let kind = if too_large { ErrorKind::OutOfMemory } else { ErrorKind::Corrupt };
                Error::caused(kind, BAD_DATA, error)
            })?;
            slot.put(Value::Bloom(Box::new(filter)));
        }
        None => return Err(not_found()),
        Some(value) => {
            let filter = value.as_bloom_mut().ok_or_else(Error::wrong_type)?;
            filter.load_chunk(cursor, piece).map_err(|why| misplaced(why, cursor, piece))?;
        }
    }
    slot.changed("BF.LOADCHUNK", || {
        vec![Bytes::from(cursor.to_string()), Bytes::copy_from_slice(piece)]
    });
    Ok(())
}

const BAD_DATA: &str = "ERR received bad data";

#[cold]
fn misplaced(why: LoadError, cursor: u64, piece: &[u8]) -> Error {
    let text = match why {
        LoadError::Cursor { .. } if cursor == 0 || cursor < piece.len() as u64 => BAD_DATA,
        LoadError::CrossesLink { .. } => "ERR invalid chunk - Too big for current filter",
        LoadError::Cursor { .. } | LoadError::PastEnd { .. } | _ => {
            "ERR invalid offset - no link found"
        }
    };
    Error::caused(ErrorKind::Corrupt, text, why)
}
