//! Bloom filters beside `RedisBloom`, where the random commands of the harness do not reach.

use std::collections::BTreeMap;

use tallis::prelude::*;
use tallis::{Profile, Store};
use testkit::differential::Reply;
use testkit::live::{Options, Protocol, Server, Wire, redisbloom, server_with};

use crate::answer::answer;

/// A server with `RedisBloom`, if there is one.
fn with_module() -> Option<(Server, Wire)> {
    let server = server_with(&Options::new().module(redisbloom()?))?;
    let wire = Wire::open(&server, Protocol::Resp2).unwrap();
    Some((server, wire))
}

fn words(line: &str) -> Vec<Vec<u8>> {
    line.split_whitespace().map(Into::into).collect()
}

/// The fields of a header of one link, and where each begins.
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
fn of_a_damaged_header_no_more_is_taken_than_there() {
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
    // Filters of other times, and what cannot be true of a link.
    let fields: Vec<&str> = stricter.into_keys().collect();
    assert_eq!(fields, ["bits an item", "capacity", "error rate", "options", "power of two"]);
    // As many bytes as no machine has.
    let fields: Vec<&str> = deadly.into_keys().collect();
    assert_eq!(fields, ["bytes"]);
}
