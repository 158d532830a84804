//! Bits by typed calls and by words: a simple model, WATCH, sinks, and errors.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

use std::sync::Arc;

use tallis::{
    BitFieldOp, BitRange, BitUnit, Error, ErrorKind, FieldType, Overflow, Profile, Reply, Store,
};
use testkit::rng::{Rng, rounds};

use crate::journal::Journal;

fn field(name: &str) -> FieldType {
    name.parse().unwrap()
}

fn execute(store: &Store, line: &str) -> Reply {
    store.execute(&line.split_whitespace().collect::<Vec<_>>())
}

#[test]
fn the_transcript_of_the_notes_holds() {
    let store = Store::new();
    let ints = |numbers: &[i64]| Reply::Array(numbers.iter().copied().map(Reply::Int).collect());
    assert_eq!(execute(&store, "set w hello"), Reply::OK);
    assert_eq!(execute(&store, "bitfield w get u4 0"), ints(&[6]));
    assert_eq!(execute(&store, "bitfield w get u3 2"), ints(&[5]));
    assert_eq!(execute(&store, "bitfield w get i3 2"), ints(&[-3]));
    for number in [11, 12, 13, 14, 15, 0, 1, 2, 3] {
        assert_eq!(execute(&store, "bitfield w incrby u4 2 1"), ints(&[number]));
    }
    let refused = Reply::Error(Error::new(ErrorKind::Syntax, "ERR syntax error"));
    assert_eq!(execute(&store, "bitfield w incrby u4 2"), refused);
    assert_eq!(execute(&store, "bitfield w get u4 2"), ints(&[3]));
}

/// Each bit represents an element.
#[derive(Clone, Default)]
struct Plain(Vec<bool>);

impl Plain {
    fn of(bytes: &[u8]) -> Self {
        Self(
            bytes.iter().flat_map(|byte| (0..8).map(move |at| byte >> (7 - at) & 1 == 1)).collect(),
        )
    }

    fn get(&self, offset: usize) -> bool {
        self.0.get(offset).copied().unwrap_or(false)
    }

    fn grow(&mut self, bits: usize) {
        let bits = bits.next_multiple_of(8).max(self.0.len());
        self.0.resize(bits, false);
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| bits.iter().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
        self.0.chunks(8).map(byte).collect()
    }

    /// The number in this many bits, in two's complement if signed.
    fn number(&self, signed: bool, bits: usize, offset: usize) -> i128 {
        let number = (0..bits).fold(0, |n, at| n << 1 | i128::from(self.get(offset + at)));
        if signed && self.get(offset) { number - (1 << bits) } else { number }
    }

    fn put(&mut self, bits: usize, offset: usize, number: i128) {
        for at in 0..bits {
            self.0[offset + at] = number >> (bits - 1 - at) & 1 == 1;
        }
    }
}

/// The value of a field after an addition.
fn sum(signed: bool, bits: usize, sum: i128, overflow: Overflow) -> Option<i128> {
    let (min, max): (i128, i128) =
        if signed { (-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    match overflow {
        _ if (min..=max).contains(&sum) => Some(sum),
        Overflow::Wrap => Some((sum - min).rem_euclid(1 << bits) + min),
        Overflow::Sat => Some(if sum > max { max } else { min }),
        Overflow::Fail => None,
    }
}

fn offset(rng: &mut Rng) -> usize {
    if rng.chance(1, 20) { rng.index(20_000) } else { rng.index(700) }
}

#[test]
fn bits_and_fields_match_a_plain_vector() {
    let store = Store::new();
    let mut rng = Rng::new(21);
    let mut plain = Plain::default();
    let mut exists = false;
    for round in 0..rounds(6_000, 20_000) {
        let at = offset(&mut rng);
        match rng.below(10) {
            0..3 => {
                let bit = rng.chance(1, 2);
                plain.grow(at + 1);
                exists = true;
                let old = std::mem::replace(&mut plain.0[at], bit);
                assert_eq!(store.setbit("k", at as u64, bit).unwrap(), old);
            }
            3 => assert_eq!(store.getbit("k", at as u64).unwrap(), plain.get(at)),
            4..7 => {
                let signed = rng.chance(1, 2);
                let bits = 1 + rng.index(if signed { 64 } else { 63 });
                let name = format!("{}{bits}", if signed { 'i' } else { 'u' });
                let overflow = [Overflow::Wrap, Overflow::Sat, Overflow::Fail][rng.index(3)];
                let by = if rng.chance(1, 3) { rng.i64() } else { rng.range(-9..=9) };
                let of = field(&name);
                plain.grow(at + bits);
                exists = true;
                let old = plain.number(signed, bits, at);
                let new = sum(signed, bits, old + i128::from(by), overflow);
                let answer = store.bitfield_incr("k", of, at as u64, by, overflow).unwrap();
                assert_eq!(answer.map(i128::from), new, "{name} {at} {by} {overflow:?}");
                plain.put(bits, at, new.unwrap_or(old));
                let number = i64::try_from(plain.number(signed, bits, at)).unwrap();
                assert_eq!(store.bitfield_get("k", of, at as u64).unwrap(), number);
                let value = rng.i64();
                let set = store.bitfield_set("k", of, at as u64, value, Overflow::Wrap).unwrap();
                assert_eq!(set, Some(number));
                plain.put(bits, at, value.into());
            }
            7 => {
                let (start, end) = (rng.range(-900..=900), rng.range(-900..=900));
                let unit = [BitUnit::Byte, BitUnit::Bit][rng.index(2)];
                check_range(&store, &plain, start, end, unit);
            }
            8 if round % 16 == 0 => {
                // These commands treat a number as text.
                let number = rng.i64();
                store.set("k", number).unwrap();
                (plain, exists) = (Plain::of(number.to_string().as_bytes()), true);
            }
            9 if round % 64 == 0 => {
                store.del(["k"]).unwrap();
                (plain, exists) = (Plain::default(), false);
            }
            _ => {
                let count = plain.0.iter().filter(|&&bit| bit).count() as u64;
                assert_eq!(store.bitcount("k").unwrap(), count);
                for bit in [false, true] {
                    let first = plain.0.iter().position(|&each| each == bit);
                    let behind =
                        (!bit && (!exists || !plain.0.is_empty())).then_some(plain.0.len());
                    let found = store.bitpos("k", bit).unwrap();
                    assert_eq!(found, first.or(behind).map(|at| at as u64), "{bit}");
                }
            }
        }
        assert_eq!(store.get("k").unwrap().unwrap_or_default(), plain.bytes());
        assert_eq!(store.exists("k").unwrap(), exists);
    }
}

fn check_range(store: &Store, plain: &Plain, start: i64, end: i64, unit: BitUnit) {
    let exists = store.exists("k").unwrap();
    let scale = if unit == BitUnit::Bit { 1 } else { 8 };
    let total = i64::try_from(plain.0.len()).unwrap() / scale;
    let index = |at: i64| if at < 0 { (at + total).max(0) } else { at };
    let inside = |at: usize| {
        let at = i64::try_from(at).unwrap() / scale;
        index(start) <= at && at <= index(end)
    };
    let range = BitRange::new(start, end, unit);
    let inverted = start < 0 && end < 0 && start > end;
    let hits = |bit| (0..plain.0.len()).filter(move |&at| inside(at) && plain.get(at) == bit);
    let count = if inverted { 0 } else { hits(true).count() as u64 };
    assert_eq!(store.bitcount_in("k", range).unwrap(), count, "{range:?} of {total}");
    if unit == BitUnit::Byte {
        assert_eq!(store.bitcount_range("k", start, end).unwrap(), count);
    }
    for bit in [false, true] {
        let first = hits(bit).next().map(|at| at as u64);
        let first = if exists { first } else { (!bit).then_some(0) };
        assert_eq!(store.bitpos_in("k", bit, range).unwrap(), first, "{bit} {range:?} of {total}");
    }
}

type Combine = fn(&Store, &str, &[String]) -> Result<usize, Error>;

type Definition = fn(&[bool]) -> bool;

/// Each operation by its definition: the resulting bit for the bits of all sources.
const OPERATIONS: [(&str, Combine, Definition); 7] = [
    ("AND", |store, to, of| store.bit_and(to, of), |bits| bits.iter().all(|&bit| bit)),
    ("OR", |store, to, of| store.bit_or(to, of), |bits| bits.contains(&true)),
    ("XOR", |store, to, of| store.bit_xor(to, of), |bits| ones(bits) % 2 == 1),
    ("DIFF", |store, to, of| store.bit_diff(to, of), |bits| bits[0] && ones(&bits[1..]) == 0),
    ("DIFF1", |store, to, of| store.bit_diff1(to, of), |bits| !bits[0] && ones(&bits[1..]) > 0),
    ("ANDOR", |store, to, of| store.bit_and_or(to, of), |bits| bits[0] && ones(&bits[1..]) > 0),
    ("ONE", |store, to, of| store.bit_one(to, of), |bits| ones(bits) == 1),
];

fn ones(bits: &[bool]) -> usize {
    bits.iter().filter(|&&bit| bit).count()
}

/// The target is another key or one of the sources, and its previous value may be shorter or longer than the result.
#[test]
fn strings_are_combined_bit_by_bit() {
    const LENGTHS: [usize; 9] = [0, 1, 7, 31, 33, 200, 16_384, 16_390, 40_000];
    let store = Store::new();
    let mut rng = Rng::new(22);
    let fill = |key: &str, rng: &mut Rng| {
        let lengths = if rng.chance(1, 4) { 9 } else { 6 };
        let len = LENGTHS[rng.index(lengths)];
        match rng.below(8) {
            0 => drop(store.del([key]).unwrap()),
            1 => store.set(key, rng.i64()).unwrap(),
            2 => drop(store.setrange(key, len, "x").unwrap()),
            _ => store.set(key, rng.bytes(len)).unwrap(),
        }
    };
    for round in 0..rounds(200, 1_500) {
        let (name, typed, definition) = OPERATIONS[rng.index(OPERATIONS.len())];
        let target = format!("k{}", rng.below(5));
        let count = 2 + rng.index(if round % 50 == 0 { 20 } else { 3 });
        let of: Vec<String> = (0..count).map(|_| format!("k{}", rng.below(5))).collect();
        fill(&of[rng.index(count)], &mut rng);
        let sources: Vec<Plain> =
            of.iter().map(|key| Plain::of(&store.get(key).unwrap().unwrap_or_default())).collect();
        let bits = sources.iter().map(|source| source.0.len()).max().unwrap();
        let result = (0..bits).map(|at| {
            let bits: Vec<bool> = sources.iter().map(|source| source.get(at)).collect();
            definition(&bits)
        });
        let result = Plain(result.collect()).bytes();
        let len = if rng.chance(1, 2) {
            typed(&store, &target, &of).unwrap()
        } else {
            let words = ["BITOP", name, &target].into_iter().chain(of.iter().map(String::as_str));
            let reply = store.execute(&words.collect::<Vec<_>>());
            let Reply::Int(len) = reply else { panic!("{reply:?}") };
            usize::try_from(len).unwrap()
        };
        let context = format!("{name} {target} {of:?}");
        assert_eq!(len, result.len(), "{context}");
        assert_eq!(store.exists(&target).unwrap(), len > 0, "{context}");
        assert!(store.get(&target).unwrap().unwrap_or_default() == result, "{context}");
        if len > 0 {
            assert_eq!(store.object_encoding(&target).unwrap(), Some("raw"), "{context}");
        }
        // The bytes after the end are zeros, whatever the previous value was.
        if rng.chance(1, 4) {
            store.setbit(&target, (len as u64 + 40) * 8, false).unwrap();
            let grown = store.get(&target).unwrap().unwrap();
            assert!(grown[len..].iter().all(|&byte| byte == 0), "{context}");
        }
        let from = of[0].clone();
        let inverted: Vec<u8> = store.get(&from).unwrap().unwrap_or_default().to_vec();
        let inverted: Vec<u8> = inverted.into_iter().map(|byte| !byte).collect();
        assert_eq!(store.bit_not(&target, &from).unwrap(), inverted.len());
        assert!(store.get(&target).unwrap().unwrap_or_default() == inverted, "NOT {target} {from}");
    }
}

#[test]
fn the_older_profile_does_not_have_the_newer_operations() {
    let old = Store::builder().profile(Profile::Redis70).build();
    let new = Store::new();
    for store in [&old, &new] {
        store.mset(&[("a", "x"), ("b", "y")]).unwrap();
    }
    for (name, len) in [("DIFF", 1), ("diff1", 1), ("AndOr", 1), ("ONE", 1)] {
        let line = format!("BITOP {name} d a b");
        assert_eq!(
            execute(&old, &line),
            Reply::Error(Error::new(ErrorKind::Syntax, "ERR syntax error"))
        );
        assert_eq!(execute(&new, &line), Reply::Int(len));
    }
    // The typed calls are available nevertheless.
    assert_eq!(old.bit_diff("d", ["a", "b"]).unwrap(), 1);
    let error = new.bit_diff("d", ["a"]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Syntax);
    let text = "ERR BITOP DIFF must be called with at least two source keys.";
    assert_eq!(error.to_string(), text);
    assert_eq!(execute(&new, "BITOP DIFF d a"), Reply::Error(error));
    let none: [&str; 0] = [];
    let error = new.bit_one("d", none).unwrap_err();
    assert_eq!(error.to_string(), "ERR BITOP ONE must be called with at least one source key.");
}

#[test]
fn invalid_offsets_and_types_are_refused_and_nothing_changes() {
    let store = Store::new();
    store.sadd("s", [1]).unwrap();
    let before = store.changes();
    let u8 = field("u8");
    let far = 1 << 32;
    let wrap = Overflow::Wrap;
    for result in [
        store.setbit("k", far, true).map(drop),
        store.getbit("k", far).map(drop),
        store.bitfield_get("k", u8, far).map(drop),
        store.bitfield_set("k", u8, far, 1, wrap).map(drop),
        store.bitfield_incr("k", u8, u64::MAX, 1, wrap).map(drop),
        store.bitfield("k", [BitFieldOp::set(u8, 0, 1), BitFieldOp::get(u8, far)]).map(drop),
        store.bitfield_ro("k", [(u8, far)]).map(drop),
        // Even if the key does not exist.
        store.setbit("s", far, true).map(drop),
    ] {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Syntax);
        assert_eq!(error.to_string(), "ERR bit offset is not an integer or out of range");
    }
    for result in [
        store.setbit("s", 0, true).map(drop),
        store.getbit("s", 0).map(drop),
        store.bitcount("s").map(drop),
        store.bitcount_range("s", 0, -1).map(drop),
        store.bitpos("s", true).map(drop),
        store.bit_and("k", ["none", "s"]).map(drop),
        store.bit_not("k", "s").map(drop),
        store.bitfield("s", []).map(drop),
        store.bitfield("s", [BitFieldOp::incr_by(u8, 0, 1)]).map(drop),
        store.bitfield_get("s", u8, 0).map(drop),
        store.bitfield_set("s", u8, 0, 1, wrap).map(drop),
    ] {
        assert_eq!(result.unwrap_err().kind(), ErrorKind::WrongType);
    }
    assert_eq!((store.changes(), store.dbsize().unwrap()), (before, 1));
    assert!(!store.getbit("k", far - 1).unwrap());
    assert_eq!(store.bitfield_get("k", field("u63"), far - 1).unwrap(), 0);
}

#[test]
fn effects_have_what_was_written_and_a_watch_sees_changes() {
    let journal = Arc::new(Journal::default());
    let store = Store::builder().sink(journal.clone()).build();
    let lines: [(&str, &[&str], bool); 30] = [
        ("SETBIT k 1 1", &["SETBIT k 1 1"], true),
        ("SETBIT k 1 1", &[], false),
        ("SETBIT k 9 0", &["SETBIT k 9 0"], true),
        ("SETBIT k 1 2", &[], false),
        ("GETBIT k 1", &[], false),
        ("BITCOUNT k", &[], false),
        ("BITPOS k 1", &[], false),
        ("SET k 12", &["SET k 12"], true),
        // Only the encoding has changed.
        ("SETBIT k 0 0", &["SETBIT k 0 0"], false),
        ("SET k 12", &["SET k 12"], true),
        ("BITFIELD k INCRBY u8 0 0 GET u8 0", &["BITFIELD k INCRBY u8 0 0"], false),
        ("BITFIELD k GET u8 900", &[], false),
        ("BITFIELD k", &[], false),
        ("BITFIELD k SET u8 0 50", &["BITFIELD k SET u8 0 50"], true),
        ("BITFIELD k SET u8 0 306", &[], false),
        ("BITFIELD k INCRBY u8 0 256", &[], false),
        ("BITFIELD k INCRBY u8 #1 -1", &["BITFIELD k INCRBY u8 8 -1"], true),
        (
            "BITFIELD k OVERFLOW SAT SET u8 0 999 GET u8 0 OVERFLOW FAIL INCRBY u8 0 1",
            &["BITFIELD k OVERFLOW SAT SET u8 0 999 OVERFLOW WRAP \
                 OVERFLOW FAIL INCRBY u8 0 1 OVERFLOW WRAP"],
            true,
        ),
        ("BITFIELD k OVERFLOW SAT INCRBY u8 0 1", &[], false),
        ("BITFIELD k OVERFLOW FAIL INCRBY u8 0 1", &[], false),
        // A failed operation that extends the string, which Redis does not report.
        (
            "BITFIELD k OVERFLOW FAIL SET u4 80 99",
            &["BITFIELD k OVERFLOW FAIL SET u4 80 99 OVERFLOW WRAP"],
            false,
        ),
        ("BITFIELD k SET u4 160 0", &["BITFIELD k SET u4 160 0"], true),
        ("BITFIELD k SET u4 160 x", &[], false),
        ("BITFIELD_RO k GET u4 160", &[], false),
        ("BITOP NOT k none", &["DEL k"], true),
        ("BITOP NOT k none", &[], false),
        ("MSET a ab b b", &["MSET a ab b b"], false),
        ("BITOP OR k a b", &["BITOP OR k a b"], true),
        // As the resulting bytes: no server before 8.2 has the command.
        ("BITOP ONE k a b", &["DEL k", "SETRANGE k 0 \\x03b"], true),
        ("BITOP AND none a none2", &["BITOP AND none a none2"], false),
    ];
    for (line, effects, changed) in lines {
        let mut session = store.session();
        session.execute(&["WATCH", "k"]);
        let reply = execute(&store, line);
        let heard: Vec<String> = journal.take().iter().map(ToString::to_string).collect();
        assert_eq!(heard, effects, "{line}: {reply:?}");
        session.execute(&["MULTI"]);
        let executed = session.execute(&["EXEC"]) != Reply::NullArray;
        assert_eq!(!executed, changed, "{line}: {reply:?}");
    }
}

#[test]
fn a_string_grows_once_as_far_as_any_operation_reaches() {
    let store = Store::new();
    let u8 = field("u8");
    let fail = BitFieldOp::set(u8, 40, 1_000).overflow(Overflow::Fail);
    // The read is limited to the length after the writes of its call; the bits beyond are 0 anyway.
    let operations = [BitFieldOp::get(u8, 800), BitFieldOp::set(u8, 8, 7), fail];
    assert_eq!(store.bitfield("k", operations).unwrap(), [Some(0), Some(0), None]);
    assert_eq!(store.get("k").unwrap().unwrap(), [0, 7, 0, 0, 0, 0][..]);
    store.pexpire("k", 1_000_000).unwrap();
    assert_eq!(store.bitfield("k", [fail]).unwrap(), [None]);
    assert!(store.ttl("k").unwrap().millis() > 0);
    assert_eq!(store.strlen("k").unwrap(), 6);
    assert_eq!(store.bitfield("none", [BitFieldOp::get(u8, 0)]).unwrap(), [Some(0)]);
    assert!(!store.exists("none").unwrap());
}
