//! Streams that `redis-server` 7.0.15 wrote: the same bytes, and the same strings are left uncompressed.

use lzf::{Compressor, check, decompress};

/// Each string with its stream, or `None` if the server stores it uncompressed. `data/streams.txt` begins with its
/// format.
fn cases() -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let lines = include_str!("../data/streams.txt").lines().filter(|line| !line.starts_with('#'));
    let case = |line: &str| {
        let (plain, stream) = line.split_once(' ').expect("two columns");
        (bytes(plain), (stream != "-").then(|| bytes(stream)))
    };
    lines.map(case).collect()
}

fn bytes(text: &str) -> Vec<u8> {
    let byte = |digits: &str| u8::from_str_radix(digits, 16).expect("two digits");
    let part = |part: &str| match part.split_once('x') {
        Some((digits, times)) => vec![byte(digits); times.parse().expect("a number")],
        None => (0..part.len()).step_by(2).map(|at| byte(&part[at..at + 2])).collect(),
    };
    text.split(',').flat_map(part).collect()
}

/// The limit of a server: a stream must save four bytes.
fn compress(plain: &[u8]) -> Option<Vec<u8>> {
    let mut stream = Vec::new();
    Compressor::new().compress(plain, plain.len() - 4, &mut stream).then_some(stream)
}

#[test]
fn streams_are_those_of_a_server() {
    let cases = cases();
    let compressed = cases.iter().filter(|(_, stream)| stream.is_some()).count();
    assert!(compressed > 100 && cases.len() - compressed > 100, "{compressed}");
    for (plain, stream) in cases {
        assert_eq!(compress(&plain), stream, "{}", plain.escape_ascii());
    }
}

#[test]
fn streams_of_a_server_are_decompressed() {
    for (plain, stream) in cases() {
        let Some(stream) = stream else { continue };
        assert_eq!(check(&stream, plain.len() as u64), Ok(()));
        assert_eq!(decompress(&stream, plain.len() as u64), Ok(plain));
    }
}

#[test]
fn a_stream_fits_from_one_limit_on() {
    for (plain, stream) in cases() {
        let Some(stream) = stream else { continue };
        let mut out = Vec::new();
        let mut fits = |limit| Compressor::new().compress(&plain, limit, &mut out);
        let limits = stream.len().saturating_sub(40)..=plain.len() + 40;
        let least = limits.clone().find(|&limit| fits(limit)).expect("it fits");
        // The room that a server keeps free.
        assert!((1..=4).contains(&(least - stream.len())), "{}", plain.escape_ascii());
        assert!((least..=*limits.end()).all(fits), "{}", plain.escape_ascii());
    }
}
