//! Waking all threads that wait for the log, at once.

use std::sync::PoisonError;

use crate::sync::MutexGuard;
use crate::sync::plain::{Condvar, Mutex};

/// Rounds of something that threads wait for, while they let go of what another lock guards.
///
/// `parking_lot::Condvar` moves all threads that it wakes to the lock, which wakes the next one when one lets go of it: of
/// eight that a sync releases the last would come a tenth of a millisecond after the first.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    number: Mutex<u64>,
    changed: Condvar,
}

impl Rounds {
    /// Waits for the end of the round that `state` is in. A round ends under the lock of `state` alone.
    pub(super) fn wait<T>(&self, state: &mut MutexGuard<'_, T>) {
        let round = *self.number.lock().unwrap_or_else(PoisonError::into_inner);
        MutexGuard::unlocked(state, || {
            let number = self.number.lock().unwrap_or_else(PoisonError::into_inner);
            let ended = self.changed.wait_while(number, |number| *number == round);
            drop(ended);
        });
    }

    /// Ends the round, under the lock that those who wait have let go of.
    pub(super) fn end<T>(&self, _state: &MutexGuard<'_, T>) {
        *self.number.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }
}
