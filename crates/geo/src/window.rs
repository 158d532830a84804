//! The bounding box of a shape, in degrees and inside hashes.

use crate::hash::{EDGE, grid};
use crate::spread::{EVEN, ODD, spread};
use crate::{LATITUDES, LONGITUDES, Point};

/// The margin of each side, in degrees: more than all rounding errors, and a tenth of a millimetre on the ground.
const MARGIN: f64 = 1e-9;

/// The first and the last coordinate, both included.
pub(crate) type Span = (u32, u32);

/// One or two intervals of longitude, and one of latitude, that hold every cell whose centre is in a shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    columns: [Span; 2],
    rows: Span,
    /// The same, spread as in a hash; the last coordinate of the map stands for all beyond it.
    spread_columns: [Spread; 2],
    spread_rows: Spread,
}

/// An interval of one axis as it stands in a hash.
#[derive(Clone, Copy, Debug)]
struct Spread {
    from: u64,
    width: u64,
}

impl Spread {
    fn new((from, to): Span, shift: u32) -> Self {
        if from > to {
            // No axis takes all bits of a hash.
            return Self { from: u64::MAX, width: 0 };
        }
        let from = spread(from) << shift;
        let to = if to >= EDGE { u64::MAX } else { spread(to) << shift };
        Self { from, width: to - from }
    }

    /// Coordinates before the interval wrap to beyond it, so that one comparison decides.
    #[inline]
    fn holds(self, at: u64) -> bool {
        at.wrapping_sub(self.from) <= self.width
    }
}

/// An interval that holds nothing.
const NONE: Span = (1, 0);

impl Window {
    /// The window of these sides in degrees. Longitudes may go beyond 180 either way; a window of 360 degrees goes
    /// round.
    pub(crate) fn new(west: f64, east: f64, south: f64, north: f64) -> Self {
        let (first, last) = (*LONGITUDES.start(), *LONGITUDES.end());
        let (west, east) = (west - MARGIN, east + MARGIN);
        let all = last - first;
        let columns = if east - west >= all {
            [(0, EDGE), NONE]
        } else if west <= first {
            [columns(first, east), columns(west + all, last)]
        } else if east >= last {
            [columns(first, east - all), columns(west, last)]
        } else {
            [columns(west, east), NONE]
        };
        Self::of_spans(columns, rows(south - MARGIN, north + MARGIN))
    }

    /// The window of all longitudes between two latitudes.
    pub(crate) fn band(south: f64, north: f64) -> Self {
        Self::of_spans([(0, EDGE), NONE], rows(south - MARGIN, north + MARGIN))
    }

    /// The window between two longitudes that does not go on beyond 180.
    pub(crate) fn flat(west: f64, east: f64, south: f64, north: f64) -> Self {
        Self::of_spans(
            [columns(west - MARGIN, east + MARGIN), NONE],
            rows(south - MARGIN, north + MARGIN),
        )
    }

    fn of_spans(columns: [Span; 2], rows: Span) -> Self {
        let spread_columns = columns.map(|span| Spread::new(span, 1));
        Self { columns, rows, spread_columns, spread_rows: Spread::new(rows, 0) }
    }

    /// Whether a cell is in the window: comparing under masks, without decoding.
    #[inline]
    pub(crate) fn holds(&self, hash: u64) -> bool {
        let (x, y) = (hash & ODD, hash & EVEN);
        let [first, second] = self.spread_columns;
        // Computed before they are needed: a branch on each would be mispredicted every other time.
        let (in_rows, in_first, in_second) =
            (self.spread_rows.holds(y), first.holds(x), second.holds(x));
        in_rows && (in_first || in_second)
    }

    /// The intervals of columns, from west to east.
    pub(crate) fn columns(&self) -> &[Span] {
        let second = usize::from(self.columns[1].0 <= self.columns[1].1);
        &self.columns[..=second]
    }

    pub(crate) fn rows(&self) -> Span {
        self.rows
    }
}

fn columns(west: f64, east: f64) -> Span {
    let x = |lon: f64| grid(Point { lon: clamp(lon, &LONGITUDES), lat: 0.0 }).0;
    (x(west), x(east))
}

fn rows(south: f64, north: f64) -> Span {
    let y = |lat: f64| grid(Point { lon: 0.0, lat: clamp(lat, &LATITUDES) }).1;
    (y(south), y(north))
}

fn clamp(degrees: f64, to: &core::ops::RangeInclusive<f64>) -> f64 {
    degrees.clamp(*to.start(), *to.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(window: &Window, lon: f64, lat: f64) -> bool {
        window.holds(Point::new(lon, lat).unwrap().hash())
    }

    #[test]
    fn a_window_holds_its_cells_and_their_neighbours_only() {
        let window = Window::new(10.0, 20.0, -5.0, 5.0);
        assert!(held(&window, 10.0, -5.0) && held(&window, 20.0, 5.0) && held(&window, 15.0, 0.0));
        assert!(!held(&window, 9.9999, 0.0) && !held(&window, 20.0001, 0.0));
        assert!(!held(&window, 15.0, 5.0001) && !held(&window, 15.0, -5.0001));
        assert_eq!(window.columns().len(), 1);
    }

    #[test]
    fn a_window_goes_on_beyond_the_date_line() {
        for (west, east) in [(175.0, 185.0), (-185.0, -175.0)] {
            let window = Window::new(west, east, 0.0, 1.0);
            for lon in [175.0, 179.9, 180.0, -180.0, -179.9, -175.0] {
                assert!(held(&window, lon, 0.5), "{lon}");
            }
            assert!(!held(&window, 174.9, 0.5) && !held(&window, -174.9, 0.5));
            assert_eq!(window.columns().len(), 2);
        }
        let flat = Window::flat(175.0, 180.0, 0.0, 1.0);
        assert!(held(&flat, 180.0, 0.5) && !held(&flat, -180.0, 0.5));
    }

    #[test]
    fn windows_that_touch_the_date_line_hold_both_its_sides() {
        for window in [Window::new(170.0, 180.0, 0.0, 1.0), Window::new(-180.0, -170.0, 0.0, 1.0)] {
            assert!(held(&window, 180.0, 0.5) && held(&window, -180.0, 0.5));
        }
    }

    #[test]
    fn the_rim_of_the_map_belongs_to_windows_that_reach_it() {
        let window = Window::band(80.0, 100.0);
        assert!(held(&window, 180.0, *LATITUDES.end()) && held(&window, -180.0, *LATITUDES.end()));
        assert!(window.holds(u64::MAX));
        assert!(!held(&window, 0.0, 79.9999));
        assert!(!Window::band(-10.0, 80.0).holds(u64::MAX));
    }
}
