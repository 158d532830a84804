//! Strings by typed calls: WATCH, sinks, and errors.

use std::sync::Arc;

use bytes::Bytes;
use tallis::{
    ErrorKind, ExistenceCheck, Expiry, ManualClock, Profile, Reply, SetExpiry, SetOptions, Store,
};
use testkit::rng::Rng;

use crate::journal::Journal;

const NOW: i64 = 1_700_000_000_000;

fn watched() -> (Store, Arc<Journal>, Arc<ManualClock>) {
    let journal = Arc::new(Journal::default());
    let clock = Arc::new(ManualClock::new(NOW));
    let store = Store::builder().clock(clock.clone()).sink(journal.clone()).build();
    (store, journal, clock)
}

/// Runs each line, and compares the effects and whether a session that watches `k` sees a change.
fn check(lines: &[(&str, &[&str], bool)]) {
    let (store, journal, _) = watched();
    for &(line, effects, changed) in lines {
        let mut session = store.session();
        session.execute(&["WATCH", "k"]);
        let words: Vec<&str> = line.split(' ').collect();
        let reply = store.execute(&words);
        assert_eq!(journal.lines(), effects, "{line}: {reply:?}");
        session.execute(&["MULTI"]);
        let executed = session.execute(&["EXEC"]) != Reply::NullArray;
        assert_eq!(!executed, changed, "{line}: {reply:?}");
    }
}

#[test]
fn effects_are_absolute_and_a_watch_sees_what_changed() {
    check(&[
        ("SET k v EX 100", &["SET k v PXAT 1700000100000"], true),
        ("SET k v PX 100 NX", &[], false),
        ("SET k w KEEPTTL", &["SET k w KEEPTTL"], true),
        ("SET k 1 EXAT 1800000000", &["SET k 1 PXAT 1800000000000"], true),
        ("SET k 1 PXAT 5 NX", &[], false),
        ("SET k 1 EX 0", &[], false),
        ("INCRBYFLOAT k 0.5", &["SET k 1.5 KEEPTTL"], true),
        ("INCRBYFLOAT k x", &[], false),
        ("GETEX k", &[], false),
        ("GETEX k PX 7", &["PEXPIREAT k 1700000000007"], true),
        ("GETEX k PX 0", &[], false),
        ("GETEX k PERSIST", &["PERSIST k"], true),
        ("GETEX k PERSIST", &[], false),
        ("GETEX k PXAT 1", &["DEL k"], true),
        ("GETEX k PXAT 1", &[], false),
        // It is never visible, but Redis counts it as a change, and removes it at the next access.
        ("SET k v PXAT 1", &["SET k v PXAT 1"], true),
        ("SET k v XX", &["DEL k"], false),
        ("SETNX k v", &["SET k v"], true),
        ("SETNX k v", &[], false),
        ("SET k v PXAT 1", &["SET k v PXAT 1"], true),
        ("SETEX k 1 v", &["DEL k", "SET k v PXAT 1700000001000"], true),
        ("PSETEX k 1 v", &["SET k v PXAT 1700000000001"], true),
        ("GETSET k 5", &["SET k 5"], true),
        ("DECRBY k 3", &["INCRBY k -3"], true),
        ("DECR k", &["INCRBY k -1"], true),
        ("INCR k", &["INCRBY k 1"], true),
        ("APPEND k x", &["APPEND k x"], true),
        ("SETRANGE k 4 y", &["SETRANGE k 4 y"], true),
        ("INCR k", &[], false),
        ("GETDEL k", &["DEL k"], true),
        ("GETDEL k", &[], false),
        ("MSET a 1 k 2 a 3", &["MSET a 1 k 2 a 3"], true),
        ("MSETNX b 1 k 2", &[], false),
        ("MSETNX b 1 c 2", &["MSET b 1 c 2"], false),
        ("MGET k b", &[], false),
        ("LCS k b", &[], false),
        ("STRLEN k", &[], false),
        ("GETRANGE k 0 1", &[], false),
        ("SET k w IFEQ x", &[], false),
        ("SET k w IFEQ 2 PX 9", &["SET k w PXAT 1700000000009"], true),
        ("SET none w IFEQ w", &[], false),
        ("DELIFEQ k x", &[], false),
        ("DELIFEQ k w", &["DEL k"], true),
        ("DELIFEQ k w", &[], false),
        ("MSETEX 2 k 1 d 2 XX", &[], false),
        (
            "MSETEX 2 k 1 d 2 NX PX 5",
            &["SET k 1 PXAT 1700000000005", "SET d 2 PXAT 1700000000005"],
            true,
        ),
        ("MSETEX 2 k 1 e 2 NX", &[], false),
        ("MSETEX 2 k 1 e 2 XX", &[], false),
        ("MSETEX 2 k 3 d 4 XX KEEPTTL", &["SET k 3 KEEPTTL", "SET d 4 KEEPTTL"], true),
        ("MSETEX 1 k 7", &["MSET k 7"], true),
        ("MSETEX 1 k 7 EX 0", &[], false),
        ("MSETEX 2 k 7", &[], false),
    ]);
    // With nothing to append or to write.
    let (store, journal, _) = watched();
    store.append("k", "").unwrap();
    store.setrange("k", 9, "").unwrap();
    assert_eq!(journal.lines(), ["APPEND k "]);
}

#[test]
fn a_watch_does_not_see_a_hyperloglog_become_dense() {
    check(&[
        ("PFADD k a", &["PFADD k a"], true),
        ("PFADD k a", &[], false),
        ("PFDEBUG ENCODING k", &[], false),
        ("PFDEBUG DECODE k", &[], false),
        ("PFDEBUG GETREG k", &["PFDEBUG TODENSE k"], false),
        ("PFDEBUG GETREG k", &[], false),
        ("PFDEBUG TODENSE k", &[], false),
        ("PFCOUNT k", &["PFCOUNT k"], true),
        ("PFCOUNT k", &[], false),
        ("PFADD l b", &["PFADD l b"], false),
        ("PFDEBUG TODENSE l", &["PFDEBUG TODENSE l"], false),
        ("PFMERGE k l", &["PFMERGE k l"], true),
        ("PFSELFTEST", &[], false),
    ]);
}

#[test]
fn an_invalid_expiry_is_refused() {
    let (store, ..) = watched();
    store.set_ex("k", "v", 100).unwrap();
    let beyond = i64::MAX.unsigned_abs() + 1;
    let set = |expiry| {
        let options = SetOptions::default().with_expiration(expiry);
        store.set_options("k", "w", options).map(drop)
    };
    for result in [
        set(SetExpiry::EX(0)),
        set(SetExpiry::PX(0)),
        set(SetExpiry::EXAT(0)),
        set(SetExpiry::PXAT(0)),
        set(SetExpiry::PXAT(beyond)),
        set(SetExpiry::EX(u64::MAX)),
        set(SetExpiry::PX(beyond - 1)),
        set(SetExpiry::EXAT((beyond - 1) / 1000 + 1)),
    ] {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Syntax);
        assert_eq!(error.to_string(), "ERR invalid expire time in 'set' command");
    }
    let error = store.get_ex("k", Expiry::EX(0)).unwrap_err();
    assert_eq!(error.to_string(), "ERR invalid expire time in 'getex' command");
    assert_eq!(store.get_ex("none", Expiry::EX(0)).unwrap(), None);
    let error = store.pset_ex("k", "w", 0).unwrap_err();
    assert_eq!(error.to_string(), "ERR invalid expire time in 'psetex' command");
    assert_eq!(
        (store.get("k").unwrap().unwrap(), store.ttl("k").unwrap().secs()),
        ("v".into(), 100)
    );
}

#[test]
fn set_returns_whether_it_set() {
    let (store, _, clock) = watched();
    let only_old = SetOptions::default().conditional_set(ExistenceCheck::XX);
    assert!(!store.set_options("k", "v", only_old.clone()).unwrap().set);
    let options = SetOptions::default().get(true).with_expiration(SetExpiry::PX(50));
    assert_eq!(store.set_options("k", "v", options).unwrap().old, None);
    let kept = only_old.get(true).with_expiration(SetExpiry::KEEPTTL);
    let outcome = store.set_options("k", 12, kept.clone()).unwrap();
    assert_eq!((outcome.set, outcome.old), (true, Some(Bytes::from("v"))));
    assert_eq!(store.ttl("k").unwrap().millis(), 50);
    clock.advance(50);
    let outcome = store.set_options("k", "v", kept).unwrap();
    assert_eq!((outcome.set, outcome.old), (false, None));
}

#[test]
fn too_long_values_are_refused_and_nothing_changes() {
    const MAX: usize = 512 << 20;
    let store = Store::new();
    store.set("k", "v").unwrap();
    for result in [
        store.setrange("k", MAX, "x"),
        store.setrange("k", usize::MAX, "xx"),
        store.setrange("none", MAX, "x"),
        store.setrange("none", usize::MAX, "x"),
    ] {
        assert_eq!(
            result.unwrap_err().to_string(),
            "ERR string exceeds maximum allowed size (proto-max-bulk-len)"
        );
    }
    assert_eq!(store.get("k").unwrap().unwrap(), "v");
    assert!(!store.exists("none").unwrap());
    assert_eq!(store.setrange("none", MAX, "").unwrap(), 0);
    assert_eq!(store.setrange("k", MAX - 1, "x").unwrap(), MAX);
    assert!(store.append("k", "y").is_err());
    assert_eq!(store.strlen("k").unwrap(), MAX);
}

#[test]
fn floats_are_added_with_eighty_bits() {
    let store = Store::new();
    assert_eq!(store.incr_float("f", 0.1).unwrap().to_bits(), 0.1_f64.to_bits());
    assert_eq!(store.incr_float("f", 0.2).unwrap().to_bits(), 0.3_f64.to_bits());
    assert_eq!(store.incr_float("f", -0.3).unwrap().to_bits(), 0_f64.to_bits());
    assert_eq!(store.object_encoding("f").unwrap(), Some("embstr"));
    store.incr_float("f", 1e300).unwrap();
    assert_eq!(store.strlen("f").unwrap(), 301);
    for (delta, text) in [
        (f64::NAN, "ERR value is not a valid float"),
        (f64::INFINITY, "ERR increment would produce NaN or Infinity"),
    ] {
        let error = store.incr_float("f", delta).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::NotInteger, text));
    }
}

/// Parts of strings compared with a plain vector, with changes of any kind.
#[test]
fn parts_of_strings_equal_those_of_a_plain_vector() {
    let store = Store::new();
    let mut rng = Rng::new(5);
    let mut plain: Vec<u8> = Vec::new();
    for _ in 0..20_000 {
        let piece: Vec<u8> = (0..rng.below(60)).map(|_| b"0123x"[rng.index(5)]).collect();
        match rng.below(8) {
            0..3 => {
                plain.extend_from_slice(&piece);
                assert_eq!(store.append("k", &piece).unwrap(), plain.len());
            }
            3..6 => {
                let offset = rng.index(2 * plain.len() + 3);
                if !piece.is_empty() {
                    let end = offset + piece.len();
                    plain.resize(plain.len().max(end), 0);
                    plain[offset..end].copy_from_slice(&piece);
                }
                assert_eq!(store.setrange("k", offset, &piece).unwrap(), plain.len());
            }
            6 => {
                let (from, to) = (rng.range(-100..=100), rng.range(-100..=100));
                let len = i64::try_from(plain.len()).unwrap();
                let index = |at: i64| if at < 0 { (at + len).max(0) } else { at };
                let (first, last) = (index(from), index(to).min(len - 1));
                let none = first > last || (from < 0 && to < 0 && from > to);
                let expected = if none {
                    &[][..]
                } else {
                    &plain[usize::try_from(first).unwrap()..=usize::try_from(last).unwrap()]
                };
                assert_eq!(store.getrange("k", from, to).unwrap(), expected, "{from} {to} {len}");
            }
            _ if plain.len() > 300 => {
                plain = piece;
                store.set("k", &plain).unwrap();
            }
            _ => {}
        }
        assert_eq!(store.strlen("k").unwrap(), plain.len());
        assert_eq!(store.get("k").unwrap().unwrap_or_default(), plain);
    }
}

#[test]
fn a_pfadd_that_fails_half_way_is_replayed_half_way() {
    let (store, journal, _) = watched();
    // Register 16383 is missing.
    let mut damaged = hll::HyperLogLog::from_iter(["a", "b", "c"]).into_bytes();
    let end = damaged.len();
    damaged[end - 1] -= 1;
    store.set("h", &damaged).unwrap();
    journal.take();
    let last = (0..1_000_000)
        .map(|i| format!("{i}"))
        .find(|element| hll::register_and_rank(hll::hash(element.as_bytes())).0 == 16_383)
        .unwrap();
    let error = store.pfadd("h", [last.as_str(), "x"]).unwrap_err();
    assert_eq!(error.to_string(), "INVALIDOBJ Corrupted HLL object detected");
    assert_eq!(store.get("h").unwrap().unwrap(), damaged);
    assert!(journal.take().is_empty());

    let changes = store.changes();
    let error = store.pfadd("h", ["x", last.as_str()]).unwrap_err();
    assert_eq!(error.to_string(), "INVALIDOBJ Corrupted HLL object detected");
    assert_eq!(store.changes(), changes, "a watch sees nothing");
    assert_eq!(journal.lines(), [format!("PFADD h x {last}")]);
    let again = Store::new();
    again.set("h", &damaged).unwrap();
    assert!(again.pfadd("h", ["x"]).unwrap());
    assert_eq!(store.get("h").unwrap(), again.get("h").unwrap());
}

/// As in 8.2: a string of 35 bytes fits next to its key, but not with an expiry in addition.
#[test]
fn a_string_that_has_left_its_block_stays_outside() {
    let store = Store::builder().profile(Profile::Redis82).build();
    let encoding = || store.object_encoding("k").unwrap();
    let string = "x".repeat(35);
    for persist in [&["PERSIST", "k"][..], &["GETEX", "k", "PERSIST"]] {
        store.set("k", &string).unwrap();
        assert_eq!(encoding(), Some("embstr"));
        store.expire("k", 100).unwrap();
        assert_eq!(encoding(), Some("raw"));
        assert!(!store.execute(persist).is_error());
        assert_eq!(encoding(), Some("raw"), "{persist:?}");
        assert_eq!(store.get("k").unwrap().unwrap(), string);
    }
}
