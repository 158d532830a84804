//! The sorted set of the largest user id from raw bytes: it is refused, or it has a number, and the next user is set beside it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rdb::{RawValue, ValueType, WriteOptions, dump};
use tallis::prelude::*;
use tallis::{Locations, RestoreOptions, Store};

const KINDS: [ValueType; 4] =
    [ValueType::ZSetListpack, ValueType::ZSetZiplist, ValueType::ZSet, ValueType::ZSetText];

fuzz_target!(|input: (u8, u32, &[u8])| {
    let (kind, user, body) = input;
    let kind = KINDS[usize::from(kind) % KINDS.len()];
    // A blob may come without the length that it has as a string.
    let packed = || {
        let len = u8::try_from(body.len()).ok().filter(|&len| len < 64)?;
        RawValue::new(kind, [&[len], body].concat()).ok()
    };
    let Some(raw) = packed().or_else(|| RawValue::new(kind, body.to_vec()).ok()) else { return };
    let payload = dump::encode(WriteOptions::default(), |writer| writer.raw(&raw)).unwrap();
    let store = Store::new();
    store.restore("location:max", &payload, RestoreOptions::default()).unwrap();
    let locations = Locations::new(store.clone());
    // Few shards: what is asked here is not how many strings there may be.
    let user = u64::from(user % (1 << 22));
    let before = locations.largest_user();
    match locations.set(user, "USA", None) {
        Ok(()) => {
            assert_eq!(locations.get(user).unwrap(), Some(("USA", None)));
            match (before, locations.largest_user()) {
                (Ok(before), after) => assert_eq!(after.unwrap(), before.max(Some(user))),
                // The number is above that of any user.
                (Err(_), after) => assert!(after.is_err()),
            }
        }
        Err(_) => {
            before.unwrap_err();
            assert_eq!(store.dbsize().unwrap(), 1);
        }
    }
});
