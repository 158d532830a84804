//! Unique visitors of any range: the article's lists, random visits compared with a simple model, expiry, clocks that
//! are set, threads.

#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]

mod article;
mod counts;
mod effects;
mod handles;
mod log;
mod retention;
mod steps;
mod threads;
mod zones;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use tallis::{ManualClock, Store, UvFilling, UvWindows};

/// The two ways to fill the buckets.
const FILLINGS: [UvFilling; 2] = [UvFilling::WriteThrough, UvFilling::RollUp];

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn second(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// A store whose clock shows that time, with windows under the prefix `uv:`.
fn windows(now: &str, filling: UvFilling) -> (UvWindows, Store, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(at(now).as_millisecond()));
    let store = Store::builder().clock(clock.clone()).build();
    (UvWindows::new(store.clone(), "uv:").filling(filling), store, clock)
}

/// Every visit, by its second.
#[derive(Clone, Debug, Default)]
struct Visits(BTreeMap<i64, Vec<String>>);

impl Visits {
    fn add(&mut self, user: &str, second: i64) {
        self.0.entry(second).or_default().push(user.to_owned());
    }

    /// The count of one HyperLogLog for the visits from one second up to another, exclusive.
    fn count(&self, from: i64, to: i64) -> u64 {
        let users = self.0.range(from..to).flat_map(|(_, users)| users);
        users.collect::<hll::HyperLogLog>().count()
    }
}
