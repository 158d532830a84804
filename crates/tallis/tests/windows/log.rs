//! The figures of an access log, exact and approximate.

use std::collections::HashSet;

use jiff::Timestamp;
use tallis::UvFilling;
use testkit::rng::Rng;

use super::{FILLINGS, second, windows};

/// Visits as in a log of four days: some users return often, most visit once.
fn visits() -> Vec<(String, i64)> {
    let mut rng = Rng::new(17);
    let start = super::at("2015-05-17T10:05Z").as_second();
    let mut visits: Vec<(String, i64)> = (0..10_000)
        .map(|_| {
            let user = rng.below(rng.clone().below(3000) + 1);
            (
                format!("10.0.{}.{}", user / 256, user % 256),
                start + rng.range(0..=4 * 86_400 - 39_600),
            )
        })
        .collect();
    visits.sort_unstable_by_key(|(_, at)| *at);
    visits
}

fn exact(visits: &[(String, i64)], from: i64, to: i64) -> u64 {
    let inside = visits.iter().filter(|(_, at)| (from..to).contains(at));
    inside.map(|(user, _)| user).collect::<HashSet<_>>().len() as u64
}

#[test]
fn figures_are_within_three_percent_of_the_exact_ones() {
    let visits = visits();
    let end = visits.last().unwrap().1 + 60;
    let now = Timestamp::from_second(end).unwrap().to_string();
    for filling in FILLINGS {
        let (windows, _, clock) = windows(&now, filling);
        for (user, at) in &visits {
            if filling == UvFilling::RollUp {
                clock.set(at * 1000);
            }
            windows.record(user, second(*at)).unwrap();
        }
        clock.set(end * 1000);
        let minute = end - end.rem_euclid(60);
        for (counted, seconds) in
            [(windows.hourly(), 3600), (windows.daily(), 86_400), (windows.weekly(), 7 * 86_400)]
        {
            let exact = exact(&visits, minute - seconds, minute);
            // Four standard errors, and one for rounding.
            let off = counted.unwrap().abs_diff(exact);
            assert!(exact > 50 && off <= 1 + exact * 33 / 1000, "{off} of {exact}");
        }
    }
}
