//! Shapes and points compared with a plain scan, with points near the positions where errors are likely.
//!
//! The model test and the fuzz target share this file.
#![expect(clippy::unwrap_used, reason = "the tests look for failures here")]

use arbitrary::{Arbitrary, Unstructured};
use geo::{EARTH_RADIUS, LATITUDES, Point, Shape, Unit};
use geo::{decode, hash_of_score, score};

/// A position: anywhere, or at the edge of the map.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub(crate) enum Place {
    /// Anywhere, as fractions of the map.
    Any(u32, u32),
    /// At this distance from the date line, in cells of 2^-32 of the map, and at a fraction of the height.
    DateLine(i16, u32),
    /// At this distance from the northern or the southern edge of the map.
    Pole(u32, u16, bool),
    /// A corner, the middle of a side, or the centre.
    Nine(u8),
}

impl Place {
    fn point(self) -> Point {
        let part = |part: u32| f64::from(part) / f64::from(u32::MAX);
        let north = *LATITUDES.end();
        let lat = |at: u32| (part(at) * 2.0 - 1.0) * north;
        let near = |steps: f64| steps / f64::from(1 << 26);
        let (lon, lat) = match self {
            Self::Any(x, y) => (part(x) * 360.0 - 180.0, lat(y)),
            Self::DateLine(steps, y) if steps < 0 => (180.0 + 360.0 * near(steps.into()), lat(y)),
            Self::DateLine(steps, y) => (-180.0 + 360.0 * near(steps.into()), lat(y)),
            Self::Pole(x, steps, up) => {
                let lat = north - north * near(f64::from(steps));
                (part(x) * 360.0 - 180.0, if up { lat } else { -lat })
            }
            Self::Nine(which) => {
                let side = |which: u8| f64::from(which % 3) - 1.0;
                (180.0 * side(which), north * side(which / 3))
            }
        };
        Point::new(lon, lat).unwrap()
    }
}

/// A length in metres, from an order of magnitude and digits.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub(crate) struct Length(u8, u16);

impl Length {
    fn metres(self) -> f64 {
        match self.0 {
            0..8 => 0.0,
            8..12 => f64::INFINITY,
            // From less than a cell to more than the circumference.
            magnitude => {
                10_f64.powf(f64::from(magnitude) / 32.0) * (0.01 + f64::from(self.1) / 6.5e4)
            }
        }
    }
}

/// A shape.
#[derive(Arbitrary, Clone, Debug)]
pub(crate) enum Area {
    /// A centre and a radius.
    Circle(Place, Length, u8),
    /// A centre, a width and a height.
    Rectangle(Place, Length, Length, u8),
    /// Vertices anywhere.
    Polygon([Place; 3], Vec<Place>),
    /// Vertices around a position, by directions and distances up to a length.
    Star(Place, Length, [(u8, u8); 3], Vec<(u8, u8)>),
}

fn unit(which: u8) -> Unit {
    [Unit::Metres, Unit::Kilometres, Unit::Feet, Unit::Miles][usize::from(which % 4)]
}

impl Area {
    fn shape(&self) -> Shape {
        match self {
            &Self::Circle(centre, radius, of) => {
                let radius = unit(of).of_metres(radius.metres());
                Shape::circle(centre.point(), radius, unit(of)).unwrap()
            }
            &Self::Rectangle(centre, width, height, of) => {
                let [width, height] = [width, height].map(|side| unit(of).of_metres(side.metres()));
                Shape::rectangle(centre.point(), width, height, unit(of)).unwrap()
            }
            Self::Polygon(first, more) => {
                let vertices: Vec<_> =
                    first.iter().chain(more).map(|place| place.point()).collect();
                Shape::polygon(vertices).unwrap()
            }
            Self::Star(centre, size, first, more) => {
                let tip = |&(turn, part): &(u8, u8)| {
                    let metres = size.metres().min(1e7) * f64::from(part) / 255.0;
                    walk(centre.point(), metres, f64::from(turn) / 256.0)
                };
                let vertices: Vec<_> = first.iter().chain(more).map(tip).collect();
                Shape::polygon(vertices).unwrap()
            }
        }
    }

    /// A position on or near the border of the shape, seen from its centre in a direction in turns.
    fn border(&self, shape: &Shape, turn: f64, off: f64) -> Point {
        let metres = match self {
            Self::Circle(_, radius, _) => radius.metres(),
            &Self::Rectangle(_, width, height, _) => {
                let (north, east) = (core::f64::consts::TAU * turn).sin_cos();
                (width.metres() / 2.0 / east.abs()).min(height.metres() / 2.0 / north.abs())
            }
            Self::Polygon(..) => 1e6,
            Self::Star(_, size, ..) => size.metres(),
        };
        walk(shape.centre(), metres.min(4e7) * off, turn)
    }
}

/// The position at this distance in metres along a great circle that starts at an angle, in turns, north of east: moved
/// onto the map if it lies beyond.
fn walk(from: Point, metres: f64, turn: f64) -> Point {
    let angle = metres / EARTH_RADIUS;
    let (lat, lon) = (from.lat().to_radians(), from.lon().to_radians());
    let (north, east) = (core::f64::consts::TAU * turn).sin_cos();
    let sine = lat.sin() * angle.cos() + lat.cos() * angle.sin() * north;
    let to_lat = sine.clamp(-1.0, 1.0).asin();
    let aside = (east * angle.sin() * lat.cos()).atan2(angle.cos() - lat.sin() * sine);
    let lon = (lon + aside).to_degrees();
    let lon = if lon > 180.0 { lon - 360.0 } else { lon };
    let lon = if lon < -180.0 { lon + 360.0 } else { lon };
    let edge = *LATITUDES.end();
    Point::new(lon.clamp(-180.0, 180.0), to_lat.to_degrees().clamp(-edge, edge)).unwrap()
}

/// A point of a case.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Probe {
    /// Anywhere.
    Place(Place),
    /// In a direction, on or near the border.
    Border(u16, i16),
}

impl Probe {
    fn points(self, area: &Area, shape: &Shape) -> Vec<Point> {
        match self {
            Self::Place(place) => vec![place.point()],
            // Within parts in 10^3, 10^6 or 10^9 of the border, and anywhere inside.
            Self::Border(turn, off) => [1e-3, 1e-6, 1e-9, 1.0]
                .map(|by| {
                    let off = (1.0 + by * f64::from(off) / 32_768.0).abs();
                    area.border(shape, f64::from(turn) / 65_536.0, off)
                })
                .into(),
        }
    }
}

/// One case: a shape and points.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    area: Area,
    probes: Vec<Probe>,
}

/// The case that the fuzzer would read from `bytes`.
pub(crate) fn case(bytes: &[u8]) -> Option<Case> {
    let mut u = Unstructured::new(bytes);
    let area = u.arbitrary().ok()?;
    let mut probes = Vec::new();
    while !u.is_empty() && probes.len() < 100 {
        probes.push(u.arbitrary().ok()?);
    }
    Some(Case { area, probes })
}

/// Checks the cover of a shape, and its results for the points.
pub(crate) fn run(case: &Case) {
    let shape = case.area.shape();
    let cover = shape.cover();
    assert!(cover.len() <= 70, "{} ranges", cover.len());
    assert!(cover.iter().all(|range| range.start < range.end));
    assert!(cover.is_sorted_by(|a, b| a.end < b.start), "{cover:?}");
    let cells = shape.redis_cells();
    assert!(cells.ranges().len() <= 9);

    for point in case.probes.iter().flat_map(|probe| probe.points(&case.area, &shape)) {
        // The result of a sorted set.
        let hash = hash_of_score(score(point.hash()));
        let centre = decode(hash);
        let told = shape.contains(centre);
        let hit = shape.contains_hash(hash);
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits();
        match (told, hit) {
            (None, None) => {}
            (Some(distance), Some(hit)) => {
                assert!(same(distance, hit.distance) && hit.point == centre);
                assert!(same(distance, shape.centre().distance(centre)));
            }
            differing => panic!("{differing:?} of {centre:?} in {shape:?}"),
        }
        assert_eq!(shape.holds_hash(hash), told.is_some(), "{centre:?} in {shape:?}");
        if told.is_some() {
            let covered = cover.iter().any(|range| range.contains(&hash));
            assert!(covered, "{centre:?} of {shape:?} is not in {cover:?}");
        }
    }
}
