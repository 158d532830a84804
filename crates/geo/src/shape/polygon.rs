//! A polygon: all points inside a closed line of vertices.

use crate::cover::Grain;
use crate::hash::Cell;
use crate::point::{Origin, degrees, radians};
use crate::redis::Extent;
use crate::window::Window;
use crate::{Error, Point};

/// Squares outside of a polygon are worth finding: most of the window of a long or hollow polygon is empty.
pub(super) const GRAIN: Grain = Grain { squares: 64, gap: 1 };

/// The distance from a square within which an edge counts as inside, in degrees and, for cross products, in square
/// degrees: more than all rounding errors.
const NEAR: f64 = 1e-9;

/// The points inside of a closed line: see [`Shape::polygon`](crate::Shape::polygon).
#[derive(Clone, Debug)]
pub(super) struct Polygon {
    vertices: Box<[Point]>,
    extent: Extent,
}

impl Polygon {
    pub(super) fn new(vertices: Box<[Point]>) -> Result<Self, Error> {
        if vertices.len() < 3 {
            return Err(Error::TooFewVertices { got: vertices.len() });
        }
        let extent = Extent::of(&vertices);
        Ok(Self { vertices, extent })
    }

    /// Whether a point is inside. O(vertices).
    pub(super) fn encloses(&self, point: Point) -> bool {
        let Point { lon, lat } = point;
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

    /// Whether a square may have points inside: not if no edge is near and its centre is outside.
    pub(super) fn meets(&self, square: &Cell) -> bool {
        let centre = Point {
            lon: f64::midpoint(square.west, square.east),
            lat: f64::midpoint(square.south, square.north),
        };
        self.edges().any(|(a, b)| near(a, b, square)) || self.encloses(centre)
    }

    /// The direction of the sum of the vertices as vectors from the centre of the sphere.
    pub(super) fn middle(&self) -> Point {
        let (mut x, mut y, mut z) = (0.0, 0.0, 0.0);
        for vertex in &self.vertices {
            let (lon, lat) = (radians(vertex.lon), radians(vertex.lat));
            x += lat.cos() * lon.cos();
            y += lat.cos() * lon.sin();
            z += lat.sin();
        }
        Point { lon: degrees(y.atan2(x)), lat: degrees(z.atan2((x * x + y * y).sqrt())) }
    }

    /// How far Valkey searches, to the furthest corner of the bounding box, and that box.
    pub(super) fn reach(&self, middle: &Origin) -> (f64, Extent) {
        let Extent { west, east, south, north } = self.extent;
        let corners = [(west, north), (east, north), (west, south), (east, south)];
        let reach = corners
            .map(|(lon, lat)| middle.distance(Point { lon, lat }))
            .into_iter()
            .fold(f64::NEG_INFINITY, |most, next| if next > most { next } else { most });
        (reach, self.extent)
    }

    pub(super) fn window(&self) -> Window {
        let Extent { west, east, south, north } = self.extent;
        Window::flat(west, east, south, north)
    }
}

/// Whether an edge may come near a square: their bounding boxes meet, and the corners are not all on one side of the
/// edge.
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
