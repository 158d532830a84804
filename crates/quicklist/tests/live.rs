//! The same steps here and on a live redis-server: the same answers, and the same nodes after each.

use listpack::{ListPack, Validation};
use quicklist::{Fill, Limits, QuickList};
use rdb::{RawValue, ValueType, WriteOptions, dump};
use testkit::differential::Reply;
use testkit::live::{Options, Protocol, Wire, server_with};
use testkit::rng::Rng;

/// A node as a payload of DUMP has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    plain: bool,
    compressed: bool,
    bytes: Vec<u8>,
}

/// Reads a length of a payload; an error for the special form of this number.
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

/// The nodes in a payload of a server that compresses no strings: a stream is a node that was one in memory.
fn nodes_of(payload: &[u8]) -> Vec<Node> {
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
            // Small integers are written as such, and so is a plain element that looks like one.
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

fn nodes_here(list: &QuickList) -> Vec<Node> {
    let nodes = list.nodes().map(|node| Node {
        plain: node.is_plain(),
        compressed: node.stream().is_some(),
        bytes: node.bytes().into_owned(),
    });
    nodes.collect()
}

/// A server that compresses nothing but the nodes of its lists.
fn options() -> Options {
    Options::new().config("rdbcompression", "no").config("enable-debug-command", "yes")
}

/// What the elements of a test look like.
#[derive(Clone, Copy)]
struct Texts {
    /// Few texts are drawn from, so that elements repeat.
    kinds: u64,
    /// Long ones are of so many bytes.
    long: usize,
}

impl Texts {
    fn draw(self, rng: &mut Rng) -> Vec<u8> {
        let kind = rng.below(self.kinds);
        match kind % 8 {
            0 | 1 => kind.to_string().into_bytes(),
            2 => kind.wrapping_mul(0x9e37_79b9_7f4a_7c15).cast_signed().to_string().into_bytes(),
            3 => Rng::new(kind).bytes(self.long / 2),
            4 => vec![b'x'; self.long + usize::try_from(kind % 7).expect("below 7")],
            5 => format!("{kind:0width$}", width = self.long / 3).into_bytes(),
            _ => format!("element:{kind}").into_bytes(),
        }
    }
}

struct Sides {
    wire: Wire,
    list: QuickList,
    /// What is said of a step that fails.
    about: String,
}

impl Sides {
    /// Runs a command on the server and compares the nodes; gives its reply.
    fn run(&mut self, words: &[&[u8]]) -> Reply {
        let words: Vec<Vec<u8>> = words.iter().map(|word| word.to_vec()).collect();
        let dump = [b"DUMP".to_vec(), b"l".to_vec()];
        let replies = self.wire.run_all([&words[..], &dump[..]]).expect("the server answers");
        let [reply, dump] = replies.try_into().expect("two replies");
        let there = if let Reply::Bulk(payload) = dump {
            nodes_of(&payload)
        } else {
            assert_eq!(dump, Reply::Nil);
            Vec::new()
        };
        let here = nodes_here(&self.list);
        if there != here {
            let show = |nodes: &[Node]| {
                let nodes = nodes.iter().map(|node| {
                    let list = ListPack::from_bytes(node.bytes.clone(), Validation::Deep);
                    let count = list.as_ref().map_or(1, ListPack::len);
                    (node.plain, node.compressed, node.bytes.len(), count)
                });
                nodes.collect::<Vec<_>>()
            };
            let words: Vec<_> = words.iter().map(|word| word.escape_ascii().to_string()).collect();
            panic!("{}: {words:?}\nthere {:?}\nhere {:?}", self.about, show(&there), show(&here));
        }
        reply
    }
}

fn text_of(element: Option<Vec<u8>>) -> Reply {
    element.map_or(Reply::Nil, Reply::Bulk)
}

fn signed(number: usize) -> i64 {
    i64::try_from(number).expect("a short list")
}

fn int(number: usize) -> Reply {
    Reply::Int(signed(number))
}

/// One random step.
fn step(sides: &mut Sides, rng: &mut Rng, texts: Texts, most: usize) {
    let element = texts.draw(rng);
    let len = sides.list.len();
    let crowded = if len > most { 6 } else { 0 };
    let index = rng.index(len + 2);
    // Pivots that are there, and others.
    let pivot = match sides.list.get(index) {
        Some(there) => there.to_vec(),
        None => texts.draw(rng),
    };
    let key: &[u8] = b"l";
    match rng.below(18 + crowded) {
        0..3 => {
            sides.list.push_back(&element).expect("room");
            let reply = sides.run(&[b"RPUSH", key, &element]);
            assert_eq!(reply, int(sides.list.len()));
        }
        3..6 => {
            sides.list.push_front(&element).expect("room");
            sides.run(&[b"LPUSH", key, &element]);
        }
        6 => {
            let popped = sides.list.pop_back();
            assert_eq!(sides.run(&[b"RPOP", key]), text_of(popped));
        }
        7 => {
            let popped = sides.list.pop_front();
            assert_eq!(sides.run(&[b"LPOP", key]), text_of(popped));
        }
        8..11 => {
            let negative = rng.chance(1, 2);
            let number = signed(index) - if negative { signed(len) } else { 0 };
            let done = sides.list.index(number).is_some_and(|at| {
                sides.list.set(at, &element).expect("room");
                true
            });
            let reply = sides.run(&[b"LSET", key, number.to_string().as_bytes(), &element]);
            assert_eq!(matches!(reply, Reply::Status(_)), done);
        }
        11..16 => {
            let after = rng.chance(1, 2);
            let side: &[u8] = if after { b"AFTER" } else { b"BEFORE" };
            let found = if after {
                sides.list.insert_after(&pivot, &element)
            } else {
                sides.list.insert_before(&pivot, &element)
            };
            let reply = sides.run(&[b"LINSERT", key, side, &pivot, &element]);
            match (found, len) {
                (Ok(true), _) => assert_eq!(reply, int(sides.list.len())),
                (_, 0) => assert_eq!(reply, Reply::Int(0)),
                _ => assert_eq!(reply, Reply::Int(-1)),
            }
        }
        16 | 18..20 => {
            let count = rng.range(-3..=3);
            let most = match usize::try_from(count.unsigned_abs()).expect("few") {
                0 => usize::MAX,
                most => most,
            };
            let removed = if count < 0 {
                sides.list.remove_back(&pivot, most)
            } else {
                sides.list.remove(&pivot, most)
            };
            let reply = sides.run(&[b"LREM", key, count.to_string().as_bytes(), &pivot]);
            assert_eq!(reply, int(removed));
        }
        _ => {
            let (start, end) = if rng.chance(1, 4) {
                (rng.index(len + 1), rng.index(len + 1))
            } else {
                (rng.index(1 + len / 8), len - rng.index(1 + len / 8))
            };
            sides.list.trim(start..end.max(start));
            // An index of -1 is the last element.
            let (start, last) = if end == 0 { (1, 0) } else { (start, end - 1) };
            let (start, last) = (start.to_string(), last.to_string());
            sides.run(&[b"LTRIM", key, start.as_bytes(), last.as_bytes()]);
        }
    }
    sides.list.verify();
}

/// Sets the server up for lists of these limits, without the list that was there.
fn configure(sides: &mut Sides, limits: &Limits) {
    let set = |sides: &mut Sides, words: &[&str]| {
        let words: Vec<_> = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        let reply = sides.wire.run(&words).expect("the server answers");
        assert!(matches!(reply, Reply::Status(_) | Reply::Int(_)), "{reply:?}");
    };
    set(sides, &["DEL", "l"]);
    set(sides, &["CONFIG", "SET", "list-max-listpack-size", &limits.fill.get().to_string()]);
    set(sides, &["CONFIG", "SET", "list-compress-depth", &limits.depth.to_string()]);
    set(sides, &["DEBUG", "QUICKLIST-PACKED-THRESHOLD", &limits.plain_from.to_string()]);
}

fn run(limits: Limits, texts: Texts, most: usize, seeds: std::ops::Range<u64>, steps: u64) {
    let Some(server) = server_with(&options()) else { return };
    for seed in seeds {
        let wire = Wire::open(&server, Protocol::Resp2).expect("a connection");
        let about = format!("{limits:?}, seed {seed}");
        let mut sides = Sides { wire, list: QuickList::new(limits), about };
        configure(&mut sides, &limits);
        let mut rng = Rng::new(seed);
        for number in 0..steps {
            sides.about = format!("{limits:?}, seed {seed}, step {number}");
            step(&mut sides, &mut rng, texts, most);
        }
    }
}

fn limits_of_70(fill: i64, depth: u16) -> Limits {
    Limits {
        fill: Fill::new(fill),
        depth,
        exact_merge: false,
        merge_replaced: false,
        ..Limits::default()
    }
}

#[test]
fn few_elements_a_node() {
    for fill in [1, 2, 3, 5, 0, 16] {
        run(limits_of_70(fill, 0), Texts { kinds: 60, long: 30 }, 80, 0..3, 1500);
    }
}

#[test]
fn hundreds_of_nodes() {
    for (fill, depth) in [(1, 0), (2, 0), (3, 1), (2, 3)] {
        run(limits_of_70(fill, depth), Texts { kinds: 200, long: 60 }, 600, 0..1, 4000);
    }
}

#[test]
fn few_elements_a_node_and_compressed() {
    for (fill, depth) in [(1, 1), (2, 1), (3, 2), (5, 1), (5, 3), (16, 1), (16, 2)] {
        run(limits_of_70(fill, depth), Texts { kinds: 60, long: 60 }, 120, 0..3, 1500);
    }
}

#[test]
fn nodes_of_some_kilobytes() {
    for fill in [-1, -2, -3, 128] {
        run(limits_of_70(fill, 0), Texts { kinds: 300, long: 600 }, 200, 0..2, 1500);
    }
}

#[test]
fn nodes_of_some_kilobytes_and_compressed() {
    for (fill, depth) in [(-1, 1), (-1, 2), (-2, 1), (128, 1)] {
        run(limits_of_70(fill, depth), Texts { kinds: 300, long: 900 }, 200, 0..2, 1200);
    }
}

#[test]
fn nodes_of_64_kibibytes() {
    for (fill, depth) in [(-4, 0), (-5, 0), (-5, 1)] {
        run(limits_of_70(fill, depth), Texts { kinds: 300, long: 6_000 }, 200, 0..1, 800);
    }
}

#[test]
fn large_elements_have_plain_nodes() {
    for (fill, depth) in [(3, 0), (-1, 0), (3, 1), (5, 2), (-1, 1)] {
        let limits = Limits { plain_from: 40, ..limits_of_70(fill, depth) };
        run(limits, Texts { kinds: 60, long: 60 }, 100, 0..3, 1500);
    }
}

/// A string of a payload, uncompressed. Its length is the one thing that has its high bytes in front.
fn string(bytes: &[u8]) -> Vec<u8> {
    let len = u32::try_from(bytes.len()).expect("short");
    let [a, b, c, d] = len.to_le_bytes();
    match len {
        0..0x40 => [&[a], bytes].concat(),
        0x40..0x4000 => [&[0x40 | b, a], bytes].concat(),
        _ => [&[0x80, d, c, b, a], bytes].concat(),
    }
}

/// What RESTORE takes for these nodes.
fn payload(nodes: &[Node]) -> Vec<u8> {
    let mut body = vec![u8::try_from(nodes.len()).expect("few")];
    for node in nodes {
        body.push(if node.plain { 1 } else { 2 });
        body.extend(string(&node.bytes));
    }
    let raw = RawValue::new(ValueType::ListQuicklist2, body).expect("a value of its grammar");
    dump::encode(WriteOptions::default(), |writer| writer.raw(&raw)).expect("one value")
}

/// A listpack as no server of today writes it: integers in any encoding that holds them, and as text.
fn foreign(rng: &mut Rng) -> Vec<u8> {
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

#[test]
fn restored_nodes_are_kept_as_they_came() {
    let Some(server) = server_with(&options()) else { return };
    let mut rng = Rng::new(5);
    for case in 0..150 {
        let fill = [2, 5, 20, -1][rng.index(4)];
        let mut limits = limits_of_70(fill, u16::try_from(rng.below(3)).expect("few"));
        limits.plain_from = [1 << 30, 40][rng.index(2)];
        let wire = Wire::open(&server, Protocol::Resp2).expect("a connection");
        let about = format!("{limits:?}, case {case}");
        let mut sides = Sides { wire, list: QuickList::new(limits), about };
        configure(&mut sides, &limits);
        let node = |rng: &mut Rng| {
            let plain = rng.chance(1, 5);
            let bytes = if plain { vec![b'p'; 1 + rng.index(90)] } else { foreign(rng) };
            Node { plain, compressed: false, bytes }
        };
        let nodes: Vec<Node> = (0..=rng.index(9)).map(|_| node(&mut rng)).collect();
        for node in &nodes {
            if node.plain {
                sides.list.append_plain(node.bytes.clone());
            } else {
                let list = ListPack::from_bytes(node.bytes.clone(), Validation::Deep);
                sides.list.append_listpack(list.expect("a whole listpack"));
            }
        }
        let reply = sides.run(&[b"RESTORE", b"l", b"0", &payload(&nodes)]);
        assert_eq!(matches!(reply, Reply::Status(_)), !sides.list.is_empty());
        for _ in 0..60 {
            step(&mut sides, &mut rng, Texts { kinds: 90, long: 50 }, 80);
        }
    }
}

/// The crate says so among its limits.
#[test]
fn a_server_counts_the_entries_of_a_node_in_16_bits() {
    let Some(server) = server_with(&options()) else { return };
    let mut wire = Wire::open(&server, Protocol::Resp2).expect("a connection");
    let mut list = ListPack::new();
    for number in 0..70_000 {
        list.push_back(number % 100).expect("room");
    }
    let node = Node { plain: false, compressed: false, bytes: list.as_bytes().to_vec() };
    let words: [&[u8]; 4] = [b"RESTORE", b"l", b"0", &payload(&[node])];
    wire.run(&words.map(<[u8]>::to_vec)).expect("the server answers");
    let len = wire.run(&[b"LLEN".to_vec(), b"l".to_vec()]).expect("the server answers");
    assert_eq!(len, int(70_000 - 65_536));
    assert_eq!(QuickList::from_listpack(list, Limits::default()).len(), 70_000);
}

#[test]
#[ignore = "a minute"]
fn any_limits() {
    let mut rng = Rng::new(6);
    for seed in 100..260 {
        let fill = *rng.pick(&[1, 2, 3, 4, 7, 30, 128, -1, -1, -2, -3, -4, -5]).expect("some");
        let depth = u16::try_from(rng.below(5)).expect("few");
        let plain_from = *rng.pick(&[1 << 30, 1 << 30, 30, 200]).expect("some");
        let kinds = 10 + rng.below(400);
        let long = if fill < 0 { 100 + rng.index(3_000) } else { 10 + rng.index(200) };
        let limits = Limits { plain_from, ..limits_of_70(fill, depth) };
        run(limits, Texts { kinds, long }, 20 + rng.index(500), seed..seed + 1, 2_500);
    }
}
