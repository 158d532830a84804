//! Locations.

use tallis::{ErrorKind, Locations, Store};

use super::refusal::{attempt, plant_everywhere};

/// How many users share a string.
const SHARD: u64 = 1 << 20;

fn prepared() -> Store {
    let store = Store::new();
    Locations::new(store.clone()).set(5, "USA", "CA").unwrap();
    store
}

#[test]
fn a_location_is_set_with_the_largest_id_or_not_at_all() {
    // A user below the largest, the next one, and one of another string.
    for user in [3, 6, SHARD] {
        let shard = format!("location:{}", user / SHARD);
        let set = |store: &Store| Locations::new(store.clone()).set(user, "FRA", None);
        let refused = plant_everywhere(prepared, &[&shard, "location:max"], set, |store, ()| {
            let locations = Locations::new(store.clone());
            assert_eq!(locations.get(user).unwrap(), Some(("FRA", None)));
            assert!(locations.largest_user().unwrap() >= Some(user));
        });
        // A string takes any bytes, but for those of three types; and so does a sorted set any member.
        assert_eq!(refused, 3 + 6, "{user}");
    }
}

#[test]
fn what_cannot_be_read_is_refused() {
    let locations = Locations::new(prepared());
    for user in [Locations::MAX_USER + 1, u64::MAX] {
        let store = prepared();
        let error = attempt(&store, || locations.set(user, "USA", None)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
    let aggregate = |store: &Store| Locations::new(store.clone()).aggregate();
    let refused = plant_everywhere(prepared, &["location:0", "location:max"], aggregate, |_, _| {});
    assert_eq!(refused, 3 + 6);
}
