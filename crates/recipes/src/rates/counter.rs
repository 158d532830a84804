//! The sliding counter: two counts that stand for a period.

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

/// What [`count`] does, with numbers up to [`MOST_IN_LUA`].
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

/// What became of actions, and why.
struct Counted {
    throttle: Throttle,
    /// The counts before.
    stored: Option<Buckets>,
    now_ms: i64,
}

/// GET of the counts, the decision, and, if the actions are allowed, SET of the new counts with PXAT, the millisecond
/// from which they do not matter any more. Text with a number beyond `most` is no counts.
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
            // Any beyond the limit are refused alike.
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

/// The counts that a string is.
fn counts(string: Member<'_>, most: u64) -> Result<Buckets, Error> {
    let buckets = match string {
        Member::Bytes(text) => Buckets::parse(text).filter(|buckets| buckets.greatest() <= most),
        Member::Int(_) => None,
    };
    buckets.ok_or_else(no_counts)
}

#[cold]
fn no_counts() -> Error {
    Error::new(ErrorKind::NotInteger, "ERR the value is not the counts of a sliding counter")
}

/// At most about so many actions in a period, from two counts: for limits of a million in a minute.
///
/// # Idea
///
/// To know how many actions the last period saw, a [`SlidingWindow`](super::SlidingWindow) keeps every one of them.
/// This keeps two counts: of the period of the calendar (the minute, say) that runs, and of the one before. Of that
/// one, as much is taken as the last period still overlaps, as if its actions had come evenly.
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
/// The key is the caller's own, and holds a string of three decimal numbers, `1700000040000:80:30`: when the period
/// began, in milliseconds since the Unix epoch, the count before and the count now. It expires when neither matters,
/// two periods after that. Periods begin at multiples of their length, as minutes do; a key that is used with another
/// limit goes on from what it has.
///
/// # Error
///
/// How much of the period before still counts is estimated from its count alone. Let `f` be the part of the running
/// period that is over, from 0 to 1, and `before` its count. Then the estimate is
///
/// * above the truth by at most `(1 - f) * before`: if all of them came at the beginning, they are out of the last
///   period and still count;
/// * below the truth by at most `f * before`: if all came at the end, they all are in it and count in part.
///
/// So **fewer than twice the limit** can be allowed in any period, `limit * (1 + f)`, and that is reached: by a whole
/// limit in the last millisecond of a period of the calendar, and another spread over the next. In a period of the
/// calendar never more than the limit are. If the actions come evenly, the estimate is off by no more than what comes
/// in a millisecond, and two: of a million in a minute, 18. Nothing is rounded: the sum of the weighed counts and what
/// is asked for has to be at most the limit.
///
/// # Complexity
///
/// O(1), and about 30 bytes, however large the limit. A refused action changes nothing.
///
/// # On a server
///
/// A call is one script on one key, by EVALSHA, so it is one step on a server and on a cluster alike. The time is the
/// server's own. A service in another language takes part by the same script, whose comment says what KEYS and ARGV are:
///
#[doc = concat!("```lua\n", include_str!("count.lua"), "```")]
///
/// * Lua's numbers are exact to 15 digits and a little more. A limit of more digits, or a period of more than 31,000
///   years, is refused there: [`ErrorKind::InvalidArgument`]. Text with a longer number is no counts there:
///   [`ErrorKind::NotInteger`].
/// * [`ErrorKind::Io`], a connection that is lost, leaves its actions counted or not. If the caller or its client tries
///   again, they may count twice: then less is allowed than the limit, never more.
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
    /// Counters that allow about `limit` actions in any `period`, one for each key of that store. The period is rounded
    /// up to a whole millisecond.
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

    /// The most actions in a period.
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.meter.limit.unsigned_abs()
    }

    /// The period, in whole milliseconds.
    #[must_use]
    pub const fn period(&self) -> Duration {
        Duration::from_millis(self.meter.period_ms.unsigned_abs())
    }
}

#[blocking_and_async]
impl<B: Backend> SlidingCounter<B> {
    /// Counts `quantity` actions at the key, if that many are allowed; 0 looks at it. O(1).
    ///
    /// [`remaining`](Throttle::remaining) is the limit less the estimate, rounded down.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`] if the key holds no string, [`ErrorKind::NotInteger`] if the string is no such counts.
    /// Nothing is changed then.
    #[inline]
    pub async fn take(&self, key: impl AsRef<[u8]>, quantity: u64) -> Result<Throttle, Error> {
        self.backend.call(&count(key.as_ref(), self.meter, quantity)).await
    }
}

waits!(SlidingCounter);
