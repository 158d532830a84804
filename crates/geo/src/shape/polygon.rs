//! All points inside of a line of vertices.

use core::ops::Range;

use crate::cover::{Grain, cover};
use crate::hash::Cell;
use crate::point::{Origin, degrees, radians};
use crate::redis::{Extent, RedisCells};
use crate::window::Window;
use crate::{Error, Point};

/// The squares that a polygon leaves out are worth finding: a long or hollow one leaves most of its window empty.
const GRAIN: Grain = Grain { squares: 64, gap: 1 };

/// How near to a square an edge counts as in it, in degrees and, for cross products, in square degrees: more than all rounding.
const NEAR: f64 = 1e-9;

/// The points inside of a closed line, on the flat map of longitudes and latitudes, as Valkey 9 has them.
///
/// The last vertex is joined to the first. A point is inside if a line from it to the east crosses an odd number of edges, so where
/// the line crosses itself, what is enclosed twice is outside. On the flat map edges do not pass the date line: one from longitude
/// 179 to -179 goes the long way, through 0.
#[derive(Clone, Debug)]
pub struct Polygon {
    vertices: Box<[Point]>,
    origin: Origin,
    extent: Extent,
    window: Window,
}

impl Polygon {
    /// The polygon of these vertices.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewVertices`] if there are fewer than three.
    ///
    /// ```
    /// use geo::{Point, Polygon};
    ///
    /// let corners = [(0.0, 0.0), (10.0, 0.0), (0.0, 10.0)];
    /// let corners: Vec<_> = corners.iter().map(|&(x, y)| Point::new(x, y)).collect::<Result<_, _>>()?;
    /// let polygon = Polygon::new(corners)?;
    /// assert!(polygon.contains(Point::new(2.0, 3.0)?).is_some());
    /// assert!(polygon.contains(Point::new(6.0, 6.0)?).is_none());
    /// # Ok::<(), geo::Error>(())
    /// ```
    pub fn new(vertices: impl Into<Box<[Point]>>) -> Result<Self, Error> {
        let vertices = vertices.into();
        if vertices.len() < 3 {
            return Err(Error::TooFewVertices { got: vertices.len() });
        }
        let extent = Extent::of(&vertices);
        let window = Window::flat(extent.west, extent.east, extent.south, extent.north);
        let origin = Origin::new(middle(&vertices));
        Ok(Self { vertices, origin, extent, window })
    }

    /// The distance of a point from the middle of the vertices in metres, if the point is inside.
    ///
    /// O(vertices).
    #[must_use]
    pub fn contains(&self, point: Point) -> Option<f64> {
        self.encloses(point.lon, point.lat).then(|| self.origin.distance(point))
    }

    fn encloses(&self, lon: f64, lat: f64) -> bool {
        let crossed = self.edges().filter(|&(a, b)| {
            (a.lat > lat) != (b.lat > lat)
                && lon < (b.lon - a.lon) * (lat - a.lat) / (b.lat - a.lat) + a.lon
        });
        crossed.count() % 2 == 1
    }

    /// Each vertex with the one before it.
    fn edges(&self) -> impl Iterator<Item = (Point, Point)> {
        let before = self.vertices.iter().cycle().skip(self.vertices.len() - 1);
        self.vertices.iter().copied().zip(before.copied())
    }

    /// Ranges of scores that hold the cells of all points inside: see [`Shape::cover`](crate::Shape::cover).
    ///
    /// O(vertices).
    #[must_use]
    pub fn cover(&self) -> Vec<Range<u64>> {
        cover(&self.window, GRAIN, |square| self.meets(square))
    }

    /// Whether a square has points inside: surely not if no edge comes near and its centre is outside.
    fn meets(&self, square: &Cell) -> bool {
        self.edges().any(|(a, b)| near(a, b, square))
            || self.encloses(
                f64::midpoint(square.west, square.east),
                f64::midpoint(square.south, square.north),
            )
    }

    /// The middle of the vertices on the sphere, from which distances are measured.
    ///
    /// It need not be inside. Vertices that outweigh each other have no middle; which point this is then, rounding decides.
    #[must_use]
    pub fn centre(&self) -> Point {
        self.origin.point
    }

    /// The vertices.
    #[must_use]
    pub fn vertices(&self) -> &[Point] {
        &self.vertices
    }

    /// The cells that Valkey searches.
    #[must_use]
    pub fn redis_cells(&self) -> RedisCells {
        let Extent { west, east, south, north } = self.extent;
        let corners = [(west, north), (east, north), (west, south), (east, south)];
        let reach = corners
            .map(|(lon, lat)| self.origin.distance(Point { lon, lat }))
            .into_iter()
            .fold(f64::NEG_INFINITY, |most, next| if next > most { next } else { most });
        RedisCells::new(self.centre(), reach, &self.extent)
    }

    pub(crate) fn window(&self) -> &Window {
        &self.window
    }
}

/// The direction of the sum of the vertices as vectors from the centre of the sphere.
fn middle(vertices: &[Point]) -> Point {
    let (mut x, mut y, mut z) = (0.0, 0.0, 0.0);
    for vertex in vertices {
        let (lon, lat) = (radians(vertex.lon), radians(vertex.lat));
        x += lat.cos() * lon.cos();
        y += lat.cos() * lon.sin();
        z += lat.sin();
    }
    Point { lon: degrees(y.atan2(x)), lat: degrees(z.atan2((x * x + y * y).sqrt())) }
}

/// Whether an edge may come near a square: their bounding boxes meet, and the corners are not all on one side of the edge.
fn near(a: Point, b: Point, square: &Cell) -> bool {
    let (west, east) = (square.west - NEAR, square.east + NEAR);
    let (south, north) = (square.south - NEAR, square.north + NEAR);
    if a.lon.max(b.lon) < west
        || a.lon.min(b.lon) > east
        || a.lat.max(b.lat) < south
        || a.lat.min(b.lat) > north
    {
        return false;
    }
    let side =
        |lon: f64, lat: f64| (b.lon - a.lon) * (lat - a.lat) - (b.lat - a.lat) * (lon - a.lon);
    let sides = [side(west, south), side(west, north), side(east, south), side(east, north)];
    !(sides.iter().all(|&side| side > NEAR) || sides.iter().all(|&side| side < -NEAR))
}
