//! A circle: all points within a distance.

use core::f64::consts::FRAC_PI_2;

use super::widen;
use crate::cover::Grain;
use crate::haversine::Border;
use crate::point::{Origin, degrees, radians};
use crate::redis::Extent;
use crate::window::Window;
use crate::{EARTH_RADIUS, Point, Unit};

pub(super) const GRAIN: Grain = Grain { squares: 16, gap: 2 };

/// The points within a distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circle {
    radius: f64,
    unit: Unit,
    metres: f64,
    border: Border,
}

impl Circle {
    pub(super) fn new(radius: f64, unit: Unit) -> Self {
        let metres = unit.to_metres(radius);
        Self { radius, unit, metres, border: Border::at(metres) }
    }

    /// Whether a point at this distance is inside.
    #[inline]
    pub(super) fn reaches(&self, distance: f64) -> bool {
        // Not `distance <= self.metres`: see `Shape::circle` on what is not a number.
        !matches!(distance.partial_cmp(&self.metres), Some(core::cmp::Ordering::Greater))
    }

    /// Whether a point is inside, mostly without its exact distance.
    #[inline]
    pub(super) fn holds(&self, centre: &Origin, point: Point) -> bool {
        let near = centre.near(point);
        near.and_then(|near| self.border.holds(near.haversine()))
            .unwrap_or_else(|| self.reaches(centre.distance(point)))
    }

    /// How far Redis searches, and the bounding box that it computes.
    pub(super) fn reach(&self, centre: Point) -> (f64, Extent) {
        let half = self.unit.metres() * self.radius;
        (self.metres, Extent::around(centre, half, half))
    }

    /// The window of the circle.
    ///
    /// Its meridians furthest east and west touch the circle, and where they do, radius and meridian meet at a right
    /// angle, which gives sin(difference) = sin(radius) / cos(latitude). A circle around a pole has all meridians: the
    /// sine is 1 or more then, or the radius a quarter of a turn or more.
    pub(super) fn window(&self, centre: Point) -> Window {
        let Some(radius) = widen(self.metres / EARTH_RADIUS) else {
            return Window::band(-90.0, 90.0);
        };
        let lat = radians(centre.lat);
        let (south, north) = (degrees(lat - radius), degrees(lat + radius));
        let sine = radius.sin() / lat.cos();
        if sine >= 1.0 || radius >= FRAC_PI_2 {
            return Window::band(south, north);
        }
        let aside = degrees(sine.asin());
        Window::new(centre.lon - aside, centre.lon + aside, south, north)
    }
}
