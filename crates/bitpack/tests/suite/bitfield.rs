//! The replies of redis-server 7.0.15 to BITFIELD, and fields at every offset around the end of a string.
#![expect(clippy::unwrap_used, reason = "a test")]

use bitpack::Bitmap;
use bitpack::bitfield::{FieldType, Overflow, add, get, set};

fn field(name: &str) -> FieldType {
    name.parse().unwrap()
}

/// `DEL k`, `BITFIELD k OVERFLOW o SET f 0 value GET f 0`: the second reply, with `None` for a failed SET.
#[test]
fn set_treats_overflow_as_the_server_does() {
    let rows: [(&str, i64, i64, i64, bool); 30] = [
        // field, value, value after WRAP, value after SAT, whether it fits
        ("u4", 0, 0, 0, true),
        ("u4", 15, 15, 15, true),
        ("u4", 16, 0, 15, false),
        ("u4", 100, 4, 15, false),
        ("u4", -1, 15, 15, false),
        ("u4", -100, 12, 15, false),
        ("u4", i64::MAX, 15, 15, false),
        ("u4", i64::MIN, 0, 15, false),
        ("i4", 7, 7, 7, true),
        ("i4", 8, -8, 7, false),
        ("i4", -8, -8, -8, true),
        ("i4", -9, 7, -8, false),
        ("i4", 100, 4, 7, false),
        ("i4", -100, -4, -8, false),
        ("i4", i64::MAX, -1, 7, false),
        ("i4", i64::MIN, 0, 7, false),
        ("u63", -1, i64::MAX, i64::MAX, false),
        ("u63", i64::MAX, i64::MAX, i64::MAX, true),
        ("u63", i64::MIN, 0, i64::MAX, false),
        ("i64", -1, -1, -1, true),
        ("i64", i64::MAX, i64::MAX, i64::MAX, true),
        ("i64", i64::MIN, i64::MIN, i64::MIN, true),
        ("u1", 2, 0, 1, false),
        ("u1", -1, 1, 1, false),
        ("i1", 0, 0, 0, true),
        ("i1", 1, -1, 0, false),
        ("i1", -1, -1, -1, true),
        ("i1", -2, 0, -1, false),
        ("i1", 5, -1, 0, false),
        ("i4", i64::MIN + 8, -8, -8, false),
    ];
    for (name, value, wrapped, saturated, fits) in rows {
        let kind = field(name);
        for (overflow, held) in [
            (Overflow::Wrap, Some(wrapped)),
            (Overflow::Sat, Some(saturated)),
            (Overflow::Fail, fits.then_some(value)),
        ] {
            let mut bitmap = Bitmap::new();
            let old = bitmap.set_field(kind, 0, value, overflow);
            assert_eq!(old, held.map(|_| 0), "{name} {value} {overflow:?}");
            assert_eq!(bitmap.field(kind, 0), held.unwrap_or(0), "{name} {value} {overflow:?}");
            assert_eq!(bitmap.as_bytes().len(), kind.bits().div_ceil(8) as usize);
        }
    }
}

/// `BITFIELD k SET f 5 start OVERFLOW o INCRBY f 5 by`, each on an empty key.
#[test]
fn addition_treats_overflow_as_the_server_does() {
    let rows: [(&str, i64, i64, i64, i64, bool); 22] = [
        // field, start, by, WRAP, SAT, whether it fits
        ("u4", 10, 3, 13, 13, true),
        ("u4", 10, 6, 0, 15, false),
        ("u4", 10, -11, 15, 0, false),
        ("u4", 10, i64::MAX, 9, 15, false),
        ("u4", 10, i64::MIN, 10, 0, false),
        ("i4", 5, 3, -8, 7, false),
        ("i4", -5, -4, 7, -8, false),
        ("i4", 5, i64::MAX, 4, 7, false),
        ("i4", -5, i64::MIN, -5, -8, false),
        ("u63", i64::MAX, 1, 0, i64::MAX, false),
        ("u63", i64::MAX, i64::MAX, i64::MAX - 1, i64::MAX, false),
        ("u63", 0, -1, i64::MAX, 0, false),
        ("u63", 5, i64::MIN, 5, 0, false),
        ("i64", i64::MAX, 1, i64::MIN, i64::MAX, false),
        ("i64", i64::MIN, -1, i64::MAX, i64::MIN, false),
        ("i64", -1, i64::MIN, i64::MAX, i64::MIN, false),
        ("i63", (1 << 62) - 1, 1, -1 << 62, (1 << 62) - 1, false),
        ("i63", (1 << 62) - 1, i64::MAX, (1 << 62) - 2, (1 << 62) - 1, false),
        ("i63", -1 << 62, i64::MIN, -1 << 62, -1 << 62, false),
        ("u1", 0, 2, 0, 1, false),
        ("i1", 0, 1, -1, 0, false),
        ("i1", -1, 1, 0, 0, true),
    ];
    for (name, start, by, wrapped, saturated, fits) in rows {
        let kind = field(name);
        for (overflow, held) in [
            (Overflow::Wrap, Some(wrapped)),
            (Overflow::Sat, Some(saturated)),
            (Overflow::Fail, fits.then_some(wrapped)),
        ] {
            let mut bitmap = Bitmap::new();
            assert_eq!(bitmap.set_field(kind, 5, start, Overflow::Wrap), Some(0));
            assert_eq!(bitmap.add_field(kind, 5, by, overflow), held, "{name} {start} {by}");
            assert_eq!(bitmap.field(kind, 5), held.unwrap_or(start), "{name} {start} {by}");
        }
    }
}

/// `BITFIELD k OVERFLOW FAIL INCRBY u8 100 256 SET u4 200 16` leaves 26 bytes of zeros.
#[test]
fn a_failed_write_makes_a_bitmap_grow() {
    let mut bitmap = Bitmap::new();
    assert_eq!(bitmap.add_field(field("u8"), 100, 256, Overflow::Fail), None);
    assert_eq!(bitmap.set_field(field("u4"), 200, 16, Overflow::Fail), None);
    assert_eq!(bitmap.as_bytes(), [0; 26]);
}

/// One bit of the number at a time.
fn plain(bytes: &[u8], bits: u32, offset: u64) -> u64 {
    (0..u64::from(bits))
        .fold(0, |value, bit| value << 1 | u64::from(bitpack::bits::get(bytes, offset + bit)))
}

#[test]
fn every_width_is_read_and_written_at_every_offset_around_the_end() {
    let bytes: Vec<u8> = (0..21u8).map(|at| at.wrapping_mul(0x9d) ^ 0x5a).collect();
    for len in [1, 2, 7, 8, 9, 10, 17, 21] {
        for bits in 1..=64 {
            let signed = FieldType::signed(bits).unwrap();
            for offset in 0..len as u64 * 8 + 9 {
                let bytes = &bytes[..len];
                let wanted = plain(bytes, bits, offset);
                let shift = 64 - bits;
                let value = (wanted << shift).cast_signed() >> shift;
                assert_eq!(get(bytes, signed, offset), value, "{signed} {offset} {len}");
                if let Ok(unsigned) = FieldType::unsigned(bits) {
                    assert_eq!(get(bytes, unsigned, offset), wanted.cast_signed());
                }
                if signed.bytes_for(offset).unwrap() > len {
                    continue;
                }
                let mut copy = bytes.to_vec();
                assert_eq!(set(&mut copy, signed, offset, !value, Overflow::Fail), Some(value));
                for at in 0..len as u64 * 8 {
                    let inside = (offset..offset + u64::from(bits)).contains(&at);
                    let old = bitpack::bits::get(bytes, at);
                    assert_eq!(
                        bitpack::bits::get(&copy, at),
                        old ^ inside,
                        "{signed} {offset} {len}"
                    );
                }
                assert_eq!(add(&mut copy, signed, offset, 0, Overflow::Fail), Some(!value));
            }
        }
    }
}

#[test]
fn rows_of_fields_are_adjacent() {
    let u12 = field("u12");
    let mut bitmap = Bitmap::new();
    for index in 0..9 {
        let offset = u12.nth(index).unwrap();
        bitmap.set_field(u12, offset, 0x123 + index.cast_signed(), Overflow::Fail).unwrap();
    }
    assert_eq!(bitmap.as_bytes()[..6], [0x12, 0x31, 0x24, 0x12, 0x51, 0x26]);
    assert_eq!(u12.nth(1 << 61), None);
    assert_eq!(field("u8").nth(1 << 61), None);
    assert_eq!(field("u8").nth((1 << 61) - 1), Some(u64::MAX - 7));
}

#[test]
#[should_panic(expected = "the field extends beyond the end of the string")]
fn writing_beyond_a_slice_panics() {
    set(&mut [0; 2], field("u4"), 13, 0, Overflow::Wrap);
}

#[test]
#[should_panic(expected = "the field extends beyond the end of the string")]
fn adding_beyond_the_maximum_offset_panics() {
    add(&mut [0; 2], field("u4"), u64::MAX, 0, Overflow::Wrap);
}
