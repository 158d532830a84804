//! The sliding window: every action of the last period, in a sorted set.

use std::thread;
use std::time::Duration;

use macros::blocking_and_async;
use store::{Error, Store};

use super::history::{Limit, can_act, history_key, take};
use super::{Throttle, period_ms};
use crate::backend::{AsyncBackend, Backend, Keyspace};

/// The sliding-window log: at most so many actions in any period, to the millisecond.
///
/// # Idea
///
/// A sorted set has every action of the last period with its time. What is older is taken out; the rest is counted; if
/// there is room, the new action is put in.
///
/// # Representation
///
/// `hist:<user>:<action>`, a sorted set: the score of an action is its time in milliseconds since the Unix epoch, and
/// its member is the same number, or for the second one of that millisecond `<ms>-1`, for the third `<ms>-2`. The key
/// expires a second after the last action is out of the period.
///
/// ```text
/// hist:Lei:reply      1700000000000      1700000000000
///                     1700000000000-1    1700000000000
///                     1700000000250      1700000000250
/// ```
///
/// # Which actions count
///
/// * An action is over when it is as old as the period: at `t + period` there is room again for the one of `t`.
/// * Two actions in one millisecond are two.
/// * One that is refused does not count, so a caller that keeps on trying is allowed when the first has aged out.
///   [`count_refused`](Self::count_refused) makes them count: then only a caller that waits is allowed.
///
/// In any period no more are allowed than the count, by any number of callers at once. All of this holds for one key
/// asked with one period; a shorter one takes out what a longer one would have counted. A clock that is set back finds
/// actions that are yet to come, and counts them until they are over.
///
/// A user whose name has a colon may share a key with another: `a:b` doing `c` and `a` doing `b:c`.
///
/// # Complexity
///
/// O(log n) for n actions in the period, each of which takes some 20 bytes, and a few times that where they are more
/// than fit a listpack; [`SlidingCounter`](super::SlidingCounter) takes no more for a million.
///
/// # On a server
///
/// An action is one script on one key, by EVALSHA, so it is one step on a server and on a cluster alike. The time is the
/// server's own. A service in another language takes part by the same script, whose comment says what KEYS and ARGV are:
///
#[doc = concat!("```lua\n", include_str!("act.lua"), "```")]
///
/// * Lua's numbers are exact to 15 digits and a little more. A longer period, of more than 31,000 years, is refused there:
///   [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument).
/// * [`ErrorKind::Io`](store::ErrorKind::Io), a connection that is lost, leaves it counted or not. If the caller
///   or its client tries again, it may count twice: then less is allowed than the limit, never more.
/// * A replica that takes its master's place may lack the last changes, and allows so much again.
///
/// # Memory
///
/// A key that has expired and that is not asked for any more keeps its memory until [`Store::sweep`] removes it, which
/// a [`sweeper`](Store::sweeper) does.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use std::sync::Arc;
/// use std::time::Duration;
/// use tallis::{ManualClock, SlidingWindow, Store};
///
/// let clock = Arc::new(ManualClock::new(1_700_000_000_000));
/// let store = Store::builder().clock(clock.clone()).build();
/// let limits = SlidingWindow::new(store.clone());
/// let mut can_reply = || limits.can_reply("Lei", "reply", Duration::from_secs(60), 5);
///
/// for _ in 0..5 {
///     assert!(can_reply()?);
///     clock.advance(100);
/// }
/// assert!(!can_reply()?);
/// assert_eq!(store.zcard("hist:Lei:reply")?, 5);
///
/// clock.advance(59_499);
/// assert!(!can_reply()?);
/// clock.advance(1);
/// assert!(can_reply()?);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SlidingWindow<B = Store> {
    backend: B,
    count_refused: bool,
}

impl<B: Keyspace> SlidingWindow<B> {
    /// Windows in that store, one for each user and action. Refused actions do not count.
    #[must_use]
    pub const fn new(backend: B) -> Self {
        Self { backend, count_refused: false }
    }

    /// Whether an action that is refused counts like one that is allowed, and so extends the refusal. Then a set grows
    /// as long as a caller tries.
    #[must_use]
    pub const fn count_refused(mut self, count: bool) -> Self {
        self.count_refused = count;
        self
    }

    #[inline]
    fn limit(&self, period: Duration, max_count: u64) -> Result<Limit, Error> {
        let count_refused = self.count_refused;
        Ok(Limit { period_ms: period_ms(period)?, max_count, count_refused })
    }
}

#[blocking_and_async]
impl<B: Backend> SlidingWindow<B> {
    /// Whether the user may do the action now, which counts as done then: at most `max_count` in any `period`, which is
    /// rounded up to a whole millisecond. O(log n) for the actions in the period.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a period of zero or of more than 146
    /// million years, [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the key holds no sorted set.
    #[inline]
    pub async fn can_reply(
        &self,
        user: impl AsRef<[u8]>,
        action: impl AsRef<[u8]>,
        period: Duration,
        max_count: u64,
    ) -> Result<bool, Error> {
        let key = &history_key(user.as_ref(), action.as_ref());
        self.backend.call(&can_act(key, self.limit(period, max_count)?)).await
    }

    /// As [`can_reply`](Self::can_reply), with the figures: how many actions are left, and when to come back. O(log n)
    /// for the actions in the period.
    ///
    /// Once refused, the same action is allowed after [`retry_after`](Throttle::retry_after) if no other comes between.
    ///
    /// # Errors
    ///
    /// As [`can_reply`](Self::can_reply).
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use std::time::Duration;
    /// use tallis::{SlidingWindow, Store};
    ///
    /// let limits = SlidingWindow::new(Store::new());
    /// let reply = || limits.take("Lei", "reply", Duration::from_secs(60), 5);
    /// assert_eq!(reply()?.remaining, 4);
    /// for _ in 0..4 {
    ///     reply()?;
    /// }
    /// let retry = reply()?.check().unwrap_err();
    /// assert!(retry.after() <= Some(Duration::from_secs(60)));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub async fn take(
        &self,
        user: impl AsRef<[u8]>,
        action: impl AsRef<[u8]>,
        period: Duration,
        max_count: u64,
    ) -> Result<Throttle, Error> {
        let key = &history_key(user.as_ref(), action.as_ref());
        self.backend.call(&take(key, self.limit(period, max_count)?)).await
    }
}

/// # Waiting
impl<B: Backend> SlidingWindow<B> {
    /// The same, but waits until it is allowed: the thread sleeps for as long as told, and tries again. Others may be
    /// faster, so there is no order among those who wait.
    ///
    /// # Errors
    ///
    /// As [`can_reply`](Self::can_reply); [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a
    /// `max_count` of 0, which allows nothing.
    pub fn until_ready(
        &self,
        user: impl AsRef<[u8]>,
        action: impl AsRef<[u8]>,
        period: Duration,
        max_count: u64,
    ) -> Result<Throttle, Error> {
        loop {
            match self.take(&user, &action, period, max_count)?.check() {
                Ok(throttle) => return Ok(throttle),
                Err(refused) => thread::sleep(refused.wait()?),
            }
        }
    }
}

/// # Waiting
impl<B: AsyncBackend> SlidingWindow<B> {
    /// [`until_ready`](Self::until_ready) without a thread that sleeps: `sleep` makes a future that ends after a time,
    /// such as Tokio's `tokio::time::sleep`.
    ///
    /// # Errors
    ///
    /// As [`until_ready`](Self::until_ready).
    pub async fn until_ready_async<F: Future>(
        &self,
        user: impl AsRef<[u8]>,
        action: impl AsRef<[u8]>,
        period: Duration,
        max_count: u64,
        sleep: impl Fn(Duration) -> F,
    ) -> Result<Throttle, Error> {
        loop {
            match self.take_async(&user, &action, period, max_count).await?.check() {
                Ok(throttle) => return Ok(throttle),
                Err(refused) => sleep(refused.wait()?).await,
            };
        }
    }
}
