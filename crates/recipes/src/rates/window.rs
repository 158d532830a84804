//! The sliding window: every action of the last period, in a sorted set.

use std::time::Duration;

use bytes::Bytes;
use skiplist_zset::Change;
use smallvec::SmallVec;

use super::period_ms;
use crate::commands::refusal;
use crate::error::Error;
use crate::member::Member;
use crate::rules::Rules;
use crate::store::Store;
use crate::store::slot::Slot;
use crate::value::{Value, ZSet};

/// A key of the recipe, or the name of an action.
type Text = SmallVec<[u8; 64]>;

/// How much longer than the period a key lives, in milliseconds: the second that the notes on rate limiting add.
const LINGER_MS: i64 = 1000;

/// The step that a [`SlidingWindow`] needs, atomic.
pub trait WindowSteps {
    /// At `now`, the time of whoever holds the key, in milliseconds:
    ///
    /// 1. ZREMRANGEBYSCORE from `-inf` up to and including `now - period_ms`,
    /// 2. ZCARD: the action is allowed if that is below `max_count`,
    /// 3. if it is allowed, or if `count_refused`: ZADD with the score `now` of the member `<now>`, or the first of `<now>-1`,
    ///    `<now>-2`, ... that is free, and PEXPIREAT at `now + period_ms + 1000`.
    ///
    /// Returns whether it is allowed.
    ///
    /// # Errors
    ///
    /// A key that holds no sorted set; nothing is changed then.
    fn act(
        &self,
        key: &[u8],
        period_ms: i64,
        max_count: u64,
        count_refused: bool,
    ) -> Result<bool, Error>;
}

impl WindowSteps for Store {
    #[inline]
    fn act(
        &self,
        key: &[u8],
        period_ms: i64,
        max_count: u64,
        count_refused: bool,
    ) -> Result<bool, Error> {
        self.write(&[key], |scope, keys| {
            let rules = scope.rules();
            scope.change(keys[0], |slot| act(slot, &rules, period_ms, max_count, count_refused))
        })
    }
}

fn act(
    slot: &mut Slot<'_, '_, '_>,
    rules: &Rules<'_>,
    period_ms: i64,
    max_count: u64,
    count_refused: bool,
) -> Result<bool, Error> {
    let now = slot.now_ms();
    let cutoff = now.saturating_sub(period_ms);
    let mut count = 0;
    if let Some(value) = slot.value_mut() {
        let set = value.as_zset_mut().ok_or_else(Error::wrong_type)?;
        let old = set.iter().take_while(|&(_, score)| score <= as_score(cutoff)).count();
        set.remove_range(0..old);
        count = set.len();
        if count == 0 {
            // As a server has it: what comes next is a new set.
            slot.remove();
        }
        if old > 0 {
            slot.changed("ZREMRANGEBYSCORE", || {
                vec![Bytes::from_static(b"-inf"), Member::Int(cutoff).to_bytes()]
            });
        }
    }
    let allowed = (count as u64) < max_count;
    if allowed || count_refused {
        let name = add(slot, rules, now)?;
        slot.changed("ZADD", || vec![Member::Int(now).to_bytes(), Bytes::copy_from_slice(&name)]);
        let expires_at = now.saturating_add(period_ms).saturating_add(LINGER_MS);
        slot.set_expiry(Some(expires_at));
        slot.changed("PEXPIREAT", || vec![Member::Int(expires_at).to_bytes()]);
    }
    Ok(allowed)
}

/// Adds an action of now under a name that is free, and tells the name.
#[inline]
fn add(slot: &mut Slot<'_, '_, '_>, rules: &Rules<'_>, now: i64) -> Result<Text, Error> {
    let mut name = name(now, 0);
    if slot.value().is_none() {
        slot.put(Value::ZSet(ZSet::new()));
    }
    let Some(set) = slot.value_mut().and_then(Value::as_zset_mut) else {
        return Err(Error::wrong_type());
    };
    let score = as_score(now);
    let mut number = same(set, score);
    loop {
        name = if number == 0 { name } else { self::name(now, number) };
        let free = |old: Option<f64>| old.is_none().then_some(score);
        let change = set.update_with_hasher(&*name, &rules.zset_limits(), rules.hasher, free);
        match change.map_err(refusal)? {
            Change::Added => return Ok(name),
            // Somebody else has taken members out or put some in. The next one then, before the set runs out of members.
            Change::Unchanged | Change::Updated => number += 1,
        }
    }
}

/// How many actions there are of this millisecond.
#[inline]
fn same(set: &ZSet, score: f64) -> usize {
    match set.last() {
        Some((_, last)) if last >= score => set.ranks_by_score(score..=score).len(),
        _ => 0,
    }
}

/// What the first action of a millisecond is called, the second, and so on.
#[inline]
fn name(now_ms: i64, number: usize) -> Text {
    let mut name = Text::new();
    name.extend_from_slice(itoa::Buffer::new().format(now_ms).as_bytes());
    if number > 0 {
        name.push(b'-');
        name.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }
    name
}

/// The key of a user's actions: `hist:<user>:<action>`.
#[inline]
fn history_key(user: &[u8], action: &[u8]) -> Text {
    let mut key = Text::from_slice(b"hist:");
    key.extend_from_slice(user);
    key.push(b':');
    key.extend_from_slice(action);
    key
}

#[inline]
#[expect(clippy::cast_precision_loss, reason = "exact for the next 285,000 years")]
const fn as_score(ms: i64) -> f64 {
    ms as f64
}

/// At most so many actions in any period, to the millisecond.
///
/// # Idea
///
/// A sorted set has every action of the last period with its time. What is older is taken out; the rest is counted; if there is room,
/// the new action is put in.
///
/// # Representation
///
/// `hist:<user>:<action>`, a sorted set: the score of an action is its time in milliseconds since the Unix epoch, and its member is the
/// same number, or for the second one of that millisecond `<ms>-1`, for the third `<ms>-2`. The key expires a second
/// after the last action is out of the period.
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
/// * One that is refused does not count, so who keeps on trying gets in when the first has aged out.
///   [`count_refused`](Self::count_refused) makes them count: then only who waits gets in.
///
/// In any period no more are allowed than the count, by any number of callers at once. All of this holds for one key asked with one
/// period; a shorter one takes out what a longer one would have counted. A clock that is set back finds actions that are yet to
/// come, and counts them until they are over.
///
/// A user whose name has a colon may share a key with another: `a:b` doing `c` and `a` doing `b:c`.
///
/// # Complexity
///
/// O(log n) for n actions in the period, each of which takes some 20 bytes, and a few times that where they are more than fit a
/// listpack; [`SlidingCounter`](super::SlidingCounter) takes no more for a million.
///
/// # Examples
///
/// ```
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
pub struct SlidingWindow<S = Store> {
    steps: S,
    count_refused: bool,
}

impl<S: WindowSteps> SlidingWindow<S> {
    /// Windows in that store, one for each user and action. Refused actions do not count.
    #[must_use]
    pub const fn new(steps: S) -> Self {
        Self { steps, count_refused: false }
    }

    /// Whether an action that is refused counts like one that is allowed, and so extends the refusal. Then a set grows as long as
    /// somebody tries.
    #[must_use]
    pub const fn count_refused(mut self, count: bool) -> Self {
        self.count_refused = count;
        self
    }

    /// Whether the user may do the action now, which counts as done then: at most `max_count` in any `period`, which is rounded up to
    /// a whole millisecond. O(log n) for the actions in the period.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) for a period of zero or of more than 146 million years,
    /// [`ErrorKind::WrongType`](crate::ErrorKind::WrongType) if the key holds no sorted set.
    #[inline]
    pub fn can_reply(
        &self,
        user: impl AsRef<[u8]>,
        action: impl AsRef<[u8]>,
        period: Duration,
        max_count: u64,
    ) -> Result<bool, Error> {
        let key = history_key(user.as_ref(), action.as_ref());
        self.steps.act(&key, period_ms(period)?, max_count, self.count_refused)
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
