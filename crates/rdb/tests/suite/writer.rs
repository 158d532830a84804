//! The writer: its output, its errors, and its behaviour when the destination fails.
#![expect(clippy::unwrap_used, reason = "tests and their helpers fail by a panic")]

use std::io::{self, Write};

use crate::common::{Item, Kept, read_bytes};
use proptest::prelude::*;
use rdb::{
    Attributes, BatchWriter, Blob, ModuleId, ModulePart, RawValue, Reader, Record, StandardAux,
    StringValue, Target, ValueType, WriteError, WriteOptions, Writer,
};

const PLAIN: Attributes = Attributes { expire_at_ms: None, idle_s: None, freq: None };

fn writer(target: Target) -> Writer<Vec<u8>> {
    Writer::new(Vec::new(), WriteOptions { target, ..WriteOptions::default() }).unwrap()
}

#[test]
fn an_empty_file_is_as_a_server_writes_it() {
    let golden = crate::common::bytes("redis-7.0.15/20_empty.rdb");
    let items = read_bytes(&golden, false).unwrap();
    let number = |name: &str| -> i64 {
        let value = items.iter().find_map(|item| match item {
            Item::Other(Record::Aux { key, value }) if key == name.as_bytes() => Some(value),
            Item::Other(_) | Item::Key { .. } => None,
        });
        std::str::from_utf8(value.unwrap()).unwrap().parse().unwrap()
    };
    let mut writer = writer(Target::V10);
    let aux = StandardAux {
        redis_ver: "7.0.15",
        ctime_s: number("ctime"),
        used_mem: u64::try_from(number("used-mem")).unwrap(),
        aof_base: false,
    };
    writer.standard_aux(&aux).unwrap();
    assert_eq!(writer.offset(), golden.len() as u64 - 9);
    assert_eq!(writer.finish().unwrap(), golden);
}

#[test]
fn attributes_stand_before_the_key_in_the_order_of_servers() {
    let mut writer = writer(Target::V9);
    let attributes = Attributes { expire_at_ms: Some(1), idle_s: Some(300), freq: Some(7) };
    writer.key(b"k", attributes).string(b"v").unwrap();
    let file = writer.finish().unwrap();
    let expected = b"REDIS0009\xfc\x01\0\0\0\0\0\0\0\xf8\x41\x2c\xf9\x07\x00\x01k\x01v\xff";
    assert_eq!(file[..file.len() - 8], expected[..]);
    let items = read_bytes(&file, false).unwrap();
    assert!(matches!(&items[..], [Item::Key { attributes: read, .. }] if *read == attributes));
}

#[test]
fn a_dropped_value_leaves_no_trace() {
    let mut writer = writer(Target::V10);
    let before = writer.offset();
    drop(writer.key(b"k", PLAIN));
    assert_eq!(writer.offset(), before);
    assert_eq!(read_bytes(&writer.finish().unwrap(), false).unwrap(), []);
}

#[test]
fn producers_of_a_stream_are_passed_over_whole() {
    // No nodes, eight numbers, no groups, two settings.
    let before = [0; 12];
    // One producer with two entries, the second with the id 300-7.
    let producers = b"\x01\x01p\x02\x01a\x01\x02\x02bc\x41\x2c\x07";
    let body = [&before[..], producers, b"\x02\x00"].concat();
    assert_eq!(RawValue::new(ValueType::Stream4, body.clone()).unwrap().body(), body);
    for cut in 0..body.len() {
        assert!(RawValue::new(ValueType::Stream4, body[..cut].to_vec()).is_err(), "{cut}");
    }
    assert!(RawValue::new(ValueType::Stream4, [&body[..], b"\0"].concat()).is_err());
}

#[test]
fn a_batch_of_another_version_is_refused() {
    let batch = |target| {
        let mut batch = BatchWriter::new(WriteOptions { target, ..WriteOptions::default() });
        batch.key(b"k", PLAIN).int(1).unwrap();
        batch.take().unwrap().unwrap()
    };
    let mut writer = writer(Target::V10);
    writer.batch(&batch(Target::V10)).unwrap();
    let written = writer.offset();
    for target in [Target::V9, Target::V11, Target::Valkey80] {
        let refused = writer.batch(&batch(target));
        assert!(matches!(refused, Err(WriteError::OtherVersion { .. })), "{target}");
    }
    assert_eq!(writer.offset(), written);
}

#[test]
fn types_and_opcodes_that_a_version_lacks_are_refused_and_leave_no_trace() {
    let listpack = RawValue::new(ValueType::HashListpack, b"\x01x".to_vec()).unwrap();
    let valkey = RawValue::new(ValueType::ValkeyHashTtl, b"\x00".to_vec()).unwrap();
    let ttl = RawValue::new(ValueType::HashTtlListpack, b"12345678\x01x".to_vec()).unwrap();
    // No nodes, eight numbers, no groups, two settings, no producers, two counters.
    let stream = RawValue::new(ValueType::Stream4, vec![0; 15]).unwrap();
    for target in Target::ALL {
        assert_eq!(target.has_slot_info(), [Target::V12, Target::V13].contains(&target));
        let mut writer = writer(target);
        let before = writer.offset();
        let results = [
            (writer.function(b"code"), target != Target::V9),
            (writer.slot_info(1, 2, 3), target.has_slot_info()),
            (writer.key(b"k", PLAIN).raw(&listpack), target != Target::V9),
            (
                writer.key(b"k", PLAIN).blob(Blob::SetListpack, b"x"),
                ![Target::V9, Target::V10].contains(&target),
            ),
            (writer.key(b"k", PLAIN).raw(&ttl), [Target::V12, Target::V13].contains(&target)),
            (writer.key(b"k", PLAIN).raw(&stream), target == Target::V13),
            (writer.key(b"k", PLAIN).metadata(b"\0").int(1), target == Target::V13),
            (writer.key(b"k", PLAIN).raw(&valkey), target == Target::Valkey80),
        ];
        let mut written = 0;
        for (result, has) in results {
            match result {
                Ok(()) => {
                    assert!(has, "{target}");
                    written += 1;
                }
                Err(WriteError::NotInVersion { .. }) => assert!(!has, "{target}"),
                Err(error) => panic!("{error}"),
            }
        }
        assert!(written > 0 || writer.offset() == before);
        let file = writer.finish().unwrap();
        assert_eq!(Reader::new(&file[..]).unwrap().version(), target.version());
        assert_eq!(read_bytes(&file, false).unwrap().len(), written);
    }
}

#[test]
fn a_set_has_as_many_members_as_announced() {
    let mut over = writer(Target::V10);
    let mut members = over.key(b"k", PLAIN).set(1).unwrap();
    members.member(b"a").unwrap();
    assert!(matches!(members.member(b"b"), Err(WriteError::TooManyMembers)));
    members.finish().unwrap();
    let items = read_bytes(&over.finish().unwrap(), false).unwrap();
    assert!(matches!(&items[..], [Item::Key { value: Kept::Set(set), .. }] if set == &[b"a"]));

    let mut under = writer(Target::V10);
    let mut members = under.key(b"k", PLAIN).set(2).unwrap();
    members.member(b"a").unwrap();
    let missing = |result| matches!(result, Err(WriteError::MissingMembers { missing: 1 }));
    assert!(missing(members.finish()));
    assert!(matches!(under.finish(), Err(WriteError::Failed)));

    // If the value is dropped, the next call reports the missing member.
    let leave_one_out = |writer: &mut Writer<Vec<u8>>| {
        writer.key(b"k", PLAIN).set(2).unwrap().member(b"a").unwrap();
    };
    let mut next = writer(Target::V10);
    leave_one_out(&mut next);
    assert!(missing(next.key(b"l", PLAIN).int(1)));
    assert!(matches!(next.select_db(1), Err(WriteError::Failed)));
    let mut last = writer(Target::V10);
    leave_one_out(&mut last);
    assert!(missing(last.finish().map(drop)));
}

/// The name of a job, and one range of slots.
#[test]
fn slots_that_are_imported_follow_their_grammar() {
    let body = b"\x03job\x01\x05\x09";
    let mut slots = writer(Target::Valkey80);
    slots.slot_import(body).unwrap();
    let file = slots.finish().unwrap();
    let items = read_bytes(&file, false).unwrap();
    let [Item::Other(Record::SlotImport { body: read })] = &items[..] else { panic!("{items:?}") };
    assert_eq!(read, body);

    let longer = [&body[..], b"\0"].concat();
    let malformed = (0..body.len()).map(|len| &body[..len]).chain([&longer[..]]);
    for body in malformed {
        let refused = writer(Target::Valkey80).slot_import(body);
        assert!(matches!(refused, Err(WriteError::Malformed(_))), "{body:?}: {refused:?}");
    }
    let refused = writer(Target::V12).slot_import(body);
    assert!(matches!(refused, Err(WriteError::NotInVersion { .. })), "{refused:?}");
}

#[test]
fn a_modules_value_has_an_end() {
    let id = ModuleId::new(*b"MBbloom--", 4).unwrap();
    let mut writer = writer(Target::V10);
    let mut value = writer.key(b"m", Attributes::default()).module(id).unwrap();
    value.part(ModulePart::Signed(-1)).unwrap();
    drop(value);
    let missing = writer.finish().unwrap_err();
    assert!(matches!(missing, WriteError::MissingMembers { missing: 1 }), "{missing}");
}

#[test]
fn parts_of_a_module_have_one_form_each() {
    let id = ModuleId::new(*b"_AAAAAAAA", 1023).unwrap();
    let payload = rdb::dump::encode(WriteOptions::default(), |value| {
        let mut value = value.module(id)?;
        value.part(ModulePart::Signed(-1))?;
        value.part(ModulePart::Unsigned(300))?;
        value.part(ModulePart::Float(1.5))?;
        value.part(ModulePart::Double(-1.5))?;
        value.part(ModulePart::Bytes(b"10"))?;
        value.finish()
    });
    let expected = [
        &b"\x07\x81\xfc\0\0\0\0\0\x03\xff"[..],
        b"\x01\x81\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\x02\x41\x2c",
        b"\x03\0\0\xc0\x3f",
        b"\x04\0\0\0\0\0\0\xf8\xbf",
        b"\x05\xc0\x0a",
        b"\0",
    ];
    let payload = payload.unwrap();
    assert_eq!(payload[..payload.len() - 10], expected.concat());
    for (name, version) in [(*b"MBbloom-*", 4), (*b"MBbloom--", 1024)] {
        assert_eq!(ModuleId::new(name, version), None);
    }
}

#[test]
fn a_string_of_a_module_may_come_in_parts_or_as_its_stream() {
    let id = ModuleId::new(*b"MBbloom--", 4).unwrap();
    let text = [b'a'; 100];
    let mut stream = Vec::new();
    assert!(rdb::lzf::Compressor::new().compress(&text, text.len(), &mut stream));
    let mut one = writer(Target::V10);
    let mut value = one.key(b"m", PLAIN).module(id).unwrap();
    let mut parts = value.bytes_in_parts(3).unwrap();
    parts.part(b"ab").unwrap();
    // One byte is left, and the end marker does not count as one.
    assert!(matches!(parts.part(b"cd"), Err(WriteError::TooManyMembers)));
    parts.part(b"c").unwrap();
    parts.finish().unwrap();
    value.compressed_bytes(&stream, 100).unwrap();
    let wrong = value.compressed_bytes(&stream, 99);
    assert!(matches!(wrong, Err(WriteError::Malformed(_))));
    value.part(ModulePart::Unsigned(7)).unwrap();
    value.finish().unwrap();
    let items = read_bytes(&one.finish().unwrap(), false).unwrap();
    let [Item::Key { value: Kept::Raw(raw), .. }] = &items[..] else { panic!("{items:?}") };
    let (read, parts) = raw.module_parts().unwrap();
    let parts: Vec<_> = parts.map(Result::unwrap).collect();
    let expected = [
        ModulePart::Bytes(b"abc".to_vec()),
        ModulePart::Bytes(text.to_vec()),
        ModulePart::Unsigned(7),
    ];
    assert_eq!((read, &parts[..]), (id, &expected[..]));

    // The next call reports the missing byte of a string.
    let missing = |result| matches!(result, Err(WriteError::MissingMembers { missing: 1 }));
    let begin = |writer: &mut Writer<Vec<u8>>, next: u8| {
        let mut value = writer.key(b"m", PLAIN).module(id).unwrap();
        let mut parts = value.bytes_in_parts(3).unwrap();
        parts.part(b"ab").unwrap();
        if next == 0 {
            return parts.finish();
        }
        drop(parts);
        match next {
            1 => value.part(ModulePart::Unsigned(7)),
            2 => value.bytes_in_parts(1).map(drop),
            3 => value.compressed_bytes(&stream, 100),
            _ => value.finish(),
        }
    };
    for next in 0..=4 {
        let mut under = writer(Target::V10);
        assert!(missing(begin(&mut under, next)), "{next}");
        assert!(matches!(under.finish(), Err(WriteError::Failed)));
    }
}

#[test]
fn module_aux_must_follow_its_grammar() {
    let mut writer = writer(Target::V10);
    let body = b"\x81\x30\x16\xe5\xa2\x89\xbe\xf8\x04\x02\x02\x05\x01x\x00";
    writer.module_aux(body).unwrap();
    for wrong in [&b""[..], b"\x01", &body[..body.len() - 1], &[body, &b"\x00"[..]].concat()] {
        assert!(matches!(writer.module_aux(wrong), Err(WriteError::Malformed(_))));
    }
    let items = read_bytes(&writer.finish().unwrap(), false).unwrap();
    let [Item::Other(Record::ModuleAux { id, body: read })] = &items[..] else { panic!() };
    assert_eq!((id.name(), &read[..]), (*b"MBbloom--", &body[..]));
}

/// Bytes that do not compress.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let step = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state.to_le_bytes()[7]
    };
    std::iter::repeat_with(step).take(len).collect()
}

#[test]
fn long_values_pass_the_buffer() {
    for len in [65_500, 65_536, 65_537, 200_000] {
        let noise = noise(len);
        let mut writer = writer(Target::V10);
        for key in [b"a", b"b"] {
            writer.key(key, PLAIN).string(&noise).unwrap();
        }
        let items = read_bytes(&writer.finish().unwrap(), false).unwrap();
        assert_eq!(items.len(), 2);
        for item in items {
            let Item::Key { value: Kept::String(StringValue::Bytes(read)), .. } = item else {
                panic!()
            };
            assert!(read == noise);
        }
    }
}

/// A writer that accepts this many bytes and then fails.
#[derive(Debug)]
struct Full(usize);

impl Write for Full {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let taken = buf.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported_and_the_file_is_never_finished() {
    for room in [0, 10, 100_000, 299_999, 300_030] {
        let mut writer = Writer::new(Full(room), WriteOptions::default()).unwrap();
        let mut first = None;
        for _ in 0..3 {
            if let Err(error) = writer.key(b"k", PLAIN).string(&noise(100_000)) {
                first.get_or_insert(error);
            }
        }
        match first {
            Some(error) => {
                assert!(matches!(error, WriteError::Io(_)), "{error}");
                assert!(matches!(writer.finish(), Err(WriteError::Failed)));
            }
            None => assert!(matches!(writer.finish(), Err(WriteError::Io(_)))),
        }
    }
}

#[derive(Clone, Debug)]
enum Model {
    String(Vec<u8>),
    Int(i64),
    IntSet(Vec<u8>),
    Set(Vec<Vec<u8>>),
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..80),
        prop::collection::vec(0..3_u8, 0..600),
        any::<i32>().prop_map(|int| int.to_string().into_bytes()),
        "[+-]?[0-9]{0,12}".prop_map(String::into_bytes),
    ]
}

fn model() -> impl Strategy<Value = Model> {
    prop_oneof![
        text().prop_map(Model::String),
        any::<i64>().prop_map(Model::Int),
        any::<i16>().prop_map(|int| Model::Int(i64::from(int))),
        text().prop_map(Model::IntSet),
        prop::collection::vec(text(), 0..70).prop_map(Model::Set),
    ]
}

fn attributes() -> impl Strategy<Value = Attributes> {
    // -1 means no expiry, and servers do not write it.
    let expiry = prop::option::of(any::<i64>().prop_filter("none", |at| *at != -1));
    (expiry, prop::option::of(any::<u64>()), prop::option::of(any::<u8>()))
        .prop_map(|(expire_at_ms, idle_s, freq)| Attributes { expire_at_ms, idle_s, freq })
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        keys in prop::collection::vec((text(), attributes(), model()), 0..12),
        compression: bool,
        checksum: bool,
    ) {
        let options = WriteOptions { target: Target::V9, compression, checksum };
        let mut writer = Writer::new(Vec::new(), options).unwrap();
        writer.select_db(3).unwrap();
        for (key, attributes, value) in &keys {
            let to = writer.key(key, *attributes);
            match value {
                Model::String(bytes) => to.string(bytes).unwrap(),
                Model::Int(int) => to.int(*int).unwrap(),
                Model::IntSet(blob) => to.blob(Blob::IntSet, blob).unwrap(),
                Model::Set(members) => {
                    let mut to = to.set(members.len() as u64).unwrap();
                    for member in members {
                        to.member(member).unwrap();
                    }
                    to.finish().unwrap();
                }
            }
        }
        let offset = writer.offset();
        let file = writer.finish().unwrap();
        prop_assert_eq!(offset + 9, file.len() as u64);
        let items = read_bytes(&file, false).unwrap();
        prop_assert_eq!(&items[0], &Item::Other(Record::SelectDb(3)));
        prop_assert_eq!(items.len(), keys.len() + 1);
        for (item, (key, attributes, value)) in items[1..].iter().zip(&keys) {
            let Item::Key { key: read_key, attributes: read_attributes, value: read, .. } = item else {
                panic!("{item:?}");
            };
            prop_assert_eq!((read_key, read_attributes), (key, attributes));
            match (value, read) {
                (Model::String(bytes), Kept::String(read)) => {
                    prop_assert_eq!(&read.clone().into_bytes(), bytes);
                    // A string is an integer exactly if its text is canonical.
                    let canonical = std::str::from_utf8(bytes)
                        .ok()
                        .and_then(|text| text.parse::<i32>().ok())
                        .filter(|int| int.to_string().as_bytes() == bytes);
                    prop_assert_eq!(canonical.is_some(), matches!(read, StringValue::Int(_)));
                }
                (Model::Int(int), Kept::String(read)) => {
                    prop_assert_eq!(read.clone().into_bytes(), int.to_string().into_bytes());
                }
                (Model::IntSet(blob), Kept::Blob(Blob::IntSet, read)) => prop_assert_eq!(read, blob),
                (Model::Set(members), Kept::Set(read)) => prop_assert_eq!(read, members),
                pair => panic!("{pair:?}"),
            }
        }
    }
}
