//! Unique visitors by bucket, as a picture.

use indicatif::HumanCount;

use super::every::Every;
use super::report::Report;
use crate::plot::{Axis, Chart, Mark, Series};

/// The standard error of a `HyperLogLog` of 2^14 registers: 1.04 / sqrt(2^14).
const ERROR: f64 = 0.008_125;

/// Standard errors of a bar to either side.
const SIGMAS: f64 = 2.0;

/// Exact counts as columns, approximate ones as points upon them.
#[expect(clippy::cast_precision_loss, reason = "places on paper")]
pub(super) fn chart(report: &Report, every: Every) -> Chart {
    let rows = || report.buckets.iter().zip(0_u32..).map(|(row, at)| (row, f64::from(at)));
    let exact = rows().map(|(row, at)| (at, row.exact as f64)).collect();
    let approx = rows().map(|(row, at)| {
        let count = row.approx as f64;
        (at, count, SIGMAS * ERROR * row.exact as f64)
    });
    let approx = approx.collect();
    let names: Vec<_> = report.buckets.iter().map(|row| row.bucket.clone()).collect();
    let most = report.buckets.iter().map(|row| row.exact.max(row.approx)).max().unwrap_or(0);
    let unit = match every {
        Every::Hour => "hour",
        Every::Day => "day",
        Every::All => "bucket",
    };
    Chart {
        title: format!(
            "{} unique visitors in {} events",
            HumanCount(report.total.exact),
            HumanCount(report.total.events)
        ),
        x: Axis::names(unit, &names),
        y: Axis::counts("unique visitors", most, |count| HumanCount(count).to_string()),
        series: vec![
            Series::new("exact", Mark::Bars(exact)),
            Series::new("HyperLogLog, \u{b1} 2 standard errors", Mark::Points(approx)),
        ],
        guide: None,
    }
}
