//! The typed calls: their results, their errors, and the values that they leave.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tallis::bloom::Settings;
use tallis::{BloomInsertOptions, Error, ErrorKind, Limits, ManualClock, Reply, Store, each};

use crate::journal::Journal;

#[test]
fn the_transcript_of_the_notes() {
    let store = Store::new();
    let run = |line: &str| {
        store.execute(&line.split(' ').collect::<Vec<_>>()).into_resp2(store.profile())
    };
    let ints = |all: &[i64]| Reply::Array(all.iter().map(|&one| Reply::Int(one)).collect());
    assert_eq!(run("bf.add codehole user1"), Reply::Int(1));
    assert_eq!(run("bf.exists codehole user1"), Reply::Int(1));
    assert_eq!(run("bf.madd codehole user4 user5 user6"), ints(&[1, 1, 1]));
    assert_eq!(run("bf.mexists codehole user4 user5 user6 user7"), ints(&[1, 1, 1, 0]));
}

fn refused<T: Debug>(result: Result<T, Error>, kind: ErrorKind, text: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (kind, text));
}

#[test]
fn refused_calls_have_a_kind_and_change_nothing() {
    const WRONG: &str = "WRONGTYPE Operation against a key holding the wrong kind of value";
    let store = Store::new();
    store.set("text", "x").unwrap();
    store.bf_reserve("k", &Settings::new(2, 0.01).non_scaling()).unwrap();
    store.bf_add("k", "a").unwrap();
    let settings = Settings::default();
    let wrong = ErrorKind::WrongType;
    refused(store.bf_reserve("text", &settings), wrong, WRONG);
    refused(store.bf_add("text", "a"), wrong, WRONG);
    refused(store.bf_madd("text", ["a"]), wrong, WRONG);
    refused(store.bf_info("text"), wrong, WRONG);
    refused(store.bf_card("text"), wrong, WRONG);
    refused(store.bf_debug("text"), wrong, WRONG);
    refused(store.bf_scandump("text", 0), wrong, WRONG);
    refused(store.bf_loadchunk("text", 1, "x"), wrong, WRONG);
    assert!(!store.bf_exists("text", "a").unwrap(), "asking is allowed");
    assert_eq!(store.bf_mexists("text", ["a", "b"]).unwrap(), [false; 2]);
    let missing = ErrorKind::NoSuchKey;
    refused(store.bf_info("none"), missing, "ERR not found");
    refused(store.bf_debug("none"), missing, "ERR not found");
    refused(store.bf_scandump("none", 0), missing, "ERR not found");
    refused(store.bf_loadchunk("none", 2, "x"), missing, "ERR not found");
    let none = BloomInsertOptions::new(settings).no_create();
    refused(store.bf_insert("none", ["a"], none), missing, "ERR not found");
    assert_eq!(store.bf_card("none").unwrap(), 0);
    refused(store.bf_reserve("k", &settings), ErrorKind::KeyExists, "ERR item exists");
    let corrupt = ErrorKind::Corrupt;
    refused(store.bf_loadchunk("none", 1, "x"), corrupt, "ERR received bad data");
    let (too_large, nowhere) =
        ("ERR invalid chunk - Too big for current filter", "ERR invalid offset - no link found");
    refused(store.bf_loadchunk("k", 2 + 100, [0; 101]), corrupt, too_large);
    refused(store.bf_loadchunk("k", 5000, "x"), corrupt, nowhere);
    let argument = ErrorKind::InvalidArgument;
    for (settings, text) in [
        (Settings::new(0, 0.01), "ERR capacity must be in the range [1, 1073741824]"),
        (Settings::new((1 << 30) + 1, 0.01), "ERR capacity must be in the range [1, 1073741824]"),
        (Settings::new(1, 0.0), "ERR error rate must be in the range (0.000000, 1.000000)"),
        (Settings::new(1, 1.0), "ERR error rate must be in the range (0.000000, 1.000000)"),
        (Settings::new(1, f64::NAN), "ERR error rate must be in the range (0.000000, 1.000000)"),
        (Settings::new(1, 0.1).expansion(32_769), "ERR expansion must be in the range [0, 32768]"),
        (Settings::new(1, 5e-324), "ERR could not create filter"),
    ] {
        refused(store.bf_reserve("none", &settings), argument, text);
        let make = BloomInsertOptions::new(settings);
        refused(store.bf_insert("none", ["a"], make), argument, text);
    }
    assert_eq!(store.dbsize().unwrap(), 2);
    assert_eq!(store.bf_debug("k").unwrap()[0], "size:1");
}

#[test]
fn of_items_for_a_full_filter_the_first_ones_are_added() {
    let store = Store::new();
    store.bf_reserve("k", &Settings::new(3, 0.01).non_scaling()).unwrap();
    let full = "ERR non scaling filter is full";
    refused(store.bf_madd("k", ["a", "b", "a", "c", "d", "e"]), ErrorKind::FilterFull, full);
    assert_eq!(store.bf_card("k").unwrap(), 3);
    assert_eq!(store.bf_mexists("k", ["a", "b", "c", "d"]).unwrap(), [true, true, true, false]);
    refused(store.bf_add("k", "d"), ErrorKind::FilterFull, full);
    assert!(!store.bf_add("k", "a").unwrap());
    assert_eq!(store.bf_madd("k", ["c", "a"]).unwrap(), [false, false]);
    // A filter that cannot grow checks the items after it as well.
    store.bf_reserve("small", &Settings::new(1, 1e-323)).unwrap();
    let text = |reply: Reply| {
        if let Reply::Error(error) = reply {
            error.to_string()
        } else {
            format!("{:?}", reply.into_resp2(store.profile()))
        }
    };
    let Reply::Array(all) = store.execute(&["BF.MADD", "small", "a", "b", "a", "c"]) else {
        panic!("no list")
    };
    let all: Vec<String> = all.into_iter().map(text).collect();
    let problem = "ERR problem inserting into filter";
    assert_eq!(all, ["Int(1)", problem, "Int(0)", problem]);
    refused(store.bf_madd("small", ["a", "b"]), ErrorKind::OutOfMemory, problem);
}

#[test]
fn no_filter_has_more_bytes_than_the_limit() {
    let limits = Limits { bloom_memory_usage_limit: 1000, ..Limits::default() };
    let (small, store) = (Store::builder().limits(limits).build(), Store::new());
    let memory = ErrorKind::OutOfMemory;
    let large = Settings::new(1000, 0.01);
    refused(small.bf_reserve("k", &large), memory, "ERR Insufficient memory to create filter");
    let make = BloomInsertOptions::new(large);
    refused(small.bf_insert("k", ["a"], make), memory, "ERR Insufficient memory to create filter");
    // A filter of another store, loaded in chunks.
    store.bf_reserve("k", &large).unwrap();
    let (cursor, header) = store.bf_scandump("k", 0).unwrap().unwrap();
    refused(small.bf_loadchunk("k", cursor, &header), memory, "ERR received bad data");
    assert_eq!(small.dbsize().unwrap(), 0);
    // The first link takes 144 bytes, the next some 300, and the third one would exceed the limit.
    let grown = (0..1000).take_while(|n| small.bf_add("k", *n).is_ok()).count();
    assert!((295..=310).contains(&grown), "{grown}");
    let card = small.bf_card("k").unwrap();
    refused(small.bf_madd("k", [0, 5000]), memory, "ERR problem inserting into filter");
    let info = small.bf_info("k").unwrap();
    assert_eq!((info.filters, info.items, info.capacity), (2, card, 300));
    // A payload may have any size.
    let payload = store.dump("k").unwrap().unwrap();
    small.restore("whole", &payload, tallis::RestoreOptions::default()).unwrap();
    // But the filter does not grow, by either call.
    let problem = "ERR problem inserting into filter";
    refused(small.bf_madd("whole", 0..1100), memory, problem);
    small.restore("other", &payload, tallis::RestoreOptions::default()).unwrap();
    let added = (0..1100).take_while(|n| small.bf_add("other", *n).is_ok()).count();
    assert!((1000..1100).contains(&added), "{added}");
    for key in ["whole", "other"] {
        assert_eq!(small.bf_info(key).unwrap().filters, 1);
    }
}

#[test]
fn settings_apply_to_new_filters() {
    let store = Store::new();
    let make = |settings| BloomInsertOptions::new(settings);
    store.bf_insert("k", 0..40, make(Settings::new(10, 0.1).expansion(3))).unwrap();
    let info = store.bf_info("k").unwrap();
    assert_eq!((info.capacity, info.filters, info.expansion), (40, 2, Some(3)));
    assert!((0.0..0.2).contains(&info.error_rate) && info.error_rate > 0.05, "{info:?}");
    assert_eq!(info.items, store.bf_card("k").unwrap());
    store.bf_reserve("n", &Settings::new(10, 0.1).non_scaling()).unwrap();
    assert_eq!(store.bf_info("n").unwrap().expansion, None);
    // An existing filter stays unchanged.
    store.bf_insert("n", ["a"], make(Settings::new(99, 0.5))).unwrap();
    assert_eq!(store.bf_info("n").unwrap().capacity, 10);
}

#[test]
fn a_filter_expires() {
    let clock = Arc::new(ManualClock::new(0));
    let store = Store::builder().clock(clock.clone()).build();
    store.bf_madd("k", ["a", "b"]).unwrap();
    store.pexpire("k", 10).unwrap();
    store.bf_add("k", "c").unwrap();
    assert_eq!(store.ttl("k").unwrap().millis(), 10, "what is added does not prolong it");
    clock.advance(10);
    assert_eq!(store.bf_mexists("k", ["a", "b", "c"]).unwrap(), [false; 3]);
    refused(store.bf_info("k"), ErrorKind::NoSuchKey, "ERR not found");
    assert!(store.bf_add("k", "a").unwrap());
    assert_eq!((store.bf_card("k").unwrap(), store.ttl("k").unwrap().millis()), (1, -1));
}

#[test]
fn effects_create_the_same_filters() {
    let journal = Arc::new(Journal::default());
    let store = Store::builder().sink(journal.clone()).build();
    store.bf_add("default", "a").unwrap();
    store.bf_madd("default", each((0..500).chain(0..700))).unwrap();
    store.bf_reserve("plain", &Settings::new(7, 0.2)).unwrap();
    store.bf_reserve("exact", &Settings::new(7, 0.1 + 0.2)).unwrap();
    store.bf_reserve("tiny", &Settings::new(7, 1e-300).expansion(1)).unwrap();
    store.bf_reserve("fixed", &Settings::new(7, 0.2).non_scaling()).unwrap();
    store.bf_reserve("once", &Settings::new(7, 0.2).expansion(0)).unwrap();
    // BF.RESERVE has no arguments for these.
    store.bf_reserve("both", &Settings::new(7, 0.2).expansion(5).non_scaling()).unwrap();
    let own = Settings::new(9, 0.03).expansion(3).non_scaling();
    store.bf_insert("own", 0..5, BloomInsertOptions::new(own)).unwrap();
    for key in ["plain", "exact", "tiny", "fixed", "once", "both", "own"] {
        // Some of them are then full.
        let _ = store.bf_madd(key, [&b"x"[..], b"", b"\0\xff\r\n", b"1", b"2", b"3", b"4", b"5"]);
        let _ = store.bf_add(key, "y");
        let _ = store.bf_add(key, "x");
    }
    let mut cursor = 0;
    while let Some((next, piece)) = store.bf_scandump("default", cursor).unwrap() {
        store.bf_loadchunk("copy", next, piece).unwrap();
        cursor = next;
    }
    let again = Store::new();
    for effect in journal.take() {
        let reply = again.execute(&effect.args);
        assert!(!reply.is_error(), "{reply:?} to {effect:?}");
        if let Reply::Array(all) = reply {
            assert!(all.iter().all(|one| *one == Reply::Boolean(true)), "all are new: {effect:?}");
        }
    }
    let keys = store.keys("*").unwrap();
    assert_eq!(keys.len(), 9);
    for key in keys {
        assert_eq!(store.dump(&key).unwrap(), again.dump(&key).unwrap(), "{key:?}");
    }
}

#[test]
fn sinks_receive_changes_and_nothing_else() {
    let journal = Arc::new(Journal::default());
    let store = Store::builder().sink(journal.clone()).build();
    let heard = || journal.take().iter().map(ToString::to_string).collect::<Vec<_>>();
    store.bf_reserve("k", &Settings::new(2, 0.01).non_scaling()).unwrap();
    store.bf_add("k", "a").unwrap();
    assert_eq!(heard(), ["BF.RESERVE k 0.01 2 NONSCALING", "BF.MADD k a"]);
    let _ = store.bf_madd("k", ["a", "b", "c"]);
    assert_eq!(heard(), ["BF.MADD k b"], "those that were in and that one too many left out");
    let _ = (store.bf_add("k", "a"), store.bf_add("k", "z"), store.bf_madd("k", ["a", "z"]));
    let _ = (store.bf_reserve("k", &Settings::default()), store.bf_loadchunk("k", 9000, "x"));
    let _ = (store.bf_mexists("k", ["a"]), store.bf_scandump("k", 0), store.bf_info("k"));
    assert_eq!(heard(), [""; 0]);
    store.bf_add("new", "a").unwrap();
    let made = "BF.INSERT new CAPACITY 100 ERROR 0.01 EXPANSION 2 ITEMS a";
    assert_eq!(heard(), [made]);
    store.bf_loadchunk("new", 9, "\0").unwrap();
    assert_eq!(heard(), ["BF.LOADCHUNK new 9 \\x00"]);
}

#[test]
fn concurrent_queries_miss_no_added_item() {
    const ITEMS: usize = 3000;
    let store = Store::new();
    let added = [AtomicUsize::new(0), AtomicUsize::new(0)];
    thread::scope(|scope| {
        for (who, added) in added.iter().enumerate() {
            let store = store.clone();
            scope.spawn(move || {
                for first in (0..ITEMS).step_by(6) {
                    let names: Vec<String> =
                        (first..first + 6).map(|n| format!("{who}:{n}")).collect();
                    let (one, rest) = names.split_first().unwrap();
                    store.bf_add("k", one.as_str()).unwrap();
                    store.bf_madd("k", rest).unwrap();
                    added.store(first + 6, Ordering::SeqCst);
                }
            });
        }
        for who in 0..2 {
            let (store, added) = (store.clone(), &added);
            scope.spawn(move || {
                let mut least = 0;
                while least < ITEMS {
                    least = added[who].load(Ordering::SeqCst);
                    let names: Vec<String> =
                        (0..least).step_by(1 + least / 50).map(|n| format!("{who}:{n}")).collect();
                    let known = store.bf_mexists("k", &names).unwrap();
                    assert!(known.iter().all(|&known| known), "{who}: one of {least} is missed");
                    if let Some(last) = names.last() {
                        assert!(store.bf_exists("k", last.as_str()).unwrap());
                    }
                    assert!(store.bf_card("k").unwrap() <= 2 * ITEMS as u64);
                }
            });
        }
    });
    let card = store.bf_card("k").unwrap();
    assert!(card <= 2 * ITEMS as u64 && card > 2 * ITEMS as u64 * 98 / 100, "{card}");
    assert!(store.bf_info("k").unwrap().filters > 4);
}
