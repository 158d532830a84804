//! Periods: their begin, end and names, and weeks at the turn of the year.

use jiff::civil::{Date, DateTime, date};
use tallis::{ErrorKind, Period, PeriodKind};

#[test]
fn weeks_belong_to_the_year_of_their_thursday() {
    for (year, month, day, key) in [
        (2004, 12, 31, "W2004-53"),
        (2005, 1, 2, "W2004-53"),
        (2005, 1, 3, "W2005-1"),
        (2007, 12, 31, "W2008-1"),
        (2008, 12, 28, "W2008-52"),
        (2008, 12, 29, "W2009-1"),
        (2009, 12, 31, "W2009-53"),
        (2010, 1, 3, "W2009-53"),
        (2010, 1, 4, "W2010-1"),
        (2012, 1, 1, "W2011-52"),
        (2015, 5, 17, "W2015-20"),
        (2015, 5, 18, "W2015-21"),
        (2016, 2, 29, "W2016-9"),
        (2018, 12, 31, "W2019-1"),
        (2020, 12, 31, "W2020-53"),
        (2021, 1, 3, "W2020-53"),
        (2021, 1, 4, "W2021-1"),
        (2024, 12, 30, "W2025-1"),
        (2027, 1, 1, "W2026-53"),
    ] {
        assert_eq!(Period::week(date(year, month, day)).to_string(), key);
    }
}

/// By definition: a week belongs to the year of its Thursday, and its number is that of the Thursday in the year.
#[test]
fn weeks_follow_the_definition_for_a_hundred_years() {
    let mut day = date(1960, 1, 1);
    // 1960 began on a Friday.
    let mut weekday = 4;
    let mut week = None;
    while day < date(2060, 1, 1) {
        let thursday = day.checked_add(jiff::Span::new().days(3 - weekday)).unwrap();
        let number = (thursday.day_of_year() - 1) / 7 + 1;
        let period = Period::week(day);
        assert_eq!(period.to_string(), format!("W{}-{number}", thursday.year()), "{day}");
        assert_eq!(week == Some(period), weekday != 0 && day != date(1960, 1, 1), "{day}");
        week = Some(period);
        day = day.tomorrow().unwrap();
        weekday = (weekday + 1) % 7;
    }
}

#[test]
fn a_period_begins_where_the_previous_one_ends() {
    let time = date(2015, 5, 17).at(13, 59, 59, 999_999_999);
    let at = |day: Date, hour| day.at(hour, 0, 0, 0);
    for (kind, text, start, end, prev) in [
        (
            PeriodKind::Hour,
            "2015-5-17-13",
            at(date(2015, 5, 17), 13),
            at(date(2015, 5, 17), 14),
            "2015-5-17-12",
        ),
        (
            PeriodKind::Day,
            "2015-5-17",
            at(date(2015, 5, 17), 0),
            at(date(2015, 5, 18), 0),
            "2015-5-16",
        ),
        (
            PeriodKind::Week,
            "W2015-20",
            at(date(2015, 5, 11), 0),
            at(date(2015, 5, 18), 0),
            "W2015-19",
        ),
        (PeriodKind::Month, "2015-5", at(date(2015, 5, 1), 0), at(date(2015, 6, 1), 0), "2015-4"),
        (PeriodKind::Year, "2015", at(date(2015, 1, 1), 0), at(date(2016, 1, 1), 0), "2014"),
    ] {
        let period = kind.at(time);
        assert_eq!((period.kind(), period.to_string()), (kind, text.to_owned()));
        assert_eq!((period.start(), period.end()), (Some(start), Some(end)));
        assert_eq!(period.next().unwrap().start(), period.end());
        assert_eq!(period.prev().unwrap().to_string(), prev);
        assert_eq!(period.next().unwrap().prev(), Some(period));
        assert_eq!((kind.at(start), kind.at(end)), (period, period.next().unwrap()));
        assert_eq!(period.plus(0), Some(period));
    }
    let all = PeriodKind::Unique.at(time);
    assert_eq!((all, all.to_string().as_str()), (Period::UNIQUE, "u"));
    assert_eq!((all.start(), all.end(), all.next(), all.prev()), (None, None, None, None));
    assert_eq!((all.plus(0), all.last(3).count()), (Some(all), 1));
}

#[test]
fn steps_cross_the_ends_of_days_months_and_years() {
    for (from, count, to) in [
        ("2015-12-31-23", 1, "2016-1-1-0"),
        ("2016-3-1-0", -1, "2016-2-29-23"),
        ("2016-2-28", 2, "2016-3-1"),
        ("2015-1-1", -1, "2014-12-31"),
        ("W2020-53", 1, "W2021-1"),
        ("W2021-1", -54, "W2019-52"),
        ("2015-12", 1, "2016-1"),
        ("2015-1", -13, "2013-12"),
        ("2015", -2015, "0"),
        ("0", -1, "-1"),
    ] {
        let period: Period = from.parse().unwrap();
        assert_eq!(period.plus(count).unwrap().to_string(), to, "{from} {count}");
        assert_eq!(period.plus(count).unwrap().plus(-count), Some(period));
    }
    for kind in PeriodKind::ALL {
        for time in [DateTime::MIN, DateTime::MAX] {
            let period = kind.at(time);
            for count in [i32::MIN, i32::MAX] {
                assert_eq!(period.plus(count), None, "{period}");
            }
            assert_eq!(period.to_string().parse::<Period>().unwrap(), period);
        }
        assert_eq!(kind.at(DateTime::MAX).next(), None);
        assert_eq!(kind.at(DateTime::MIN).prev(), None);
    }
}

#[test]
fn the_text_of_a_period_is_parsed_as_written_and_not_otherwise() {
    let mut time = date(1999, 12, 25).at(0, 0, 0, 0);
    for _ in 0..20_000 {
        for kind in PeriodKind::ALL {
            let period = kind.at(time);
            assert_eq!(period.to_string().parse::<Period>().unwrap(), period);
        }
        time = time.checked_add(jiff::Span::new().hours(5)).unwrap();
    }
    for text in [
        "",
        "-",
        "--",
        "u ",
        "U",
        "W",
        "W2015",
        "w2015-20",
        "W2015-0",
        "W2014-53",
        "W2015-020",
        "W2015-20-1",
        "2015-",
        "-2015-",
        "2015-0",
        "2015-13",
        "2015-05",
        "2015-5-0",
        "2015-5-32",
        "2015-2-29",
        "2015-5-17-24",
        "2015-5-17-01",
        "2015-5-17-1-1",
        "2015--5",
        "2015-5--1",
        "+2015",
        "02015",
        "20150",
        "-0",
        "2015-+5",
        "2015-5-17-",
        "1e3",
        "99999",
        "2015-5-17-999",
    ] {
        let error = text.parse::<Period>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{text:?}");
        assert_eq!(error.to_string(), format!("ERR '{text}' is not a period"));
    }
    // 2020 had 53 weeks.
    assert!("W2020-53".parse::<Period>().is_ok());
    assert!("W2021-53".parse::<Period>().is_err());
}

#[test]
fn the_last_periods_end_with_the_given_one() {
    let year = |from: i16, to: i16| (from..=to).map(|year| Period::year(date(year, 1, 1)));
    let last = Period::year(date(2015, 1, 1)).last(5);
    assert!(last.eq(year(2011, 2015)));
    assert_eq!(Period::UNIQUE.last(0).count(), 0);
    // Periods before the calendar are omitted.
    assert_eq!(Period::year(DateTime::MIN).next().unwrap().last(5).count(), 2);
}
