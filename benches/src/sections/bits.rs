//! Bits through the store.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::hint::black_box;

use bitpack::bitfield;
use bitvec::vec::BitVec;
use fixedbitset::FixedBitSet;
use redis::Cmd;
use roaring::RoaringBitmap;
use tallis::{FieldType, Overflow, Store};
use testkit::rng::Rng;

use super::held;
use super::live::{Live, SERVER, command, rival};
use super::yo::{self, Yo};
use crate::inputs::Turns;
use crate::report::{Bench, Result, Row, Section, Touched, Unit};

/// The name of the store, next to the bare fields.
const STORE: &str = "tallis, the store";

/// How much slower than a plain loop a call may be whose time is that of the memory.
const NEARLY: f64 = 1.0 / 0.95;

pub(super) fn measure(bench: &Bench) -> Section {
    // Larger than most caches, and about the size of an L2 cache.
    let [large, small] =
        if bench.effort().is_quick() { [1_000_000, 10_000] } else { [100_000_000, 1_000_000] };
    let text = "Whole strings: each call reads a whole string, or writes the whole result over an older one. *A plain \
                read* adds up the words of the same memory; *a plain loop* does the same work word by word, or byte by \
                byte for BITOP, into memory that is already allocated. Single bits: in random order, anywhere in the \
                string. Fields: `u12`, in random order, in a string of 32 KiB, which the L1 cache holds. *bare* is \
                without a store. *RoaringBitmap* keeps the count of each of its containers, which have 65,536 bits. \
                *yo-kv* is that crate's `Keyspace` without locks, whose strings are limited to less than 2 MiB. \
                *redis-server* is its own time for a call, without the socket.";
    let mut live = Live::start();
    Section::new("Bits through the store", text)
        .row(count(bench, large, live.as_mut()))
        .row(count(bench, small, live.as_mut()))
        .row(combine(bench, large, live.as_mut()))
        .row(combine(bench, small, live.as_mut()))
        .row(position(bench, large, live.as_mut()))
        .row(get_bit(bench, large, live.as_mut()))
        .row(set_bit(bench, large, live.as_mut()))
        .row(get_field(bench, live.as_mut()))
        .row(add_to_field(bench, live.as_mut()))
        .row(
            bare_fields(
                bench,
                "bare get",
                |bytes, field, offset| bitfield::get(bytes, field, offset),
                |store, field, offset| store.bitfield_get("k", field, offset).unwrap(),
            )
            .beside(STORE, [3.0, 28.0]),
        )
        .row(
            bare_fields(
                bench,
                "bare incrby",
                |bytes, field, at| bitfield::add(bytes, field, at, 3, Overflow::Wrap).unwrap(),
                |store, field, at| {
                    store.bitfield_incr("k", field, at, 3, Overflow::Wrap).unwrap().unwrap()
                },
            )
            .beside(STORE, [5.0, 30.0]),
        )
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
fn size(len: usize) -> String {
    format!("{} MB", len as f64 / 1e6)
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word))
}

fn plain_read(bytes: &[u8]) -> u64 {
    words(bytes).fold(0, u64::wrapping_add)
}

fn fixed_bit_set(bytes: &[u8]) -> FixedBitSet {
    let blocks = words(bytes).map(|word| usize::try_from(word).unwrap());
    FixedBitSet::with_capacity_and_blocks(bytes.len() * 8, blocks)
}

fn bit_vec(bytes: &[u8]) -> BitVec<u64> {
    BitVec::from_vec(words(bytes).collect())
}

fn roaring(bytes: &[u8]) -> RoaringBitmap {
    RoaringBitmap::from_lsb0_bytes(0, bytes)
}

/// Returns a keyspace with these strings, if it allows strings of that length.
fn keyspace<const N: usize>(strings: [(&[u8], &[u8]); N]) -> Option<Yo> {
    let mut yo = Yo::default();
    for (key, bytes) in strings {
        if bytes.len() > yo::STRING_MAX {
            return None;
        }
        yo.set(key, bytes);
    }
    Some(yo)
}

/// Returns the server's time for the calls of a command, after other commands have created the string.
fn server(live: Option<&mut Live>, made: Vec<Cmd>, name: &str, again: Vec<Cmd>) -> Option<Result> {
    rival(live.map(|live| {
        live.run(made);
        live.nanos(name, again)
    }))
}

fn count(bench: &Bench, len: usize, live: Option<&mut Live>) -> Row {
    let store = Store::new();
    let bytes = Rng::new(1).bytes(len);
    store.set("k", &bytes).unwrap();
    let fixed = fixed_bit_set(&bytes);
    let plain_loop = |bytes| words(bytes).map(|word| u64::from(word.count_ones())).sum::<u64>();
    assert_eq!(store.bitcount("k").unwrap(), plain_loop(&bytes));
    let (vec, roaring) = (bit_vec(&bytes), roaring(&bytes));
    assert_eq!(store.bitcount("k").unwrap(), fixed.count_ones(..) as u64);
    assert_eq!(store.bitcount("k").unwrap(), vec.count_ones() as u64);
    assert_eq!(store.bitcount("k").unwrap(), roaring.len());
    let mut yo = keyspace([(b"k", &bytes)]);
    assert!(yo.as_mut().is_none_or(|yo| yo.bitcount(b"k") == plain_loop(&bytes)));
    let mut race = bench.race().contender("tallis", 1, || store.bitcount("k").unwrap()).rivals();
    if let Some(yo) = &mut yo {
        race = race.contender(yo::NAME, 1, || yo.bitcount(b"k"));
    }
    let mut results = race
        .contender("a plain read", 1, || plain_read(black_box(&bytes)))
        .contender("a plain loop", 1, || plain_loop(black_box(&bytes)))
        .contender("fixedbitset", 1, || black_box(&fixed).count_ones(..))
        .contender("bitvec", 1, || black_box(&vec).count_ones())
        .contender("RoaringBitmap", 1, || black_box(&roaring).len())
        .run();
    let calls = vec![command([b"BITCOUNT", b"k"]); 20];
    results.extend(server(live, vec![command([b"SET", b"k", &bytes])], "BITCOUNT", calls));
    let row = Row::new(&format!("BITCOUNT of {}", size(len)), Unit::Nanos, held(&store), results);
    // In a cache, the time is not that of the memory.
    if len > 10_000_000 {
        row.factor("a plain read", NEARLY)
    } else {
        row.factor("a plain loop", 1.0 / 3.0)
    }
}

fn combine(bench: &Bench, len: usize, live: Option<&mut Live>) -> Row {
    let store = Store::new();
    let [a, b] = [2, 3].map(|seed| Rng::new(seed).bytes(len));
    store.mset(&[("a", &a[..]), ("b", &b[..])]).unwrap();
    let (mut by_words, mut by_bytes) = (vec![1; len], vec![1; len]);
    let mut words = || {
        let out = by_words.as_chunks_mut::<8>().0.iter_mut();
        let sources = black_box(&a).as_chunks::<8>().0.iter().zip(black_box(&b).as_chunks().0);
        for (out, (&a, &b)) in out.zip(sources) {
            *out = (u64::from_le_bytes(a) | u64::from_le_bytes(b)).to_le_bytes();
        }
        by_words[0]
    };
    let mut bytes = || {
        for ((out, a), b) in by_bytes.iter_mut().zip(black_box(&a)).zip(black_box(&b)) {
            *out = a | b;
        }
        by_bytes[0]
    };
    assert_eq!(store.bit_or("out", ["a", "b"]).unwrap(), len);
    store.set("too", store.get("out").unwrap().unwrap()).unwrap();
    assert_eq!((words(), bytes()), (a[0] | b[0], a[0] | b[0]));
    let mut yo = keyspace([(b"a", &a), (b"b", &b)]);
    if let Some(yo) = &mut yo {
        assert_eq!(yo.bit_or(b"out", [b"a", b"b"]), len);
        assert!(yo.has(b"out", &store.get("out").unwrap().unwrap()));
    }
    let (mut out_vec, vecs) = (bit_vec(&a), [bit_vec(&a), bit_vec(&b)]);
    let mut by_vec = || {
        out_vec.copy_from_bitslice(black_box(&vecs[0]));
        out_vec |= black_box(&vecs[1]);
        out_vec[0]
    };
    let [roaring_a, roaring_b] = [&a, &b].map(|bytes| roaring(bytes));
    let by_roaring = || black_box(&roaring_a) | black_box(&roaring_b);
    by_vec();
    let ones = store.bitcount("out").unwrap();
    assert_eq!((by_roaring().len(), roaring_a.union_len(&roaring_b)), (ones, ones));
    let mut race = bench
        .race()
        .contender("tallis", 1, || store.bit_or("out", ["a", "b"]).unwrap())
        .contender("tallis, into a source", 1, || store.bit_or("too", ["too", "b"]).unwrap())
        .rivals();
    if let Some(yo) = &mut yo {
        race = race.contender(yo::NAME, 1, || yo.bit_or(b"out", [b"a", b"b"]));
    }
    let mut results = race
        .contender("a plain loop, words", 1, words)
        .contender("a plain loop, bytes", 1, bytes)
        .contender("bitvec", 1, by_vec)
        .contender("RoaringBitmap", 1, by_roaring)
        .run();
    let made = vec![command([b"SET", b"a", &a]), command([b"SET", b"b", &b])];
    let calls = vec![command([b"BITOP", b"OR", b"out", b"a", b"b"]); 10];
    results.extend(server(live, made, "BITOP", calls));
    Row::new(&format!("BITOP OR of two, {}", size(len)), Unit::Nanos, held(&store), results)
        .factor("a plain loop, words", NEARLY)
        .factor("a plain loop, bytes", NEARLY)
}

fn position(bench: &Bench, len: usize, live: Option<&mut Live>) -> Row {
    let store = Store::new();
    // Written with a value that the compiler does not know, so that every page has its own memory.
    let mut zeros = black_box(vec![1; len]);
    zeros.fill(0);
    store.set("k", &zeros).unwrap();
    assert_eq!(store.bitpos("k", true).unwrap(), None);
    let mut results = bench
        .race()
        .contender("tallis", 1, || store.bitpos("k", true).unwrap())
        .rivals()
        .contender("a plain read", 1, || plain_read(black_box(&zeros)))
        .run();
    let calls = vec![command([b"BITPOS", b"k", b"1"]); 20];
    results.extend(server(live, vec![command([b"SET", b"k", &zeros])], "BITPOS", calls));
    Row::new(&format!("BITPOS over {} of zeros", size(len)), Unit::Nanos, held(&store), results)
        .factor("a plain read", NEARLY)
}

/// Returns positions anywhere in a string, more than a turn uses.
fn places(count: usize, below: u64) -> Vec<u64> {
    let mut rng = Rng::new(4);
    (0..count).map(|_| rng.below(below)).collect()
}

/// Returns the number of positions in one turn, and in all turns.
fn turns(bench: &Bench) -> (usize, usize) {
    if bench.effort().is_quick() { (1_000, 4_000) } else { (20_000, 1_000_000) }
}

fn get_bit(bench: &Bench, len: usize, live: Option<&mut Live>) -> Row {
    let bytes = Rng::new(5).bytes(len);
    let store = Store::new();
    store.set("k", &bytes).unwrap();
    let (fixed, vec, roaring) = (fixed_bit_set(&bytes), bit_vec(&bytes), roaring(&bytes));
    let (size_of_turn, count) = turns(bench);
    let places = places(count, len as u64 * 8);
    let of_turn = u32::try_from(size_of_turn).unwrap();
    let [mut ours, mut theirs, mut of_vec, mut of_roaring] =
        [(); 4].map(|()| Turns::new(size_of_turn, count));
    let at = |&place: &u64| usize::try_from(place).unwrap();
    // The crates count the bits of a byte from the lowest, Redis from the highest.
    for place in &places[..1000] {
        let of_ours = store.getbit("k", place ^ 7).unwrap();
        let value = u32::try_from(*place).unwrap();
        let of_theirs = [fixed.contains(at(place)), vec[at(place)], roaring.contains(value)];
        assert_eq!(of_theirs, [of_ours; 3]);
    }
    let mut results = bench
        .race()
        .contender("tallis", of_turn, || {
            let places = &places[ours.turn()];
            places.iter().filter(|&&place| store.getbit("k", place).unwrap()).count()
        })
        .rivals()
        .contender("fixedbitset, bare", of_turn, || {
            let places = &places[theirs.turn()];
            places.iter().map(at).filter(|&at| fixed.contains(at)).count()
        })
        .contender("bitvec, bare", of_turn, || {
            places[of_vec.turn()].iter().map(at).filter(|&at| vec[at]).count()
        })
        .contender("RoaringBitmap, bare", of_turn, || {
            let value = |&place: &u64| u32::try_from(place).unwrap();
            places[of_roaring.turn()].iter().map(value).filter(|&n| roaring.contains(n)).count()
        })
        .run();
    let text = |place: &u64| command([b"GETBIT", b"k", place.to_string().as_bytes()]);
    let calls = places.iter().take(100_000).map(text).collect();
    results.extend(server(live, vec![command([b"SET", b"k", &bytes])], "GETBIT", calls));
    Row::new(&format!("GETBIT of {}", size(len)), Unit::Nanos, held(&store), results)
        .beside(SERVER, [30.0, 208.0])
}

fn set_bit(bench: &Bench, len: usize, live: Option<&mut Live>) -> Row {
    let bytes = Rng::new(6).bytes(len);
    let store = Store::new();
    store.set("k", &bytes).unwrap();
    let (mut fixed, mut vec, mut roaring) =
        (fixed_bit_set(&bytes), bit_vec(&bytes), roaring(&bytes));
    let (size_of_turn, count) = turns(bench);
    let places = places(count, len as u64 * 8);
    let of_turn = u32::try_from(size_of_turn).unwrap();
    let [mut ours, mut theirs, mut of_vec, mut of_roaring] =
        [(); 4].map(|()| Turns::new(size_of_turn, count));
    let [mut on, mut too, mut vec_on, mut roaring_on] = [false; 4];
    let mut results = bench
        .race()
        .contender("tallis", of_turn, || {
            on = !on;
            for &place in &places[ours.turn()] {
                store.setbit("k", place, on).unwrap();
            }
        })
        .rivals()
        .contender("fixedbitset, bare", of_turn, || {
            too = !too;
            for &place in &places[theirs.turn()] {
                fixed.set(usize::try_from(place).unwrap(), too);
            }
        })
        .contender("bitvec, bare", of_turn, || {
            vec_on = !vec_on;
            for &place in &places[of_vec.turn()] {
                vec.set(usize::try_from(place).unwrap(), vec_on);
            }
        })
        .contender("RoaringBitmap, bare", of_turn, || {
            roaring_on = !roaring_on;
            for &place in &places[of_roaring.turn()] {
                let value = u32::try_from(place).unwrap();
                if roaring_on {
                    roaring.insert(value);
                } else {
                    roaring.remove(value);
                }
            }
        })
        .run();
    let text = |place: &u64| command([b"SETBIT", b"k", place.to_string().as_bytes(), b"1"]);
    let calls = places.iter().take(100_000).map(text).collect();
    results.extend(server(live, vec![command([b"SET", b"k", &bytes])], "SETBIT", calls));
    Row::new(&format!("SETBIT of {}", size(len)), Unit::Nanos, held(&store), results)
        .beside(SERVER, [32.0, 224.0])
}

/// Returns fields of a string that the L1 cache holds: its bytes, the type, and the positions in random order.
fn fields() -> (Vec<u8>, FieldType, Vec<u64>) {
    const BYTES: usize = 32 << 10;
    let u12 = FieldType::unsigned(12).unwrap();
    let places = places(4_096, BYTES as u64 * 8 / 12).into_iter().map(|at| at * 12).collect();
    (Rng::new(7).bytes(BYTES), u12, places)
}

fn get_field(bench: &Bench, live: Option<&mut Live>) -> Row {
    let (bytes, u12, places) = fields();
    let store = Store::new();
    store.set("k", &bytes).unwrap();
    let mut yo = keyspace([(b"k", &bytes)]).unwrap();
    for &at in &places {
        assert_eq!(yo.bitfield_get(b"k", 12, at), store.bitfield_get("k", u12, at).unwrap());
    }
    let of_turn = u32::try_from(places.len()).unwrap();
    let mut results = bench
        .race()
        .contender("tallis", of_turn, || {
            places.iter().map(|&at| store.bitfield_get("k", u12, at).unwrap()).sum::<i64>()
        })
        .rivals()
        .contender(yo::NAME, of_turn, || {
            places.iter().map(|&at| yo.bitfield_get(b"k", 12, at)).sum::<i64>()
        })
        .run();
    let text = |at: &u64| command([b"BITFIELD", b"k", b"GET", b"u12", at.to_string().as_bytes()]);
    let calls = places.iter().map(text).collect();
    results.extend(server(live, vec![command([b"SET", b"k", &bytes])], "BITFIELD", calls));
    Row::new("BITFIELD get", Unit::Nanos, held(&store), results).beside(SERVER, [28.0, 104.0])
}

fn add_to_field(bench: &Bench, live: Option<&mut Live>) -> Row {
    let (bytes, u12, places) = fields();
    let store = Store::new();
    store.set("k", &bytes).unwrap();
    let of_turn = u32::try_from(places.len()).unwrap();
    let mut yo = keyspace([(b"k", &bytes)]).unwrap();
    let mut yo_add = |&at: &u64| yo.bitfield_incr(b"k", 12, at, 3);
    let add = |&at: &u64| store.bitfield_incr("k", u12, at, 3, Overflow::Wrap).unwrap().unwrap();
    let mut results = bench
        .race()
        .contender("tallis", of_turn, || places.iter().map(add).sum::<i64>())
        .rivals()
        .contender(yo::NAME, of_turn, || places.iter().map(&mut yo_add).sum::<i64>())
        .run();
    let text =
        |at: &u64| command([b"BITFIELD", b"k", b"INCRBY", b"u12", at.to_string().as_bytes(), b"3"]);
    let calls = places.iter().map(text).collect();
    results.extend(server(live, vec![command([b"SET", b"k", &bytes])], "BITFIELD", calls));
    Row::new("BITFIELD incrby", Unit::Nanos, held(&store), results).beside(SERVER, [30.0, 152.0])
}

fn bare_fields(
    bench: &Bench,
    name: &str,
    bare: impl Fn(&mut [u8], FieldType, u64) -> i64,
    stored: impl Fn(&Store, FieldType, u64) -> i64,
) -> Row {
    let (mut bytes, u12, places) = fields();
    let len = bytes.len();
    let store = Store::new();
    store.set("k", &bytes).unwrap();
    let of_turn = u32::try_from(places.len()).unwrap();
    let results = bench
        .race()
        .contender("bitpack", of_turn, || {
            places.iter().map(|&at| bare(&mut bytes, u12, at)).sum::<i64>()
        })
        .contender(STORE, of_turn, || places.iter().map(|&at| stored(&store, u12, at)).sum::<i64>())
        .run();
    Row::new(&format!("BITFIELD, {name}"), Unit::Nanos, Touched::bytes(len), results)
}
