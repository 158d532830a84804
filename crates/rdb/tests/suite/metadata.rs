//! The metadata that modules store with keys, since version 13.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use rdb::{
    Attributes, ErrorKind, KEY_METADATA, Reader, Record, Target, WriteError, WriteOptions, Writer,
};

/// Two classes: one with a number and a string, one without content.
const METADATA: &[u8] = b"\x02ABCD\x02\x05\x05\x03xyz\x00EFGH\x00";

const EXPIRING: Attributes = Attributes { expire_at_ms: Some(5), idle_s: Some(6), freq: Some(7) };

fn writer(target: Target) -> Writer<Vec<u8>> {
    Writer::new(Vec::new(), WriteOptions { target, compression: false, checksum: true }).unwrap()
}

/// Small keys and a large one, with metadata and without.
fn file() -> Vec<u8> {
    let mut writer = writer(Target::V13);
    writer.key(b"a", EXPIRING).metadata(METADATA).int(1).unwrap();
    writer.key(b"b", Attributes::default()).int(2).unwrap();
    writer.key(b"c", Attributes::default()).metadata(b"\x00").int(3).unwrap();
    writer.key(b"large", EXPIRING).metadata(METADATA).string(&vec![b'x'; (1 << 20) + 1]).unwrap();
    writer.key(b"d", EXPIRING).metadata(METADATA).int(4).unwrap();
    writer.finish().unwrap()
}

type Seen = (Vec<u8>, Attributes, Vec<u8>);

fn seen(record: Record) -> Seen {
    let Record::Key { key, attributes, metadata, .. } = record else { panic!("{record:?}") };
    (key, attributes, metadata)
}

#[test]
fn metadata_comes_back_by_records_and_by_batches() {
    let file = file();
    let expected = [
        ("a", EXPIRING, METADATA),
        ("b", Attributes::default(), b""),
        ("c", Attributes::default(), b"\0"),
        ("large", EXPIRING, METADATA),
        ("d", EXPIRING, METADATA),
    ];
    let expected: Vec<Seen> = expected
        .into_iter()
        .map(|(key, attributes, metadata)| (key.into(), attributes, metadata.to_vec()))
        .collect();
    for size in [0, 1, 30, 1 << 20] {
        let mut reader = Reader::new(&file[..]).unwrap();
        let mut found = Vec::new();
        let mut batches = 0;
        loop {
            if let Some(batch) = reader.next_batch(size).unwrap() {
                let mut batch = batch.into_reader();
                while let Some(record) = batch.next_record().unwrap() {
                    found.push(seen(record));
                }
                batches += 1;
            } else if let Some(record) = reader.next_record().unwrap() {
                found.push(seen(record));
            } else {
                break;
            }
        }
        assert_eq!(found, expected, "{size}");
        assert_eq!(batches > 1, size > 0);
    }
}

#[test]
fn what_does_not_follow_the_grammar_is_refused_both_ways() {
    for bad in [&b"\x01"[..], b"\x01ABC", b"\x01ABCD", b"\x01ABCD\x09\x00", b"\x00\x00"] {
        let mut writer = writer(Target::V13);
        let before = writer.offset();
        let written = writer.key(b"k", Attributes::default()).metadata(bad).int(1);
        assert!(matches!(written, Err(WriteError::Malformed(_))), "{bad:?}");
        assert_eq!(writer.offset(), before);
    }
    let file = file();
    for cut in 9..40 {
        let mut reader = Reader::new(&file[..cut]).unwrap();
        let read = std::iter::from_fn(|| reader.next_record().transpose()).find(Result::is_err);
        let error = read.unwrap().unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Truncated | ErrorKind::TooLong { .. }),
            "{cut}: {error}"
        );
    }
}

#[test]
fn older_versions_have_no_metadata() {
    for target in Target::ALL {
        let mut writer = writer(target);
        let written = writer.key(b"k", Attributes::default()).metadata(METADATA).int(1);
        match written {
            Ok(()) => assert!(target.has_key_metadata(), "{target}"),
            Err(WriteError::NotInVersion { byte, target: version }) => {
                assert!(!target.has_key_metadata(), "{target}");
                assert_eq!((byte, version), (KEY_METADATA, target));
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(Target::ALL.map(Target::has_key_metadata).iter().filter(|&&has| has).count(), 1);
    let mut file = file();
    file[..9].copy_from_slice(b"REDIS0012");
    let mut reader = Reader::new(&file[..]).unwrap();
    let error = reader.next_record().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::UnknownOpcode(KEY_METADATA)), "{error}");
}
