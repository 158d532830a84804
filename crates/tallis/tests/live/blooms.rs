//! Bloom filters compared with `RedisBloom`, for cases that the random commands of the harness do not include.

use std::collections::{BTreeMap, BTreeSet};

use rdb::{ModulePart, Target, WriteOptions};
use tallis::{Profile, Store};
use testkit::differential::Reply;
use testkit::live::{Options, Protocol, Server, Wire, redisbloom, server_with};

use crate::answer::answer;

/// A server with `RedisBloom`, if it is installed.
fn with_module() -> Option<(Server, Wire)> {
    let server = server_with(&Options::new().module(redisbloom()?))?;
    let wire = Wire::open(&server, Protocol::Resp2).unwrap();
    Some((server, wire))
}

/// Whether the server's `RedisBloom` is older than 8, whose arguments and limits the store does not support.
pub(crate) fn is_old(server: &Server) -> bool {
    server.module_version("bf").is_some_and(|version| version < 80_000)
}

fn words(line: &str) -> Vec<Vec<u8>> {
    line.split_whitespace().map(Into::into).collect()
}

/// The fields of a header of one link, and their offsets.
const FIELDS: [(&str, usize); 12] = [
    ("items", 0),
    ("links", 8),
    ("options", 12),
    ("expansion", 16),
    ("bytes", 20),
    ("bits", 28),
    ("items of the link", 36),
    ("error rate", 44),
    ("bits an item", 52),
    ("hashes", 60),
    ("capacity", 64),
    ("power of two", 72),
];

#[test]
fn a_damaged_header_is_accepted_only_if_redisbloom_accepts_it() {
    let Some((mut server, mut wire)) = with_module() else { return };
    let store = Store::builder().profile(Profile::Redis70).build();
    let mut reply = Reply::Nil;
    for line in ["BF.RESERVE k 0.01 10", "BF.MADD k a b c", "BF.SCANDUMP k 0"] {
        reply = wire.run(&words(line)).unwrap();
    }
    let header = reply.elements().unwrap()[1].bytes().unwrap().to_vec();
    let (mut stricter, mut deadly) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
    for bit in 0..header.len() * 8 {
        let mut damaged = header.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let (field, at) = FIELDS.iter().rev().find(|(_, at)| *at <= bit / 8).unwrap();
        let key = format!("k{bit}");
        let load = [b"BF.LOADCHUNK".to_vec(), key.clone().into(), b"1".to_vec(), damaged];
        let ours = answer(store.execute(&load));
        let Ok(theirs) = wire.run(&load) else {
            deadly.entry(*field).or_default().push(bit - at * 8);
            assert!(ours.is_error(), "{field}, bit {bit}");
            (server, wire) = with_module().unwrap();
            continue;
        };
        if ours == theirs {
            let dump = wire.run(&[b"DUMP".to_vec(), key.clone().into()]).unwrap();
            assert_eq!(store.dump(&key).unwrap().as_deref(), dump.bytes(), "{field}, bit {bit}");
        } else {
            assert_eq!(ours, Reply::Error("ERR received bad data".into()), "{field}, bit {bit}");
            stricter.entry(*field).or_default().push(bit - at * 8);
        }
    }
    drop(server);
    // Values of older versions, and impossible values of a link.
    let fields: Vec<&str> = stricter.into_keys().collect();
    assert_eq!(fields, ["bits an item", "capacity", "error rate", "options", "power of two"]);
    // More bytes than any machine has.
    let fields: Vec<&str> = deadly.into_keys().collect();
    assert_eq!(fields, ["bytes"]);
}

/// The numbers in a value of one link.
const NUMBERS: [(&str, usize); 9] = [
    ("items", 0),
    ("links", 1),
    ("options", 2),
    ("expansion", 3),
    ("capacity", 4),
    ("hashes", 6),
    ("bits", 8),
    ("power of two", 9),
    ("items of the link", 11),
];

/// A payload with a valid checksum, in which one number is changed.
#[test]
fn a_damaged_payload_is_accepted_only_if_redisbloom_accepts_it() {
    let Some((mut server, mut wire)) = with_module() else { return };
    let store = Store::builder().profile(Profile::Redis70).build();
    let mut reply = Reply::Nil;
    for line in ["BF.RESERVE k 0.01 10", "BF.MADD k a b c", "DUMP k"] {
        reply = wire.run(&words(line)).unwrap();
    }
    let mut dump = rdb::dump::decode(reply.bytes().unwrap()).unwrap();
    let rdb::Value::Raw(raw) = dump.value().unwrap() else { panic!("a string was dumped") };
    let (id, parts) = raw.module_parts().unwrap();
    let parts: Vec<_> = parts.map(Result::unwrap).collect();
    let mut damaged = Vec::new();
    for (name, at) in NUMBERS {
        let ModulePart::Unsigned(good) = parts[at] else { panic!("{name}: {:?}", parts[at]) };
        for other in [0, 1, good.wrapping_sub(1), good + 1, good ^ 8, good * 2, 1 << 20] {
            damaged.push((name, at, ModulePart::Unsigned(other)));
        }
    }
    for rate in [0.0, 1.0, -0.5, 0.5, 1e-9, 2.0, f64::NAN, f64::INFINITY] {
        damaged.push(("error rate", 5, ModulePart::Double(rate)));
        damaged.push(("bits an item", 7, ModulePart::Double(rate)));
    }
    for length in [0, 1, 15, 17, 24] {
        damaged.push(("bytes", 10, ModulePart::Bytes(vec![0; length])));
    }
    let (mut stricter, mut deadly) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
    let mut carried = BTreeSet::new();
    for (name, at, part) in damaged {
        let mut parts = parts.clone();
        parts[at] = part.clone();
        let options = WriteOptions { target: Target::V10, ..WriteOptions::default() };
        let payload = rdb::dump::encode(options, |value| {
            let mut value = value.module(id)?;
            for part in &parts {
                value.part(part.borrowed())?;
            }
            value.finish()
        });
        let load = ["RESTORE", "k", "0"].map(|word| word.as_bytes().to_vec());
        let load = [&load[..], &[payload.unwrap(), b"REPLACE".to_vec()]].concat();
        let ours = answer(store.execute(&load));
        let Ok(theirs) = wire.run(&load) else {
            deadly.entry(name).or_default().push(part);
            assert!(ours.is_error(), "{name}");
            (server, wire) = with_module().unwrap();
            continue;
        };
        if !ours.is_error() && store.bf_info("k").is_err() {
            // A value that is only carried cannot be queried.
            carried.insert(name);
        } else if ours != theirs {
            assert_eq!(ours, Reply::Error("ERR Bad data format".into()), "{name}: {part:?}");
            stricter.entry(name).or_default().push(part);
        } else if !ours.is_error() {
            for line in ["BF.INFO k", "BF.CARD k", "BF.MEXISTS k a b c d e f", "BF.SCANDUMP k 0"] {
                let ours = answer(store.execute(&words(line)).into_resp2(store.profile()));
                assert_eq!(ours, wire.run(&words(line)).unwrap(), "{line}, {name}: {part:?}");
            }
        }
    }
    let old = is_old(&server);
    drop(server);
    let fields: Vec<&str> = stricter.into_keys().collect();
    // Before 8, it does not check whether the numbers are consistent.
    let also = ["bits", "bits an item", "bytes", "hashes"].into_iter().filter(|_| old);
    let mut expected: Vec<&str> = also.chain(["capacity", "error rate", "power of two"]).collect();
    expected.sort_unstable();
    assert_eq!(fields, expected);
    let fields: Vec<&str> = deadly.into_keys().collect();
    assert_eq!(fields, if old { vec!["links"] } else { vec![] });
    assert!(carried.into_iter().eq(["options", "power of two"]));
}
