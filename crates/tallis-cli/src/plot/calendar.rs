//! An axis of time, with ticks at round hours, midnights, or the first days of months and years.

use jiff::ToSpan;
use jiff::civil::{Date, DateTime, Time};

use super::axis::Axis;

/// The most ticks of an axis, so that there is room for their texts.
const TICKS: i64 = 12;

const HOURS_OF_DAY: i64 = 24;

/// The unit of an axis of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// An hour, which extends from its beginning to its end.
    Hour,
    /// A day, which is centred on its name.
    Day,
}

impl Unit {
    /// Returns the position of the middle of a bucket, on an axis whose first bucket begins at `first`.
    pub(crate) fn place(self, first: DateTime, at: DateTime) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a place on paper")]
        let hours = hours(first, at) as f64;
        match self {
            Self::Hour => hours + 0.5,
            #[expect(clippy::cast_precision_loss, reason = "a small constant")]
            Self::Day => hours / HOURS_OF_DAY as f64,
        }
    }
}

/// The distance of ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Hours(i8),
    Days(i64),
    Months(i8),
    Years(i16),
}

/// From the shortest.
const STEPS: [Step; 25] = [
    Step::Hours(1),
    Step::Hours(2),
    Step::Hours(3),
    Step::Hours(6),
    Step::Hours(12),
    Step::Days(1),
    Step::Days(2),
    Step::Days(7),
    Step::Days(14),
    Step::Months(1),
    Step::Months(2),
    Step::Months(3),
    Step::Months(6),
    Step::Years(1),
    Step::Years(2),
    Step::Years(5),
    Step::Years(10),
    Step::Years(20),
    Step::Years(50),
    Step::Years(100),
    Step::Years(200),
    Step::Years(500),
    Step::Years(1000),
    Step::Years(2000),
    Step::Years(5000),
];

impl Step {
    /// Returns the approximate number of hours.
    const fn hours(self) -> i64 {
        match self {
            Self::Hours(hours) => hours as i64,
            Self::Days(days) => days * HOURS_OF_DAY,
            Self::Months(months) => months as i64 * 30 * HOURS_OF_DAY,
            Self::Years(years) => years as i64 * 365 * HOURS_OF_DAY,
        }
    }

    /// Returns the last time at or before `at` that has a tick.
    fn floor(self, at: DateTime) -> DateTime {
        let midnight = at.date().to_datetime(Time::midnight());
        let day = |year: i16, month: i8| Date::new(year, month, 1).unwrap_or(at.date());
        match self {
            Self::Hours(hours) => midnight.date().at(at.hour() - at.hour() % hours, 0, 0, 0),
            Self::Days(days) => {
                // 1970 began on a Thursday, so Mondays are three days before a multiple of seven.
                let since =
                    hours(DateTime::constant(1970, 1, 1, 0, 0, 0, 0), midnight) / HOURS_OF_DAY;
                midnight.checked_sub((since + 3).rem_euclid(days).days()).unwrap_or(midnight)
            }
            Self::Months(months) => {
                day(at.year(), at.month() - (at.month() - 1) % months).to_datetime(Time::midnight())
            }
            Self::Years(years) => {
                day(at.year() - at.year() % years, 1).to_datetime(Time::midnight())
            }
        }
    }

    /// Returns the next time that has a tick.
    fn next(self, at: DateTime) -> Option<DateTime> {
        match self {
            Self::Hours(hours) => at.checked_add(i64::from(hours).hours()),
            Self::Days(days) => at.checked_add(days.days()),
            Self::Months(months) => at.checked_add(i64::from(months).months()),
            Self::Years(years) => at.checked_add(i64::from(years).years()),
        }
        .ok()
    }

    /// Returns the text of a tick: the part of the time that changes with it.
    fn text(self, at: DateTime) -> String {
        let format = match self {
            Self::Hours(_) if at.hour() > 0 => "%H:%M",
            Self::Hours(_) | Self::Days(_) => "%b %-d",
            Self::Months(_) if at.month() > 1 => "%b",
            Self::Months(_) | Self::Years(_) => "%Y",
        };
        at.strftime(format).to_string()
    }
}

impl Axis {
    /// Creates an axis from a bucket that begins at `first` to one that begins at `last`. It is linear in time,
    /// including times without events.
    pub(crate) fn calendar(label: &str, unit: Unit, first: DateTime, last: DateTime) -> Self {
        let (length, shift) = match unit {
            Unit::Hour => (1, 0.5),
            Unit::Day => (HOURS_OF_DAY, 0.0),
        };
        let mut steps = STEPS.into_iter().filter(|step| step.hours() >= length);
        let total = hours(first, last) + length;
        // The last step is long enough for any times of the calendar.
        let step = steps.find(|step| total / step.hours() <= TICKS).unwrap_or(Step::Years(5000));
        let range = unit.place(first, first) - 0.5..unit.place(first, last) + 0.5;
        let times = std::iter::successors(Some(step.floor(first)), |at| step.next(*at));
        let ticks = times
            .map(|at| (unit.place(first, at) - shift, at))
            .take_while(|(place, _)| *place <= range.end)
            .filter(|(place, _)| range.contains(place) || place.total_cmp(&range.end).is_eq())
            .map(|(place, at)| (place, step.text(at)));
        Self::with_ticks(label, range.clone(), ticks.collect())
    }
}

fn hours(from: DateTime, to: DateTime) -> i64 {
    to.duration_since(from).as_hours()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(unit: Unit, first: &str, last: &str) -> Axis {
        let [first, last] = [first, last].map(|time| time.parse().unwrap());
        Axis::calendar("t", unit, first, last)
    }

    /// Returns the ticks as `place:text`.
    fn ticks(unit: Unit, first: &str, last: &str) -> Vec<String> {
        let axis = axis(unit, first, last);
        axis.ticks().iter().map(|(place, text)| format!("{place}:{text}")).collect()
    }

    #[test]
    fn ticks_are_at_midnights_and_round_hours() {
        assert_eq!(
            ticks(Unit::Hour, "2015-05-17T10:00", "2015-05-20T00:00"),
            [
                "2:12:00",
                "8:18:00",
                "14:May 18",
                "20:06:00",
                "26:12:00",
                "32:18:00",
                "38:May 19",
                "44:06:00",
                "50:12:00",
                "56:18:00",
                "62:May 20"
            ]
        );
        assert_eq!(
            ticks(Unit::Hour, "2015-05-17T21:00", "2015-05-18T02:00"),
            ["0:21:00", "1:22:00", "2:23:00", "3:May 18", "4:01:00", "5:02:00", "6:03:00"]
        );
        assert_eq!(
            ticks(Unit::Hour, "2015-05-17T10:00", "2015-05-17T10:00"),
            ["0:10:00", "1:11:00"]
        );
        assert_eq!(
            ticks(Unit::Hour, "2015-05-17T10:00", "2015-05-18T20:00"),
            [
                "2:12:00",
                "5:15:00",
                "8:18:00",
                "11:21:00",
                "14:May 18",
                "17:03:00",
                "20:06:00",
                "23:09:00",
                "26:12:00",
                "29:15:00",
                "32:18:00",
                "35:21:00"
            ]
        );
    }

    #[test]
    fn ticks_of_days_are_days_and_then_months_and_years() {
        assert_eq!(
            ticks(Unit::Day, "2015-12-30T00:00", "2016-01-02T00:00"),
            ["0:Dec 30", "1:Dec 31", "2:Jan 1", "3:Jan 2"]
        );
        // Mondays.
        assert_eq!(
            ticks(Unit::Day, "2015-05-17T00:00", "2015-06-20T00:00"),
            ["1:May 18", "8:May 25", "15:Jun 1", "22:Jun 8", "29:Jun 15"]
        );
        assert_eq!(
            ticks(Unit::Day, "2014-12-05T00:00", "2016-01-08T00:00"),
            ["27:2015", "86:Mar", "147:May", "208:Jul", "270:Sep", "331:Nov", "392:2016"]
        );
        assert_eq!(ticks(Unit::Day, "2015-05-17T00:00", "2015-05-17T00:00"), ["0:May 17"]);
        assert_eq!(ticks(Unit::Day, "0001-01-01T00:00", "9999-12-31T00:00").len(), 9);
    }

    #[test]
    fn there_is_room_for_the_ticks_of_any_length() {
        let first: DateTime = "2015-05-17T10:00".parse().unwrap();
        for hours in (0..100).chain((100..2_000_000).step_by(997)) {
            let last = first + hours.hours();
            for unit in [Unit::Hour, Unit::Day] {
                let axis = Axis::calendar("t", unit, first, last);
                let count = axis.ticks().len();
                assert!((1..=14).contains(&count), "{hours}: {:?}", axis.ticks());
            }
        }
    }
}
