//! Operations on a hash whose fields expire, and on a map: both return the same after each. The fuzz target includes
//! this file too.
#![expect(clippy::unwrap_used, reason = "tests and their helpers fail by a panic")]

use std::collections::BTreeMap;
use std::sync::Arc;

use tallis::{
    ExpireOption, HashSetExOptions, Limits, ManualClock, Profile, RestoreOptions, SetExpiry, Store,
};

const START: i64 = 1_700_000_000_000;

/// Fields with their values and expiries.
type Model = BTreeMap<String, (String, Option<i64>)>;

struct Sides {
    store: Store,
    clock: Arc<ManualClock>,
    model: Model,
    now: i64,
}

/// Reads bytes as operations: the first as settings, then three for each.
pub(crate) fn run(bytes: &[u8]) {
    let Some((&settings, bytes)) = bytes.split_first() else { return };
    let clock = Arc::new(ManualClock::new(START));
    let entries = [0, 5, 20, 1000][usize::from(settings % 4)];
    let limits = Limits { hash_max_listpack_entries: entries, ..Limits::default() };
    let profile = if settings & 4 == 0 { Profile::Redis82 } else { Profile::Valkey91 };
    let store = Store::builder().clock(clock.clone()).limits(limits).profile(profile).build();
    let mut sides = Sides { store, clock, model: Model::new(), now: START };
    for &[operation, field, by] in bytes.as_chunks().0 {
        sides.step(operation, &format!("f{}", field % 60), by);
        sides.check_len();
    }
    sides.check_all("h");
    sides.check_copy();
}

impl Sides {
    fn step(&mut self, operation: u8, field: &str, by: u8) {
        let at = self.now + i64::from(by % 32);
        let value = "x".repeat(usize::from(by % 40));
        match operation % 16 {
            0..4 => {
                self.store.hset("h", field, &value).unwrap();
                self.model.insert(field.to_owned(), (value, None));
            }
            4..7 => {
                self.store.hpexpire_at("h", at, ExpireOption::Always, field).unwrap();
                self.set_expiry(field, Some(at));
            }
            7..9 => {
                let expiry = SetExpiry::PXAT(at.unsigned_abs());
                let options = HashSetExOptions::default().set_expiration(expiry);
                assert!(self.store.hset_ex("h", &options, [(field, &value)]).unwrap());
                self.model.insert(field.to_owned(), (value, Some(at)));
            }
            9 => {
                self.store.hpersist("h", field).unwrap();
                self.set_expiry(field, None);
            }
            10 => {
                let removed = self.store.hdel("h", field).unwrap();
                assert_eq!(removed, usize::from(self.model.remove(field).is_some()));
            }
            11 => {
                let taken = self.store.hget_del("h", field).unwrap();
                let old = self.model.remove(field).map(|(value, _)| value.into());
                assert_eq!(taken, [old]);
            }
            12 => {
                self.store.sweep(usize::from(by % 9)).unwrap();
            }
            13 => self.check_copy(),
            _ => {
                let passed = i64::from(by % 7);
                self.clock.advance(passed);
                self.now += passed;
            }
        }
        let now = self.now;
        self.model.retain(|_, (_, expiry)| expiry.is_none_or(|at| at > now));
    }

    fn set_expiry(&mut self, field: &str, at: Option<i64>) {
        if let Some((_, expiry)) = self.model.get_mut(field) {
            *expiry = at;
        }
    }

    fn check_len(&self) {
        assert_eq!(self.store.hlen("h").unwrap(), self.model.len());
    }

    /// A restored payload has the same fields.
    fn check_copy(&self) {
        if self.model.is_empty() {
            return;
        }
        let payload = self.store.dump("h").unwrap().unwrap();
        self.store.restore("copy", &payload, RestoreOptions::default().replace(true)).unwrap();
        self.check_all("copy");
    }

    fn check_all(&self, key: &str) {
        let mut all = self.store.hgetall(key).unwrap();
        all.sort();
        let expected: Vec<_> = self
            .model
            .iter()
            .map(|(field, (value, _))| (field.clone().into(), value.clone().into()))
            .collect();
        assert_eq!(all, expected);
        let names: Vec<&String> = self.model.keys().collect();
        let times = self.store.hexpire_time(key, &names).unwrap();
        for (time, (_, (_, expiry))) in times.iter().zip(&self.model) {
            assert_eq!(time.millis(), expiry.unwrap_or(-1));
        }
    }
}
