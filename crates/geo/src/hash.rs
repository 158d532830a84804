//! Points as numbers: encoding, decoding, cells, scores.

use core::ops::Range;

use crate::spread::{gather, interleave};
use crate::{Error, LATITUDES, LONGITUDES, Point};

/// The number of halvings of each axis: a hash has 52 bits, which an `f64` holds exactly.
pub const STEPS: u32 = 26;

/// The number of cells along an axis, and the coordinate of a point on the edge.
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
    reason = "the coordinates of a valid point are 0 to 2^26, and are rounded down"
)]
pub(crate) fn grid(point: Point) -> (u32, u32) {
    const COLUMN: f64 = LON_SCALE / EDGE as f64;
    const ROW: f64 = LAT_SCALE / EDGE as f64;
    let x = (point.lon - *LONGITUDES.start()) / COLUMN;
    let y = (point.lat - *LATITUDES.start()) / ROW;
    // Converts to a signed integer: a single instruction, where unsigned ones need extra code for numbers that do not
    // occur.
    (x as i64 as u32, y as i64 as u32)
}

/// Returns the hash of a longitude and a latitude in degrees, as GEOADD does for the score of a member.
///
/// The hash is below 2^52, except on the edge of the map: there Redis's numbers exceed the 26 bits of their axis, which
/// adds 2^52 at the greatest latitude, and 2^53 at longitude 180.
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

/// Returns the centre of the cell of a hash, as GEOPOS does.
///
/// Any number is accepted, as in Redis: coordinates beyond the edge are moved to it.
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

/// Returns the score of a sorted set's member at this cell.
///
/// It is the same number, except at longitude 180, where hashes exceed 2^53: an `f64` represents only every other
/// integer there, so the point moves south by up to one cell.
#[inline]
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "the loss of precision is documented")]
pub fn score(hash: u64) -> f64 {
    hash as f64
}

/// Returns the scores of sorted sets' members in these cells.
///
/// Beyond 2^53 a score is rounded to an even number, so a bound there is the first even number that satisfies it.
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

/// Returns the hash that a score represents.
///
/// A sorted set may have any scores. Fractions are truncated; a negative score, or one of 2^63 or more, is converted as
/// by the instructions of an x86-64 CPU, as on a Redis server there.
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
    reason = "the function defines the conversion of any double"
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
    /// Returns the hash of this point; see [`encode`](crate::encode).
    #[inline]
    #[must_use]
    pub fn hash(self) -> u64 {
        let (x, y) = grid(self);
        interleave(x, y)
    }
}

/// The bounds of a cell, in degrees.
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
    /// Returns the bounds of the cell of a hash. For a point on the edge of the map they are beyond it.
    #[inline]
    #[must_use]
    pub fn new(hash: u64) -> Self {
        Self::at(gather(hash >> 1), gather(hash), STEPS)
    }

    /// The bounds of a cell after `steps` halvings of each axis. A coordinate that overflows 32 bits wraps, as in
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

    /// The longitude of the west side, in degrees.
    #[must_use]
    pub fn west(self) -> f64 {
        self.west
    }

    /// The longitude of the east side, in degrees.
    #[must_use]
    pub fn east(self) -> f64 {
        self.east
    }

    /// The latitude of the south side, in degrees.
    #[must_use]
    pub fn south(self) -> f64 {
        self.south
    }

    /// The latitude of the north side, in degrees.
    #[must_use]
    pub fn north(self) -> f64 {
        self.north
    }
}
