//! Arbitrary commands between the parts of a snapshot: the snapshot has the data of the moment it began.
#![no_main]

use std::sync::Arc;

use arbitrary::Unstructured;
use tallis::{Clock as _, ManualClock, SaveOptions, Store};

#[path = "../../crates/tallis/tests/beside/actions.rs"]
mod actions;
#[path = "../../crates/tallis/tests/beside/output.rs"]
mod output;

const SIZES: actions::Sizes = actions::Sizes { keys: 300, members: 600 };

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Unstructured::new(bytes);
    let mut below = |most: u64| bytes.int_in_range(0..=most - 1).unwrap_or(0);
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let builder = Store::builder().clock(clock.clone()).hash_seed(1);
    let store = builder.stripes(1 << below(4)).build();
    actions::fill(&store, SIZES, &mut below);
    let options = SaveOptions { compression: below(2) == 0, ..SaveOptions::default() };
    for _ in 0..2 {
        while store.sweep(1000).unwrap() > 0 {}
        let before = output::digest(&store);
        let mut session = store.session();
        let loaded = output::snapshot(&store, options, clock.now_ms(), || {
            for _ in 0..below(64) {
                let _ = session.execute(&actions::command(SIZES, &mut below));
            }
        });
        assert_eq!(output::digest(&loaded), before);
    }
});
