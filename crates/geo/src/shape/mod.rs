//! Areas: which points they contain, and which ranges of a sorted set to search.

mod circle;
mod polygon;
mod rectangle;

use core::ops::Range;

use circle::Circle;
use polygon::Polygon;
use rectangle::Rectangle;

use crate::cover::cover;
use crate::point::Origin;
use crate::window::Window;
use crate::{Error, Point, RedisCells, Unit, decode};

/// An area of GEOSEARCH: a circle, a rectangle or a polygon.
///
/// ```
/// use geo::{Point, Shape, Unit};
///
/// let here = Point::new(15.0, 37.0)?;
/// let shape = Shape::circle(here, 200.0, Unit::Kilometres)?;
/// let catania = Point::new(15.087269, 37.502669)?;
/// let distance = shape.contains(catania).unwrap();
/// assert_eq!(format!("{:.4}", Unit::Kilometres.of_metres(distance)), "56.4413");
/// assert!(shape.cover().iter().any(|range| range.contains(&catania.hash())));
/// # Ok::<(), geo::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Shape {
    origin: Origin,
    unit: Unit,
    window: Window,
    area: Area,
}

/// The area of a shape.
#[derive(Clone, Debug)]
enum Area {
    Circle(Circle),
    Rectangle(Rectangle),
    Polygon(Polygon),
}

/// A cell whose centre is in a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hit {
    /// The centre of the cell.
    pub point: Point,
    /// Its distance from the centre of the shape, in metres.
    pub distance: f64,
}

impl Shape {
    /// Creates a circle (BYRADIUS): the points within a radius of a centre.
    ///
    /// If rounding makes the distance NaN, opposite of the centre, the point counts as inside, as in Redis.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the radius is negative or NaN.
    pub fn circle(centre: Point, radius: f64, unit: Unit) -> Result<Self, Error> {
        let circle = Circle::new(length(radius)?, unit);
        let window = circle.window(centre);
        Ok(Self { origin: Origin::new(centre), unit, window, area: Area::Circle(circle) })
    }

    /// Creates a rectangle (BYBOX): the points at most half the height from a centre along the meridian, and at most
    /// half the width from the centre's meridian.
    ///
    /// The width is measured at the latitude of the point, along the great circle from the point to the intersection of
    /// the centre's meridian with that latitude. So the sides are not meridians: a box is as wide, in metres, at its
    /// top as at its bottom.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the width, or else the height, is negative or NaN.
    pub fn rectangle(centre: Point, width: f64, height: f64, unit: Unit) -> Result<Self, Error> {
        let rectangle = Rectangle::new(length(width)?, length(height)?, unit);
        let window = rectangle.window(centre);
        Ok(Self { origin: Origin::new(centre), unit, window, area: Area::Rectangle(rectangle) })
    }

    /// Creates a polygon (BYPOLYGON of Valkey 9): the points inside a closed line on the flat map of longitudes and
    /// latitudes.
    ///
    /// The last vertex is joined to the first. A point is inside if a line from it to the east crosses an odd number of
    /// edges, so an area that is enclosed twice is outside. Edges do not cross the date line: one from longitude 179 to
    /// -179 goes the long way, through 0.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewVertices`] if there are fewer than three vertices.
    ///
    /// ```
    /// use geo::{Point, Shape};
    ///
    /// let corners = [(0.0, 0.0), (10.0, 0.0), (0.0, 10.0)];
    /// let corners: Vec<_> = corners.iter().map(|&(x, y)| Point::new(x, y)).collect::<Result<_, _>>()?;
    /// let triangle = Shape::polygon(corners)?;
    /// assert!(triangle.contains(Point::new(2.0, 3.0)?).is_some());
    /// assert!(triangle.contains(Point::new(6.0, 6.0)?).is_none());
    /// # Ok::<(), geo::Error>(())
    /// ```
    pub fn polygon(vertices: impl Into<Box<[Point]>>) -> Result<Self, Error> {
        let polygon = Polygon::new(vertices.into())?;
        let (origin, window) = (Origin::new(polygon.middle()), polygon.window());
        Ok(Self { origin, unit: Unit::Metres, window, area: Area::Polygon(polygon) })
    }

    /// Returns the distance of a point from the centre of the shape, in metres, if the point is inside; else `None`.
    ///
    /// O(1), O(vertices) for a polygon.
    #[inline]
    #[must_use]
    pub fn contains(&self, point: Point) -> Option<f64> {
        let inside = match &self.area {
            Area::Circle(circle) => {
                let distance = self.origin.distance(point);
                return circle.reaches(distance).then_some(distance);
            }
            Area::Rectangle(rectangle) => rectangle.encloses(&self.origin, point),
            Area::Polygon(polygon) => polygon.encloses(point),
        };
        inside.then(|| self.origin.distance(point))
    }

    /// Returns whether a cell is in the bounding box, without a branch. It is true whenever
    /// [`contains_hash`](Self::contains_hash) returns a hit.
    #[inline]
    #[must_use]
    pub fn bounds_hash(&self, hash: u64) -> bool {
        self.window.holds(hash)
    }

    /// Returns the centre of a cell and its distance, if it is inside. This is [`contains`](Self::contains) for the
    /// result of [`decode`], but cells outside of the bounding box are rejected by a few comparisons, without decoding.
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> Option<Hit> {
        if !self.window.holds(hash) {
            return None;
        }
        let point = decode(hash);
        self.contains(point).map(|distance| Hit { point, distance })
    }

    /// Returns whether the centre of a cell is inside, in a fraction of the time of
    /// [`contains_hash`](Self::contains_hash), because the distance is not computed.
    #[inline]
    #[must_use]
    pub fn holds_hash(&self, hash: u64) -> bool {
        if !self.window.holds(hash) {
            return false;
        }
        let point = decode(hash);
        match &self.area {
            Area::Circle(circle) => circle.holds(&self.origin, point),
            Area::Rectangle(rectangle) => rectangle.holds(&self.origin, point),
            Area::Polygon(polygon) => polygon.encloses(point),
        }
    }

    /// Returns ranges of hashes that cover the shape, in ascending order and disjoint.
    ///
    /// Every hash of [`encode`](crate::encode) whose centre is in the shape is in one of them. They also contain
    /// others: use [`contains_hash`](Self::contains_hash) to decide. O(1), O(vertices) for a polygon.
    #[must_use]
    pub fn cover(&self) -> Vec<Range<u64>> {
        match &self.area {
            Area::Circle(_) | Area::Rectangle(_) => cover(&self.window, circle::GRAIN, |_| true),
            Area::Polygon(polygon) => {
                cover(&self.window, polygon::GRAIN, |square| polygon.meets(square))
            }
        }
    }

    /// Returns the point from which distances are measured.
    ///
    /// For a polygon it is the mean of its vertices on the sphere, which need not be inside. If the vertices cancel
    /// each other out there is no mean, and rounding determines the point.
    #[must_use]
    pub fn centre(&self) -> Point {
        self.origin.point
    }

    /// The unit in which the shape was created: metres for a polygon.
    #[must_use]
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Returns the cells that Redis searches, in its order.
    #[must_use]
    pub fn redis_cells(&self) -> RedisCells {
        let (reach, extent) = match &self.area {
            Area::Circle(circle) => circle.reach(self.centre()),
            Area::Rectangle(rectangle) => rectangle.reach(self.centre()),
            Area::Polygon(polygon) => polygon.reach(&self.origin),
        };
        RedisCells::new(self.centre(), reach, &extent)
    }
}

/// Validates a length: 0 or more, infinity included, as in Redis.
fn length(got: f64) -> Result<f64, Error> {
    if got >= 0.0 { Ok(got) } else { Err(Error::Length { got }) }
}

/// Adds a margin for rounding errors of distances to an angle: less than a centimetre for short ones. `None` if it is
/// close to half a turn, where distances lose half of their digits.
fn widen(angle: f64) -> Option<f64> {
    let angle = angle * (1.0 + 1e-9) + 1e-9;
    (angle < core::f64::consts::PI - 1e-3).then_some(angle)
}
