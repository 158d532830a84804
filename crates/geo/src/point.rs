//! Points, the distance between them, and the units of distances.

use core::f64::consts::PI;
use core::ops::RangeInclusive;

use crate::Error;

/// The longitudes that a hash can represent, in degrees.
pub const LONGITUDES: RangeInclusive<f64> = -180.0..=180.0;
/// The latitudes that a hash can represent, in degrees: those of the square Mercator map, without the poles.
pub const LATITUDES: RangeInclusive<f64> = -85.051_128_78..=85.051_128_78;
/// The radius of the sphere on which distances are measured, in metres.
pub const EARTH_RADIUS: f64 = 6_372_797.560_856;

const RADIANS_PER_DEGREE: f64 = PI / 180.0;

pub(crate) fn radians(degrees: f64) -> f64 {
    degrees * RADIANS_PER_DEGREE
}

/// Divides, as Redis does: multiplying by the reciprocal would differ in the last digit.
pub(crate) fn degrees(radians: f64) -> f64 {
    radians / RADIANS_PER_DEGREE
}

/// A point that a hash can represent, in degrees.
///
/// ```
/// use geo::Point;
///
/// let palermo = Point::new(13.361389, 38.115556)?;
/// let catania = Point::new(15.087269, 37.502669)?;
/// assert_eq!(format!("{:.1}", palermo.distance(catania)), "166274.3"); // metres
/// assert!(Point::new(13.0, 89.0).is_err());
/// # Ok::<(), geo::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub(crate) lon: f64,
    pub(crate) lat: f64,
}

impl Point {
    /// Creates a point from a longitude and a latitude, in degrees.
    ///
    /// # Errors
    ///
    /// [`Error::Longitude`] if the longitude is outside of [`LONGITUDES`], else [`Error::Latitude`] if the latitude is
    /// outside of [`LATITUDES`].
    #[inline]
    pub fn new(lon: f64, lat: f64) -> Result<Self, Error> {
        // Both ranges lie even around 0, so a comparison each is enough.
        if lon.abs() <= *LONGITUDES.end() && lat.abs() <= *LATITUDES.end() {
            return Ok(Self { lon, lat });
        }
        if !LONGITUDES.contains(&lon) {
            return Err(Error::Longitude { got: lon });
        }
        Err(Error::Latitude { got: lat })
    }

    /// The longitude in degrees, east positive.
    #[must_use]
    pub fn lon(self) -> f64 {
        self.lon
    }

    /// The latitude in degrees, north positive.
    #[must_use]
    pub fn lat(self) -> f64 {
        self.lat
    }

    /// Returns the great-circle distance to another point, in metres, as GEODIST computes it.
    ///
    /// For two points on one meridian it is the difference of their latitudes, as in Redis 7. Valkey 9 also does this
    /// for meridians for which the sine of half their angle is at most 10^-15; the results differ, in the last digits,
    /// only between longitudes -180 and 180.
    ///
    /// ```
    /// let a = geo::Point::new(116.48105, 39.996794)?;
    /// let b = geo::Point::new(116.48105, 40.996794)?;
    /// assert_eq!(a.distance(b), 111_226.300_000_001_05);
    /// # Ok::<(), geo::Error>(())
    /// ```
    #[must_use]
    pub fn distance(self, to: Self) -> f64 {
        Origin::new(self).distance(to)
    }
}

/// A point from which many distances are measured, with what they have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) point: Point,
    /// In radians.
    pub(crate) lon: f64,
    pub(crate) lat: f64,
    pub(crate) sin_lat: f64,
    pub(crate) cos_lat: f64,
}

impl Origin {
    pub(crate) fn new(point: Point) -> Self {
        let lat = radians(point.lat);
        Self { point, lon: radians(point.lon), lat, sin_lat: lat.sin(), cos_lat: lat.cos() }
    }

    /// The haversine formula, in the order of operations of Redis, on which the last digits depend.
    #[inline]
    pub(crate) fn distance(&self, to: Point) -> f64 {
        let v = ((radians(to.lon) - self.lon) / 2.0).sin();
        if v == 0.0 {
            return along_meridian(self.point.lat, to.lat);
        }
        let lat = radians(to.lat);
        let u = ((lat - self.lat) / 2.0).sin();
        let a = u * u + self.cos_lat * lat.cos() * v * v;
        2.0 * EARTH_RADIUS * a.sqrt().asin()
    }
}

/// The distance in metres between two latitudes on a meridian.
pub(crate) fn along_meridian(from: f64, to: f64) -> f64 {
    EARTH_RADIUS * (radians(to) - radians(from)).abs()
}

/// A unit of length, with Redis's factors.
///
/// ```
/// use geo::Unit;
///
/// assert_eq!(Unit::parse(b"KM"), Some(Unit::Kilometres));
/// assert_eq!(Unit::Miles.to_metres(2.0), 3218.68); // not quite the mile of 1,609.344 m
/// assert_eq!(Unit::parse(b"yd"), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Unit {
    /// `m`
    #[default]
    Metres,
    /// `km`
    Kilometres,
    /// `ft`, of 0.3048 m
    Feet,
    /// `mi`, of 1609.34 m
    Miles,
}

impl Unit {
    /// Parses the name of a unit, ignoring case.
    #[must_use]
    pub fn parse(name: &[u8]) -> Option<Self> {
        [Self::Metres, Self::Kilometres, Self::Feet, Self::Miles]
            .into_iter()
            .find(|unit| unit.name().as_bytes().eq_ignore_ascii_case(name))
    }

    /// The name: `m`, `km`, `ft` or `mi`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Metres => "m",
            Self::Kilometres => "km",
            Self::Feet => "ft",
            Self::Miles => "mi",
        }
    }

    /// The length of this unit, in metres.
    #[must_use]
    pub fn metres(self) -> f64 {
        match self {
            Self::Metres => 1.0,
            Self::Kilometres => 1000.0,
            Self::Feet => 0.3048,
            Self::Miles => 1609.34,
        }
    }

    /// Converts a length in this unit to metres.
    #[must_use]
    pub fn to_metres(self, length: f64) -> f64 {
        length * self.metres()
    }

    /// Converts a length in metres to this unit, by division, as Redis does.
    #[must_use]
    pub fn of_metres(self, metres: f64) -> f64 {
        metres / self.metres()
    }
}
