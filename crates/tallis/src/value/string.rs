//! A string: a number, a few bytes in the value itself, or bytes on the heap.

use super::{SHORT_MAX, Value, parse_int};
use crate::member::Member;

/// Strings up to this length are `embstr` to OBJECT ENCODING, longer ones `raw`.
const EMBSTR_MAX: usize = 44;

/// From this length on a string that grows gets this much room ahead instead of its own length again, as Redis's strings
/// do.
const PREALLOC_MAX: usize = 1 << 20;

impl Value {
    /// A string as SET leaves it: a number if it is one, else exactly its bytes.
    pub(crate) fn string(value: Member<'_>) -> Self {
        match value {
            Member::Int(number) => Self::Int(number),
            Member::Bytes(bytes) => match parse_int(bytes) {
                Some(number) => Self::Int(number),
                None => Self::text(bytes),
            },
        }
    }

    /// A string that is text even if it is the decimal form of a number.
    #[inline]
    pub(crate) fn text(bytes: &[u8]) -> Self {
        if bytes.len() > SHORT_MAX {
            return Self::heap_string(bytes.to_vec(), false);
        }
        let mut short = [0; SHORT_MAX];
        short[..bytes.len()].copy_from_slice(bytes);
        Self::Short { len: u8::try_from(bytes.len()).unwrap_or(0), bytes: short }
    }

    /// As [`string`](Self::string), from bytes that are owned already.
    pub(crate) fn string_from(bytes: Vec<u8>) -> Self {
        if bytes.len() <= SHORT_MAX || parse_int(&bytes).is_some() {
            Self::string(Member::Bytes(&bytes))
        } else {
            Self::heap_string(bytes, false)
        }
    }

    /// A string that counts as changed in place.
    pub(crate) fn raw_string(bytes: Vec<u8>) -> Self {
        Self::heap_string(bytes, true)
    }

    fn heap_string(mut bytes: Vec<u8>, raw: bool) -> Self {
        let len = len_u32(bytes.len());
        if raw {
            // What room there is stays; zeros stand in for it.
            bytes.resize(bytes.capacity(), 0);
        }
        Self::Str { raw, len, buffer: bytes.into_boxed_slice() }
    }

    /// The string, if it is one.
    #[inline]
    pub(crate) fn as_str(&self) -> Option<Member<'_>> {
        match self {
            Self::Int(number) => Some(Member::Int(*number)),
            Self::Short { len, bytes } => Some(Member::Bytes(&bytes[..usize::from(*len)])),
            Self::Str { len, buffer, .. } => Some(Member::Bytes(&buffer[..*len as usize])),
            Self::IntSet(_) | Self::ListPack(_) | Self::HashTable(_) | Self::Foreign(_) => None,
        }
    }

    /// Whether this is a string that counts as changed in place.
    pub(crate) const fn is_raw(&self) -> bool {
        matches!(self, Self::Str { raw: true, .. })
    }

    /// How OBJECT ENCODING names a string.
    pub(super) const fn string_encoding(&self) -> &'static str {
        match self {
            Self::Int(_) => "int",
            Self::Str { raw, len, .. } if *raw || *len as usize > EMBSTR_MAX => "raw",
            Self::Str { .. } | Self::Short { .. } => "embstr",
            Self::IntSet(_) | Self::ListPack(_) | Self::HashTable(_) | Self::Foreign(_) => {
                "no string"
            }
        }
    }

    /// Hands the bytes of a string to `edit`, to be changed at will; they count as changed in place afterwards. `None`
    /// if this is no string.
    #[inline]
    pub(crate) fn edit<R>(&mut self, edit: impl FnOnce(&mut Vec<u8>) -> R) -> Option<R> {
        let mut bytes = match self {
            Self::Str { len, buffer, .. } => {
                let mut bytes = Vec::from(std::mem::take(buffer));
                bytes.truncate(*len as usize);
                bytes
            }
            Self::Int(_) | Self::Short { .. } => self.as_str()?.with_bytes(<[u8]>::to_vec),
            Self::IntSet(_) | Self::ListPack(_) | Self::HashTable(_) | Self::Foreign(_) => {
                return None;
            }
        };
        let result = edit(&mut bytes);
        *self = Self::raw_string(bytes);
        Some(result)
    }

    /// Writes `bytes` at `offset`, with zeros up to there if the string is shorter; returns the new length, or `None` if
    /// this is no string. O(bytes), and now and then O(length) when the string has to move.
    pub(crate) fn write_at(&mut self, offset: usize, bytes: &[u8]) -> Option<usize> {
        let end = offset + bytes.len();
        if let Self::Str { raw, len, buffer } = self {
            *raw = true;
            if end > buffer.len() {
                *buffer = grown(Vec::from(std::mem::take(buffer)), with_room(end));
            }
            // Beyond the string there are zeros only, so a gap is filled already.
            buffer[offset..end].copy_from_slice(bytes);
            *len = (*len).max(len_u32(end));
            return Some(*len as usize);
        }
        let (len, mut buffer) = self.as_str()?.with_bytes(|old| {
            let len = old.len().max(end);
            let mut buffer = vec![0; with_room(len)];
            buffer[..old.len()].copy_from_slice(old);
            (len, buffer)
        });
        buffer[offset..end].copy_from_slice(bytes);
        *self = Self::Str { raw: true, len: len_u32(len), buffer: buffer.into_boxed_slice() };
        Some(len)
    }
}

/// What a string of `len` bytes gets when it grows.
const fn with_room(len: usize) -> usize {
    len + if len < PREALLOC_MAX { len } else { PREALLOC_MAX }
}

/// The same bytes with zeros behind them, `room` in all.
fn grown(mut bytes: Vec<u8>, room: usize) -> Box<[u8]> {
    if room / 4 > bytes.len() {
        // Mostly zeros: the allocator has them cheaper than a write of each.
        let mut zeros = vec![0; room];
        zeros[..bytes.len()].copy_from_slice(&bytes);
        return zeros.into_boxed_slice();
    }
    bytes.reserve_exact(room - bytes.len());
    bytes.resize(room, 0);
    bytes.into_boxed_slice()
}

/// The length of a string; the commands let none pass 512 MiB.
fn len_u32(len: usize) -> u32 {
    u32::try_from(len).expect("a string is shorter than 4 GiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &Value) -> Vec<u8> {
        value.as_str().expect("a string").with_bytes(<[u8]>::to_vec)
    }

    #[test]
    fn a_string_is_kept_where_it_fits() {
        for len in [0, 1, 21, 22, 23, 44, 45, 1000] {
            let bytes = vec![b'x'; len];
            for value in [Value::string(Member::Bytes(&bytes)), Value::string_from(bytes.clone())] {
                assert_eq!(text(&value), bytes);
                assert_eq!(matches!(value, Value::Short { .. }), len <= SHORT_MAX);
                assert_eq!(value.string_encoding(), if len > 44 { "raw" } else { "embstr" });
            }
        }
        assert!(matches!(Value::string(Member::Bytes(b"-12")), Value::Int(-12)));
        assert!(matches!(
            Value::string_from(b"9223372036854775807".to_vec()),
            Value::Int(i64::MAX)
        ));
    }

    #[test]
    fn writes_grow_a_string_and_fill_gaps_with_zeros() {
        let mut value = Value::string(Member::Int(12));
        assert_eq!(value.write_at(2, b"ab"), Some(4));
        assert_eq!(text(&value), b"12ab");
        assert_eq!(value.string_encoding(), "raw");
        assert_eq!(value.write_at(6, b"z"), Some(7));
        assert_eq!(text(&value), b"12ab\0\0z");
        assert_eq!(value.write_at(0, b"XY"), Some(7));
        assert_eq!(text(&value), b"XYab\0\0z");
        // What is cut off must not come back when the string grows again.
        value.edit(|bytes| bytes.truncate(2));
        assert_eq!(value.write_at(4, b"!"), Some(5));
        assert_eq!(text(&value), b"XY\0\0!");
        for round in 0_u8..200 {
            let len = text(&value).len();
            assert_eq!(value.write_at(len, &[round; 7]), Some(len + 7));
        }
        assert_eq!(text(&value).len(), 5 + 1400);
    }
}
