//! All points within a distance.

use core::f64::consts::FRAC_PI_2;
use core::ops::Range;

use super::{length, widen};
use crate::cover::{Grain, cover};
use crate::point::{Origin, degrees, radians};
use crate::redis::{Extent, RedisCells};
use crate::window::Window;
use crate::{EARTH_RADIUS, Error, Point, Unit};

pub(super) const GRAIN: Grain = Grain { squares: 16, gap: 2 };

/// The points at most a radius away from a centre.
#[derive(Clone, Copy, Debug)]
pub struct Circle {
    origin: Origin,
    radius: f64,
    unit: Unit,
    metres: f64,
    window: Window,
}

impl Circle {
    /// The circle of a radius in a unit.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the radius is negative or not a number.
    pub fn new(centre: Point, radius: f64, unit: Unit) -> Result<Self, Error> {
        let radius = length(radius)?;
        let metres = unit.to_metres(radius);
        let window = window(centre, metres / EARTH_RADIUS);
        Ok(Self { origin: Origin::new(centre), radius, unit, metres, window })
    }

    /// The distance of a point from the centre in metres, if it is at most the radius.
    ///
    /// Where rounding leaves no number, opposite of the centre, Redis takes the point as inside, and so does this.
    #[inline]
    #[must_use]
    pub fn contains(&self, point: Point) -> Option<f64> {
        let distance = self.origin.distance(point);
        if distance > self.metres { None } else { Some(distance) }
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

    /// The unit of the radius.
    #[must_use]
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The cells that Redis searches.
    #[must_use]
    pub fn redis_cells(&self) -> RedisCells {
        let half = self.unit.metres() * self.radius;
        let extent = Extent::around(self.centre(), half, half);
        RedisCells::new(self.centre(), self.metres, &extent)
    }

    pub(crate) fn window(&self) -> &Window {
        &self.window
    }
}

/// The window of a circle whose radius is an angle.
///
/// Its meridians furthest east and west touch the circle, and where they do, radius and meridian meet at a right angle, which gives
/// sin(difference) = sin(radius) / cos(latitude). A circle around a pole has all meridians: the sine is 1 or more then, or the
/// radius a quarter of a turn or more.
fn window(centre: Point, radius: f64) -> Window {
    let Some(radius) = widen(radius) else { return Window::band(-90.0, 90.0) };
    let lat = radians(centre.lat);
    let (south, north) = (degrees(lat - radius), degrees(lat + radius));
    let sine = radius.sin() / lat.cos();
    if sine >= 1.0 || radius >= FRAC_PI_2 {
        return Window::band(south, north);
    }
    let aside = degrees(sine.asin());
    Window::new(centre.lon - aside, centre.lon + aside, south, north)
}
