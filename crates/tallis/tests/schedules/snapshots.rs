//! Snapshots during writes that move amounts, so that the sum never changes: each has this sum, and each key once.

use shuttle::thread;
use tallis::{LoadOptions, SaveOptions, Store};

use super::{builder, check};

/// The number of members of a large value: several chunks of a snapshot.
const MEMBERS: usize = 3000;

/// The initial amount of each key and member.
const WORTH: i64 = 10;

const KEYS: [&str; 3] = ["a", "b", "c"];

fn sum(store: &Store) -> i64 {
    let mut sum = 0;
    for key in store.keys("*").unwrap() {
        sum += match store.key_type(&key[..]).unwrap().as_deref() {
            Some("hash") => store
                .hvals(&key[..])
                .unwrap()
                .iter()
                .map(|amount| str::from_utf8(amount).unwrap().parse::<i64>().unwrap())
                .sum(),
            _ => store.get_as::<i64>(&key[..]).unwrap(),
        };
    }
    sum
}

fn transfer(store: &Store, from: &str, to: &str, amount: i64) {
    let moved = store.transaction([from, to], |tx| {
        tx.incr(from, -amount)?;
        tx.incr(to, amount).map(drop)
    });
    moved.unwrap();
}

/// Moves an amount between members at both ends of a large value, under its current name.
fn within(store: &Store, hash: &str, amount: i64) {
    let moved = store.transaction([hash], |tx| {
        if !tx.exists(hash)? {
            return Ok(());
        }
        tx.hincr(hash, "m0", -amount)?;
        tx.hincr(hash, format!("m{}", MEMBERS - 1), amount).map(drop)
    });
    moved.unwrap();
}

fn scenario() {
    let store = builder().build();
    for key in KEYS {
        store.set(key, WORTH).unwrap();
    }
    let names: Vec<String> = (0..MEMBERS).map(|n| format!("m{n}")).collect();
    let fields: Vec<(&str, i64)> = names.iter().map(|name| (name.as_str(), WORTH)).collect();
    store.hset_multiple("hash", &fields).unwrap();
    let total = sum(&store);

    let moves: [fn(&Store); 2] = [
        |store| {
            transfer(store, "a", "b", 3);
            within(store, "hash", 2);
            store.rename("hash", "other").unwrap();
            within(store, "other", 1);
            transfer(store, "b", "c", 1);
        },
        |store| {
            transfer(store, "c", "a", 4);
            within(store, "other", 5);
            within(store, "hash", 7);
            store.set("none", 0).unwrap();
            transfer(store, "none", "b", 2);
        },
    ];
    let writers = moves.map(|moves| {
        let store = store.clone();
        thread::spawn(move || moves(&store))
    });
    // The second snapshot begins with the state that the first has left in the store.
    for round in 0..2 {
        let file = store.snapshot_to(Vec::new(), SaveOptions::default()).unwrap();
        let loaded = builder().build();
        loaded.load_from(&file[..], LoadOptions::default()).unwrap();
        assert_eq!(sum(&loaded), total, "round {round}");
    }
    for writer in writers {
        writer.join().unwrap();
    }
    assert_eq!(sum(&store), total);
}

#[test]
fn no_schedule_loses_or_duplicates_anything() {
    check(scenario);
}
