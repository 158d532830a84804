//! Bits at the limits of strings, words, ranges and numbers of sources.

use bitpack::bits::{self, Op, combine, combine_into};
use bitpack::{Bitmap, Bits};

#[test]
fn the_server_agrees_on_a_word() {
    // On an empty key: SETBIT k 7 1, then 1, then 15; GET k.
    let mut bitmap = Bitmap::new();
    for (offset, bytes) in [(7, &b"\x01"[..]), (1, b"A"), (15, b"A\x01")] {
        assert!(!bitmap.set(offset, true));
        assert_eq!(bitmap.as_bytes(), bytes);
    }
    assert!(bitmap.set(15, false));
    assert_eq!(bitmap.as_bytes(), b"A\0");
    assert!(!bitmap.set(40, false), "a cleared bit makes the string grow as well");
    assert_eq!(bitmap.as_bytes(), b"A\0\0\0\0\0");
}

#[test]
fn ranges_end_with_the_string() {
    let bits = Bits::new(b"\xff\x0f");
    let table = [
        (0..16, 12),
        (0..u64::MAX, 12),
        (3..5, 2),
        (8..12, 0),
        (7..13, 2),
        (15..16, 1),
        (16..20, 0),
        (u64::MAX - 1..u64::MAX, 0),
    ];
    for (range, count) in table {
        assert_eq!(bits.count_in(range.clone()), count, "{range:?}");
    }
    // The ends of a range may be swapped.
    let (start, end) = (9, 3);
    assert_eq!(bits.count_in(start..end), 0);
    assert_eq!(bits.position_in(true, start..end), None);
    let (start, end) = (2, 1);
    assert_eq!(bits.count_bytes(start..end), 0);
    assert_eq!(bits.count_bytes(1..usize::MAX), 4);
    assert_eq!(bits.position_bytes(false, 1..usize::MAX), Some(8));
    assert_eq!(bits.position_bytes(true, usize::MAX - 1..usize::MAX), None);
}

#[test]
fn positions_are_found_at_every_bit() {
    for len in [1, 7, 8, 9, 16, 63, 64, 65, 200] {
        for at in 0..len as u64 * 8 {
            for bit in [false, true] {
                let mut bytes = vec![if bit { 0 } else { 0xff }; len];
                bits::set(&mut bytes, at, bit);
                assert_eq!(bits::position(&bytes, bit), Some(at));
                assert_eq!(bits::position_in(&bytes, bit, 0..at), None);
                assert_eq!(bits::position_in(&bytes, bit, at..at + 1), Some(at));
                assert_eq!(bits::position_in(&bytes, bit, at + 1..u64::MAX), None);
            }
        }
    }
}

#[test]
fn iterators_skip_long_gaps() {
    for gap in (0..200).chain([1000, 100_003]) {
        let mut bytes = vec![0x80];
        bytes.resize(1 + gap, 0);
        bytes.extend_from_slice(b"\x01\xff");
        let end = bits::len(&bytes);
        let ones: Vec<u64> = [0].into_iter().chain(end - 9..end).collect();
        assert!(bits::ones(&bytes).eq(ones.iter().copied()), "{gap}");
        assert_eq!(bits::ones(&bytes).count(), ones.len());
        assert!(bits::runs(&bytes).eq([0..1, end - 9..end]), "{gap}");
        let (low, high) = bits::ones(&bytes).size_hint();
        assert!(low <= ones.len() && high.is_some_and(|high| high >= ones.len()));
    }
    let mut ones = bits::ones(b"");
    assert_eq!((ones.next(), ones.next()), (None, None));
    assert_eq!(bits::runs(&[0xff; 300]).collect::<Vec<_>>(), vec![0..2400]);
}

#[test]
fn operations_of_8_2_follow_their_definitions() {
    // A column for each combination of the bits of x, y1 and y2.
    let [x, y1, y2] = [b"\x0f", b"\x33", b"\x55"];
    let table = [
        (Op::And, b"\x01"),
        (Op::Or, b"\x7f"),
        (Op::Xor, b"\x69"),
        (Op::Diff, b"\x08"),
        (Op::Diff1, b"\x70"),
        (Op::AndOr, b"\x07"),
        (Op::One, b"\x68"),
    ];
    for (op, wanted) in table {
        let mut out = Vec::new();
        combine(op, &[x, y1, y2], &mut out).unwrap();
        assert_eq!(out, wanted, "{op:?}");
    }
}

#[test]
fn short_sources_count_as_zeros() {
    let (long, short) = (&[0xf0, 0xff][..], &[0x3c][..]);
    let table: [(Op, [u8; 2], [u8; 2]); 7] = [
        (Op::And, [0x30, 0x00], [0x30, 0x00]),
        (Op::Or, [0xfc, 0xff], [0xfc, 0xff]),
        (Op::Xor, [0xcc, 0xff], [0xcc, 0xff]),
        (Op::Diff, [0xc0, 0xff], [0x0c, 0x00]),
        (Op::Diff1, [0x0c, 0x00], [0xc0, 0xff]),
        (Op::AndOr, [0x30, 0x00], [0x30, 0x00]),
        (Op::One, [0xcc, 0xff], [0xcc, 0xff]),
    ];
    for (op, first, second) in table {
        let mut out = vec![0x99; 700];
        combine(op, &[long, short], &mut out).unwrap();
        assert_eq!(out, first, "{op:?}");
        combine(op, &[short, long], &mut out).unwrap();
        assert_eq!(out, second, "{op:?}");
        // Empty sources.
        combine(op, &[&[], &[]], &mut out).unwrap();
        assert_eq!(out, b"", "{op:?}");
    }
}

#[test]
fn sources_are_counted() {
    let mut out = b"kept".to_vec();
    for op in Op::ALL {
        for number in 0..4 {
            let sources = vec![&b"abc"[..]; number];
            let least = match op {
                Op::Diff | Op::Diff1 | Op::AndOr => 2,
                Op::And | Op::Or | Op::Xor | Op::Not | Op::One => 1,
            };
            let right = number >= least && (op != Op::Not || number == 1);
            assert_eq!(combine_into(op, &sources, &mut [0; 3]).is_ok(), right, "{op:?} {number}");
            if !right {
                let error = combine(op, &sources, &mut out).unwrap_err();
                assert_eq!((error.op(), error.got()), (op, number));
                assert_eq!(out, b"kept");
            }
        }
    }
    let message = |op: Op, got| op.check_sources(got).unwrap_err().to_string();
    assert_eq!(message(Op::Not, 2), "NOT takes one source, got 2");
    assert_eq!(message(Op::AndOr, 1), "ANDOR takes at least two sources, got 1");
    assert_eq!(message(Op::One, 0), "ONE takes at least one source, got 0");
}

#[test]
fn more_sources_than_a_list_on_the_stack_holds() {
    let strings: Vec<Vec<u8>> = (0..20u8).map(|at| vec![at; usize::from(at) * 40]).collect();
    let sources: Vec<&[u8]> = strings.iter().map(Vec::as_slice).collect();
    for op in Op::ALL.into_iter().filter(|&op| op != Op::Not) {
        let mut out = Vec::new();
        combine(op, &sources, &mut out).unwrap();
        assert_eq!(out.len(), 760);
        let set = |at| sources.iter().filter(|source| bits::get(source, at)).count();
        for at in 0..bits::len(&out) {
            let wanted = match op {
                Op::And | Op::AndOr | Op::Diff => false,
                Op::Or | Op::Diff1 => set(at) > 0,
                Op::Xor => set(at) % 2 == 1,
                Op::One => set(at) == 1,
                Op::Not => unreachable!(),
            };
            assert_eq!(bits::get(&out, at), wanted, "{op:?} {at}");
        }
    }
}

#[test]
#[should_panic(expected = "the bit is beyond the end of the string")]
fn writing_beyond_a_slice_panics() {
    bits::set(&mut [0; 2], 16, true);
}

#[test]
#[should_panic(expected = "the string would be longer than isize::MAX bytes")]
fn no_string_is_that_long() {
    assert_eq!(bits::bytes_for(u64::MAX), Some(1 << 61));
    let widest = bitpack::bitfield::FieldType::signed(64).unwrap();
    Bitmap::new().set_field(widest, u64::MAX, 0, bitpack::bitfield::Overflow::Fail);
}
