//! Calls on many keys or members compared with calls on one.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::hint::black_box;

use jiff::{SignedDuration, Timestamp};
use tallis::{Bucket, FieldType, Store, UvLevel, UvWindows, Visitors};

use super::{built, held, pieces};
use crate::inputs::{Turns, Words, shuffled};
use crate::report::{Bench, Result, Row, Section, Touched, Unit};

/// The names of the two on the page.
const MANY: &str = "by 100";
const ONE: &str = "one by one";

/// Keys or members per call.
const CALL: usize = 100;

/// Keys or members per round.
const ROUND: usize = 20_000;

pub(super) fn measure(bench: &Bench) -> Section {
    let count = if bench.effort().is_quick() { 20_000 } else { 1_000_000 };
    let text = format!(
        "{count} keys of 8 bytes, or members or fields of one key, exist. Each round uses {ROUND} of them in random \
         order, others than the round before, in calls of {CALL} and in calls of one. ZADD gives members another \
         score. Bits and fields (`u12`) are anywhere in one string. Visits are of a million random ids, in calls of \
         1,000, in a bucket that splits; visits of windows are 500 per minute, of users that the hour already has. \
         PFADD gives each of ten new keys 500 elements. A figure is the time per key, member, field, bit or visit.",
    );
    let words: Words = shuffled(1, count).into_iter().map(|n| format!("{n:08}")).collect();
    let words: Vec<&[u8]> = words.iter().collect();
    Section::new("Many at once", &text)
        .row(getbit(bench))
        .row(setbit(bench))
        .row(bitfield(bench))
        .row(visits(bench, true))
        .row(visits(bench, false))
        .row(visits_of_the_book(bench))
        .row(windows(bench))
        .row(pfadd(bench))
        .row(pipeline(bench, &words))
        .row(mget(bench, &words))
        .row(mset(bench, &words))
        .row(exists(bench, &words))
        .row(smismember(bench, &words))
        .row(sadd(bench, &words))
        .row(hmget(bench, &words))
        .row(hset(bench, &words))
        .row(hdel(bench, &words))
        .row(zmscore(bench, &words))
        .row(zadd(bench, &words))
        .row(geopos(bench, &words))
}

/// Races calls of many against calls of one, each on its own turn of the words.
fn race<T: Copy>(
    bench: &Bench,
    words: &[T],
    many: impl FnMut(&[T]),
    one: impl FnMut(T),
) -> Vec<Result> {
    race_by(bench, (MANY, CALL), words, many, one)
}

/// The same for calls of another size, with their name.
fn race_by<T: Copy>(
    bench: &Bench,
    (name, call): (&str, usize),
    words: &[T],
    mut many: impl FnMut(&[T]),
    mut one: impl FnMut(T),
) -> Vec<Result> {
    let [mut of_many, mut of_one] = [(); 2].map(|()| Turns::new(ROUND, words.len()));
    bench
        .race()
        .contender(name, pieces(ROUND), || words[of_many.turn()].chunks(call).for_each(&mut many))
        .rivals()
        .contender(ONE, pieces(ROUND), || words[of_one.turn()].iter().for_each(|word| one(*word)))
        .run()
}

fn row(work: &str, touched: Touched, results: Vec<Result>, aim: f64) -> Row {
    Row::new(work, Unit::Nanos, touched, results).factor(ONE, aim)
}

/// Returns a string of random bits, and offsets anywhere in it.
fn bits(bench: &Bench) -> (Store, Vec<u64>) {
    let (bytes, count) =
        if bench.effort().is_quick() { (1_000_000, 20_000) } else { (100_000_000, 1_000_000) };
    let mut rng = testkit::rng::Rng::new(7);
    let store = Store::new();
    store.set("bits", rng.bytes(bytes)).unwrap();
    let offsets = (0..count).map(|_| rng.below(bytes as u64 * 8)).collect();
    (store, offsets)
}

fn getbit(bench: &Bench) -> Row {
    let (store, offsets) = bits(bench);
    let ones = offsets[..CALL].iter().map(|at| store.getbit("bits", *at).unwrap());
    assert!(store.getbit_multiple("bits", &offsets[..CALL]).unwrap().into_iter().eq(ones));
    let many = |offsets: &[u64]| drop(black_box(store.getbit_multiple("bits", offsets).unwrap()));
    let one = |offset| assert!(black_box(store.getbit("bits", offset)).is_ok());
    row("GETBIT of 100 MB", held(&store), race(bench, &offsets, many, one), 0.11)
}

fn setbit(bench: &Bench) -> Row {
    let (store, offsets) = bits(bench);
    let of = |offset: &u64| (*offset, offset.is_multiple_of(3));
    let many = |offsets: &[u64]| {
        let values: Vec<_> = offsets.iter().map(of).collect();
        drop(black_box(store.setbit_multiple("bits", &values).unwrap()));
    };
    let one = |offset: u64| {
        let (offset, value) = of(&offset);
        black_box(store.setbit("bits", offset, value).unwrap());
    };
    Row::new("SETBIT of 100 MB", Unit::Nanos, held(&store), race(bench, &offsets, many, one))
}

fn bitfield(bench: &Bench) -> Row {
    let (store, offsets) = bits(bench);
    let field = FieldType::unsigned(12).unwrap();
    let many = |offsets: &[u64]| {
        let fields = offsets.iter().map(|offset| (field, *offset));
        drop(black_box(store.bitfield_ro("bits", fields).unwrap()));
    };
    let one = |offset| assert!(black_box(store.bitfield_get("bits", field, offset)).is_ok());
    Row::new("BITFIELD_RO of 100 MB", Unit::Nanos, held(&store), race(bench, &offsets, many, one))
}

/// Measures GET by words, in a pipeline and by `execute`.
fn pipeline(bench: &Bench, words: &[&[u8]]) -> Row {
    let store = keys(words);
    let mut pipeline = store.pipeline();
    let many = |words: &[&[u8]]| {
        pipeline.clear();
        for word in words {
            pipeline.get(word);
        }
        drop(black_box(pipeline.replies().unwrap()));
    };
    let one = |word: &[u8]| drop(black_box(store.execute(&[b"GET", word])));
    Row::new("pipeline of GET", Unit::Nanos, held(&store), race(bench, words, many, one))
}

/// Measures visits of visitors who were counted before, or of new ones.
fn visits(bench: &Bench, again: bool) -> Row {
    let (touched, results) = race_visits(bench, Visitors::new, again);
    let work = if again { "visits, of visitors who come again" } else { "visits, of new visitors" };
    row(work, touched, results, 0.35)
}

/// Measures the same in sets of a fixed number of shards, with a counter.
fn visits_of_the_book(bench: &Bench) -> Row {
    let (touched, results) = race_visits(bench, Visitors::book, true);
    Row::new("visits of the book's form, who come again", Unit::Nanos, touched, results)
}

fn race_visits(
    bench: &Bench,
    visitors: fn(Store) -> Visitors,
    again: bool,
) -> (Touched, Vec<Result>) {
    let count = if bench.effort().is_quick() { 20_000 } else { 1_000_000 };
    let mut rng = testkit::rng::Rng::new(11);
    let mut ids = |count| (0..count).map(|_| (rng.u64() >> 4).cast_signed()).collect::<Vec<i64>>();
    let (all, fresh) = (ids(count), ids(count));
    let [(by_many, touched), (by_one, _)] = [(); 2].map(|()| {
        let store = Store::new();
        let visitors = visitors(store.clone());
        visitors.count_ids(all.iter().copied(), Bucket::All).unwrap();
        (visitors, held(&store))
    });
    let many = |ids: &[i64]| {
        black_box(by_many.count_ids(ids.iter().copied(), Bucket::All).unwrap());
    };
    let one = |id: i64| {
        black_box(by_one.count_id(id, Bucket::All).unwrap());
    };
    let ids = if again { &all } else { &fresh };
    (touched, race_by(bench, ("by 1000", 1000), ids, many, one))
}

/// Measures visits of sparse minutes, written to four levels.
fn windows(bench: &Bench) -> Row {
    const MINUTES: usize = 10;
    const A_MINUTE: usize = 500;
    let start = Timestamp::from_second(1_600_000_020).unwrap();
    let fresh = || {
        let levels = UvLevel::ALL.into_iter();
        let windows = levels.fold(UvWindows::new(Store::new(), "uv:"), UvWindows::keep_for_ever);
        // The hour already has all of them.
        windows.record_many((0..200_000_u64).map(|user| (user, start))).unwrap();
        windows
    };
    let mut rng = testkit::rng::Rng::new(5);
    let visits: Vec<(u64, Timestamp)> = (0..MINUTES * A_MINUTE)
        .map(|visit| {
            let minute = i64::try_from(1 + visit / A_MINUTE).unwrap();
            (rng.below(200_000), start + SignedDuration::from_mins(minute))
        })
        .collect();
    let results = bench
        .race()
        .contender_from("by 500", pieces(visits.len()), fresh, |windows| {
            for visits in visits.chunks(A_MINUTE) {
                black_box(windows.record_many(visits.iter().copied()).unwrap());
            }
        })
        .rivals()
        .contender_from(ONE, pieces(visits.len()), fresh, |windows| {
            for (user, at) in &visits {
                black_box(windows.record(user, *at).unwrap());
            }
        })
        .run();
    row("record_many, minutes sparse", built(bench, fresh), results, 0.37)
}

/// Measures elements of keys that stay sparse.
fn pfadd(bench: &Bench) -> Row {
    const KEYS: usize = 10;
    const EACH: usize = 500;
    let elements: Words = (0..KEYS * EACH).map(|n| format!("{n:08}")).collect();
    let elements: Vec<&[u8]> = elements.iter().collect();
    let key = |at: usize| format!("uv:{at}");
    let touched = built(bench, || {
        let store = Store::new();
        for (at, elements) in elements.chunks(EACH).enumerate() {
            store.pfadd(key(at), elements).unwrap();
        }
        store
    });
    let results = bench
        .race()
        .contender_from("by 500", pieces(elements.len()), Store::new, |store| {
            for (at, elements) in elements.chunks(EACH).enumerate() {
                assert!(store.pfadd(key(at), elements).unwrap());
            }
        })
        .rivals()
        .contender_from(ONE, pieces(elements.len()), Store::new, |store| {
            for (at, elements) in elements.chunks(EACH).enumerate() {
                let key = key(at);
                for element in elements {
                    black_box(store.pfadd(&key, element).unwrap());
                }
            }
        })
        .run();
    Row::new("PFADD, new sparse keys", Unit::Nanos, touched, results)
}

fn keys(words: &[&[u8]]) -> Store {
    let store = Store::new();
    for word in words {
        store.set(word, word).unwrap();
    }
    store
}

fn mget(bench: &Bench, words: &[&[u8]]) -> Row {
    let store = keys(words);
    let strings = store.mget(&words[..CALL]).unwrap();
    assert!(strings.iter().zip(words).all(|(string, word)| string.as_deref() == Some(*word)));
    let many = |words: &[&[u8]]| drop(store.mget(words).unwrap());
    row("MGET", held(&store), race(bench, words, many, |word| drop(store.get(word).unwrap())), 0.30)
}

fn mset(bench: &Bench, words: &[&[u8]]) -> Row {
    let store = keys(words);
    let many = |words: &[&[u8]]| {
        let pairs: Vec<_> = words.iter().map(|word| (word, word)).collect();
        store.mset(&pairs).unwrap();
    };
    let results = race(bench, words, many, |word| store.set(word, word).unwrap());
    Row::new("MSET", Unit::Nanos, held(&store), results)
}

fn exists(bench: &Bench, words: &[&[u8]]) -> Row {
    let store = keys(words);
    assert_eq!(store.exists_many(&words[..CALL]).unwrap(), CALL);
    let many = |words: &[&[u8]]| assert_eq!(store.exists_many(words).unwrap(), words.len());
    let results = race(bench, words, many, |word| assert!(store.exists(word).unwrap()));
    Row::new("EXISTS", Unit::Nanos, held(&store), results)
}

fn set(words: &[&[u8]]) -> Store {
    let store = Store::new();
    store.sadd("set", words).unwrap();
    store
}

fn smismember(bench: &Bench, words: &[&[u8]]) -> Row {
    let store = set(words);
    let many =
        |words: &[&[u8]]| assert!(store.smismember("set", words).unwrap().iter().all(|it| *it));
    let one = |word: &[u8]| assert!(store.sismember("set", word).unwrap());
    row("SMISMEMBER", held(&store), race(bench, words, many, one), 0.25)
}

fn sadd(bench: &Bench, words: &[&[u8]]) -> Row {
    let store = set(words);
    let many = |words: &[&[u8]]| assert_eq!(store.sadd("set", words).unwrap(), 0);
    let one = |word: &[u8]| assert_eq!(store.sadd("set", word).unwrap(), 0);
    Row::new(
        "SADD, members that are there",
        Unit::Nanos,
        held(&store),
        race(bench, words, many, one),
    )
}

fn hash(words: &[&[u8]]) -> Store {
    let store = Store::new();
    store
        .hset_multiple("hash", &words.iter().map(|word| (word, word)).collect::<Vec<_>>())
        .unwrap();
    store
}

fn hmget(bench: &Bench, words: &[&[u8]]) -> Row {
    let store = hash(words);
    let values = store.hmget("hash", &words[..CALL]).unwrap();
    assert!(values.iter().zip(words).all(|(value, word)| value.as_deref() == Some(*word)));
    let many = |words: &[&[u8]]| drop(black_box(store.hmget("hash", words).unwrap()));
    let one = |word: &[u8]| drop(black_box(store.hget("hash", word).unwrap()));
    Row::new("HMGET, beside HGET", Unit::Nanos, held(&store), race(bench, words, many, one))
}

fn hset(bench: &Bench, words: &[&[u8]]) -> Row {
    let store = hash(words);
    let many = |words: &[&[u8]]| {
        let pairs: Vec<_> = words.iter().map(|word| (word, word)).collect();
        assert_eq!(store.hset_multiple("hash", &pairs).unwrap(), 0);
    };
    let one = |word: &[u8]| assert_eq!(store.hset("hash", word, word).unwrap(), 0);
    Row::new(
        "HSET, fields that are there",
        Unit::Nanos,
        held(&store),
        race(bench, words, many, one),
    )
}

fn hdel(bench: &Bench, words: &[&[u8]]) -> Row {
    let store = hash(words);
    // Other fields, so that the hash does not change.
    let others: Vec<Vec<u8>> = words.iter().map(|word| [word, &b"-"[..]].concat()).collect();
    let others: Vec<&[u8]> = others.iter().map(|word| &word[..]).collect();
    let many = |words: &[&[u8]]| assert_eq!(store.hdel("hash", words).unwrap(), 0);
    let one = |word: &[u8]| assert_eq!(store.hdel("hash", word).unwrap(), 0);
    Row::new("HDEL, others", Unit::Nanos, held(&store), race(bench, &others, many, one))
}

fn sorted(words: &[&[u8]]) -> Store {
    let store = Store::new();
    let pairs: Vec<_> = (0_u32..).zip(words).collect();
    store.zadd_multiple("zset", &pairs).unwrap();
    store
}

fn zmscore(bench: &Bench, words: &[&[u8]]) -> Row {
    let store = sorted(words);
    let many = |words: &[&[u8]]| drop(store.zscore_multiple("zset", words).unwrap());
    let one = |word: &[u8]| assert!(store.zscore("zset", word).unwrap().is_some());
    row("ZMSCORE", held(&store), race(bench, words, many, one), 0.35)
}

fn zadd(bench: &Bench, words: &[&[u8]]) -> Row {
    let [by_many, by_one] = [(); 2].map(|()| sorted(words));
    // Scores anywhere in the set, each different from the one before.
    let scores = |seed: u64| {
        let mut rng = testkit::rng::Rng::new(seed);
        let most = words.len() as u64;
        move || rng.below(most)
    };
    let (mut of_many, mut of_one) = (scores(5), scores(5));
    let many = |words: &[&[u8]]| {
        let pairs: Vec<_> = words.iter().map(|word| (of_many(), word)).collect();
        by_many.zadd_multiple("zset", &pairs).unwrap();
    };
    let one = |word: &[u8]| assert_eq!(by_one.zadd("zset", word, of_one()).unwrap(), 0);
    row("ZADD, another score", held(&by_many), race(bench, words, many, one), 0.60)
}

fn geopos(bench: &Bench, words: &[&[u8]]) -> Row {
    let store = Store::new();
    let mut rng = testkit::rng::Rng::new(6);
    let mut degrees = |most: f64| (rng.unit() - 0.5) * most;
    let places: Vec<_> = words.iter().map(|word| (degrees(360.0), degrees(170.0), word)).collect();
    assert_eq!(store.geo_add("geo", &places).unwrap(), words.len());
    let many = |words: &[&[u8]]| assert!(store.geo_pos("geo", words).unwrap()[0].is_some());
    let one = |word: &[u8]| assert!(store.geo_pos("geo", [word]).unwrap()[0].is_some());
    Row::new("GEOPOS", Unit::Nanos, held(&store), race(bench, words, many, one))
}
