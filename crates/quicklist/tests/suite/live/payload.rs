//! Nodes in payloads of DUMP and RESTORE.

use quicklist::QuickList;
use rdb::{RawValue, ValueType, WriteOptions, dump};
use testkit::rng::Rng;

/// A node in a payload of DUMP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) plain: bool,
    pub(crate) compressed: bool,
    pub(crate) bytes: Vec<u8>,
}

/// Reads a length of a payload; the error is the number of a special form.
fn length(bytes: &mut &[u8]) -> Result<usize, u8> {
    let (&first, rest) = bytes.split_first().expect("a length");
    let (len, size) = match first >> 6 {
        0 => (usize::from(first), 0),
        1 => (usize::from(first & 0x3f) << 8 | usize::from(rest[0]), 1),
        2 => {
            let len = rest[..4].iter().fold(0, |len, &byte| len << 8 | usize::from(byte));
            (len, 4)
        }
        _ => {
            *bytes = rest;
            return Err(first & 0x3f);
        }
    };
    *bytes = &rest[size..];
    Ok(len)
}

/// Returns the nodes in a payload of a server that compresses no strings: a compressed string is a node that was
/// compressed in memory.
pub(crate) fn nodes_of(payload: &[u8]) -> Vec<Node> {
    let (mut bytes, _footer) = payload[1..].split_at(payload.len() - 11);
    assert_eq!(payload[0], 18);
    let count = length(&mut bytes).expect("a number of nodes");
    let mut take = || {
        let plain = length(&mut bytes).expect("a container") == 1;
        let (compressed, node) = match length(&mut bytes) {
            Ok(len) => (false, bytes.split_off(..len).expect("a node").to_vec()),
            Err(3) => {
                let stream = length(&mut bytes).expect("a length");
                let len = length(&mut bytes).expect("a length");
                let stream = bytes.split_off(..stream).expect("a stream");
                (true, lzf::decompress(stream, len as u64).expect("a stream"))
            }
            // Small integers are written as integers, and so is a plain element that is the text of one.
            Err(special) => {
                let size = 1 << special;
                let low = bytes.split_off(..size).expect("an integer");
                let mut wide = [if low[size - 1] < 0x80 { 0 } else { 0xff }; 8];
                wide[..size].copy_from_slice(low);
                (false, i64::from_le_bytes(wide).to_string().into_bytes())
            }
        };
        Node { plain, compressed, bytes: node }
    };
    let nodes = (0..count).map(|_| take()).collect();
    assert!(bytes.is_empty());
    nodes
}

pub(crate) fn nodes_here(list: &QuickList) -> Vec<Node> {
    let nodes = list.nodes().map(|node| Node {
        plain: node.is_plain(),
        compressed: node.stream().is_some(),
        bytes: node.bytes().into_owned(),
    });
    nodes.collect()
}

/// An uncompressed string of a payload. Its length is the only big-endian number.
fn string(bytes: &[u8]) -> Vec<u8> {
    let len = u32::try_from(bytes.len()).expect("short");
    let [a, b, c, d] = len.to_le_bytes();
    match len {
        0..0x40 => [&[a], bytes].concat(),
        0x40..0x4000 => [&[0x40 | b, a], bytes].concat(),
        _ => [&[0x80, d, c, b, a], bytes].concat(),
    }
}

/// The payload with which RESTORE creates these nodes.
pub(crate) fn payload(nodes: &[Node]) -> Vec<u8> {
    let mut body = vec![u8::try_from(nodes.len()).expect("few")];
    for node in nodes {
        body.push(if node.plain { 1 } else { 2 });
        body.extend(string(&node.bytes));
    }
    let raw = RawValue::new(ValueType::ListQuicklist2, body).expect("a value of its grammar");
    dump::encode(WriteOptions::default(), |writer| writer.raw(&raw)).expect("one value")
}

/// A listpack that no current server writes: integers in any encoding that can hold them, and as text.
pub(crate) fn foreign(rng: &mut Rng) -> Vec<u8> {
    let count = rng.index(12);
    let mut blob = vec![0, 0, 0, 0, u8::try_from(count).expect("few"), 0];
    for _ in 0..count {
        let value = rng.below(90).to_le_bytes();
        let entry = match rng.below(6) {
            0 => vec![value[0]],
            1 => vec![0xc0, value[0]],
            2 => [&[0xf1], &value[..2]].concat(),
            3 => [&[0xf4], &value[..]].concat(),
            4 => vec![0x82, b'0' + value[0] / 10, b'0' + value[0] % 10],
            _ => [&[0x80 | (value[0] % 64)], &[b'e'; 64][..usize::from(value[0] % 64)]].concat(),
        };
        blob.extend_from_slice(&entry);
        blob.push(u8::try_from(entry.len()).expect("short"));
    }
    blob.push(0xff);
    let [a, b, ..] = u32::try_from(blob.len()).expect("short").to_le_bytes();
    (blob[0], blob[1]) = (a, b);
    blob
}
