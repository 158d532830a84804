//! Random commands of every family between the parts of a snapshot.

use std::sync::Arc;

use tallis::{Clock as _, Limits, ManualClock, SaveOptions, Store, Target};
use testkit::rng::{Rng, rounds};

use super::actions::{Sizes, command, fill};
use super::output::{digest, snapshot};

const SIZES: Sizes = Sizes { keys: 3000, members: 3000 };

fn run(seed: u64, at_each: u64, options: SaveOptions, limits: Limits) {
    let mut rng = Rng::new(seed);
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let store = Store::builder()
        .clock(clock.clone())
        .hash_seed(seed)
        .stripes(1 << (seed % 5))
        .limits(limits)
        .build();
    fill(&store, SIZES, &mut |most| rng.below(most));
    // Each snapshot begins with the marks that the previous one has left.
    for round in 0..4 {
        // A load removes expired keys.
        while store.sweep(1000).unwrap() > 0 {}
        let before = digest(&store);
        let keys = store.dbsize().unwrap();
        let mut session = store.session();
        let now_ms = clock.now_ms();
        let loaded = snapshot(&store, options, now_ms, || {
            // Output that is not in the first part is completely overwritten by commands during the other parts.
            for _ in 0..rng.below(at_each) {
                let words = command(SIZES, &mut |most| rng.below(most));
                let _ = session.execute(&words);
            }
            clock.advance(rng.range(0..=50));
        });
        assert_eq!(digest(&loaded), before, "seed {seed}, round {round}, {keys} keys");
    }
}

#[test]
fn a_snapshot_has_the_state_at_its_begin() {
    let plain = SaveOptions { compression: false, ..SaveOptions::default() };
    for (seed, at_each) in (0..rounds(15, 40)).zip([3, 40, 400, 3000].into_iter().cycle()) {
        let options = if seed % 3 == 0 { plain } else { SaveOptions::default() };
        run(seed, at_each, options, Limits::default());
    }
}

#[test]
fn a_snapshot_in_an_older_version_has_it_too() {
    let old = SaveOptions { version: Some(Target::V9), ..SaveOptions::default() };
    // First no large value is a blob, then all are.
    let tables = Limits { set_max_intset_entries: 0, ..Limits::default() };
    let blobs = Limits {
        set_max_intset_entries: 10_000,
        set_max_listpack_entries: 10_000,
        hash_max_listpack_entries: 10_000,
        zset_max_listpack_entries: 10_000,
        ..Limits::default()
    };
    for seed in 0..rounds(3, 6) {
        run(1000 + seed, 300, old, tables);
        run(2000 + seed, 300, SaveOptions::default(), blobs);
    }
}
