//! Deciding whether a point is within a distance, mostly without computing the distance.
//!
//! Along great circles, hav(distance) = hav(latitudes) + cos(latitude) cos(latitude) hav(longitudes), where hav(x) is
//! sin(x / 2) squared. It grows with the distance, so comparing it with the haversine of the radius avoids a square
//! root and an arcsine. For near points, the first terms of the series of sine and cosine replace the library's
//! functions, with a relative error of 10^-11. Points almost on the border are decided by the exact distance, whose
//! last digit matters there.

use core::f64::consts::FRAC_PI_2;

use crate::point::{Origin, radians};
use crate::{EARTH_RADIUS, Point};

/// The maximum half difference of latitudes or longitudes, in radians, for which the series are used.
const REACH: f64 = 0.25;

/// The margin around the border that needs the exact distance: a hundred times the error of the series.
const MARGIN: f64 = 1e-9;

/// The sine of an angle up to [`REACH`]: the term left out is less than a part in 10^13.
#[inline]
fn sine(x: f64) -> f64 {
    let square = x * x;
    x * (1.0
        + square
            * (-1.0 / 6.0
                + square * (1.0 / 120.0 + square * (-1.0 / 5040.0 + square * (1.0 / 362_880.0)))))
}

/// The cosine of an angle up to [`REACH`]: the term left out is less than 10^-12.
#[inline]
fn cosine(x: f64) -> f64 {
    let square = x * x;
    1.0 + square
        * (-0.5 + square * (1.0 / 24.0 + square * (-1.0 / 720.0 + square * (1.0 / 40_320.0))))
}

/// A point seen from another that is near.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// The haversines of the differences.
    lat: f64,
    lon: f64,
    /// The cosines of the latitudes.
    cos_from: f64,
    cos_to: f64,
}

impl Origin {
    /// The values for haversines of near points; `None` if a point is too far away for the series.
    #[inline]
    pub(crate) fn near(&self, to: Point) -> Option<Near> {
        let u = (radians(to.lat) - self.lat) / 2.0;
        let v = (radians(to.lon) - self.lon) / 2.0;
        if u.abs() > REACH || v.abs() > REACH {
            return None;
        }
        let (sin_u, sin_v) = (sine(u), sine(v));
        let lat = sin_u * sin_u;
        // The cosine of a sum of angles: latitude and twice u.
        let cos_to = self.cos_lat * (1.0 - 2.0 * lat) - self.sin_lat * (2.0 * sin_u * cosine(u));
        Some(Near { lat, lon: sin_v * sin_v, cos_from: self.cos_lat, cos_to })
    }
}

impl Near {
    /// The haversine of the distance.
    #[inline]
    pub(crate) fn haversine(&self) -> f64 {
        self.lat + self.cos_from * self.cos_to * self.lon
    }

    /// The haversine of the distance from the point to where its latitude meets the meridian from which it is seen.
    #[inline]
    pub(crate) fn haversine_of_parallel(&self) -> f64 {
        self.cos_to * self.cos_to * self.lon
    }
}

/// A distance, as haversines are compared with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Border {
    inside: f64,
    outside: f64,
}

impl Border {
    /// Creates the border at this many metres.
    pub(crate) fn at(metres: f64) -> Self {
        let half = metres / EARTH_RADIUS / 2.0;
        // Half of the circumference reaches all points.
        let haversine = if half < FRAC_PI_2 { half.sin().powi(2) } else { f64::INFINITY };
        Self { inside: haversine * (1.0 - MARGIN), outside: haversine * (1.0 + MARGIN) }
    }

    /// Whether a point at this haversine is within the distance; `None` if it is too close to the border.
    #[inline]
    pub(crate) fn holds(&self, haversine: f64) -> Option<bool> {
        if haversine < self.inside {
            Some(true)
        } else if haversine > self.outside {
            Some(false)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_as_good_as_they_say() {
        for i in -1000..=1000 {
            let x = f64::from(i) / 1000.0 * REACH;
            assert!((sine(x) - x.sin()).abs() <= x.abs() * 1e-13, "{x}");
            assert!((cosine(x) - x.cos()).abs() <= 1e-12, "{x}");
        }
    }

    #[test]
    fn haversines_of_near_points_are_those_of_their_distances() {
        for lat in [-85.0, -60.0, -0.1, 0.0, 30.0, 84.0] {
            for (east, north) in [(0.0, 0.0), (1e-6, 0.0), (0.0, -1e-5), (3.0, 1.0), (-28.0, -12.0)]
            {
                let from = Point { lon: 10.0, lat };
                let to = Point { lon: 10.0 + east, lat: (lat + north).clamp(-85.0, 85.0) };
                let near = Origin::new(from).near(to).unwrap();
                let hav = |metres: f64| (metres / EARTH_RADIUS / 2.0).sin().powi(2);
                let same = |a: f64, b: f64| (a - b).abs() <= 1e-11 * b;
                assert!(same(near.haversine(), hav(from.distance(to))), "{from:?} {to:?}");
                let foot = Point { lon: from.lon, lat: to.lat };
                assert!(same(near.haversine_of_parallel(), hav(to.distance(foot))), "{to:?}");
            }
        }
    }

    #[test]
    fn far_points_are_left_to_the_exact_distance() {
        let origin = Origin::new(Point { lon: 170.0, lat: 0.0 });
        assert!(origin.near(Point { lon: -179.0, lat: 0.0 }).is_none());
        assert!(origin.near(Point { lon: 140.0, lat: 0.0 }).is_none());
        assert!(origin.near(Point { lon: 170.0, lat: 30.0 }).is_none());
    }

    #[test]
    fn a_border_decides_but_where_it_is() {
        let border = Border::at(1000.0);
        let hav = |metres: f64| (metres / EARTH_RADIUS / 2.0).sin().powi(2);
        assert_eq!(border.holds(hav(999.999_99)), Some(true));
        assert_eq!(border.holds(hav(1000.0)), None);
        assert_eq!(border.holds(hav(1_000.000_01)), Some(false));
        assert_eq!(Border::at(0.0).holds(0.0), None);
        assert_eq!(Border::at(f64::INFINITY).holds(1.0), Some(true));
    }
}
