//! The source of a store's time.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

/// A source of time, which is given to a store when it is built.
///
/// The store reads it at most once per command or transaction, so that all of it sees the same time.
pub trait Clock: Send + Sync + fmt::Debug {
    /// Returns milliseconds since the Unix epoch.
    fn now_ms(&self) -> i64;

    /// Returns microseconds since the Unix epoch, for limits of less than a millisecond. At any time, divided by 1000
    /// and rounded down they equal the milliseconds.
    ///
    /// The default implementation, for clocks with milliseconds only, returns the first microsecond of the millisecond.
    fn now_us(&self) -> i64 {
        self.now_ms().saturating_mul(1000)
    }

    /// Returns seconds since the Unix epoch, which may lag by a few milliseconds in exchange for speed.
    ///
    /// They are used for access times only; expiry always uses [`now_ms`](Self::now_ms).
    fn coarse_secs(&self) -> u32 {
        u32::try_from(self.now_ms() / 1000).unwrap_or(u32::MAX)
    }
}

/// The system clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        self.now_us() / 1000
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "this is the only function that reads the system time"
    )]
    fn now_us(&self) -> i64 {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since.map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
    }

    #[cfg(target_os = "linux")]
    fn coarse_secs(&self) -> u32 {
        // The kernel's last tick takes a tenth of the time of the exact clock, and access times are stored in seconds.
        let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
        u32::try_from(now.tv_sec).unwrap_or(u32::MAX)
    }
}

/// A clock that only changes when it is set: for tests and for replays of old logs.
///
/// It counts microseconds in 64 bits, 292,000 years in both directions; later times are saturated.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use std::sync::Arc;
/// use tallis::{ManualClock, Store};
///
/// let clock = Arc::new(ManualClock::new(1_000_000));
/// let store = Store::builder().clock(clock.clone()).build();
/// store.set("k", "v")?;
/// store.expire("k", 10)?;
/// clock.advance(9_999);
/// assert!(store.exists("k")?);
/// clock.advance(1);
/// assert!(!store.exists("k")?);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct ManualClock {
    now_us: AtomicI64,
}

impl ManualClock {
    /// Creates a clock that shows `now_ms`, in milliseconds since the Unix epoch.
    #[must_use]
    pub const fn new(now_ms: i64) -> Self {
        Self { now_us: AtomicI64::new(now_ms.saturating_mul(1000)) }
    }

    /// Advances the clock by `ms` milliseconds.
    pub fn advance(&self, ms: i64) {
        self.advance_us(ms.saturating_mul(1000));
    }

    /// Advances the clock by `us` microseconds.
    pub fn advance_us(&self, us: i64) {
        let advance = |now: i64| Some(now.saturating_add(us));
        // The update function always returns a value, so this cannot fail.
        let _ = self.now_us.fetch_update(Ordering::SeqCst, Ordering::SeqCst, advance);
    }

    /// Sets the clock to `now_ms`, in milliseconds since the Unix epoch.
    pub fn set(&self, now_ms: i64) {
        self.now_us.store(now_ms.saturating_mul(1000), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        self.now_us().div_euclid(1000)
    }

    fn now_us(&self) -> i64 {
        self.now_us.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_are_microseconds_rounded_down() {
        let clock = ManualClock::new(-1);
        assert_eq!((clock.now_ms(), clock.now_us()), (-1, -1000));
        clock.advance_us(-1);
        assert_eq!((clock.now_ms(), clock.now_us()), (-2, -1001));
        clock.advance_us(1001);
        clock.advance(7);
        assert_eq!((clock.now_ms(), clock.now_us()), (7, 7000));
        clock.set(i64::MAX);
        clock.advance(1);
        assert_eq!(clock.now_us(), i64::MAX);
        clock.set(i64::MIN);
        clock.advance_us(-1);
        assert_eq!(clock.now_us(), i64::MIN);
    }

    #[test]
    fn the_machine_gives_one_time_in_all_units() {
        let clock = SystemClock;
        let (before, ms, after) = (clock.now_us(), clock.now_ms(), clock.now_us());
        assert!((before / 1000..=after / 1000).contains(&ms));
    }

    #[test]
    fn a_clock_of_milliseconds_has_whole_ones() {
        #[derive(Debug)]
        struct Coarse(i64);
        impl Clock for Coarse {
            fn now_ms(&self) -> i64 {
                self.0
            }
        }
        for (ms, us) in [(5, 5000), (-5, -5000), (i64::MAX, i64::MAX), (i64::MIN, i64::MIN)] {
            assert_eq!(Coarse(ms).now_us(), us);
        }
    }
}
