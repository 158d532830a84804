//! The arithmetic of the sliding counter: an estimate for the last period from two counts.

use std::time::Duration;

use store::Member;

use super::Throttle;
use crate::text::{Text, concat};

/// The number of actions in a calendar period, and in the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Buckets {
    /// The beginning of the period, in milliseconds since the epoch.
    pub(super) start_ms: i64,
    /// Actions of the period before, never negative.
    pub(super) before: i64,
    /// Actions of the period so far, never negative.
    pub(super) now: i64,
}

impl Buckets {
    /// Parses the text `start:before:now`, all in canonical decimal, the counts not negative.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let mut parts =
            text.splitn(3, |&byte| byte == b':').map(|part| Member::Bytes(part).as_int());
        let mut next = || parts.next().flatten();
        let buckets = Self { start_ms: next()?, before: next()?, now: next()? };
        (buckets.before >= 0 && buckets.now >= 0).then_some(buckets)
    }

    /// Returns the greatest absolute value of the numbers.
    pub(super) fn greatest(self) -> u64 {
        let [before, now] = [self.before, self.now].map(i64::unsigned_abs);
        self.start_ms.unsigned_abs().max(before).max(now)
    }

    pub(super) fn to_text(self) -> Text {
        let [mut start, mut before, mut now] = [(); 3].map(|()| itoa::Buffer::new());
        let start = start.format(self.start_ms).as_bytes();
        let before = before.format(self.before).as_bytes();
        let now = now.format(self.now).as_bytes();
        concat([start, b":", before, b":", now])
    }

    /// Returns the buckets at `now_ms`: the next ones if their period is over.
    ///
    /// A time before the beginning of the period is taken as its beginning.
    pub(super) fn roll(stored: Option<Self>, now_ms: i64, period_ms: i64) -> Self {
        let fresh = || Self {
            start_ms: now_ms.saturating_sub(now_ms.rem_euclid(period_ms)),
            before: 0,
            now: 0,
        };
        let Some(stored) = stored else { return fresh() };
        let elapsed = now_ms.saturating_sub(stored.start_ms);
        if elapsed < period_ms {
            stored
        } else if elapsed < 2 * period_ms {
            Self { start_ms: stored.start_ms + period_ms, before: stored.now, now: 0 }
        } else {
            fresh()
        }
    }

    /// Returns the time from which these counts have no effect, in milliseconds since the epoch.
    pub(super) const fn expiry_ms(self, period_ms: i64) -> i64 {
        self.start_ms.saturating_add(2 * period_ms)
    }
}

/// A limit for a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meter {
    /// The most actions, not 0.
    pub(super) limit: i64,
    /// Not 0, at most [`LONGEST`](super::LONGEST).
    pub(super) period_ms: i64,
}

impl Meter {
    /// Decides whether `quantity` more actions are allowed at `now_ms`: returns the answer, and the new buckets if they
    /// are.
    ///
    /// All values are in actions times milliseconds, so nothing is rounded.
    #[inline]
    pub(super) fn take(
        self,
        stored: Option<Buckets>,
        now_ms: i64,
        quantity: u64,
    ) -> (Throttle, Option<Buckets>) {
        let buckets = Buckets::roll(stored, now_ms, self.period_ms);
        let elapsed = self.elapsed(buckets, now_ms);
        let room = self.room(buckets, elapsed);
        let allowed = i64::try_from(quantity)
            .ok()
            .filter(|&quantity| i128::from(quantity) * i128::from(self.period_ms) <= room.max(0));
        if let Some(quantity) = allowed {
            // At most the limit, so it does not overflow.
            let after = Buckets { now: buckets.now.saturating_add(quantity), ..buckets };
            let room = self.room(after, elapsed);
            return (
                self.answer(false, None, room, after, elapsed),
                (quantity > 0).then_some(after),
            );
        }
        let wait = self.wait(buckets, elapsed, quantity);
        (self.answer(true, wait, room, buckets, elapsed), None)
    }

    /// Returns the elapsed part of the period, in milliseconds.
    fn elapsed(self, buckets: Buckets, now_ms: i64) -> i64 {
        now_ms.saturating_sub(buckets.start_ms).clamp(0, self.period_ms - 1)
    }

    /// Returns what remains of the limit, in actions times milliseconds.
    fn room(self, buckets: Buckets, elapsed: i64) -> i128 {
        let limit = i128::from(self.limit) - i128::from(buckets.now);
        let overlap = i128::from(self.period_ms - elapsed);
        limit * i128::from(self.period_ms) - i128::from(buckets.before) * overlap
    }

    /// Returns how many milliseconds to wait until `quantity` actions are allowed; `None` for more than the limit.
    fn wait(self, buckets: Buckets, elapsed: i64, quantity: u64) -> Option<i64> {
        let quantity = i64::try_from(quantity).ok().filter(|&quantity| quantity <= self.limit)?;
        // The time from which on the weighted actions of the period before leave room.
        let from = |before: i64, left: i64| {
            let overlap = i128::from(left) * i128::from(self.period_ms) / i128::from(before);
            self.period_ms - i64::try_from(overlap).unwrap_or(self.period_ms).min(self.period_ms)
        };
        let left = self.limit - quantity;
        if buckets.now <= left {
            return Some(from(buckets.before, left - buckets.now) - elapsed);
        }
        Some((self.period_ms - elapsed).saturating_add(from(buckets.now, left)))
    }

    fn answer(
        self,
        limited: bool,
        wait: Option<i64>,
        room: i128,
        buckets: Buckets,
        elapsed: i64,
    ) -> Throttle {
        let period = u128::from(self.period_ms.unsigned_abs());
        let remaining = u64::try_from(room.max(0).cast_unsigned() / period);
        let left = match buckets {
            Buckets { now: 1.., .. } => (self.period_ms - elapsed).saturating_add(self.period_ms),
            Buckets { before: 1.., .. } => self.period_ms - elapsed,
            _ => 0,
        };
        let millis = |ms: i64| Duration::from_millis(ms.unsigned_abs());
        Throttle {
            limited,
            limit: self.limit.unsigned_abs(),
            remaining: remaining.unwrap_or(0),
            retry_after: wait.map(millis),
            reset_after: millis(left),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::LONGEST;
    use super::*;

    const NOW: i64 = 1_700_000_040_000;

    fn buckets(start_ms: i64, before: i64, now: i64) -> Buckets {
        Buckets { start_ms, before, now }
    }

    #[test]
    fn buckets_are_written_and_parsed() {
        for (is, text) in [
            (buckets(NOW, 3, 0), "1700000040000:3:0"),
            (buckets(-60_000, 0, 1), "-60000:0:1"),
            (
                buckets(i64::MIN, i64::MAX, i64::MAX),
                "-9223372036854775808:9223372036854775807:9223372036854775807",
            ),
        ] {
            assert_eq!(is.to_text().as_slice(), text.as_bytes());
            assert_eq!(Buckets::parse(text.as_bytes()), Some(is));
        }
        for text in [
            "",
            ":",
            "::",
            "1",
            "1:2",
            "1:2:",
            ":2:3",
            "1:2:3:",
            "1:2:3:4",
            "1:-2:3",
            "1:2:-3",
            "01:2:3",
            "1:2:3 ",
            "1: 2:3",
            "1:2:03",
            "+1:2:3",
            "1:2:9223372036854775808",
            "a:2:3",
            "1;2;3",
            "1:2:3\n",
        ] {
            assert_eq!(Buckets::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn no_text_is_read_as_other_counts() {
        let mut rng = testkit::rng::Rng::new(4);
        let mut taken = 0;
        for _ in 0..50_000 {
            let mut text = b"1700000040000:80:30".to_vec();
            for _ in 0..=rng.below(2) {
                let at = rng.index(text.len());
                match rng.below(3) {
                    0 => text[at] = *rng.pick(b"0123456789:-+ x\xff").unwrap(),
                    1 => text.insert(at, *rng.pick(b"09:-").unwrap()),
                    _ => text.truncate(at + 1),
                }
            }
            if let Some(buckets) = Buckets::parse(&text) {
                // Only text that `to_text` writes.
                assert_eq!(buckets.to_text().as_slice(), text);
                assert!(buckets.before >= 0 && buckets.now >= 0);
                taken += 1;
            }
        }
        assert!(taken > 1000);
    }

    #[test]
    fn buckets_roll_with_the_calendar() {
        let roll = |stored, now| Buckets::roll(stored, now, 60_000);
        let stored = buckets(NOW, 3, 5);
        assert_eq!(roll(None, NOW + 17), buckets(NOW, 0, 0));
        assert_eq!(roll(None, -1), buckets(-60_000, 0, 0));
        assert_eq!(roll(Some(stored), NOW), stored);
        assert_eq!(roll(Some(stored), NOW + 59_999), stored);
        assert_eq!(roll(Some(stored), NOW + 60_000), buckets(NOW + 60_000, 5, 0));
        assert_eq!(roll(Some(stored), NOW + 119_999), buckets(NOW + 60_000, 5, 0));
        assert_eq!(roll(Some(stored), NOW + 120_000), buckets(NOW + 120_000, 0, 0));
        // The clock was set back.
        assert_eq!(roll(Some(stored), NOW - 1), stored);
        assert_eq!(roll(Some(stored), i64::MIN), stored);
        for now in [i64::MIN, -1, 0, i64::MAX] {
            for period in [1, 60_000, LONGEST] {
                for start in [i64::MIN, i64::MAX] {
                    let rolled = Buckets::roll(Some(buckets(start, 1, 2)), now, period);
                    assert!(rolled.expiry_ms(period) >= rolled.start_ms);
                }
            }
        }
    }

    #[test]
    fn the_previous_period_counts_by_its_overlap() {
        let meter = Meter { limit: 10, period_ms: 1000 };
        let stored = Some(buckets(0, 8, 3));
        // 8 * (1000 - elapsed) / 1000 + 3
        for (now, remaining) in [(0, 0), (124, 0), (125, 0), (249, 0), (250, 1), (500, 3), (999, 6)]
        {
            let (answer, next) = meter.take(stored, now, 0);
            assert_eq!((answer.remaining, next), (remaining, None), "{now}");
        }
        let (answer, next) = meter.take(stored, 249, 1);
        assert_eq!((answer.limited, next), (true, None));
        assert_eq!(answer.retry_after, Some(Duration::from_millis(1)));
        assert_eq!(answer.reset_after, Duration::from_millis(1751));
        let (answer, next) = meter.take(stored, 250, 1);
        assert_eq!((answer.limited, answer.remaining, next), (false, 0, Some(buckets(0, 8, 4))));
        // Eight more are allowed only in the next period, when the three of this one have decreased to two.
        let (answer, _) = meter.take(stored, 250, 8);
        assert_eq!(answer.retry_after, Some(Duration::from_millis(750 + 334)));
        let (answer, _) = meter.take(stored, 250, 11);
        assert_eq!((answer.limited, answer.retry_after), (true, None));
    }

    #[test]
    fn waiting_for_the_stated_time_is_enough_and_no_longer_than_needed() {
        let mut rng = testkit::rng::Rng::new(3);
        let mut waits = 0;
        for _ in 0..20_000 {
            let mut small = |below: u64| i64::try_from(rng.u64() % below).unwrap();
            let meter = Meter { limit: 1 + small(30), period_ms: 1 + small(50) };
            let stored = buckets(100, small(40), small(40));
            let now = 100 + small(meter.period_ms.unsigned_abs());
            let quantity = small(35).unsigned_abs();
            let (answer, next) = meter.take(Some(stored), now, quantity);
            assert_eq!(next.is_some(), !answer.limited && quantity > 0);
            let Some(wait) = answer.retry_after else {
                assert!(!answer.limited || quantity > meter.limit.unsigned_abs());
                continue;
            };
            waits += 1;
            let wait = i64::try_from(wait.as_millis()).unwrap();
            assert!(wait > 0);
            let limited = |at| meter.take(Some(stored), at, quantity).0.limited;
            assert!(!limited(now + wait), "{meter:?} {stored:?} {now} {quantity}");
            assert!(limited(now + wait - 1), "{meter:?} {stored:?} {now} {quantity}");
        }
        assert!(waits > 5_000);
    }

    #[test]
    fn extreme_numbers_neither_panic_nor_wrap() {
        let ends = [0, 1, i64::MAX];
        for limit in [1, i64::MAX] {
            for period_ms in [1, 1000, LONGEST] {
                let meter = Meter { limit, period_ms };
                for now_ms in [i64::MIN, -1, 0, 1, i64::MAX] {
                    for start in [i64::MIN, 0, i64::MAX] {
                        for (before, now) in ends.map(|end| ends.map(|other| (end, other))).concat()
                        {
                            for quantity in [0, 1, i64::MAX as u64, u64::MAX] {
                                let stored = buckets(start, before, now);
                                let (answer, next) = meter.take(Some(stored), now_ms, quantity);
                                assert!(answer.remaining <= answer.limit);
                                assert!(next.is_none_or(|next| next.now <= limit));
                            }
                        }
                    }
                }
            }
        }
    }
}
