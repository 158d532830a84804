//! The result of a rate limit.

use std::time::Duration;

use super::retry::whole_seconds;

/// The result of a rate limit: whether the action is allowed, and figures to report to a client.
///
/// These are the five numbers of redis-cell's CL.THROTTLE, which web services return as `X-RateLimit-Limit`,
/// `X-RateLimit-Remaining`, `Retry-After` and `X-RateLimit-Reset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Throttle {
    /// Whether the action is refused.
    pub limited: bool,
    /// How many actions are allowed at once if there were none before.
    pub limit: u64,
    /// How many more actions are allowed now.
    pub remaining: u64,
    /// How long to wait until the same action will be allowed if no other comes in between. `None` if it is allowed
    /// now, and also if it never will be, because its quantity is above the limit.
    pub retry_after: Option<Duration>,
    /// How long until the limit is unused again, if there are no more actions.
    pub reset_after: Duration,
}

impl Throttle {
    /// Returns the reply of CL.THROTTLE: limited (0 or 1), limit, remaining, retry after, reset after. Both times are
    /// in seconds, rounded up, so that no caller retries too early; -1 if there is nothing to wait for.
    ///
    /// Numbers above `i64::MAX` are replaced by it.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use std::sync::Arc;
    /// use std::time::Duration;
    /// use tallis::{Funnel, ManualClock, Quota, Store};
    ///
    /// // CL.THROTTLE user123 15 30 60 1
    /// let store = Store::builder().clock(Arc::new(ManualClock::new(1_000_000))).build();
    /// let quota = Quota::new(16, 30, Duration::from_secs(60))?;
    /// let throttle = Funnel::new(store, quota).take("user123", 1)?;
    /// assert_eq!(throttle.to_reply(), [0, 16, 15, -1, 2]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn to_reply(&self) -> [i64; 5] {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let seconds = |time| number(whole_seconds(time));
        [
            i64::from(self.limited),
            number(self.limit),
            number(self.remaining),
            self.retry_after.map_or(-1, seconds),
            seconds(self.reset_after),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_round_times_up_to_seconds() {
        let reply = |retry_after, reset_after| {
            let throttle =
                Throttle { limited: true, limit: 5, remaining: 0, retry_after, reset_after };
            throttle.to_reply()
        };
        let nanos = Duration::from_nanos;
        assert_eq!(reply(None, nanos(0)), [1, 5, 0, -1, 0]);
        assert_eq!(reply(Some(nanos(0)), nanos(1)), [1, 5, 0, 0, 1]);
        assert_eq!(reply(Some(nanos(1_000_000_000)), nanos(1_000_000_001)), [1, 5, 0, 1, 2]);
        assert_eq!(reply(Some(Duration::MAX), Duration::MAX), [1, 5, 0, i64::MAX, i64::MAX]);
        let most = Throttle {
            limited: false,
            limit: u64::MAX,
            remaining: u64::MAX,
            retry_after: None,
            reset_after: Duration::ZERO,
        };
        assert_eq!(most.to_reply(), [0, i64::MAX, i64::MAX, -1, 0]);
    }
}
