//! Files that are read in pieces: the same keys and values, and the same errors.

mod common;

use std::io::Read;

use common::{bytes, every_file};
use rdb::{Attributes, Error, ReadOptions, Reader, Record, ValueType, WriteOptions, Writer};

type Seen = (Vec<u8>, Attributes, ValueType, Vec<u8>);

fn keep(reader: &mut Reader<impl Read>, record: Record, seen: &mut Vec<Seen>) -> Result<(), Error> {
    if let Record::Key { key, attributes, kind } = record {
        seen.push((key, attributes, kind, reader.raw_value()?.into_body().into()));
    }
    Ok(())
}

/// Every key of a file, by records alone or by pieces where there are any; and how many pieces.
fn read(file: &[u8], known: bool, size: Option<usize>) -> Result<(Vec<Seen>, usize), Error> {
    let length = known.then_some(file.len() as u64);
    let mut reader = Reader::with_options(file, ReadOptions { length, ..ReadOptions::default() })?;
    let (mut seen, mut pieces) = (Vec::new(), 0);
    loop {
        if let Some(size) = size
            && let Some(piece) = reader.next_piece(size)?
        {
            pieces += 1;
            assert!(piece.len() > 0);
            let mut piece = piece.into_reader();
            while let Some(record) = piece.next_record()? {
                keep(&mut piece, record, &mut seen)?;
            }
            assert!(piece.offset() <= reader.offset());
            continue;
        }
        let Some(record) = reader.next_record()? else { return Ok((seen, pieces)) };
        keep(&mut reader, record, &mut seen)?;
    }
}

#[test]
fn every_file_is_the_same_in_pieces_of_any_size() {
    for name in every_file() {
        let file = bytes(&name);
        let Ok((whole, _)) = read(&file, true, None) else { continue };
        for (size, known) in [(1, true), (1, false), (100, true), (1 << 20, true), (1 << 20, false)]
        {
            let (seen, pieces) = read(&file, known, Some(size)).unwrap();
            assert!(seen == whole, "{name} in pieces of {size}");
            assert_eq!(pieces > 0, !whole.is_empty(), "{name}");
            if size == 1 {
                assert_eq!(pieces, whole.len(), "{name}: a key a piece");
            }
        }
    }
}

#[test]
fn what_is_wrong_is_the_same_in_pieces() {
    let file = bytes("redis-7.0.15/16_small_all.rdb");
    let mut refused = 0;
    for at in 9..file.len() {
        for change in [0x00, 0x3f, 0xc3, 0xfd] {
            let mut changed = file.clone();
            changed[at] = change;
            let whole = read(&changed, true, None);
            let pieces = read(&changed, true, Some(4096));
            match (whole, pieces) {
                (Ok((whole, _)), Ok((pieces, _))) => assert!(whole == pieces, "{change} at {at}"),
                (Err(whole), Err(pieces)) => {
                    assert_eq!(whole.to_string(), pieces.to_string(), "{change} at {at}");
                    refused += 1;
                }
                (whole, pieces) => panic!("{change} at {at}: {} {}", whole.is_ok(), pieces.is_ok()),
            }
        }
        let (whole, pieces) = (read(&file[..at], true, None), read(&file[..at], true, Some(4096)));
        assert_eq!(whole.unwrap_err().to_string(), pieces.unwrap_err().to_string(), "cut at {at}");
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
            while let Some(piece) = reader.next_piece(1 << 30).unwrap() {
                let mut piece = piece.into_reader();
                while let Some(record) = piece.next_record().unwrap() {
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
        // A compressed string takes few bytes of the file.
        let expected =
            [(key("a"), true), (key("large"), compression), (key("b"), true), (key("set"), false)];
        assert_eq!(order, expected);
    }
}
