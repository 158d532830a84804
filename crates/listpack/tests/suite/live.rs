//! The same steps here and on a live redis-server: the bytes are equal after each.

use listpack::{Entry, ListPack, Validation, validate};
use rdb::{RawValue, ValueType, WriteOptions, dump};
use testkit::live::{Options, as_bytes, command, server_with};
use testkit::rng::Rng;

/// The bytes of version and checksum at the end of a payload of DUMP.
const FOOTER: usize = 10;

/// An uncompressed string in a payload. Its length is the only big-endian number.
fn string(bytes: &[u8]) -> Vec<u8> {
    let len = u32::try_from(bytes.len()).expect("short");
    let [a, b, c, d] = len.to_le_bytes();
    match len {
        0..0x40 => [&[a], bytes].concat(),
        0x40..0x4000 => [&[0x40 | b, a], bytes].concat(),
        _ => [&[0x80, d, c, b, a], bytes].concat(),
    }
}

/// The payload of DUMP for a hash.
fn hash(list: &ListPack) -> Vec<u8> {
    [&[16], &string(list.as_bytes())[..]].concat()
}

/// The payload of DUMP for a list of one node.
fn one_node(blob: &[u8]) -> Vec<u8> {
    [&[18, 1, 2], &string(blob)[..]].concat()
}

fn payload(kind: ValueType, value: &[u8]) -> Vec<u8> {
    let raw = RawValue::new(kind, value[1..].to_vec()).expect("a value of its grammar");
    let options = WriteOptions { compression: false, ..WriteOptions::default() };
    dump::encode(options, |writer| writer.raw(&raw)).expect("one value")
}

/// A server that keeps everything in listpacks and compresses nothing.
fn options() -> Options {
    Options::new()
        .config("rdbcompression", "no")
        .config("hash-max-listpack-entries", "100000")
        .config("hash-max-listpack-value", "100000")
        // Nodes of 64 KiB.
        .config("list-max-listpack-size", "-5")
}

fn dump_of(connection: &mut redis::Connection, key: &str) -> Option<Vec<u8>> {
    let reply = command(connection, &["DUMP", key]).expect("DUMP answers");
    as_bytes(&reply).map(|payload| payload[..payload.len() - FOOTER].to_vec())
}

/// A text from a small set, so that texts repeat; all encodings occur.
fn text(rng: &mut Rng) -> Vec<u8> {
    const EDGES: [i64; 8] =
        [0, 127, -4_096, 4_095, -32_768, 8_388_607, i32::MIN as i64, i64::MAX - 1];
    const NEARLY: [&str; 8] =
        ["", "-0", "007", "+1", "1.5", "-", "9223372036854775808", "-9223372036854775809"];
    match rng.below(10) {
        0..4 => rng.range(-20..=20).to_string().into_bytes(),
        4 => {
            rng.pick(&EDGES).expect("some").wrapping_add(rng.range(-1..=1)).to_string().into_bytes()
        }
        5 => rng.pick(&NEARLY).expect("some").as_bytes().to_vec(),
        6 => vec![b'x'; [0, 1, 7, 8, 62, 63, 64, 65, 125, 126, 127, 4_095, 4_096][rng.index(13)]],
        _ => {
            let len = rng.index(6);
            (0..len).map(|_| *rng.pick(b"ab\0\xff").expect("some")).collect()
        }
    }
}

#[test]
fn a_small_hash_has_the_servers_bytes_after_every_step() {
    let Some(server) = server_with(&options()) else { return };
    let mut connection = server.connect();
    let mut rng = Rng::new(1);
    let mut list = ListPack::new();
    for step in 0..3_000 {
        let (field, value) = (text(&mut rng), text(&mut rng));
        let at = list.first().and_then(|first| list.find_from(first, &field, 1));
        if rng.chance(2, 3) {
            command(&mut connection, &[b"HSET", &b"h"[..], &field, &value]).unwrap();
            match at {
                Some(at) => list.replace(list.next(at).unwrap(), &value).unwrap(),
                None => {
                    list.insert_all(list.end(), [Entry::from(&field), Entry::from(&value)])
                        .unwrap();
                }
            }
        } else {
            let reply = command(&mut connection, &[b"HDEL", &b"h"[..], &field]).unwrap();
            let deleted = at.map_or(0, |at| list.delete_run(at, 2));
            assert_eq!(reply, redis::Value::Int(i64::from(deleted == 2)));
        }
        let expected = (!list.is_empty()).then(|| hash(&list));
        assert_eq!(dump_of(&mut connection, "h"), expected, "step {step}");
    }
}

#[test]
fn a_list_of_one_node_has_the_servers_bytes_after_every_step() {
    let Some(server) = server_with(&options()) else { return };
    let mut connection = server.connect();
    let mut rng = Rng::new(2);
    let mut list = ListPack::new();
    for step in 0..4_000 {
        let (element, pivot) = (text(&mut rng), text(&mut rng));
        let len = list.len();
        let index = rng.index(len + 1);
        let number = index.to_string();
        let key = &b"l"[..];
        match rng.below(if len > 60 { 12 } else { 9 }) {
            0..2 => {
                command(&mut connection, &[b"RPUSH", key, &element]).unwrap();
                list.push_back(&element).unwrap();
            }
            2 => {
                command(&mut connection, &[b"LPUSH", key, &element]).unwrap();
                list.push_front(&element).unwrap();
            }
            3 => {
                let reply = command(&mut connection, &[b"LSET", key, number.as_bytes(), &element]);
                let at = list.seek(index).unwrap_or(list.end());
                assert_eq!(reply.is_ok(), list.replace(at, &element).is_ok());
            }
            4..6 => {
                command(&mut connection, &[b"LINSERT", key, b"BEFORE", &pivot, &element]).unwrap();
                if let Some(at) = list.find(&pivot) {
                    list.insert(at, &element).unwrap();
                }
            }
            6 => {
                command(&mut connection, &[b"LINSERT", key, b"AFTER", &pivot, &element]).unwrap();
                if let Some(at) = list.find(&pivot) {
                    list.insert(list.next(at).unwrap_or(list.end()), &element).unwrap();
                }
            }
            7 => {
                command(&mut connection, &[b"LREM", key, b"1", &pivot]).unwrap();
                if let Some(at) = list.find(&pivot) {
                    list.delete(at);
                }
            }
            8 => {
                let reply = command(&mut connection, &[b"LPOP", key]).unwrap();
                assert_eq!(as_bytes(&reply), list.get(0).map(Entry::to_vec).as_deref());
                list.delete_range(0, 1);
            }
            9 => {
                command(&mut connection, &[b"LREM", key, b"0", &pivot]).unwrap();
                list.retain(|entry| entry != Entry::from(&pivot));
            }
            _ => {
                // Keeps 40 elements, beginning at `index`.
                let last = (index + 39).to_string();
                command(&mut connection, &[b"LTRIM", key, number.as_bytes(), last.as_bytes()])
                    .unwrap();
                list.delete_range(index + 40, len);
                list.delete_range(0, index);
            }
        }
        let expected = (!list.is_empty()).then(|| one_node(list.as_bytes()));
        assert_eq!(dump_of(&mut connection, "l"), expected, "step {step}");
    }
}

/// The server queries the length after each step, and writes it into the header if it fits.
#[test]
fn more_entries_than_the_header_counts_are_stored_as_the_server_stores_them() {
    let Some(server) = server_with(&options()) else { return };
    let mut connection = server.connect();
    let mut list = ListPack::new();
    for number in 0..32_766 {
        list.insert_all(list.end(), [Entry::Int(number), Entry::Int(1)]).unwrap();
    }
    let restored = payload(ValueType::HashListpack, &hash(&list));
    command(&mut connection, &[b"RESTORE", &b"h"[..], b"0", &restored]).unwrap();
    let count = |list: &ListPack| u16::from_le_bytes([list.as_bytes()[4], list.as_bytes()[5]]);
    let mut counts = Vec::new();
    for field in ["a", "b", "c"] {
        command(&mut connection, &["HSET", "h", field, "2"]).unwrap();
        list.insert_all(list.end(), [Entry::from(field), Entry::Int(2)]).unwrap();
        list.settle_count();
        counts.push(count(&list));
        assert!(dump_of(&mut connection, "h") == Some(hash(&list)), "with {field}");
    }
    for field in ["5", "b", "7"] {
        command(&mut connection, &["HDEL", "h", field]).unwrap();
        list.delete_run(list.find_from(list.first().unwrap(), field, 1).unwrap(), 2);
        list.settle_count();
        counts.push(count(&list));
        assert!(dump_of(&mut connection, "h") == Some(hash(&list)), "without {field}");
    }
    assert_eq!(counts, [65_534, 65_535, 65_535, 65_535, 65_534, 65_532]);
}

/// Every bit flipped, and the length field in other forms: accepted by both sides or by neither.
#[test]
fn deep_validation_accepts_what_the_server_accepts() {
    let options = options().config("sanitize-dump-payload", "yes");
    let Some(server) = server_with(&options) else { return };
    let mut connection = server.connect();
    let mut both = [0; 2];
    let mut ask = |blob: &[u8]| {
        let whole = validate(blob, Validation::Deep).is_ok() && blob.len() > 7;
        let restored = payload(ValueType::ListQuicklist2, &one_node(blob));
        let arguments = [b"RESTORE", &b"l"[..], b"0", &restored, b"REPLACE"];
        let taken = command(&mut connection, &arguments).is_ok();
        assert_eq!(taken, whole, "{}", blob.escape_ascii());
        both[usize::from(whole)] += 1;
        if whole {
            let list = ListPack::from_bytes(blob, Validation::Deep).unwrap();
            let reply = command(&mut connection, &["LRANGE", "l", "0", "-1"]).unwrap();
            let redis::Value::Array(elements) = reply else { panic!("no array") };
            let elements = elements.iter().map(|element| as_bytes(element).unwrap().to_vec());
            assert!(elements.eq(list.iter().map(Entry::to_vec)), "{}", blob.escape_ascii());
        }
    };
    for blob in [
        &include_bytes!("../data/l_small.blob")[..],
        include_bytes!("../data/h_small.blob"),
        include_bytes!("../data/s_mixed.blob"),
        b"\x09\0\0\0\x01\0\x00\x81\xff",
        b"\x0a\0\0\0\x01\0\xc0\x00\x82\xff",
        b"\x09\0\0\0\x01\0\x80\x81\xff",
        b"\x10\0\0\0\xff\xff\x05\x01\x05\x01\xf0\0\0\0\0\x05\xff",
        b"\x11\0\0\0\xff\xff\x05\x01\x05\x01\xf0\0\0\0\0\x05\xff",
    ] {
        ask(blob);
        for bit in 0..8 * blob.len() {
            let mut bad = blob.to_vec();
            bad[bit / 8] ^= 1 << (bit % 8);
            ask(&bad);
        }
    }
    assert!(both.iter().all(|&times| times > 100), "{both:?}");
}
