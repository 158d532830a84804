//! A thread that releases the memory of expired keys.

use std::time::Duration;

use super::Store;
use super::holding::check_free;
use crate::error::{Error, ErrorKind};
use crate::sync::atomic::Ordering;
use crate::sync::mpsc::{self, RecvTimeoutError, TryRecvError};
use crate::sync::thread::{self, JoinHandle};

/// The number of keys that one call drops at most.
const AT_ONCE: usize = 1000;

/// If a call drops more keys than this, there are probably many more: the next call follows immediately.
const MANY: usize = AT_ONCE / 4;

/// A thread that [`Store::sweeper`] has started. Dropping it stops the thread.
#[must_use = "the thread ends when this is dropped"]
#[derive(Debug)]
pub struct Sweeper {
    store: Store,
    // The thread waits on the channel, on which nothing is sent, and ends when the sender is dropped.
    running: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

impl Store {
    /// Starts a thread that calls [`sweep`](Self::sweep) every `every`, and without a pause while it finds many expired
    /// keys. Dropping the returned value stops it.
    ///
    /// Use it in programs with keys that expire and are not accessed again, such as rate limits by address, or windows
    /// of unique visitors. Without it, or calls of `sweep`, such keys keep their memory indefinitely. Redis does the
    /// same ten times per second.
    ///
    /// `every` is at least 1 ms. Whether a key has expired depends on the store's clock, which may be a
    /// [`ManualClock`](crate::ManualClock); the interval does not. The thread keeps the store in memory while it runs.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Io`] if the thread cannot be started.
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

/// Sweeps while many keys have expired and the thread is not stopped.
fn look(store: &Store, goes_on: impl Fn() -> bool) {
    while store.shared().active_expire.load(Ordering::Relaxed) {
        let dropped = store.sweep(AT_ONCE);
        if !(dropped.is_ok_and(|dropped| dropped > MANY) && goes_on()) {
            return;
        }
    }
}

impl Drop for Sweeper {
    /// Waits until the thread has ended, unless the current thread holds locks of the store, for which the sweeper may
    /// wait.
    fn drop(&mut self) {
        let Some((stop, thread)) = self.running.take() else { return };
        drop(stop);
        if check_free(self.store.shared()).is_ok() {
            // A panic of the thread, in a sink, was already reported on standard error.
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
    fn one_check_finds_all_of_many() {
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
