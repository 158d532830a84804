//! Measures the false positive rate of a filter.
//!
//! The items are distinct and determined by a seed, and so are the items that are looked up and were not added. So the
//! result is a binomial count, whose deviation is known, plus the deviation of the filter itself, whose items may set a
//! few bits more or less than average ([`bloom::plan::error_deviation`]).

use bloom::{ItemHash, Link};
use serde::Serialize;

use super::plan::Plan;
use crate::failure::Failure;
use crate::progress::Progress;

/// The most bits of a filter that is measured: 256 MiB of memory.
pub const MAX_BITS: u64 = 1 << 31;

/// The most items of a plan that is measured. The filter gets three times as many.
pub const MAX_ITEMS: u64 = 1 << 28;

/// The fills at which the filter is measured, in halves of its capacity.
pub(super) const HALVES: [u64; 6] = [1, 2, 3, 4, 5, 6];

/// The number of false positives to find at a full filter, if the bounds below allow, for a standard error of 1 %.
const WRONG: f64 = 1e4;

/// The fewest and the most lookups.
const NEGATIVES: [f64; 2] = [1e6, 2e7];

/// The number of items between updates of the progress bar.
const STEP: u64 = 1 << 16;

/// The measurement of a filter at one fill.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Measured {
    /// The number of items, divided by the capacity.
    pub fill: f64,
    /// The number of items.
    pub items: u64,
    /// The number of lookups of items that were not added.
    pub negatives: u64,
    /// The number of false positives.
    pub wrong: u64,
    /// The measured false positive rate.
    pub error: f64,
    /// The false positive rate by the formula.
    pub expected: f64,
    /// The standard deviation of the difference of both, because items are random.
    pub standard_error: f64,
}

/// Creates the filter of this plan, fills it step by step, and measures its false positive rate after each.
///
/// # Errors
///
/// If the plan is above [`MAX_BITS`] or [`MAX_ITEMS`], or if there is not enough memory.
pub fn measure(plan: &Plan, seed: u64) -> Result<Vec<Measured>, Failure> {
    if plan.bits > MAX_BITS || plan.items > MAX_ITEMS {
        return Err(Failure::Usage(format!(
            "--measure supports filters of up to {MAX_BITS} bits (256 MiB) for up to {MAX_ITEMS} items; \
             this one has {} bits for {} items",
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

/// Returns the number of items at this number of halves of the capacity.
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

/// Returns the numbers of the lookups at a stage: others at each, so that the rows are independent, and none of an item
/// that was added.
const fn negatives_of(stage: u64, negatives: u64) -> std::ops::Range<u64> {
    let first = (1 << 63) + stage * negatives;
    first..first + negatives
}

/// Passes the hashes of the keys with these numbers. Different numbers give different keys.
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
        // A rate of less than one false positive in all lookups cannot be distinguished from zero.
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

    /// Over many seeds, the differences from the formula match their standard deviation: the mean square is 1. Here the
    /// lookups and the filter's bits contribute about equally.
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

    /// With a million lookups, an error rate of 1e-30 gives no false positives, which shows only that it is below about
    /// 1e-6.
    #[test]
    fn what_is_too_seldom_to_be_seen_has_the_error_of_one_false_positive() {
        let plan = Plan::new(Some(1000), Some(1e-30), None).unwrap();
        let row = Measured::new(&plan, 1000, 1_000_000, 0);
        assert!((row.standard_error / 1e-6 - 1.0).abs() < 1e-3, "{row:?}");
    }
}
