//! Waiting until a limit allows an action.

use std::fmt;
use std::time::Duration;

use store::Error;

use super::Throttle;
use crate::errors::invalid;

/// The error of an action that a limit refuses: it has the time to wait before a retry.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use std::time::Duration;
///
/// use tallis::{Funnel, Quota, Store};
///
/// let logins = Funnel::new(Store::new(), Quota::new(1, 1, Duration::from_secs(60))?);
/// assert!(logins.take("alice", 1)?.check().is_ok());
/// let retry = logins.take("alice", 1)?.check().unwrap_err();
/// assert!(retry.after().is_some_and(|wait| wait <= Duration::from_secs(60)));
/// assert_eq!(retry.seconds(), Some(60));
///
/// let never = logins.take("alice", 2)?.check().unwrap_err();
/// assert_eq!(never.after(), None);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RetryAfter {
    after: Option<Duration>,
}

impl RetryAfter {
    /// Returns how long to wait until the same action will be allowed if no other comes in between; `None` if it never
    /// will be, because its quantity is above the limit.
    #[must_use]
    pub const fn after(self) -> Option<Duration> {
        self.after
    }

    /// Returns the same in seconds, rounded up, as HTTP's `Retry-After` has them.
    #[must_use]
    pub fn seconds(self) -> Option<u64> {
        self.after.map(whole_seconds)
    }

    /// Returns how long to wait for an action that will be allowed.
    pub(super) fn wait(self) -> Result<Duration, Error> {
        self.after.ok_or_else(|| invalid("ERR a quantity above the limit is never allowed"))
    }
}

/// Rounds up to whole seconds, so that no caller retries too early.
pub(super) fn whole_seconds(time: Duration) -> u64 {
    time.as_secs().saturating_add(u64::from(time.subsec_nanos() > 0))
}

impl fmt::Display for RetryAfter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.after {
            Some(after) => write!(f, "limited: retry after {after:?}"),
            None => f.write_str("limited: the quantity exceeds the limit"),
        }
    }
}

impl std::error::Error for RetryAfter {}

impl Throttle {
    /// Returns these figures if the action is allowed.
    ///
    /// # Errors
    ///
    /// A [`RetryAfter`] if it is refused.
    pub const fn check(self) -> Result<Self, RetryAfter> {
        if self.limited { Err(RetryAfter { after: self.retry_after }) } else { Ok(self) }
    }
}

/// Implements waiting for a limit that takes a quantity at a key.
macro_rules! waits {
    ($limit:ident) => {
        /// # Waiting
        impl<B: Backend> $limit<B> {
            /// As [`take`](Self::take), but waits until the quantity is allowed: it sleeps for `retry_after`, and tries
            /// again. Waiting callers are not ordered.
            ///
            /// # Errors
            ///
            /// As [`take`](Self::take); [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a
            /// quantity above the limit, which is never allowed.
            pub fn until_ready(
                &self,
                key: impl AsRef<[u8]>,
                quantity: u64,
            ) -> Result<Throttle, Error> {
                loop {
                    match self.take(&key, quantity)?.check() {
                        Ok(throttle) => return Ok(throttle),
                        Err(refused) => std::thread::sleep(refused.wait()?),
                    }
                }
            }
        }

        /// # Waiting
        impl<B: $crate::backend::AsyncBackend> $limit<B> {
            /// The asynchronous form of [`until_ready`](Self::until_ready): it does not block the thread. `sleep`
            /// returns a future that completes after a time, such as Tokio's `tokio::time::sleep`.
            ///
            /// # Errors
            ///
            /// As [`until_ready`](Self::until_ready).
            pub async fn until_ready_async<F: Future>(
                &self,
                key: impl AsRef<[u8]>,
                quantity: u64,
                sleep: impl Fn(std::time::Duration) -> F,
            ) -> Result<Throttle, Error> {
                loop {
                    match self.take_async(&key, quantity).await?.check() {
                        Ok(throttle) => return Ok(throttle),
                        Err(refused) => sleep(refused.wait()?).await,
                    };
                }
            }
        }
    };
}

pub(super) use waits;

#[cfg(test)]
mod tests {
    use super::*;

    fn throttle(limited: bool, retry_after: Option<Duration>) -> Throttle {
        Throttle { limited, limit: 1, remaining: 0, retry_after, reset_after: Duration::ZERO }
    }

    #[test]
    fn a_refusal_states_the_time_to_return() {
        assert!(throttle(false, None).check().is_ok());
        let refused = throttle(true, Some(Duration::from_millis(1500))).check().unwrap_err();
        assert_eq!(refused.after(), Some(Duration::from_millis(1500)));
        assert_eq!(refused.seconds(), Some(2));
        assert_eq!(refused.to_string(), "limited: retry after 1.5s");
        let never = throttle(true, None).check().unwrap_err();
        assert_eq!((never.after(), never.seconds()), (None, None));
        assert_eq!(never.to_string(), "limited: the quantity exceeds the limit");
    }

    #[test]
    fn times_are_rounded_up_to_seconds() {
        let nanos = Duration::from_nanos;
        for (time, seconds) in
            [(nanos(0), 0), (nanos(1), 1), (nanos(1_000_000_000), 1), (nanos(1_000_000_001), 2)]
        {
            assert_eq!(whole_seconds(time), seconds);
        }
        assert_eq!(whole_seconds(Duration::MAX), u64::MAX);
    }
}
