//! The expiry times of keys.

use serde::Serialize;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The number of keys by time to live: each key is counted in the first range that includes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Expiry {
    expired: u64,
    minute: u64,
    hour: u64,
    day: u64,
    week: u64,
    /// 30 days.
    month: u64,
    /// 365 days.
    year: u64,
    later: u64,
    none: u64,
}

impl Expiry {
    pub(super) fn add(&mut self, expire_at_ms: Option<i64>, now_ms: i64) {
        let left = expire_at_ms.map(|at| at.saturating_sub(now_ms));
        let count = match left {
            None => &mut self.none,
            Some(..=0) => &mut self.expired,
            Some(left) if left < MINUTE => &mut self.minute,
            Some(left) if left < HOUR => &mut self.hour,
            Some(left) if left < DAY => &mut self.day,
            Some(left) if left < 7 * DAY => &mut self.week,
            Some(left) if left < 30 * DAY => &mut self.month,
            Some(left) if left < 365 * DAY => &mut self.year,
            Some(_) => &mut self.later,
        };
        *count += 1;
    }

    /// Returns each count with its name.
    pub(super) const fn rows(&self) -> [(&'static str, u64); 9] {
        [
            ("expired", self.expired),
            ("in a minute", self.minute),
            ("in an hour", self.hour),
            ("in a day", self.day),
            ("in a week", self.week),
            ("in a month", self.month),
            ("in a year", self.year),
            ("later", self.later),
            ("never", self.none),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_belongs_to_the_next() {
        let mut expiry = Expiry::default();
        let now = 1_700_000_000_000;
        let limits = [0, MINUTE, HOUR, DAY, 7 * DAY, 30 * DAY, 365 * DAY];
        for limit in limits {
            expiry.add(Some(now + limit - 1), now);
            expiry.add(Some(now + limit), now);
        }
        expiry.add(Some(i64::MIN), now);
        expiry.add(Some(i64::MAX), now);
        expiry.add(None, now);
        assert_eq!(expiry.rows().map(|(_, count)| count), [3, 1, 2, 2, 2, 2, 2, 2, 1]);
    }
}
