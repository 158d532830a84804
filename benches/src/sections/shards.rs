//! A million ids, stored exactly, in every available form: time against memory.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::collections::{BTreeSet, HashSet};

use jiff::civil::date;
use roaring::RoaringTreemap;
use tallis::{SessionIds, ShardedSet, Store, Visitors, VisitorsForm};
use testkit::rng::Rng;

use super::built;
use crate::inputs::Turns;
use crate::report::{Bench, Result, Row, Sample, Section, Touched, Unit};

/// Bits of an id.
const BITS: u32 = 60;
/// Queries per turn.
const TURN: usize = 20_000;

pub(super) fn measure(bench: &Bench) -> Section {
    let count = if bench.effort().is_quick() { 20_000 } else { 1_000_000 };
    let random = random(count);
    let mut rng = Rng::new(2);
    let uuids: Vec<i64> = (0..count).map(|_| SessionIds::First15.id(rng.uuid()).unwrap()).collect();
    let text = format!(
        "{count} ids of 60 bits: *random* ones, or the first 60 bits of random *UUIDs*, which fix 4 of these bits. \
         *Compact*, *splitting* and *the book's form* are shards of the embedded store; *one set* is one key, which is \
         a hash table; the `HashSet`, the `BTreeSet` and the `RoaringTreemap` hold only the numbers. Ids are counted \
         through `Visitors` and queried through `ShardedSet`, half of them ids that are not in the set. The \
         information in the set is 5.19 bytes per random id, and 4.69 per UUID."
    );
    Section::new("Ids, exactly: time against memory", &text)
        .row(count_time(bench, &random).beside("the book's form, forecast right", [200.0, 150.0]))
        .row(count_bytes(bench, &random).target(9.0))
        .row(compact_time(bench, &random, &uuids).beside("splitting", [250.0, 200.0]))
        .row(contains_time(bench, &random).factor("splitting", 0.5))
        .row(bytes(bench, "bytes an id, random", &random).target(6.0))
        .row(bytes(bench, "bytes an id, UUIDs", &uuids).target(6.0))
}

fn random(count: usize) -> Vec<i64> {
    let mut rng = Rng::new(1);
    (0..count).map(|_| (rng.u64() >> 4).cast_signed()).collect()
}

/// The forms, and the forecast as a fraction of the number of ids.
const FORMS: [(&str, VisitorsForm, [u64; 2]); 5] = [
    ("splitting, forecast 100x low", VisitorsForm::Splitting, [1, 100]),
    ("splitting, forecast 100x high", VisitorsForm::Splitting, [100, 1]),
    ("the book's form, forecast 100x low", VisitorsForm::Forecast, [1, 100]),
    ("the book's form, forecast 100x high", VisitorsForm::Forecast, [100, 1]),
    ("the book's form, forecast right", VisitorsForm::Forecast, [1, 1]),
];

fn count_all(ids: &[i64], form: VisitorsForm, [times, parts]: [u64; 2]) -> Store {
    let store = Store::new();
    let yesterday = ids.len() as u64 * times / parts;
    let visitors = Visitors::book(store.clone()).default_yesterday(yesterday).form(form);
    let day = date(2015, 5, 17);
    let bucket = visitors.bucket(day).unwrap();
    let new = ids.iter().filter(|&&id| bucket.count_id(id).unwrap()).count();
    assert_eq!((new as u64, new), (visitors.count(day).unwrap(), ids.len()));
    store
}

fn compact(ids: &[i64]) -> Store {
    count_all(ids, VisitorsForm::Compact, [1, 1])
}

fn splitting(ids: &[i64]) -> Store {
    count_all(ids, VisitorsForm::Splitting, [1, 1])
}

fn one_set(ids: &[i64]) -> Store {
    let store = Store::new();
    for &id in ids {
        store.sadd("unique", [id]).unwrap();
    }
    store
}

/// Inserts the ids one by one: `collect` would sort them first.
fn tree(ids: &[i64]) -> BTreeSet<i64> {
    let mut set = BTreeSet::new();
    for &id in ids {
        set.insert(id);
    }
    set
}

fn treemap(ids: &[i64]) -> RoaringTreemap {
    let mut set = RoaringTreemap::new();
    for &id in ids {
        set.insert(id.cast_unsigned());
    }
    set
}

fn pieces(ids: &[i64]) -> u32 {
    u32::try_from(ids.len()).unwrap()
}

fn count_time(bench: &Bench, ids: &[i64]) -> Row {
    let touched = built(bench, || count_all(ids, FORMS[0].1, FORMS[0].2));
    let mut race = bench.race();
    for (name, form, forecast) in FORMS {
        race =
            race.contender_from(name, pieces(ids), || (), move |()| count_all(ids, form, forecast));
    }
    Row::new("a new id, whatever was forecast", Unit::Nanos, touched, race.run())
}

fn compact_time(bench: &Bench, random: &[i64], uuids: &[i64]) -> Row {
    let results = bench
        .race()
        .contender_from("compact", pieces(random), || (), |()| compact(random))
        .contender_from("compact, UUIDs", pieces(uuids), || (), |()| compact(uuids))
        .contender_from("splitting", pieces(random), || (), |()| splitting(random))
        .contender_from("one set", pieces(random), || (), |()| one_set(random))
        .rivals()
        .contender_from(
            "HashSet",
            pieces(random),
            || (),
            |()| random.iter().copied().collect::<HashSet<i64>>(),
        )
        .contender_from("BTreeSet", pieces(random), || (), |()| tree(random))
        .contender_from("RoaringTreemap", pieces(random), || (), |()| treemap(random))
        .run();
    Row::new("a new id, compactly", Unit::Nanos, built(bench, || compact(random)), results)
}

fn contains_time(bench: &Bench, ids: &[i64]) -> Row {
    let mut rng = Rng::new(3);
    // Half of the queries are misses: two random numbers of 60 bits are hardly ever equal.
    let questions: Vec<i64> = (0..ids.len())
        .map(|_| match rng.below(2) {
            0 => ids[rng.index(ids.len())],
            _ => (rng.u64() >> 4).cast_signed(),
        })
        .collect();
    let turn = TURN.min(questions.len());
    let each = u32::try_from(turn).unwrap();
    let questions = &questions;
    let bare: HashSet<i64> = ids.iter().copied().collect();
    let there = questions.iter().filter(|&id| bare.contains(id)).count();
    let mut race = bench.race();
    let expected = 2 * ids.len() as u64;
    for (name, set) in [
        ("compact", ShardedSet::compact(Store::new(), "ids", BITS)),
        ("splitting", ShardedSet::splitting(Store::new(), "ids")),
        ("the book's form", ShardedSet::new(Store::new(), "ids", expected, 512)),
    ] {
        set.add_many(ids.iter().copied()).unwrap();
        assert_eq!(questions.iter().filter(|&&id| set.contains(id).unwrap()).count(), there);
        let mut turns = Turns::new(turn, questions.len());
        race = race.contender(name, each, move || {
            questions[turns.turn()].iter().filter(|&&id| set.contains(id).unwrap()).count()
        });
    }
    let (one, mut turns) = (one_set(ids), Turns::new(turn, questions.len()));
    race = race.contender("one set", each, move || {
        questions[turns.turn()].iter().filter(|&&id| one.sismember("unique", id).unwrap()).count()
    });
    let mut turns = Turns::new(turn, questions.len());
    race = race.rivals().contender("HashSet", each, move || {
        questions[turns.turn()].iter().filter(|&id| bare.contains(id)).count()
    });
    let (tree, mut turns): (BTreeSet<i64>, _) =
        (ids.iter().copied().collect(), Turns::new(turn, questions.len()));
    let map = treemap(ids);
    assert_eq!(questions.iter().filter(|&id| tree.contains(id)).count(), there);
    assert_eq!(questions.iter().filter(|&&id| map.contains(id.cast_unsigned())).count(), there);
    race = race.contender("BTreeSet", each, move || {
        questions[turns.turn()].iter().filter(|&id| tree.contains(id)).count()
    });
    let mut turns = Turns::new(turn, questions.len());
    race = race.contender("RoaringTreemap", each, move || {
        questions[turns.turn()].iter().filter(|&&id| map.contains(id.cast_unsigned())).count()
    });
    Row::new("whether an id is there", Unit::Nanos, built(bench, || compact(ids)), race.run())
}

/// Returns the bytes held per id.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53 bytes")]
fn held<T>(bench: &Bench, name: &str, ids: &[i64], make: impl FnOnce() -> T) -> Result {
    let (_, bytes) = bench.held(make);
    Result::new(name, Sample::exact(bytes as f64 / ids.len() as f64))
}

fn count_bytes(bench: &Bench, ids: &[i64]) -> Row {
    let results = FORMS
        .map(|(name, form, forecast)| held(bench, name, ids, || count_all(ids, form, forecast)));
    Row::new("bytes an id, whatever was forecast", Unit::Bytes, Touched::NOTHING, results.into())
}

fn bytes(bench: &Bench, work: &str, ids: &[i64]) -> Row {
    let results = vec![
        held(bench, "compact", ids, || compact(ids)),
        held(bench, "splitting", ids, || splitting(ids)),
        held(bench, "the book's form", ids, || count_all(ids, VisitorsForm::Forecast, [1, 1])),
        held(bench, "one set", ids, || one_set(ids)),
        Result {
            rival: true,
            ..held(bench, "HashSet", ids, || ids.iter().copied().collect::<HashSet<i64>>())
        },
        Result { rival: true, ..held(bench, "BTreeSet", ids, || tree(ids)) },
        Result { rival: true, ..held(bench, "RoaringTreemap", ids, || treemap(ids)) },
    ];
    Row::new(work, Unit::Bytes, Touched::NOTHING, results)
}
