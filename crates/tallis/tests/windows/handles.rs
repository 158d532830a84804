//! Many windows in one thread, each with its own keys.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use jiff::tz::TimeZone;
use tallis::{Effect, ManualClock, Sink, Store, UvFilling, UvLevel, UvWindows};
use testkit::rng::Rng;

use super::{at, second};

/// The expected users of each key of each store.
type Model = BTreeMap<(usize, Vec<u8>), BTreeSet<String>>;

/// Windows of every kind with the index of their store: more than a thread caches keys for.
fn many(stores: &[Store]) -> Vec<(usize, UvFilling, UvWindows)> {
    let mut all = Vec::new();
    for (number, store) in stores.iter().enumerate() {
        // The key of a minute has twelve more bytes.
        for length in [0, 3, 52, 115, 116, 117, 300] {
            let prefix = "p".repeat(length);
            let windows = UvWindows::new(store.clone(), &prefix);
            let zones = ["Europe/Berlin", "America/St_Johns"].map(|name| {
                // A clone that has recorded nothing, with another time zone.
                windows.clone().time_zone(TimeZone::get(name).unwrap())
            });
            all.extend(
                zones
                    .into_iter()
                    .chain([windows])
                    .map(|windows| (number, UvFilling::WriteThrough, windows)),
            );
            let rolled = UvWindows::new(store.clone(), format!("{prefix}up:"));
            let rolled = rolled.time_zone(TimeZone::get("Australia/Lord_Howe").unwrap());
            all.push((number, UvFilling::RollUp, rolled.filling(UvFilling::RollUp)));
        }
    }
    all
}

#[test]
fn each_of_many_windows_writes_to_its_own_keys() {
    let clock = Arc::new(ManualClock::new(at("2019-10-29T00:00Z").as_millisecond()));
    let stores: Vec<Store> =
        (0..2).map(|_| Store::builder().clock(clock.clone()).build()).collect();
    let windows = many(&stores);
    // Nights in which clocks are set, in Berlin and on Lord Howe, and the ends of hours, days and months.
    let nights = ["2019-10-27T00:30Z", "2019-10-27T01:30Z", "2019-10-26T23:59:59Z"];
    let nights = nights.map(|text| at(text).as_second());
    let mut rng = Rng::new(21);
    let mut model = Model::new();
    for number in 0..6000 {
        let (store, filling, windows) = rng.pick(&windows).unwrap();
        let mut second_at = *rng.pick(&nights).unwrap() + rng.range(-2..=2) * 1800;
        for _ in 0..=rng.below(3) {
            let user = format!("user:{}", number % 700);
            windows.record(&user, second(second_at)).unwrap();
            let levels = if *filling == UvFilling::RollUp { 1 } else { UvLevel::ALL.len() };
            for &level in &UvLevel::ALL[..levels] {
                let bucket = windows.calendar().bucket(level, second(second_at)).unwrap();
                let users = model.entry((*store, windows.key(&bucket))).or_default();
                users.insert(user.clone());
            }
            // The same minute, the next one, or one in the previous hour.
            second_at += *rng.pick(&[0, 1, 59, 60, 61, -3600]).unwrap();
        }
    }
    for (number, store) in stores.iter().enumerate() {
        let keys: BTreeSet<Vec<u8>> =
            store.keys("*").unwrap().iter().map(|key| key.to_vec()).collect();
        let of_store =
            model.keys().filter(|(store, _)| *store == number).map(|(_, key)| key.clone());
        let open = keys.iter().filter(|key| key.ends_with(b"open")).cloned();
        assert_eq!(keys, of_store.chain(open).collect());
    }
    for ((number, key), users) in model {
        let counted = stores[number].pfcount([&key]).unwrap();
        let expected = users.iter().collect::<hll::HyperLogLog>().count();
        assert_eq!(counted, expected, "{}", key.escape_ascii());
    }
}

/// A sink that records a visit in windows of another store for each effect.
#[derive(Debug, Default)]
struct Echo(OnceLock<Vec<UvWindows>>);

const ECHOED: &str = "2019-09-28T10:00Z";

impl Sink for Echo {
    fn commit(&self, effects: &[Effect]) {
        let [added, ..] = effects else { return };
        let [command, _, user] = &*added.args else { return };
        if command != "PFADD" {
            return;
        }
        for windows in self.0.get().into_iter().flatten() {
            for minute in 0..2 {
                let at = at(ECHOED).as_second() + minute * 60;
                windows.record(user, second(at)).unwrap();
            }
        }
    }
}

#[test]
fn a_sink_may_record_in_other_windows() {
    let echo = Arc::new(Echo::default());
    let clock = Arc::new(ManualClock::new(at("2019-09-28T19:11:30Z").as_millisecond()));
    let (store, other) = (
        Store::builder().clock(clock.clone()).sink(echo.clone()).build(),
        Store::builder().clock(clock).build(),
    );
    let windows = UvWindows::new(store.clone(), "uv:");
    // With so many, some replace cached keys that are in use at that time.
    let echoed =
        (0..64).map(|number| UvWindows::new(other.clone(), format!("{number}:"))).collect();
    echo.0.set(echoed).unwrap();
    for user in 0..5 {
        windows.record(user, at("2019-09-28T19:11:30Z")).unwrap();
    }
    for key in ["201909281911", "2019092819", "20190928", "201909"] {
        assert_eq!(store.pfcount([format!("uv:{key}")]).unwrap(), 5);
        assert!(store.exists(format!("uv:{key}")).unwrap());
    }
    for number in 0..64 {
        for key in ["201909281000", "201909281001", "2019092810", "20190928", "201909"] {
            assert_eq!(other.pfcount([format!("{number}:{key}")]).unwrap(), 5, "{number} {key}");
        }
    }
    assert_eq!((store.dbsize().unwrap(), other.dbsize().unwrap()), (4, 5 * 64));
}
