//! The same steps here and on a live redis-server: the replies are equal, and so are the nodes after each.
//!
//! The server may also be a 7.2; it is compared under the limits of 7.2, with lists that are never so short that they
//! become a listpack.

mod payload;

use listpack::{ListPack, Validation};
use payload::{Node, foreign, nodes_here, nodes_of, payload};
use quicklist::{Fill, Limits, QuickList};
use testkit::differential::Reply;
use testkit::live::{Options, Protocol, Version, Wire, server_with};
use testkit::rng::Rng;

/// The first version in which a small list is a listpack.
const SMALL_LISTS: Version = Version::new(7, 2, 0);

/// A server that compresses only the nodes of its lists.
fn options() -> Options {
    Options::new().config("rdbcompression", "no").config("enable-debug-command", "yes")
}

/// The elements of a test.
#[derive(Clone, Copy)]
struct Texts {
    /// The number of different texts: few, so that elements repeat.
    kinds: u64,
    /// The length of long texts in bytes.
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
    /// The context in the message of a failed step.
    about: String,
}

impl Sides {
    /// Runs a command on the server and compares the nodes; returns the reply.
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

/// Runs one random step.
fn step(sides: &mut Sides, rng: &mut Rng, texts: Texts, most: usize) {
    let element = texts.draw(rng);
    let len = sides.list.len();
    let crowded = if len > most { 6 } else { 0 };
    let index = rng.index(len + 2);
    // Existing pivots, and others.
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

/// Configures the server for lists with these limits, and deletes the list.
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
    let of_72 = server.version() >= SMALL_LISTS;
    let limits = Limits { exact_merge: of_72, merge_replaced: of_72, ..limits };
    for seed in seeds {
        let wire = Wire::open(&server, Protocol::Resp2).expect("a connection");
        let about = format!("{limits:?}, seed {seed}");
        let mut sides = Sides { wire, list: QuickList::new(limits), about };
        configure(&mut sides, &limits);
        let mut rng = Rng::new(seed);
        for number in 0..steps {
            sides.about = format!("{limits:?}, seed {seed}, step {number}");
            if of_72 && sides.list.node_count() < 4 {
                lengthen(&mut sides, &mut rng, texts);
            }
            step(&mut sides, &mut rng, texts, most);
        }
    }
}

/// Begins again with a list of some nodes, which a 7.2 server restores unchanged.
fn lengthen(sides: &mut Sides, rng: &mut Rng, texts: Texts) {
    let limits = *sides.list.limits();
    configure(sides, &limits);
    sides.list.clear();
    while sides.list.node_count() < 12 {
        sides.list.push_back(&texts.draw(rng)).expect("room");
    }
    let nodes = nodes_here(&sides.list);
    sides.run(&[b"RESTORE", b"l", b"0", &payload(&nodes)]);
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
fn few_elements_per_node() {
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
fn few_elements_per_node_and_compressed() {
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

#[test]
fn restored_nodes_are_kept_unchanged() {
    let Some(server) = server_with(&options()).filter(|it| it.version() < SMALL_LISTS) else {
        return;
    };
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
                sides.list.append_listpack(list.expect("the listpack is valid"));
            }
        }
        let reply = sides.run(&[b"RESTORE", b"l", b"0", &payload(&nodes)]);
        assert_eq!(matches!(reply, Reply::Status(_)), !sides.list.is_empty());
        for _ in 0..60 {
            step(&mut sides, &mut rng, Texts { kinds: 90, long: 50 }, 80);
        }
    }
}

/// A documented limit of the crate.
#[test]
fn a_server_counts_the_entries_of_a_node_in_16_bits() {
    let Some(server) = server_with(&options()).filter(|it| it.version() < SMALL_LISTS) else {
        return;
    };
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
