//! The actions of a sliding-window log: adds one, if it is allowed.

use std::time::Duration;

use store::{Error, Reply, Script, ScriptCall, Tx, ZSetEntry};

use super::{Throttle, in_lua, int_in_lua};
use crate::procedure::{Procedure, step};
use crate::request::Request;
use crate::text::{Text, concat, numbered};

/// How much longer than the period a key is kept, in milliseconds: one second, as in common descriptions of the
/// algorithm.
const LINGER_MS: i64 = 1000;

/// The script of [`act`].
pub(super) static ACT: Script = Script::new(include_str!("act.lua"), |tx, call| {
    let ([key], limit) = (call.keys()?, Limit::of_args(call)?);
    let of = |actions: &ZSetEntry<'_>, allowed| Acted::of(actions, limit, allowed);
    let acted = act(tx, key, limit, of)?;
    let time = |score: Option<f64>| score.map(|score| tx.profile().double(score));
    Ok(Reply::Array(vec![
        acted.allowed.into(),
        acted.count.into(),
        acted.now_ms.into(),
        time(acted.last).into(),
        time(acted.first_to_go).into(),
    ]))
});

/// The limit of actions in a period.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    pub(super) period_ms: i64,
    pub(super) max_count: u64,
    /// Whether a refused action counts too.
    pub(super) count_refused: bool,
}

impl Limit {
    /// Returns the request to a server for an action.
    fn request(self, key: &[u8]) -> Result<Request, Error> {
        let max_count = i64::try_from(self.max_count).unwrap_or(i64::MAX);
        let request = Request::script(&ACT).key(key).arg(in_lua(self.period_ms)?).arg(max_count);
        Ok(request.arg(i64::from(self.count_refused)))
    }

    /// Parses the arguments of [`ACT`].
    fn of_args(call: &ScriptCall<'_>) -> Result<Self, Error> {
        let max_count = call.int(1)?.try_into().map_err(|_| ScriptCall::wrong())?;
        Ok(Self { period_ms: int_in_lua(call, 0)?, max_count, count_refused: call.int(2)? == 1 })
    }

    /// Returns the figures of an action.
    fn throttle(self, acted: Acted) -> Throttle {
        // How long until an action leaves the period.
        let over = |score: f64| {
            let ms = as_ms(score).saturating_add(self.period_ms).saturating_sub(acted.now_ms);
            // Above 0: actions that have left the period were removed.
            Duration::from_millis(ms.unsigned_abs())
        };
        Throttle {
            limited: !acted.allowed,
            limit: self.max_count,
            remaining: self.max_count.saturating_sub(acted.count),
            retry_after: acted.first_to_go.map(over),
            reset_after: acted.last.map(over).unwrap_or_default(),
        }
    }
}

/// The outcome of an action, and the actions of the period after it.
#[derive(Clone, Copy, Debug)]
struct Acted {
    allowed: bool,
    /// The number of actions.
    count: u64,
    now_ms: i64,
    /// The time of the last action.
    last: Option<f64>,
    /// The time of the action that has to leave the period before another is allowed, if there is no room.
    first_to_go: Option<f64>,
}

impl Acted {
    fn of(actions: &ZSetEntry<'_>, limit: Limit, allowed: bool) -> Self {
        let count = actions.len() as u64;
        let time_of = |rank: u64| actions.score_at(usize::try_from(rank).ok()?);
        // Another action is allowed when so many have left the period that the count is below the limit.
        let too_many = count.checked_sub(limit.max_count);
        let too_many = too_many.filter(|_| !allowed && limit.max_count > 0);
        Self {
            allowed,
            count,
            now_ms: actions.now_ms(),
            last: count.checked_sub(1).and_then(time_of),
            first_to_go: too_many.and_then(time_of),
        }
    }

    /// Parses the reply of [`ACT`].
    fn of_reply(reply: Reply) -> Result<Self, Error> {
        let (allowed, count, now_ms, last, first_to_go) = reply.convert()?;
        Ok(Self { allowed, count, now_ms, last, first_to_go })
    }
}

/// Adds an action if it is allowed; returns whether it is.
#[inline]
pub(super) fn can_act(key: &[u8], limit: Limit) -> impl Procedure<Output = bool> {
    step([key], move |tx| act(tx, key, limit, |_, allowed| allowed)).on_server_with(
        move || limit.request(key),
        |reply| Acted::of_reply(reply).map(|acted| acted.allowed),
    )
}

/// Adds an action if it is allowed; returns its figures.
pub(super) fn take(key: &[u8], limit: Limit) -> impl Procedure<Output = Throttle> {
    step([key], move |tx| {
        let of = |actions: &ZSetEntry<'_>, allowed| Acted::of(actions, limit, allowed);
        act(tx, key, limit, of).map(|acted| limit.throttle(acted))
    })
    .on_server_with(
        move || limit.request(key),
        move |reply| Acted::of_reply(reply).map(|acted| limit.throttle(acted)),
    )
}

/// At `now`, in milliseconds:
///
/// 1. ZREMRANGEBYSCORE from `-inf` up to and including `now - period_ms`,
/// 2. ZCARD: the action is allowed if that is below `max_count`,
/// 3. if it is allowed, or if `count_refused`: ZADD with the score `now` of the member `<now>`, or the first of
///    `<now>-1`, `<now>-2`, ... that is free, and PEXPIREAT at `now + period_ms + 1000`.
///
/// Returns the result of `answer` for the decision and the actions after it.
#[inline]
fn act<R>(
    tx: &Tx<'_>,
    key: &[u8],
    limit: Limit,
    answer: impl FnOnce(&ZSetEntry<'_>, bool) -> R,
) -> Result<R, Error> {
    let Limit { period_ms, max_count, count_refused } = limit;
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
}

/// Adds an action of the current time under an unused name.
#[inline]
fn add(actions: &mut ZSetEntry<'_>, now: i64) -> Result<(), Error> {
    let score = as_score(now);
    let mut number = actions.count_scores(score..=score);
    // The name is in use, because another client has added or removed members. So the following names are tried.
    while !actions.add_new(&*name(now, number), score)? {
        number += 1;
    }
    Ok(())
}

/// Returns the name of the first action of a millisecond, of the second, and so on.
#[inline]
fn name(now_ms: i64, number: usize) -> Text {
    let now_ms = numbered(b"", now_ms);
    if number == 0 { now_ms } else { numbered(&concat([&now_ms, b"-"]), number) }
}

/// Returns the key of a user's actions: `hist:<user>:<action>`.
#[inline]
pub(super) fn history_key(user: &[u8], action: &[u8]) -> Text {
    concat([b"hist:", user, b":", action])
}

#[inline]
#[expect(clippy::cast_precision_loss, reason = "exact for the next 285,000 years")]
const fn as_score(ms: i64) -> f64 {
    ms as f64
}

/// Converts a time, rounded up.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "values above 64 bits saturate")]
fn as_ms(score: f64) -> i64 {
    score.ceil() as i64
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
}
