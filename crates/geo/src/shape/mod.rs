//! Areas: what is in them, and where in a sorted set to look for it.

mod circle;
mod polygon;
mod rectangle;

use core::ops::Range;

pub use circle::Circle;
pub use polygon::Polygon;
pub use rectangle::Rectangle;

use crate::{Error, Point, RedisCells, Unit, decode};

/// An area, as GEOSEARCH takes it.
///
/// ```
/// use geo::{Circle, Point, Shape, Unit};
///
/// let here = Point::new(15.0, 37.0)?;
/// let shape = Shape::from(Circle::new(here, 200.0, Unit::Kilometres)?);
/// let catania = Point::new(15.087269, 37.502669)?;
/// let distance = shape.contains(catania).unwrap();
/// assert_eq!(format!("{:.4}", Unit::Kilometres.of_metres(distance)), "56.4413");
/// assert!(shape.cover().iter().any(|range| range.contains(&catania.hash())));
/// # Ok::<(), geo::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Shape {
    /// BYRADIUS
    Circle(Circle),
    /// BYBOX
    Rectangle(Rectangle),
    /// BYPOLYGON
    Polygon(Polygon),
}

/// A cell whose centre is in a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The centre of the cell.
    pub point: Point,
    /// Its distance from the centre of the shape in metres.
    pub distance: f64,
}

impl Shape {
    /// The distance of a point from the centre of the shape in metres, if the point is inside.
    #[must_use]
    pub fn contains(&self, point: Point) -> Option<f64> {
        match self {
            Self::Circle(circle) => circle.contains(point),
            Self::Rectangle(rectangle) => rectangle.contains(point),
            Self::Polygon(polygon) => polygon.contains(point),
        }
    }

    /// Whether the centre of a cell is inside: [`contains`](Self::contains) of [`decode`], but cells outside of the bounding
    /// box are refused by a few comparisons, without decoding.
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: u64) -> Option<Hit> {
        let window = match self {
            Self::Circle(circle) => circle.window(),
            Self::Rectangle(rectangle) => rectangle.window(),
            Self::Polygon(polygon) => polygon.window(),
        };
        if !window.holds(hash) {
            return None;
        }
        let point = decode(hash);
        self.contains(point).map(|distance| Hit { point, distance })
    }

    /// Ranges of scores that hold the cells of all points of the shape, in order, apart from each other.
    ///
    /// Every hash that [`encode`](crate::encode) makes, and whose centre is in the shape, is in one of them. They hold others too:
    /// [`contains_hash`](Self::contains_hash) tells.
    #[must_use]
    pub fn cover(&self) -> Vec<Range<u64>> {
        match self {
            Self::Circle(circle) => circle.cover(),
            Self::Rectangle(rectangle) => rectangle.cover(),
            Self::Polygon(polygon) => polygon.cover(),
        }
    }

    /// The point from which distances are measured: of a polygon, the middle of its vertices.
    #[must_use]
    pub fn centre(&self) -> Point {
        match self {
            Self::Circle(circle) => circle.centre(),
            Self::Rectangle(rectangle) => rectangle.centre(),
            Self::Polygon(polygon) => polygon.centre(),
        }
    }

    /// The unit in which the shape was given, and in which distances are told: metres for a polygon.
    #[must_use]
    pub fn unit(&self) -> Unit {
        match self {
            Self::Circle(circle) => circle.unit(),
            Self::Rectangle(rectangle) => rectangle.unit(),
            Self::Polygon(_) => Unit::Metres,
        }
    }

    /// The cells that Redis searches, in its order.
    #[must_use]
    pub fn redis_cells(&self) -> RedisCells {
        match self {
            Self::Circle(circle) => circle.redis_cells(),
            Self::Rectangle(rectangle) => rectangle.redis_cells(),
            Self::Polygon(polygon) => polygon.redis_cells(),
        }
    }
}

impl From<Circle> for Shape {
    fn from(circle: Circle) -> Self {
        Self::Circle(circle)
    }
}

impl From<Rectangle> for Shape {
    fn from(rectangle: Rectangle) -> Self {
        Self::Rectangle(rectangle)
    }
}

impl From<Polygon> for Shape {
    fn from(polygon: Polygon) -> Self {
        Self::Polygon(polygon)
    }
}

/// A length that is one: 0 or more, infinity included, as in Redis.
fn length(got: f64) -> Result<f64, Error> {
    if got >= 0.0 { Ok(got) } else { Err(Error::Length { got }) }
}

/// An angle with a margin for what rounding does to distances: less than a centimetre on short ones. None if it is as good as
/// half a turn, where distances lose half of their digits.
fn widen(angle: f64) -> Option<f64> {
    let angle = angle * (1.0 + 1e-9) + 1e-9;
    (angle < core::f64::consts::PI - 1e-3).then_some(angle)
}
