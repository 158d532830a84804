//! Random shapes compared with a plain scan, and properties of every position.
#![expect(clippy::unwrap_used, reason = "the tests look for failures here")]

use geo::{Cell, LATITUDES, Point, Shape, Unit, decode, hash_of_score, score};
use proptest::prelude::*;

#[path = "../driver/mod.rs"]
mod driver;

/// Encodes by halving the map, one bit at a time, by the definition of a hash.
fn halved(point: Point) -> u64 {
    let mut hash = 0;
    let mut sides = [(-180.0, 180.0), (*LATITUDES.start(), *LATITUDES.end())];
    for step in 0..52 {
        let (low, high) = &mut sides[step % 2];
        let middle = f64::midpoint(*low, *high);
        let upper = [point.lon(), point.lat()][step % 2] >= middle;
        *(if upper { low } else { high }) = middle;
        hash = hash << 1 | u64::from(upper);
    }
    hash
}

fn points() -> impl Strategy<Value = Point> {
    (-180.0..180.0, -85.051_128..85.051_128).prop_map(|(lon, lat)| Point::new(lon, lat).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn shapes_agree_with_a_scan(bytes in prop::collection::vec(any::<u8>(), 40..600)) {
        if let Some(case) = driver::case(&bytes) {
            driver::run(&case);
        }
    }

    #[test]
    fn a_hash_halves_the_map_with_each_bit(point in points()) {
        let differ = point.hash() ^ halved(point);
        // Rounding may put a point on the side of a cell into the neighbouring cell.
        if differ != 0 {
            let cell = Cell::new(point.hash());
            let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
            prop_assert!(
                near(cell.west(), point.lon()) || near(cell.east(), point.lon())
                || near(cell.south(), point.lat()) || near(cell.north(), point.lat())
            );
        }
    }

    #[test]
    fn the_centre_of_a_cell_is_in_the_cell(hash in 0_u64..1 << 52) {
        prop_assert_eq!(decode(hash).hash(), hash);
        prop_assert_eq!(hash_of_score(score(hash)), hash);
        let (cell, centre) = (Cell::new(hash), decode(hash));
        prop_assert!(cell.west() < centre.lon() && centre.lon() < cell.east());
        prop_assert!(cell.south() < centre.lat() && centre.lat() < cell.north());
    }

    #[test]
    fn any_number_decodes_to_a_place_on_the_map(hash: u64, bits: u64) {
        let place = decode(hash);
        prop_assert!(Point::new(place.lon(), place.lat()).is_ok());
        let place = decode(hash_of_score(f64::from_bits(bits)));
        prop_assert!(Point::new(place.lon(), place.lat()).is_ok());
    }

    /// The radius is the distance of the point: next to the centre, opposite to it, and anywhere.
    #[test]
    fn the_furthest_point_of_a_circle_is_covered(
        centre in points(), other in points(), off in (-1e-5..1e-5, -1e-5..1e-5),
    ) {
        let opposite = (centre.lon() - 180.0_f64.copysign(centre.lon()), -centre.lat());
        for (lon, lat) in [(centre.lon(), centre.lat()), opposite, (other.lon(), other.lat())] {
            let Ok(point) = Point::new(lon + off.0, lat + off.1) else { continue };
            let furthest = decode(point.hash());
            let radius = centre.distance(furthest);
            for radius in [radius, radius.next_up(), radius * 2.0] {
                let circle = Shape::circle(centre, radius, Unit::Metres).unwrap();
                prop_assert!(circle.contains_hash(point.hash()).is_some());
                prop_assert!(circle.cover().iter().any(|range| range.contains(&point.hash())));
            }
        }
    }

    #[test]
    fn distances_are_those_of_a_sphere(a in points(), b in points(), c in points()) {
        let (ab, bc, ac) = (a.distance(b), b.distance(c), a.distance(c));
        prop_assert!((0.0..=core::f64::consts::PI * geo::EARTH_RADIUS).contains(&ab));
        prop_assert!((ab - b.distance(a)).abs() < 1e-6);
        prop_assert!(ac <= ab + bc + 1e-3);
        prop_assert_eq!(a.distance(a).to_bits(), 0.0_f64.to_bits());
    }
}
