//! The sliding counter: two counts per key.

use std::time::Duration;

use bytes::Bytes;
use macros::blocking_and_async;
use store::{Error, ErrorKind, Member, Reply, Script, ScriptCall, Store, Tx};

use super::buckets::{Buckets, Meter};
use super::retry::waits;
use super::{MOST_IN_LUA, Throttle, decided, in_lua, int_in_lua, period_ms};
use crate::backend::{AsyncBackend, Backend, Keyspace};
use crate::errors::invalid;
use crate::procedure::{Procedure, step};
use crate::request::Request;

/// The script of [`count`], for numbers up to [`MOST_IN_LUA`].
pub(super) static COUNT: Script = Script::new(include_str!("count.lua"), |tx, call| {
    let ([key], meter) =
        (call.keys()?, Meter { limit: int_in_lua(call, 0)?, period_ms: int_in_lua(call, 1)? });
    let quantity = call.int(2)?.try_into().map_err(|_| ScriptCall::wrong())?;
    let counted = count_in(tx, key, meter, quantity, MOST_IN_LUA.unsigned_abs())?;
    Ok(Reply::Array(vec![
        (!counted.throttle.limited).into(),
        counted.stored.map(|stored| Bytes::copy_from_slice(&stored.to_text())).into(),
        counted.now_ms.into(),
    ]))
});

/// The outcome of an attempt, and the reason.
struct Counted {
    throttle: Throttle,
    /// The counts before.
    stored: Option<Buckets>,
    now_ms: i64,
}

/// GET of the counts, the decision, and, if the actions are allowed, SET of the new counts with PXAT, the millisecond
/// from which they have no effect. Text with a number above `most` is not valid counts.
#[inline]
fn count_in(
    tx: &Tx<'_>,
    key: &[u8],
    meter: Meter,
    quantity: u64,
    most: u64,
) -> Result<Counted, Error> {
    tx.with_string(key, |string| {
        let stored = string.get().map(|string| counts(string, most)).transpose()?;
        let now_ms = string.now_ms();
        let (throttle, next) = meter.take(stored, now_ms, quantity);
        if let Some(next) = next {
            string.set_until(&*next.to_text(), next.expiry_ms(meter.period_ms))?;
        }
        Ok(Counted { throttle, stored, now_ms })
    })
}

/// Counts actions, if they are allowed.
#[inline]
pub(super) fn count(key: &[u8], meter: Meter, quantity: u64) -> impl Procedure<Output = Throttle> {
    step([key], move |tx| {
        count_in(tx, key, meter, quantity, u64::MAX).map(|counted| counted.throttle)
    })
    .on_server_with(
        move || {
            let (limit, period_ms) = (in_lua(meter.limit)?, in_lua(meter.period_ms)?);
            // All quantities above the limit are refused in the same way.
            let quantity = i64::try_from(quantity).unwrap_or(i64::MAX);
            Ok(Request::script(&COUNT).key(key).arg(limit).arg(period_ms).arg(quantity))
        },
        move |reply| {
            let (allowed, stored, now_ms): (_, Option<Bytes>, _) = reply.convert()?;
            let stored = stored.map(|text| counts(Member::Bytes(&text), u64::MAX)).transpose()?;
            decided(meter.take(stored, now_ms, quantity).0, allowed)
        },
    )
}

/// Parses the counts in a string.
fn counts(string: Member<'_>, most: u64) -> Result<Buckets, Error> {
    let buckets = match string {
        Member::Bytes(text) => Buckets::parse(text).filter(|buckets| buckets.greatest() <= most),
        Member::Int(_) => None,
    };
    buckets.ok_or_else(no_counts)
}

#[cold]
fn no_counts() -> Error {
    Error::new(ErrorKind::NotInteger, "ERR the value is not a sliding counter")
}

/// A sliding-window counter: allows about `limit` actions in any period, from two counts, for limits such as a million
/// per minute.
///
/// # Idea
///
/// To know the exact number of actions in the last period, a [`SlidingWindow`](super::SlidingWindow) stores each of
/// them. This type stores two counts: of the current calendar period (the minute, say) and of the one before. The
/// latter is weighted by the part of it that the last period still overlaps, as if its actions had been spread evenly.
///
/// ```text
///        12:00                 12:01                 12:02
///          |---- before: 80 ---|--- now: 30 -+       |
///                         |<--- last period->|
///                         |-25%-|            12:01:45
///
/// 80 * 0.25 + 30 = 50 in the last period
/// ```
///
/// # Representation
///
/// The key is the caller's own, and holds a string of three decimal integers, `1700000040000:80:30`: the beginning of
/// the period in milliseconds since the Unix epoch, the count before and the current count. It expires when neither has
/// an effect, two periods after that. Periods begin at multiples of their length, as minutes do; a key that is used
/// with another limit keeps its counts.
///
/// # Error
///
/// The share of the period before that still counts is estimated from its count alone. Let `f` be the elapsed part of
/// the current period, from 0 to 1, and `before` the count of the period before. Then the estimate is
///
/// * too high by at most `(1 - f) * before`, if all of its actions came at the beginning: they are out of the last
///   period and still count;
/// * too low by at most `f * before`, if all came at the end: all of them are in the last period and count in part.
///
/// So **fewer than twice the limit** can be allowed in any period, `limit * (1 + f)`. That is reached by a full limit
/// in the last millisecond of a calendar period, and another one spread over the next. In a calendar period at most the
/// limit is allowed. If the actions are spread evenly, the error is at most the number of actions in a millisecond,
/// plus two: 18 for a million per minute. Nothing is rounded: the sum of the weighted counts and of the requested
/// quantity must be at most the limit.
///
/// # Complexity
///
/// O(1), and about 30 bytes per key, for any limit. A refused action changes nothing.
///
/// # On a server
///
/// A call is one script on one key, by EVALSHA, so it is atomic on a server and on a cluster. The time is the server's.
/// Services in other languages can run the same script, whose comment documents KEYS and ARGV:
///
#[doc = concat!("```lua\n", include_str!("count.lua"), "```")]
///
/// * Lua's numbers are doubles, exact to 15 digits. A limit with more digits, or a period of more than 31,000 years, is
///   refused on a server: [`ErrorKind::InvalidArgument`]. Text with a longer number is not valid counts there:
///   [`ErrorKind::NotInteger`].
/// * After [`ErrorKind::Io`], a lost connection, it is unknown whether the actions were counted. If the caller or its
///   client retries, they may count twice: then less than the limit is allowed, never more.
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
/// use tallis::{ManualClock, SlidingCounter, Store};
///
/// let clock = Arc::new(ManualClock::new(1_699_999_980_000));
/// let store = Store::builder().clock(clock.clone()).build();
/// let requests = SlidingCounter::new(store.clone(), 100, Duration::from_secs(60))?;
///
/// assert_eq!(requests.take("api", 80)?.remaining, 20);
/// clock.advance(60_000 + 45_000);
/// assert_eq!(requests.take("api", 30)?.remaining, 50);
/// assert_eq!(store.get("api")?.as_deref(), Some(&b"1700000040000:80:30"[..]));
///
/// let refused = requests.take("api", 60)?;
/// assert_eq!((refused.limited, refused.retry_after), (true, Some(Duration::from_millis(7_500))));
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SlidingCounter<B = Store> {
    backend: B,
    meter: Meter,
}

impl<B: Keyspace> SlidingCounter<B> {
    /// Creates counters that allow about `limit` actions in any `period`, one counter per key. The period is rounded up
    /// to milliseconds.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] for a limit of 0 or above 2^63 - 1, a period of zero, and one of more than 146
    /// million years.
    pub fn new(backend: B, limit: u64, period: Duration) -> Result<Self, Error> {
        let limit = i64::try_from(limit).ok().filter(|&limit| limit > 0);
        let limit = limit.ok_or_else(|| invalid("ERR the limit is zero or too large"))?;
        Ok(Self { backend, meter: Meter { limit, period_ms: period_ms(period)? } })
    }

    /// Returns the limit: the most actions in a period.
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.meter.limit.unsigned_abs()
    }

    /// Returns the period, in whole milliseconds.
    #[must_use]
    pub const fn period(&self) -> Duration {
        Duration::from_millis(self.meter.period_ms.unsigned_abs())
    }
}

#[blocking_and_async]
impl<B: Backend> SlidingCounter<B> {
    /// Counts `quantity` actions at the key, if they are allowed; a quantity of 0 only reads the state. O(1).
    ///
    /// [`remaining`](Throttle::remaining) is the limit less the estimate, rounded down.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`] if the key holds no string, [`ErrorKind::NotInteger`] if the string is not valid
    /// counts. Nothing has changed then.
    #[inline]
    pub async fn take(&self, key: impl AsRef<[u8]>, quantity: u64) -> Result<Throttle, Error> {
        self.backend.call(&count(key.as_ref(), self.meter, quantity)).await
    }
}

waits!(SlidingCounter);
