//! Times as arguments.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A time span from now: a [`Duration`], or a number in the unit of the method.
///
/// A duration is rounded up to milliseconds. The trait is sealed.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use std::time::Duration;
///
/// use tallis::{Store, Ttl};
///
/// let store = Store::new();
/// store.set("k", "v")?;
/// store.expire("k", Duration::from_millis(1500))?;
/// assert!(matches!(store.ttl("k")?, Ttl::In(left) if left <= Duration::from_millis(1500)));
/// store.expire("k", 60)?;
/// assert_eq!(store.ttl("k")?.secs(), 60);
/// # Ok::<(), tallis::Error>(())
/// ```
pub trait ToSpan: sealed::Sealed {
    /// The milliseconds, if they fit; a number is multiplied by `unit_ms`.
    #[doc(hidden)]
    fn to_span_ms(self, unit_ms: i64) -> Option<i64>;
}

/// A point in time: a [`SystemTime`], or a number in the unit of the method, since the Unix epoch.
///
/// A time is rounded up to milliseconds. The trait is sealed.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use std::time::{Duration, SystemTime, UNIX_EPOCH};
///
/// use tallis::{ExpireTime, Store};
///
/// let store = Store::new();
/// store.set("k", "v")?;
/// store.expire_at("k", SystemTime::now() + Duration::from_secs(60))?;
/// store.expire_at("k", 4_102_444_800u64)?;
/// let midnight = UNIX_EPOCH + Duration::from_secs(4_102_444_800);
/// assert_eq!(store.expire_time("k")?, ExpireTime::At(midnight));
/// # Ok::<(), tallis::Error>(())
/// ```
pub trait ToTime: sealed::Sealed {
    /// Milliseconds since the epoch, if they fit.
    #[doc(hidden)]
    fn to_time_ms(self, unit_ms: i64) -> Option<i64>;
}

mod sealed {
    #[expect(unnameable_types, reason = "other crates must not implement it")]
    pub trait Sealed {}
}

impl sealed::Sealed for Duration {}

impl ToSpan for Duration {
    fn to_span_ms(self, _unit_ms: i64) -> Option<i64> {
        self.as_nanos().div_ceil(1_000_000).try_into().ok()
    }
}

impl sealed::Sealed for SystemTime {}

impl ToTime for SystemTime {
    fn to_time_ms(self, unit_ms: i64) -> Option<i64> {
        match self.duration_since(UNIX_EPOCH) {
            Ok(since) => since.to_span_ms(unit_ms),
            // Rounded up, as for times after the epoch.
            Err(before) => i64::try_from(before.duration().as_millis()).ok().map(|ms| -ms),
        }
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl sealed::Sealed for $number {}

        impl ToSpan for $number {
            #[inline]
            fn to_span_ms(self, unit_ms: i64) -> Option<i64> {
                i64::try_from(self).ok()?.checked_mul(unit_ms)
            }
        }

        impl ToTime for $number {
            #[inline]
            fn to_time_ms(self, unit_ms: i64) -> Option<i64> {
                self.to_span_ms(unit_ms)
            }
        }
    )*};
}

numbers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_times_are_rounded_up() {
        let nanos = Duration::from_nanos;
        for (time, ms) in [(0, 0), (1, 1), (1_000_000, 1), (1_000_001, 2)] {
            assert_eq!(nanos(time).to_span_ms(1000), Some(ms));
            assert_eq!((UNIX_EPOCH + nanos(time)).to_time_ms(1000), Some(ms));
        }
        assert_eq!((UNIX_EPOCH - nanos(1)).to_time_ms(1000), Some(0));
        assert_eq!((UNIX_EPOCH - nanos(1_000_000)).to_time_ms(1000), Some(-1));
        assert_eq!((UNIX_EPOCH - nanos(1_999_999)).to_time_ms(1000), Some(-1));
        assert_eq!(Duration::MAX.to_span_ms(1), None);
    }

    #[test]
    fn numbers_are_of_the_unit_of_the_call() {
        assert_eq!(60.to_span_ms(1000), Some(60_000));
        assert_eq!((-60i8).to_time_ms(1), Some(-60));
        assert_eq!(u64::MAX.to_span_ms(1), None);
        assert_eq!(i64::MAX.to_span_ms(1000), None);
        assert_eq!(i64::MAX.to_time_ms(1), Some(i64::MAX));
    }
}
