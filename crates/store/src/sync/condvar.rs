//! A condition variable, which shuttle's `parking_lot` does not have.

use std::time::{Duration, Instant};

use parking_lot_of_shuttle::MutexGuard;
use shuttle::rand::{Rng as _, thread_rng};
use shuttle::sync::{Condvar as Inner, Mutex, PoisonError};
use shuttle::thread;

/// How often other threads may run while a thread waits with a timeout.
const TURNS: usize = 8;

/// `parking_lot::Condvar`, as far as the store uses it. No time passes: a wait with a timeout ends after a random
/// number of turns, so that the timeout is both before and after anything that other threads may do.
#[derive(Debug, Default)]
pub(crate) struct Condvar {
    /// The number of notifications.
    number: Mutex<u64>,
    changed: Inner,
}

/// The result of waiting with a timeout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waited {
    timed_out: bool,
}

impl Waited {
    pub(crate) const fn timed_out(self) -> bool {
        self.timed_out
    }
}

impl Condvar {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        let number = self.number.lock().unwrap_or_else(PoisonError::into_inner);
        MutexGuard::unlocked(guard, || drop(self.changed.wait(number)));
    }

    pub(crate) fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, _time: Duration) -> Waited {
        let before = self.number();
        let turns = thread_rng().gen_range(0..TURNS);
        let timed_out = MutexGuard::unlocked(guard, || {
            (0..turns).all(|_| {
                thread::yield_now();
                self.number() == before
            })
        });
        Waited { timed_out }
    }

    pub(crate) fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, _until: Instant) -> Waited {
        self.wait_for(guard, Duration::ZERO)
    }

    pub(crate) fn notify_one(&self) {
        self.count();
        self.changed.notify_one();
    }

    pub(crate) fn notify_all(&self) {
        self.count();
        self.changed.notify_all();
    }

    fn number(&self) -> u64 {
        *self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self) {
        *self.number.lock().unwrap_or_else(PoisonError::into_inner) += 1;
    }
}
