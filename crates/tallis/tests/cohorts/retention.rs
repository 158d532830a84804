//! Tables of retention compared with sets of users.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::{Date, date};
use tallis::{Cohort, Cohorts, Period, PeriodKind, Store};
use testkit::rng::Rng;

fn day(number: i64) -> Date {
    date(2015, 12, 20).checked_add(jiff::Span::new().days(number)).unwrap()
}

fn float(count: u64) -> f64 {
    u32::try_from(count).unwrap().into()
}

type Model = BTreeMap<(&'static str, Period), BTreeSet<u64>>;

#[test]
fn a_table_has_the_counts_of_sets_of_users() {
    let cohorts = Cohorts::new(Store::new());
    let mut model = Model::new();
    let mut rng = Rng::new(21);
    for _ in 0..4_000 {
        let event = *rng.pick(&["signup", "active"]).unwrap();
        let (user, when) = (rng.below(200) * rng.below(2_000), day(rng.range(0..=40)));
        cohorts.mark(event, user, when).unwrap();
        for kind in PeriodKind::ALL {
            model.entry((event, kind.at(when))).or_default().insert(user);
        }
    }
    for (kind, count) in [
        (PeriodKind::Day, 45),
        (PeriodKind::Week, 6),
        (PeriodKind::Month, 3),
        (PeriodKind::Year, 2),
    ] {
        let periods: Vec<Period> = kind.at(day(42)).last(count).collect();
        let table = cohorts.retention("signup", "active", periods.iter().copied()).unwrap();
        assert_eq!(table.rows().len(), periods.len());
        let none = BTreeSet::new();
        for (number, row) in table.rows().iter().enumerate() {
            let users = model.get(&("signup", periods[number])).unwrap_or(&none);
            assert_eq!((row.period, row.users), (periods[number], users.len() as u64));
            let returned = periods[number..].iter().map(|&later| {
                let active = model.get(&("active", later)).unwrap_or(&none);
                users.intersection(active).count() as u64
            });
            assert!(row.returned.iter().copied().eq(returned), "{kind:?} {number}");
            for (after, &returned) in row.returned.iter().enumerate() {
                let percent = row.percent(after);
                assert_eq!(percent.is_some(), row.users > 0);
                let users = percent.unwrap_or(0.0) / 100.0 * float(row.users);
                assert!((users - float(returned)).abs() < 1e-6);
            }
            assert_eq!(row.percent(row.returned.len()), None);
        }
    }
    // Cohorts of any kind: users that signed up and were active on the day after.
    let periods: Vec<Period> = Period::day(day(39)).last(5).collect();
    let next = |event: &str, day: Period| Cohort::of(event, day.next().unwrap());
    let table = cohorts
        .retention_of(
            periods.iter().copied(),
            |day| Cohort::of("signup", day) & next("active", day),
            |day| !next("active", day) | Cohort::of("signup", day),
        )
        .unwrap();
    for (row, &first) in table.rows().iter().zip(&periods) {
        let sets = |event: &'static str, period: Period| &model[&(event, period)];
        let users: BTreeSet<u64> = sets("signup", first)
            .intersection(sets("active", first.next().unwrap()))
            .copied()
            .collect();
        assert_eq!(row.users, users.len() as u64);
        assert_eq!(row.returned[0], row.users, "all of them signed up that day");
    }
}

#[test]
fn a_table_is_printed_in_percent_and_in_numbers() {
    let cohorts = Cohorts::new(Store::new());
    let days = [date(2015, 5, 9), date(2015, 5, 10), date(2015, 5, 11)];
    for user in 0..3 {
        cohorts.mark("e", user, days[0]).unwrap();
    }
    cohorts.mark("e", 1, days[1]).unwrap();
    let table = cohorts.retention("e", "e", days.map(Period::day)).unwrap();
    assert_eq!(
        table.to_string(),
        "period          users      +0      +1      +2\n\
         2015-5-9            3   100.0    33.3     0.0\n\
         2015-5-10           1   100.0     0.0\n\
         2015-5-11           0       -\n"
    );
    assert_eq!(
        format!("{table:#}"),
        "period          users      +0      +1      +2\n\
         2015-5-9            3       3       1       0\n\
         2015-5-10           1       1       0\n\
         2015-5-11           0       0\n"
    );
    let empty = cohorts.retention("e", "e", []).unwrap();
    assert_eq!(empty.rows(), []);
    assert_eq!(empty.to_string(), "period       users\n");
}
