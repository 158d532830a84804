//! How often a filter is wrong: one is filled and asked.
//!
//! The items are distinct and fixed by a seed, and so are the items that are asked for and were not added. So what is
//! measured is a binomial count, whose deviation is known; added to it is that of the filter itself, whose items may
//! set a few bits more or less than items do on the average ([`bloom::plan::error_deviation`]).

use bloom::{ItemHash, Link};
use serde::Serialize;

use super::plan::Plan;
use crate::failure::Failure;
use crate::progress::Progress;

/// The most bits of a filter that is measured: 256 MiB of memory.
pub const MAX_BITS: u64 = 1 << 31;

/// The most items that a filter is measured for; it is given three times as many.
pub const MAX_ITEMS: u64 = 1 << 28;

/// How full the filter is when it is asked, in halves of what it is made for.
pub(super) const HALVES: [u64; 6] = [1, 2, 3, 4, 5, 6];

/// False positives that are found when the filter is just full, if the bounds below allow: for an error of 1 %.
const WRONG: f64 = 1e4;

/// The fewest and the most items that are asked for.
const NEGATIVES: [f64; 2] = [1e6, 2e7];

/// Items after which the progress is shown.
const STEP: u64 = 1 << 16;

/// What a filter with so many items did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Measured {
    /// The items, of those that it is made for.
    pub fill: f64,
    /// The items.
    pub items: u64,
    /// How many items that were not added were asked for.
    pub negatives: u64,
    /// How many of them were false positives.
    pub wrong: u64,
    /// The share of them that were.
    pub error: f64,
    /// That share by the formula.
    pub expected: f64,
    /// How far both are apart most of the time, since items are random: a standard deviation.
    pub standard_error: f64,
}

/// Makes the filter of this plan, fills it step by step, and counts after each how often it is wrong.
///
/// # Errors
///
/// A plan above [`MAX_BITS`] or [`MAX_ITEMS`], or no memory for the filter.
pub fn measure(plan: &Plan, seed: u64) -> Result<Vec<Measured>, Failure> {
    if plan.bits > MAX_BITS || plan.items > MAX_ITEMS {
        return Err(Failure::Usage(format!(
            "--measure fills filters of up to {MAX_BITS} bits (256 MiB) for up to {MAX_ITEMS} items: \
             this one has {} bits for {}",
            plan.bits, plan.items
        )));
    }
    measure_by(plan, seed, negatives(plan))
}

fn measure_by(plan: &Plan, seed: u64, negatives: u64) -> Result<Vec<Measured>, Failure> {
    let link = Link::new(plan.items, plan.error_rate);
    let mut link = link.map_err(|error| Failure::Trouble(error.to_string()))?;
    let stages = HALVES.len() as u64;
    let progress = Progress::of_items(3 * plan.items + stages * negatives);
    let mut added = 0;
    let stages = (0..).zip(HALVES).map(|(stage, halves)| {
        let items = items_at(plan, halves);
        each_key(seed, added..items, &progress, |key| {
            link.add_hash(key);
        });
        added = items;
        let mut wrong = 0;
        each_key(seed, negatives_of(stage, negatives), &progress, |key| {
            wrong += u64::from(link.contains_hash(key));
        });
        Measured::new(plan, items, negatives, wrong)
    });
    Ok(stages.collect())
}

/// The items at so many halves of what the plan is for.
pub(super) const fn items_at(plan: &Plan, halves: u64) -> u64 {
    plan.items * halves / 2
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the bounds are counts"
)]
fn negatives(plan: &Plan) -> u64 {
    let [fewest, most] = NEGATIVES;
    (WRONG / plan.error_rate).clamp(fewest, most) as u64
}

/// The numbers of the items that are asked for at a stage: others at each, so that no two rows err alike, and none of
/// an item that was added.
const fn negatives_of(stage: u64, negatives: u64) -> std::ops::Range<u64> {
    let first = (1 << 63) + stage * negatives;
    first..first + negatives
}

/// Hands over the hashes of the keys with these numbers. Numbers that differ are keys that differ.
fn each_key(
    seed: u64,
    numbers: std::ops::Range<u64>,
    progress: &Progress,
    mut take: impl FnMut(ItemHash),
) {
    for number in numbers {
        take(ItemHash::of([seed.to_le_bytes(), number.to_le_bytes()].as_flattened()));
        if number % STEP == 0 {
            progress.items(STEP);
        }
    }
}

impl Measured {
    #[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
    pub(super) fn new(plan: &Plan, items: u64, negatives: u64, wrong: u64) -> Self {
        let expected = plan.error_at(items);
        let asked = negatives as f64;
        // A rate of less than one false positive in all of them cannot be distinguished from zero.
        let chance = expected.max(1.0 / asked);
        let counted = (chance * (1.0 - chance) / asked).sqrt();
        let filled = bloom::plan::error_deviation(plan.bits, plan.hashes, items);
        Self {
            fill: items as f64 / plan.items as f64,
            items,
            negatives,
            wrong,
            error: wrong as f64 / asked,
            expected,
            standard_error: counted.hypot(filled),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over many seeds, distances from the formula are as large as they are said to be, neither larger nor smaller:
    /// their mean square is 1. Here the items asked for and the filter's bits have about equal parts in them.
    #[test]
    fn the_standard_error_is_one() {
        let plan = Plan::new(Some(3000), Some(0.2), None).unwrap();
        let rows = (0..200).flat_map(|seed| measure_by(&plan, seed, 20_000).unwrap());
        let square = |row: Measured| ((row.error - row.expected) / row.standard_error).powi(2);
        let mean = rows.map(square).sum::<f64>() / 1200.0;
        assert!((0.85..1.2).contains(&mean), "{mean}");
    }

    #[test]
    fn the_fewer_are_wrong_the_more_are_asked() {
        let asked = |rate| negatives(&Plan::new(Some(1), Some(rate), None).unwrap());
        assert_eq!(
            [0.9, 0.01, 0.002, 0.0005, 1e-300].map(asked),
            [1_000_000, 1_000_000, 5_000_000, 20_000_000, 20_000_000]
        );
    }

    #[test]
    fn no_negative_is_an_item_or_comes_twice() {
        let mut keys = std::collections::HashSet::new();
        for numbers in
            [0..3000, negatives_of(0, 3000), negatives_of(1, 3000), negatives_of(5, 3000)]
        {
            each_key(7, numbers, &Progress::of_items(0), |key| assert!(keys.insert(key)));
        }
        assert_eq!(keys.len(), 12_000);
        each_key(8, 0..3000, &Progress::of_items(0), |key| assert!(keys.insert(key)));
    }

    /// Of a million items asked for, an error of 1e-30 finds none, which shows no more than that it is below about
    /// 1e-6.
    #[test]
    fn what_is_too_seldom_to_be_seen_has_the_error_of_one_false_positive() {
        let plan = Plan::new(Some(1000), Some(1e-30), None).unwrap();
        let row = Measured::new(&plan, 1000, 1_000_000, 0);
        assert!((row.standard_error / 1e-6 - 1.0).abs() < 1e-3, "{row:?}");
    }
}
