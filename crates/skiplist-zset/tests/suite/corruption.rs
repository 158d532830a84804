//! Blobs that are not sorted sets.

use skiplist_zset::{BuildError, DecodeError, Limits, ZSet};

const GOLDEN: [&[u8]; 3] = [
    include_bytes!("../data/z_intmembers.blob"),
    include_bytes!("../data/z_special_lp.blob"),
    include_bytes!("../data/geo_cities.blob"),
];

/// Each bit, flipped: an error, or a set that can be read and changed like any other.
#[test]
fn every_flipped_bit_is_refused_or_harmless() {
    for blob in GOLDEN {
        for at in 0..blob.len() * 8 {
            let mut blob = blob.to_vec();
            blob[at / 8] ^= 1 << (at % 8);
            let Ok(mut set) = ZSet::<ahash::RandomState>::from_bytes(blob) else { continue };
            set.verify();
            for (rank, (member, score)) in set.iter().enumerate() {
                assert_eq!(set.rank_and_score(member.to_vec()), Some((rank, score)));
            }
            set.add("another", 7.0, &Limits::default()).unwrap();
            set.fit(&Limits { entries: 1, ..Limits::default() }).unwrap();
            set.verify();
        }
    }
}

#[test]
fn every_truncation_is_refused() {
    for blob in GOLDEN {
        for end in 0..blob.len() {
            let error = ZSet::<ahash::RandomState>::from_bytes(&blob[..end]).unwrap_err();
            assert!(matches!(error, DecodeError::ListPack(_)), "{error}");
        }
    }
}

#[test]
fn lists_that_are_not_sorted_sets_are_refused() {
    let list = |entries: &[&str]| {
        let mut list = listpack::ListPack::new();
        for &entry in entries {
            list.push_back(entry).unwrap();
        }
        ZSet::<ahash::RandomState>::from_listpack(list).map(|_| ())
    };
    assert_eq!(list(&[]), Ok(()));
    assert_eq!(list(&["a", "1", "b", "1", "a2", "2"]), Ok(()));
    assert_eq!(list(&["a", "-inf", "b", "inf"]), Ok(()));
    assert_eq!(list(&["a"]), Err(DecodeError::Odd { entries: 1 }));
    assert_eq!(list(&["a", "1", "b"]), Err(DecodeError::Odd { entries: 3 }));
    assert_eq!(list(&["a", "nan"]), Err(DecodeError::NotAScore { offset: 9 }));
    assert_eq!(list(&["a", "1", "b", "x"]), Err(DecodeError::NotAScore { offset: 14 }));
    assert_eq!(list(&["b", "1", "a", "1"]), Err(DecodeError::NotSorted { offset: 11 }));
    assert_eq!(list(&["a", "2", "b", "1.5"]), Err(DecodeError::NotSorted { offset: 11 }));
    assert_eq!(list(&["a", "1", "a", "1"]), Err(DecodeError::Duplicate { offset: 11 }));
    assert_eq!(list(&["a", "1", "b", "1", "a", "2"]), Err(DecodeError::Duplicate { offset: 16 }));
    assert_eq!(
        DecodeError::Duplicate { offset: 16 }.to_string(),
        "sorted set has a duplicate member at offset 16"
    );
}

#[test]
fn invalid_entries_are_refused() {
    let build = |entries: &[(&str, f64)]| {
        ZSet::<ahash::RandomState>::from_entries(entries.iter().copied(), &Limits::default())
            .map(|_| ())
    };
    assert_eq!(build(&[]), Ok(()));
    assert_eq!(build(&[("a", 1.0), ("b", 0.5), ("c", 7.0)]), Ok(()));
    let twice = Err(BuildError::Duplicate { index: 2 });
    assert_eq!(build(&[("a", 1.0), ("b", 0.5), ("a", 7.0)]), twice);
    assert_eq!(build(&[("a", 1.0), ("b", f64::NAN)]), Err(BuildError::NotANumber { index: 1 }));
}
