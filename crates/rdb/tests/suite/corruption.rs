//! Bytes that no server wrote: small files cut at every length and with every byte changed, and lengths beyond the
//! input.
#![expect(clippy::unwrap_used, reason = "tests and their helpers fail by a panic")]

use crate::common::{bytes, every_file, read_all, read_bytes};
use rdb::{Error, ErrorKind, ReadOptions, Reader, Value, ValueType, dump};

/// The size in bytes of the largest file that is changed byte by byte.
const SMALL: usize = 700;

fn small_files() -> Vec<(String, Vec<u8>)> {
    let files: Vec<_> = every_file()
        .into_iter()
        .map(|name| (name.clone(), bytes(&name)))
        .filter(|(_, file)| file.len() <= SMALL)
        .collect();
    assert!(files.len() >= 20);
    files
}

/// Reads a file in every way, ignoring the checksum; returns whether each succeeded.
fn read_every_way(file: &[u8]) -> [bool; 3] {
    let options = |length| ReadOptions { length, checksum: false };
    let read = |length, raw| {
        let reader = Reader::with_options(file, options(length))?;
        read_all(reader, raw).map(drop)
    };
    let skip = || -> Result<(), Error> {
        let mut reader = Reader::with_options(file, options(None))?;
        while reader.next_record()?.is_some() {}
        Ok(())
    };
    [read(None, false).is_ok(), read(Some(file.len() as u64), true).is_ok(), skip().is_ok()]
}

#[test]
fn no_file_may_end_early() {
    for (name, file) in small_files() {
        let mut reader = Reader::new(&file[..]).unwrap();
        while reader.next_record().unwrap().is_some() {}
        let end = usize::try_from(reader.offset()).unwrap();
        for cut in 0..end {
            let error = read_bytes(&file[..cut], false).unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::Truncated | ErrorKind::TooLong { .. }),
                "{name} cut at {cut}: {error}"
            );
            assert!(error.offset() <= cut as u64, "{name} cut at {cut}: {error}");
            assert_eq!(read_every_way(&file[..cut]), [false; 3], "{name} cut at {cut}");
        }
    }
}

#[test]
fn a_checksum_finds_every_changed_bit() {
    for (name, file) in small_files() {
        let mut reader = Reader::new(&file[..]).unwrap();
        while reader.next_record().unwrap().is_some() {}
        let end = usize::try_from(reader.offset()).unwrap();
        if reader.version().number() < 5 || file[end - 8..end] == [0; 8] {
            continue;
        }
        for at in 0..end {
            for bit in 0..8 {
                let mut changed = file.clone();
                changed[at] ^= 1 << bit;
                if changed[..9] < b"REDIS0005"[..] && changed[..9] > b"REDIS0000"[..] {
                    continue; // its version has no checksum now
                }
                assert!(read_bytes(&changed, false).is_err(), "{name}: bit {bit} of byte {at}");
            }
        }
    }
}

#[test]
fn changed_bytes_are_read_the_same_way_or_refused_in_every_way() {
    for (name, file) in small_files() {
        for at in 0..file.len() {
            for change in (0..8).map(|bit| file[at] ^ (1 << bit)).chain([0, 0x80, 0x81, 0xff]) {
                let mut changed = file.clone();
                changed[at] = change;
                let [typed, raw, skipped] = read_every_way(&changed);
                assert_eq!((typed, raw), (skipped, skipped), "{name}: {change:#04x} at {at}");
            }
        }
    }
}

fn error_of(body: &[u8]) -> Error {
    let mut file = b"REDIS0010".to_vec();
    file.extend_from_slice(body);
    let known = read_bytes(&file, false).unwrap_err();
    let unknown = read_all(Reader::new(&file[..]).unwrap(), false).unwrap_err();
    assert!(unknown.offset() >= known.offset());
    known
}

#[test]
fn errors_say_what_and_where() {
    let cases: [(&[u8], &str); 17] = [
        (b"", "unexpected end of input at offset 9"),
        (b"\x08", "unknown type 8 at offset 9"),
        (b"\x1b\x02k\n!", "unknown type 27 of key 'k\\n' at offset 9"),
        (b"\xf3", "unknown opcode 243 at offset 9"),
        (b"\x06\x01k", "pre-release form 6 is not supported at offset 9"),
        (b"\xf6\x01", "pre-release form 246 is not supported at offset 9"),
        (b"\xfe\xc0\x01", "a length cannot begin with byte 0xc0 at offset 10"),
        (b"\xfe\x82", "a length cannot begin with byte 0x82 at offset 10"),
        (b"\xfe\x81\0\0\0\x01\0\0\0\0", "database number 4294967296 is out of range at offset 10"),
        (b"\x00\xc4", "a string cannot begin with byte 0xc4 at offset 10"),
        (b"\x00\x01k\x05abc", "length 5 exceeds the 3 bytes that remain at offset 12"),
        (b"\x02\x01k\x7f\xff\x01a", "unexpected end of input at offset 16"),
        (b"\x00\x01k\xc3\x05\x01abc", "length 5 exceeds the 3 bytes that remain at offset 13"),
        (
            b"\x00\x01k\xc3\x03\x05\x20\x00\x00",
            "invalid compressed string: a copy from 1 back after 0 bytes at offset 15",
        ),
        (
            b"\x00\x01k\xc3\x02\x80\xff\xff\xff\xff\x00a",
            "invalid compressed string: the stream does not give 4294967295 bytes at offset 19",
        ),
        (b"\x07\x01k\x01\x06", "unknown tag 6 in a module value at offset 13"),
        (
            b"\xff\x01\0\0\0\0\0\0\0",
            "checksum mismatch: stored 0000000000000001, computed eb7ea789fe37fda9 at offset 10",
        ),
    ];
    for (body, text) in cases {
        assert_eq!(error_of(body).to_string(), text, "{}", body.escape_ascii());
    }
}

#[test]
fn invalid_headers_are_refused() {
    let kind = |header: &[u8]| Reader::new(header).unwrap_err().into_kind();
    assert!(matches!(kind(b""), ErrorKind::Truncated));
    assert!(matches!(kind(b"REDIS001"), ErrorKind::Truncated));
    assert!(matches!(kind(b"redis0010"), ErrorKind::BadMagic));
    assert!(matches!(kind(b"REDIS00x0"), ErrorKind::BadMagic));
    assert!(matches!(kind(b"REDIS0000"), ErrorKind::UnsupportedVersion(_)));
    assert!(matches!(kind(b"REDIS0016"), ErrorKind::UnsupportedVersion(_)));
    assert!(matches!(kind(b"VALKEY079"), ErrorKind::UnsupportedVersion(_)));
}

#[test]
fn type_22_is_read_by_the_dialect() {
    let read = |header: &[u8; 9], body: &[u8]| {
        let mut file = header.to_vec();
        file.extend_from_slice(b"\x16\x01h");
        file.extend_from_slice(body);
        file.push(0xff);
        file.extend_from_slice(&[0; 8]);
        let mut reader = Reader::new(&file[..]).unwrap();
        reader.next_record().unwrap();
        let raw = reader.raw_value().ok()?;
        reader.next_record().ok()?.is_none().then_some(raw.kind())
    };
    let redis = b"\x01\x00\x01f\x01v";
    let valkey = b"\x01\x01f\x01v\xff\xff\xff\xff\xff\xff\xff\xff";
    assert_eq!(read(b"REDIS0012", redis), Some(ValueType::HashTtlPreRelease));
    assert_eq!(read(b"VALKEY080", valkey), Some(ValueType::ValkeyHashTtl));
    assert_eq!(read(b"VALKEY080", redis), None);
    assert_eq!(read(b"REDIS0012", valkey), None);
}

#[test]
fn a_field_expires_at_a_time_of_the_epoch_or_never() {
    let accepted = |version: u16, body: &[u8]| {
        let mut payload = [body, &version.to_le_bytes()].concat();
        payload.extend_from_slice(&rdb::crc64(&payload).to_le_bytes());
        let scanned = dump::decode(&payload).is_ok();
        let mut file = match version {
            80 => b"VALKEY080".to_vec(),
            _ => b"REDIS0012".to_vec(),
        };
        file.extend_from_slice(&[body[0], 1, b'h']);
        file.extend_from_slice(&body[1..]);
        file.push(0xff);
        file.extend_from_slice(&[0; 8]);
        assert_eq!(read_every_way(&file), [scanned; 3], "{body:?}");
        scanned
    };
    let valkey = |time: i64| [b"\x16\x01\x01f\x01v", &time.to_le_bytes()[..]].concat();
    for (time, right) in [(-1, true), (0, true), (i64::MAX, true), (-2, false), (i64::MIN, false)] {
        assert_eq!(accepted(80, &valkey(time)), right, "{time}");
    }
    let redis = |earliest: i64, number: u8| {
        [b"\x18", &earliest.to_le_bytes()[..], &[1, number], b"\x01f\x01v"].concat()
    };
    for (earliest, number, right) in [
        (5, 1, true),
        (i64::MAX, 1, true),
        (i64::MAX, 0, true),
        (i64::MAX, 2, false),
        (-1, 1, false),
        (-1, 2, true),
        (i64::MIN, 1, false),
    ] {
        assert_eq!(accepted(12, &redis(earliest, number)), right, "{earliest} {number}");
    }

    // The last time, relative to the epoch: it needs 64 bits.
    let since_the_epoch = |number: u64| {
        let mut number_bytes = number.to_le_bytes();
        number_bytes.reverse();
        [b"\x18\0\0\0\0\0\0\0\0\x01\x81", &number_bytes[..], b"\x01f\x01v"].concat()
    };
    assert!(accepted(12, &since_the_epoch(1 << 63)));
    assert!(!accepted(12, &since_the_epoch((1 << 63) + 1)));
    assert!(!accepted(12, &since_the_epoch(u64::MAX)));
}

#[test]
fn a_checksum_of_zero_means_no_checksum() {
    let file = b"REDIS0010\x00\x01k\x01v\xff\0\0\0\0\0\0\0\0";
    assert_eq!(read_bytes(file, false).unwrap().len(), 1);
}

#[test]
fn before_version_five_there_is_no_checksum() {
    assert_eq!(read_bytes(b"REDIS0004\x00\x01k\x01v\xff", false).unwrap().len(), 1);
    assert!(read_bytes(b"REDIS0005\x00\x01k\x01v\xff", false).is_err());
}

#[test]
fn expiry_in_seconds_and_none() {
    let attributes = |body: &[u8]| {
        let mut file = b"REDIS0004".to_vec();
        file.extend_from_slice(body);
        file.extend_from_slice(b"\x00\x01k\x01v\xff");
        match &read_bytes(&file, false).unwrap()[..] {
            [crate::common::Item::Key { attributes, .. }] => *attributes,
            items => panic!("{items:?}"),
        }
    };
    assert_eq!(attributes(b"\xfd\x01\0\0\0").expire_at_ms, Some(1000));
    assert_eq!(attributes(b"\xfd\xfe\xff\xff\xff").expire_at_ms, Some(-2000));
    assert_eq!(attributes(b"\xfc\x01\0\0\0\0\0\0\x80").expire_at_ms, Some(i64::MIN + 1));
    assert_eq!(attributes(&[0xfc, 255, 255, 255, 255, 255, 255, 255, 255]).expire_at_ms, None);
    assert_eq!(attributes(b"\xf8\x41\x00").idle_s, Some(256));
    assert_eq!(attributes(b"\xf9\xff").freq, Some(255));
}

#[test]
fn values_are_read_once_and_only_where_there_is_one() {
    let file = b"REDIS0004\x00\x01k\x01v\x02\x01s\x02\x01a\x01b\xff";
    let mut reader = Reader::new(&file[..]).unwrap();
    let no_value = |error: Error| matches!(error.kind(), ErrorKind::NoValue);
    assert!(no_value(reader.value().unwrap_err()));
    reader.next_record().unwrap();
    assert!(matches!(reader.value().unwrap(), Value::String(_)));
    assert!(no_value(reader.value().unwrap_err()));
    assert!(no_value(reader.raw_value().unwrap_err()));
    reader.next_record().unwrap();
    let Value::Set(mut members) = reader.value().unwrap() else { panic!() };
    assert_eq!((members.announced(), members.size_hint()), (2, 2));
    assert_eq!(members.next().unwrap(), Some(&b"a"[..]));
    assert_eq!(members.announced(), 1);
    assert!(no_value(reader.value().unwrap_err()));
    assert!(reader.next_record().unwrap().is_none());
    assert!(no_value(reader.value().unwrap_err()));
}

#[test]
fn the_members_left_of_a_sorted_set_are_announced() {
    let file = b"REDIS0010\x03\x01z\x02\x01a\x011\x01b\x012\xff";
    let mut reader = Reader::new(&file[..]).unwrap();
    reader.next_record().unwrap();
    let Value::ZSet(mut scores) = reader.value().unwrap() else { panic!() };
    assert_eq!((scores.announced(), scores.size_hint()), (2, 2));
    assert_eq!(scores.next().unwrap(), Some((&b"a"[..], 1.0)));
    assert_eq!(scores.announced(), 1);
    assert_eq!(scores.next().unwrap(), Some((&b"b"[..], 2.0)));
    assert_eq!((scores.announced(), scores.next().unwrap()), (0, None));
}

#[test]
fn an_error_has_the_error_that_it_wraps_as_its_source() {
    use std::error::Error as _;
    // A stream that ends within its reference, of a string of five bytes.
    let file = b"REDIS0010\x00\x01k\xc3\x02\x05\x20\x20\xff";
    let mut reader = Reader::new(&file[..]).unwrap();
    reader.next_record().unwrap();
    let damaged = reader.value().map(drop).unwrap_err();
    assert!(matches!(damaged.kind(), ErrorKind::Lzf(_)), "{damaged:?}");
    assert!(damaged.source().is_some_and(<dyn std::error::Error>::is::<lzf::Error>));
    let other = Reader::new(&b"not a file"[..]).map(drop).unwrap_err();
    assert!(other.source().is_none(), "{other:?}");
}

#[test]
fn hints_are_capped_by_what_remains() {
    let file =
        b"REDIS0010\xfb\x81\x7f\xff\xff\xff\xff\xff\xff\xff\x00\x02\x01s\x80\xff\xff\xff\xff\x01a";
    let options = ReadOptions { length: Some(file.len() as u64), checksum: true };
    let mut reader = Reader::with_options(&file[..], options).unwrap();
    let Some(rdb::Record::ResizeDb { keys, .. }) = reader.next_record().unwrap() else { panic!() };
    assert_eq!(keys, u64::MAX >> 1);
    assert_eq!(reader.plausible(keys), 10);
    reader.next_record().unwrap();
    let Value::Set(members) = reader.value().unwrap() else { panic!() };
    assert_eq!((members.announced(), members.size_hint()), (0xffff_ffff, 2));
}

#[test]
fn changed_payloads_are_refused() {
    let payload =
        dump::encode(rdb::WriteOptions::default(), |value| value.string(b"hello")).unwrap();
    for at in 0..payload.len() {
        for bit in 0..8 {
            let mut changed = payload.clone();
            changed[at] ^= 1 << bit;
            assert!(dump::decode(&changed).is_err(), "bit {bit} of byte {at}");
        }
        assert!(dump::decode(&payload[..at]).is_err(), "cut at {at}");
    }
}
