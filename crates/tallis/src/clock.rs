//! Where the store takes its time from.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

/// A source of time, handed to a store when it is built.
///
/// The store reads it at most once a command or transaction, so that everything inside one sees one moment.
pub trait Clock: Send + Sync + fmt::Debug {
    /// Milliseconds since the Unix epoch.
    fn now_ms(&self) -> i64;

    /// Seconds since the Unix epoch, allowed to lag by a few milliseconds in return for speed.
    ///
    /// It stamps access times only; expiry always asks [`now_ms`](Self::now_ms).
    fn coarse_secs(&self) -> u32 {
        u32::try_from(self.now_ms() / 1000).unwrap_or(u32::MAX)
    }
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that asks the machine for the time"
    )]
    fn now_ms(&self) -> i64 {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    #[cfg(target_os = "linux")]
    fn coarse_secs(&self) -> u32 {
        // The kernel's last tick: a tenth of the cost of the exact time, and access times are kept in seconds.
        let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
        u32::try_from(now.tv_sec).unwrap_or(u32::MAX)
    }
}

/// A clock that stands still until it is told to move: for tests and for replays of old logs.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use tallis::{ManualClock, Store, prelude::*};
///
/// let clock = Arc::new(ManualClock::new(1_000_000));
/// let store = Store::builder().clock(clock.clone()).build();
/// store.set("k", "v")?;
/// store.expire("k", 10)?;
/// clock.advance(9_999);
/// assert!(store.exists(["k"])? == 1);
/// clock.advance(1);
/// assert!(store.exists(["k"])? == 0);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that shows `now_ms`, milliseconds since the Unix epoch.
    #[must_use]
    pub const fn new(now_ms: i64) -> Self {
        Self(AtomicI64::new(now_ms))
    }

    /// Moves the clock on by `ms` milliseconds.
    pub fn advance(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }

    /// Sets the clock to `now_ms`, milliseconds since the Unix epoch.
    pub fn set(&self, now_ms: i64) {
        self.0.store(now_ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}
