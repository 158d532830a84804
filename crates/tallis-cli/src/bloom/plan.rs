//! A plan from two of items, error rate and bits.

use std::fmt;

use bloom::plan;
use serde::Serialize;

/// The most items and the most bits of a plan, 2^53, because plans are computed in doubles, which hold all integers
/// only up to there.
pub const MAX: u64 = 1 << 53;

/// Bits in a word.
const WORD: u64 = 64;

/// A plan of a single Bloom filter in `RedisBloom`'s layout that does not grow.
///
/// Its JSON form is a stable interface of the program, including the order of the fields.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Plan {
    /// The capacity: the number of items.
    #[serde(rename = "n")]
    pub items: u64,
    /// The false positive rate at capacity, 0 to 1, as requested. The real rate differs by up to 3 % of it, because the
    /// number of hashes is rounded to an integer.
    #[serde(rename = "p")]
    pub error_rate: f64,
    /// The number of bits of the array: whole words.
    pub bits: u64,
    /// The number of bits that an item sets.
    pub hashes: u32,
    /// The number of bytes of the array.
    pub bytes: u64,
}

impl Plan {
    /// Creates a plan from two of items, error rate (between 0 and 1) and bits, which are rounded up to whole words.
    ///
    /// # Errors
    ///
    /// If not exactly two are given; for items or bits above [`MAX`]; for bits that are too few or too many for the
    /// items.
    ///
    /// # Examples
    ///
    /// ```
    /// use tallis_cli::bloom::Plan;
    ///
    /// let plan = Plan::new(Some(1000), Some(0.001), None)?;
    /// assert_eq!((plan.bits, plan.hashes, plan.bytes), (14_400, 10, 1800));
    /// assert_eq!(Plan::new(None, Some(0.001), Some(14_400))?.items, 1001);
    /// let plan = Plan::new(Some(1000), None, Some(14_400))?;
    /// assert_eq!(format!("{:.6}", plan.error_rate), "0.000989");
    /// # Ok::<(), tallis_cli::bloom::PlanError>(())
    /// ```
    pub fn new(
        items: Option<u64>,
        error_rate: Option<f64>,
        bits: Option<u64>,
    ) -> Result<Self, PlanError> {
        let words = |bits: u64| {
            let words = bits.checked_next_multiple_of(WORD).filter(|&bits| bits <= MAX);
            words.ok_or(PlanError::TooManyBits)
        };
        let (items, error_rate, bits) = match (items, error_rate, bits) {
            (Some(items), Some(error_rate), None) => {
                (items, error_rate, words(plan::bits_for(items, error_rate))?)
            }
            (None, Some(error_rate), Some(bits)) => {
                let bits = words(bits)?;
                (plan::capacity_for(bits, error_rate), error_rate, bits)
            }
            (Some(items), None, Some(bits)) => {
                let bits = words(bits)?;
                (items, plan::error_for(bits, items), bits)
            }
            (None, None, _) | (None, _, None) | (_, None, None) => return Err(PlanError::TooFew),
            (Some(_), Some(_), Some(_)) => return Err(PlanError::TooMany),
        };
        if items == 0 {
            return Err(PlanError::NoItem { bits });
        }
        if items > MAX {
            return Err(PlanError::TooManyItems);
        }
        // Below this, doubles lose digits, and then become 0.
        if !(f64::MIN_POSITIVE..1.0).contains(&error_rate) {
            return Err(PlanError::Extreme { items, bits });
        }
        let hashes = plan::hashes(plan::bits_per_item(error_rate));
        Ok(Self { items, error_rate, bits, hashes, bytes: bits / 8 })
    }

    /// Returns the number of bits per item.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "both are at most 2^53")]
    pub fn bits_per_item(&self) -> f64 {
        self.bits as f64 / self.items as f64
    }

    /// Returns the false positive rate with this number of items.
    #[must_use]
    pub fn error_at(&self, items: u64) -> f64 {
        plan::expected_error(self.bits, self.hashes, items)
    }

    /// Returns the false positive rate by a rule of thumb, with `fill` times the capacity.
    #[must_use]
    pub fn thumb_at(&self, fill: f64) -> f64 {
        let hashes = plan::thumb::hashes(self.bits_per_item());
        plan::thumb::error_rate_at(fill, hashes)
    }
}

/// Why a plan is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// Fewer than two are given.
    TooFew,
    /// All three are given.
    TooMany,
    /// More than [`MAX`] items.
    TooManyItems,
    /// More than [`MAX`] bits.
    TooManyBits,
    /// The bits are too few for a single item at this rate.
    NoItem {
        /// The number of bits, in whole words.
        bits: u64,
    },
    /// The error rate is too close to 0 or 1 for a double.
    Extreme {
        /// The number of items.
        items: u64,
        /// The number of bits, in whole words.
        bits: u64,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFew => f.write_str("two of -n, -p and -m are required; the third is computed"),
            Self::TooMany => {
                f.write_str("only two of -n, -p and -m can be given; the third is computed")
            }
            Self::TooManyItems => write!(f, "a plan can have at most {MAX} items"),
            Self::TooManyBits => write!(f, "a plan can have at most {MAX} bits"),
            Self::NoItem { bits } => {
                write!(f, "{bits} bits are too few for a single item at this error rate")
            }
            Self::Extreme { items, bits } => write!(
                f,
                "the error rate with n = {items} and m = {bits} is too close to 0 or 1 to be computed"
            ),
        }
    }
}

impl std::error::Error for PlanError {}

#[cfg(test)]
mod tests {
    use bloom::Link;
    use testkit::rng::Rng;

    use super::*;

    /// For any two values, the filter that is built from the plan is the one that was planned.
    #[test]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within range")]
    fn a_plan_is_what_its_filter_has() {
        let mut rng = Rng::new(1);
        for round in 0..3000 {
            let items = 2_f64.powf(rng.unit() * 16.0) as u64;
            let rate = 10_f64.powf(-rng.unit() * 6.0 - 0.01);
            let bits = items * (50 + rng.below(4000)) / 100 + 1;
            let plan = match round % 3 {
                0 => Plan::new(Some(items), Some(rate), None),
                1 => Plan::new(Some(items), None, Some(bits)),
                _ => Plan::new(None, Some(rate), Some(bits)),
            };
            let plan = match plan {
                Err(PlanError::NoItem { .. }) => continue,
                plan => plan.unwrap(),
            };
            let link = Link::new(plan.items, plan.error_rate).unwrap();
            assert_eq!((link.bits(), link.hashes()), (plan.bits, plan.hashes), "{plan:?}");
            assert_eq!(link.as_bytes().len() as u64, plan.bytes);
        }
    }

    /// The same for sizes far beyond the memory of any machine.
    #[test]
    fn the_three_agree_at_any_size() {
        let mut rng = Rng::new(2);
        for _ in 0..3000 {
            let items = 1 + rng.below(1 << 45);
            let bits = (items / 64 + rng.below(items)) * 64 + 64;
            let plan = Plan::new(Some(items), None, Some(bits)).unwrap();
            let again = Plan::new(Some(items), Some(plan.error_rate), None).unwrap();
            assert_eq!(again, plan);
            let back = Plan::new(None, Some(plan.error_rate), Some(bits)).unwrap();
            assert!(back.items.abs_diff(items) <= 1, "{items} {bits} {back:?}");
        }
    }

    #[test]
    fn bits_become_whole_words() {
        for (bits, words) in [(1, 64), (64, 64), (65, 128), (100_000, 100_032)] {
            let plan = Plan::new(Some(7), None, Some(bits)).map(|plan| plan.bits);
            assert!(plan == Ok(words) || words > 9999, "{bits}: {plan:?}");
            assert_eq!(Plan::new(None, Some(0.5), Some(bits)).unwrap().bits, words);
        }
    }

    #[test]
    fn what_cannot_be_planned_is_refused() {
        for (given, error) in [
            ((None, None, None), PlanError::TooFew),
            ((Some(1), None, None), PlanError::TooFew),
            ((None, Some(0.1), None), PlanError::TooFew),
            ((None, None, Some(1)), PlanError::TooFew),
            ((Some(1), Some(0.1), Some(1)), PlanError::TooMany),
            ((Some(MAX), Some(0.5), None), PlanError::TooManyBits),
            ((Some(u64::MAX), Some(0.01), None), PlanError::TooManyBits),
            ((Some(1), None, Some(MAX + 1)), PlanError::TooManyBits),
            ((Some(1), None, Some(u64::MAX)), PlanError::TooManyBits),
            ((Some(MAX + 1), Some(0.99), None), PlanError::TooManyItems),
            ((None, Some(0.99), Some(MAX)), PlanError::TooManyItems),
            ((None, Some(1e-300), Some(1000)), PlanError::NoItem { bits: 1024 }),
            ((Some(1), None, Some(1500)), PlanError::Extreme { items: 1, bits: 1536 }),
        ] {
            let (items, error_rate, bits) = given;
            assert_eq!(Plan::new(items, error_rate, bits), Err(error), "{given:?}");
            assert!(!error.to_string().is_empty());
        }
    }
}
