//! Ranges of hashes that cover a window.
//!
//! Hashes sort points along a curve that visits all cells of a quarter of a square before the next quarter. So a square
//! that is a cell of some level is one range of hashes, and a window is the ranges of the few squares that it touches:
//!
//! ```text
//!    5 | 7 | 13 | 15        a window over the squares 3, 6, 9 and 12: ranges 3, 6, 9, 12;
//!    4 | 6 | 12 | 14        one over 0, 1, 2 and 3: a single range, as they follow each other;
//!    1 | 3 |  9 | 11        each cut down to what lies between the corners of its part of the window,
//!    0 | 2 |  8 | 10        since the curve never goes back in both directions at once
//! ```
//!
//! Finding the start of a range costs as much as rejecting about a hundred members, which takes one comparison under
//! two masks each. So squares are large, and small gaps between ranges are closed.

use core::ops::Range;

use crate::hash::{Cell, EDGE, STEPS};
use crate::spread::interleave;
use crate::window::{Span, Window};

/// The granularity of a cover.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grain {
    /// The maximum number of squares to start with.
    pub(crate) squares: u32,
    /// The widest gap that is closed, in squares.
    pub(crate) gap: u64,
}

/// The ranges of all cells of a window, without the squares for which `keep` returns false.
pub(crate) fn cover(
    window: &Window,
    grain: Grain,
    mut keep: impl FnMut(&Cell) -> bool,
) -> Vec<Range<u64>> {
    let level = level(window, grain.squares);
    let mut ranges = Vec::with_capacity(16);
    let rows = inner(window.rows());
    for &columns in window.columns() {
        let columns = inner(columns);
        for x in columns.0 >> level..=columns.1 >> level {
            for y in rows.0 >> level..=rows.1 >> level {
                if keep(&Cell::at(x, y, STEPS - level)) {
                    let (west, east) = part(x, level, columns);
                    let (south, north) = part(y, level, rows);
                    ranges.push(interleave(west, south)..interleave(east, north) + 1);
                }
            }
        }
    }
    ranges.sort_unstable_by_key(|range| range.start);
    close_gaps(&mut ranges, grain.gap << (2 * level));
    push_rim(window, &mut ranges);
    close_gaps(&mut ranges, 0);
    ranges
}

/// The part of an interval that is not on the edge of the map. Never empty: a window that reaches the edge starts
/// before it, or is one cell wide there.
fn inner((from, to): Span) -> Span {
    (from.min(EDGE - 1), to.min(EDGE - 1))
}

/// The lowest level at which the window touches few enough squares.
fn level(window: &Window, squares: u32) -> u32 {
    let touched = |(from, to): Span, level: u32| (to >> level) - (from >> level) + 1;
    let rows = inner(window.rows());
    let columns = window.columns();
    // A square of this level is wider than a side of the window over the number of squares.
    let widest = columns.iter().map(|&(from, to)| to - from).max().unwrap_or(0);
    let widest = widest.max(rows.1 - rows.0);
    let lowest = (32 - widest.leading_zeros()).saturating_sub(32 - squares.leading_zeros());
    (lowest..STEPS)
        .find(|&level| {
            let across: u32 = columns.iter().map(|&span| touched(inner(span), level)).sum();
            across.saturating_mul(touched(rows, level)) <= squares
        })
        .unwrap_or(STEPS)
}

/// The intersection of a square and an interval.
fn part(square: u32, level: u32, (from, to): Span) -> Span {
    let first = square << level;
    (first.max(from), (first + ((1 << level) - 1)).min(to))
}

/// Joins neighbours that are no further apart than `gap`.
fn close_gaps(ranges: &mut Vec<Range<u64>>, gap: u64) {
    ranges.dedup_by(|next, last| {
        let close = next.start.saturating_sub(last.end) <= gap;
        if close {
            last.end = last.end.max(next.end);
        }
        close
    });
}

/// Adds the points on the edge of the map, whose hashes are above all others.
fn push_rim(window: &Window, ranges: &mut Vec<Range<u64>>) {
    let rows = window.rows();
    if rows.1 == EDGE {
        for &columns in window.columns() {
            let (west, east) = inner(columns);
            ranges.push(interleave(west, EDGE)..interleave(east, EDGE) + 1);
        }
    }
    if window.columns().iter().any(|columns| columns.1 == EDGE) {
        let (south, north) = inner(rows);
        ranges.push(interleave(EDGE, south)..interleave(EDGE, north) + 1);
        if rows.1 == EDGE {
            let corner = interleave(EDGE, EDGE);
            ranges.push(corner..corner + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn windows() -> impl Iterator<Item = Window> {
        let sides = [1e-7, 0.001, 0.02, 0.3, 4.0, 50.0];
        let corners = [(-180.0, -85.0), (-0.5, -0.25), (13.0, 37.0), (129.9, 20.1)];
        corners.into_iter().flat_map(move |(west, south)| {
            sides.into_iter().flat_map(move |wide| {
                sides.map(|high| Window::flat(west, west + wide, south, south + high))
            })
        })
    }

    #[test]
    fn the_level_is_the_lowest_with_few_squares() {
        for window in windows() {
            let across = |(from, to): Span, level: u32| (to >> level) - (from >> level) + 1;
            let touched = |level: u32| {
                let columns = window.columns().iter().map(|&span| across(inner(span), level));
                u64::from(columns.sum::<u32>()) * u64::from(across(inner(window.rows()), level))
            };
            for squares in [4, 9, 64] {
                let lowest = (0..STEPS).find(|&level| touched(level) <= u64::from(squares));
                assert_eq!(Some(level(&window, squares)), lowest, "{window:?} {squares}");
            }
        }
    }

    #[test]
    fn gaps_of_one_square_are_closed_and_wider_ones_are_not() {
        let window = Window::flat(1.0, 21.0, 1.0, 21.0);
        let level = level(&window, 64);
        let covered = |gap: u64| {
            let mut squares = 0;
            cover(&window, Grain { squares: 64, gap }, |_| {
                squares += 1;
                squares % 4 != 0
            })
        };
        let gaps = |ranges: &[Range<u64>]| {
            let gap =
                |pair: &[Range<u64>]| (pair[1].start - pair[0].end).div_ceil(1 << (2 * level));
            ranges.windows(2).map(gap).collect::<Vec<_>>()
        };
        let (all, closed) = (gaps(&covered(0)), gaps(&covered(1)));
        assert!(all.contains(&1), "{all:?}");
        let wide: Vec<_> = all.into_iter().filter(|&gap| gap > 1).collect();
        assert!(!wide.is_empty());
        assert_eq!(closed, wide);
    }
}
