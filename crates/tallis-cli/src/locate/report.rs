//! The counts, as a table and as JSON.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use tallis::LocationCounts;

use crate::table::{self, Align};

/// The result of a count. Its JSON form is a stable interface of the program, including the order of the fields; its
/// [`Display`](fmt::Display) form is a table, with the most users first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The number of users that were counted.
    pub users: u64,
    /// The number of users whose country is unknown.
    pub unknown: u64,
    /// The countries with users.
    pub countries: BTreeMap<String, u64>,
    /// The regions with users, of the countries that have regions.
    pub regions: BTreeMap<String, BTreeMap<String, u64>>,
    /// The file that the locations were saved to.
    #[serde(skip)]
    pub saved: Option<String>,
}

impl Report {
    /// Creates a report from the counts.
    #[must_use]
    pub fn new(users: u64, counts: &LocationCounts) -> Self {
        let owned = |(name, users): (&str, u64)| (name.to_owned(), users);
        let countries: BTreeMap<_, _> = counts.countries().map(owned).collect();
        let regions = countries.keys().filter_map(|country| {
            let regions: BTreeMap<_, _> = counts.regions(country).map(owned).collect();
            (!regions.is_empty()).then(|| (country.clone(), regions))
        });
        let regions = regions.collect();
        let unknown = users.saturating_sub(countries.values().sum());
        Self { users, unknown, countries, regions, saved: None }
    }
}

/// Returns the greatest counts first, equal ones by name.
fn ranked(counts: &BTreeMap<String, u64>) -> Vec<(&str, u64)> {
    let mut ranked: Vec<_> = counts.iter().map(|(name, &count)| (&**name, count)).collect();
    ranked.sort_by_key(|&(_, count)| Reverse(count));
    ranked
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows = Vec::new();
        for (country, users) in ranked(&self.countries) {
            rows.push([country, "", &users.to_string()].map(str::to_owned));
            let Some(regions) = self.regions.get(country) else { continue };
            for (region, users) in ranked(regions) {
                rows.push(["", region, &users.to_string()].map(str::to_owned));
            }
            let without = users.saturating_sub(regions.values().sum());
            if without > 0 {
                rows.push(["", "unknown", &without.to_string()].map(str::to_owned));
            }
        }
        if self.unknown > 0 {
            rows.push(["unknown", "", &self.unknown.to_string()].map(str::to_owned));
        }
        rows.push(["total", "", &self.users.to_string()].map(str::to_owned));
        let head = [("country", Align::Left), ("region", Align::Left), ("users", Align::Right)];
        // The head, a rule, the locations, and after another rule the total.
        let mut drawn = table::drawn(&head, rows);
        if let Some(rule) = drawn.get(1).filter(|_| self.users > 0) {
            drawn.insert(drawn.len() - 1, rule.clone());
        }
        for line in drawn {
            writeln!(f, "{line}")?;
        }
        if let Some(file) = &self.saved {
            writeln!(f, "saved to {file}")?;
        }
        Ok(())
    }
}

impl crate::output::Report for Report {
    fn saved_to(&mut self, file: String) {
        self.saved = Some(file);
    }
}

#[cfg(test)]
mod tests {
    use tallis::{Locations, Store};

    use super::*;

    fn report() -> Report {
        let locations = Locations::new(Store::new());
        let places = [("FRA", ""), ("USA", "NY"), ("USA", "CA"), ("USA", "CA"), ("USA", "")];
        for (user, (country, region)) in (0..).zip(places) {
            locations.set(user, country, region).unwrap();
        }
        Report::new(7, &locations.aggregate().unwrap())
    }

    #[test]
    fn json_has_the_agreed_shape() {
        let mut report = report();
        report.saved = Some("FILE.rdb".to_owned());
        assert_eq!(
            serde_json::to_string(&report).unwrap(),
            concat!(
                r#"{"users":7,"unknown":2,"countries":{"FRA":1,"USA":4},"#,
                r#""regions":{"USA":{"CA":2,"NY":1}}}"#
            )
        );
    }

    #[test]
    fn the_table_is_plain_and_has_the_most_users_first() {
        let mut report = report();
        report.saved = Some("FILE.rdb".to_owned());
        let want = "\
country   region    users
-------------------------
USA                     4
          CA            2
          NY            1
          unknown       1
FRA                     1
unknown                 2
-------------------------
total                   7
saved to FILE.rdb
";
        assert_eq!(report.to_string(), want);
    }

    #[test]
    fn nobody_is_a_table_too() {
        let locations = Locations::new(Store::new());
        let report = Report::new(0, &locations.aggregate().unwrap());
        assert_eq!(report.to_string().lines().count(), 3);
        let json = serde_json::to_string(&report).unwrap();
        assert_eq!(json, r#"{"users":0,"unknown":0,"countries":{},"regions":{}}"#);
    }
}
