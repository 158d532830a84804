//! Codes of each width, set by the recipe and by SETRANGE with any bytes, compared with a map. A string of a length
//! that does not fit is refused; any other has the codes of the map.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use tallis::bitpack::packed::{Codec, NumberCode};
use tallis::{CityTable, Locations, Precision, Store};

/// A change: a user near the ends of the first two shards, bytes, and, for a change by SETRANGE rather than by the
/// recipe, the number of bytes.
type Change = (u8, [u8; 4], Option<u8>);

/// Users of a shard.
const SHARD: u64 = 1 << 20;

fn check<P: Precision>(
    locations: &Locations<Store, P>,
    store: &Store,
    changes: &[Change],
    code: impl Fn([u8; 4]) -> <P::Codec as Codec>::Record,
) {
    let width = code([0; 4]).as_ref().len();
    let mut map = BTreeMap::new();
    let user = |at: u8| if at < 128 { u64::from(at) } else { SHARD - 192 + u64::from(at) };
    locations.set_code(SHARD + 200, code([1; 4])).unwrap();
    map.insert(SHARD + 200, code([1; 4]));
    for &(at, bytes, other) in changes {
        let at = user(at);
        let Some(len) = other else {
            locations.set_code(at, code(bytes)).unwrap();
            map.insert(at, code(bytes));
            continue;
        };
        let key = format!("location:{}", at / SHARD);
        let before = store.get(&key).unwrap();
        let offset = usize::try_from(at % SHARD).unwrap() * width;
        let len = store.setrange(&key, offset, &bytes[..usize::from(len % 5)]).unwrap();
        let fits = len % width == 0 && len <= width << 20;
        assert_eq!(locations.code(at).is_ok(), fits);
        assert_eq!(locations.set_code(at, code([7; 4])).is_ok(), fits);
        // SETRANGE with no bytes does not change the string, so this code may be the first one at this offset.
        let end = if fits { offset + width } else { 0 };
        assert_eq!(store.strlen(&key).unwrap(), len.max(end));
        // The map has only the codes that the recipe has set.
        match before {
            Some(before) => store.set(&key, before).unwrap(),
            None => assert!(store.del([&key]).unwrap() <= 1),
        }
    }
    for (&at, &code) in &map {
        assert_eq!(locations.code(at).unwrap(), code);
    }
    locations.aggregate().unwrap();
    locations.aggregate_list((0..=u8::MAX).map(user)).unwrap();
}

fuzz_target!(|input: (u8, Vec<Change>)| {
    let (width, mut changes) = input;
    // Each change may copy a string of several megabytes.
    changes.truncate(20);
    let store = Store::new();
    let locations = Locations::new(store.clone());
    match width % 4 {
        0 => check(&locations.countries(), &store, &changes, |[a, ..]| [a]),
        1 => check(&locations, &store, &changes, |[a, b, ..]| [a, b]),
        2 => {
            let rows = changes.iter().map(|(at, _, _)| (at.to_string(), "", ""));
            let Ok(table) = CityTable::from_rows(rows) else { return };
            let locations = locations.cities(table);
            check(&locations, &store, &changes, |[a, b, c, _]| [a, b, c]);
        }
        _ => check(&locations.codec::<NumberCode>(), &store, &changes, |code| code),
    }
});
