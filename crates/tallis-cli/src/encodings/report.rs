//! The measurements, as tables and as JSON.

use std::fmt;

use serde::Serialize;

use super::form::{Family, Form};
use super::measure::{Load, Measured, Spread, Times};
use super::server::OnServer;
use super::shape::Work;
use crate::bloom::percent;
use crate::machine;
use crate::table::{draw, of_numbers};

/// The measurements of all forms. Its JSON form is a stable interface of the program; its [`Display`](fmt::Display)
/// form is a table per family.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Report {
    /// The version of the JSON format.
    pub(super) version: u32,
    /// The processor of the measurement.
    pub(super) processor: String,
    /// The server that was measured too, and its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) server: Option<String>,
    pub(super) rows: Vec<Row>,
    #[serde(skip)]
    pub(super) saved: Option<String>,
}

impl Report {
    /// Creates a report of these rows, measured on this machine and on this server.
    pub(super) fn new(rows: Vec<Row>, server: Option<String>) -> Self {
        Self { version: 1, processor: machine::processor(), server, rows, saved: None }
    }
}

/// One form at one size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Row {
    pub(super) family: Family,
    pub(super) form: &'static str,
    /// The result of OBJECT ENCODING for a value.
    pub(super) encoding: &'static str,
    /// The number of elements of a value.
    pub(super) size: usize,
    /// The number of values.
    pub(super) values: usize,
    /// Bytes per element, with the key, the tables and the allocator's overhead.
    pub(super) bytes: f64,
    /// Nanoseconds per element; for a count per call.
    pub(super) nanos: Times,
    /// The relative error of a count, or the false positive rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) server: Option<ServerRow>,
    /// Whether the default limits would choose another form.
    #[serde(skip)]
    pub(super) is_beyond: bool,
}

/// The same form on a server.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct ServerRow {
    /// The result of OBJECT ENCODING there. Another version may not have the encoding.
    pub(super) encoding: String,
    /// Bytes per element, by MEMORY USAGE.
    pub(super) bytes: f64,
    /// Nanoseconds of the server, by INFO commandstats.
    pub(super) nanos: Times,
}

impl Row {
    pub(super) fn new(
        form: &Form,
        load: &Load,
        measured: &Measured,
        server: Option<OnServer>,
    ) -> Self {
        Self {
            family: form.family,
            form: form.name,
            encoding: measured.encoding,
            size: load.extent.size,
            values: load.extent.values,
            bytes: measured.bytes,
            nanos: measured.times,
            error: measured.error,
            server: server.map(|OnServer { bytes, times, encoding }| ServerRow {
                encoding,
                bytes,
                nanos: times,
            }),
            is_beyond: form.until.is_some_and(|(until, _)| load.extent.size > until),
        }
    }

    fn cells(&self) -> Vec<String> {
        let mark = if self.is_beyond { " *" } else { "" };
        let mut cells = vec![format!("{}{mark}", self.form), size(self.size)];
        cells.extend(figures(self.bytes, &self.nanos));
        cells.push(self.error.map(percent).unwrap_or_default());
        cells
    }
}

impl ServerRow {
    /// Returns its name below a row with this encoding, which includes its own encoding if it differs.
    pub(super) fn named(&self, ours: &str) -> String {
        if self.encoding == ours {
            "on the server".to_owned()
        } else {
            format!("on the server: {}", self.encoding)
        }
    }

    fn cells(&self, ours: &str) -> Vec<String> {
        let mut cells = vec![format!("  {}", self.named(ours)), String::new()];
        cells.extend(figures(self.bytes, &self.nanos));
        cells.push(String::new());
        cells
    }
}

/// Formats the bytes, and the time of each operation.
fn figures(bytes: f64, times: &Times) -> impl Iterator<Item = String> {
    let times = Work::ALL.map(|work| times.of(work).map(|time: Spread| digits(time.median)));
    std::iter::once(digits(bytes)).chain(times.map(Option::unwrap_or_default))
}

/// Formats a figure with three digits.
pub(super) fn digits(figure: f64) -> String {
    match figure {
        ..9.995 => format!("{figure:.2}"),
        ..99.95 => format!("{figure:.1}"),
        _ => format!("{figure:.0}"),
    }
}

/// Formats bytes in powers of 1000, with three digits.
pub(super) fn bytes_of(bytes: f64) -> String {
    const UNITS: [&str; 7] = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut number = bytes;
    let mut unit = 0;
    while number >= 999.5 && unit + 1 < UNITS.len() {
        number /= 1000.0;
        unit += 1;
    }
    let number = if unit == 0 { format!("{bytes:.0}") } else { digits(number) };
    format!("{number} {}", UNITS[unit])
}

/// Formats a size, with k and M for round thousands and millions.
pub(super) fn size(size: usize) -> String {
    match size {
        1_000_000.. if size.is_multiple_of(100_000) => unit(size, 1_000_000, "M"),
        1000.. if size.is_multiple_of(100) => unit(size, 1000, "k"),
        _ => size.to_string(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
fn unit(size: usize, of: usize, name: &str) -> String {
    format!("{}{name}", size as f64 / of as f64)
}

const HEAD: [&str; 9] = ["", "size", "bytes", "add", "test", "count", "scan", "remove", "error"];

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let families = self.rows.chunk_by(|one, next| one.family == next.family);
        for rows in families {
            let Some(first) = rows.first() else { continue };
            let lines = rows.iter().flat_map(|row| {
                std::iter::once(row.cells())
                    .chain(row.server.as_ref().map(|server| server.cells(row.encoding)))
            });
            let mut head = HEAD;
            head[0] = first.family.title();
            draw(f, &of_numbers(&head), lines)?;
            writeln!(f)?;
        }
        writeln!(f, "measured on: {}", self.processor)?;
        writeln!(
            f,
            "bytes: per element, including the key, the tables and the allocator's overhead"
        )?;
        writeln!(
            f,
            "add, test, scan, remove: nanoseconds per element; count: nanoseconds per call"
        )?;
        if self.rows.iter().any(|row| row.is_beyond) {
            writeln!(f, "*: larger than the default limits allow for this encoding")?;
        }
        if self.rows.iter().any(|row| row.error.is_some()) {
            writeln!(
                f,
                "error: of a count, the root mean square; of a Bloom filter, the false positive rate"
            )?;
        }
        if let Some(server) = &self.server {
            writeln!(
                f,
                "on the server: {server}, bytes from MEMORY USAGE, its own times from INFO commandstats"
            )?;
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
    use super::*;

    #[test]
    fn bytes_have_three_digits() {
        for (bytes, want) in [
            (0.0, "0 B"),
            (999.0, "999 B"),
            (1000.0, "1.00 kB"),
            (12_304.0, "12.3 kB"),
            (999_499.0, "999 kB"),
            (999_500.0, "1.00 MB"),
            (144_115_188_075_855_872.0, "144 PB"),
            (18_446_744_073_709_551_615.0, "18.4 EB"),
        ] {
            assert_eq!(bytes_of(bytes), want);
        }
    }

    #[test]
    fn figures_have_three_digits() {
        let shown = [0.0, 0.25, 9.994, 9.996, 99.94, 99.96, 1234.5].map(digits);
        assert_eq!(shown, ["0.00", "0.25", "9.99", "10.0", "99.9", "100", "1234"]);
    }

    #[test]
    fn sizes_are_short_where_they_are_round() {
        let shown = [1, 999, 1000, 1500, 1550, 512_000, 999_999, 2_500_000, 10_000_000].map(size);
        assert_eq!(shown, ["1", "999", "1k", "1.5k", "1550", "512k", "999999", "2.5M", "10M"]);
    }

    fn row(form: &'static str, server: Option<&str>) -> Row {
        let nanos = Times { add: Spread::of(vec![3.0, 1.0, 2.0]), ..Times::default() };
        let server = server.map(|encoding| ServerRow {
            encoding: encoding.to_owned(),
            bytes: 56.0,
            nanos: Times::default(),
        });
        let (family, encoding) = (Family::Names, "listpack");
        let is_beyond = server.is_some();
        Row {
            family,
            form,
            encoding,
            size: 2000,
            values: 10,
            bytes: 16.5,
            nanos,
            error: None,
            server,
            is_beyond,
        }
    }

    #[test]
    fn a_server_with_another_encoding_says_so() {
        let rows = vec![row("listpack", Some("hashtable")), row("other", Some("listpack"))];
        let report = Report::new(rows, Some("redis 7.0.15".into()));
        let text = report.to_string();
        assert!(text.starts_with("Sets of names                size   bytes    add   test   count   scan   remove   error\n"), "{text}");
        assert!(text.contains("\nlistpack *                     2k    16.5   2.00\n  on the server: hashtable           56.0\n"), "{text}");
        assert!(
            text.contains("\n  on the server                      56.0\n")
                && text.contains("\n*: larger than"),
            "{text}"
        );
        assert!(text.ends_with("\non the server: redis 7.0.15, bytes from MEMORY USAGE, its own times from INFO commandstats\n"), "{text}");
    }

    #[test]
    fn json_has_the_agreed_shape() {
        let mut report = Report::new(vec![row("listpack", None)], None);
        report.processor = "EPYC".into();
        assert_eq!(
            serde_json::to_value(report).unwrap(),
            serde_json::json!({"version": 1, "processor": "EPYC", "rows": [{
                "family": "names", "form": "listpack", "encoding": "listpack", "size": 2000, "values": 10, "bytes": 16.5,
                "nanos": {"add": {"median": 2.0, "min": 1.0, "max": 3.0}, "test": null, "count": null, "scan": null, "remove": null},
            }]})
        );
    }
}
