//! Charts, drawn as SVG.

use plotters::coord::Shift;
use plotters::coord::ranged1d::Ranged;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Axis;
use crate::failure::Failure;

/// The margins around the plot in pixels: above with and without title and legend, below with the numbers, right for
/// the last of them.
const ABOVE: u32 = 120;
const BARE_ABOVE: u32 = 16;
const BELOW: u32 = 80;
const RIGHT: u32 = 40;

/// The space left of and below the outermost text, in pixels.
const MARGIN: u32 = 12;

/// The positions of title and legend from the top, and the distances of entries and of their parts.
const TITLE_AT: i32 = 36;
const LEGEND_AT: i32 = 88;
const SAMPLE: i32 = 44;
const GAP: i32 = 14;

const FONT: &str = "sans-serif";
const TITLE: f64 = 30.0;
const TEXT: f64 = 22.0;

/// The average width of letters, as a fraction of the font size and, in the legend, in pixels, for the wider of the
/// common sans-serif fonts. The exact width is unknown, because the viewer chooses the font.
const LETTER_OF_SIZE: f64 = 0.53;
const LETTER: i32 = 9;

const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(221, 221, 221);

/// Blue, vermilion, black, green, purple, sky blue, orange, yellow: the palette of Okabe and Ito.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    BLACK,
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(240, 228, 66),
];

/// Returns the colour of the series with this number, as `#RRGGBB`. The colours repeat after the eighth.
#[must_use]
pub fn colour(series: usize) -> String {
    let RGBColor(red, green, blue) = colour_of(series);
    format!("#{red:02X}{green:02X}{blue:02X}")
}

const fn colour_of(series: usize) -> RGBColor {
    COLOURS[series % COLOURS.len()]
}

/// In pixels: the width of a line, the length of a dash and of the gap after it, the radius of a dot.
const STROKE: u32 = 3;
const DASH: i32 = 12;
const DASH_GAP: i32 = 8;
const DOT: i32 = 6;

/// Half of the width of a bar, that of a bar so narrow that gaps would be as wide, and the limit for it in pixels.
const BAR: f64 = 0.35;
const DENSE_BAR: f64 = 0.5;
const DENSE: f64 = 8.0;

/// The share of white in the colour of a bar, which is opaque, so that the grid does not show through.
const SHADE: f64 = 0.5;

/// The radius of a dot relative to the distance between two points, if that is small.
const DOT_OF_DISTANCE: f64 = 0.3;

/// The size of a chart, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The width of the whole chart.
    pub width: u32,
    /// The height of the whole chart.
    pub height: u32,
    /// The width of the left margin, which has the texts of the y axis.
    pub left: u32,
}

/// 1200 by 800, with numbers on the y axis.
impl Default for Shape {
    fn default() -> Self {
        Self { width: 1200, height: 800, left: 140 }
    }
}

impl Shape {
    /// Returns the size of a chart whose y axis has rows of texts.
    ///
    /// The height grows with the rows: 28 pixels each.
    #[must_use]
    pub fn of_rows(rows: usize, letters: usize) -> Self {
        /// The height of a row, and the width of a letter, in pixels.
        const ROW: u32 = 28;
        const WIDE: u32 = 11;
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let height = count(rows).saturating_add(1).saturating_mul(ROW);
        Self {
            width: 1200,
            height: height.saturating_add(ABOVE + BELOW),
            left: count(letters).saturating_mul(WIDE).saturating_add(3 * MARGIN).min(700),
        }
    }
}

/// A chart of curves and points on two axes.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The title. If it is empty there is no legend either: both are in the page around the chart.
    pub title: String,
    /// Its size.
    pub shape: Shape,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The series, drawn in this order, each in a colour of its own unless it has another.
    pub series: Vec<Series>,
    /// Positions on the x axis to mark, with a text.
    pub guides: Vec<(f64, String)>,
    /// The text of a chart without values.
    pub empty: &'static str,
}

/// A series of values, with its entry in the legend.
#[derive(Clone, Debug)]
pub struct Series {
    name: String,
    mark: Mark,
    colour: Option<usize>,
}

impl Series {
    /// Creates a series with this name.
    #[must_use]
    pub fn new(name: &str, mark: Mark) -> Self {
        Self { name: name.to_owned(), mark, colour: None }
    }

    /// Sets the [`colour`] by its number.
    #[must_use]
    pub const fn coloured(mut self, number: usize) -> Self {
        self.colour = Some(number);
        self
    }
}

/// The kind of marks, with x and y of each value.
#[derive(Clone, Debug)]
pub enum Mark {
    /// A line through the values.
    Line(Vec<(f64, f64)>),
    /// A dashed line.
    Dashes(Vec<(f64, f64)>),
    /// Bars from 0, for positions that are 1 apart.
    Bars(Vec<(f64, f64)>),
    /// Points, with the half-length of the error bar of y.
    Points(Vec<(f64, f64, f64)>),
    /// The low end, the value and the high end of x, and y.
    Spans(Vec<([f64; 3], f64)>),
}

impl Mark {
    const fn is_empty(&self) -> bool {
        match self {
            Self::Line(points) | Self::Dashes(points) | Self::Bars(points) => points.is_empty(),
            Self::Spans(spans) => spans.is_empty(),
            Self::Points(points) => points.is_empty(),
        }
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Picture<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;
type Drawn<T = ()> = Result<T, DrawingAreaErrorKind<std::io::Error>>;

impl Chart {
    /// Returns the chart as an SVG document, on an opaque white background.
    ///
    /// # Errors
    ///
    /// [`Failure::Trouble`] if it cannot be drawn.
    pub fn svg(&self) -> Result<String, Failure> {
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, (self.shape.width, self.shape.height))
            .into_drawing_area();
        let drawn = self.draw(&area);
        drop(area);
        drawn.map_err(|error| Failure::Trouble(format!("cannot draw the plot: {error}")))?;
        if self.title.is_empty() {
            return Ok(svg);
        }
        // For screen readers, and for the tab of a browser. The library has no function for it.
        if let Some(end) = svg.find("<svg").and_then(|start| Some(start + svg[start..].find('>')?))
        {
            svg.insert_str(end + 1, &format!("\n<title>{}</title>", escaped(&self.title)));
        }
        Ok(svg)
    }

    fn draw(&self, area: &Area<'_>) -> Drawn {
        area.fill(&WHITE)?;
        let title = style(self.title_size(), HPos::Left, VPos::Center);
        let left = self.title_left();
        let is_bare = self.title.is_empty();
        if !is_bare {
            area.draw(&Text::new(&*self.title, (left, TITLE_AT), title))?;
        }
        if self.series.iter().all(|series| series.mark.is_empty()) {
            let middle = (self.shape.width.cast_signed() / 2, self.shape.height.cast_signed() / 2);
            area.draw(&Text::new(self.empty, middle, style(TEXT, HPos::Center, VPos::Center)))?;
            return area.present();
        }
        let mut picture = ChartBuilder::on(area)
            .margin_top(if is_bare { BARE_ABOVE } else { ABOVE })
            .margin_right(RIGHT)
            .margin_bottom(MARGIN)
            .margin_left(MARGIN)
            .x_label_area_size(BELOW - MARGIN)
            .y_label_area_size(self.shape.left.saturating_sub(MARGIN))
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        picture
            .configure_mesh()
            .x_desc(&*self.x.label)
            .y_desc(&*self.y.label)
            .label_style(font(TEXT))
            .axis_desc_style(font(TEXT))
            .axis_style(INK)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .draw()?;
        for guide in &self.guides {
            self.draw_guide(&mut picture, guide)?;
        }
        let mut at = (left, LEGEND_AT);
        for (number, series) in self.series.iter().enumerate() {
            let colour = colour_of(series.colour.unwrap_or(number));
            self.draw_mark(&mut picture, &series.mark, colour)?;
            if !is_bare {
                at = draw_entry(area, series, colour, at)?;
            }
        }
        area.present()
    }

    /// Returns where title and legend begin: at the left edge of the plot, unless that is far to the right.
    fn title_left(&self) -> i32 {
        Shape::default().left.min(self.shape.left).cast_signed()
    }

    /// Returns the font size of the title, which is smaller if it would not fit.
    fn title_size(&self) -> f64 {
        let letters = self.title.chars().count().max(1);
        let room = f64::from(self.shape.width) - f64::from(self.title_left()) - f64::from(RIGHT);
        #[expect(clippy::cast_precision_loss, reason = "letters of a title")]
        TITLE.min(room / (LETTER_OF_SIZE * letters as f64))
    }

    /// Draws a vertical line, with its text at the lower end, where there are few curves.
    fn draw_guide(&self, picture: &mut Picture<'_, '_>, (x, text): &(f64, String)) -> Drawn {
        let (x, y) = (self.x.place(*x), self.y.range());
        let line = [(x, y.start), (x, y.end)];
        picture.draw_series([PathElement::new(line, INK.mix(0.6))])?;
        let beside = EmptyElement::at((x, y.start))
            + Text::new(text.clone(), (GAP, -GAP), style(TEXT, HPos::Left, VPos::Bottom));
        picture.draw_series([beside])?;
        Ok(())
    }

    fn draw_mark(&self, picture: &mut Picture<'_, '_>, mark: &Mark, colour: RGBColor) -> Drawn {
        let line = colour.stroke_width(STROKE);
        match mark {
            Mark::Line(points) => {
                for piece in self.visible(points) {
                    picture.draw_series([PathElement::new(piece, line)])?;
                }
            }
            Mark::Dashes(points) => {
                for piece in self.visible(points) {
                    picture.draw_series(DashedLineSeries::new(piece, DASH, DASH_GAP, line))?;
                }
            }
            Mark::Bars(points) => {
                let pixel = 1.0 / self.pixels(1.0);
                let half = if pixel * DENSE > 1.0 { DENSE_BAR.max(pixel / 2.0) } else { BAR };
                for &(x, y) in points {
                    let corners = [(x - half, 0.0), (x + half, y)];
                    let corners = corners.map(|(x, y)| (self.x.place(x), self.y.place(y)));
                    picture.draw_series([Rectangle::new(corners, lighter(colour).filled())])?;
                }
            }
            Mark::Spans(spans) => {
                for &([low, value, high], y) in spans {
                    let range = self.x.range();
                    let [low, value, high] =
                        [low, value, high].map(|x| self.x.place(x).clamp(range.start, range.end));
                    let y = self.y.place(y);
                    picture.draw_series([PathElement::new([(low, y), (high, y)], line)])?;
                    picture.draw_series([Circle::new((value, y), DOT, colour.filled())])?;
                }
            }
            Mark::Points(points) => {
                let dot = self.dot(points);
                for &(x, y, spread) in points {
                    let bar = self.visible(&[(x, y - spread), (x, y), (x, y + spread)]);
                    picture.draw_series(
                        bar.into_iter().map(|piece| PathElement::new(piece, colour)),
                    )?;
                    let (x, y) = (self.x.place(x), self.y.place(y));
                    let range = self.y.range();
                    if (range.start..=range.end).contains(&y) {
                        picture.draw_series([Circle::new((x, y), dot, colour.filled())])?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the length in pixels of a distance on the x axis.
    fn pixels(&self, places: f64) -> f64 {
        let range = self.x.range();
        f64::from(self.shape.width.saturating_sub(self.shape.left + RIGHT)) * places
            / (range.end - range.start)
    }

    /// Returns the radius of dots, which are smaller if there are many, so that they do not hide what is behind them.
    #[expect(clippy::cast_possible_truncation, reason = "at most that of the largest")]
    fn dot(&self, points: &[(f64, f64, f64)]) -> i32 {
        let places = points.iter().map(|&(x, ..)| self.x.place(x));
        let next = places.clone().skip(1);
        let nearest = places.zip(next).map(|(one, next)| next - one).fold(f64::INFINITY, f64::min);
        let dot = self.pixels(nearest) * DOT_OF_DISTANCE;
        dot.clamp(1.0, f64::from(DOT)) as i32
    }

    /// Returns the segments of a line that are within the range, in positions.
    fn visible(&self, values: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
        let range = self.y.range();
        let places = values.iter().map(|&(x, y)| (self.x.place(x), self.y.place(y)));
        // Zero and negative numbers have no logarithm; they are drawn far below.
        let below = range.start - (range.end - range.start);
        let places = places.map(|(x, y)| (x, if y.is_nan() { below } else { y.max(below) }));
        let places: Vec<_> = places.collect();
        let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
        for ends in places.windows(2) {
            let &[from, to] = ends else { continue };
            let Some([from, to]) = cut(from, to, range.start, range.end) else { continue };
            match pieces.last_mut() {
                Some(piece) if piece.last() == Some(&from) => piece.push(to),
                _ => pieces.push(vec![from, to]),
            }
        }
        pieces
    }
}

/// Returns the part of a line segment whose y is between two values.
fn cut(from: (f64, f64), to: (f64, f64), low: f64, high: f64) -> Option<[(f64, f64); 2]> {
    if from.1.max(to.1) < low || from.1.min(to.1) > high {
        return None;
    }
    let bounded = |end: (f64, f64)| {
        let y = end.1.clamp(low, high);
        if y.total_cmp(&end.1).is_eq() {
            return end;
        }
        let share = (y - from.1) / (to.1 - from.1);
        (from.0 + share * (to.0 - from.0), y)
    };
    Some([bounded(from), bounded(to)])
}

/// Draws an entry of the legend; returns where the next one begins.
fn draw_entry(
    area: &Area<'_>,
    series: &Series,
    colour: RGBColor,
    (x, y): (i32, i32),
) -> Drawn<(i32, i32)> {
    let (line, sample) = (colour.stroke_width(STROKE), [(x, y), (x + SAMPLE, y)]);
    match series.mark {
        Mark::Line(_) => area.draw(&PathElement::new(sample, line))?,
        Mark::Dashes(_) => {
            area.draw(&DashedPathElement::new(sample, DASH, DASH_GAP, line))?;
        }
        Mark::Bars(_) => {
            let corners = [(x, y - GAP), (x + SAMPLE, y + GAP)];
            area.draw(&Rectangle::new(corners, lighter(colour).filled()))?;
        }
        Mark::Spans(_) => {
            area.draw(&PathElement::new(sample, line))?;
            area.draw(&Circle::new((x + SAMPLE / 2, y), DOT, colour.filled()))?;
        }
        Mark::Points(_) => {
            let middle = x + SAMPLE / 2;
            area.draw(&PathElement::new([(middle, y - GAP), (middle, y + GAP)], colour))?;
            area.draw(&Circle::new((middle, y), DOT, colour.filled()))?;
        }
    }
    let text = x + SAMPLE + GAP;
    area.draw(&Text::new(&*series.name, (text, y), style(TEXT, HPos::Left, VPos::Center)))?;
    let letters = i32::try_from(series.name.chars().count()).unwrap_or(0);
    Ok((text + letters * LETTER + 3 * GAP, y))
}

/// Mixes a colour with white.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255")]
fn lighter(RGBColor(red, green, blue): RGBColor) -> RGBColor {
    let mix = |part: u8| (f64::from(part) * (1.0 - SHADE) + 255.0 * SHADE).round() as u8;
    RGBColor(mix(red), mix(green), mix(blue))
}

/// Escapes a text for XML.
#[must_use]
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn font(size: f64) -> TextStyle<'static> {
    (FONT, size).into_font().color(&INK)
}

fn style(size: f64, across: HPos, down: VPos) -> TextStyle<'static> {
    font(size).pos(Pos::new(across, down))
}

#[cfg(test)]
mod tests;
