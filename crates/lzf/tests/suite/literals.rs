//! Streams that Redis's compressor does not write, and errors.

use lzf::{Compressor, check, decompress, push_literals};

#[test]
fn every_length_has_a_byte_more_per_32() {
    let plain: Vec<u8> = (0..200).collect();
    for len in 0..plain.len() {
        let mut stream = b"before".to_vec();
        push_literals(&plain[..len], &mut stream);
        let stream = stream.strip_prefix(b"before").expect("what was there stays");
        assert_eq!(stream.len(), len + len.div_ceil(32));
        if len > 0 {
            assert_eq!(decompress(stream, len as u64).as_deref(), Ok(&plain[..len]));
        }
    }
}

#[test]
fn a_part_may_be_compressed() {
    let mut stream = Vec::new();
    assert!(Compressor::new().compress(&[b'x'; 100], 100, &mut stream));
    push_literals(b"abc", &mut stream);
    assert_eq!(decompress(&stream, 103), Ok([&[b'x'; 100][..], b"abc"].concat()));
}

#[test]
fn a_copy_may_begin_at_the_first_byte() {
    let stream = [1, b'a', b'b', 0x20, 1];
    assert_eq!(check(&stream, 5), Ok(()));
    assert_eq!(decompress(&stream, 5).as_deref(), Ok(&b"ababa"[..]));
}

#[test]
fn errors_say_what_is_wrong() {
    let text = |stream, len| decompress(stream, len).expect_err("an error").to_string();
    assert_eq!(text(&[], 1), "the stream ends inside a token");
    assert_eq!(text(&[0, b'a', 0x20, 1], 4), "a copy from 2 back after 1 bytes");
    assert_eq!(text(&[0, b'a'], 2), "the stream does not give 2 bytes");
}
