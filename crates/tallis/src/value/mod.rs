//! A value: its own bytes, in Redis's encoding.

mod set;

use rdb::RawValue;

pub(crate) use set::Set;

/// Strings up to this length are `embstr` to OBJECT ENCODING, longer ones `raw`.
const EMBSTR_MAX: usize = 44;

/// A value of the keyspace.
#[derive(Debug)]
pub(crate) enum Value {
    /// A string that is the canonical decimal form of an `i64`, kept as the number.
    Int(i64),
    /// Any other string: text, a `HyperLogLog`, a bitmap. See [`str_value`] for the meaning of its capacity.
    Str(Vec<u8>),
    /// A set.
    Set(Set),
    /// A value of a type that the store does not work on, as the file had it: it can be named, typed, expired, deleted,
    /// dumped and saved.
    Foreign(Box<RawValue>),
}

/// A string value as SET leaves it: as a number if it is one, else in exactly its bytes.
///
/// A string with spare capacity counts as one that has been changed in place, which OBJECT ENCODING shows as `raw`
/// whatever its length, as Redis does.
pub(crate) fn str_value(bytes: impl AsRef<[u8]> + Into<Vec<u8>>) -> Value {
    if let Some(number) = parse_int(bytes.as_ref()) {
        return Value::Int(number);
    }
    let mut exact: Vec<u8> = bytes.into();
    exact.shrink_to_fit();
    Value::Str(exact)
}

/// Gives a short string that was changed in place the spare capacity that marks it as such.
pub(crate) fn make_raw(bytes: &mut Vec<u8>) {
    if bytes.len() <= EMBSTR_MAX && bytes.capacity() == bytes.len() {
        bytes.reserve_exact(8);
    }
}

impl Value {
    /// The type, as TYPE answers it.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Int(_) | Self::Str(_) => "string",
            Self::Set(_) => "set",
            Self::Foreign(value) => value.kind().type_name(),
        }
    }

    /// The encoding, as OBJECT ENCODING answers it.
    pub(crate) fn encoding(&self) -> &'static str {
        match self {
            Self::Int(_) => "int",
            Self::Str(bytes) if bytes.len() <= EMBSTR_MAX && bytes.capacity() == bytes.len() => {
                "embstr"
            }
            Self::Str(_) => "raw",
            Self::Set(set) => set.encoding(),
            Self::Foreign(_) => "foreign",
        }
    }

    /// What the allocator holds for the value beyond its slot in the table (see [`allocated`]).
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::Int(_) => 0,
            Self::Str(bytes) => allocated(bytes.capacity()),
            Self::Set(set) => set.heap_bytes(),
            Self::Foreign(value) => {
                allocated(size_of::<RawValue>()) + allocated(value.body().len())
            }
        }
    }
}

/// What an allocation of `bytes` costs in all.
///
/// Allocators round up and keep a header. This is the rule of glibc's: a header of 8 bytes, multiples of 16, at
/// least 32. Others (jemalloc's size classes) differ by a few percent.
pub(crate) const fn allocated(bytes: usize) -> usize {
    if bytes == 0 {
        return 0;
    }
    let chunk = (bytes + 8).next_multiple_of(16);
    if chunk < 32 { 32 } else { chunk }
}

/// The number of which `bytes` is the canonical decimal form: what Redis keeps as an integer.
///
/// `007`, `-0`, `+1` and anything beyond 64 bits are text.
pub(crate) fn parse_int(bytes: &[u8]) -> Option<i64> {
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    match digits {
        [b'0'] if !negative => return Some(0),
        [b'1'..=b'9', ..] if digits.len() <= 19 => {}
        _ => return None,
    }
    let mut number: u64 = 0;
    for &digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        // Nineteen digits stay below 10^19, which fits.
        number = number * 10 + u64::from(digit);
    }
    if negative { 0i64.checked_sub_unsigned(number) } else { i64::try_from(number).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_three_words() {
        assert_eq!(size_of::<Value>(), 24);
    }

    #[test]
    fn only_canonical_decimals_are_integers() {
        for number in [0, 1, -1, 9, 10, i64::MAX, i64::MIN, i64::MAX - 1, i64::MIN + 1] {
            assert_eq!(parse_int(number.to_string().as_bytes()), Some(number));
        }
        for text in [
            "",
            "-",
            "-0",
            "+1",
            "00",
            "007",
            "1 ",
            " 1",
            "1a",
            "1.0",
            "0x1",
            "9223372036854775808",
            "-9223372036854775809",
            "10000000000000000000",
            "99999999999999999999",
            "-01",
        ] {
            assert_eq!(parse_int(text.as_bytes()), None, "{text:?}");
        }
    }
}
