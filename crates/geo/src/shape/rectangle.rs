//! All points within a distance along each axis.

use core::f64::consts::{FRAC_PI_2, PI};
use core::ops::Range;

use super::circle::GRAIN;
use super::{length, widen};
use crate::cover::cover;
use crate::point::{Origin, along_meridian, degrees, radians};
use crate::redis::{Extent, RedisCells};
use crate::window::Window;
use crate::{EARTH_RADIUS, Error, LATITUDES, Point, Unit};

/// The points at most half a height from the centre along the meridian, and at most half a width from the centre's meridian.
///
/// The width is measured at the latitude of the point, along the great circle from the point to where the centre's meridian
/// meets that latitude. So the sides are not meridians: a box is as wide in metres at its top as at its bottom.
#[derive(Clone, Copy, Debug)]
pub struct Rectangle {
    origin: Origin,
    width: f64,
    height: f64,
    unit: Unit,
    window: Window,
}

impl Rectangle {
    /// The box of a width and a height in a unit.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the width, then the height, is negative or not a number.
    pub fn new(centre: Point, width: f64, height: f64, unit: Unit) -> Result<Self, Error> {
        let (width, height) = (length(width)?, length(height)?);
        let half = |side: f64| unit.to_metres(side) / 2.0 / EARTH_RADIUS;
        let window = window(centre, half(width), half(height));
        Ok(Self { origin: Origin::new(centre), width, height, unit, window })
    }

    /// The distance of a point from the centre in metres, if it is inside.
    #[inline]
    #[must_use]
    pub fn contains(&self, point: Point) -> Option<f64> {
        let centre = self.centre();
        if along_meridian(point.lat, centre.lat) > self.unit.to_metres(self.height) / 2.0 {
            return None;
        }
        let aside = point.distance(Point { lon: centre.lon, lat: point.lat });
        if aside > self.unit.to_metres(self.width) / 2.0 {
            return None;
        }
        Some(self.origin.distance(point))
    }

    /// Ranges of scores that hold the cells of all points inside: see [`Shape::cover`](crate::Shape::cover).
    #[must_use]
    pub fn cover(&self) -> Vec<Range<u64>> {
        cover(&self.window, GRAIN, |_| true)
    }

    /// The centre.
    #[must_use]
    pub fn centre(&self) -> Point {
        self.origin.point
    }

    /// The unit of width and height.
    #[must_use]
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The cells that Redis searches.
    #[must_use]
    pub fn redis_cells(&self) -> RedisCells {
        let (width, height) = (self.width / 2.0, self.height / 2.0);
        let factor = self.unit.metres();
        let extent = Extent::around(self.centre(), factor * width, factor * height);
        let corner = (width * width + height * height).sqrt() * factor;
        RedisCells::new(self.centre(), corner, &extent)
    }

    pub(crate) fn window(&self) -> &Window {
        &self.window
    }
}

/// The window of a box whose half sides are angles.
///
/// Half the width spans the most meridians where the parallel is shortest, at the latitude furthest from the equator. There the
/// haversine formula gives sin(difference / 2) = sin(half width / 2) / cos(latitude).
fn window(centre: Point, half_width: f64, half_height: f64) -> Window {
    let up = degrees(widen(half_height).unwrap_or(PI));
    let south = (centre.lat - up).max(*LATITUDES.start());
    let north = (centre.lat + up).min(*LATITUDES.end());
    let Some(half_width) = widen(half_width) else { return Window::band(south, north) };
    let furthest = south.abs().max(north.abs());
    let sine = (half_width / 2.0).sin() / radians(furthest).cos();
    if half_width / 2.0 >= FRAC_PI_2 || sine >= 1.0 {
        return Window::band(south, north);
    }
    let aside = degrees(2.0 * sine.asin());
    Window::new(centre.lon - aside, centre.lon + aside, south, north)
}
