//! Group commit: threads that wait for the same sync.

use std::time::Duration;

/// The threads that wait for a sync of the buffer, and share it.
///
/// Threads that a sync has released soon return with their next commands. The first of them waits for the others, for
/// at most half the duration of a sync: otherwise each sync would be for one command, and all others would wait for the
/// next one.
#[derive(Debug, Default)]
pub(super) struct Group {
    waiting: usize,
    /// The number of threads to wait for: those that the last sync has released, and those that came meanwhile.
    expected: usize,
    /// Whether one of them waits for the others.
    gathers: bool,
    /// The duration of the last sync.
    sync_time: Duration,
}

impl Group {
    /// Adds a thread; returns whether the one that gathers stops waiting.
    pub(super) const fn join(&mut self) -> bool {
        self.waiting += 1;
        self.gathers && self.is_complete()
    }

    /// Returns whether all expected threads have joined.
    pub(super) const fn is_complete(&self) -> bool {
        self.waiting >= self.expected
    }

    /// Returns whether one of them waits for the others.
    pub(super) const fn gathers(&self) -> bool {
        self.gathers
    }

    /// Starts waiting for the others; returns the maximum time.
    pub(super) fn begin(&mut self) -> Duration {
        self.gathers = true;
        self.sync_time / 2
    }

    /// Stops waiting.
    pub(super) const fn end(&mut self) {
        self.gathers = false;
    }

    /// Called when the buffer is being written; returns the number of threads with data in it.
    pub(super) const fn leave(&mut self) -> usize {
        let all = self.waiting;
        self.waiting = 0;
        all
    }

    /// Called after a sync: the number of threads that it released, and its duration.
    pub(super) const fn release(&mut self, released: usize, time: Duration) {
        self.expected = released + self.waiting;
        self.sync_time = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_does_not_wait() {
        let mut group = Group::default();
        for _ in 0..3 {
            assert!(!group.join());
            assert!(group.is_complete());
            let released = group.leave();
            assert_eq!(released, 1);
            group.release(released, Duration::from_millis(1));
        }
    }

    #[test]
    fn released_threads_are_expected_along_with_those_that_joined_meanwhile() {
        let mut group = Group::default();
        group.join();
        group.join();
        let released = group.leave();
        group.join();
        group.release(released, Duration::from_millis(8));
        assert!(!group.is_complete());
        assert_eq!(group.begin(), Duration::from_millis(4));
        assert!(group.gathers());
        assert!(!group.join());
        assert!(group.join());
        group.end();
        assert!(!group.gathers());
        // Two threads joined again, the third one did something else.
        group.leave();
        group.join();
        group.join();
        assert!(!group.is_complete());
        let released = group.leave();
        group.release(released, Duration::ZERO);
        group.join();
        group.join();
        assert!(group.is_complete());
    }
}
