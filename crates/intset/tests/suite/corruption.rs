//! Truncated blobs, and members that are out of order.

use intset::{Count, DecodeError, IntSet, Validation, validate};

const GOLDEN: [&[u8]; 3] = [
    include_bytes!("../data/is16neg.blob"),
    include_bytes!("../data/is32.blob"),
    include_bytes!("../data/is64_visitors.blob"),
];

#[test]
fn every_truncation_and_extension_is_refused() {
    for blob in GOLDEN {
        for end in 0..blob.len() {
            let error = IntSet::from_bytes(&blob[..end], Validation::Shallow).unwrap_err();
            let expected = if end < 8 {
                DecodeError::Truncated { need: 8, got: end }
            } else {
                DecodeError::LengthMismatch { expected: blob.len() as u64, got: end }
            };
            assert_eq!(error, expected);
        }
        let longer = [blob, &[0]].concat();
        assert!(validate(&longer, Validation::Shallow).is_err());
    }
}

/// Each bit, flipped: an error, or a set that can be read, changed and written like any other.
#[test]
fn every_flipped_bit_is_refused_or_harmless() {
    for blob in GOLDEN {
        for bit in 0..8 * blob.len() {
            let mut bad = blob.to_vec();
            bad[bit / 8] ^= 1 << (bit % 8);
            let deep = IntSet::from_bytes(bad.clone(), Validation::Deep);
            let shallow = IntSet::from_bytes(bad.clone(), Validation::Shallow);
            if bit < 64 {
                assert!(shallow.is_err(), "a header of bit {bit} asks for another length");
            }
            if let Ok(set) = deep {
                assert_eq!(set.as_bytes(), bad);
                assert!(set.iter().is_sorted_by(|a, b| a < b));
            }
            if let Ok(set) = shallow {
                use_whatever_is_in(set);
            }
        }
    }
}

/// Results may be wrong, but nothing may panic.
fn use_whatever_is_in(mut set: IntSet) {
    let members: Vec<i64> = set.iter().collect();
    let other: IntSet = members.iter().copied().step_by(2).collect();
    for &member in &members {
        let _ = (set.contains(member), set.rank(member), set.count_below(member));
    }
    let mut count = Count::default();
    set.union(&other, &mut count);
    set.intersection(&other, &mut count);
    other.difference(&set, &mut count);
    set.extend(members.iter().map(|member| member.wrapping_add(1)));
    set.insert(i64::MIN);
    set.insert(i64::MAX);
    for member in members {
        set.remove(member);
    }
    assert_eq!(set.iter().count(), set.len());
}

#[test]
fn members_in_reverse_never_panic() {
    let mut blob = vec![8, 0, 0, 0, 0, 1, 0, 0];
    for value in (0..256_i64).rev() {
        blob.extend_from_slice(&(value << 50).to_le_bytes());
    }
    let error = validate(&blob, Validation::Deep).unwrap_err();
    assert_eq!(
        error,
        DecodeError::NotIncreasing { offset: 16, previous: 255 << 50, got: 254 << 50 }
    );
    use_whatever_is_in(IntSet::from_bytes(blob.clone(), Validation::Shallow).unwrap());
    // All members are equal, so the span is empty.
    blob[8..].fill(1);
    use_whatever_is_in(IntSet::from_bytes(blob, Validation::Shallow).unwrap());
}

#[test]
fn errors_say_what_and_where() {
    let table: [(&[u8], &str); 5] = [
        (b"\x02\0\0", "intset header takes 8 bytes, got 3"),
        (b"\x03\0\0\0\0\0\0\0", "intset width at offset 0 is 3, expected 2, 4 or 8"),
        (b"\x08\0\0\0\xff\xff\xff\xff", "intset header specifies 34359738368 bytes, got 8"),
        (b"\x02\0\0\0\x01\0\0\0\x01\0\0", "intset header specifies 10 bytes, got 11"),
        (
            b"\x02\0\0\0\x03\0\0\0\x01\0\x02\0\x01\0",
            "intset member 1 at offset 12 is not greater than 2",
        ),
    ];
    for (blob, message) in table {
        let error = IntSet::from_bytes(blob, Validation::Deep).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let error = IntSet::from_sorted([1, 5, 4]).unwrap_err();
    assert_eq!(error.to_string(), "value 4 at index 2 is not greater than 5");
}
