//! The arithmetic of the leaky bucket: computes its level from a time.

use std::time::Duration;

use store::Error;

use super::{LONGEST, Throttle};
use crate::errors::invalid;

/// The capacity and the rate of a [`Funnel`](super::Funnel), which is a leaky bucket.
///
/// # Examples
///
/// Five at once, and then 30 per minute:
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use std::time::Duration;
/// use tallis::Quota;
///
/// let quota = Quota::new(5, 30, Duration::from_secs(60))?;
/// assert_eq!(quota.capacity(), 5);
/// assert_eq!(quota.interval(), Duration::from_secs(2));
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quota {
    capacity: u64,
    /// The time in which one unit leaks.
    interval_us: i64,
    /// The time in which a full bucket empties.
    depth_us: i64,
}

impl Quota {
    /// Returns the quota of a bucket for `capacity` that leaks `count` in each `period`. In terms of CL.THROTTLE they
    /// are `max_burst` plus one, `count per period` and `period`.
    ///
    /// The time per unit is rounded up to whole [microseconds](Self::interval): three per second are one per 333,334
    /// microseconds. So the rate is never above the requested one, and below it by at most a hundredth for up to 10,000
    /// per second.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a capacity, count or period of zero, for
    /// more than a million per second, and if a full bucket would take more than 146,000 years to empty.
    pub fn new(capacity: u64, count: u64, period: Duration) -> Result<Self, Error> {
        let nanos = period.as_nanos();
        if capacity == 0 || count == 0 || nanos == 0 {
            return Err(invalid("ERR the capacity, count or period of a quota is zero"));
        }
        if nanos < u128::from(count) * 1000 {
            return Err(invalid("ERR the quota exceeds a million per second"));
        }
        let interval = nanos.div_ceil(u128::from(count) * 1000);
        let depth = interval.checked_mul(capacity.into()).and_then(|us| i64::try_from(us).ok());
        match (i64::try_from(interval), depth) {
            (Ok(interval_us), Some(depth_us)) if depth_us <= LONGEST => {
                Ok(Self { capacity, interval_us, depth_us })
            }
            _ => Err(invalid("ERR the period of the quota is too long")),
        }
    }

    /// Returns the capacity: how many actions are allowed at once when the bucket is empty.
    #[must_use]
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Returns the time in which one unit leaks, in whole microseconds.
    #[must_use]
    pub const fn interval(&self) -> Duration {
        micros(self.interval_us)
    }

    /// Decides whether a bucket has room for `quantity` at `now_us`, if it will be empty at `arrival_us`, or is empty
    /// for `None`. Returns the answer, and the new time at which it will be empty if that changes. Times are
    /// microseconds since the Unix epoch.
    ///
    /// For callers that store the time elsewhere: [`Funnel::take`](super::Funnel::take) calls it between a read and a
    /// write.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use std::time::Duration;
    /// use tallis::Quota;
    ///
    /// let quota = Quota::new(2, 1, Duration::from_secs(1))?;
    /// let (first, empty_at) = quota.take(None, 5_000_000, 2);
    /// assert_eq!((first.limited, first.remaining, empty_at), (false, 0, Some(7_000_000)));
    /// let (second, unchanged) = quota.take(empty_at, 5_200_000, 1);
    /// assert_eq!((second.limited, unchanged), (true, None));
    /// assert_eq!(second.retry_after, Some(Duration::from_millis(800)));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn take(
        &self,
        arrival_us: Option<i64>,
        now_us: i64,
        quantity: u64,
    ) -> (Throttle, Option<i64>) {
        // The level of the bucket, as the time that it would take to empty.
        let level = arrival_us.map_or(0, |at| at.saturating_sub(now_us).max(0));
        let Some(drop) = self.time_of(quantity) else {
            return (self.answer(true, None, level), None);
        };
        let filled = level.saturating_add(drop);
        if filled > self.depth_us {
            return (self.answer(true, Some(filled - self.depth_us), level), None);
        }
        match now_us.checked_add(filled) {
            Some(empty_at) => (self.answer(false, None, filled), (drop > 0).then_some(empty_at)),
            // The time would overflow.
            None => (self.answer(true, None, level), None),
        }
    }

    /// Returns the quota that leaks one per microsecond, and whose full bucket empties in this many microseconds.
    pub(super) const fn of_depth(depth_us: i64) -> Self {
        Self { capacity: depth_us.unsigned_abs(), interval_us: 1, depth_us }
    }

    /// Returns the time in which a full bucket empties, in microseconds.
    pub(super) const fn depth_us(&self) -> i64 {
        self.depth_us
    }

    /// Returns the time in which `quantity` leaks, in microseconds; for more than the capacity, a time longer than
    /// [`depth_us`](Self::depth_us).
    pub(super) fn drop_us(&self, quantity: u64) -> i64 {
        self.time_of(quantity).unwrap_or(i64::MAX)
    }

    /// Returns the time in which `quantity` leaks; `None` if it is more than the capacity.
    #[inline]
    fn time_of(&self, quantity: u64) -> Option<i64> {
        if quantity > self.capacity {
            return None;
        }
        Some(i64::try_from(quantity).ok()? * self.interval_us)
    }

    #[inline]
    fn answer(&self, limited: bool, retry_us: Option<i64>, level: i64) -> Throttle {
        let room = self.depth_us.saturating_sub(level).max(0);
        Throttle {
            limited,
            limit: self.capacity,
            remaining: room.cast_unsigned() / self.interval_us.cast_unsigned(),
            retry_after: retry_us.map(micros),
            reset_after: micros(level),
        }
    }
}

#[inline]
const fn micros(us: i64) -> Duration {
    Duration::from_micros(us.unsigned_abs())
}

/// Returns the first millisecond in which a bucket that empties at this time is empty.
#[inline]
pub(super) const fn expiry_ms(arrival_us: i64) -> i64 {
    arrival_us.div_euclid(1000) + (arrival_us.rem_euclid(1000) > 0) as i64
}

#[cfg(test)]
mod tests {
    use store::ErrorKind;

    use super::*;

    const S: u64 = 1_000_000;

    fn quota(capacity: u64, count: u64, secs: u64) -> Quota {
        Quota::new(capacity, count, Duration::from_secs(secs)).unwrap()
    }

    #[test]
    fn intervals_are_rounded_up() {
        for (count, period, us) in [
            (1, Duration::from_secs(1), S),
            (3, Duration::from_secs(1), 333_334),
            (30, Duration::from_secs(60), 2 * S),
            (1, Duration::from_micros(1), 1),
            (1, Duration::from_nanos(1001), 2),
            (1_000_000, Duration::from_secs(1), 1),
            (999_999, Duration::from_secs(1), 2),
            (7, Duration::from_secs(365 * 86_400), 4_505_142_857_143),
        ] {
            let quota = Quota::new(1, count, period).unwrap();
            assert_eq!(quota.interval(), Duration::from_micros(us), "{count} in {period:?}");
        }
    }

    #[test]
    fn quotas_that_cannot_be_kept_are_refused() {
        let text = |capacity, count, period| {
            let error = Quota::new(capacity, count, period).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            error.to_string()
        };
        let second = Duration::from_secs(1);
        let zero = "ERR the capacity, count or period of a quota is zero";
        assert_eq!(text(0, 1, second), zero);
        assert_eq!(text(1, 0, second), zero);
        assert_eq!(text(1, 1, Duration::ZERO), zero);
        let fast = "ERR the quota exceeds a million per second";
        assert_eq!(text(1, 1_000_001, second), fast);
        assert_eq!(text(1, u64::MAX, second), fast);
        assert_eq!(text(u64::MAX, 1, Duration::from_nanos(999)), fast);
        let long = "ERR the period of the quota is too long";
        assert_eq!(text(1, 1, Duration::MAX), long);
        assert_eq!(text(u64::MAX, 1, Duration::MAX), long);
        assert_eq!(text(u64::MAX, 1, second), long);
        let most = LONGEST.unsigned_abs();
        assert_eq!(text(most + 1, 1, Duration::from_micros(1)), long);
        assert_eq!(text(1, 1, Duration::from_micros(most + 1)), long);
        assert_eq!(Quota::new(most, 1, Duration::from_micros(1)).unwrap().capacity(), most);
        Quota::new(1, 1, Duration::from_micros(most)).unwrap();
        Quota::new(1, u64::MAX, Duration::MAX).unwrap();
    }

    #[test]
    fn a_burst_fills_the_funnel_and_leaks_out_evenly() {
        let quota = quota(3, 1, 1);
        let start = 1_700_000_000 * 1_000_000;
        let mut arrival = None;
        for taken in 1..=3 {
            let (answer, next) = quota.take(arrival, start, 1);
            let secs = Duration::from_secs(taken);
            let want = Throttle {
                limited: false,
                limit: 3,
                remaining: 3 - taken,
                retry_after: None,
                reset_after: secs,
            };
            assert_eq!(answer, want);
            assert_eq!(next, Some(start + i64::try_from(taken * S).unwrap()));
            arrival = next;
        }
        // Exact to the microsecond.
        let (answer, next) = quota.take(arrival, start + 999_999, 1);
        assert_eq!((answer.limited, answer.remaining, next), (true, 0, None));
        assert_eq!(answer.retry_after, Some(Duration::from_micros(1)));
        assert_eq!(answer.reset_after, Duration::from_micros(2 * S + 1));
        let (answer, next) = quota.take(arrival, start + 1_000_000, 1);
        assert_eq!((answer.limited, next), (false, Some(start + 4_000_000)));
        // Two at once have to wait one second longer.
        let (answer, _) = quota.take(arrival, start + 1_000_000, 2);
        assert_eq!(answer.retry_after, Some(Duration::from_secs(1)));
        assert_eq!((answer.limited, answer.remaining), (true, 1));
    }

    #[test]
    fn more_than_the_capacity_is_never_allowed() {
        let quota = quota(3, 1, 1);
        for quantity in [4, 5, 1 << 62, u64::MAX] {
            let (answer, next) = quota.take(None, 5, quantity);
            assert_eq!(answer.to_reply(), [1, 3, 3, -1, 0], "{quantity}");
            assert_eq!(next, None);
        }
    }

    #[test]
    fn a_quantity_of_zero_only_queries() {
        let quota = quota(3, 1, 1);
        let (answer, next) = quota.take(None, 0, 0);
        assert_eq!((answer.to_reply(), next), ([0, 3, 3, -1, 0], None));
        let (answer, next) = quota.take(Some(1_500_000), 0, 0);
        assert_eq!((answer.to_reply(), next), ([0, 3, 1, -1, 2], None));
        // A time that was written with another quota: the level is above the capacity.
        let (answer, next) = quota.take(Some(5_000_000), 0, 0);
        assert_eq!((answer.to_reply(), next), ([1, 3, 0, 2, 5], None));
    }

    #[test]
    fn extreme_times_neither_panic_nor_wrap() {
        let most = LONGEST.unsigned_abs();
        let quotas = [
            quota(1, 1, 1),
            Quota::new(most, 1, Duration::from_micros(1)).unwrap(),
            Quota::new(1, 1, Duration::from_micros(most)).unwrap(),
        ];
        let times = [i64::MIN, i64::MIN + 1, -1, 0, 1, LONGEST, i64::MAX - 1, i64::MAX];
        for quota in quotas {
            for now in times {
                for arrival in times.map(Some).into_iter().chain([None]) {
                    for quantity in [0, 1, quota.capacity(), u64::MAX] {
                        let (answer, next) = quota.take(arrival, now, quantity);
                        assert!(answer.remaining <= answer.limit);
                        if let Some(next) = next {
                            assert!(!answer.limited && next > now);
                            // In i128, so that nothing overflows here either.
                            let level = i128::from(next) - i128::from(now);
                            assert!(level <= i128::from(quota.depth_us));
                            assert!(expiry_ms(next) >= next / 1000);
                        }
                        assert_eq!(next.is_some(), !answer.limited && quantity > 0);
                    }
                }
            }
        }
    }

    #[test]
    fn a_key_expires_in_the_first_millisecond_of_an_empty_funnel() {
        for (us, ms) in [(0, 0), (1, 1), (999, 1), (1000, 1), (1001, 2), (-1, 0), (-1000, -1)] {
            assert_eq!(expiry_ms(us), ms, "{us}");
        }
        assert_eq!(expiry_ms(i64::MAX), i64::MAX / 1000 + 1);
        assert_eq!(expiry_ms(i64::MIN), i64::MIN / 1000);
    }
}
