//! `UvWindows` as the suites and the report use them: by UTC, from the morning of the article's first day on.

#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use std::sync::Arc;

use bytes::Bytes;
use hll::{Hll, Union};
use jiff::Timestamp;
use tallis::{ManualClock, Store, UvFilling, UvLevel, UvWindows};
use testkit::rng::Rng;

/// 2019-09-28 10:00 UTC.
pub const START: i64 = 1_569_664_800;
/// Seconds in an hour.
pub const HOUR: i64 = 3600;

const PREFIX: &str = "USER:LOGIN:";

/// A user's name.
pub type User = [u8; 16];

/// Returns `count` random users.
#[must_use]
pub fn users(seed: u64, count: usize) -> Vec<User> {
    let mut rng = Rng::new(seed);
    let mut user = || (u128::from(rng.u64()) << 64 | u128::from(rng.u64())).to_le_bytes();
    (0..count).map(|_| user()).collect()
}

/// Returns the time of a second.
///
/// # Panics
///
/// If the second is out of the range of [`Timestamp`].
#[must_use]
pub fn second(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// Returns empty windows, their store, and its clock, which is set to [`START`].
#[must_use]
pub fn windows(filling: UvFilling) -> (UvWindows, Store, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(START * 1000));
    let store = Store::builder().clock(clock.clone()).build();
    (UvWindows::new(store.clone(), PREFIX).filling(filling), store, clock)
}

/// Returns the keys of a second, for `levels` levels from the minute on.
///
/// # Panics
///
/// If the second is out of the range of [`Timestamp`].
#[must_use]
pub fn keys(at: i64, levels: usize) -> Vec<Vec<u8>> {
    let windows = UvWindows::new(Store::new(), PREFIX);
    let key = |level| windows.key(&windows.calendar().bucket(level, second(at)).unwrap());
    UvLevel::ALL.into_iter().take(levels).map(key).collect()
}

/// Windows over 25 hours from half past to half past: 60 minutes and 24 hours, all dense.
#[derive(Debug)]
pub struct Dense {
    /// The windows, which are rolled up.
    pub windows: UvWindows,
    /// The store of the windows.
    pub store: Store,
    /// The start of the range.
    pub from: Timestamp,
    /// The end of the range, exclusive.
    pub to: Timestamp,
    /// The keys that cover the range.
    pub keys: Vec<Vec<u8>>,
    /// The values of the keys.
    pub blobs: Vec<Bytes>,
}

impl Dense {
    /// Fills the windows with 2,000 visits per minute, by 200,000 users: enough that a minute is dense.
    ///
    /// # Panics
    ///
    /// If the keys, their encodings or their counts are not the expected ones.
    #[must_use]
    pub fn fill() -> Self {
        let (windows, store, clock) = windows(UvFilling::RollUp);
        let all = users(1, 200_000);
        let mut rng = Rng::new(3);
        for minute in 0..26 * 60 {
            let at = START + minute * 60;
            clock.set(at * 1000);
            let visits = (0..2000).map(|_| (rng.pick(&all).unwrap(), second(at)));
            windows.record_many(visits).unwrap();
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

    /// Returns the count of the windows.
    ///
    /// # Panics
    ///
    /// If the count fails.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.windows.count(self.from, self.to).unwrap()
    }

    /// Returns the count of the bare sketches.
    ///
    /// # Panics
    ///
    /// If the count fails.
    #[must_use]
    pub fn union(&self) -> u64 {
        let views: Vec<Hll<'_>> = self.blobs.iter().map(|blob| Hll::new(blob).unwrap()).collect();
        let mut union = Union::new();
        union.merge_all(&views).unwrap();
        union.count()
    }
}
