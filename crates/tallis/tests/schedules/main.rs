//! The store and the recipes under schedules of shuttle: at each lock, channel and atomic that threads depend on, it
//! decides which thread continues. `cargo xtask faults schedules` compiles them for this.
//!
//! A failing schedule is printed in the form that `shuttle::replay` accepts.
#![cfg(shuttle)]
#![expect(clippy::unwrap_used, reason = "a helper that fails also fails its test")]
#![expect(clippy::wildcard_enum_match_arm, reason = "a reply of any other shape fails the test")]

mod log;
#[path = "../durability/memory_disk.rs"]
#[expect(dead_code, reason = "the tests of durability use all of it")]
mod memory_disk;
mod recipes;
mod sessions;
mod snapshots;

use std::env;
use std::time::Duration;

use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, MaxSteps, Runner};
use tallis::{Store, StoreBuilder};

/// The time in seconds for which each test tries schedules, unless `TALLIS_SCHEDULES` is set.
const SECONDS: u64 = 10;

/// The maximum number of points in a schedule at which a thread is delayed.
const DELAYS: usize = 4;

/// Runs a scenario with random schedules for half of the time, and with schedules that delay threads at the worst
/// points for the other half.
fn check(scenario: fn()) {
    let asked = env::var("TALLIS_SCHEDULES").ok().map(|seconds| seconds.parse().unwrap());
    let half = Duration::from_millis(asked.unwrap_or(SECONDS) * 500);
    let mut tried = run(RandomScheduler::new(usize::MAX), half, scenario);
    for delays in 1..=DELAYS {
        let part = half / u32::try_from(DELAYS).unwrap();
        tried += run(PctScheduler::new(delays, usize::MAX), part, scenario);
    }
    println!("{tried} schedules");
}

/// Returns the number of schedules that were tried.
fn run(scheduler: impl Scheduler + 'static, time: Duration, scenario: fn()) -> usize {
    let mut config = Config::new();
    config.max_time = Some(time);
    // Longer than any scenario: one with this many steps loops endlessly.
    config.max_steps = MaxSteps::FailAfter(10_000_000);
    config.stack_size = 1 << 20;
    Runner::new(scheduler, config).run(scenario)
}

/// A store of two stripes, in which keys have the same stripe with each schedule.
fn builder() -> StoreBuilder {
    Store::builder().stripes(2).hash_seed(1).random_seed(1)
}
