//! The time at which a command runs.

use std::cell::Cell;
use std::sync::Arc;

use crate::clock::Clock;
use crate::sync::atomic::{AtomicBool, Ordering};

/// The source of the time of commands.
#[derive(Debug)]
pub(crate) struct TimeSource {
    pub(super) clock: Arc<dyn Clock>,
    /// Whether a log is being replayed. Keys do not expire then, as on servers: a later command of the log may need
    /// them, and the log has a deletion for each key that had expired.
    pub(super) replaying: AtomicBool,
}

impl TimeSource {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, replaying: AtomicBool::new(false) }
    }
}

/// The time of one command or transaction: read when it is first needed, and constant afterwards.
///
/// Most commands access no key with an expiry, and reading the exact time takes longer than many of them.
#[derive(Clone, Debug)]
pub(crate) struct CommandTime<'s> {
    // One word, so that creating it is free.
    source: &'s TimeSource,
    now_us: Cell<Option<i64>>,
    coarse_secs: Cell<Option<u32>>,
    found_expired: Cell<bool>,
}

impl<'s> CommandTime<'s> {
    pub(crate) const fn new(source: &'s TimeSource) -> Self {
        Self {
            source,
            now_us: Cell::new(None),
            coarse_secs: Cell::new(None),
            found_expired: Cell::new(false),
        }
    }

    /// A time at which nothing has expired.
    pub(crate) const fn before_all(source: &'s TimeSource) -> Self {
        Self {
            now_us: Cell::new(Some(i64::MIN + 1)),
            coarse_secs: Cell::new(Some(0)),
            ..Self::new(source)
        }
    }

    /// Copies what another copy of the same time has read.
    #[inline]
    pub(super) fn take_over(&self, read: &Self) {
        self.now_us.set(read.now_us.get());
        self.coarse_secs.set(read.coarse_secs.get());
    }

    /// The time in microseconds since the epoch.
    #[inline]
    pub(crate) fn now_us(&self) -> i64 {
        self.now_us.get().unwrap_or_else(|| {
            let now = self.source.clock.now_us();
            self.now_us.set(Some(now));
            now
        })
    }

    /// The time in milliseconds since the epoch.
    #[inline]
    pub(crate) fn now_ms(&self) -> i64 {
        match self.now_us() {
            // The clock may return milliseconds that do not fit as microseconds.
            i64::MIN | i64::MAX => self.source.clock.now_ms(),
            now => now.div_euclid(1000),
        }
    }

    /// Returns whether a key with this expiry has expired, and records if so.
    #[inline]
    pub(crate) fn has_passed(&self, expires_at: Option<i64>) -> bool {
        let passed = expires_at.is_some_and(|at| self.has_come(at));
        if passed {
            self.found_expired.set(true);
        }
        passed
    }

    /// Returns whether that time, in milliseconds since the epoch, is not in the future.
    ///
    /// Most keys expire long after they are accessed. For these the coarse time, which the access time needs anyway, is
    /// sufficient.
    #[inline]
    pub(crate) fn has_come(&self, at_ms: i64) -> bool {
        let coarse = self.coarse_secs();
        // The coarse time lags by milliseconds, and saturates at the end of its range.
        let far = coarse < u32::MAX && at_ms > (i64::from(coarse) + 2) * 1000;
        !far && !self.source.replaying.load(Ordering::Relaxed) && at_ms <= self.now_ms()
    }

    /// Calls `look` with a copy of the time, so that the time of a command that does not use it, or not here, stays in
    /// registers.
    #[inline]
    pub(crate) fn lend<R>(&self, look: impl FnOnce(&Self) -> R) -> R {
        let lent = self.clone();
        let result = look(&lent);
        self.take_over(&lent);
        self.found_expired.set(lent.found_expired.get());
        result
    }

    /// Returns whether an expired key was found.
    #[inline]
    pub(crate) const fn found_expired(&self) -> bool {
        self.found_expired.get()
    }

    /// The time in seconds since the epoch, accurate to a few milliseconds.
    #[inline]
    pub(crate) fn coarse_secs(&self) -> u32 {
        self.coarse_secs.get().unwrap_or_else(|| {
            // The exact time, if it was already read.
            let now = match self.now_us.get() {
                Some(now) => u32::try_from(now / 1_000_000).unwrap_or(u32::MAX),
                None => self.source.clock.coarse_secs(),
            };
            self.coarse_secs.set(Some(now));
            now
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    /// A clock whose coarse time lags.
    #[derive(Debug)]
    struct Lagging(i64);

    impl Clock for Lagging {
        fn now_ms(&self) -> i64 {
            self.0
        }

        fn coarse_secs(&self) -> u32 {
            u32::try_from((self.0 - 10) / 1000).unwrap_or(u32::MAX)
        }
    }

    #[test]
    fn an_expiry_is_reached_at_its_millisecond_whatever_the_coarse_time_says() {
        let last = i64::from(u32::MAX) * 1000;
        for now in [-5, 0, 5, 999, 1000, 1_569_697_890_000, last, last + 10, last * 10] {
            let source = TimeSource::new(Arc::new(Lagging(now)));
            for (at, come) in [
                (now - 1_000_000, true),
                (now - 1, true),
                (now, true),
                (now + 1, false),
                (now + 1999, false),
                (now + 3000, false),
                (now + 1_000_000_000, false),
                (i64::MAX, false),
                (i64::MIN, true),
            ] {
                let time = CommandTime::new(&source);
                assert_eq!(time.has_come(at), come, "{at} at {now}");
                assert_eq!(time.has_passed(Some(at)), come);
                assert_eq!(time.found_expired(), come);
            }
        }
        assert!(!CommandTime::new(&TimeSource::new(Arc::new(Lagging(5)))).has_passed(None));
    }

    #[test]
    fn a_time_that_was_lent_is_read_once() {
        let clock = Arc::new(ManualClock::new(5000));
        let source = TimeSource::new(clock.clone());
        let time = CommandTime::new(&source);
        assert!(time.lend(|time| time.has_passed(Some(5000)) && time.now_ms() == 5000));
        clock.advance(1);
        assert_eq!((time.now_ms(), time.coarse_secs()), (5000, 5));
        assert!(time.found_expired());
    }

    #[test]
    fn no_expiry_is_reached_while_a_log_is_replayed() {
        let source = TimeSource::new(Arc::new(Lagging(5000)));
        source.replaying.store(true, Ordering::Relaxed);
        assert!(!CommandTime::new(&source).has_come(1));
        source.replaying.store(false, Ordering::Relaxed);
        assert!(CommandTime::new(&source).has_come(1));
    }
}
