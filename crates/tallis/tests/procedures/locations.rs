//! Locations.

use std::sync::Arc;

use tallis::bitpack::packed::{Codec, NumberCode};
use tallis::{CityTable, ErrorKind, Locations, Precision, Store};

use super::refusal::{PLANTS, attempt, plant_everywhere};

/// The number of users in a string.
const SHARD: u64 = 1 << 20;

fn prepared() -> Store {
    let store = Store::new();
    Locations::new(store.clone()).set(5, "USA", "CA").unwrap();
    store
}

/// The number of planted values that cannot be strings of codes of this width: those of three other types, and strings
/// of other lengths. Their lengths are 9, 19, 20 and many bytes.
fn no_codes(width: usize) -> usize {
    let store = Store::new();
    let strings = PLANTS.iter().filter(|plant| {
        plant(&store, "key");
        let len = store.strlen("key");
        store.del(["key"]).unwrap();
        len.is_ok_and(|len| len % width != 0)
    });
    3 + strings.count()
}

#[test]
fn a_location_is_set_with_the_largest_id_or_not_at_all() {
    // A user below the largest, the next one, and one in another string.
    for user in [3, 6, SHARD] {
        let shard = format!("location:{}", user / SHARD);
        let set = |store: &Store| Locations::new(store.clone()).set(user, "FRA", None);
        let refused = plant_everywhere(prepared, &[&shard, "location:max"], set, |store, ()| {
            let locations = Locations::new(store.clone());
            assert_eq!(locations.get(user).unwrap(), Some(("FRA", None)));
            assert!(locations.largest_user().unwrap() >= Some(user));
        });
        // A sorted set accepts any member.
        assert_eq!(refused, no_codes(2) + 6, "{user}");
    }
}

#[test]
fn a_code_of_any_width_is_set_with_the_largest_id_or_not_at_all() {
    fn check<P: Precision>(
        width: usize,
        of: impl Fn(&Store) -> Locations<Store, P>,
        code: <P::Codec as Codec>::Record,
    ) {
        let prepared = || {
            let store = Store::new();
            of(&store).set_code(5, code).unwrap();
            store
        };
        for user in [3, 6, SHARD] {
            let shard = format!("location:{}", user / SHARD);
            let set = |store: &Store| of(store).set_code(user, code);
            let refused =
                plant_everywhere(prepared, &[&shard, "location:max"], set, |store, ()| {
                    assert_eq!(of(store).code(user).unwrap(), code);
                    assert!(of(store).largest_user().unwrap() >= Some(user));
                });
            assert_eq!(refused, no_codes(width) + 6, "{user} {width}");
        }
        let keys = ["location:0", "location:max"];
        let aggregate = |store: &Store| of(store).aggregate().map(drop);
        let refused = plant_everywhere(prepared, &keys, aggregate, |_, ()| {});
        assert_eq!(refused, no_codes(width) + 6, "{width}");
        let list = |store: &Store| of(store).aggregate_list([1, 5]).map(drop);
        let refused = plant_everywhere(prepared, &keys[..1], list, |_, ()| {});
        assert_eq!(refused, no_codes(width), "{width}");
    }
    let table = Arc::new(CityTable::from_rows([("FRA", "", "Paris")]).unwrap());
    let of = |store: &Store| Locations::new(store.clone());
    check(1, |store| of(store).countries(), [7]);
    check(2, of, [7, 0]);
    check(3, |store| of(store).cities(table.clone()), [1, 0, 1]);
    check(4, |store| of(store).codec::<NumberCode>(), [0, 0, 0, 1]);
}

#[test]
fn unreadable_values_are_refused() {
    let locations = Locations::new(prepared());
    for user in [Locations::MAX_USER + 1, u64::MAX] {
        let store = prepared();
        let error = attempt(&store, || locations.set(user, "USA", None)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
    let aggregate = |store: &Store| Locations::new(store.clone()).aggregate();
    let refused = plant_everywhere(prepared, &["location:0", "location:max"], aggregate, |_, _| {});
    assert_eq!(refused, no_codes(2) + 6);
}
