//! Bytes of a live redis-server 7.0.15, read and written.

use intset::{IntSet, Validation, Width};

/// The commands were run on a server; the bytes are the string in the payload of DUMP.
#[test]
fn bytes_are_those_that_a_server_dumped() {
    let table: [(&[i64], &[i64], &[u8]); 8] = [
        // SADD i 1 2 3
        (&[1, 2, 3], &[], b"\x02\0\0\0\x03\0\0\0\x01\0\x02\0\x03\0"),
        // SADD j 32767 -32768 0
        (&[32_767, -32_768, 0], &[], b"\x02\0\0\0\x03\0\0\0\0\x80\0\0\xff\x7f"),
        // ... SADD j 32768
        (
            &[32_767, -32_768, 0, 32_768],
            &[],
            b"\x04\0\0\0\x04\0\0\0\0\x80\xff\xff\0\0\0\0\xff\x7f\0\0\0\x80\0\0",
        ),
        // SADD k 5 -32769
        (&[5, -32_769], &[], b"\x04\0\0\0\x02\0\0\0\xff\x7f\xff\xff\x05\0\0\0"),
        // ... SADD k 2147483647 -2147483648
        (
            &[5, -32_769, 2_147_483_647, -2_147_483_648],
            &[],
            b"\x04\0\0\0\x04\0\0\0\0\0\0\x80\xff\x7f\xff\xff\x05\0\0\0\xff\xff\xff\x7f",
        ),
        // SADD l 1 9223372036854775807 -9223372036854775808
        (
            &[1, i64::MAX, i64::MIN],
            &[],
            b"\x08\0\0\0\x03\0\0\0\0\0\0\0\0\0\0\x80\x01\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\x7f",
        ),
        // ... SREM l 9223372036854775807 -9223372036854775808
        (
            &[1, i64::MAX, i64::MIN],
            &[i64::MAX, i64::MIN],
            b"\x08\0\0\0\x01\0\0\0\x01\0\0\0\0\0\0\0",
        ),
        // SADD m 7 2147483648
        (&[7, 2_147_483_648], &[], b"\x08\0\0\0\x02\0\0\0\x07\0\0\0\0\0\0\0\0\0\0\x80\0\0\0\0"),
    ];
    for (added, removed, bytes) in table {
        let mut set = IntSet::new();
        for &value in added {
            assert!(set.insert(value));
        }
        for &value in removed {
            assert!(set.remove(value));
        }
        assert_eq!(set.as_bytes(), bytes, "{added:?} without {removed:?}");
        assert_eq!(IntSet::from_bytes(bytes, Validation::Deep), Ok(set));
    }
}

#[test]
fn golden_blobs_read_and_are_written_again() {
    macro_rules! golden {
        ($name:literal) => {
            (
                $name,
                include_bytes!(concat!("../data/", $name, ".blob")).as_slice(),
                include_str!(concat!("../data/", $name, ".txt")),
            )
        };
    }
    for (name, blob, members) in [
        golden!("is16neg"),
        golden!("is16_300"),
        golden!("is32"),
        golden!("is32_200"),
        golden!("is64_visitors"),
    ] {
        let members: Vec<i64> = members.lines().map(|line| line.parse().unwrap()).collect();
        let read = IntSet::from_bytes(blob, Validation::Deep).expect(name);
        assert!(read.iter().eq(members.iter().copied()), "{name}");
        assert_eq!(
            IntSet::from_sorted(members.iter().copied()).unwrap().as_bytes(),
            blob,
            "{name}"
        );
        let mut one_by_one = IntSet::new();
        for &member in members.iter().rev() {
            assert!(one_by_one.insert(member));
        }
        assert_eq!(one_by_one.into_bytes(), blob, "{name}");
    }
}

#[test]
fn a_blob_that_is_wider_than_its_members_is_taken_and_stays_so() {
    let blob = b"\x08\0\0\0\x01\0\0\0\x07\0\0\0\0\0\0\0";
    let mut set = IntSet::from_bytes(blob.as_slice(), Validation::Deep).unwrap();
    assert_eq!(set.width(), Width::W64);
    assert!(set.insert(8) && set.remove(8));
    assert_eq!(set.as_bytes(), blob);
    let narrow = IntSet::from_iter([7]);
    assert_eq!((narrow.width(), &narrow), (Width::W16, &set), "equal by members");
}
