//! The chart of unique visitors per bucket.

use indicatif::HumanCount;
use tallis::Bucket;
use tallis::jiff::civil::{DateTime, Time};

use super::every::Every;
use super::report::Report;
use crate::plot::{Axis, Chart, Mark, Series, Shape, Unit};

/// The standard error of a `HyperLogLog` of 2^14 registers: 1.04 / sqrt(2^14).
const ERROR: f64 = 0.008_125;

/// The half-length of an error bar, in standard errors.
const SIGMAS: f64 = 2.0;

/// Returns the chart: exact counts as bars at their time, approximate ones as points.
#[expect(clippy::cast_precision_loss, reason = "places on paper")]
pub(super) fn chart(report: &Report, every: Every) -> Chart {
    let (x, places) = axis(report, every);
    let rows = || report.buckets.iter().zip(&places);
    let exact = rows().map(|(row, &at)| (at, row.exact as f64)).collect();
    let approx = rows().map(|(row, &at)| {
        let count = row.approx as f64;
        (at, count, SIGMAS * ERROR * row.exact as f64)
    });
    let approx = approx.collect();
    let most = report.buckets.iter().map(|row| row.exact.max(row.approx)).max().unwrap_or(0);
    Chart {
        title: format!(
            "{} unique visitors in {} events",
            HumanCount(report.total.exact),
            HumanCount(report.total.events)
        ),
        shape: Shape::default(),
        x,
        y: Axis::counts("unique visitors", most, |count| HumanCount(count).to_string()),
        series: vec![
            Series::new("exact", Mark::Bars(exact)),
            Series::new("HyperLogLog, \u{b1} 2 standard errors", Mark::Points(approx)),
        ],
        guides: Vec::new(),
        empty: "no lines, therefore no visitors",
    }
}

/// Returns the axis of the buckets, and the position of each.
fn axis(report: &Report, every: Every) -> (Axis, Vec<f64>) {
    let unit = match every {
        Every::Hour => Unit::Hour,
        Every::Day => Unit::Day,
        Every::All => return (Axis::names("bucket", &["all".to_owned()]), vec![0.0]),
    };
    let begins: Vec<_> = report.buckets.iter().filter_map(|row| begin(row.key)).collect();
    let (Some(&first), Some(&last)) = (begins.first(), begins.last()) else {
        return (Axis::names("bucket", &[]), Vec::new());
    };
    let name = match unit {
        Unit::Hour => "hour",
        Unit::Day => "day",
    };
    // The year is shown nowhere else.
    let names =
        [report.buckets.first(), report.buckets.last()].map(|row| row.map(|row| &*row.bucket));
    let label = match names {
        [Some(one), Some(other)] if one != other => format!("{name}, {one} to {other}"),
        [one, _] => format!("{name}, {}", one.unwrap_or_default()),
    };
    let places = begins.iter().map(|&at| unit.place(first, at)).collect();
    (Axis::calendar(&label, unit, first, last), places)
}

/// Returns when a bucket begins.
fn begin(bucket: Bucket) -> Option<DateTime> {
    match bucket {
        Bucket::Day(day) => Some(day.to_datetime(Time::midnight())),
        Bucket::Hour(hour) => Some(hour),
        Bucket::All | _ => None,
    }
}
