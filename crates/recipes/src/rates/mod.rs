//! How often something may happen: limits that are kept in the store or on a server, under a key for each of whom or what is
//! limited.
//!
//! | recipe | keeps | a key holds | exact |
//! |---|---|---|---|
//! | [`SlidingWindow`], a sliding-window log | at most N actions in any period | every action of the period | yes |
//! | [`Funnel`], a leaky bucket (GCRA) | N at once, and then so many a period | one time | yes |
//! | [`SlidingCounter`] | about N actions in any period | two counts | no: [its error](SlidingCounter#error) |
//!
//! Keys expire when they do not matter any more. In a store, one that is not asked for then keeps its memory until
//! [`Store::sweep`](store::Store::sweep) removes it: start a [`sweeper`](store::Store::sweeper) where limits are by
//! address or by user.
//!
//! The window is for small limits, the counter for limits of a million in a minute, and the funnel for streams that are
//! to be smooth.

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

/// The longest period or burst, in the unit in which it is counted: half of what 63 bits hold, so that it can be added
/// to a time.
const LONGEST: i64 = i64::MAX / 2;

/// The greatest number of 15 digits. Lua's numbers are doubles: sums and differences of a few numbers up to that one are
/// exact.
const MOST_IN_LUA: i64 = 999_999_999_999_999;

/// A period in whole milliseconds, rounded up: never shorter than was asked for.
pub(super) fn period_ms(period: Duration) -> Result<i64, Error> {
    let ms = i64::try_from(period.as_nanos().div_ceil(1_000_000)).ok();
    let ms = ms.filter(|ms| (1..=LONGEST).contains(ms));
    ms.ok_or_else(|| invalid("ERR the period is zero or too long"))
}

/// A number for a script to reckon with.
fn in_lua(number: i64) -> Result<i64, Error> {
    let fits = number <= MOST_IN_LUA;
    if fits {
        Ok(number)
    } else {
        Err(on_a_store_only("limits and periods of more than 15 digits"))
    }
}

/// The same in an argument: from 1 to [`MOST_IN_LUA`].
fn int_in_lua(call: &ScriptCall<'_>, at: usize) -> Result<i64, Error> {
    let number = call.int(at)?;
    if (1..=MOST_IN_LUA).contains(&number) { Ok(number) } else { Err(ScriptCall::wrong()) }
}

/// The figures that follow from what a script replied with, if they agree with what it has decided.
fn decided(throttle: Throttle, allowed: bool) -> Result<Throttle, Error> {
    if throttle.limited != allowed {
        return Ok(throttle);
    }
    Err(Error::new(ErrorKind::Conversion, "ERR the reply to a limit contradicts itself"))
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
