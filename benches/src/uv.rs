//! `UvWindows` as the suites and the report measure them: by UTC, from the morning of the article's first day on.

#![expect(clippy::unwrap_used, reason = "a benchmark: what fails here stops it")]

use std::sync::Arc;

use bytes::Bytes;
use hll::{Hll, Union};
use jiff::Timestamp;
use tallis::{ManualClock, Store, UvFilling, UvLevel, UvWindows};
use testkit::rng::Rng;

/// 2019-09-28 10:00, UTC.
pub const START: i64 = 1_569_664_800;
/// Seconds of an hour.
pub const HOUR: i64 = 3600;

const PREFIX: &str = "USER:LOGIN:";

/// A user's name.
pub type User = [u8; 16];

/// That many random users.
#[must_use]
pub fn users(seed: u64, count: usize) -> Vec<User> {
    let mut rng = Rng::new(seed);
    let mut user = || (u128::from(rng.u64()) << 64 | u128::from(rng.u64())).to_le_bytes();
    (0..count).map(|_| user()).collect()
}

/// The time of that second.
///
/// # Panics
///
/// If no calendar has it.
#[must_use]
pub fn second(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// Empty windows, their store, and its clock, which stands at [`START`].
#[must_use]
pub fn windows(filling: UvFilling) -> (UvWindows, Store, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(START * 1000));
    let store = Store::builder().clock(clock.clone()).build();
    (UvWindows::new(store.clone(), PREFIX).filling(filling), store, clock)
}

/// The keys of a second, of so many levels from the minute on.
///
/// # Panics
///
/// If no calendar has it.
#[must_use]
pub fn keys(at: i64, levels: usize) -> Vec<Vec<u8>> {
    let windows = UvWindows::new(Store::new(), PREFIX);
    let key = |level| windows.key(&windows.calendar().bucket(level, second(at)).unwrap());
    UvLevel::ALL.into_iter().take(levels).map(key).collect()
}

/// Windows with 25 hours from half past to half past: 60 minutes and 24 hours, all dense.
#[derive(Debug)]
pub struct Dense {
    /// The windows, rolled up.
    pub windows: UvWindows,
    /// What holds them.
    pub store: Store,
    /// The first time of the range.
    pub from: Timestamp,
    /// The first time behind it.
    pub to: Timestamp,
    /// The keys that cover it.
    pub keys: Vec<Vec<u8>>,
    /// What they hold.
    pub blobs: Vec<Bytes>,
}

impl Dense {
    /// Fills them: 3,000 visits a minute of 200,000 users.
    ///
    /// # Panics
    ///
    /// If they are not as they should be.
    #[must_use]
    pub fn fill() -> Self {
        let (windows, store, clock) = windows(UvFilling::RollUp);
        let all = users(1, 200_000);
        let mut rng = Rng::new(3);
        for minute in 0..26 * 60 {
            let at = START + minute * 60;
            clock.set(at * 1000);
            for _ in 0..3000 {
                windows.record(rng.pick(&all).unwrap(), second(at)).unwrap();
            }
        }
        clock.set((START + 26 * HOUR) * 1000);
        windows.roll_up().unwrap();
        let (from, to) = (second(START + HOUR / 2), second(START + 25 * HOUR + HOUR / 2));
        let keys = windows.cover(from, to).unwrap();
        assert_eq!(keys.len(), 84);
        let blobs: Vec<Bytes> = keys.iter().map(|key| store.get(key).unwrap().unwrap()).collect();
        assert!(blobs.iter().all(|blob| blob.len() == hll::DENSE_LEN), "all dense");
        let dense = Self { windows, store, from, to, keys, blobs };
        assert_eq!(dense.count(), dense.union());
        dense
    }

    /// The count by the windows.
    ///
    /// # Panics
    ///
    /// If it fails.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.windows.count(self.from, self.to).unwrap()
    }

    /// The count by the bare sketches.
    ///
    /// # Panics
    ///
    /// If it fails.
    #[must_use]
    pub fn union(&self) -> u64 {
        let views: Vec<Hll<'_>> = self.blobs.iter().map(|blob| Hll::new(blob).unwrap()).collect();
        let mut union = Union::new();
        union.merge_all(&views).unwrap();
        union.count()
    }
}
