//! Values that a recipe does not expect: a call on them either fails and changes nothing, or succeeds.

use std::collections::BTreeMap;

use tallis::{Error, Store};

/// Writes a value to a key, replacing any other.
pub(crate) type Plant = fn(&Store, &str);

/// One value of each other type, a string that is not a number, and extreme numbers; a `HyperLogLog` last.
pub(crate) const PLANTS: [Plant; 7] = [
    |store, key| store.set(key, "no number").unwrap(),
    |store, key| store.set(key, i64::MAX).unwrap(),
    |store, key| store.set(key, i64::MIN).unwrap(),
    |store, key| assert_eq!(store.sadd(key, ["a", "b"]).unwrap(), 2),
    |store, key| assert_eq!(store.zadd(key, "member", 1.0).unwrap(), 1),
    |store, key| assert!(store.bf_add(key, "a").unwrap()),
    |store, key| assert!(store.pfadd(key, ["a"]).unwrap()),
];

/// The number of those that are not a `HyperLogLog`.
pub(crate) const NO_SKETCHES: usize = PLANTS.len() - 1;

/// All keys of a store with their values and expiries.
pub(crate) fn contents(store: &Store) -> BTreeMap<Vec<u8>, (Vec<u8>, i64)> {
    let entry = |key: bytes::Bytes| {
        let value = store.dump(&key).unwrap().unwrap().to_vec();
        (key.to_vec(), (value, store.expire_time(&key).unwrap().millis()))
    };
    store.keys("*").unwrap().into_iter().map(entry).collect()
}

/// Makes a call, which must change nothing if it fails.
pub(crate) fn attempt<R>(
    store: &Store,
    call: impl FnOnce() -> Result<R, Error>,
) -> Result<R, Error> {
    let before = contents(store);
    let done = call();
    if let Err(error) = &done {
        assert_eq!(contents(store), before, "{error}");
    }
    done
}

/// Plants each value at each of the keys of a store that `prepare` creates, and makes a call. The result of a
/// successful call is passed to `done`, with the store. Returns the number of refused calls.
pub(crate) fn plant_everywhere<R>(
    prepare: impl Fn() -> Store,
    keys: &[&str],
    call: impl Fn(&Store) -> Result<R, Error>,
    done: impl Fn(&Store, R),
) -> usize {
    let mut refused = 0;
    for key in keys {
        for plant in PLANTS {
            let store = prepare();
            store.del([key]).unwrap();
            plant(&store, key);
            match attempt(&store, || call(&store)) {
                Ok(returned) => done(&store, returned),
                Err(_) => refused += 1,
            }
        }
    }
    refused
}
