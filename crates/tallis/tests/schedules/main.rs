//! The store and the recipes under schedules that shuttle chooses: at each lock, channel and atomic that threads go by it
//! decides which thread goes on. `cargo xtask faults schedules` compiles them for that.
//!
//! A schedule that fails is printed, as a text that `shuttle::replay` takes.
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

/// How long each test looks for schedules, in seconds, unless `TALLIS_SCHEDULES` says it.
const SECONDS: u64 = 10;

/// The most points of a schedule at which a thread is delayed.
const DELAYS: usize = 4;

/// Runs a scenario under random schedules for half of the time, and under those that delay threads at the worst moments
/// for the other half.
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

/// Returns how many schedules were tried.
fn run(scheduler: impl Scheduler + 'static, time: Duration, scenario: fn()) -> usize {
    let mut config = Config::new();
    config.max_time = Some(time);
    // Longer than any scenario is: one that has so many steps goes round in circles.
    config.max_steps = MaxSteps::FailAfter(10_000_000);
    config.stack_size = 1 << 20;
    Runner::new(scheduler, config).run(scenario)
}

/// A store of two stripes, whose keys lie in the same ones in each schedule.
fn builder() -> StoreBuilder {
    Store::builder().stripes(2).hash_seed(1).random_seed(1)
}
