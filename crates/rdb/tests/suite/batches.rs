//! Files read in batches: the same keys and values, and the same errors.

use std::io::Read;

use crate::common::{bytes, every_file};
use rdb::{Attributes, Error, ReadOptions, Reader, Record, ValueType, WriteOptions, Writer};

type Seen = (Vec<u8>, Attributes, ValueType, Vec<u8>);

fn keep(reader: &mut Reader<impl Read>, record: Record, seen: &mut Vec<Seen>) -> Result<(), Error> {
    if let Record::Key { key, attributes, kind, .. } = record {
        seen.push((key, attributes, kind, reader.raw_value()?.into_body().into()));
    }
    Ok(())
}

/// Every key of a file, read by records, or by batches where possible; and the number of batches.
fn read(file: &[u8], known: bool, size: Option<usize>) -> Result<(Vec<Seen>, usize), Error> {
    let length = known.then_some(file.len() as u64);
    let mut reader = Reader::with_options(file, ReadOptions { length, ..ReadOptions::default() })?;
    let (mut seen, mut batches) = (Vec::new(), 0);
    loop {
        if let Some(size) = size
            && let Some(batch) = reader.next_batch(size)?
        {
            batches += 1;
            assert!(batch.len() > 0);
            let mut batch = batch.into_reader();
            while let Some(record) = batch.next_record()? {
                keep(&mut batch, record, &mut seen)?;
            }
            assert!(batch.offset() <= reader.offset());
            continue;
        }
        let Some(record) = reader.next_record()? else { return Ok((seen, batches)) };
        keep(&mut reader, record, &mut seen)?;
    }
}

#[test]
fn every_file_is_the_same_in_batches_of_any_size() {
    for name in every_file() {
        let file = bytes(&name);
        let Ok((whole, _)) = read(&file, true, None) else { continue };
        for (size, known) in [(1, true), (1, false), (100, true), (1 << 20, true), (1 << 20, false)]
        {
            let (seen, batches) = read(&file, known, Some(size)).unwrap();
            assert!(seen == whole, "{name} in batches of {size}");
            assert_eq!(batches > 0, !whole.is_empty(), "{name}");
            if size == 1 {
                assert_eq!(batches, whole.len(), "{name}: a key a batch");
            }
        }
    }
}

#[test]
fn what_is_wrong_is_the_same_in_batches() {
    let file = bytes("redis-7.0.15/16_small_all.rdb");
    let mut refused = 0;
    for at in 9..file.len() {
        for change in [0x00, 0x3f, 0xc3, 0xfd] {
            let mut changed = file.clone();
            changed[at] = change;
            let whole = read(&changed, true, None);
            let batches = read(&changed, true, Some(4096));
            match (whole, batches) {
                (Ok((whole, _)), Ok((batches, _))) => assert!(whole == batches, "{change} at {at}"),
                (Err(whole), Err(batches)) => {
                    assert_eq!(whole.to_string(), batches.to_string(), "{change} at {at}");
                    refused += 1;
                }
                (whole, batches) => {
                    panic!("{change} at {at}: {} {}", whole.is_ok(), batches.is_ok())
                }
            }
        }
        let (whole, batches) = (read(&file[..at], true, None), read(&file[..at], true, Some(4096)));
        assert_eq!(whole.unwrap_err().to_string(), batches.unwrap_err().to_string(), "cut at {at}");
    }
    assert!(refused > 1000, "{refused}");
}

#[test]
fn a_large_value_is_left_where_it_stands() {
    let large = vec![b'x'; (1 << 20) + 1];
    let key = |name: &str| name.as_bytes().to_vec();
    for compression in [false, true] {
        let options = WriteOptions { compression, ..WriteOptions::default() };
        let mut writer = Writer::new(Vec::new(), options).unwrap();
        let expiring = Attributes { expire_at_ms: Some(5), ..Attributes::default() };
        writer.key(b"a", Attributes::default()).string(b"1").unwrap();
        writer.key(b"large", expiring).string(&large).unwrap();
        writer.key(b"b", Attributes::default()).string(b"2").unwrap();
        let mut set = writer.key(b"set", Attributes::default()).set((1 << 20) + 1).unwrap();
        for member in 0..=1 << 20 {
            set.member(u32::to_string(&member).as_bytes()).unwrap();
        }
        set.finish().unwrap();
        let file = writer.finish().unwrap();

        let mut reader = Reader::new(&file[..]).unwrap();
        let mut order = Vec::new();
        loop {
            while let Some(batch) = reader.next_batch(1 << 30).unwrap() {
                let mut batch = batch.into_reader();
                while let Some(record) = batch.next_record().unwrap() {
                    let Record::Key { key, .. } = record else { panic!("{record:?}") };
                    order.push((key, true));
                }
            }
            let Some(record) = reader.next_record().unwrap() else { break };
            let Record::Key { key, attributes, .. } = record else { panic!("{record:?}") };
            assert_eq!(attributes == expiring, key == b"large");
            let value = reader.raw_value().unwrap();
            assert!(value.body().len() > 1000);
            order.push((key, false));
        }
        // A compressed string takes few bytes in the file.
        let expected =
            [(key("a"), true), (key("large"), compression), (key("b"), true), (key("set"), false)];
        assert_eq!(order, expected);
    }
}
