//! The leaky bucket (GCRA).

use macros::blocking_and_async;
use store::{Error, Reply, Script, ScriptCall, Store, Tx};

use super::quota::expiry_ms;
use super::retry::waits;
use super::{Quota, Throttle, decided, in_lua, int_in_lua};
use crate::backend::{AsyncBackend, Backend, Keyspace, call_all, call_all_async};
use crate::procedure::{Procedure, step};
use crate::request::Request;

/// The script of [`pour`].
pub(super) static POUR: Script = Script::new(include_str!("pour.lua"), |tx, call| {
    let ([key], quota) = (call.keys()?, Quota::of_depth(int_in_lua(call, 0)?));
    let drop = call.int(1)?.try_into().map_err(|_| ScriptCall::wrong())?;
    pour_into(tx, key, &quota, drop, |throttle, stored, now_us| {
        let stored = stored.map(|stored| stored.to_string());
        Reply::Array(vec![(!throttle.limited).into(), stored.into(), now_us.into()])
    })
});

/// GET of the time at which the bucket is empty, [`Quota::take`], and, if that changes the time, SET with PXAT, the
/// millisecond in which the bucket will be empty. `output` receives the answer, the time at which the bucket was to be
/// empty, and the current time.
#[inline]
fn pour_into<R>(
    tx: &Tx<'_>,
    key: &[u8],
    quota: &Quota,
    quantity: u64,
    output: impl FnOnce(Throttle, Option<i64>, i64) -> R,
) -> Result<R, Error> {
    tx.with_string(key, |string| {
        let (stored, now_us) = (string.get_int()?, string.now_us());
        let (throttle, next) = quota.take(stored, now_us, quantity);
        if let Some(next) = next {
            string.set_until(next, expiry_ms(next))?;
        }
        Ok(output(throttle, stored, now_us))
    })
}

/// Adds a quantity to a bucket, if there is room; `output` converts the result. It is generic, so that the step is
/// inlined into a caller with its own `output`.
#[inline]
pub(super) fn pour<R>(
    key: &[u8],
    quota: &Quota,
    quantity: u64,
    output: impl Fn(Throttle) -> R + Copy,
) -> impl Procedure<Output = R> {
    step([key], move |tx| pour_into(tx, key, quota, quantity, |throttle, _, _| output(throttle)))
        .on_server_with(
            move || {
                let depth = in_lua(quota.depth_us())?;
                Ok(Request::script(&POUR).key(key).arg(depth).arg(quota.drop_us(quantity)))
            },
            move |reply| {
                let (allowed, stored, now_us) = reply.convert()?;
                decided(quota.take(stored, now_us, quantity).0, allowed).map(output)
            },
        )
}

/// A leaky bucket (GCRA): allows a burst of up to its capacity, and then a constant rate.
///
/// # Idea
///
/// The bucket has a capacity and leaks at a constant rate. An action adds its quantity; an action that would make it
/// overflow is refused. Its level follows from one number: the time at which it will be empty if nothing more is added.
/// An allowed action moves that time forward. This is the generic cell rate algorithm (GCRA), which calls it the
/// *theoretical arrival time*, and the algorithm of redis-cell.
///
/// # Representation
///
/// ```text
/// capacity 3, one a second
///
/// 12:00:00.0   take 1   allowed    empty at 12:00:01.0     remaining 2
/// 12:00:00.0   take 2   allowed    empty at 12:00:03.0     remaining 0
/// 12:00:00.4   take 1   refused    it would be 4.0         retry after 0.6
/// 12:00:01.0   take 1   allowed    empty at 12:00:04.0     remaining 0
/// ```
///
/// The key is the caller's own, and holds that time as a string: microseconds since the Unix epoch, in decimal. It
/// expires in the millisecond in which the bucket is empty. It takes a few bytes per key, for any number of actions.
///
/// # Bounds
///
/// In any time span at most the capacity plus the rate times the span is allowed, with any number of concurrent
/// callers. A refused action changes nothing. [`Quota`] documents how the rate is rounded.
///
/// A quantity above the capacity is always refused: it is `limited` without a `retry_after`. A quantity of 0 only reads
/// the state. If a key is used with another quota, its time is kept, and is interpreted by the new quota.
///
/// # Complexity
///
/// O(1).
///
/// # On a server
///
/// A call is one script on one key, by EVALSHA, so it is atomic on a server and on a cluster. The time is the server's.
/// Services in other languages can run the same script, whose comment documents KEYS and ARGV:
///
#[doc = concat!("```lua\n", include_str!("pour.lua"), "```")]
///
/// * Lua's numbers are doubles, exact to 15 digits. A quota whose full bucket takes more than 31 years to empty is
///   refused on a server: [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument).
/// * After [`ErrorKind::Io`](store::ErrorKind::Io), a lost connection, it is unknown whether the quantity was added. If
///   the caller or its client retries, it may be added twice: then less than the limit is allowed, never more.
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
/// use tallis::{Funnel, ManualClock, Quota, Store};
///
/// let clock = Arc::new(ManualClock::new(1_700_000_000_000));
/// let store = Store::builder().clock(clock.clone()).build();
/// let funnel = Funnel::new(store.clone(), Quota::new(3, 1, Duration::from_secs(1))?);
///
/// assert_eq!(funnel.take("user:7", 1)?.remaining, 2);
/// assert_eq!(funnel.take("user:7", 2)?.remaining, 0);
/// assert_eq!(store.get("user:7")?.as_deref(), Some(&b"1700000003000000"[..]));
///
/// clock.advance(400);
/// let refused = funnel.take("user:7", 1)?;
/// assert_eq!((refused.limited, refused.retry_after), (true, Some(Duration::from_millis(600))));
///
/// clock.advance(600);
/// assert!(!funnel.take("user:7", 1)?.limited);
/// clock.advance(3_000);
/// assert!(!store.exists("user:7")?);
/// # Ok::<(), tallis::Error>(())
/// ```
///
/// # References
///
/// * ITU-T I.371, Traffic control and congestion control in B-ISDN: the algorithm.
/// * redis-cell, <https://github.com/brandur/redis-cell>: the reply.
#[derive(Clone, Debug)]
pub struct Funnel<B = Store> {
    backend: B,
    quota: Quota,
}

impl<B: Keyspace> Funnel<B> {
    /// Creates leaky buckets with this quota, one bucket per key.
    #[must_use]
    pub const fn new(backend: B, quota: Quota) -> Self {
        Self { backend, quota }
    }

    /// Returns the quota: the capacity and the rate.
    #[must_use]
    pub const fn quota(&self) -> &Quota {
        &self.quota
    }
}

#[blocking_and_async]
impl<B: Backend> Funnel<B> {
    /// Adds `quantity` to the bucket at the key, if there is room; a quantity of 0 only reads the state. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the key holds no string,
    /// [`ErrorKind::NotInteger`](store::ErrorKind::NotInteger) if the string is no integer. Nothing has changed then.
    #[inline]
    pub async fn take(&self, key: impl AsRef<[u8]>, quantity: u64) -> Result<Throttle, Error> {
        self.backend.call(&pour(key.as_ref(), &self.quota, quantity, |throttle| throttle)).await
    }

    /// Adds `quantity` to the bucket at each of the keys, as [`take`](Self::take) does, under fewer locks; returns the
    /// result of each, in the order of the keys. O(keys).
    ///
    /// Each bucket is atomic, the call as a whole is not. A key that occurs twice is added to twice. On a server the
    /// call is one pipeline, on a cluster one for each node.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take), for the first key that fails; all other keys have been processed then.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use std::time::Duration;
    /// use tallis::{Funnel, Quota, Store};
    ///
    /// let funnel = Funnel::new(Store::new(), Quota::new(2, 1, Duration::from_secs(3600))?);
    /// let throttles = funnel.check_many(["user:7", "user:8", "user:7", "user:7"], 1)?;
    /// let limited: Vec<bool> = throttles.iter().map(|throttle| throttle.limited).collect();
    /// assert_eq!(limited, [false, false, false, true]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub async fn check_many<K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        quantity: u64,
    ) -> Result<Vec<Throttle>, Error> {
        let keys: Vec<K> = keys.into_iter().collect();
        let pours: Vec<_> =
            keys.iter().map(|key| pour(key.as_ref(), &self.quota, quantity, Some)).collect();
        let mut throttles = vec![None; pours.len()];
        call_all(&self.backend, &pours, |at, throttle| throttles[at] = throttle).await?;
        Ok(throttles.into_iter().flatten().collect())
    }
}

waits!(Funnel);
