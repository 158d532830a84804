//! How often something may happen: limits that are kept in the store, under a key for each of whom or what is limited.
//!
//! | recipe | keeps | a key holds | exact |
//! |---|---|---|---|
//! | [`SlidingWindow`], a sliding-window log | at most N actions in any period | every action of the period | yes |
//! | [`Funnel`], a leaky bucket (GCRA) | N at once, and then so many a period | one time | yes |
//! | [`SlidingCounter`] | about N actions in any period | two counts | no: [its error](SlidingCounter#error) |
//!
//! Keys expire when they do not matter any more. One that is not asked for then keeps its memory until
//! [`Store::sweep`](store::Store::sweep) removes it: start a [`sweeper`](store::Store::sweeper) where limits are by
//! address or by user.
//!
//! The window is for small limits, the counter for limits of a million in a minute, and the funnel for streams that are
//! to be smooth.

mod buckets;
mod counter;
mod funnel;
mod quota;
mod retry;
mod throttle;
mod window;

pub use counter::SlidingCounter;
pub use funnel::Funnel;
pub use quota::Quota;
pub use retry::RetryAfter;
pub use throttle::Throttle;
pub use window::SlidingWindow;

use std::time::Duration;

use store::Error;

use crate::errors::invalid;

/// The longest period or burst, in the unit in which it is counted: half of what 63 bits hold, so that it can be added
/// to a time.
const LONGEST: i64 = i64::MAX / 2;

/// A period in whole milliseconds, rounded up: never shorter than was asked for.
pub(super) fn period_ms(period: Duration) -> Result<i64, Error> {
    let ms = i64::try_from(period.as_nanos().div_ceil(1_000_000)).ok();
    let ms = ms.filter(|ms| (1..=LONGEST).contains(ms));
    ms.ok_or_else(|| invalid("ERR the period is zero or too long"))
}
