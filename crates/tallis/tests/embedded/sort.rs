//! SORT by typed calls.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;

use tallis::{Error, ErrorKind, ManualClock, Profile, SortOptions, Store};
use testkit::rng::Rng;

use crate::journal::Journal;

const PROFILES: [Profile; 2] = [Profile::Redis70, Profile::Redis72];

fn texts(store: &Store, key: &str, options: &SortOptions) -> Vec<String> {
    store.sort_as(key, options).unwrap()
}

#[test]
fn numbers_and_texts_are_in_the_order_of_a_sorted_vector() {
    let mut rng = Rng::new(7);
    let store = Store::new();
    let numbers: Vec<i64> = (0..700).map(|_| rng.range(-400..=400)).collect();
    store.rpush("l", &numbers).unwrap();
    store.sadd("s", &numbers).unwrap();
    store.zadd_multiple("z", numbers.iter().map(|&n| (1.0, n)).collect::<Vec<_>>()).unwrap();
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    let once = || {
        let mut once = sorted.clone();
        once.dedup();
        once
    };
    let options = SortOptions::default();
    assert_eq!(store.sort_as::<Vec<i64>>("l", &options).unwrap(), sorted);
    for key in ["s", "z"] {
        assert_eq!(store.sort_as::<Vec<i64>>(key, &options).unwrap(), once());
    }
    let page = store.sort_as::<Vec<i64>>("l", &options.clone().desc().limit(10, 20)).unwrap();
    assert_eq!(page, sorted.iter().rev().skip(10).take(20).copied().collect::<Vec<_>>());
    let mut words: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    words.sort_unstable();
    assert_eq!(texts(&store, "l", &options.alpha()), words);
}

/// A window is a part of the whole result, in every order and among equal weights too.
#[test]
fn a_limit_returns_a_part_of_the_whole_result() {
    let mut rng = Rng::new(9);
    let store = Store::new();
    let elements: Vec<String> =
        (0..60).map(|_| format!("{}{}", ["", "0", "+"][rng.index(3)], rng.range(0..=30))).collect();
    store.rpush("l", &elements).unwrap();
    store.sadd("s", &elements).unwrap();
    store.zadd_multiple("z", elements.iter().map(|e| (1.0, e)).collect::<Vec<_>>()).unwrap();
    for element in &elements {
        store.set(format!("w:{element}"), rng.range(0..=3)).unwrap();
    }
    let orders = [
        SortOptions::default(),
        SortOptions::default().alpha(),
        SortOptions::default().by("w:*"),
        SortOptions::default().by("w:*").alpha(),
        SortOptions::default().by("nosort"),
    ];
    for key in ["l", "s", "z"] {
        for order in orders.iter().flat_map(|order| [order.clone(), order.clone().desc()]) {
            let all = texts(&store, key, &order);
            for offset in 0..=all.len() {
                for count in [0, 1, 2, 7, all.len() - offset] {
                    let end = all.len().min(offset + count);
                    let limit = [offset, count].map(|number| i64::try_from(number).unwrap());
                    let part = order.clone().limit(limit[0], limit[1]);
                    assert_eq!(texts(&store, key, &part), all[offset..end], "{key} {part:?}");
                }
            }
        }
    }
}

/// A result that is returned is ordered as C strings, one that is stored by all bytes.
#[test]
fn a_nul_ends_a_text_unless_it_is_stored() {
    let store = Store::new();
    let texts = ["b", "a\0z", "a\0y", "a"];
    store.rpush("l", texts).unwrap();
    let options = SortOptions::default().alpha();
    assert_eq!(store.sort_as::<Vec<String>>("l", &options).unwrap(), ["a\0z", "a\0y", "a", "b"]);
    store.sort_store("l", "d", &options).unwrap();
    assert_eq!(store.lrange("d", 0, -1).unwrap(), ["a", "a\0y", "a\0z", "b"]);
}

/// Integers that round to one number are ordered by their bytes.
#[test]
fn numbers_that_round_to_one_are_ordered_by_their_bytes() {
    let store = Store::new();
    let [even, odd] = [1_i64 << 53, (1 << 53) + 1];
    store.rpush("l", [odd, even, -odd, -even]).unwrap();
    store.rpush("l", ["9007199254740992.0", "0", "-0"]).unwrap();
    let sorted = ["-9007199254740992", "-9007199254740993", "-0", "0"];
    let sorted = [&sorted[..], &["9007199254740992", "9007199254740992.0", "9007199254740993"]];
    assert_eq!(texts(&store, "l", &SortOptions::default()), sorted.concat());
}

/// Equal elements of a list keep their order, and those of a set are ordered by their bytes.
#[test]
fn equal_elements_have_an_order_too() {
    let store = Store::new();
    store.rpush("l", ["d", "b", "c", "a"]).unwrap();
    store.sadd("s", ["d", "b", "c", "a"]).unwrap();
    let by_none = SortOptions::default().by("none:*").alpha();
    assert_eq!(texts(&store, "l", &by_none), ["d", "b", "c", "a"]);
    assert_eq!(texts(&store, "l", &by_none.clone().desc()), ["d", "b", "c", "a"]);
    assert_eq!(texts(&store, "s", &by_none), ["a", "b", "c", "d"]);
    // As numbers, they are all zero, and ordered by their bytes.
    assert_eq!(texts(&store, "l", &SortOptions::default().by("none:*")), ["a", "b", "c", "d"]);
    assert_eq!(
        texts(&store, "l", &SortOptions::default().by("nosort").desc()),
        ["a", "c", "b", "d"]
    );
}

#[test]
fn unsortable_values_are_refused_and_nothing_changes() {
    let store = Store::new();
    store.set("s", "v").unwrap();
    store.rpush("l", ["1", "x"]).unwrap();
    store.set("d", "kept").unwrap();
    let before = store.changes();
    let options = SortOptions::default();
    assert_eq!(store.sort("s", &options).unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!(store.sort_store("s", "d", &options).unwrap_err().kind(), ErrorKind::WrongType);
    assert_eq!(store.sort("l", &options).unwrap_err().kind(), ErrorKind::NotInteger);
    assert_eq!(store.sort_store("l", "d", &options).unwrap_err().kind(), ErrorKind::NotInteger);
    let by = options.clone().by("s*");
    assert_eq!(store.sort("l", &by).unwrap().len(), 2, "no key of that name holds anything");
    assert_eq!(store.changes(), before);
    assert_eq!(store.get_as::<String>("d").unwrap(), "kept");
    assert_eq!(store.sort_store("none", "d", &options).unwrap(), 0);
    assert!(!store.exists("d").unwrap());
}

#[test]
fn a_transaction_on_named_keys_refuses_patterns_and_one_on_all_keys_accepts_them() {
    let store = Store::new();
    store.rpush("l", [2, 1]).unwrap();
    store.mset(&[("w:1", 9), ("w:2", 8)]).unwrap();
    let plain = SortOptions::default();
    let by = SortOptions::default().by("w:*");
    store
        .transaction(["l", "d"], |tx| {
            assert_eq!(tx.sort_store("l", "d", &plain)?, 2);
            assert_eq!(tx.sort("l", &by).unwrap_err().kind(), ErrorKind::KeyNotNamed);
            assert_eq!(tx.sort_store("l", "e", &plain).unwrap_err().kind(), ErrorKind::KeyNotNamed);
            Ok::<_, Error>(())
        })
        .unwrap();
    assert_eq!(store.lrange_as::<Vec<u8>>("d", 0, -1).unwrap(), [1, 2]);
    let mut session = store.session();
    session.execute(&["MULTI"]);
    session.execute(&["SORT", "l", "BY", "w:*", "STORE", "d"]);
    assert_eq!(session.execute(&["EXEC"]).convert::<Vec<u8>>().unwrap(), [2]);
    assert_eq!(store.lrange_as::<Vec<u8>>("d", 0, -1).unwrap(), [2, 1]);
}

/// Sinks receive the changes of SORT as commands with the same result, including the conversion of a sorted set.
#[test]
fn sinks_receive_stored_lists_and_converted_sets() {
    for profile in PROFILES {
        let journal = Arc::new(Journal::default());
        let store = Store::builder().profile(profile).sink(journal.clone()).build();
        store.zadd_multiple("z", &[(2.0, "1"), (1.0, "2")]).unwrap();
        store.sort("z", &SortOptions::default()).unwrap();
        assert_eq!(store.object_encoding("z").unwrap(), Some("skiplist"));
        let options = SortOptions::default().by("none*").get("#").desc().limit(0, 5);
        store.sort_store("z", "d", &options).unwrap();
        store.sort_store("z", "d", &SortOptions::default().limit(9, 1)).unwrap();
        assert_eq!(
            journal.lines()[1..],
            [
                "SORT_RO z BY nosort LIMIT 0 0",
                "SORT z BY none* LIMIT 0 5 GET # DESC STORE d",
                "DEL d",
            ]
        );
    }
}

/// A key that a pattern refers to and that has expired is removed, also for the sinks, and counts as missing.
#[test]
fn expired_keys_are_not_found() {
    let (clock, journal) = (Arc::new(ManualClock::new(0)), Arc::new(Journal::default()));
    let store = Store::builder().clock(clock.clone()).sink(journal.clone()).build();
    store.rpush("l", [1, 2]).unwrap();
    store.set("w:1", 9).unwrap();
    store.set("w:2", 1).unwrap();
    store.pexpire("w:1", 50).unwrap();
    let by = SortOptions::default().by("w:*").get("w:*").get("#");
    assert_eq!(store.sort_as::<Vec<(u8, u8)>>("l", &by).unwrap(), [(1, 2), (9, 1)]);
    clock.set(50);
    journal.take();
    let found: Vec<(Option<u8>, u8)> = store.sort_as("l", &by).unwrap();
    assert_eq!(found, [(None, 1), (Some(1), 2)]);
    assert_eq!(journal.lines(), ["DEL w:1"]);
}
