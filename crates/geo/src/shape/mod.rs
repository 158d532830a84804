//! Areas: what is in them, and where in a sorted set to look for it.

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

/// An area, as GEOSEARCH takes it: a circle, a rectangle or a polygon.
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

/// What is inside.
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
    /// Its distance from the centre of the shape in metres.
    pub distance: f64,
}

impl Shape {
    /// BYRADIUS: the points at most a radius away from a centre.
    ///
    /// Where rounding leaves no number, opposite of the centre, Redis takes the point as inside, and so does this.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the radius is negative or not a number.
    pub fn circle(centre: Point, radius: f64, unit: Unit) -> Result<Self, Error> {
        let circle = Circle::new(length(radius)?, unit);
        let window = circle.window(centre);
        Ok(Self { origin: Origin::new(centre), unit, window, area: Area::Circle(circle) })
    }

    /// BYBOX: the points at most half a height from a centre along the meridian, and at most half a width from the
    /// centre's meridian.
    ///
    /// The width is measured at the latitude of the point, along the great circle from the point to where the centre's
    /// meridian meets that latitude. So the sides are not meridians: a box is as wide in metres at its top as at its
    /// bottom.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] if the width, then the height, is negative or not a number.
    pub fn rectangle(centre: Point, width: f64, height: f64, unit: Unit) -> Result<Self, Error> {
        let rectangle = Rectangle::new(length(width)?, length(height)?, unit);
        let window = rectangle.window(centre);
        Ok(Self { origin: Origin::new(centre), unit, window, area: Area::Rectangle(rectangle) })
    }

    /// BYPOLYGON: the points inside of a closed line, on the flat map of longitudes and latitudes, as Valkey 9 has
    /// them.
    ///
    /// The last vertex is joined to the first. A point is inside if a line from it to the east crosses an odd number of
    /// edges, so where the line crosses itself, what is enclosed twice is outside. On the flat map edges do not pass
    /// the date line: one from longitude 179 to -179 goes the long way, through 0.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewVertices`] if there are fewer than three.
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

    /// The distance of a point from the centre of the shape in metres, if the point is inside.
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

    /// Whether a cell is in the bounding box: never false if [`contains_hash`](Self::contains_hash) is some, and takes
    /// no branch.
    #[inline]
    #[must_use]
    pub fn bounds_hash(&self, hash: u64) -> bool {
        self.window.holds(hash)
    }

    /// Whether the centre of a cell is inside, and how far away: [`contains`](Self::contains) of [`decode`], but cells
    /// outside of the bounding box are refused by a few comparisons, without decoding.
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> Option<Hit> {
        if !self.window.holds(hash) {
            return None;
        }
        let point = decode(hash);
        self.contains(point).map(|distance| Hit { point, distance })
    }

    /// Whether the centre of a cell is inside, where the distance is not asked for: says what
    /// [`contains_hash`](Self::contains_hash) says in a fraction of the time.
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

    /// Ranges of scores that hold the cells of all points of the shape, in order, apart from each other.
    ///
    /// Every hash that [`encode`](crate::encode) makes, and whose centre is in the shape, is in one of them. They hold
    /// others too: [`contains_hash`](Self::contains_hash) decides. O(1), O(vertices) for a polygon.
    #[must_use]
    pub fn cover(&self) -> Vec<Range<u64>> {
        match &self.area {
            Area::Circle(_) | Area::Rectangle(_) => cover(&self.window, circle::GRAIN, |_| true),
            Area::Polygon(polygon) => {
                cover(&self.window, polygon::GRAIN, |square| polygon.meets(square))
            }
        }
    }

    /// The point from which distances are measured.
    ///
    /// Of a polygon the middle of its vertices on the sphere. It need not be inside. Vertices that outweigh each other
    /// have no middle; which point this is then, rounding decides.
    #[must_use]
    pub fn centre(&self) -> Point {
        self.origin.point
    }

    /// The unit in which the shape was given, and in which distances are returned: metres for a polygon.
    #[must_use]
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The cells that Redis searches, in its order.
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

/// A length that is one: 0 or more, infinity included, as in Redis.
fn length(got: f64) -> Result<f64, Error> {
    if got >= 0.0 { Ok(got) } else { Err(Error::Length { got }) }
}

/// An angle with a margin for what rounding does to distances: less than a centimetre on short ones. None if it is as
/// good as half a turn, where distances lose half of their digits.
fn widen(angle: f64) -> Option<f64> {
    let angle = angle * (1.0 + 1e-9) + 1e-9;
    (angle < core::f64::consts::PI - 1e-3).then_some(angle)
}
