//! The sliding-window log: the actions of the last period, in a sorted set.

use std::thread;
use std::time::Duration;

use macros::blocking_and_async;
use store::{Error, Store};

use super::history::{Limit, can_act, history_key, take};
use super::{Throttle, period_ms};
use crate::backend::{AsyncBackend, Backend, Keyspace};

/// A sliding-window log: limits the number of actions in any period, exact to the millisecond.
///
/// # Idea
///
/// A sorted set has every action of the last period with its time. Older actions are removed; the remaining ones are
/// counted; if there is room, the new action is added.
///
/// # Representation
///
/// The key is `hist:<user>:<action>`, a sorted set. The score of an action is its time in milliseconds since the Unix
/// epoch, and its member is the same number, `<ms>-1` for the second action of that millisecond, `<ms>-2` for the
/// third. The key expires a second after the last action has left the period.
///
/// ```text
/// hist:Lei:reply      1700000000000      1700000000000
///                     1700000000000-1    1700000000000
///                     1700000000250      1700000000250
/// ```
///
/// # Which actions count
///
/// * An action leaves the period when it is as old as the period: an action at `t` makes room at `t + period`.
/// * Two actions in one millisecond count as two.
/// * A refused action does not count, so a caller that retries is allowed as soon as the first action has left the
///   period. With [`count_refused`](Self::count_refused) it counts: then only a caller that waits is allowed.
///
/// In any period at most the limit is allowed, with any number of concurrent callers. This holds for a key that is used
/// with one period only; a call with a shorter period removes actions that a longer one would have counted. If the
/// clock is set back, actions with a later time count until they leave the period.
///
/// A user whose name has a colon may share a key with another: user `a:b` with action `c`, and user `a` with action
/// `b:c`.
///
/// # Complexity
///
/// O(log n) for n actions in the period. An action takes some 20 bytes, and a few times that if there are too many for
/// a listpack; a [`SlidingCounter`](super::SlidingCounter) takes as much as one or two of them, for any number.
///
/// # On a server
///
/// An action is one script on one key, by EVALSHA, so it is atomic on a server and on a cluster. The time is the
/// server's. Services in other languages can run the same script, whose comment documents KEYS and ARGV:
///
#[doc = concat!("```lua\n", include_str!("act.lua"), "```")]
///
/// * Lua's numbers are doubles, exact to 15 digits. A period of more than 31,000 years is refused on a server:
///   [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument).
/// * After [`ErrorKind::Io`](store::ErrorKind::Io), a lost connection, it is unknown whether the action was counted. If
///   the caller or its client retries, it may count twice: then less than the limit is allowed, never more.
/// * A replica that becomes the master may lack the last changes, and allows that many actions again.
///
/// # Memory
///
/// In a store, an expired key that is not accessed keeps its memory until [`Store::sweep`] removes it. A
/// [`sweeper`](Store::sweeper) calls that regularly.
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
    /// Creates sliding-window logs, one per user and action. Refused actions do not count.
    #[must_use]
    pub const fn new(backend: B) -> Self {
        Self { backend, count_refused: false }
    }

    /// Sets whether a refused action counts like an allowed one, and so extends the refusal. Then the set grows with
    /// every attempt.
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
    /// Adds an action of the user if it is allowed, and returns whether it is: at most `max_count` in any `period`,
    /// which is rounded up to milliseconds. O(log n) for n actions in the period.
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

    /// As [`can_reply`](Self::can_reply), but returns figures: how many actions remain, and when to retry. O(log n) for
    /// n actions in the period.
    ///
    /// A refused action is allowed after [`retry_after`](Throttle::retry_after) if no other comes in between.
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
    /// As [`take`](Self::take), but waits until the action is allowed: it sleeps for `retry_after`, and tries again.
    /// Waiting callers are not ordered.
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
    /// The asynchronous form of [`until_ready`](Self::until_ready): it does not block the thread. `sleep` returns a
    /// future that completes after a time, such as Tokio's `tokio::time::sleep`.
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
