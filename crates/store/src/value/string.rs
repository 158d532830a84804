//! A string: an integer, a few bytes inline, or bytes on the heap.

use super::{Value, parse_int};
use crate::member::Member;
use crate::short::{SHORT_MAX, Short};

/// Strings up to this length are `embstr` in OBJECT ENCODING, longer ones `raw`.
const EMBSTR_MAX: usize = 44;

/// From this length on, a growing string gets this much spare capacity instead of its own length, as Redis's strings
/// do.
const PREALLOC_MAX: usize = 1 << 20;

impl Value {
    /// Creates a string as SET does: an integer if it is one, otherwise exactly its bytes.
    pub(crate) fn string(value: Member<'_>) -> Self {
        match value {
            Member::Int(number) => Self::Int(number),
            Member::Bytes(bytes) => match parse_int(bytes) {
                Some(number) => Self::Int(number),
                None => Self::text(bytes),
            },
        }
    }

    /// Creates a string that is stored as text even if it is the decimal form of an integer.
    #[inline]
    pub(crate) fn text(bytes: &[u8]) -> Self {
        match Short::new(bytes) {
            Some(short) => Self::Short(short),
            None => Self::heap_string(bytes.to_vec(), false),
        }
    }

    /// As [`string`](Self::string), from owned bytes.
    pub(crate) fn string_from(bytes: Vec<u8>) -> Self {
        if bytes.len() <= SHORT_MAX || parse_int(&bytes).is_some() {
            Self::string(Member::Bytes(&bytes))
        } else {
            Self::heap_string(bytes, false)
        }
    }

    /// Creates a string that counts as changed in place.
    pub(crate) fn raw_string(bytes: Vec<u8>) -> Self {
        Self::heap_string(bytes, true)
    }

    fn heap_string(mut bytes: Vec<u8>, raw: bool) -> Self {
        let len = len_u32(bytes.len());
        if raw {
            // The capacity is kept; it is filled with zeros.
            bytes.resize(bytes.capacity(), 0);
        }
        Self::Str { raw, len, buffer: bytes.into_boxed_slice() }
    }

    /// The string, if it is one.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other type is a string")]
    #[inline]
    pub(crate) fn as_str(&self) -> Option<Member<'_>> {
        match self {
            Self::Int(number) => Some(Member::Int(*number)),
            Self::Short(short) => Some(Member::Bytes(short.as_bytes())),
            Self::Str { len, buffer, .. } => Some(Member::Bytes(&buffer[..*len as usize])),
            _ => None,
        }
    }

    /// Returns whether this is a string that counts as changed in place.
    pub(crate) const fn is_raw(&self) -> bool {
        matches!(self, Self::Str { raw: true, .. })
    }

    /// The name of a string's encoding in OBJECT ENCODING.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other type is a string")]
    pub(super) const fn string_encoding(&self) -> &'static str {
        match self {
            Self::Int(_) => "int",
            Self::Str { raw, len, .. } if *raw || *len as usize > EMBSTR_MAX => "raw",
            Self::Str { .. } | Self::Short(_) => "embstr",
            _ => "no string",
        }
    }

    /// Calls `edit` with the bytes of a string, which count as changed in place afterwards. `None` if this is not a
    /// string.
    #[inline]
    pub(crate) fn edit<R>(&mut self, edit: impl FnOnce(&mut Vec<u8>) -> R) -> Option<R> {
        let mut bytes = if let Self::Str { len, buffer, .. } = self {
            let mut bytes = Vec::from(std::mem::take(buffer));
            bytes.truncate(*len as usize);
            bytes
        } else {
            self.as_str()?.with_bytes(<[u8]>::to_vec)
        };
        let result = edit(&mut bytes);
        *self = Self::raw_string(bytes);
        Some(result)
    }

    /// Writes `bytes` at `offset`, zero-padding a shorter string; returns the new length, or `None` if this is not a
    /// string. O(bytes), and sometimes O(length) when the string must be reallocated.
    pub(crate) fn write_at(&mut self, offset: usize, bytes: &[u8]) -> Option<usize> {
        let end = offset + bytes.len();
        let string = self.bytes_mut(end)?;
        string[offset..end].copy_from_slice(bytes);
        Some(string.len())
    }

    /// The bytes of a string on the heap with that length, mutable; they count as changed.
    #[inline]
    pub(crate) fn bytes_of_length(&mut self, length: usize) -> Option<&mut [u8]> {
        let Self::Str { raw, len, buffer } = self else { return None };
        if *len as usize != length {
            return None;
        }
        *raw = true;
        buffer.get_mut(..length)
    }

    /// The bytes of a string, mutable, zero-padded to `least` bytes; they count as changed. `None` if this is not a
    /// string. O(1), and sometimes O(length) when the string must be reallocated.
    #[inline]
    pub(crate) fn bytes_mut(&mut self, least: usize) -> Option<&mut [u8]> {
        if !matches!(self, Self::Str { .. }) {
            self.move_to_heap(least)?;
        }
        let Self::Str { raw, len, buffer } = self else { return None };
        *raw = true;
        if least > *len as usize {
            if least > buffer.len() {
                *buffer = grown(Vec::from(std::mem::take(buffer)), with_room(least));
            }
            // The bytes after the string are zeros.
            *len = len_u32(least);
        }
        Some(&mut buffer[..*len as usize])
    }

    /// Moves an integer or a short string to the heap, with capacity for `least` bytes.
    #[cold]
    fn move_to_heap(&mut self, least: usize) -> Option<()> {
        let (len, buffer) = self.as_str()?.with_bytes(|old| {
            let mut buffer = vec![0; with_room(old.len().max(least))];
            buffer[..old.len()].copy_from_slice(old);
            (len_u32(old.len()), buffer)
        });
        *self = Self::Str { raw: true, len, buffer: buffer.into_boxed_slice() };
        Some(())
    }

    /// Returns whether the allocation of this string is suitable for one of `len` bytes: large enough, and not much too
    /// large.
    pub(crate) fn has_room_for(&self, len: usize) -> bool {
        let Self::Str { buffer, .. } = self else { return false };
        len <= buffer.len() && buffer.len() <= with_room(len)
    }

    /// The bytes of a string on the heap, resized to `len` bytes within its allocation, to be overwritten; they count
    /// as changed. `None` if the allocation is not [suitable](Self::has_room_for).
    pub(crate) fn refill(&mut self, len: usize) -> Option<&mut [u8]> {
        let Self::Str { raw, len: old, buffer } = self else { return None };
        if len > buffer.len() {
            return None;
        }
        if let Some(cut) = buffer.get_mut(len..*old as usize) {
            cut.fill(0);
        }
        (*raw, *old) = (true, len_u32(len));
        buffer.get_mut(..len)
    }
}

/// The capacity of a string of `len` bytes that grows.
const fn with_room(len: usize) -> usize {
    len + if len < PREALLOC_MAX { len } else { PREALLOC_MAX }
}

/// The same bytes, zero-padded to `room` bytes.
fn grown(mut bytes: Vec<u8>, room: usize) -> Box<[u8]> {
    if room / 4 > bytes.len() {
        // Mostly zeros, which the allocator provides faster than writing them.
        let mut zeros = vec![0; room];
        zeros[..bytes.len()].copy_from_slice(&bytes);
        return zeros.into_boxed_slice();
    }
    bytes.reserve_exact(room - bytes.len());
    bytes.resize(room, 0);
    bytes.into_boxed_slice()
}

/// The length of a string; commands limit it to 512 MiB.
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
                assert_eq!(matches!(value, Value::Short(_)), len <= SHORT_MAX);
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
    fn a_string_is_written_over_where_its_memory_suits() {
        let mut value = Value::raw_string(vec![b'x'; 100]);
        for (len, suits) in [(0, false), (49, false), (50, true), (100, true), (101, false)] {
            assert_eq!(value.has_room_for(len), suits, "{len}");
        }
        value.refill(60).expect("room").fill(b'y');
        assert_eq!(text(&value), [b'y'; 60]);
        assert!(value.bytes_mut(100).is_some_and(|bytes| bytes[60..] == [0; 40]));
        assert!(value.refill(101).is_none());
        for mut other in [Value::Int(12), Value::text(b"short")] {
            assert!(!other.has_room_for(2) && other.refill(2).is_none());
            let len = text(&other).len();
            assert_eq!(other.bytes_mut(0).map(|bytes| bytes.len()), Some(len));
            assert!(other.is_raw());
        }
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
        // Bytes that are cut off must not come back when the string grows again.
        value.edit(|bytes| bytes.truncate(2));
        assert_eq!(value.write_at(4, b"!"), Some(5));
        value.refill(2);
        assert_eq!(value.write_at(4, b"!"), Some(5));
        assert_eq!(text(&value), b"XY\0\0!");
        for round in 0_u8..200 {
            let len = text(&value).len();
            assert_eq!(value.write_at(len, &[round; 7]), Some(len + 7));
        }
        assert_eq!(text(&value).len(), 5 + 1400);
    }
}
