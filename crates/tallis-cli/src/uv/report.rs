//! The counts, as a table and as JSON.

use std::fmt;

use indicatif::HumanBytes;
use serde::Serialize;
use tallis::Bucket;

use super::window::WindowCount;
use crate::table::{self, of_numbers};

/// The result of a count. Its JSON form is a stable interface of the program, including the order of the fields; its
/// [`Display`](fmt::Display) form is a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The buckets, in order of time.
    pub buckets: Vec<Row>,
    /// The totals over all buckets.
    pub total: Total,
    /// The number of lines that did not parse and were skipped.
    pub skipped: u64,
    /// The memory of all buckets.
    pub bytes: Bytes,
    /// The file that the store was saved to.
    pub saved: Option<String>,
    /// The file of the earlier run whose count was continued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loaded: Option<String>,
    /// The window, if requested; `None` if it ends with the latest event and there is no event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowCount>,
    /// The width of the terminal in columns, for the bars of the buckets.
    #[serde(skip)]
    pub columns: Option<usize>,
}

/// A bucket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Row {
    /// Its name, which is the suffix of its keys.
    pub bucket: String,
    /// The bucket.
    #[serde(skip)]
    pub key: Bucket,
    /// The number of lines.
    pub events: u64,
    /// The number of unique visitors.
    pub exact: u64,
    /// The number of unique visitors by the `HyperLogLog`.
    pub approx: u64,
    /// Its memory.
    #[serde(skip)]
    pub bytes: Bytes,
}

/// The counts of the bucket of the last line. Its JSON form is a stable interface of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Latest {
    /// Its name.
    pub bucket: String,
    /// The number of its lines.
    pub events: u64,
    /// The number of its unique visitors.
    pub exact: u64,
    /// The number of its unique visitors by the `HyperLogLog`.
    pub approx: u64,
    /// The number of lines of all buckets.
    pub total_events: u64,
    /// The window, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowCount>,
}

impl fmt::Display for Latest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bucket, events, exact, approx, total_events, window } = self;
        write!(
            f,
            "{bucket}  events {events}  exact {exact}  approx {approx}  events in all {total_events}"
        )?;
        let Some(WindowCount { to, exact, approx, .. }) = window else { return Ok(()) };
        write!(f, "  window to {to}  exact {exact}  approx {approx}")
    }
}

/// The totals over all buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Total {
    /// The number of lines.
    pub events: u64,
    /// The number of unique visitors; one in several buckets counts once.
    pub exact: u64,
    /// The number of unique visitors by PFCOUNT of all `HyperLogLog`s.
    pub approx: u64,
}

/// Memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Bytes {
    /// Of the exact count.
    pub sets: usize,
    /// Of the approximate count.
    pub hll: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = of_numbers(&["bucket", "events", "exact", "approx", "error %", "sets", "hll"]);
        let buckets = self.buckets.iter();
        let buckets =
            buckets.map(|row| cells(&row.bucket, row.events, row.exact, row.approx, row.bytes));
        let Total { events, exact, approx } = self.total;
        let total = cells("total", events, exact, approx, self.bytes);
        // The head, a rule, the buckets, and after another rule the total.
        let mut drawn = table::drawn(&head, buckets.chain([total]));
        if let Some(rule) = drawn.get(1).filter(|_| !self.buckets.is_empty()) {
            drawn.insert(drawn.len() - 1, rule.clone());
        }
        let most = self.buckets.iter().map(|row| row.exact).max().unwrap_or(0);
        // The head and a rule come before the buckets.
        let mut rows = [None, None].into_iter().chain(self.buckets.iter().map(Some));
        for line in drawn {
            let row = rows.next().flatten();
            let bar = row.zip(self.columns).map(|(row, columns)| {
                bar(row.exact, most, columns.saturating_sub(line.len() + BAR_GAP.len()))
            });
            match bar {
                Some(bar) if !bar.is_empty() => writeln!(f, "{line}{BAR_GAP}{bar}")?,
                Some(_) | None => writeln!(f, "{line}")?,
            }
        }
        if let Some(window) = &self.window {
            writeln!(f, "{window}")?;
        }
        if self.skipped > 0 {
            writeln!(f, "{} skipped", lines(self.skipped))?;
        }
        if let Some(file) = &self.saved {
            writeln!(f, "saved to {file}")?;
        }
        Ok(())
    }
}

/// The space between a row and its bar.
const BAR_GAP: &str = "  ";

/// The maximum width of bars in columns, and the minimum, below which there are none.
const BAR_WIDTH: usize = 60;
const LEAST_BAR_WIDTH: usize = 5;

/// Returns a bar for a count relative to the greatest, in the remaining columns; empty if there are too few. ASCII
/// without colours.
fn bar(count: u64, most: u64, columns: usize) -> String {
    let width = columns.min(BAR_WIDTH);
    if width < LEAST_BAR_WIDTH || most == 0 {
        return String::new();
    }
    let length = u128::from(count) * width as u128 / u128::from(most);
    // A count above 0 has a bar.
    let length = usize::try_from(length).unwrap_or(width).max(usize::from(count > 0));
    "#".repeat(length)
}

fn cells(name: &str, events: u64, exact: u64, approx: u64, bytes: Bytes) -> [String; 7] {
    [
        name.to_owned(),
        events.to_string(),
        exact.to_string(),
        approx.to_string(),
        error_percent(exact, approx),
        HumanBytes(bytes.sets as u64).to_string(),
        HumanBytes(bytes.hll as u64).to_string(),
    ]
}

/// Returns the relative error of the approximate count, in percent.
pub(super) fn error_percent(exact: u64, approx: u64) -> String {
    if exact == approx {
        return "0.00".to_owned();
    }
    #[expect(clippy::cast_precision_loss, reason = "two decimals are shown")]
    let percent = (approx as f64 - exact as f64) / exact as f64 * 100.0;
    format!("{percent:+.2}")
}

/// Formats `1 line`, `2 lines`.
pub(crate) fn lines(count: u64) -> String {
    format!("{count} {}", if count == 1 { "line" } else { "lines" })
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
        let row = |bucket: &str, exact, approx| Row {
            bucket: bucket.to_owned(),
            key: Bucket::All,
            events: 1632,
            exact,
            approx,
            bytes: Bytes { sets: 9 << 10, hll: 1536 },
        };
        Report {
            buckets: vec![row("2015-05-17", 1000, 1003), row("2015-05-18", 627, 627)],
            total: Total { events: 3264, exact: 1500, approx: 1491 },
            skipped: 0,
            bytes: Bytes { sets: 18 << 10, hll: 3 << 10 },
            saved: Some("FILE.rdb".to_owned()),
            loaded: None,
            window: None,
            columns: None,
        }
    }

    #[test]
    fn json_has_the_agreed_shape() {
        let mut report = report();
        assert_eq!(
            serde_json::to_string(&report).unwrap(),
            concat!(
                r#"{"buckets":[{"bucket":"2015-05-17","events":1632,"exact":1000,"approx":1003},"#,
                r#"{"bucket":"2015-05-18","events":1632,"exact":627,"approx":627}],"#,
                r#""total":{"events":3264,"exact":1500,"approx":1491},"skipped":0,"#,
                r#""bytes":{"sets":18432,"hll":3072},"saved":"FILE.rdb"}"#
            )
        );
        report.saved = None;
        assert!(serde_json::to_string(&report).unwrap().ends_with(r#""saved":null}"#));
    }

    #[test]
    fn the_table_is_narrow_and_plain() {
        let mut report = report();
        report.skipped = 1;
        let text = report.to_string();
        assert!(text.is_ascii() && text.lines().all(|line| line.len() <= 72), "{text}");
        for word in ["2015-05-18", "+0.30", "0.00", "-0.60", "9.00 KiB", "18.00 KiB", "total"] {
            assert!(text.contains(word), "{word}: {text}");
        }
        assert!(text.ends_with("\n1 line skipped\nsaved to FILE.rdb\n"), "{text}");
    }

    #[test]
    fn a_terminal_has_bars_as_wide_as_it_lets() {
        let mut report = report();
        let plain = report.to_string();
        for (columns, bars) in [(60, [0, 0]), (75, [0, 0]), (80, [9, 5]), (300, [60, 37])] {
            report.columns = Some(columns);
            let text = report.to_string();
            let lines: Vec<_> = text.lines().collect();
            let found = [lines[2], lines[3]].map(|line| line.matches('#').count());
            assert_eq!(found, bars, "{columns}: {text}");
            assert_eq!(
                text.replace('#', "").lines().map(str::trim_end).collect::<Vec<_>>(),
                plain.lines().collect::<Vec<_>>()
            );
            assert!(bars == [0, 0] || lines.iter().all(|line| line.len() <= columns), "{text}");
        }
        assert_eq!(
            (bar(1, 1000, 20), bar(0, 1000, 20), bar(0, 0, 20)),
            ("#".into(), String::new(), String::new())
        );
    }

    #[test]
    fn nothing_counted_is_a_table_too() {
        let report = Report {
            buckets: vec![],
            total: Total { events: 0, exact: 0, approx: 0 },
            skipped: 0,
            bytes: Bytes { sets: 0, hll: 0 },
            saved: None,
            loaded: None,
            window: None,
            columns: None,
        };
        let text = report.to_string();
        assert!(text.lines().last().unwrap().starts_with("total"), "{text}");
    }
}
