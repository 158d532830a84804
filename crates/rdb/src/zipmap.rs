//! The zipmap: the encoding of small hashes in servers before 2.6.
//!
//! It is only read from files.
//!
//! # Representation
//!
//! ```text
//! count u8 | length | field | length | free u8 | value | free bytes | ... | ff
//!
//! length    one byte up to fd, or fe and four bytes, little-endian
//! ```
//!
//! A `count` of fe or more means that the fields were not counted. `free` is the number of unused bytes after a value.
//!
//! # Worked example
//!
//! ```
//! use rdb::zipmap;
//!
//! let blob = b"\x02\x04name\x03\x00ann\x03age\x02\x0142_\xff";
//! assert_eq!(zipmap::fields(blob)?, [(&b"name"[..], &b"ann"[..]), (b"age", b"42")]);
//! # Ok::<(), zipmap::Error>(())
//! ```

use core::{error, fmt};

/// Why bytes are not a valid zipmap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// A field or a value exceeds the end.
    Field {
        /// The offset in the blob at which the field begins.
        offset: usize,
    },
    /// The number of fields is not the one in the header.
    Count {
        /// The number in the header.
        told: usize,
        /// The actual number.
        there: usize,
    },
    /// The end marker is missing or is not the last byte.
    End,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field { offset } => write!(f, "invalid zipmap field at offset {offset}"),
            Self::Count { told, there } => {
                write!(f, "zipmap header specifies {told} fields, got {there}")
            }
            Self::End => f.write_str("zipmap has no end marker"),
        }
    }
}

impl error::Error for Error {}

/// Behind the last value.
const END: u8 = 0xff;
/// The first byte of a length that has four more, and the first count that says nothing.
const LONG: u8 = 0xfe;

/// A field and its value.
pub type Pair<'b> = (&'b [u8], &'b [u8]);

/// Parses and validates a zipmap, and returns its fields and values. O(bytes).
///
/// # Errors
///
/// [`Error`].
pub fn fields(blob: &[u8]) -> Result<Vec<Pair<'_>>, Error> {
    let (&count, mut rest) = blob.split_first().ok_or(Error::End)?;
    let mut fields = Vec::new();
    while let [tag, ..] = rest
        && *tag != END
    {
        let offset = blob.len() - rest.len();
        let (pair, behind) = pair(rest).ok_or(Error::Field { offset })?;
        fields.push(pair);
        rest = behind;
    }
    if *rest != [END] {
        return Err(Error::End);
    }
    if count < LONG && usize::from(count) != fields.len() {
        return Err(Error::Count { told: count.into(), there: fields.len() });
    }
    Ok(fields)
}

/// A field and its value, and what follows.
fn pair(bytes: &[u8]) -> Option<(Pair<'_>, &[u8])> {
    let (len, rest) = length(bytes)?;
    let (field, rest) = rest.split_at_checked(len)?;
    let (len, rest) = length(rest)?;
    let (&free, rest) = rest.split_first()?;
    let (value, rest) = rest.split_at_checked(len)?;
    let (_, rest) = rest.split_at_checked(free.into())?;
    Some(((field, value), rest))
}

fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    match bytes {
        [LONG, a, b, c, d, rest @ ..] => {
            Some((u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest))
        }
        [LONG | END, ..] | [] => None,
        [len, rest @ ..] => Some((usize::from(*len), rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One field of a value that long, with its length in either form.
    fn blob(len: usize) -> Vec<u8> {
        let mut blob = b"\x01\x01f".to_vec();
        match u8::try_from(len) {
            Ok(short) if short < LONG => blob.push(short),
            _ => {
                blob.push(LONG);
                blob.extend_from_slice(&u32::try_from(len).unwrap().to_le_bytes());
            }
        }
        blob.push(2);
        blob.resize(blob.len() + len, b'v');
        blob.extend_from_slice(b"??\xff");
        blob
    }

    #[test]
    fn lengths_have_two_forms() {
        for len in [0, 1, 253, 254, 255, 70_000] {
            let blob = blob(len);
            assert_eq!(fields(&blob), Ok(vec![(&b"f"[..], &vec![b'v'; len][..])]), "{len}");
        }
    }

    #[test]
    fn an_empty_one_has_no_fields_and_a_large_one_no_count() {
        assert_eq!(fields(b"\x00\xff"), Ok(vec![]));
        let mut blob = blob(3);
        for uncounted in [0xfe, 0xff] {
            blob[0] = uncounted;
            assert_eq!(fields(&blob).map(|fields| fields.len()), Ok(1));
        }
    }

    #[test]
    fn what_is_cut_or_counted_wrong_is_refused() {
        let whole = blob(3);
        for len in 0..whole.len() {
            assert!(fields(&whole[..len]).is_err(), "{len}");
        }
        assert_eq!(fields(b""), Err(Error::End));
        assert_eq!(fields(&whole[..1]), Err(Error::End));
        assert_eq!(fields(&whole[..whole.len() - 1]), Err(Error::End));
        assert_eq!(fields(&whole[..whole.len() - 2]), Err(Error::Field { offset: 1 }));
        assert_eq!(fields(&[&whole[..], b"\xff"].concat()), Err(Error::End));
        let mut more = whole;
        more[0] = 2;
        assert_eq!(fields(&more), Err(Error::Count { told: 2, there: 1 }));
    }
}
