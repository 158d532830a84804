//! Positions as numbers: encoding, decoding, cells, scores.

use core::ops::Range;

use crate::spread::{gather, interleave};
use crate::{Error, LATITUDES, LONGITUDES, Point};

/// Halvings of each axis: a hash has 52 bits, so that a double holds it.
pub const STEPS: u32 = 26;

/// Cells along an axis, and the coordinate of a position on the very edge.
pub(crate) const EDGE: u32 = 1 << STEPS;

/// The width of all longitudes.
const LON_SCALE: f64 = *LONGITUDES.end() - *LONGITUDES.start();
/// The height of all latitudes.
const LAT_SCALE: f64 = *LATITUDES.end() - *LATITUDES.start();

/// The column of a longitude among [`EDGE`], and the row of a latitude.
///
/// Dividing by a scale and then multiplying by a power of two, as Redis does, is dividing by the scale over that power:
/// it only moves the exponent, so the digits are the same.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a valid point is at 0 to 2^26, and rounds down"
)]
pub(crate) fn grid(point: Point) -> (u32, u32) {
    const COLUMN: f64 = LON_SCALE / EDGE as f64;
    const ROW: f64 = LAT_SCALE / EDGE as f64;
    let x = (point.lon - *LONGITUDES.start()) / COLUMN;
    let y = (point.lat - *LATITUDES.start()) / ROW;
    // By way of signed numbers: one instruction, where unsigned ones take a detour for numbers that do not occur.
    (x as i64 as u32, y as i64 as u32)
}

/// The cell of a longitude and a latitude in degrees, as GEOADD scores a member.
///
/// Below 2^52, but for positions on the very edge of the map: there Redis's numbers leave the 26 bits of their axis, to
/// 2^52 at the greatest latitude, 2^53 at longitude 180, and both in the corner.
///
/// # Errors
///
/// As [`Point::new`].
///
/// ```
/// assert_eq!(geo::encode(13.361389, 38.115556), Ok(3_479_099_956_230_698));
/// assert_eq!(geo::encode(0.0, 86.0), Err(geo::Error::Latitude { got: 86.0 }));
/// ```
#[inline]
pub fn encode(lon: f64, lat: f64) -> Result<u64, Error> {
    Point::new(lon, lat).map(Point::hash)
}

/// The centre of a cell, as GEOPOS returns it.
///
/// Any number is taken as Redis takes it: coordinates beyond the edge are put back on it.
///
/// ```
/// let place = geo::decode(4_069_887_179_083_478);
/// assert_eq!((place.lon(), place.lat()), (116.48903220891953, 40.00766997707732));
/// ```
#[inline]
#[must_use]
pub fn decode(hash: u64) -> Point {
    Cell::new(hash).centre()
}

/// The score of a sorted set's member at this cell.
///
/// The same number, but for the column at longitude 180, whose numbers lie beyond 2^53: there a double holds only every
/// other one, and the position moves south by up to a cell.
#[inline]
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "said above")]
pub fn score(hash: u64) -> f64 {
    hash as f64
}

/// The scores of sorted sets' members in these cells.
///
/// Beyond 2^53 a score is the even number that is next, so a bound there is the even number from which on it is true.
///
/// ```
/// let cell = geo::encode(13.361389, 38.115556)?;
/// assert!(geo::score_range(&(cell..cell + 1)).contains(&geo::score(cell)));
/// # Ok::<(), geo::Error>(())
/// ```
#[inline]
#[must_use]
pub fn score_range(cells: &Range<u64>) -> Range<f64> {
    const EXACT: u64 = 1 << 53;
    let bound = |hash: u64| score(if hash > EXACT { hash.saturating_add(hash & 1) } else { hash });
    bound(cells.start)..bound(cells.end)
}

/// The cell that a score stands for.
///
/// Sorted sets hold any scores. Fractions are cut off; what is negative, or 2^63 or more, becomes what the instructions
/// of an x86-64 processor make of it, which is what a Redis server there shows.
///
/// ```
/// assert_eq!(geo::hash_of_score(3_479_099_956_230_698.5), 3_479_099_956_230_698);
/// assert_eq!(geo::hash_of_score(-1.0), u64::MAX);
/// assert_eq!(geo::hash_of_score(f64::INFINITY), 0);
/// ```
#[inline]
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the conversion of any double is what this is about"
)]
pub fn hash_of_score(score: f64) -> u64 {
    const HALF: f64 = 9_223_372_036_854_775_808.0; // 2^63
    if score < HALF {
        score as i64 as u64
    } else if score < 2.0 * HALF {
        score as u64
    } else {
        0
    }
}

impl Point {
    /// The cell of this position: [`encode`](crate::encode) for a point that has been checked.
    #[inline]
    #[must_use]
    pub fn hash(self) -> u64 {
        let (x, y) = grid(self);
        interleave(x, y)
    }
}

/// The bounds of a cell in degrees.
///
/// ```
/// let cell = geo::Cell::new(3_479_099_956_230_698);
/// let palermo = geo::Point::new(13.361389, 38.115556)?;
/// assert!((cell.west()..cell.east()).contains(&palermo.lon()));
/// assert!((cell.south()..cell.north()).contains(&palermo.lat()));
/// # Ok::<(), geo::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    pub(crate) west: f64,
    pub(crate) east: f64,
    pub(crate) south: f64,
    pub(crate) north: f64,
}

impl Cell {
    /// The bounds of the cell of a hash. Those of a position on the very edge lie beyond it.
    #[inline]
    #[must_use]
    pub fn new(hash: u64) -> Self {
        Self::at(gather(hash >> 1), gather(hash), STEPS)
    }

    /// The bounds of a cell where each axis is halved so many times. A coordinate that ends the 32 bits wraps, as in
    /// Redis.
    #[inline]
    pub(crate) fn at(x: u32, y: u32, steps: u32) -> Self {
        let cells = f64::from(1 << steps);
        let lon = |x: u32| LONGITUDES.start() + f64::from(x) / cells * LON_SCALE;
        let lat = |y: u32| LATITUDES.start() + f64::from(y) / cells * LAT_SCALE;
        Self {
            west: lon(x),
            east: lon(x.wrapping_add(1)),
            south: lat(y),
            north: lat(y.wrapping_add(1)),
        }
    }

    #[inline]
    pub(crate) fn centre(self) -> Point {
        Point {
            lon: ((self.west + self.east) * 0.5).clamp(*LONGITUDES.start(), *LONGITUDES.end()),
            lat: ((self.south + self.north) * 0.5).clamp(*LATITUDES.start(), *LATITUDES.end()),
        }
    }

    /// Longitude of the west side.
    #[must_use]
    pub fn west(self) -> f64 {
        self.west
    }

    /// Longitude of the east side.
    #[must_use]
    pub fn east(self) -> f64 {
        self.east
    }

    /// Latitude of the south side.
    #[must_use]
    pub fn south(self) -> f64 {
        self.south
    }

    /// Latitude of the north side.
    #[must_use]
    pub fn north(self) -> f64 {
        self.north
    }
}
