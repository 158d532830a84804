//! A thread that releases the memory of keys that have expired.

use std::time::Duration;

use super::Store;
use super::holding::check_free;
use crate::error::{Error, ErrorKind};
use crate::sync::atomic::Ordering;
use crate::sync::mpsc::{self, RecvTimeoutError, TryRecvError};
use crate::sync::thread::{self, JoinHandle};

/// How many keys are dropped at once.
const AT_ONCE: usize = 1000;

/// If a call drops more than this, there are probably many more: the next one follows at once.
const MANY: usize = AT_ONCE / 4;

/// The thread that [`Store::sweeper`] has started; it ends when this is dropped.
#[must_use = "the thread ends when this is dropped"]
#[derive(Debug)]
pub struct Sweeper {
    store: Store,
    // The thread waits for nothing to come, and ends when nothing can.
    running: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

impl Store {
    /// Starts a thread that calls [`sweep`](Self::sweep) `every` so often, and without a pause while it finds many keys
    /// that have expired. It ends when what this returns is dropped.
    ///
    /// Who needs it: programs whose keys expire and are not asked for again, such as rate limits by address, and
    /// windows of unique visitors. Without it or calls of `sweep` such keys keep their memory for good. Redis does the
    /// same ten times a second.
    ///
    /// `every` is at least a millisecond. The thread is of the handle's clock: a [`ManualClock`](crate::ManualClock)
    /// decides what has expired, but not when the thread looks. It keeps the store in memory while it runs.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if no thread can be started.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use std::time::Duration;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// let sweeper = store.sweeper(Duration::from_millis(1))?;
    /// store.set("k", "v")?;
    /// store.pexpire("k", 5)?;
    /// while store.dbsize()? > 0 {
    ///     std::thread::yield_now();
    /// }
    /// drop(sweeper);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn sweeper(&self, every: Duration) -> Result<Sweeper, Error> {
        let every = every.max(Duration::from_millis(1));
        let (stop, stopped) = mpsc::channel::<()>();
        let store = self.clone();
        let work = move || {
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                look(&store, || stopped.try_recv() == Err(TryRecvError::Empty));
            }
        };
        let thread = thread::Builder::new().name("tallis-sweeper".to_owned()).spawn(work);
        let thread = thread.map_err(|error| {
            Error::caused(ErrorKind::Io, "ERR the sweeper's thread could not be started", error)
        })?;
        Ok(Sweeper { store: self.clone(), running: Some((stop, thread)) })
    }
}

/// Sweeps for as long as many keys have expired, and the thread goes on.
fn look(store: &Store, goes_on: impl Fn() -> bool) {
    while store.shared().active_expire.load(Ordering::Relaxed) {
        let dropped = store.sweep(AT_ONCE);
        if !(dropped.is_ok_and(|dropped| dropped > MANY) && goes_on()) {
            return;
        }
    }
}

impl Drop for Sweeper {
    /// Waits until the thread has ended, unless this thread holds locks of the store, for which the other may wait.
    fn drop(&mut self) {
        let Some((stop, thread)) = self.running.take() else { return };
        drop(stop);
        if check_free(self.store.shared()).is_ok() {
            // If it has panicked, in a sink, then that has been told on the error output.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{AT_ONCE, Store, look};
    use crate::clock::ManualClock;

    #[test]
    fn one_look_finds_all_of_many() {
        let clock = Arc::new(ManualClock::new(0));
        let store = Store::builder().clock(clock.clone()).build();
        for key in 0..5 * AT_ONCE {
            store.set(key.to_string(), "v").unwrap();
            store.pexpire(key.to_string(), 1).unwrap();
        }
        clock.advance(1);
        look(&store, || false);
        assert_eq!(store.dbsize().unwrap(), 4 * AT_ONCE);
        look(&store, || true);
        assert_eq!(store.dbsize().unwrap(), 0);
    }
}
