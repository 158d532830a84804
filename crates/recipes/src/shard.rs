//! The shard of a member of a large set or hash (Redis in Action, section 9.2).

use std::fmt::Write;

use store::{Member, ToMember};

use crate::decimal;

/// Returns the key of the shard that holds `key`: `base:shard`, as `shard_key` of Redis in Action does.
///
/// * An integer, or a string of digits only, belongs to shard `int(key) // shard_size`: ids that were assigned in
///   sequence fill one shard after the other. The division rounds down, as in Python.
/// * Any other key belongs to shard `crc32(key) % (2 * total_elements // shard_size)`. CRC-32 is unsigned, as in Python
///   3; Python 2 gives the same result if the number of shards is a power of two. If the forecast would give no shard,
///   there is one. O(length of the key).
///
/// `shard_size` is the number of members per shard, `total_elements` the expected number in all. A `shard_size` of 0 is
/// taken as 1.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::shard_key;
///
/// assert_eq!(shard_key("test", 125, 1000, 100), "test:1");
/// assert_eq!(shard_key("test", "125", 1000, 100), "test:1");
/// assert_eq!(shard_key("test", "x125", 1000, 100), "test:18");
/// assert_eq!(shard_key("test", "anything", 1, 512), "test:0");
/// ```
#[must_use]
pub fn shard_key(base: &str, key: impl ToMember, total_elements: u64, shard_size: u64) -> String {
    let shard_size = shard_size.max(1);
    let mut name = String::with_capacity(base.len() + 21);
    name.push_str(base);
    name.push(':');
    key.with_member(|key| match key {
        Member::Int(number) => {
            let shard = i128::from(number).div_euclid(i128::from(shard_size));
            // Writing to a String cannot fail.
            let _ = write!(name, "{shard}");
        }
        Member::Bytes(digits) if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
            push_quotient(&mut name, digits, shard_size);
        }
        Member::Bytes(bytes) => {
            let shard = hashed_shard(bytes, shard_count(u128::from(total_elements), shard_size));
            let _ = write!(name, "{shard}");
        }
    });
    name
}

/// Returns the number of shards for hashed members: `2 * total_elements // shard_size`, but at least one.
pub(crate) fn shard_count(total_elements: u128, shard_size: u64) -> u64 {
    let shards = total_elements.saturating_mul(2) / u128::from(shard_size.max(1));
    u64::try_from(shards).unwrap_or(u64::MAX).max(1)
}

/// Returns the shard of a hashed member.
#[inline]
pub(crate) fn hashed_shard(bytes: &[u8], shards: u64) -> u64 {
    u64::from(crc32fast::hash(bytes)) % shards
}

/// Returns the shard of a member of a sharded set.
#[inline]
pub(crate) fn set_shard(member: Member<'_>, shards: u64) -> u64 {
    u64::from(member_hash(member)) % shards
}

/// Returns the hash of a member of a sharded set: the hash of `x` and its decimal form, so that consecutive ids are
/// spread too.
#[inline]
pub(crate) fn member_hash(member: Member<'_>) -> u32 {
    match member {
        Member::Int(number) => decimal::crc32_of_x_and(number),
        Member::Bytes(bytes) => {
            let mut hasher = crc32fast::Hasher::new();
            hasher.update(b"x");
            hasher.update(bytes);
            hasher.finalize()
        }
    }
}

/// Appends the quotient of a decimal number of any length, rounded as Python's integers are.
fn push_quotient(name: &mut String, digits: &[u8], divisor: u64) {
    let divisor = u128::from(divisor);
    let mut rest: u128 = 0;
    let mut leading = true;
    for &digit in digits {
        rest = rest * 10 + u128::from(digit - b'0');
        let quotient =
            u32::try_from(rest / divisor).ok().and_then(|digit| char::from_digit(digit, 10));
        rest %= divisor;
        leading &= quotient == Some('0');
        // Below ten, because the remainder was below the divisor.
        if let Some(digit) = quotient.filter(|_| !leading) {
            name.push(digit);
        }
    }
    if leading {
        name.push('0');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_books_own_case() {
        assert_eq!(shard_key("test", 125, 1000, 100), "test:1");
    }

    // Computed with Python 3: int(key) // size, and zlib.crc32(key) % (2 * total // size).
    #[test]
    fn numbers_and_digits_divide_as_in_python() {
        for (key, size, shard) in [
            (0, 100, "0"),
            (99, 100, "0"),
            (100, 100, "1"),
            (-1, 100, "-1"),
            (-100, 100, "-1"),
            (-101, 100, "-2"),
            (i64::MIN, 512, "-18014398509481984"),
            (i64::MAX, 1, "9223372036854775807"),
        ] {
            assert_eq!(shard_key("b", key, 1000, size), format!("b:{shard}"));
        }
        for (key, size, shard) in [
            ("0", 100, "0"),
            ("000", 100, "0"),
            ("0125", 100, "1"),
            ("99", 100, "0"),
            ("123456789012345678901234567890", 512, "241126541039737654103973765"),
            ("340282366920938463463374607431768211456", u64::MAX, "18446744073709551617"),
        ] {
            assert_eq!(shard_key("b", key, 1000, size), format!("b:{shard}"));
        }
    }

    #[test]
    fn other_strings_hash_as_in_python() {
        for (key, total, size, shard) in [
            ("", 1000, 100, 0),
            ("-5", 1000, 100, 15),
            ("x1", 1000, 100, 11),
            ("x125", 1000, 100, 18),
            ("user:1", 1_000_000, 512, 3732),
            ("hello world", 12345, 678, 21),
            ("x1152921504606846975", 2_097_152, 512, 6394),
        ] {
            assert_eq!(shard_key("b", key, total, size), format!("b:{shard}"), "{key}");
        }
    }

    #[test]
    fn a_small_forecast_gives_one_shard() {
        for total in [0, 1, 255] {
            assert_eq!(shard_key("b", "text", total, 512), "b:0");
        }
        assert_eq!(shard_count(256, 512), 1);
        assert_eq!(shard_count(512, 512), 2);
        assert_eq!(shard_count(u128::from(u64::MAX), 0), u64::MAX);
    }

    #[test]
    fn a_member_of_a_set_hashes_with_its_prefix() {
        for number in [0, 1, -1, i64::MAX, i64::MIN, 0x0fff_ffff_ffff_ffff] {
            let text = format!("x{number}");
            let want = hashed_shard(text.as_bytes(), 8192);
            assert_eq!(set_shard(Member::Int(number), 8192), want);
            assert_eq!(set_shard(Member::from(&number.to_string()), 8192), want);
        }
    }
}
