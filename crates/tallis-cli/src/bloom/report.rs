//! A plan, as tables and as JSON.

use std::fmt;

use bloom::plan::thumb;
use bloom::{MAX_CAPACITY, MAX_ERROR_RATE};
use indicatif::HumanBytes;
use serde::Serialize;

use super::measure::{HALVES, Measured, items_at};
use super::plan::Plan;
use crate::table::{draw, of_numbers};

/// Below this number of items the formulas are known to be too optimistic.
const SMALL: u64 = 10_000;

/// A plan and its measurement. Its JSON form is a stable interface of the program, including the order of the fields;
/// its [`Display`](fmt::Display) form is a table of formulas, rules of thumb and measurements.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The plan.
    #[serde(flatten)]
    pub plan: Plan,
    /// The measurements of a filter of this plan, if one was filled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<Vec<Measured>>,
    /// The file that the plot was saved to.
    #[serde(skip)]
    pub saved: Option<String>,
}

impl Report {
    /// Creates a report without measurements.
    #[must_use]
    pub const fn new(plan: Plan) -> Self {
        Self { plan, measured: None, saved: None }
    }

    /// Returns the rows that compare the plan with the rules of thumb.
    fn sizes(&self) -> Vec<[String; 4]> {
        let Plan { items, error_rate, bits, hashes, bytes } = self.plan;
        let each = self.plan.bits_per_item();
        let human = match bytes {
            ..1024 => String::new(),
            1024.. => format!(" ({})", HumanBytes(bytes)),
        };
        let row = |cells: [&str; 4]| cells.map(str::to_owned);
        vec![
            row(["items n", &items.to_string(), "", ""]),
            row(["error p, as planned", &percent(error_rate), "", ""]),
            row([
                "error p, when full",
                &percent(self.plan.error_at(items)),
                &percent(thumb::error_rate(each)),
                "0.6185^(m/n)",
            ]),
            row(["bits m", &bits.to_string(), "", ""]),
            row(["bits per item", &format!("{each:.3}"), "", ""]),
            row([
                "hashes k",
                &hashes.to_string(),
                &format!("{:.2}", thumb::hashes(each)),
                "0.7 m/n",
            ]),
            row([&format!("bytes{human}"), &bytes.to_string(), "", ""]),
        ]
    }

    /// Returns the rows of the error rate at each fill.
    fn fills(&self) -> Vec<Vec<String>> {
        let row = |(at, halves): (usize, u64)| {
            let items = items_at(&self.plan, halves);
            let fill = fill(items, &self.plan);
            let mut cells = vec![
                format!("{fill:.1}"),
                items.to_string(),
                percent(self.plan.error_at(items)),
                percent(self.plan.thumb_at(fill)),
            ];
            let measured = self.measured.as_ref().and_then(|rows| rows.get(at));
            cells.extend(measured.iter().flat_map(|row| {
                [percent(row.error), percent(row.standard_error), row.negatives.to_string()]
            }));
            cells
        };
        HALVES.into_iter().enumerate().map(row).collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = self.sizes().into_iter().map(Vec::from);
        draw(f, &of_numbers(&["", "exact", "thumb", "rule of thumb"]), sizes)?;
        writeln!(f)?;
        let mut head = vec!["fill t", "items", "error", "thumb"];
        if self.measured.is_some() {
            head.extend(["measured", "+-", "negatives"]);
        }
        draw(f, &of_numbers(&head), self.fills())?;
        writeln!(f, "\nthumb: (1 - 0.5^t)^k with t = items / n and k = 0.7 m/n")?;
        if self.measured.is_some() {
            writeln!(
                f,
                "+-: one standard error, from the random choice of the tested items and of the filter bits"
            )?;
            if self.plan.items < SMALL {
                writeln!(
                    f,
                    "small filters have higher error rates on average: all probes are derived from two hashes"
                )?;
            }
        }
        let Plan { items, error_rate, .. } = self.plan;
        if items > MAX_CAPACITY {
            writeln!(f, "BF.RESERVE accepts at most {MAX_CAPACITY} items")?;
        } else if error_rate > MAX_ERROR_RATE {
            writeln!(
                f,
                "BF.RESERVE treats error rates above {MAX_ERROR_RATE} as {MAX_ERROR_RATE}"
            )?;
        } else {
            writeln!(
                f,
                "the same filter on a server: BF.RESERVE key {error_rate:?} {items} NONSCALING"
            )?;
        }
        if let Some(file) = &self.saved {
            writeln!(f, "saved to {file}")?;
        }
        Ok(())
    }
}

/// Formats a number of items as a multiple of the capacity.
#[expect(clippy::cast_precision_loss, reason = "both are below 2^56, and one decimal is shown")]
pub(super) fn fill(items: u64, plan: &Plan) -> f64 {
    items as f64 / plan.items as f64
}

/// Formats a ratio of 0 to 1 in percent, with three digits.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    // The digits after rounding: a number that is rounded up to 1.00 has no more digits.
    let rounded = format!("{percent:.2e}");
    let power: i32 = rounded.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0);
    match power {
        _ if percent <= 0.0 => "0 %".to_owned(),
        -2..=2 => format!("{percent:.*} %", usize::try_from(2 - power).unwrap_or(0)),
        _ => format!("{rounded} %"),
    }
}

impl crate::output::Report for Report {
    fn saved_to(&mut self, file: String) {
        self.saved = Some(file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        Report::new(Plan::new(Some(50_000), Some(0.1), None).unwrap())
    }

    fn measured(items: u64) -> Measured {
        let counts = Plan::new(Some(items), Some(0.1), None).unwrap();
        Measured::new(&counts, items, 1000, 99)
    }

    #[test]
    fn json_has_the_agreed_shape() {
        let mut report = report();
        report.saved = Some("FILE.svg".to_owned());
        let plan = r#"{"n":50000,"p":0.1,"bits":239680,"hashes":4,"bytes":29960"#;
        assert_eq!(serde_json::to_string(&report).unwrap(), format!("{plan}}}"));
        report.measured = Some(vec![]);
        assert_eq!(serde_json::to_string(&report).unwrap(), format!(r#"{plan},"measured":[]}}"#));
    }

    #[test]
    fn the_tables_are_plain() {
        let mut report = report();
        report.saved = Some("FILE.svg".to_owned());
        let want = "                       exact    thumb   rule of thumb
-----------------------------------------------------
items n                50000
error p, as planned   10.0 %
error p, when full    10.3 %   9.99 %    0.6185^(m/n)
bits m                239680
bits per item          4.794
hashes k                   4     3.36         0.7 m/n
bytes (29.26 KiB)      29960

fill t    items    error    thumb
---------------------------------
0.5       25000   1.35 %   1.62 %
1.0       50000   10.3 %   9.77 %
1.5       75000   26.0 %   23.1 %
2.0      100000   43.4 %   38.1 %
2.5      125000   58.8 %   52.1 %
3.0      150000   71.1 %   63.9 %

thumb: (1 - 0.5^t)^k with t = items / n and k = 0.7 m/n
the same filter on a server: BF.RESERVE key 0.1 50000 NONSCALING
saved to FILE.svg
";
        assert_eq!(report.to_string(), want);
    }

    #[test]
    fn what_was_measured_stands_beside() {
        let mut report = report();
        report.measured = Some((1..=6).map(|halves| measured(25_000 * halves)).collect());
        let text = report.to_string();
        assert!(text.contains("thumb   measured        +-   negatives\n"), "{text}");
        assert!(text.contains("   9.77 %     9.90 %   0.960 %        1000\n"), "{text}");
        assert!(text.contains("one standard error") && !text.contains("small filters"), "{text}");
        report.plan.items = 9999;
        assert!(report.to_string().contains("small filters"));
    }

    #[test]
    fn what_a_server_makes_otherwise_is_reported() {
        for (items, rate, ending) in [
            (1 << 30, 0.25, "BF.RESERVE key 0.25 1073741824 NONSCALING\n"),
            ((1 << 30) + 1, 0.25, "at most 1073741824 items\n"),
            (1, 0.3, "error rates above 0.25 as 0.25\n"),
        ] {
            let text = Report::new(Plan::new(Some(items), Some(rate), None).unwrap()).to_string();
            assert!(text.ends_with(ending), "{text}");
        }
    }

    #[test]
    fn shares_have_three_digits() {
        for (share, want) in [
            (0.0, "0 %"),
            (1.0, "100 %"),
            (0.999_96, "100 %"),
            (0.156_54, "15.7 %"),
            (0.099_97, "10.0 %"),
            (0.009_998_6, "1.00 %"),
            (0.000_25, "0.0250 %"),
            (0.000_016, "1.60e-3 %"),
            (1e-300, "1.00e-298 %"),
        ] {
            assert_eq!(percent(share), want, "{share}");
        }
    }
}
