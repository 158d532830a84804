//! What windows ask of whoever holds their keys.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tallis::{Error, Member, Store, UvFilling, UvHashed, UvKey, UvSteps, UvWindows};

use super::{FILLINGS, at, windows};

/// A store that notes which keys a count asks for, and which are hashed.
#[derive(Clone, Debug)]
struct Watched {
    store: Store,
    counted: Arc<Mutex<Vec<Vec<u8>>>>,
    hashed: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl UvSteps for Watched {
    fn now_ms(&self) -> Result<i64, Error> {
        self.store.now_ms()
    }

    fn hash_key(&self, key: &[u8]) -> u64 {
        self.hashed.lock().unwrap().push(key.to_vec());
        self.store.hash_key(key)
    }

    fn add_to_all(
        &self,
        keys: &[UvHashed<'_>],
        user: Member<'_>,
        expires_at: impl Fn(usize) -> Result<Option<i64>, Error>,
    ) -> Result<Option<bool>, Error> {
        for key in keys {
            assert_eq!(key.hash, self.store.hash_key(key.key));
        }
        self.store.add_to_all(keys, user, expires_at)
    }

    fn add_if_open(&self, key: UvHashed<'_>, user: Member<'_>) -> Result<Option<bool>, Error> {
        assert_eq!(key.hash, self.store.hash_key(key.key));
        self.store.add_if_open(key, user)
    }

    fn add_and_open(&self, open: &[u8], to: UvKey<'_>, user: Member<'_>) -> Result<bool, Error> {
        self.store.add_and_open(open, to, user)
    }

    fn open_names(&self, open: &[u8]) -> Result<Vec<Bytes>, Error> {
        self.store.open_names(open)
    }

    fn roll(
        &self,
        open: &[u8],
        buckets: &[UvKey<'_>],
        into: Option<UvKey<'_>>,
        stays_open: bool,
    ) -> Result<u64, Error> {
        self.store.roll(open, buckets, into, stays_open)
    }

    fn count(
        &self,
        open: &[u8],
        names: &[Bytes],
        keys: &[&[u8]],
    ) -> Result<Option<(u64, i64)>, Error> {
        self.counted.lock().unwrap().extend(keys.iter().map(|key| key.to_vec()));
        self.store.count(open, names, keys)
    }
}

fn watched(now: &str, filling: UvFilling) -> (UvWindows<Watched>, Watched) {
    let (_, store, _) = windows(now, filling);
    let watched = Watched { store, counted: Arc::default(), hashed: Arc::default() };
    (UvWindows::new(watched.clone(), "uv:").filling(filling), watched)
}

#[test]
fn a_count_asks_for_each_key_once() {
    for filling in FILLINGS {
        let (windows, watched) = watched("2019-09-28T19:11:30Z", filling);
        // Late ones, so that with roll-up there are open buckets inside the range, at its ends, and outside.
        for time in ["17:59", "18:00", "18:30", "18:59", "19:00", "19:10"] {
            windows.record(time, at(&format!("2019-09-28T{time}:30Z"))).unwrap();
        }
        let counted = windows.count(at("2019-09-28T18:00Z"), at("2019-09-28T19:02Z")).unwrap();
        assert_eq!(counted, 4, "{filling:?}");
        let keys = std::mem::take(&mut *watched.counted.lock().unwrap());
        let different: HashSet<&Vec<u8>> = keys.iter().collect();
        assert_eq!(different.len(), keys.len(), "{filling:?}");
        // The hour, two minutes, and beside them what is open in the hour.
        assert_eq!(keys.len(), if filling == UvFilling::RollUp { 6 } else { 3 });
    }
}

#[test]
fn a_key_is_hashed_when_its_bucket_begins() {
    for filling in FILLINGS {
        let (windows, watched) = watched("2019-09-28T23:59:30Z", filling);
        let record = |time: &str| {
            for user in 0..20 {
                windows.record(user, at(time)).unwrap();
            }
            let hashed = std::mem::take(&mut *watched.hashed.lock().unwrap());
            hashed.iter().map(|key| key.escape_ascii().to_string()).collect::<Vec<_>>()
        };
        let day = record("2019-09-28T23:58Z");
        assert_eq!(day, ["uv:201909282358", "uv:2019092823", "uv:20190928", "uv:201909"]);
        assert_eq!(record("2019-09-28T23:59Z"), ["uv:201909282359"]);
        assert!(record("2019-09-28T23:59:59.9Z").is_empty());
        let next = ["uv:201909290000", "uv:2019092900", "uv:20190929"];
        assert_eq!(record("2019-09-29T00:00Z"), next);
    }
}
