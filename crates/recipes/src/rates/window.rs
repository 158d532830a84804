//! The sliding window: every action of the last period, in a sorted set.

use std::time::Duration;

use store::{Error, Store, ZSetEntry};

use super::retry::until_ready;
#[cfg(feature = "async")]
use super::retry::until_ready_async;
use super::{Throttle, period_ms};
use crate::Backend;
use crate::procedure::{Procedure, step};
use crate::text::{Text, concat, numbered};

/// How much longer than the period a key lives, in milliseconds: the second that the notes on rate limiting add.
const LINGER_MS: i64 = 1000;

/// At `now`, in milliseconds:
///
/// 1. ZREMRANGEBYSCORE from `-inf` up to and including `now - period_ms`,
/// 2. ZCARD: the action is allowed if that is below `max_count`,
/// 3. if it is allowed, or if `count_refused`: ZADD with the score `now` of the member `<now>`, or the first of
///    `<now>-1`, `<now>-2`, ... that is free, and PEXPIREAT at `now + period_ms + 1000`.
///
/// Returns what `answer` makes of that, and of the actions then.
#[inline]
fn act<R>(
    key: &[u8],
    limit: Limit,
    count_refused: bool,
    answer: impl Fn(&ZSetEntry<'_>, bool) -> R,
) -> impl Procedure<Output = R> {
    let Limit { period_ms, max_count } = limit;
    step([key], move |tx| {
        tx.with_zset(key, |actions| {
            let now = actions.now_ms();
            actions.remove_up_to_score(as_score(now.saturating_sub(period_ms)));
            let allowed = (actions.len() as u64) < max_count;
            if allowed || count_refused {
                add(actions, now)?;
                actions.expire_at_ms(now.saturating_add(period_ms).saturating_add(LINGER_MS));
            }
            Ok(answer(actions, allowed))
        })
    })
}

/// The most actions in a period.
#[derive(Clone, Copy, Debug)]
struct Limit {
    period_ms: i64,
    max_count: u64,
}

impl Limit {
    /// The figures of an action, from the actions of the last period.
    fn throttle(self, actions: &ZSetEntry<'_>, allowed: bool) -> Throttle {
        let count = actions.len() as u64;
        // How long until the action of that rank is over.
        let over = |rank: u64| {
            let score = actions.score_at(usize::try_from(rank).ok()?)?;
            let ms = as_ms(score).saturating_add(self.period_ms).saturating_sub(actions.now_ms());
            // Above 0: an action that is over has been removed.
            Some(Duration::from_millis(ms.unsigned_abs()))
        };
        // One more fits when so many are over that the count is below the limit.
        let too_many = count.checked_sub(self.max_count).filter(|_| !allowed && self.max_count > 0);
        Throttle {
            limited: !allowed,
            limit: self.max_count,
            remaining: self.max_count.saturating_sub(count),
            retry_after: too_many.and_then(over),
            reset_after: count.checked_sub(1).and_then(over).unwrap_or_default(),
        }
    }
}

/// Adds an action of now under a name that is free.
#[inline]
fn add(actions: &mut ZSetEntry<'_>, now: i64) -> Result<(), Error> {
    let score = as_score(now);
    let mut number = actions.count_scores(score..=score);
    // A name that is taken: another client has taken members out or put some in. The next one then, before the set runs
    // out of members.
    while !actions.add_new(&*name(now, number), score)? {
        number += 1;
    }
    Ok(())
}

/// What the first action of a millisecond is called, the second, and so on.
#[inline]
fn name(now_ms: i64, number: usize) -> Text {
    let now_ms = numbered(b"", now_ms);
    if number == 0 { now_ms } else { numbered(&concat([&now_ms, b"-"]), number) }
}

/// The key of a user's actions: `hist:<user>:<action>`.
#[inline]
fn history_key(user: &[u8], action: &[u8]) -> Text {
    concat([b"hist:", user, b":", action])
}

#[inline]
#[expect(clippy::cast_precision_loss, reason = "exact for the next 285,000 years")]
const fn as_score(ms: i64) -> f64 {
    ms as f64
}

/// A time, rounded up.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "what is beyond 64 bits becomes the greatest")]
fn as_ms(score: f64) -> i64 {
    score.ceil() as i64
}

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

impl<B: Backend> SlidingWindow<B> {
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

    /// Whether the user may do the action now, which counts as done then: at most `max_count` in any `period`, which is
    /// rounded up to a whole millisecond. O(log n) for the actions in the period.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a period of zero or of more than 146
    /// million years, [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the key holds no sorted set.
    #[inline]
    pub fn can_reply(
        &self,
        user: impl AsRef<[u8]>,
        action: impl AsRef<[u8]>,
        period: Duration,
        max_count: u64,
    ) -> Result<bool, Error> {
        let key = &history_key(user.as_ref(), action.as_ref());
        let limit = Limit { period_ms: period_ms(period)?, max_count };
        self.backend.call(&act(key, limit, self.count_refused, |_, allowed| allowed))
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
    pub fn take(
        &self,
        user: impl AsRef<[u8]>,
        action: impl AsRef<[u8]>,
        period: Duration,
        max_count: u64,
    ) -> Result<Throttle, Error> {
        let key = &history_key(user.as_ref(), action.as_ref());
        let limit = Limit { period_ms: period_ms(period)?, max_count };
        let throttle = |actions: &ZSetEntry<'_>, allowed| limit.throttle(actions, allowed);
        self.backend.call(&act(key, limit, self.count_refused, throttle))
    }

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
        until_ready(|| self.take(&user, &action, period, max_count))
    }

    /// [`until_ready`](Self::until_ready) without a thread that sleeps: `sleep` makes a future that ends after a time,
    /// such as Tokio's `tokio::time::sleep`.
    ///
    /// # Errors
    ///
    /// As [`until_ready`](Self::until_ready).
    #[cfg(feature = "async")]
    pub async fn until_ready_async<F: Future>(
        &self,
        user: impl AsRef<[u8]>,
        action: impl AsRef<[u8]>,
        period: Duration,
        max_count: u64,
        sleep: impl Fn(Duration) -> F,
    ) -> Result<Throttle, Error> {
        until_ready_async(|| self.take(&user, &action, period, max_count), sleep).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_names_are_those_of_the_notes() {
        assert_eq!(&*history_key(b"Lei", b"reply"), b"hist:Lei:reply");
        assert_eq!(&*history_key(b"", b""), b"hist::");
        let long = vec![b'x'; 100];
        assert_eq!(history_key(&long, b"y").len(), 107);
        assert_eq!(&*name(1_700_000_000_000, 0), b"1700000000000");
        assert_eq!(&*name(1_700_000_000_000, 12), b"1700000000000-12");
        assert_eq!(&*name(-5, 1), b"-5-1");
        assert_eq!(name(i64::MIN, usize::MAX).len(), 41);
    }

    #[test]
    fn periods_are_rounded_up_to_milliseconds() {
        assert_eq!(period_ms(Duration::from_nanos(1)).unwrap(), 1);
        assert_eq!(period_ms(Duration::from_millis(5)).unwrap(), 5);
        assert_eq!(period_ms(Duration::from_nanos(5_000_001)).unwrap(), 6);
        assert!(period_ms(Duration::ZERO).is_err());
        assert!(period_ms(Duration::MAX).is_err());
    }
}
