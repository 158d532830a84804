//! LZF: both ways, and streams that no compressor writes.

use proptest::prelude::*;

use crate::*;

fn round_trip(plain: &[u8]) -> Option<usize> {
    let mut stream = Vec::new();
    let limit = plain.len() + plain.len() / 16 + 64;
    assert!(Compressor::new().compress(plain, limit, &mut stream));
    if plain.is_empty() {
        return None;
    }
    check(&stream, plain.len() as u64).unwrap();
    assert_eq!(decompress(&stream, plain.len() as u64).unwrap(), plain);
    Some(stream.len())
}

#[test]
fn every_run_length_of_one_byte() {
    for len in 1..1200 {
        let stream = round_trip(&vec![b'x'; len]).unwrap();
        assert!(stream <= 2 + 3 * len.div_ceil(MAX_COPY) + 5, "{len} bytes became {stream}");
    }
}

#[test]
fn copies_at_the_edge_of_the_window() {
    for gap in [1, 2, 3, 31, 32, 33, WINDOW - 9, WINDOW - 8, WINDOW - 7, WINDOW, WINDOW + 1] {
        let mut plain = b"abcdefgh".to_vec();
        plain.extend((0..gap).map(|i| u8::try_from(i * i % 251).unwrap()));
        plain.extend_from_slice(b"abcdefgh....");
        round_trip(&plain);
    }
}

#[test]
fn the_limit_is_kept() {
    let plain = b"no repeats: 0123456789";
    let mut out = Vec::new();
    assert!(!Compressor::new().compress(plain, plain.len() - 4, &mut out));
    let exact = round_trip(&[7; 100]).unwrap();
    let fits = |limit, out: &mut Vec<u8>| Compressor::new().compress(&[7; 100], limit, out);
    assert!((0..=exact).all(|limit| !fits(limit, &mut out)));
    // The room that a server would keep free.
    assert!((exact + 2..exact + 100).all(|limit| fits(limit, &mut out)));
}

#[test]
fn the_stream_depends_on_the_string_alone() {
    let plain = b"the rain in spain stays mainly in the plain, mainly".repeat(9);
    let (mut fresh, mut used) = (Vec::new(), Vec::new());
    Compressor::new().compress(&plain, plain.len(), &mut fresh);
    let mut compressor = Compressor::new();
    compressor.compress(&plain.repeat(3), 100_000, &mut used);
    compressor.compress(&plain, plain.len(), &mut used);
    assert_eq!(fresh, used);
    #[cfg(feature = "std")]
    for _ in 0..2 {
        assert!(compress(&plain, plain.len(), &mut used));
        assert_eq!(fresh, used);
        assert!(!compress(&plain, fresh.len(), &mut used));
    }
}

#[test]
fn malformed_streams_are_refused() {
    let cases: [(&[u8], u64, Error); 9] = [
        (&[], 0, Error::Truncated),
        (&[], 1, Error::Truncated),
        (&[0x02, b'a', b'b'], 3, Error::Truncated),
        (&[0x00, b'a', 0x20], 4, Error::Truncated),
        (&[0x00, b'a', 0xe0, 0x00], 10, Error::Truncated),
        (&[0x20, 0x00], 3, Error::BadDistance { distance: 1, plain: 0 }),
        (&[0x00, b'a', 0x20, 0x01], 4, Error::BadDistance { distance: 2, plain: 1 }),
        (&[0x01, b'a', b'b'], 3, Error::WrongLength { expected: 3 }),
        (&[0x01, b'a', b'b'], u64::MAX, Error::WrongLength { expected: u64::MAX }),
    ];
    for (stream, len, error) in cases {
        assert_eq!(decompress(stream, len), Err(error), "{stream:?}");
        assert_eq!(check(stream, len), Err(error), "{stream:?}");
    }
    let too_much = [0x01, b'a', b'b', 0x20, 0x00];
    for len in [1, 2, 3, 4, 6] {
        assert!(decompress(&too_much, len).is_err());
        assert!(check(&too_much, len).is_err());
    }
    assert_eq!(decompress(&too_much, 5).unwrap(), b"abbbb");
}

proptest! {
    #[test]
    fn texts_of_few_letters_come_back(plain in prop::collection::vec(0..3_u8, 0..5000)) {
        round_trip(&plain);
    }

    #[test]
    fn any_bytes_come_back(plain in prop::collection::vec(any::<u8>(), 0..500)) {
        round_trip(&plain);
    }

    #[test]
    fn check_and_decompress_agree(
        stream in prop::collection::vec(any::<u8>(), 0..60),
        len in 0..2000_u64,
    ) {
        let checked = check(&stream, len);
        match decompress(&stream, len) {
            Ok(plain) => {
                prop_assert_eq!(checked, Ok(()));
                prop_assert_eq!(plain.len() as u64, len);
            }
            Err(error) => prop_assert_eq!(checked, Err(error)),
        }
    }
}
