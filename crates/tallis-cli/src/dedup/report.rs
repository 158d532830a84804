//! The report at the end, on standard error, because standard output has the lines.

use std::fmt;

use serde::Serialize;

use crate::number::one_in;
use crate::uv::lines;

/// The counts of lines. Its JSON form is a stable interface of the program, including the order of the fields.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Report {
    pub(super) lines_read: u64,
    pub(super) lines_written: u64,
    pub(super) lines_dropped: u64,
    /// The current false positive rate: the probability that a new line is dropped, 0 to 1.
    pub(super) error_rate: f64,
    /// The file that the filter was saved to.
    pub(super) saved: Option<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lines_read, lines_dropped, error_rate, .. } = *self;
        write!(f, "{lines_dropped} of {} dropped; ", lines(lines_read))?;
        if error_rate <= 0.0 {
            return f.write_str("no new line would be dropped by mistake");
        }
        write!(f, "{} new lines would now be dropped by mistake", one_in(error_rate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(lines_read: u64, lines_written: u64, error_rate: f64) -> Report {
        let lines_dropped = lines_read - lines_written;
        Report { lines_read, lines_written, lines_dropped, error_rate, saved: None }
    }

    #[test]
    fn it_says_how_many_and_how_often() {
        for (report, want) in [
            (
                report(10, 7, 0.000_98),
                "3 of 10 lines dropped; 1 in 1020 new lines would now be dropped by mistake",
            ),
            (
                report(10, 9, 3.2e-40),
                "1 of 10 lines dropped; fewer than 1 in 10^15 new lines would now be dropped by mistake",
            ),
            (report(1, 0, 0.0), "1 of 1 line dropped; no new line would be dropped by mistake"),
        ] {
            assert_eq!(report.to_string(), want);
        }
    }

    #[test]
    fn json_has_the_agreed_shape() {
        let json = serde_json::to_string(&report(10, 7, 0.25)).unwrap();
        let want = r#"{"lines_read":10,"lines_written":7,"lines_dropped":3,"error_rate":0.25,"saved":null}"#;
        assert_eq!(json, want);
    }
}
