//! A rectangle: all points within a distance along each axis.

use core::f64::consts::{FRAC_PI_2, PI};

use super::widen;
use crate::haversine::Border;
use crate::point::{Origin, along_meridian, degrees, radians};
use crate::redis::Extent;
use crate::window::Window;
use crate::{EARTH_RADIUS, LATITUDES, Point, Unit};

/// The points at most half a height and half a width away: see [`Shape::rectangle`](crate::Shape::rectangle).
#[derive(Clone, Copy, Debug)]
pub(super) struct Rectangle {
    width: f64,
    height: f64,
    unit: Unit,
    /// Half the sides, in metres.
    aside: f64,
    up: f64,
    border: Border,
}

impl Rectangle {
    pub(super) fn new(width: f64, height: f64, unit: Unit) -> Self {
        let half = |side: f64| unit.to_metres(side) / 2.0;
        let (aside, up) = (half(width), half(height));
        Self { width, height, unit, aside, up, border: Border::at(aside) }
    }

    /// Whether a point is inside.
    #[inline]
    pub(super) fn encloses(&self, centre: &Origin, point: Point) -> bool {
        self.is_high(centre, point) && self.is_wide(centre, point)
    }

    /// Whether a point is inside, mostly without its exact distances.
    #[inline]
    pub(super) fn holds(&self, centre: &Origin, point: Point) -> bool {
        self.is_high(centre, point)
            && centre
                .near(point)
                .and_then(|near| self.border.holds(near.haversine_of_parallel()))
                .unwrap_or_else(|| self.is_wide(centre, point))
    }

    /// Whether the latitude of a point is within the height.
    #[inline]
    fn is_high(&self, centre: &Origin, point: Point) -> bool {
        along_meridian(point.lat, centre.point.lat) <= self.up
    }

    /// Whether a point is within the width. As for a circle, NaN counts as inside.
    #[inline]
    fn is_wide(&self, centre: &Origin, point: Point) -> bool {
        let aside = point.distance(Point { lon: centre.point.lon, lat: point.lat });
        !matches!(aside.partial_cmp(&self.aside), Some(core::cmp::Ordering::Greater))
    }

    /// How far Redis searches, and the bounding box that it computes.
    pub(super) fn reach(&self, centre: Point) -> (f64, Extent) {
        let (width, height) = (self.width / 2.0, self.height / 2.0);
        let factor = self.unit.metres();
        let corner = (width * width + height * height).sqrt() * factor;
        (corner, Extent::around(centre, factor * width, factor * height))
    }

    /// The window of the box.
    ///
    /// Half the width spans the most meridians where the parallel is shortest, at the latitude furthest from the
    /// equator. There the haversine formula gives sin(difference / 2) = sin(half width / 2) / cos(latitude).
    pub(super) fn window(&self, centre: Point) -> Window {
        let up = degrees(widen(self.up / EARTH_RADIUS).unwrap_or(PI));
        let south = (centre.lat - up).max(*LATITUDES.start());
        let north = (centre.lat + up).min(*LATITUDES.end());
        let Some(half_width) = widen(self.aside / EARTH_RADIUS) else {
            return Window::band(south, north);
        };
        let furthest = south.abs().max(north.abs());
        let sine = (half_width / 2.0).sin() / radians(furthest).cos();
        if half_width / 2.0 >= FRAC_PI_2 || sine >= 1.0 {
            return Window::band(south, north);
        }
        let aside = degrees(2.0 * sine.asin());
        Window::new(centre.lon - aside, centre.lon + aside, south, north)
    }
}
