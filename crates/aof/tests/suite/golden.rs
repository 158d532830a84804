//! Logs that servers wrote, read and written again.

use crate::common::{Owned, file, read};
use aof::{BaseFormat, Kind, LogError, LogReader, LogWriter, Manifest, Record, starts_with_rdb};

const LOGS: &[&str] = &[
    "redis-7.0.15/multi_incr/appendonly.aof.2.incr.aof",
    "redis-7.0.15/multi_incr/appendonly.aof.3.incr.aof",
    "redis-7.0.15/timestamps/appendonly.aof.2.base.aof",
    "redis-7.0.15/timestamps/appendonly.aof.2.incr.aof",
    "redis-unstable/norewrite/appendonly.aof.1.incr.aof",
];

#[test]
fn a_manifest_is_written_as_the_server_wrote_it() {
    let folders = [
        ("redis-7.0.15/multi_incr", 2, 2),
        ("redis-7.0.15/timestamps", 2, 1),
        ("redis-unstable/norewrite", 1, 1),
    ];
    for (folder, base, increments) in folders {
        let text = file(&format!("{folder}/appendonly.aof.manifest"));
        let manifest = Manifest::parse(&text).expect("a server wrote it");
        assert_eq!(manifest.to_bytes(), text);
        let (entry, at) = (manifest.base().expect("a base"), manifest.increments());
        assert_eq!((entry.sequence(), entry.kind(), at.len()), (base, Kind::Base, increments));
        assert!(manifest.history().is_empty());
        for entry in manifest.files() {
            let name = String::from_utf8_lossy(entry.name());
            let bytes = file(&format!("{folder}/{name}"));
            assert_eq!(starts_with_rdb(&bytes), name.ends_with(".rdb"));
        }
    }
}

/// The server wrote its SELECT before MULTI; 7.2 writes it after MULTI. So transactions are written by `command` here.
#[test]
fn a_log_is_written_as_the_server_wrote_it() {
    for name in LOGS {
        let bytes = file(name);
        let (records, outcome) = read(&bytes, usize::MAX);
        assert_eq!(outcome, Ok(()));
        let mut writer = LogWriter::new();
        let mut database = 0;
        let mut out = Vec::new();
        for record in &records {
            match record {
                Owned::Command { words, .. } if words[0] == b"SELECT" => {
                    database = std::str::from_utf8(&words[1]).unwrap().parse().unwrap();
                }
                Owned::Command { words, .. } => writer.command(database, words, &mut out),
                Owned::Annotation { text, .. } => {
                    let seconds = text.strip_prefix(b"TS:").expect("the only kind there is");
                    let seconds = std::str::from_utf8(seconds).unwrap().parse().unwrap();
                    writer.timestamp(seconds, &mut out);
                }
            }
        }
        assert_eq!(out.escape_ascii().to_string(), bytes.escape_ascii().to_string(), "{name}");
    }
}

#[test]
fn transactions_and_annotations_of_a_server() {
    let bytes = file("redis-unstable/norewrite/appendonly.aof.1.incr.aof");
    let mut reader = LogReader::new(&bytes[..]);
    let (mut multis, mut execs, mut inside) = (0, 0, 0);
    loop {
        let command = match reader.next_record().unwrap() {
            Some(Record::Command(command)) => command,
            Some(Record::Annotation(note)) => panic!("{note:?}"),
            None => break,
        };
        multis += usize::from(command.is_multi());
        execs += usize::from(command.is_exec());
        drop(command);
        inside += usize::from(reader.in_transaction());
        assert_eq!(reader.valid_up_to() == reader.offset(), !reader.in_transaction());
    }
    assert_eq!((multis, execs), (2, 2));
    assert!(inside > multis);
    assert_eq!(reader.offset(), bytes.len() as u64);

    let bytes = file("redis-7.0.15/timestamps/appendonly.aof.2.base.aof");
    let mut reader = LogReader::new(&bytes[..]);
    let first = reader.next_record().unwrap();
    let timestamp = match first {
        Some(Record::Annotation(note)) => note.timestamp(),
        other => panic!("{other:?}"),
    };
    assert!(timestamp.is_some_and(|seconds| seconds > 1_700_000_000));
}

#[test]
fn commands_behind_an_rdb() {
    let bytes = file("old/redis-rdb-preamble.aof");
    assert!(starts_with_rdb(&bytes));
    let end = bytes.windows(2).position(|pair| pair == b"*2").expect("a SELECT");
    let mut reader = LogReader::new_at(&bytes[end..], end as u64);
    assert_eq!((reader.offset(), reader.valid_up_to()), (end as u64, end as u64));
    let mut commands = 0;
    while let Some(record) = reader.next_record().unwrap() {
        let Record::Command(command) = record else { panic!("it has no annotations") };
        assert_eq!(command.offset() == end as u64, command.words()[0] == b"SELECT");
        commands += 1;
    }
    assert!(commands > 1);
    assert_eq!(reader.valid_up_to(), bytes.len() as u64);

    // The RDB file is valid, whatever follows it.
    let mut reader = LogReader::new_at(&bytes[end..end + 7], end as u64);
    let error = reader.next_record().map(drop).expect_err("it is cut");
    let at = end as u64;
    assert!(
        matches!(error, LogError::Torn { offset, valid_up_to } if (offset, valid_up_to) == (at, at))
    );
    let manifest = Manifest::of_single_file(b"appendonly.aof").unwrap();
    assert_eq!(manifest.to_bytes(), b"file appendonly.aof seq 1 type b\n");
    let mut manifest = Manifest::parse(&manifest.to_bytes()).unwrap();
    let base = manifest.add_base(b"appendonly.aof", BaseFormat::Rdb).unwrap();
    assert_eq!(base.name(), b"appendonly.aof.2.base.rdb");
}
