use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;

/// A stream that returns at most `step` bytes at once.
struct Slow<'a> {
    rest: &'a [u8],
    step: usize,
}

impl Read for Slow<'_> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let read = self.step.min(piece.len()).min(self.rest.len());
        piece[..read].copy_from_slice(&self.rest[..read]);
        self.rest = &self.rest[read..];
        Ok(read)
    }
}

fn lines<R: Read>(mut source: Source<R>) -> io::Result<Vec<Result<Vec<u8>, TooLong>>> {
    let mut lines = Vec::new();
    while let Some(line) = source.next_line()? {
        lines.push(line.map(<[u8]>::to_vec));
    }
    assert_eq!(source.next_line()?, None, "the end stays the end");
    Ok(lines)
}

fn lines_of(text: &[u8], step: usize) -> Vec<Result<Vec<u8>, TooLong>> {
    lines(Source::new(Slow { rest: text, step }).unwrap()).unwrap()
}

/// A simple reference implementation.
fn plain_lines(text: &[u8]) -> Vec<Result<Vec<u8>, TooLong>> {
    let mut lines: Vec<_> = text.split(|&byte| byte == b'\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    lines
        .into_iter()
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .map(|line| if line.len() > MAX_LINE { Err(TooLong) } else { Ok(line.to_vec()) })
        .collect()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn the_last_line_needs_no_line_feed() {
    for (text, count) in [("", 0), ("a", 1), ("a\n", 1), ("\n", 1), ("a\n\nb", 3), ("\r\n", 1)] {
        assert_eq!(lines_of(text.as_bytes(), 9).len(), count, "{text:?}");
        assert_eq!(lines_of(text.as_bytes(), 9), plain_lines(text.as_bytes()), "{text:?}");
    }
}

#[test]
fn lines_at_the_limit_of_length() {
    for length in [MAX_LINE - 1, MAX_LINE, MAX_LINE + 1, MAX_LINE + 2, 2 * MAX_LINE + PIECE] {
        for end in ["", "\n", "\r\n", "\nnext", "\r\nnext\n", "\n\n"] {
            let mut text = b"first\n".to_vec();
            text.resize(text.len() + length, b'x');
            text.extend_from_slice(end.as_bytes());
            for step in [1000, PIECE - 1, usize::MAX] {
                let (got, want) = (lines_of(&text, step), plain_lines(&text));
                assert!(got == want, "{length} {end:?} {step}");
            }
        }
    }
}

#[test]
fn memory_does_not_grow_with_a_line_that_never_ends() {
    let endless = io::repeat(b'x').take(64 << 20);
    let mut source = Source::new(endless).unwrap();
    let room = source.buffer.len();
    assert_eq!(source.next_line().unwrap(), Some(Err(TooLong)));
    assert_eq!(source.next_line().unwrap(), None);
    assert_eq!((source.buffer.len(), source.bytes_read()), (room, 64 << 20));
}

#[test]
fn gzip_is_known_by_its_first_bytes() {
    let text = b"one\ntwo\r\n".repeat(50_000);
    let packed = gzip(&text);
    let mut source = Source::new(&packed[..]).unwrap();
    let mut count = 0;
    while let Some(line) = source.next_line().unwrap() {
        assert_eq!(line, Ok(if count % 2 == 0 { &b"one"[..] } else { b"two" }));
        count += 1;
    }
    assert_eq!((count, source.bytes_read()), (100_000, packed.len() as u64));
}

#[test]
fn gzip_members_are_read_one_after_the_other() {
    let mut packed = gzip(b"one\ntw");
    packed.extend(gzip(b"o\nthree"));
    for step in [1, 7, usize::MAX] {
        assert_eq!(lines_of(&packed, step), plain_lines(b"one\ntwo\nthree"));
    }
}

fn zstd(text: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn frames_of_zstd_are_read_one_after_the_other() {
    let text = b"one\ntwo\r\n".repeat(50_000);
    let mut packed = zstd(&text[..7]);
    packed.extend(zstd(&text[7..]));
    // A skippable frame may be between others and before them.
    let skipped = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    packed = [&skipped[..], &packed, &skipped].concat();
    for step in [1, 7, usize::MAX] {
        assert_eq!(lines_of(&packed, step), plain_lines(&text));
    }
    let mut source = Source::new(&packed[..]).unwrap();
    while source.next_line().unwrap().is_some() {}
    assert_eq!(source.bytes_read(), packed.len() as u64);
    assert_eq!(
        source.follow().unwrap_err().to_string(),
        "a file compressed with zstd cannot be followed"
    );
}

#[test]
fn damaged_zstd_is_an_error_and_never_a_panic() {
    let text: Vec<u8> = (0..300_u32).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
    let packed = zstd(&text);
    let read = |packed: &[u8]| Source::new(packed).and_then(lines);
    let whole = read(&packed).unwrap();
    for cut in 4..packed.len() {
        read(&packed[..cut]).unwrap_err();
    }
    for at in 4..packed.len() {
        for bit in 0..8 {
            let mut bad = packed.clone();
            bad[at] ^= 1 << bit;
            if let Ok(lines) = read(&bad) {
                assert!(lines == whole, "a change at {at} was not seen");
            }
        }
    }
    // The bytes after the last frame are not a frame.
    read(&[&packed[..], b"more"].concat()).unwrap_err();
}

#[test]
fn what_is_shorter_than_a_magic_number_is_text() {
    for text in [&b"\x28\xb5\x2f"[..], b"\x28", b"\x1f", b"\x50\x2a\x4d", b"\x28\x8b", b"P*M"] {
        assert_eq!(lines_of(text, 1), [Ok(text.to_vec())]);
    }
    // No more is read from a stream than is needed to detect that.
    let mut rest = &b"a\nbcdef"[..];
    let source = Source::new(&mut rest).unwrap();
    assert_eq!(source.bytes_read(), 0);
    drop(source);
    assert_eq!(rest, b"\nbcdef");
}

#[test]
fn lines_that_are_taken_are_the_lines() {
    let long = vec![b'x'; MAX_LINE + 2];
    let text = [
        &b"one\ntwo\r\n"[..],
        &long,
        b"\nthree\n",
        &long,
        b"\r\n",
        &b"four\n".repeat(99_999),
        b"five",
    ]
    .concat();
    for step in [1000, PIECE - 1, usize::MAX] {
        let mut source = Source::new(Slow { rest: &text, step }).unwrap();
        let mut taken = Lines::new();
        let mut found = Vec::new();
        while let Some(lines) = source.take_lines(&mut taken).unwrap() {
            found.extend(plain_lines(&taken));
            if lines.is_err() {
                assert!(taken.is_empty());
                found.push(Err(TooLong));
            }
        }
        assert!(found == plain_lines(&text), "{step}");
        assert_eq!(source.take_lines(&mut taken).unwrap(), None);
    }
}

#[test]
fn damaged_gzip_is_an_error_and_never_a_panic() {
    let text: Vec<u8> = (0..300_u32).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
    let packed = gzip(&text);
    let whole = lines(Source::new(&packed[..]).unwrap()).unwrap();
    for cut in 2..packed.len() {
        lines(Source::new(&packed[..cut]).unwrap()).unwrap_err();
    }
    // Changes may go undetected in the header's reserved flag, its time and system, and the bits after the end of the
    // compressed data, before the eight bytes of checksum and length.
    let unused = |at| at < 10 || at == packed.len() - 9;
    for at in 2..packed.len() {
        let mut bad = packed.clone();
        bad[at] ^= 0x40;
        if let Ok(lines) = lines(Source::new(&bad[..]).unwrap()) {
            assert!(unused(at) && lines == whole, "a change at {at} was not seen");
        }
    }
}

#[test]
fn folders_and_missing_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let error = Source::open(folder.path()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
    let error = Source::open(&folder.path().join("none")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_text_in_any_steps_gives_its_lines(
        text in prop::collection::vec(prop::sample::select(&b"ab\r\n"[..]), 0..300),
        step in 1..50_usize,
    ) {
        prop_assert_eq!(lines_of(&text, step), plain_lines(&text));
    }
}
