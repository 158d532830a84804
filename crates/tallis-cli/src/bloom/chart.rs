//! The chart of the error rate against the fill.

use indicatif::HumanCount;

use super::measure::Measured;
use super::plan::Plan;
use super::report::{fill, percent};
use crate::plot::{Axis, Chart, Mark, Series, Shape};

/// Segments of a curve per unit of fill. With more, the rounding of their ends to pixels would be visible.
const PIECES: u64 = 30;

/// The largest fill.
const MOST: u32 = 3;

/// Decades below the planned error that are shown.
const BELOW: i32 = 2;

/// The half-length of an error bar, in standard errors.
const SIGMAS: f64 = 2.0;

/// Returns the chart with the curves of the formula and the rule of thumb, and the measured points.
pub(super) fn chart(plan: &Plan, measured: Option<&[Measured]>) -> Chart {
    // A filter for few items has fewer items than a curve has segments.
    let mut items: Vec<_> =
        (1..=u64::from(MOST) * PIECES).map(|piece| plan.items * piece / PIECES).collect();
    items.dedup();
    let curve = |error: &dyn Fn(f64, u64) -> f64| {
        let point = |&items: &u64| {
            let fill = fill(items, plan);
            (fill, error(fill, items))
        };
        items.iter().map(point).collect()
    };
    let exact = curve(&|_, items| plan.error_at(items));
    let thumb = curve(&|fill, _| plan.thumb_at(fill));
    let mut series = vec![
        Series::new("formula", Mark::Line(exact)),
        Series::new("rule of thumb: (1 - 0.5^t)^(0.7 m/n)", Mark::Dashes(thumb)),
    ];
    if let Some(measured) = measured {
        let point = |row: &Measured| (row.fill, row.error, SIGMAS * row.standard_error);
        let points = measured.iter().map(point).collect();
        series.push(Series::new("measured, \u{b1} 2 standard errors", Mark::Points(points)));
    }
    let Plan { items, bits, hashes, .. } = *plan;
    let full = plan.error_at(items);
    Chart {
        title: format!(
            "Bloom filter: n = {} items, m = {} bits, k = {hashes}",
            HumanCount(items),
            HumanCount(bits)
        ),
        shape: Shape::default(),
        x: Axis::linear("fill t: items / n", MOST, 2, |fill| format!("{fill:.1}")),
        y: Axis::decades("error (false positive rate)", [decade(full) - BELOW, 0], power),
        series,
        guides: vec![(1.0, format!("full: {}", percent(full)))],
        empty: "no items",
    }
}

/// Returns the exponent of the power of ten at or below a number.
#[expect(clippy::cast_possible_truncation, reason = "from -308 to 0")]
fn decade(share: f64) -> i32 {
    share.log10().floor() as i32
}

/// Formats a power of ten in percent.
fn power(exponent: i32) -> String {
    let exponent = exponent + 2;
    match exponent {
        ..-4 => format!("1e{exponent} %"),
        -4..0 => format!("0.{:0>1$} %", 1, exponent.unsigned_abs() as usize),
        0.. => format!("1{:0<1$} %", "", exponent.unsigned_abs() as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_shares_in_per_cent() {
        let shown = [0, -1, -2, -3, -4, -6, -7, -300].map(power);
        let want = ["100 %", "10 %", "1 %", "0.1 %", "0.01 %", "0.0001 %", "1e-5 %", "1e-298 %"];
        assert_eq!(shown, want);
        assert_eq!([1.0, 0.5, 0.1, 0.0999, 1e-12].map(decade), [0, -1, -1, -2, -12]);
    }
}
