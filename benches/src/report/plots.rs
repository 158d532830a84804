//! Plots of a run: the factors of the rows of each family, and times by size for rows that have a size.

use std::collections::BTreeMap;

use tallis_cli::Failure;
use tallis_cli::plot::{Axis, Chart, Mark, Series, Shape};

use super::head::slug;
use super::rival::Kind;
use super::{Row, Run, Unit};

/// The maximum number of letters in the text of a row.
const LETTERS: usize = 52;

/// The maximum number of lines in a plot of times by size: the number of colours.
const LINES: usize = 4;

/// A plot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plot {
    /// The file name.
    pub file: String,
    /// The title.
    pub title: String,
    /// The SVG document.
    pub svg: String,
}

/// Returns all plots of a run, in the order of the page.
///
/// # Errors
///
/// A message if a plot cannot be drawn.
pub fn plots(run: &Run) -> Result<Vec<Plot>, String> {
    let mut families: Vec<(&str, Vec<&Row>)> = Vec::new();
    let mut curves: BTreeMap<&str, Vec<(&Row, f64)>> = BTreeMap::new();
    for measured in &run.sections {
        for row in measured.section.rows() {
            if let Some((curve, size)) = row.curve() {
                curves.entry(curve).or_default().push((row, size));
            }
            let Some(family) = &measured.family else { continue };
            if !row.rivals().any(|rival| Kind::competes(&rival.name)) {
                continue;
            }
            match families.iter_mut().find(|(name, _)| name == family) {
                Some((_, rows)) => rows.push(row),
                None => families.push((family, vec![row])),
            }
        }
    }
    let factors = families.iter().map(|(family, rows)| {
        let chart = factors(family, rows);
        Ok(Plot { file: file(family), title: chart.title.clone(), svg: drawn(&chart)? })
    });
    let times = curves.iter().filter(|(_, rows)| rows.len() > 1).map(|(name, rows)| {
        let chart = times(name, rows);
        let file = file(&format!("size {name}"));
        Ok(Plot { file, title: chart.title.clone(), svg: drawn(&chart)? })
    });
    factors.chain(times).collect()
}

fn drawn(chart: &Chart) -> Result<String, String> {
    chart.svg().map_err(|failure| {
        if let Failure::Trouble(why) = failure {
            why
        } else {
            format!("cannot draw {}", chart.title)
        }
    })
}

fn file(name: &str) -> String {
    format!("{}.svg", slug(name))
}

/// Plots the factors of all rows for each kind of rival.
fn factors(family: &str, rows: &[&Row]) -> Chart {
    let texts: Vec<String> = rows.iter().map(|row| short(row)).collect();
    let letters = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    #[expect(clippy::cast_precision_loss, reason = "a position in a plot")]
    let place = |at: usize| (rows.len() - 1 - at) as f64;
    let of = |kind: Kind| -> Vec<([f64; 3], f64)> {
        let spans = rows.iter().enumerate().flat_map(|(at, row)| {
            let rivals = row.rivals().filter(move |rival| Kind::of(&rival.name) == Some(kind));
            rivals.map(move |rival| {
                let factor = row.behind(rival);
                ([factor.low, factor.median, factor.high], place(at))
            })
        });
        spans.collect()
    };
    let kinds = [
        ("Redis", of(Kind::Redis)),
        ("yo-kv", of(Kind::Yo)),
        ("plain code", of(Kind::Plain)),
        ("other crates", of(Kind::Crate)),
    ];
    let values = kinds.iter().flat_map(|(_, spans)| spans).flat_map(|(ends, _)| *ends);
    let range = decades(values.chain([0.5, 2.0]));
    let series = kinds.iter().map(|(name, spans)| Series::new(name, Mark::Spans(spans.clone())));
    Chart {
        title: format!("{}: how many times as much ours takes", capital(family)),
        shape: Shape::of_rows(rows.len(), letters),
        x: Axis::decades("left of the line ours takes less", range, factor_of),
        y: Axis::rows(&texts),
        series: series.collect(),
        guides: vec![(1.0, String::new())],
        empty: "no rivals",
    }
}

/// Plots the time of each result by size.
fn times(name: &str, rows: &[(&Row, f64)]) -> Chart {
    let mut rows = rows.to_vec();
    rows.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let mut names: Vec<&str> = Vec::new();
    for result in rows.iter().flat_map(|(row, _)| row.results()) {
        if !names.contains(&result.name.as_str()) && names.len() < LINES {
            names.push(&result.name);
        }
    }
    let line = |name: &&str| {
        let points = rows.iter().filter_map(|(row, size)| {
            let result = row.results().iter().find(|result| result.name == **name)?;
            Some((*size, result.sample.median))
        });
        Series::new(name, Mark::Line(points.collect()))
    };
    let figures = rows.iter().flat_map(|(row, _)| row.results()).map(|r| r.sample.median);
    let sizes = rows.iter().map(|(_, size)| *size);
    let unit = rows.first().map_or(Unit::Nanos, |(row, _)| row.unit);
    Chart {
        title: format!("{}, by size", capital(name)),
        shape: Shape::default(),
        x: Axis::decades("size", decades(sizes), power),
        y: Axis::decades("", decades(figures), move |decade| unit.shown(10_f64.powi(decade))),
        series: names.iter().map(line).collect(),
        guides: Vec::new(),
        empty: "no sizes",
    }
}

/// Returns the powers of ten around the values: at least one decade.
#[expect(clippy::cast_possible_truncation, reason = "powers of ten of finite figures")]
fn decades(values: impl IntoIterator<Item = f64>) -> [i32; 2] {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.into_iter().filter(|value| value.is_finite() && *value > 0.0) {
        low = low.min(value);
        high = high.max(value);
    }
    if low > high {
        return [0, 1];
    }
    let (from, to) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    [from, to.max(from + 1)]
}

/// x0.01, x1, x100, ...
fn factor_of(decade: i32) -> String {
    format!("x{}", 10_f64.powi(decade))
}

/// 1, 10, ... 1k, 10k, ... 1M, ...
fn power(decade: i32) -> String {
    let (unit, below) = match decade {
        ..3 => ("", 0),
        3..6 => ("k", 3),
        6.. => ("M", 6),
    };
    format!("{}{unit}", 10_f64.powi(decade - below))
}

fn short(row: &Row) -> String {
    let work = row.work();
    if work.chars().count() <= LETTERS {
        return work.to_owned();
    }
    let start: String = work.chars().take(LETTERS - 3).collect();
    format!("{}...", start.trim_end())
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{run, sections};
    use super::super::{Result, Row, Sample, Section, Touched, Unit};
    use super::{decades, plots, power, short};

    #[test]
    fn each_family_has_a_plot_of_its_own() {
        let plots = plots(&run(sections())).expect("plots");
        let files: Vec<&str> = plots.iter().map(|plot| plot.file.as_str()).collect();
        assert_eq!(files, ["sets.svg", "strings.svg"]);
        let sets = &plots[0].svg;
        assert!(sets.contains("\nadd\n") && sets.contains("\nbytes\n"), "{sets}");
        // Opaque, so that the plot is legible on a dark page.
        assert!(sets.contains("fill=\"#FFFFFF\""), "{sets}");
        // Points of the server, of two crates, and of one crate in the row of bytes. The legend has an entry for each
        // of four kinds.
        assert_eq!(sets.matches("<circle").count(), 3 + 1 + 4, "{sets}");
        assert!(sets.len() < 20_000);
    }

    #[test]
    fn times_are_drawn_where_rows_have_sizes() {
        let row = |size: usize, nanos: f64| {
            let results = vec![
                Result::new("tallis", Sample::exact(nanos)),
                Result::rival("BTreeSet", Sample::exact(2.0 * nanos)),
            ];
            let work = format!("contains, {size}");
            Row::new(&work, Unit::Nanos, Touched::bytes(size), results).at_size("contains", size)
        };
        let section = Section::new("Integers", "").row(row(1_000_000, 90.0)).row(row(100, 7.0));
        let plots = plots(&run(vec![("integers", None, section)])).expect("plots");
        let [plot] = &plots[..] else { panic!("{plots:?}") };
        assert_eq!(
            (plot.file.as_str(), plot.title.as_str()),
            ("size-contains.svg", "Contains, by size")
        );
        for text in ["100", "1M", "tallis", "BTreeSet", "100 ns"] {
            assert!(plot.svg.contains(&format!("\n{text}\n")), "{text}: {}", plot.svg);
        }
    }

    #[test]
    fn axes_go_from_power_to_power() {
        assert_eq!(decades([0.5, 2.0]), [-1, 1]);
        assert_eq!(decades([100.0]), [2, 3]);
        assert_eq!(decades([0.0, f64::NAN]), [0, 1]);
        assert_eq!([2, 4, 7].map(power), ["100", "10k", "10M"]);
    }

    #[test]
    fn long_texts_are_cut() {
        let row = |work: &str| {
            let results = vec![Result::new("tallis", Sample::exact(1.0))];
            short(&Row::new(work, Unit::Nanos, Touched::bytes(1), results))
        };
        assert_eq!(row("add"), "add");
        let long = row(&"word ".repeat(20));
        assert!(long.ends_with("word...") && long.len() <= 52, "{long}");
    }
}
