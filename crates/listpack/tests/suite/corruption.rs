//! Truncated blobs, and entries that cannot be parsed.

use listpack::{DecodeError, Entry, ListPack, Validation, validate};

const GOLDEN: [&[u8]; 5] = [
    include_bytes!("../data/s_mixed.blob"),
    include_bytes!("../data/h_small.blob"),
    include_bytes!("../data/z_intmembers.blob"),
    include_bytes!("../data/l_small.blob"),
    include_bytes!("../data/geo_cities.blob"),
];

/// All encodings, including the longer headers that no golden file has.
fn every_encoding() -> Vec<u8> {
    let mut list = ListPack::new();
    for value in [5, -300, 30_000, -8_000_000, 2_000_000_000, i64::MIN] {
        list.push_back(value).expect("room");
    }
    for len in [0, 9, 63, 64, 130] {
        list.push_back(&vec![b'x'; len]).expect("room");
    }
    let mut blob = list.into_bytes();
    // A string with a header of 32 bits where a shorter one would do.
    let end = blob.len() - 1;
    blob.splice(end..end, *b"\xf0\x03\0\0\0abc\x08");
    blob[4] += 1;
    let total = u32::try_from(blob.len()).expect("short");
    blob[..4].copy_from_slice(&total.to_le_bytes());
    assert_eq!(validate(&blob, Validation::Deep), Ok(()));
    blob
}

fn blobs() -> Vec<Vec<u8>> {
    GOLDEN.iter().map(|blob| blob.to_vec()).chain([every_encoding()]).collect()
}

#[test]
fn every_truncation_and_extension_is_refused() {
    for blob in blobs() {
        let total = u32::try_from(blob.len()).unwrap();
        for end in 0..blob.len() {
            let error = ListPack::from_bytes(&blob[..end], Validation::Shallow).unwrap_err();
            let expected = if end < 7 {
                DecodeError::Truncated { need: 7, got: end }
            } else {
                DecodeError::LengthMismatch { expected: total, got: end }
            };
            assert_eq!(error, expected);
        }
        let longer = [&blob[..], &[0xff]].concat();
        assert!(validate(&longer, Validation::Shallow).is_err());
    }
}

/// Truncated, with a matching header: an error, unless the cut is between entries and the entries are not counted.
#[test]
fn every_cut_with_a_right_header_is_refused_or_harmless() {
    for blob in blobs() {
        for end in 6..blob.len() - 1 {
            let mut cut = blob[..end].to_vec();
            cut.push(0xff);
            let total = u32::try_from(cut.len()).unwrap();
            cut[..4].copy_from_slice(&total.to_le_bytes());
            assert!(validate(&cut, Validation::Deep).is_err(), "entries are missing");
            use_whatever_is_in(&ListPack::from_bytes(cut.clone(), Validation::Shallow).unwrap());
            cut[4..6].fill(0xff);
            if let Ok(list) = ListPack::from_bytes(cut, Validation::Deep) {
                assert!(
                    list.iter().eq(ListPack::from_bytes(&blob[..], Validation::Deep)
                        .unwrap()
                        .iter()
                        .take(list.len()))
                );
            }
        }
    }
}

/// Each bit, flipped: an error, or a list that can be read, changed and written like any other.
#[test]
fn every_flipped_bit_is_refused_or_harmless() {
    for blob in blobs() {
        for bit in 0..8 * blob.len() {
            let mut bad = blob.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            let deep = ListPack::from_bytes(bad.clone(), Validation::Deep);
            let shallow = ListPack::from_bytes(bad.clone(), Validation::Shallow);
            if bit < 32 || bit / 8 == blob.len() - 1 {
                assert!(shallow.is_err(), "bit {bit} asks for another length or ends otherwise");
            }
            if bit < 48 {
                assert!(deep.is_err(), "bit {bit} counts otherwise");
            }
            if let Ok(list) = deep {
                assert_eq!(list.as_bytes(), bad);
                assert_eq!(list.iter().count(), list.len());
                assert_eq!(list.iter().rev().count(), list.len());
                rebuild(&list);
            }
            if let Ok(list) = shallow {
                use_whatever_is_in(&list);
            }
        }
    }
}

/// A valid list stays equal when each entry is written again.
fn rebuild(list: &ListPack) {
    let mut again = ListPack::new();
    for entry in list {
        again.push_back(entry).expect("room");
    }
    assert_eq!(again, *list);
    for entry in list {
        assert_eq!(list.find(entry).and_then(|at| list.entry(at)), Some(entry));
    }
}

/// Results may be wrong, but nothing may panic.
fn use_whatever_is_in(list: &ListPack) {
    let mut all: Vec<Entry<'_>> = list.iter().collect();
    all.extend(list.iter().rev());
    all.extend([Entry::Int(5), Entry::Str(b"x")]);
    for index in 0..20 {
        let _ = (list.get(index), list.get_back(index));
        if let Some(at) = list.seek_back(index) {
            let _ = (list.next(at), list.prev(at), list.iter_from(at).count());
        }
    }
    for (turn, &entry) in all.iter().enumerate().step_by(3) {
        let found = list.find(entry);
        let mut changed = list.clone();
        if let Some(at) = found {
            assert_eq!(list.entry(at), Some(entry));
            assert_eq!(changed.replace(at, "another text"), Ok(()));
            assert_eq!(changed.entry(at), Some("another text".into()));
            assert!(changed.delete(at));
            assert_eq!(changed.insert(at, entry), Ok(()));
            assert_eq!(changed.entry(at), Some(entry));
        }
        if let (Some(at), Some(to)) = (changed.seek(turn), changed.seek_back(turn)) {
            changed.move_run(at, 2, to);
            changed.move_run(to, 1, at);
        }
        changed.delete_range(turn, 3);
        changed.clone().pop_front_with(|_| ());
        changed.clone().pop_back_with(|_| ());
        changed.push_front(entry).expect("room");
        changed.push_back(entry).expect("room");
        changed.retain(|other| other != entry);
        changed.settle_count();
        changed.shrink_to_fit();
        assert_eq!(changed.validate(Validation::Shallow), Ok(()));
        let _ = (changed.len(), changed == *list, format!("{changed:?}"));
    }
}

#[test]
fn lengths_that_point_anywhere_never_panic() {
    for tag in 0..=u8::MAX {
        for filler in [0x00, 0x01, 0x7f, 0x80, 0x81, 0xff] {
            for len in [0_usize, 1, 2, 5, 9, 40] {
                let mut blob = vec![0, 0, 0, 0, 1, 0, tag];
                blob.resize(7 + len, filler);
                blob.push(0xff);
                let total = u32::try_from(blob.len()).unwrap();
                blob[..4].copy_from_slice(&total.to_le_bytes());
                let list = ListPack::from_bytes(blob.clone(), Validation::Shallow).unwrap();
                use_whatever_is_in(&list);
                if let Ok(list) = ListPack::from_bytes(blob, Validation::Deep) {
                    rebuild(&list);
                }
            }
        }
    }
}

/// A length that can be read backwards is valid, even if no writer would produce it; as in Redis.
#[test]
fn a_length_may_end_in_bytes_that_belong_to_the_entry() {
    let blob = b"\x09\0\0\0\x01\0\x00\x81\xff";
    let list = ListPack::from_bytes(blob.as_slice(), Validation::Deep).unwrap();
    assert!(list.iter().rev().eq([Entry::Int(0)]));
}

#[test]
fn errors_name_the_problem_and_the_offset() {
    let table: [(&[u8], &str); 9] = [
        (b"\x07\0\0\0\0\0", "listpack takes at least 7 bytes, got 6"),
        (b"\x08\0\0\0\0\0\xff", "listpack header specifies 8 bytes, got 7"),
        (b"\x08\0\0\0\0\0\xff\xfe", "listpack ends with 0xfe at offset 7, expected 0xff"),
        (b"\x09\0\0\0\x01\0\xf5\x01\xff", "listpack entry at offset 6 has unknown encoding 0xf5"),
        (b"\x09\0\0\0\0\0\xff\x01\xff", "listpack entry at offset 6 has unknown encoding 0xff"),
        (b"\x09\0\0\0\x01\0\x82a\xff", "listpack entry at offset 6 needs 4 bytes, got 2"),
        (b"\x09\0\0\0\x01\0\xf0\x01\xff", "listpack entry at offset 6 needs 5 bytes, got 2"),
        (
            b"\x09\0\0\0\x01\0\x05\x02\xff",
            "listpack entry at offset 6 does not end with its length of 1 bytes",
        ),
        (b"\x09\0\0\0\x02\0\x05\x01\xff", "listpack header at offset 4 specifies 2 entries, got 1"),
    ];
    for (blob, message) in table {
        let error = ListPack::from_bytes(blob, Validation::Deep).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}
