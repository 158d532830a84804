//! BF.LOADCHUNK.

use bloom::{BloomFilter, Fault, LoadError};

use crate::error::{Error, ErrorKind, Result};

/// The cursor of the header.
const HEADER: u64 = 1;

/// The filter that a header describes; other chunks create none.
pub(super) fn from_header(cursor: u64, chunk: &[u8], limit: u64) -> Result<BloomFilter> {
    if cursor != HEADER {
        return Err(Error::no_filter());
    }
    BloomFilter::from_header(chunk, limit).map_err(|error| {
        let too_large = matches!(error.fault(), Fault::TooLarge { .. });
        let kind = if too_large { ErrorKind::OutOfMemory } else { ErrorKind::Corrupt };
        Error::caused(kind, BAD_DATA, error)
    })
}

const BAD_DATA: &str = "ERR received bad data";

#[cold]
pub(super) fn misplaced(why: LoadError, cursor: u64, piece: &[u8]) -> Error {
    let text = match why {
        LoadError::Cursor { .. } if cursor == 0 || cursor < piece.len() as u64 => BAD_DATA,
        LoadError::CrossesLink { .. } => "ERR invalid chunk - Too big for current filter",
        LoadError::Cursor { .. } | LoadError::PastEnd { .. } | _ => {
            "ERR invalid offset - no link found"
        }
    };
    Error::caused(ErrorKind::Corrupt, text, why)
}
