//! Waking all threads that wait for the log together.

use std::sync::PoisonError;

use crate::sync::MutexGuard;
use crate::sync::plain::{Condvar, Mutex};

/// A condition variable for threads that wait for the end of a round, while they release the lock of the state.
///
/// `parking_lot::Condvar` moves all threads that it wakes to the queue of the lock, which wakes them one after the
/// other: of eight threads that a sync releases, the last would continue a tenth of a millisecond after the first.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    number: Mutex<u64>,
    changed: Condvar,
}

impl Rounds {
    /// Waits for the end of the round that `state` is in. A round only ends under the lock of `state`.
    pub(super) fn wait<T>(&self, state: &mut MutexGuard<'_, T>) {
        let round = *self.number.lock().unwrap_or_else(PoisonError::into_inner);
        MutexGuard::unlocked(state, || {
            let number = self.number.lock().unwrap_or_else(PoisonError::into_inner);
            let ended = self.changed.wait_while(number, |number| *number == round);
            drop(ended);
        });
    }

    /// Ends the round, under the lock that waiting threads have released.
    pub(super) fn end<T>(&self, _state: &MutexGuard<'_, T>) {
        *self.number.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }
}
