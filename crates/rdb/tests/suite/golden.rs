//! Files written by servers: the values that are read, and the bytes when they are written again.
#![expect(clippy::unwrap_used, reason = "tests and their helpers fail by a panic")]

use std::io::{self, Read};

use crate::common::{Item, Kept, bytes, every_file, listed, path, read_all, read_bytes};
use rdb::{
    Attributes, Blob, Dialect, ErrorKind, ReadOptions, Reader, Record, Target, Version,
    WriteOptions, crc64, dump,
};
use testkit::kept::write_file;

/// A log that begins with an RDB file; the commands after it are not part of the file.
const PREAMBLE: &str = "old/redis-rdb-preamble.aof";

fn escape(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|&byte| match byte {
            b'\\' | 0..=0x20 | 0x7f.. => format!("\\x{byte:02x}"),
            printable => char::from(printable).to_string(),
        })
        .collect()
}

fn sum(bytes: &[u8]) -> String {
    format!("@{}:{:016x}", bytes.len(), crc64(bytes))
}

fn members_line(mut members: Vec<Vec<u8>>) -> String {
    members.sort();
    let line = members.iter().map(|member| escape(member)).collect::<Vec<_>>().join(" ");
    if line.len() <= 200 {
        line
    } else {
        format!("@{}:{:016x}", members.len(), crc64(line.as_bytes()))
    }
}

/// Decodes an intset blob by its definition.
fn intset_members(blob: &[u8]) -> Vec<Vec<u8>> {
    let width = usize::from(blob[0]);
    blob[8..]
        .chunks(width)
        .map(|member| {
            let fill = if member[width - 1] >= 0x80 { 0xff } else { 0 };
            let mut wide = [fill; 8];
            wide[..width].copy_from_slice(member);
            i64::from_le_bytes(wide).to_string().into_bytes()
        })
        .collect()
}

/// The field of the list for a value, unless that requires decoding a blob.
fn value_field(value: &Kept) -> String {
    if let Kept::String(string) = value {
        let bytes = string.clone().into_bytes();
        if bytes.len() <= 80 { escape(&bytes) } else { sum(&bytes) }
    } else if let Kept::Set(members) = value {
        members_line(members.clone())
    } else if let Kept::Blob(Blob::IntSet, blob) = value {
        members_line(intset_members(blob))
    } else {
        "-".into()
    }
}

/// Compares the lines of the list with the values that the reader returns. A field that the list does not have, or that
/// requires decoding a blob, is not compared.
fn check_file(name: &str) {
    let file = bytes(&format!("{name}.rdb"));
    let list = std::fs::read_to_string(path(&format!("{name}.txt"))).unwrap();
    let raw = read_bytes(&file, true).unwrap_or_else(|error| panic!("{name}: {error}"));
    let typed = read_bytes(&file, false).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(raw.len(), typed.len());

    let mut db = 0;
    let mut lines = Vec::new();
    for (raw, typed) in raw.iter().zip(&typed) {
        match (raw, typed) {
            (Item::Other(raw), Item::Other(typed)) => {
                assert_eq!(raw, typed);
                if let Record::SelectDb(number) = typed {
                    db = *number;
                }
            }
            (Item::Key { value: Kept::Raw(raw), .. }, Item::Key { key, attributes, value, .. }) => {
                let expiry = attributes.expire_at_ms.map_or("-".into(), |at| at.to_string());
                let raw_field = format!("{}:{}", raw.kind().byte(), sum(raw.body()));
                let fields = [expiry, raw.kind().type_name().into(), raw_field, value_field(value)];
                lines.push((db, escape(key), fields));
            }
            pair => panic!("{name}: {pair:?}"),
        }
    }
    lines.sort();
    assert_eq!(lines.len(), list.lines().count(), "{name}");
    let mut expected: Vec<Vec<&str>> =
        list.lines().map(|line| line.split('\t').collect()).collect();
    expected.sort_by_key(|line| (line[0].parse::<u32>().unwrap(), line[1]));
    for ((db, key, [expiry, kind, raw, value]), line) in lines.iter().zip(expected) {
        assert_eq!([&db.to_string(), key, expiry, kind], line[..4], "{name}");
        if line[4] != "-" {
            assert_eq!(raw, line[4], "{name}: {key}");
        }
        if value != "-" {
            assert_eq!(value, line[5], "{name}: {key}");
        }
    }
}

#[test]
fn files_hold_what_their_servers_say() {
    let names: Vec<String> = ["redis-7.0.15", "redis-unstable", "old"]
        .iter()
        .flat_map(|folder| listed(folder))
        .collect();
    assert_eq!(names.len(), 37);
    for name in names {
        check_file(&name);
    }
}

#[test]
fn versions_are_as_the_headers_say() {
    for name in every_file() {
        let file = bytes(&name);
        let number = std::str::from_utf8(&file[5..9]).unwrap().parse().unwrap();
        let version = Reader::new(&file[..]).unwrap().version();
        assert_eq!(version, Version::new(Dialect::Redis, number), "{name}");
    }
}

#[test]
fn idle_times_and_frequencies_are_read() {
    let attributes = |name: &str| -> Vec<Attributes> {
        let items = read_bytes(&bytes(name), false).unwrap();
        let keys = items.into_iter().filter_map(|item| match item {
            Item::Key { attributes, .. } => Some(attributes),
            Item::Other(_) => None,
        });
        keys.collect()
    };
    let lru = attributes("redis-7.0.15/18_lru.rdb");
    assert_eq!(lru.len(), 13);
    assert!(lru.iter().all(|a| a.idle_s == Some(0) && a.freq.is_none()));
    let lfu = attributes("redis-7.0.15/19_lfu.rdb");
    assert_eq!(lfu.len(), 13);
    assert!(lfu.iter().all(|a| a.idle_s.is_none() && a.freq == Some(5)));
}

#[test]
fn records_beside_the_keys_are_read() {
    let others = |name: &str| -> Vec<Record> {
        let items = read_bytes(&bytes(name), false).unwrap();
        let others = items.into_iter().filter_map(|item| match item {
            Item::Other(record) => Some(record),
            Item::Key { .. } => None,
        });
        others.collect()
    };
    let aux = |key: &str, value: &str| Record::Aux { key: key.into(), value: value.into() };
    assert_eq!(
        others("redis-7.0.15/20_empty.rdb")[..2],
        [aux("redis-ver", "7.0.15"), aux("redis-bits", "64")]
    );
    let hint = |keys, expires| Record::ResizeDb { keys, expires };
    assert!(others("redis-7.0.15/16_small_all.rdb").contains(&hint(12, 1)));
    let functions = others("redis-7.0.15/14_function.rdb");
    assert!(functions.iter().any(
        |record| matches!(record, Record::Function { code } if code.starts_with(b"#!lua name=mylib"))
    ));
    let slots = others("redis-unstable/21_cluster_slotinfo.rdb");
    assert!(slots.contains(&Record::SlotInfo { slot: 449, keys: 1, expires: 0 }));
    let modules = others("old/redis_60_with_module_aux.rdb");
    let ids = modules.iter().filter_map(|record| match record {
        Record::ModuleAux { id, .. } => Some((id.name(), id.version())),
        Record::Aux { .. }
        | Record::SelectDb(_)
        | Record::ResizeDb { .. }
        | Record::SlotInfo { .. }
        | Record::SlotImport { .. }
        | Record::Function { .. }
        | Record::Key { .. } => None,
    });
    assert!(ids.count() > 0, "{modules:?}");
}

/// Servers write each part in its only form, so equal parts have equal bytes.
#[test]
fn values_of_modules_are_written_part_by_part_as_they_came() {
    let mut modules = 0;
    for name in every_file().iter().filter(|name| *name != PREAMBLE) {
        let file = bytes(name);
        for item in read_bytes(&file, true).unwrap() {
            let Item::Key { value: Kept::Raw(raw), .. } = item else { continue };
            let module = raw.module();
            let Some((id, parts)) = raw.module_parts() else {
                assert_eq!(module, None, "{name}");
                continue;
            };
            assert_eq!(module, Some(id), "{name}");
            let parts: Vec<_> = parts.collect::<Result<_, _>>().unwrap();
            let options = WriteOptions { target: target_of(&file), ..WriteOptions::default() };
            let again = dump::encode(options, |value| {
                let mut value = value.module(id)?;
                parts.iter().try_for_each(|part| value.part(part.borrowed()))?;
                value.finish()
            });
            let again = again.unwrap();
            let body = &again[1..again.len() - 10];
            assert_eq!(body, raw.body(), "{name}: {id:?}");
            modules += 1;
        }
    }
    assert!(modules >= 5, "{modules}");
}

#[test]
fn empty_sets_are_handed_over_as_they_are() {
    let items = read_bytes(&bytes("old/redis-corrupt_empty_keys.rdb"), false).unwrap();
    let keys = items.iter().filter(|item| matches!(item, Item::Key { .. }));
    assert_eq!(keys.count(), 9);
    let empty =
        |item: &Item| matches!(item, Item::Key { value: Kept::Set(set), .. } if set.is_empty());
    assert!(items.iter().any(empty));
}

#[test]
fn a_log_goes_on_where_the_file_ends() {
    let log = bytes(PREAMBLE);
    let mut reader = Reader::new(&log[..]).unwrap();
    while reader.next_record().unwrap().is_some() {}
    let end = usize::try_from(reader.offset()).unwrap();
    assert!(log[end..].starts_with(b"*2\r\n$6\r\nSELECT\r\n"));
    assert!(reader.next_record().unwrap().is_none());
}

fn target_of(file: &[u8]) -> Target {
    match &file[5..9] {
        b"0009" => Target::V9,
        b"0010" => Target::V10,
        b"0011" => Target::V11,
        b"0012" => Target::V12,
        _ => Target::V13,
    }
}

#[test]
fn what_is_written_again_reads_the_same() {
    for name in every_file().iter().filter(|name| *name != PREAMBLE) {
        let file = bytes(name);
        for raw in [false, true] {
            let items = read_bytes(&file, raw).unwrap();
            for (compression, checksum) in [(true, true), (false, true), (true, false)] {
                let options = WriteOptions { target: target_of(&file), compression, checksum };
                let again = write_file(&items, options).unwrap();
                assert_eq!(read_bytes(&again, raw).unwrap(), items, "{name}");
            }
        }
    }
}

#[test]
fn raw_values_make_the_same_file() {
    let mut compared = 0;
    for folder in ["redis-7.0.15", "redis-unstable"] {
        for name in listed(folder) {
            let file = bytes(&format!("{name}.rdb"));
            let items = read_bytes(&file, true).unwrap();
            let options = WriteOptions { target: target_of(&file), ..WriteOptions::default() };
            // Long strings are compressed again, and a server's stream may differ.
            let compressed_anew = items.iter().any(|item| match item {
                Item::Key { key, .. } => key.len() > 20,
                Item::Other(record) => matches!(record, Record::Function { .. }),
            });
            if !compressed_anew {
                assert!(write_file(&items, options).unwrap() == file, "{name}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 19);
}

#[test]
fn values_make_the_same_file() {
    let names = ["07_expires", "12_multidb", "17_nocompress", "20_empty", "04_zsets", "05_hashes"];
    for name in names {
        let file = bytes(&format!("redis-7.0.15/{name}.rdb"));
        let items = read_bytes(&file, false).unwrap();
        // Only these two have something to compress.
        let compression = ["04_zsets", "05_hashes"].contains(&name);
        let options = WriteOptions { compression, ..WriteOptions::default() };
        assert!(write_file(&items, options).unwrap() == file, "{name}");
    }
}

/// A reader that returns small chunks, with interruptions between them.
struct Trickle<'a> {
    bytes: &'a [u8],
    piece: usize,
    interrupt: bool,
}

impl Read for Trickle<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.interrupt = !self.interrupt;
        if self.interrupt {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let len = self.piece.min(buf.len());
        self.bytes.read(&mut buf[..len])
    }
}

#[test]
fn the_size_of_reads_changes_nothing() {
    for name in every_file() {
        let file = bytes(&name);
        let expected = (read_bytes(&file, false).unwrap(), read_bytes(&file, true).unwrap());
        for piece in [1, 7, 4096] {
            for length in [None, Some(file.len() as u64)] {
                let read = |raw| {
                    let source = Trickle { bytes: &file, piece, interrupt: false };
                    let options = ReadOptions { length, checksum: true };
                    read_all(Reader::with_options(source, options).unwrap(), raw).unwrap()
                };
                assert_eq!((read(false), read(true)), expected, "{name} by {piece}");
            }
        }
    }
}

#[test]
fn values_that_are_not_read_are_passed_over() {
    for name in every_file() {
        let file = bytes(&name);
        let keys = |read_every: usize| {
            let mut reader = Reader::new(&file[..]).unwrap();
            let mut keys = Vec::new();
            while let Some(record) = reader.next_record().unwrap() {
                let Record::Key { key, .. } = record else { continue };
                keys.push(key);
                if keys.len() % read_every == 0
                    && let rdb::Value::Set(mut members) = reader.value().unwrap()
                {
                    members.next().unwrap(); // and leave the rest unread
                }
            }
            keys
        };
        assert_eq!(keys(1), keys(usize::MAX), "{name}");
        assert_eq!(keys(1), keys(2), "{name}");
    }
}

#[test]
fn a_failing_source_is_reported_with_its_offset_and_ends_the_reading() {
    #[derive(Debug)]
    struct Failing<'a>(&'a [u8]);
    impl Read for Failing<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buf)? {
                0 => Err(io::Error::other("the cable is out")),
                n => Ok(n),
            }
        }
    }
    let file = bytes("redis-7.0.15/16_small_all.rdb");
    let mut reader = Reader::new(Failing(&file[..200])).unwrap();
    let error = loop {
        match reader.next_record() {
            Ok(record) => assert!(record.is_some()),
            Err(error) => break error,
        }
    };
    assert!(matches!(error.kind(), ErrorKind::Io(_)));
    assert_eq!((error.offset(), error.to_string().contains("the cable is out")), (200, true));
    assert!(std::error::Error::source(&error).is_some());
    assert!(matches!(reader.next_record().unwrap_err().kind(), ErrorKind::Failed));
    assert!(matches!(reader.value().unwrap_err().kind(), ErrorKind::Failed));
}
