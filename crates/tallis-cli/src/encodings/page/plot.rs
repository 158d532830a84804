//! The plots of a family: a figure against the size, with a curve for each form.

use super::super::report::Row;
use super::super::shape::Work;
use super::{forms, limits};
use crate::failure::Failure;
use crate::plot::{Axis, Chart, Mark, Series, Shape};

/// The size of a plot: its text is readable on a page that is 400 pixels wide.
const SHAPE: Shape = Shape { width: 600, height: 420, left: 104 };

/// A plot, and its caption.
pub(super) struct Figure {
    pub(super) caption: &'static str,
    pub(super) svg: String,
}

/// The figure of a row that a plot shows.
#[derive(Clone, Copy, Debug)]
enum Shown {
    Bytes,
    Time(Work),
}

const SHOWN: [(Shown, &str); 6] = [
    (Shown::Bytes, "Bytes per element"),
    (Shown::Time(Work::Add), "Nanoseconds to add"),
    (Shown::Time(Work::Test), "Nanoseconds to test"),
    (Shown::Time(Work::Remove), "Nanoseconds to remove"),
    (Shown::Time(Work::Scan), "Nanoseconds per element to scan"),
    (Shown::Time(Work::Count), "Nanoseconds to count"),
];

impl Shown {
    /// Returns the figure, and that of the server.
    fn of(self, row: &Row) -> [Option<f64>; 2] {
        let server = row.server.as_ref();
        match self {
            Self::Bytes => [Some(row.bytes), server.map(|server| server.bytes)],
            Self::Time(work) => [Some(row.nanos), server.map(|server| server.nanos)]
                .map(|times| Some(times?.of(work)?.median)),
        }
    }
}

/// Returns the plots that have data.
pub(super) fn figures(rows: &[Row]) -> Result<Vec<Figure>, Failure> {
    let mut figures = Vec::new();
    for (shown, caption) in SHOWN {
        let chart = chart(rows, shown);
        if !chart.series.is_empty() {
            figures.push(Figure { caption, svg: embedded(&chart.svg()?) });
        }
    }
    Ok(figures)
}

fn chart(rows: &[Row], shown: Shown) -> Chart {
    let mut series = Vec::new();
    let mut all = Vec::new();
    for (number, form) in forms(rows).into_iter().enumerate() {
        let of_form = || rows.iter().filter(|row| row.form == form);
        let curve = |which: usize| -> Vec<(f64, f64)> {
            let point = |row: &Row| Some((place(row.size), shown.of(row)[which]?));
            // Values that have no logarithm are not drawn.
            of_form().filter_map(point).filter(|&(_, figure)| figure > 0.0).collect()
        };
        let (ours, theirs) = (curve(0), curve(1));
        all.extend(ours.iter().chain(&theirs).map(|&(_, figure)| figure));
        if !theirs.is_empty() {
            series.push(Series::new("", Mark::Dashes(theirs)).coloured(number));
        }
        if !ours.is_empty() {
            // A curve with a single size is drawn as a dot.
            let dots = ours.iter().map(|&(x, y)| (x, y, 0.0)).collect();
            series.push(Series::new("", Mark::Points(dots)).coloured(number));
            series.push(Series::new("", Mark::Line(ours)).coloured(number));
        }
    }
    let sizes = rows.iter().map(|row| place(row.size));
    let guides = limits(rows).into_iter().map(|(at, _)| (place(at), String::new()));
    Chart {
        title: String::new(),
        shape: SHAPE,
        x: Axis::decades("elements", decades(sizes), power),
        y: Axis::decades("", decades(all.into_iter()), power),
        series,
        guides: guides.collect(),
        empty: "",
    }
}

#[expect(clippy::cast_precision_loss, reason = "a place on paper")]
const fn place(size: usize) -> f64 {
    size as f64
}

/// Returns the powers of ten that enclose all figures: at least two.
#[expect(clippy::cast_possible_truncation, reason = "from -308 to 308")]
fn decades(figures: impl Iterator<Item = f64>) -> [i32; 2] {
    let [low, high] =
        figures.fold([f64::INFINITY, 0.0_f64], |[low, high], one| [low.min(one), high.max(one)]);
    if low > high {
        return [0, 1];
    }
    let [low, high] = [low.log10().floor() as i32, high.log10().ceil() as i32];
    [low, high.max(low + 1)]
}

/// Formats a power of ten.
fn power(exponent: i32) -> String {
    match exponent {
        ..0 => format!("{:.*}", exponent.unsigned_abs() as usize, 10_f64.powi(exponent)),
        0..3 => format!("{}", 10_u64.pow(exponent.unsigned_abs())),
        3..6 => format!("{}k", 10_u64.pow(exponent.unsigned_abs() - 3)),
        6..9 => format!("{}M", 10_u64.pow(exponent.unsigned_abs() - 6)),
        _ => format!("1e{exponent}"),
    }
}

/// Converts an SVG document to an element of a page, which is as wide as its parent.
fn embedded(svg: &str) -> String {
    let Shape { width, height, .. } = SHAPE;
    svg.replacen(&format!("width=\"{width}\" height=\"{height}\" "), "role=\"img\" ", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_whole_powers_of_ten() {
        let of = |figures: &[f64]| decades(figures.iter().copied());
        assert_eq!(of(&[1.0, 10_000.0]), [0, 4]);
        assert_eq!(of(&[0.25, 93.9]), [-1, 2]);
        assert_eq!([of(&[100.0]), of(&[])], [[2, 3], [0, 1]]);
    }

    #[test]
    fn powers_of_ten_are_short() {
        let shown = [-2, -1, 0, 1, 2, 3, 5, 6, 8, 9].map(power);
        assert_eq!(shown, ["0.01", "0.1", "1", "10", "100", "1k", "100k", "1M", "100M", "1e9"]);
    }
}
