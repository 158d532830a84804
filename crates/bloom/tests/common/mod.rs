//! The recorded filters, and values of modules as parts.
#![allow(dead_code, reason = "each test file uses a part of it")]
#![expect(clippy::unwrap_used, reason = "a failure here fails the test")]

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bloom::{AddError, BloomFilter, Field, Settings};

/// A filter on a server, and the server's replies about it.
#[derive(Default)]
pub(crate) struct Recorded {
    pub(crate) key: String,
    /// BF.INFO: capacity, size, links, items, expansion.
    pub(crate) info: Vec<Option<u64>>,
    pub(crate) chunks: Vec<(u64, Vec<u8>)>,
    pub(crate) payload: Vec<u8>,
    pub(crate) items: Vec<String>,
    pub(crate) answers: Vec<bool>,
}

pub(crate) fn recorded() -> Vec<Recorded> {
    let files =
        [include_str!("../data/redis-7.0.15.txt"), include_str!("../data/redis-unstable.txt")];
    let mut all: Vec<Recorded> = Vec::new();
    for line in files.iter().flat_map(|file| file.lines()) {
        let mut words = line.split(' ');
        let kind = words.next().unwrap();
        if kind == "key" {
            all.push(Recorded::default());
        }
        let last = all.last_mut().unwrap();
        match kind {
            "key" => words.next().unwrap().clone_into(&mut last.key),
            "info" => last.info = words.map(|word| word.parse().ok()).collect(),
            "scandump" => {
                let cursor = words.next().unwrap().parse().unwrap();
                last.chunks.push((cursor, BASE64_STANDARD.decode(words.next().unwrap()).unwrap()));
            }
            "dump" => last.payload = BASE64_STANDARD.decode(words.next().unwrap()).unwrap(),
            "exists" => {
                last.items = items(words.next().unwrap());
                last.answers = words.next().unwrap().bytes().map(|byte| byte == b'1').collect();
                assert_eq!(last.items.len(), last.answers.len());
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(all.len(), 12);
    all
}

fn items(range: &str) -> Vec<String> {
    let Some((first, last)) = range.split_once("..") else {
        return range.split(',').map(str::to_owned).collect();
    };
    let prefix = first.trim_end_matches('0');
    let last: u32 = last[prefix.len()..].parse().unwrap();
    (0..=last).map(|n| format!("{prefix}{n}")).collect()
}

/// The filter that the recorded commands create here.
pub(crate) fn grown(key: &str) -> Result<BloomFilter, AddError> {
    let (settings, prefix, count) = match key {
        "bf:default" => {
            let mut filter = BloomFilter::default();
            filter.add(b"a")?;
            filter.add_many(&["b", "c"], &mut Vec::new())?;
            return Ok(filter);
        }
        "bf:1000" => (Settings::new(1000, 0.001), "item", 500),
        "bf:noscale" => (Settings::new(100, 0.01).non_scaling(), "x", 50),
        "bf:exp4" => (Settings::new(50, 0.05).expansion(4), "y", 600),
        "bf:scaled" => (Settings::default(), "s", 1000),
        "bf:empty" => (Settings::new(10, 0.01), "", 0),
        other => panic!("{other}"),
    };
    let mut filter = settings.build().unwrap();
    for n in 0..count {
        filter.add(format!("{prefix}{n}").as_bytes())?;
    }
    Ok(filter)
}

const TYPE_MODULE_2: u8 = 7;
/// `MBbloom--`, version 4.
const ID: &[u8] = b"\x81\x30\x16\xe5\xa2\x89\xbe\xf8\x04";

/// The fields of a payload, without its type, id and footer.
pub(crate) fn fields_of(payload: &[u8]) -> Vec<Field<Vec<u8>>> {
    rdb::dump::decode(payload).unwrap();
    let body = &payload[..payload.len() - 10];
    let mut rest = body.strip_prefix(&[TYPE_MODULE_2]).unwrap().strip_prefix(ID).unwrap();
    let mut fields = Vec::new();
    loop {
        match length(&mut rest) {
            0 => break,
            2 => fields.push(Field::Unsigned(length(&mut rest))),
            4 => {
                let double = take(&mut rest, 8).try_into().unwrap();
                fields.push(Field::Double(f64::from_le_bytes(double)));
            }
            5 if rest[0] == 0xc3 => {
                take(&mut rest, 1);
                let compressed = length(&mut rest);
                let plain = length(&mut rest);
                let stream = take(&mut rest, compressed);
                fields.push(Field::Bytes(rdb::lzf::decompress(stream, plain).unwrap()));
            }
            5 => {
                let bytes = length(&mut rest);
                fields.push(Field::Bytes(take(&mut rest, bytes).to_vec()));
            }
            tag => panic!("{tag}"),
        }
    }
    assert_eq!(rest, []);
    fields
}

/// The payload without its footer, as a server writes it.
pub(crate) fn body_of(filter: &BloomFilter) -> Vec<u8> {
    let mut out = vec![TYPE_MODULE_2];
    out.extend_from_slice(ID);
    for field in filter.fields() {
        match field {
            Field::Unsigned(number) => {
                put_length(2, &mut out);
                put_length(number, &mut out);
            }
            Field::Double(number) => {
                put_length(4, &mut out);
                out.extend_from_slice(&number.to_le_bytes());
            }
            Field::Bytes(bytes) => {
                put_length(5, &mut out);
                let mut stream = Vec::new();
                let limit = bytes.len().saturating_sub(4);
                if bytes.len() > 20
                    && rdb::lzf::Compressor::new().compress(bytes, limit, &mut stream)
                {
                    out.push(0xc3);
                    put_length(stream.len() as u64, &mut out);
                    put_length(bytes.len() as u64, &mut out);
                    out.extend_from_slice(&stream);
                } else {
                    put_length(bytes.len() as u64, &mut out);
                    out.extend_from_slice(bytes);
                }
            }
        }
    }
    put_length(0, &mut out);
    out
}

fn take<'a>(rest: &mut &'a [u8], count: u64) -> &'a [u8] {
    let (taken, left) = rest.split_at(usize::try_from(count).unwrap());
    *rest = left;
    taken
}

fn length(rest: &mut &[u8]) -> u64 {
    let first = take(rest, 1)[0];
    match first >> 6 {
        0 => u64::from(first & 0x3f),
        1 => u64::from(first & 0x3f) << 8 | u64::from(take(rest, 1)[0]),
        2 => {
            let width = if first == 0x80 { 4 } else { 8 };
            take(rest, width).iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
        }
        _ => panic!("{first}"),
    }
}

#[expect(clippy::big_endian_bytes, reason = "lengths are big-endian")]
#[expect(clippy::cast_possible_truncation, reason = "each arm has the width of its range")]
fn put_length(number: u64, out: &mut Vec<u8>) {
    match number {
        0..0x40 => out.push(number as u8),
        0x40..0x4000 => out.extend_from_slice(&(number as u16 | 0x4000).to_be_bytes()),
        _ => {
            out.push(0x80);
            out.extend_from_slice(&u32::try_from(number).unwrap().to_be_bytes());
        }
    }
}
