//! The cells that Redis searches, for results in its order and with its omissions.
//!
//! Redis picks a level by the size of the shape and searches the cell of the centre at that level, then its neighbours
//! to the north, south, east, west, north-east, north-west, south-east and south-west. It drops those that a bounding
//! box does not reach. An unsorted reply is in this order, by score within a cell. Redis does not find points outside
//! of these cells, even if they are inside the shape.

use core::ops::Range;

use crate::hash::{Cell, STEPS, grid};
use crate::point::{degrees, radians};
use crate::spread::interleave;
use crate::{EARTH_RADIUS, LATITUDES, LONGITUDES, Point};

/// Half of the length of the equator on the Mercator map, in metres.
const MERCATOR_HALF: f64 = 20_037_726.37;

/// Where each neighbour is, in Redis's order: columns east, rows north.
const NEIGHBOURS: [(i32, i32); 9] =
    [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)];

/// The bounding box as Redis computes it, in degrees. Near the poles it is wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) west: f64,
    pub(crate) east: f64,
    pub(crate) south: f64,
    pub(crate) north: f64,
}

impl Extent {
    /// The extent of a shape with these half sides, in metres.
    pub(crate) fn around(centre: Point, half_width: f64, half_height: f64) -> Self {
        let up = degrees(half_height / EARTH_RADIUS);
        let lat = if centre.lat < 0.0 { centre.lat - up } else { centre.lat + up };
        let aside = degrees(half_width / EARTH_RADIUS / radians(lat).cos());
        Self {
            west: centre.lon - aside,
            east: centre.lon + aside,
            south: centre.lat - up,
            north: centre.lat + up,
        }
    }

    /// The extent of vertices.
    pub(crate) fn of(vertices: &[Point]) -> Self {
        let none = Self {
            west: *LONGITUDES.end(),
            east: *LONGITUDES.start(),
            south: *LATITUDES.end(),
            north: *LATITUDES.start(),
        };
        vertices.iter().fold(none, |all, vertex| Self {
            west: all.west.min(vertex.lon),
            east: all.east.max(vertex.lon),
            south: all.south.min(vertex.lat),
            north: all.north.max(vertex.lat),
        })
    }
}

/// The cells that Redis searches for a shape, at most nine, in its order.
///
/// ```
/// use geo::{Point, Shape, Unit};
///
/// let centre = Point::new(179.9, 10.0)?;
/// let cells = Shape::circle(centre, 50.0, Unit::Kilometres)?.redis_cells();
/// assert_eq!(cells.position(centre.hash()), Some(0));
/// // A member at longitude 180 itself has a score beyond those of all cells.
/// let edge = Point::new(180.0, 10.0)?;
/// assert_eq!(cells.position(edge.hash()), None);
/// # Ok::<(), geo::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RedisCells {
    ranges: Vec<Range<u64>>,
}

impl RedisCells {
    /// The cells for a shape that reaches `reach` metres from its centre.
    pub(crate) fn new(centre: Point, reach: f64, extent: &Extent) -> Self {
        if !LATITUDES.contains(&centre.lat) {
            return Self { ranges: Vec::new() };
        }
        let mut grid = Grid::new(centre, level(reach, centre.lat));
        if grid.steps > 1 && grid.falls_short(extent) {
            grid = Grid::new(centre, grid.steps - 1);
        }
        let mut ranges: Vec<Range<u64>> = Vec::with_capacity(NEIGHBOURS.len());
        for (east, north) in NEIGHBOURS {
            if grid.steps >= 2 && grid.spares(extent, east, north) {
                continue;
            }
            let range = grid.range(east, north);
            // At the top level, opposite neighbours are the same cell.
            if ranges.last() != Some(&range) {
                ranges.push(range);
            }
        }
        Self { ranges }
    }

    /// The ranges of scores, in the order in which Redis searches them.
    ///
    /// Empty for a polygon whose centre is nearer to a pole than [`LATITUDES`], for which Valkey reads uninitialized
    /// memory.
    #[must_use]
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    /// The index of the first range that contains a hash; `None` if Redis does not find it.
    ///
    /// Sorting by this index and then by score gives the order of a reply without ASC or DESC.
    #[must_use]
    pub fn position(&self, hash: u64) -> Option<usize> {
        self.ranges.iter().position(|range| range.contains(&hash))
    }
}

/// The number of halvings of each axis for a shape that reaches `reach` metres.
fn level(mut reach: f64, lat: f64) -> u32 {
    if reach == 0.0 {
        return STEPS;
    }
    let mut level = 1;
    while reach < MERCATOR_HALF {
        reach *= 2.0;
        level += 1;
    }
    level -= 2;
    // Cells narrow towards the poles.
    level -= i32::from(lat.abs() > 66.0) + i32::from(lat.abs() > 80.0);
    level.clamp(1, STEPS.cast_signed()).cast_unsigned()
}

/// The cells of a level, seen from one.
struct Grid {
    x: u32,
    y: u32,
    steps: u32,
}

impl Grid {
    fn new(centre: Point, steps: u32) -> Self {
        let (x, y) = grid(centre);
        Self { x: x >> (STEPS - steps), y: y >> (STEPS - steps), steps }
    }

    /// A neighbour's coordinates. Both axes go round; one that does not move keeps a coordinate on the very edge.
    fn at(&self, east: i32, north: i32) -> (u32, u32) {
        let last = (1 << self.steps) - 1;
        let go = |from: u32, by: i32| {
            if by == 0 { from } else { from.wrapping_add_signed(by) & last }
        };
        (go(self.x, east), go(self.y, north))
    }

    fn cell(&self, east: i32, north: i32) -> Cell {
        let (x, y) = self.at(east, north);
        Cell::at(x, y, self.steps)
    }

    fn range(&self, east: i32, north: i32) -> Range<u64> {
        let (x, y) = self.at(east, north);
        let below = 2 * (STEPS - self.steps);
        // Not `interleave(x, y + 1)`: the cell that follows on the curve starts where this one ends.
        let hash = interleave(x, y);
        hash << below..(hash + 1) << below
    }

    /// Whether the nine cells seem too few.
    fn falls_short(&self, extent: &Extent) -> bool {
        self.cell(0, 1).north < extent.north
            || self.cell(0, -1).south > extent.south
            || self.cell(1, 0).east < extent.east
            || self.cell(-1, 0).west > extent.west
    }

    /// Whether the bounding box seems not to reach a neighbour.
    fn spares(&self, extent: &Extent, east: i32, north: i32) -> bool {
        let own = self.cell(0, 0);
        (north < 0 && own.south < extent.south)
            || (north > 0 && own.north > extent.north)
            || (east < 0 && own.west < extent.west)
            || (east > 0 && own.east > extent.east)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A polygon may have the edges of a cell; the conditions are those of Redis, which are strict.
    #[test]
    fn an_edge_that_is_the_edge_of_a_cell_is_not_beyond_it() {
        let grid = Grid::new(Point { lon: 13.0, lat: 38.0 }, 7);
        let (south, north) = (grid.cell(0, -1).south, grid.cell(0, 1).north);
        let (west, east) = (grid.cell(-1, 0).west, grid.cell(1, 0).east);
        let nine = Extent { west, east, south, north };
        assert!(!grid.falls_short(&nine));
        assert!(grid.falls_short(&Extent { north: north.next_up(), ..nine }));
        assert!(grid.falls_short(&Extent { south: south.next_down(), ..nine }));
        assert!(grid.falls_short(&Extent { east: east.next_up(), ..nine }));
        assert!(grid.falls_short(&Extent { west: west.next_down(), ..nine }));

        let own = grid.cell(0, 0);
        let one = Extent { west: own.west, east: own.east, south: own.south, north: own.north };
        for (east, north) in NEIGHBOURS {
            assert!(!grid.spares(&one, east, north), "{east} {north}");
        }
        assert!(grid.spares(&Extent { north: own.north.next_down(), ..one }, 0, 1));
        assert!(grid.spares(&Extent { south: own.south.next_up(), ..one }, 0, -1));
        assert!(grid.spares(&Extent { east: own.east.next_down(), ..one }, 1, 0));
        assert!(grid.spares(&Extent { west: own.west.next_up(), ..one }, -1, 0));
    }
}
