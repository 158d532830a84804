//! The numbers of a live server: see `data/README.md`.

#![expect(clippy::unreadable_literal, reason = "coordinates as in the commands")]
#![expect(clippy::unwrap_used, reason = "the tests look for failures here")]

use geo::{Point, Shape, Unit, decode, encode, hash_of_score, score, score_range};

const POINTS: &str = include_str!("../data/points.tsv");
const DISTANCES: &str = include_str!("../data/distances.tsv");
const SEARCHES: &str = include_str!("../data/searches.tsv");

fn rows(file: &str) -> impl Iterator<Item = Vec<&str>> {
    file.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

/// A coordinate as GEOPOS prints it: 17 digits after the point, without trailing zeros.
fn printed(coordinate: f64) -> String {
    let text = format!("{coordinate:.17}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[test]
fn positions_are_those_of_a_server() {
    for row in rows(POINTS) {
        let point = Point::new(number(row[0]), number(row[1])).unwrap();
        assert_eq!(score(point.hash()).to_bits(), number(row[2]).to_bits(), "{row:?}");
        let place = decode(hash_of_score(number(row[2])));
        assert_eq!([printed(place.lon()), printed(place.lat())], row[3..5], "{row:?}");
        assert_eq!(place.geohash().as_str(), row[5]);
    }
}

#[test]
fn distances_are_those_of_a_server() {
    let mut stored = 0;
    for row in rows(DISTANCES) {
        let [a, b] = [row[0], row[1]].map(|score| decode(hash_of_score(number(score))));
        let metres = a.distance(b);
        for (unit, text) in ["m", "km", "ft", "mi"].iter().zip(&row[2..6]) {
            let unit = Unit::parse(unit.as_bytes()).unwrap();
            assert_eq!(format!("{:.4}", unit.of_metres(metres)), *text, "{row:?}");
        }
        if row[6] != "-" {
            assert_eq!(metres.to_bits(), number(row[6]).to_bits(), "{row:?}");
            stored += 1;
        }
    }
    assert!(stored > 100);
}

#[test]
fn answers_are_those_of_a_server_in_the_same_order() {
    let (members, _) = SEARCHES.split_once('\n').unwrap();
    let members: Vec<u64> =
        members.split(' ').skip(1).map(|score| hash_of_score(number(score))).collect();
    assert_eq!(members.len(), 400);
    let mut missed = 0;
    for row in rows(SEARCHES) {
        let centre = Point::new(number(row[0]), number(row[1])).unwrap();
        let words: Vec<_> = row[2].split(' ').collect();
        let unit = Unit::parse(words[words.len() - 1].as_bytes()).unwrap();
        let side = |at: usize| number(words[at]);
        let shape: Shape = match words[0] {
            "byradius" => Shape::circle(centre, side(1), unit).unwrap(),
            _ => Shape::rectangle(centre, side(1), side(2), unit).unwrap(),
        };
        let (cover, cells) = (shape.cover(), shape.redis_cells());
        let mut found = Vec::new();
        for (name, &hash) in members.iter().enumerate() {
            let Some(hit) = shape.contains_hash(hash) else { continue };
            assert_eq!(hit.point, decode(hash));
            assert!(cover.iter().any(|range| range.contains(&hash)));
            match cells.position(hash) {
                Some(at) => found.push((at, hash, format!("{name:03}"))),
                None => missed += 1,
            }
        }
        found.sort();
        let names: Vec<_> = found.into_iter().map(|(_, _, name)| name).collect();
        assert_eq!(names.join(" "), row[3], "{row:?}");
    }
    assert!(missed > 0, "the file has searches in which a server misses members");
}

/// The transcript of the notes on companies in Beijing, which a 7.0 server reproduces exactly.
#[test]
fn the_companies_have_the_same_positions() {
    let at = |lon, lat| decode(encode(lon, lat).unwrap());
    let juejin = at(116.48105, 39.996794);
    let meituan = at(116.489033, 40.007669);
    let jd = at(116.562108, 39.787602);
    let xiaomi = at(116.334255, 40.0274);
    let km = |metres| format!("{:.4}", Unit::Kilometres.of_metres(metres));

    assert_eq!(km(meituan.distance(juejin)), "1.3878");
    assert_eq!(km(meituan.distance(jd)), "25.2590");
    assert_eq!(km(jd.distance(xiaomi)), "33.0047");
    assert_eq!(km(meituan.distance(xiaomi)), "13.3659");
    assert_eq!(printed(meituan.lon()), "116.48903220891952515");
    assert_eq!(printed(meituan.lat()), "40.00766997707732031");
    assert_eq!(meituan.geohash().as_str(), "wx4gdg0tx40");
    assert_eq!(jd.geohash().as_str(), "wx4fk7jgtf0");

    let nearest = |centre| {
        let circle = Shape::circle(centre, 20.0, Unit::Kilometres).unwrap();
        let places = [(juejin, "juejin"), (meituan, "meituan"), (jd, "jd"), (xiaomi, "xiaomi")];
        let mut found: Vec<_> = places
            .into_iter()
            .filter_map(|(place, name)| Some((circle.contains(place)?, place.hash(), name)))
            .collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.into_iter().take(3).map(|(metres, hash, name)| (name, km(metres), hash)).collect()
    };
    let told: Vec<_> = nearest(meituan);
    assert_eq!(
        told,
        [
            ("meituan", "0.0000".into(), 4_069_887_179_083_478),
            ("juejin", "1.3878".into(), 4_069_887_154_388_167),
            ("xiaomi", "13.3659".into(), 4_069_880_904_286_516),
        ]
    );
    let told: Vec<_> = nearest(Point::new(116.514202, 39.905409).unwrap());
    let told: Vec<_> = told.into_iter().map(|(name, km, _)| (name, km)).collect();
    let expected = [("juejin", "10.5501"), ("meituan", "11.5748"), ("jd", "13.7269")];
    assert_eq!(told, expected.map(|(name, km)| (name, km.to_owned())));
}

fn polygon(corners: &[(f64, f64)]) -> Shape {
    let corners: Vec<_> = corners.iter().map(|&(lon, lat)| Point::new(lon, lat).unwrap()).collect();
    Shape::polygon(corners).unwrap()
}

/// The example of the change that brought polygons to Valkey (pull request 1809).
#[test]
fn a_polygon_in_sicily() {
    let shape = polygon(&[
        (13.268550, 38.354626),
        (15.379554, 37.143270),
        (14.7, 36.6),
        (14.193438, 37.334376),
        (12.972021, 38.138380),
        (13.3, 38.2),
    ]);
    let towns = [
        ("Palermo", 13.361389, 38.115556, true),
        ("Ragusa", 14.733333, 36.933333, true),
        ("Catania", 15.087269, 37.502669, false),
        ("Siracusa", 15.287602, 37.070104, true),
        ("Agrigento", 13.588412, 37.311348, false),
    ];
    for (name, lon, lat, inside) in towns {
        let hash = encode(lon, lat).unwrap();
        assert_eq!(shape.contains_hash(hash).is_some(), inside, "{name}");
        if inside {
            assert!(shape.cover().iter().any(|range| range.contains(&hash)), "{name}");
            assert!(shape.redis_cells().position(hash).is_some(), "{name}");
        }
    }
}

/// A point on an edge is inside on the western and the southern side, and outside on the eastern and the northern side.
#[test]
fn the_sides_of_a_polygon() {
    let square = polygon(&[(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)]);
    for (lon, lat, inside) in [
        (5.0, 5.0, true),
        (5.0, 0.0, true),
        (0.0, 5.0, true),
        (0.0, 0.0, true),
        (5.0, 10.0, false),
        (10.0, 5.0, false),
        (10.0, 0.0, false),
        (10.0, 10.0, false),
        (0.0, 10.0, false),
    ] {
        assert_eq!(square.contains(Point::new(lon, lat).unwrap()).is_some(), inside, "{lon} {lat}");
    }
}

/// The score of an odd cell number too large for a double is the neighbouring even number.
#[test]
fn ranges_of_scores_are_those_of_their_cells() {
    let edge = (1_u64 << 53) + 2;
    for start in edge - 6..edge + 6 {
        for end in start..edge + 8 {
            let scores = score_range(&(start..end));
            for hash in edge - 8..edge + 10 {
                let kept = hash_of_score(score(hash));
                assert_eq!(scores.contains(&score(hash)), (start..end).contains(&kept));
            }
        }
    }
}

/// The bounding box is close to the shape, so that few points outside are decoded.
#[test]
fn points_far_from_a_shape_are_out_of_bounds() {
    let centre = Point::new(13.0, 38.0).unwrap();
    for shape in [
        Shape::circle(centre, 1.0, Unit::Kilometres).unwrap(),
        Shape::rectangle(centre, 2.0, 2.0, Unit::Kilometres).unwrap(),
    ] {
        assert!(shape.bounds_hash(centre.hash()));
        for (lon, lat) in [(13.02, 38.0), (12.98, 38.0), (13.0, 38.02), (13.0, 37.98)] {
            assert!(!shape.bounds_hash(encode(lon, lat).unwrap()), "{lon} {lat} {shape:?}");
        }
    }
}

#[test]
fn a_shape_has_the_unit_of_its_lengths_and_a_polygon_metres() {
    let centre = Point::new(13.0, 38.0).unwrap();
    assert_eq!(Shape::circle(centre, 1.0, Unit::Miles).unwrap().unit(), Unit::Miles);
    assert_eq!(Shape::rectangle(centre, 1.0, 2.0, Unit::Feet).unwrap().unit(), Unit::Feet);
}

#[test]
fn the_centre_of_a_polygon_is_the_mean_of_its_vertices_on_the_sphere() {
    let square = polygon(&[(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)]);
    assert_eq!(square.unit(), Unit::Metres);
    assert!((square.centre().lon() - 5.0).abs() < 1e-12, "{:?}", square.centre());
    // The northern edge is shorter and bends further to the north.
    assert!((5.0..5.05).contains(&square.centre().lat()), "{:?}", square.centre());
    // Over the pole the mean of the longitudes would be elsewhere.
    let round = polygon(&[(170.0, 80.0), (80.0, 80.0), (-10.0, 80.0), (-100.0, 81.0)]);
    assert!(round.centre().lat() > 89.0, "{:?}", round.centre());
}

/// As an x86-64 processor converts them.
#[test]
fn scores_from_two_to_the_63rd_on_are_hashes_too() {
    let half = 2.0_f64.powi(63);
    assert_eq!(hash_of_score(half), 1 << 63);
    assert_eq!(hash_of_score(half * 1.5), 3 << 62);
    assert_eq!(hash_of_score((half * 2.0).next_down()), u64::MAX << 11);
    assert_eq!(hash_of_score(half * 2.0), 0);
}
