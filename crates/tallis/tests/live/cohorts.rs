//! Cohorts compared with SETBIT, BITOP and BITCOUNT of a server: the same keys, the same strings.

use std::sync::Arc;

use jiff::civil::{DateTime, date};
use redis::{Connection, Value};
use tallis::{Cohort, Cohorts, Period, PeriodKind, Store};
use testkit::live::{as_bytes, server};
use testkit::rng::Rng;

use super::run;
use crate::journal::Journal;

/// The keys of bitmapist for a point in time, written out.
fn keys(event: &str, time: DateTime) -> [String; 5] {
    let (year, month, day, hour) = (time.year(), time.month(), time.day(), time.hour());
    let week = time.date().iso_week_date();
    [
        format!("trackist_{event}_{year}-{month}-{day}-{hour}"),
        format!("trackist_{event}_{year}-{month}-{day}"),
        format!("trackist_{event}_W{}-{}", week.year(), week.week()),
        format!("trackist_{event}_{year}-{month}"),
        format!("trackist_{event}_{year}"),
    ]
}

fn time(rng: &mut Rng) -> DateTime {
    let turn = date(2020, 12, 28).at(0, 0, 0, 0);
    turn.checked_add(jiff::Span::new().hours(rng.range(0..=200))).unwrap()
}

fn string(server: &mut Connection, key: &[u8]) -> Option<Vec<u8>> {
    let reply = run(server, &[b"GET", key]);
    as_bytes(&reply).map(<[u8]>::to_vec)
}

/// Checks that both have the same keys, with the same bytes.
pub(super) fn assert_same_keys(store: &Store, server: &mut Connection) {
    let Value::Array(theirs) = run(server, &["KEYS", "*"]) else { panic!("KEYS is a list") };
    let mut theirs: Vec<Vec<u8>> =
        theirs.iter().map(|key| as_bytes(key).unwrap().to_vec()).collect();
    theirs.sort_unstable();
    let mut ours = store.keys("*").unwrap();
    ours.sort_unstable();
    assert_eq!(ours, theirs);
    for key in &ours {
        let string = string(server, key);
        assert!(store.get(key).unwrap().map(Vec::from) == string, "{key:?}");
    }
}

/// Sets the same marks on both.
fn marked(server: &mut Connection, rng: &mut Rng) -> (Store, Cohorts) {
    let store = Store::new();
    let cohorts = Cohorts::new(store.clone());
    for _ in 0..1_500 {
        let event = *rng.pick(&["active", "song:played", "a_b"]).unwrap();
        let user = rng.below(3).min(1) * rng.below(200_000);
        let (time, on) = (time(rng), rng.below(5) > 0);
        let user_text = user.to_string();
        let setbit = |server: &mut Connection, key: &str| {
            run(server, &["SETBIT", key, &user_text, if on { "1" } else { "0" }])
        };
        let (changed, replies) = if rng.below(10) == 0 {
            let set = if on { Cohorts::mark_unique } else { Cohorts::unmark_unique };
            let reply = setbit(server, &format!("trackist_{event}_u"));
            (set(&cohorts, event, user), vec![reply])
        } else {
            let set = if on { Cohorts::mark } else { Cohorts::unmark };
            let replies = keys(event, time).map(|key| setbit(server, &key));
            (set(&cohorts, event, user, time), replies.into())
        };
        let differs = |reply: &Value| *reply != Value::Int(on.into());
        assert_eq!(changed.unwrap(), replies.iter().any(differs));
    }
    (store, cohorts)
}

#[test]
fn marks_leave_the_same_strings_as_setbit() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let mut rng = Rng::new(1);
    let (store, cohorts) = marked(&mut connection, &mut rng);
    assert_same_keys(&store, &mut connection);
    // Also through a file: the server's file is loaded here.
    run(&mut connection, &["SAVE"]);
    let copy = Store::new();
    copy.load(server.rdb_file()).unwrap();
    assert_same_keys(&copy, &mut connection);
    let loaded = Cohorts::new(copy);
    assert_eq!(loaded.events().unwrap(), cohorts.events().unwrap());
    for event in loaded.events().unwrap() {
        let periods = loaded.periods(&event).unwrap();
        assert_eq!(periods, cohorts.periods(&event).unwrap());
        for period in periods {
            let key = cohorts.key(&event, period);
            let ours = cohorts.query(Cohort::of(&event, period)).bitmap().unwrap();
            assert_eq!(string(&mut connection, &key).unwrap(), ours);
            assert_eq!(
                loaded.users(&event, period).unwrap(),
                cohorts.users(&event, period).unwrap()
            );
            let count = run(&mut connection, &[&b"BITCOUNT"[..], &key]);
            assert_eq!(
                count,
                Value::Int(i64::try_from(cohorts.count(&event, period).unwrap()).unwrap())
            );
        }
    }
}

/// Returns an expression, and the server's key with the result of the same BITOP commands.
fn expression(server: &mut Connection, rng: &mut Rng, depth: u32) -> (Cohort, String) {
    if depth == 0 || rng.below(6) == 0 {
        let event = *rng.pick(&["active", "song:played", "a_b", "none"]).unwrap();
        let period = rng.pick(&PeriodKind::ALL).unwrap().at(time(rng));
        return (Cohort::of(event, period), format!("trackist_{event}_{period}"));
    }
    let (a, a_key) = expression(server, rng, depth - 1);
    let target = format!("tmp:{}", rng.u64());
    if rng.below(5) == 0 {
        run(server, &["BITOP", "NOT", &target, &a_key]);
        return (!a, target);
    }
    let (b, b_key) = expression(server, rng, depth - 1);
    let mut bitop = |op: &str, target: &str, a: &str, b: &str| {
        run(server, &["BITOP", op, target, a, b]);
    };
    let cohort = match rng.below(4) {
        0 => {
            bitop("AND", &target, &a_key, &b_key);
            a & b
        }
        1 => {
            bitop("OR", &target, &a_key, &b_key);
            a | b
        }
        2 => {
            bitop("XOR", &target, &a_key, &b_key);
            a ^ b
        }
        _ => {
            // 7.0 has no DIFF: the common bits are removed from the first operand.
            let both = format!("{target}:both");
            bitop("AND", &both, &a_key, &b_key);
            bitop("XOR", &target, &a_key, &both);
            a - b
        }
    };
    (cohort, target)
}

#[test]
fn expressions_equal_the_results_of_bitop() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let mut rng = Rng::new(2);
    let (_, cohorts) = marked(&mut connection, &mut rng);
    let mut lengths = 0;
    for round in 0..300 {
        let (cohort, key) = expression(&mut connection, &mut rng, 1 + round % 5);
        let theirs = string(&mut connection, key.as_bytes()).unwrap_or_default();
        let query = cohorts.query(cohort.clone());
        assert!(query.bitmap().unwrap() == theirs, "{cohort:?}");
        lengths += query.store("target").unwrap();
        let count = run(&mut connection, &["BITCOUNT", &key]);
        assert_eq!(count, Value::Int(i64::try_from(query.count().unwrap()).unwrap()));
        let user = rng.below(210_000);
        let bit = run(&mut connection, &["GETBIT", &key, &user.to_string()]);
        assert_eq!(bit, Value::Int(query.has(user).unwrap().into()));
    }
    assert!(lengths > 100_000, "the bitmaps are not all empty: {lengths}");
}

#[test]
fn effects_create_the_same_keys_on_a_server() {
    let Some(server) = server() else { return };
    let mut connection = server.connect();
    let journal = Arc::new(Journal::default());
    let store = Store::builder().sink(journal.clone()).build();
    let cohorts = Cohorts::new(store.clone());
    let mut rng = Rng::new(3);
    for _ in 0..500 {
        let (user, time) = (rng.below(100_000), time(&mut rng));
        match rng.below(12) {
            0 => {
                cohorts.unmark("e", user, time).unwrap();
            }
            1 => {
                cohorts.mark_unique("e", user).unwrap();
            }
            2 => {
                cohorts.delete("e", Period::day(time)).unwrap();
            }
            3 => {
                let cohort =
                    Cohort::of("e", Period::week(time)) - Cohort::of("e", Period::day(time));
                cohorts.query(cohort).store(format!("kept:{}", rng.below(5))).unwrap();
            }
            _ => {
                cohorts.mark("e", user, time).unwrap();
            }
        }
    }
    for effect in journal.take() {
        run(&mut connection, &effect.args);
    }
    assert_same_keys(&store, &mut connection);
}
