//! Marks: the bits that they set, time zones, and errors.

use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};

use jiff::civil::date;
use jiff::{Timestamp, tz};
use parking_lot::Mutex;
use tallis::{Cohort, Cohorts, Effect, ErrorKind, Period, PeriodKind, Sink, Store};
use testkit::rng::Rng;

const KEYS: [&str; 5] = [
    "trackist_active_2015",
    "trackist_active_2015-5",
    "trackist_active_2015-5-17",
    "trackist_active_2015-5-17-13",
    "trackist_active_W2015-20",
];

fn sorted_keys(store: &Store) -> Vec<String> {
    let mut keys: Vec<String> = store
        .keys("*")
        .unwrap()
        .iter()
        .map(|key| String::from_utf8(key.to_vec()).unwrap())
        .collect();
    keys.sort_unstable();
    keys
}

#[test]
fn a_mark_sets_its_bit_in_five_keys() {
    let store = Store::new();
    let cohorts = Cohorts::new(store.clone());
    let time = date(2015, 5, 17).at(13, 30, 0, 0);
    assert!(cohorts.mark("active", 10, time).unwrap());
    assert!(!cohorts.mark("active", 10, time).unwrap(), "nothing is new");
    assert_eq!(sorted_keys(&store), KEYS);
    for key in KEYS {
        assert_eq!(store.get(key).unwrap().unwrap(), &b"\x00\x20"[..]);
    }
    // Another hour: the mark is new only in that one.
    assert!(cohorts.mark("active", 10, date(2015, 5, 17)).unwrap());
    assert_eq!(store.dbsize().unwrap(), 6);
    assert_eq!(store.bitcount("trackist_active_2015").unwrap(), 1);

    assert!(cohorts.unmark("active", 10, time).unwrap());
    assert!(!cohorts.unmark("active", 10, time).unwrap());
    for key in KEYS {
        assert_eq!(store.get(key).unwrap().unwrap(), &b"\x00\x00"[..], "as SETBIT leaves it");
    }
    assert_eq!(store.bitcount("trackist_active_2015-5-17-0").unwrap(), 1, "another hour's");
    // Clearing a bit creates the key, like SETBIT.
    assert!(!cohorts.unmark("other", 8, time).unwrap());
    assert_eq!(store.get("trackist_other_2015").unwrap().unwrap(), &b"\0\0"[..]);
}

#[test]
fn unique_events_have_one_key() {
    let store = Store::new();
    let cohorts = Cohorts::new(store.clone());
    assert!(cohorts.mark_unique("paying", 3).unwrap());
    assert!(!cohorts.mark_unique("paying", 3).unwrap());
    assert_eq!(sorted_keys(&store), ["trackist_paying_u"]);
    assert_eq!(store.get("trackist_paying_u").unwrap().unwrap(), &b"\x10"[..]);
    assert!(cohorts.has("paying", Period::UNIQUE, 3).unwrap());
    assert!(cohorts.unmark_unique("paying", 3).unwrap());
    assert!(!cohorts.has("paying", Period::UNIQUE, 3).unwrap());
    // As a kind, they are marked together with the others.
    let cohorts = cohorts.kinds([PeriodKind::Day, PeriodKind::Unique]).prefix("x");
    cohorts.mark("paying", 3, date(2015, 5, 17)).unwrap();
    let keys = sorted_keys(&store);
    assert_eq!(keys, ["trackist_paying_u", "x_paying_2015-5-17", "x_paying_u"]);
    // Without kinds there are no keys.
    assert!(!cohorts.kinds([]).mark("paying", 3, date(2015, 5, 17)).unwrap());
    assert_eq!(store.dbsize().unwrap(), 3);
}

#[test]
fn times_are_converted_to_the_zone() {
    let late: Timestamp = "2020-12-31T23:30:00Z".parse().unwrap();
    for (hours, hour, week) in [
        (0, "2020-12-31-23", "W2020-53"),
        (1, "2021-1-1-0", "W2020-53"),
        (-12, "2020-12-31-11", "W2020-53"),
    ] {
        let store = Store::new();
        let zone = tz::TimeZone::fixed(tz::offset(hours));
        let cohorts = Cohorts::new(store.clone()).time_zone(zone);
        cohorts.mark("e", 1, late).unwrap();
        // A time with its own zone is the same point in time.
        assert!(!cohorts.mark("e", 1, late.to_zoned(tz::TimeZone::UTC)).unwrap());
        let elsewhere = late.to_zoned(tz::TimeZone::fixed(tz::offset(5)));
        assert!(!cohorts.mark("e", 1, &elsewhere).unwrap());
        assert_eq!(elsewhere.hour(), 4);
        for period in [hour, week] {
            assert!(store.exists(format!("trackist_e_{period}")).unwrap(), "{hours}");
        }
        // A civil time is local to the zone.
        cohorts.mark("civil", 1, date(2015, 5, 17).at(1, 2, 3, 4)).unwrap();
        assert!(store.exists("trackist_civil_2015-5-17-1").unwrap());
    }
}

#[test]
fn an_hour_that_occurs_twice_on_the_clock_is_one() {
    let rule = "CET-1CEST,M3.5.0,M10.5.0/3";
    let cohorts = Cohorts::new(Store::new()).time_zone(tz::TimeZone::posix(rule).unwrap());
    // On the 25th of October 2015, 2 am occurred twice.
    for (user, moment) in [(1, "2015-10-25T00:30:00Z"), (2, "2015-10-25T01:30:00Z")] {
        cohorts.mark("e", user, moment.parse::<Timestamp>().unwrap()).unwrap();
    }
    let hour = Period::hour(date(2015, 10, 25).at(2, 0, 0, 0));
    assert_eq!(cohorts.users("e", hour).unwrap(), [1, 2]);
}

#[test]
fn ids_are_bounded() {
    let store = Store::new();
    let cohorts = Cohorts::new(store.clone());
    let (day, over) = (date(2015, 5, 17), 1 << 32);
    for error in [
        cohorts.mark("e", over, day).unwrap_err(),
        cohorts.unmark("e", u64::MAX, day).unwrap_err(),
        cohorts.mark_unique("e", over).unwrap_err(),
        cohorts.unmark_unique("e", over).unwrap_err(),
        cohorts.has("e", Period::day(day), over).unwrap_err(),
        cohorts.query(Cohort::unique("e")).has(over).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains("is too large"), "{error}");
    }
    assert_eq!(store.dbsize().unwrap(), 0);
    // The maximum id; nothing is marked, so no memory is needed.
    assert!(!cohorts.has("e", Period::day(day), over - 1).unwrap());
}

#[test]
fn a_mark_that_fails_changes_nothing() {
    let time = date(2015, 5, 17).at(13, 0, 0, 0);
    for foreign in KEYS {
        let store = Store::new();
        let cohorts = Cohorts::new(store.clone());
        store.sadd(foreign, ["x"]).unwrap();
        assert_eq!(cohorts.mark("active", 1, time).unwrap_err().kind(), ErrorKind::WrongType);
        assert_eq!(store.dbsize().unwrap(), 1, "{foreign}");
    }
    let store = Store::new();
    store.sadd("trackist_active_2015-5-17", ["x"]).unwrap();
    let cohorts = Cohorts::new(store.clone());
    let day = Period::day(time);
    for error in [
        cohorts.has("active", day, 1).unwrap_err(),
        cohorts.count("active", day).unwrap_err(),
        cohorts.users("active", day).unwrap_err(),
        cohorts.query(Cohort::of("active", day)).bitmap().unwrap_err(),
        cohorts.query(Cohort::of("active", day)).store("target").unwrap_err(),
        cohorts.retention("active", "active", [day]).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::WrongType);
    }
    assert!(!store.exists("target").unwrap());
}

#[test]
fn marks_of_many_threads_are_all_kept_and_seen_completely() {
    const THREADS: u64 = 4;
    const USERS: u64 = 3_000;
    let cohorts = Cohorts::new(Store::new());
    let time = date(2015, 5, 17).at(13, 0, 0, 0);
    let of = |period| Cohort::of("active", period);
    thread::scope(|scope| {
        let marker = |thread| {
            let cohorts = &cohorts;
            scope.spawn(move || {
                let mut users: Vec<u64> = (0..USERS).map(|user| user * THREADS + thread).collect();
                Rng::new(thread).shuffle(&mut users);
                for user in users {
                    assert!(cohorts.mark("active", user, time).unwrap());
                }
            })
        };
        let markers: Vec<_> = (0..THREADS).map(marker).collect();
        // Each mark is in all of its keys or in none, and a query reads one point in time.
        let torn = (of(Period::hour(time)) ^ of(Period::week(time)))
            | (of(Period::day(time)) ^ of(Period::month(time)))
            | (of(Period::month(time)) ^ of(Period::year(time)));
        let mut seen = 0;
        while !markers.iter().all(ScopedJoinHandle::is_finished) {
            assert_eq!(cohorts.query(torn.clone()).count().unwrap(), 0);
            let now = cohorts.count("active", Period::day(time)).unwrap();
            assert!(now >= seen, "nothing is taken back");
            seen = now;
        }
    });
    for kind in
        [PeriodKind::Hour, PeriodKind::Day, PeriodKind::Week, PeriodKind::Month, PeriodKind::Year]
    {
        assert!(cohorts.users("active", kind.at(time)).unwrap().into_iter().eq(0..THREADS * USERS));
    }
}

#[derive(Debug, Default)]
struct Journal(Mutex<Vec<Vec<Effect>>>);

impl Sink for Journal {
    fn commit(&self, effects: &[Effect]) {
        self.0.lock().push(effects.to_vec());
    }
}

#[test]
fn a_sink_receives_a_mark_at_once_and_can_replay_it() {
    let journal = Arc::new(Journal::default());
    let store = Store::builder().sink(journal.clone()).build();
    let cohorts = Cohorts::new(store.clone());
    let time = date(2015, 5, 17).at(13, 0, 0, 0);
    cohorts.mark("active", 7, time).unwrap();
    let effects = std::mem::take(&mut *journal.0.lock());
    assert_eq!(effects.len(), 1, "one step");
    let mut words: Vec<String> = effects[0]
        .iter()
        .map(|effect| String::from_utf8_lossy(&effect.args.join(&b' ')).into_owned())
        .collect();
    words.sort_unstable();
    assert_eq!(words, KEYS.map(|key| format!("SETBIT {key} 7 1")));
    // A call that changes nothing has no effect.
    cohorts.mark("active", 7, time).unwrap();
    assert_eq!(journal.0.lock().len(), 0);

    let mut rng = Rng::new(3);
    for _ in 0..300 {
        let time = time.checked_add(jiff::Span::new().hours(rng.range(0..=2000))).unwrap();
        let user = rng.below(500);
        if rng.below(4) == 0 {
            cohorts.unmark("active", user, time).unwrap();
        } else {
            cohorts.mark("active", user, time).unwrap();
        }
    }
    cohorts.mark_unique("paying", 9).unwrap();
    let [week, paying] = [Cohort::of("active", Period::week(time)), Cohort::unique("paying")];
    cohorts.query(week - paying).store("kept").unwrap();
    cohorts.query(Cohort::unique("none")).store("kept:none").unwrap();
    store.set("gone", "x").unwrap();
    cohorts.query(Cohort::unique("none")).store("gone").unwrap();
    cohorts.delete("active", Period::day(time)).unwrap();

    let copy = Store::new();
    copy.replay(effects.iter().chain(&*journal.0.lock()));
    assert_eq!(sorted_keys(&copy), sorted_keys(&store));
    for key in sorted_keys(&store) {
        assert_eq!(copy.get(&key).unwrap(), store.get(&key).unwrap(), "{key}");
    }
}

trait Replay {
    fn replay<'e>(&self, effects: impl Iterator<Item = &'e Vec<Effect>>);
}

impl Replay for Store {
    fn replay<'e>(&self, effects: impl Iterator<Item = &'e Vec<Effect>>) {
        for effect in effects.flatten() {
            let reply = self.execute(&effect.args);
            assert!(!reply.is_error(), "{reply:?}");
        }
    }
}

#[test]
fn a_snapshot_keeps_everything() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.rdb");
    let store = Store::new();
    let cohorts = Cohorts::new(store.clone());
    let mut rng = Rng::new(11);
    let day = date(2015, 5, 17);
    for _ in 0..2_000 {
        cohorts.mark("active", rng.below(50_000), day).unwrap();
    }
    // A bitmap that is also the text of a number is saved and loaded as one.
    for user in [2, 3, 7, 10, 11, 14] {
        cohorts.mark_unique("digits", user).unwrap();
    }
    assert_eq!(store.get("trackist_digits_u").unwrap().unwrap(), "12");
    store.save(&file).unwrap();
    let loaded = Store::new();
    loaded.load(&file).unwrap();
    let again = Cohorts::new(loaded.clone());
    for period in [Period::day(day), Period::week(day), Period::year(day)] {
        assert_eq!(
            again.users("active", period).unwrap(),
            cohorts.users("active", period).unwrap()
        );
    }
    assert_eq!(loaded.object_encoding("trackist_digits_u").unwrap(), Some("int"));
    assert_eq!(again.users("digits", Period::UNIQUE).unwrap(), [2, 3, 7, 10, 11, 14]);
    assert!(again.has("digits", Period::UNIQUE, 14).unwrap());
    again.mark_unique("digits", 0).unwrap();
    assert_eq!(again.count("digits", Period::UNIQUE).unwrap(), 7);
}
