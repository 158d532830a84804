//! The calendar periods of events, and their texts in keys.

use std::fmt;
use std::str::FromStr;

use jiff::Span;
use jiff::civil::{Date, DateTime, ISOWeekDate, Time, Weekday};

use store::Error;

use crate::errors::invalid;
use crate::text::{Text, concat, numbered};

/// The kinds of [`Period`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PeriodKind {
    /// An hour: `2015-5-17-13`.
    Hour,
    /// A day: `2015-5-17`.
    Day,
    /// An ISO 8601 week, Monday to Sunday: `W2015-20`. The year is that of the week's Thursday.
    Week,
    /// A month: `2015-5`.
    Month,
    /// A year: `2015`.
    Year,
    /// All time: `u`, for unique events.
    Unique,
}

impl PeriodKind {
    /// Every kind, the shortest first.
    pub const ALL: [Self; 6] =
        [Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year, Self::Unique];

    /// Returns the period of this kind that contains a time.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::civil::date;
    /// use tallis::PeriodKind;
    ///
    /// let time = date(2015, 5, 17).at(13, 59, 0, 0);
    /// assert_eq!(PeriodKind::Hour.at(time).to_string(), "2015-5-17-13");
    /// assert_eq!(PeriodKind::Week.at(time).to_string(), "W2015-20");
    /// ```
    #[must_use]
    pub fn at(self, time: impl Into<DateTime>) -> Period {
        let time = time.into();
        let day = time.date();
        let start = match self {
            Self::Hour => {
                return Period { start: day.at(time.hour(), 0, 0, 0), kind: self };
            }
            Self::Day => day,
            Self::Week => {
                day.saturating_sub(Span::new().days(day.weekday().since(Weekday::Monday)))
            }
            Self::Month => day.first_of_month(),
            Self::Year => day.first_of_year(),
            Self::Unique => return Period::UNIQUE,
        };
        Period { start: start.to_datetime(Time::midnight()), kind: self }
    }

    /// Returns the kinds that this one consists of exactly, the longest first.
    pub(super) const fn parts(self) -> &'static [Self] {
        match self {
            Self::Year => &[Self::Month, Self::Day, Self::Hour],
            Self::Month | Self::Week => &[Self::Day, Self::Hour],
            Self::Day => &[Self::Hour],
            Self::Hour | Self::Unique => &[],
        }
    }
}

/// A calendar period, the same for every event; its text is the suffix of its keys, numbers without padding.
///
/// It is in civil time: the instants that it covers depend on the time zone of [`Cohorts`](super::Cohorts).
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::jiff::civil::date;
/// use tallis::Period;
///
/// let day = Period::day(date(2020, 12, 31));
/// assert_eq!(day.to_string(), "2020-12-31");
/// assert_eq!(day.next().unwrap().to_string(), "2021-1-1");
///
/// // The first days of January can lie in a week of the old year.
/// let week = Period::week(date(2021, 1, 3));
/// assert_eq!(week.to_string(), "W2020-53");
/// assert_eq!(week, Period::week(date(2020, 12, 31)));
/// assert_eq!(week.next().unwrap().to_string(), "W2021-1");
///
/// assert_eq!("2015-5-17-9".parse::<Period>()?, Period::hour(date(2015, 5, 17).at(9, 30, 0, 0)));
/// assert!("2015-05-17".parse::<Period>().is_err());
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Period {
    /// Its beginning; a fixed time for all time.
    start: DateTime,
    kind: PeriodKind,
}

impl Period {
    /// All time: unique events, which a user has or has not.
    pub const UNIQUE: Self = Self { start: DateTime::ZERO, kind: PeriodKind::Unique };

    /// Returns the hour of a time.
    #[must_use]
    pub fn hour(time: impl Into<DateTime>) -> Self {
        PeriodKind::Hour.at(time)
    }

    /// Returns the day of a time.
    #[must_use]
    pub fn day(time: impl Into<DateTime>) -> Self {
        PeriodKind::Day.at(time)
    }

    /// Returns the ISO week of a time.
    #[must_use]
    pub fn week(time: impl Into<DateTime>) -> Self {
        PeriodKind::Week.at(time)
    }

    /// Returns the month of a time.
    #[must_use]
    pub fn month(time: impl Into<DateTime>) -> Self {
        PeriodKind::Month.at(time)
    }

    /// Returns the year of a time.
    #[must_use]
    pub fn year(time: impl Into<DateTime>) -> Self {
        PeriodKind::Year.at(time)
    }

    /// Returns its kind.
    #[must_use]
    pub const fn kind(self) -> PeriodKind {
        self.kind
    }

    /// Returns its beginning; `None` for all time.
    #[must_use]
    pub fn start(self) -> Option<DateTime> {
        (self.kind != PeriodKind::Unique).then_some(self.start)
    }

    /// Returns its end, the first time after it; `None` for all time, and for the last period of the calendar.
    #[must_use]
    pub fn end(self) -> Option<DateTime> {
        self.next()?.start()
    }

    /// Returns the period that is `count` periods of its kind later, or earlier if `count` is negative; `None` beyond
    /// the ends of the calendar. All time only has itself.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::civil::date;
    /// use tallis::Period;
    ///
    /// let month = Period::month(date(2015, 5, 31));
    /// assert_eq!(month.plus(-15).unwrap().to_string(), "2014-2");
    /// assert_eq!(Period::UNIQUE.plus(1), None);
    /// ```
    #[must_use]
    pub fn plus(self, count: i32) -> Option<Self> {
        let span = Span::new();
        let span = match self.kind {
            PeriodKind::Hour => span.try_hours(count),
            PeriodKind::Day => span.try_days(count),
            PeriodKind::Week => span.try_weeks(count),
            PeriodKind::Month => span.try_months(count),
            PeriodKind::Year => span.try_years(count),
            PeriodKind::Unique => return (count == 0).then_some(self),
        };
        let start = self.start.checked_add(span.ok()?).ok()?;
        Some(Self { start, kind: self.kind })
    }

    /// Returns the next period.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        self.plus(1)
    }

    /// Returns the previous period.
    #[must_use]
    pub fn prev(self) -> Option<Self> {
        self.plus(-1)
    }

    /// Iterates over `count` periods, the last of which is this one, in order of time.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::civil::date;
    /// use tallis::Period;
    ///
    /// let days: Vec<String> =
    ///     Period::day(date(2016, 3, 1)).last(3).map(|day| day.to_string()).collect();
    /// assert_eq!(days, ["2016-2-28", "2016-2-29", "2016-3-1"]);
    /// ```
    pub fn last(self, count: u16) -> impl Iterator<Item = Self> {
        (0..count).rev().filter_map(move |back| self.plus(-i32::from(back)))
    }

    /// Iterates over its parts of a kind that it consists of; itself for its own kind.
    pub(super) fn cut(self, kind: PeriodKind) -> impl Iterator<Item = Self> {
        let end = self.end();
        let first = if kind == self.kind { self } else { kind.at(self.start) };
        std::iter::successors(Some(first), move |part| {
            let next = if kind == self.kind { None } else { part.next() };
            next.filter(|next| end.is_none_or(|end| next.start < end))
        })
    }

    /// Returns the key with this prefix.
    #[inline]
    pub(super) fn key(self, start: &[u8]) -> Text {
        let day = self.start.date();
        let parts = [day.month(), day.day(), self.start.hour()];
        let (year, parts) = match self.kind {
            PeriodKind::Unique => return concat([start, b"u"]),
            PeriodKind::Week => {
                let week = day.iso_week_date();
                (numbered(&concat([start, b"W"]), week.year()), &[week.week()][..])
            }
            PeriodKind::Year => (numbered(start, day.year()), &[][..]),
            PeriodKind::Month => (numbered(start, day.year()), &parts[..1]),
            PeriodKind::Day => (numbered(start, day.year()), &parts[..2]),
            PeriodKind::Hour => (numbered(start, day.year()), &parts[..]),
        };
        parts.iter().fold(year, |key, &part| {
            concat([&key, b"-", itoa::Buffer::new().format(part).as_bytes()])
        })
    }

    /// Parses the text of a period, in exactly the form that it is written in.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let period = Self::parse_any(std::str::from_utf8(text).ok()?)?;
        // A padded or signed number would parse as the same period, but is another key.
        (period.key(b"").as_slice() == text).then_some(period)
    }

    fn parse_any(text: &str) -> Option<Self> {
        if text == "u" {
            return Some(Self::UNIQUE);
        }
        let (week, numbers) = text.strip_prefix('W').map_or((false, text), |rest| (true, rest));
        let (before, numbers) =
            numbers.strip_prefix('-').map_or((false, numbers), |rest| (true, rest));
        let mut fields = numbers.split('-');
        let year: i16 = fields.next()?.parse().ok()?;
        let year = if before { -year } else { year };
        let mut field = || fields.next().map(|field| field.parse::<i8>().ok());
        if week {
            let monday = ISOWeekDate::new(year, field()??, Weekday::Monday).ok()?;
            return fields.next().is_none().then(|| Self::week(monday.date()));
        }
        let (month, day, hour) = (field(), field(), field());
        if fields.next().is_some() {
            return None;
        }
        let date = Date::new(year, month.unwrap_or(Some(1))?, day.unwrap_or(Some(1))?).ok()?;
        let time = Time::new(hour.unwrap_or(Some(0))?, 0, 0, 0).ok()?;
        let kind = match (month, day, hour) {
            (None, ..) => PeriodKind::Year,
            (_, None, _) => PeriodKind::Month,
            (_, _, None) => PeriodKind::Day,
            (..) => PeriodKind::Hour,
        };
        Some(kind.at(date.to_datetime(time)))
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(&self.key(b"")))
    }
}

impl FromStr for Period {
    type Err = Error;

    /// Parses the suffix of a key. It must be in the form that it is written in: no padding, and only dates of the
    /// calendar.
    fn from_str(text: &str) -> Result<Self, Error> {
        Self::parse(text.as_bytes())
            .ok_or_else(|| invalid(format!("ERR '{}' is not a period", text.escape_debug())))
    }
}
