//! Rate limits, whose state is kept in a store or on a server, under a key for each user, address or other subject.
//!
//! | recipe | allows | a key holds | exact |
//! |---|---|---|---|
//! | [`SlidingWindow`], a sliding-window log | at most N actions in any period | every action of the period | yes |
//! | [`Funnel`], a leaky bucket (GCRA) | N at once, then a constant rate | one time | yes |
//! | [`SlidingCounter`], a sliding-window counter | about N actions in any period | two counts | no: [its error](SlidingCounter#error) |
//!
//! Keys expire when they have no effect any more. In a store, an expired key that is not accessed keeps its memory
//! until [`Store::sweep`](store::Store::sweep) removes it: start a [`sweeper`](store::Store::sweeper) if there is a
//! limit per address or per user.
//!
//! The log is for small limits, the counter for limits such as a million per minute, and the leaky bucket for a smooth
//! rate.

#[cfg(all(test, feature = "redis"))]
mod beside;
mod buckets;
mod counter;
mod funnel;
mod history;
#[cfg(all(test, feature = "redis"))]
mod on_server;
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

use store::{Error, ErrorKind, Script, ScriptCall};

use crate::errors::invalid;
use crate::procedure::on_a_store_only;

/// The scripts of the limits.
pub(crate) static SCRIPTS: [&Script; 3] = [&history::ACT, &funnel::POUR, &counter::COUNT];

/// The longest period or burst, in its unit: half of the range of an `i64`, so that it can be added to a time.
const LONGEST: i64 = i64::MAX / 2;

/// The greatest integer of 15 digits. Lua's numbers are doubles: sums and differences of a few numbers up to this one
/// are exact.
const MOST_IN_LUA: i64 = 999_999_999_999_999;

/// Converts a period to milliseconds, rounded up, so that it is never shorter than requested.
pub(super) fn period_ms(period: Duration) -> Result<i64, Error> {
    let ms = i64::try_from(period.as_nanos().div_ceil(1_000_000)).ok();
    let ms = ms.filter(|ms| (1..=LONGEST).contains(ms));
    ms.ok_or_else(|| invalid("ERR the period is zero or too long"))
}

/// Checks that a script can compute with a number.
fn in_lua(number: i64) -> Result<i64, Error> {
    let fits = number <= MOST_IN_LUA;
    if fits {
        Ok(number)
    } else {
        Err(on_a_store_only("limits and periods of more than 15 digits"))
    }
}

/// Parses an argument from 1 to [`MOST_IN_LUA`].
fn int_in_lua(call: &ScriptCall<'_>, at: usize) -> Result<i64, Error> {
    let number = call.int(at)?;
    if (1..=MOST_IN_LUA).contains(&number) { Ok(number) } else { Err(ScriptCall::wrong()) }
}

/// Checks that the figures that follow from the reply of a script agree with its decision.
fn decided(throttle: Throttle, allowed: bool) -> Result<Throttle, Error> {
    if throttle.limited != allowed {
        return Ok(throttle);
    }
    Err(Error::new(ErrorKind::Conversion, "ERR the reply to a limit is inconsistent"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_rounded_up_to_milliseconds() {
        assert_eq!(period_ms(Duration::from_nanos(1)).unwrap(), 1);
        assert_eq!(period_ms(Duration::from_millis(5)).unwrap(), 5);
        assert_eq!(period_ms(Duration::from_nanos(5_000_001)).unwrap(), 6);
        assert!(period_ms(Duration::ZERO).is_err());
        assert!(period_ms(Duration::MAX).is_err());
    }
}
