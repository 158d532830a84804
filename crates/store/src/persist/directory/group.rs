//! Threads that wait for the disk together.

use std::time::Duration;

/// The threads that wait for a sync of what is in the buffer: all of them share it.
///
/// Those that a sync has released come back with their next commands soon. The first of them waits for the others, for
/// half of the time of a sync at most: otherwise each sync would be of one command, and all others would wait for the next.
#[derive(Debug, Default)]
pub(super) struct Group {
    waiting: usize,
    /// How many are worth waiting for: those that the last sync has released, and those that came meanwhile.
    expected: usize,
    /// Whether one of them waits for the others.
    gathers: bool,
    /// How long the last sync took.
    sync_time: Duration,
}

impl Group {
    /// A thread comes; `true` if the one that gathers waits no longer.
    pub(super) const fn join(&mut self) -> bool {
        self.waiting += 1;
        self.gathers && self.is_complete()
    }

    /// Whether all that are expected are there.
    pub(super) const fn is_complete(&self) -> bool {
        self.waiting >= self.expected
    }

    /// Whether one of them waits for the others.
    pub(super) const fn gathers(&self) -> bool {
        self.gathers
    }

    /// One of them begins to wait for the others; returns for how long.
    pub(super) fn begin(&mut self) -> Duration {
        self.gathers = true;
        self.sync_time / 2
    }

    /// It waits no longer.
    pub(super) const fn end(&mut self) {
        self.gathers = false;
    }

    /// The buffer is on its way to the disk; returns how many threads have something in it.
    pub(super) const fn leave(&mut self) -> usize {
        let all = self.waiting;
        self.waiting = 0;
        all
    }

    /// So many are released by a sync that took so long.
    pub(super) const fn release(&mut self, released: usize, time: Duration) {
        self.expected = released + self.waiting;
        self.sync_time = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_waits_for_nobody() {
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
    fn those_that_were_released_are_expected_with_those_that_came_meanwhile() {
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
        // Two came, and the third did something else.
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
