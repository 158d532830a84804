//! Payloads: golden ones, and invalid footers.
#![expect(clippy::unwrap_used, reason = "tests and their helpers fail by a panic")]

use crate::common::{Item, Kept, every_file, read_bytes};
use rdb::{
    Blob, Dialect, ErrorKind, StringValue, Target, ValueType, Version, WriteError, WriteOptions,
    crc64, dump,
};

/// A payload with a valid checksum for any body and version.
fn payload(body: &[u8], version: u16) -> Vec<u8> {
    let mut payload = body.to_vec();
    payload.extend_from_slice(&version.to_le_bytes());
    let checksum = crc64(&payload);
    payload.extend_from_slice(&checksum.to_le_bytes());
    payload
}

fn error_of(body: &[u8], version: u16) -> (u64, ErrorKind) {
    let error = dump::decode(&payload(body, version)).unwrap_err();
    (error.offset(), error.into_kind())
}

/// The replies of a 7.0.15 server to DUMP after `SET x 10` and `SADD i 1 2 3`.
#[test]
fn payloads_of_a_server() {
    let ten = b"\x00\xc0\x0a\x0a\x00\x6e\x9f\x57\x45\x0e\xae\x63\xbb";
    assert_eq!(dump::encode(WriteOptions::default(), |value| value.int(10)).unwrap(), ten);
    let mut read = dump::decode(ten).unwrap();
    assert_eq!(read.version(), Version::new(Dialect::Redis, 10));
    assert_eq!(read.kind(), ValueType::String);
    assert_eq!(Kept::read(read.value().unwrap()).unwrap(), Kept::String(StringValue::Int(10)));

    let blob = b"\x02\0\0\0\x03\0\0\0\x01\0\x02\0\x03\0";
    let body = [&b"\x0b\x0e"[..], blob].concat();
    let set =
        dump::encode(WriteOptions::default(), |value| value.blob(Blob::IntSet, blob)).unwrap();
    assert_eq!(set, payload(&body, 10));
    let mut read = dump::decode(&set).unwrap();
    assert_eq!(Kept::read(read.value().unwrap()).unwrap(), Kept::Blob(Blob::IntSet, blob.to_vec()));
}

#[test]
fn every_value_of_every_file_passes_through_a_payload() {
    let options = WriteOptions { target: Target::V12, ..WriteOptions::default() };
    let mut kinds = std::collections::HashSet::new();
    for name in every_file() {
        let file = crate::common::bytes(&name);
        for item in read_bytes(&file, true).unwrap() {
            let Item::Key { value: Kept::Raw(raw), .. } = item else { continue };
            kinds.insert(raw.kind());
            let payload = dump::encode(options, |value| value.raw(&raw)).unwrap();
            assert_eq!(payload.len(), raw.body().len() + 11);
            let mut read = dump::decode(&payload).unwrap();
            assert_eq!(read.kind(), raw.kind());
            assert_eq!(read.raw_value().unwrap(), raw);
            let mut read = dump::decode(&payload).unwrap();
            Kept::read(read.value().unwrap()).unwrap();
        }
    }
    // All types except those that no file here has.
    assert_eq!(kinds.len(), 22, "{kinds:?}");
}

#[test]
fn footers() {
    let (offset, kind) = error_of(b"\x00\x01a", 16);
    assert!(matches!(kind, ErrorKind::UnsupportedVersion(v) if v.number() == 16) && offset == 3);
    assert!(matches!(error_of(b"\x00\x01a", 1000).1, ErrorKind::UnsupportedVersion(_)));
    for version in [0, 1, 10, 12, 15, 80, 81] {
        let bytes = payload(b"\x00\x01a", version);
        assert_eq!(dump::decode(&bytes).unwrap().version().number(), version);
    }
    let mut unchecked = payload(b"\x00\x01a", 10);
    unchecked[5..].fill(0);
    let error = dump::decode(&unchecked).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Checksum { stored: 0, .. }));
    assert_eq!(error.offset(), 5);
    for len in 0..10 {
        assert!(matches!(dump::decode(&vec![0; len]).unwrap_err().kind(), ErrorKind::Truncated));
    }
    assert!(matches!(error_of(b"", 10).1, ErrorKind::Truncated));
}

#[test]
fn bodies() {
    assert!(matches!(error_of(b"\x00\x01ab", 10), (3, ErrorKind::Trailing { left: 1 })));
    assert!(matches!(error_of(b"\x02\x01\x01ab", 10), (4, ErrorKind::Trailing { left: 1 })));
    assert!(matches!(error_of(b"\x00\x02a", 10), (1, ErrorKind::TooLong { len: 2, left: 1 })));
    assert!(matches!(error_of(b"\x02\x02\x01a", 10), (4, ErrorKind::Truncated)));
    assert!(matches!(error_of(b"\x06\x01", 10), (0, ErrorKind::PreRelease(6))));
    assert!(matches!(error_of(b"\x63\x01", 10), (0, ErrorKind::UnknownType { byte: 0x63, .. })));
    // Opcodes have no meaning in a payload.
    assert!(matches!(error_of(b"\xff", 10), (0, ErrorKind::UnknownType { byte: 0xff, .. })));
    assert!(matches!(
        error_of(b"\xfa\x01a\x01b", 10),
        (0, ErrorKind::UnknownType { byte: 0xfa, .. })
    ));
}

#[test]
fn members_pass_through() {
    let encoded = dump::encode(WriteOptions::default(), |value| {
        let mut members = value.set(3)?;
        for member in [&b"a"[..], b"-5", b""] {
            members.member(member)?;
        }
        members.finish()
    });
    let encoded = encoded.unwrap();
    assert_eq!(encoded, payload(b"\x02\x03\x01a\xc0\xfb\x00", 10));
    let mut read = dump::decode(&encoded).unwrap();
    let members = [&b"a"[..], b"-5", b""].map(<[u8]>::to_vec).to_vec();
    assert_eq!(Kept::read(read.value().unwrap()).unwrap(), Kept::Set(members));
    assert!(matches!(read.value().unwrap_err().kind(), ErrorKind::NoValue));
}

#[test]
fn a_payload_without_exactly_one_value_is_refused() {
    let options = WriteOptions::default();
    assert!(matches!(dump::encode(options, |_| Ok(())), Err(WriteError::NotOneValue)));
    let unfinished = dump::encode(options, |value| value.set(2)?.member(b"a"));
    assert!(matches!(unfinished, Err(WriteError::MissingMembers { missing: 1 })));
    let newer = dump::encode(options, |value| value.blob(Blob::SetListpack, b"blob"));
    assert!(matches!(newer, Err(WriteError::NotInVersion { byte: 20, target: Target::V10 })));
}

#[test]
fn options_are_obeyed() {
    let long = [b'x'; 100];
    let short = dump::encode(WriteOptions::default(), |value| value.string(&long)).unwrap();
    assert!(short.len() < 30);
    let options =
        WriteOptions { target: Target::V11, compression: false, ..WriteOptions::default() };
    let plain = dump::encode(options, |value| value.string(&long)).unwrap();
    assert_eq!(plain, payload(&[&[0, 0x40, 100], &long[..]].concat(), 11));
}
