//! Values that a recipe does not expect, and whether a call on them changes nothing or succeeds.

use std::collections::BTreeMap;

use tallis::{Error, Store};

/// Puts a value at a key, in place of whatever is there.
pub(crate) type Plant = fn(&Store, &str);

/// Another type each, a string that is no number, and the greatest number; a `HyperLogLog` last.
pub(crate) const PLANTS: [Plant; 7] = [
    |store, key| store.set(key, "no number").unwrap(),
    |store, key| store.set(key, i64::MAX).unwrap(),
    |store, key| store.set(key, i64::MIN).unwrap(),
    |store, key| assert_eq!(store.sadd(key, ["a", "b"]).unwrap(), 2),
    |store, key| assert_eq!(store.zadd(key, "member", 1.0).unwrap(), 1),
    |store, key| assert!(store.bf_add(key, "a").unwrap()),
    |store, key| assert!(store.pfadd(key, ["a"]).unwrap()),
];

/// Those that are no `HyperLogLog`.
pub(crate) const NO_SKETCHES: usize = PLANTS.len() - 1;

/// Everything that is in a store.
pub(crate) fn contents(store: &Store) -> BTreeMap<Vec<u8>, (Vec<u8>, i64)> {
    let entry = |key: bytes::Bytes| {
        let value = store.dump(&key).unwrap().unwrap().to_vec();
        (key.to_vec(), (value, store.expire_time(&key).unwrap().millis()))
    };
    store.keys("*").unwrap().into_iter().map(entry).collect()
}

/// Makes a call, which must leave everything as it was if it fails.
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

/// Plants each value at each of the keys of a store that `prepare` makes, and makes a call. What the call returns is
/// handed to `done`, to look at the store. Returns how many calls were refused.
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
