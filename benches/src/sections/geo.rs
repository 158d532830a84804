//! Places: positions as numbers, a million of them in one sorted set, and searches for near ones.

#![expect(clippy::unwrap_used, reason = "a failure stops the report")]

use std::hint::black_box;

use geo::{LATITUDES, Point, Shape, Unit as Length, decode};
use kdbush::KDBush;
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use redis::Cmd;
use rstar::{AABB, RTree};
use tallis::{GeoOrder, GeoSearch, Store};
use testkit::rng::Rng;

use super::live::{Live, SERVER, command, rival};
use super::yo::{self, Yo};
use super::{built, held};
use crate::inputs::{Turns, Words};
use crate::report::{Bench, Row, Section, Touched, Unit};

/// Different searches, so that the branch predictor does not learn a single one.
const SEARCHES: usize = 1024;

pub(super) fn measure(bench: &Bench) -> Section {
    let quick = bench.effort().is_quick();
    let count = if quick { 20_000 } else { 1_000_000 };
    let text = format!(
        "{count} places spread evenly over a country of 40 degrees by 20. *encode* computes the number that GEOADD \
         uses as the score of a member; *a plain loop* halves each axis 26 times. *GEOADD*: one call per member, \
         `member:0` to `member:{}`, into a sorted set that is empty at first. *radius*: the members within a distance \
         of a random place that has about 50 around it, in no order, and nearest first with distances and positions. \
         *kdbush* and *rstar* are flat static trees of the same places, built in advance: the points that they find in \
         the bounding box are filtered by distance. *kiddo* is a static tree of the points of the sphere in three \
         dimensions, in which the distance is that of the chord, so that it needs no box. *yo-kv* is that crate's \
         `Keyspace`, whose searches copy nothing. *redis-server* is measured as in the section on sets: GEORADIUS_RO \
         with the same radius.",
        count - 1,
    );
    let mut live = Live::start();
    let places = places(count);
    let members: Words = (0..count).map(|n| format!("member:{n}")).collect();
    let (store, mut yo) = (fill(&places, &members), keyspace(&places, &members));
    // The radius of a circle with 50 of `count` places, which cover 40 by 20 degrees of 111.2 km by 85 km.
    let share = 50.0 / f64::from(u32::try_from(count).unwrap());
    let km = (40.0 * 20.0 * 111.2 * 85.0 * share / core::f64::consts::PI).sqrt();
    Section::new("Places", &text)
        .row(encode(bench, &places))
        .row(add(bench, &places, &members, live.as_mut()))
        .row(near(bench, &store, &mut yo, &places, km, live.as_mut()))
        .row(nearest_first(bench, &store, &mut yo, &places, km, live.as_mut()))
}

fn places(count: usize) -> Vec<Point> {
    let mut rng = Rng::new(11);
    let mut place = || Point::new(-110.0 + 40.0 * rng.unit(), 30.0 + 20.0 * rng.unit()).unwrap();
    (0..count).map(|_| place()).collect()
}

fn fill(places: &[Point], members: &Words) -> Store {
    let store = Store::new();
    for (place, member) in places.iter().zip(members.iter()) {
        store.geo_add("geo", [(place.lon(), place.lat(), member)]).unwrap();
    }
    store
}

fn keyspace(places: &[Point], members: &Words) -> Yo {
    let mut yo = Yo::default();
    for (place, member) in places.iter().zip(members.iter()) {
        yo.geoadd(b"geo", place.lon(), place.lat(), member);
    }
    yo
}

fn halved(point: Point) -> u64 {
    let (mut west, mut east) = (-180.0, 180.0);
    let (mut south, mut north) = (*LATITUDES.start(), *LATITUDES.end());
    (0..26).fold(0, |hash, _| {
        let (lon, lat) = (f64::midpoint(west, east), f64::midpoint(south, north));
        let (right, upper) = (point.lon() >= lon, point.lat() >= lat);
        *(if right { &mut west } else { &mut east }) = lon;
        *(if upper { &mut south } else { &mut north }) = lat;
        hash << 2 | u64::from(right) << 1 | u64::from(upper)
    })
}

fn encode(bench: &Bench, places: &[Point]) -> Row {
    let pairs: Vec<_> = places.iter().take(10_000).map(|at| (at.lon(), at.lat())).collect();
    let pieces = u32::try_from(pairs.len()).unwrap();
    let results = bench
        .race()
        .contender("tallis", pieces, || {
            let hash = |&(lon, lat): &(f64, f64)| geo::encode(lon, lat).unwrap();
            black_box(&pairs).iter().map(hash).fold(0, |all, hash| all ^ hash)
        })
        .rivals()
        .contender("a plain loop", pieces, || {
            let places = black_box(&places[..pairs.len()]);
            places.iter().fold(0, |all, &place| all ^ halved(place))
        })
        .run();
    Row::new("encode", Unit::Nanos, Touched::bytes(size_of_val(&*pairs)), results)
        .beside("a plain loop", [5.0, 312.0])
}

fn add(bench: &Bench, places: &[Point], members: &Words, live: Option<&mut Live>) -> Row {
    let pieces = u32::try_from(places.len()).unwrap();
    let mut results = bench
        .race()
        .contender_from("tallis", pieces, || (), |()| fill(places, members))
        .rivals()
        .contender_from(yo::NAME, pieces, || (), |()| keyspace(places, members))
        .run();
    results.extend(rival(live.map(|live| {
        let add = places.iter().zip(members.iter()).map(|(place, member)| {
            let [lon, lat] = [place.lon(), place.lat()].map(|degrees| degrees.to_string());
            command([b"GEOADD", b"geo", lon.as_bytes(), lat.as_bytes(), member])
        });
        live.nanos("GEOADD", add)
    })));
    let work = format!("GEOADD, a new member, up to {}", places.len());
    Row::new(&work, Unit::Nanos, built(bench, || fill(places, members)), results)
        .beside(SERVER, [500.0, 2250.0])
}

fn searches(km: f64) -> (Vec<Point>, Vec<Shape>) {
    let centres = places(SEARCHES);
    let circle = |&centre: &Point| Shape::circle(centre, km, Length::Kilometres).unwrap();
    let shapes = centres.iter().map(circle).collect();
    (centres, shapes)
}

/// The server has the places of [`add`].
fn asked(km: f64, options: &'static [&'static str]) -> impl Iterator<Item = Cmd> {
    searches(km).0.into_iter().map(move |centre| {
        let [lon, lat, km] = [centre.lon(), centre.lat(), km].map(|number| number.to_string());
        let mut ask = redis::cmd("GEORADIUS_RO");
        ask.arg(&["geo", &lon, &lat, &km, "km"]).arg(options);
        ask
    })
}

fn near(
    bench: &Bench,
    store: &Store,
    yo: &mut Yo,
    places: &[Point],
    km: f64,
    live: Option<&mut Live>,
) -> Row {
    let (centres, shapes) = searches(km);
    let search = |&centre: &Point| GeoSearch::circle(centre, km, Length::Kilometres);
    let searches: Vec<_> = centres.iter().map(search).collect();
    let cells: Vec<_> = places.iter().map(|place| decode(place.hash())).collect();
    let kd = KDBush::create(cells.iter().map(|at| (at.lon(), at.lat())).collect::<Vec<_>>(), 64);
    let r = RTree::bulk_load(cells.iter().map(|at| [at.lon(), at.lat()]).collect());
    let in_kd = |shape: &Shape, found: &mut Vec<usize>| {
        found.clear();
        let [west, south, east, north] = corners(shape, km);
        kd.range(west, south, east, north, |at| {
            found.extend(shape.contains(cells[at]).map(|_| at));
        });
    };
    let in_r = |shape: &Shape, found: &mut Vec<[f64; 2]>| {
        found.clear();
        let [west, south, east, north] = corners(shape, km);
        let square = AABB::from_corners([west, south], [east, north]);
        let inside = |at: &&[f64; 2]| shape.contains(Point::new(at[0], at[1]).unwrap()).is_some();
        found.extend(r.locate_in_envelope(square).filter(inside));
    };
    let in_space = Space::new(&cells);
    let (mut found_in_kd, mut found_in_r) = (Vec::new(), Vec::new());
    let mut hits = 0;
    for ((search, shape), centre) in searches.iter().zip(&shapes).zip(&centres) {
        let ours = store.geo_search("geo", search).unwrap().len();
        in_kd(shape, &mut found_in_kd);
        in_r(shape, &mut found_in_r);
        assert_eq!((found_in_kd.len(), found_in_r.len()), (ours, ours));
        assert_eq!(yo.geosearch(b"geo", [centre.lon(), centre.lat(), km], false), ours);
        assert_eq!(in_space.near(*centre, km), ours);
        hits += ours;
    }
    let [mut first, mut second, mut third, mut fourth, mut fifth] =
        [(); 5].map(|()| Turns::new(128, SEARCHES));
    let mut results = bench
        .race()
        .contender("tallis", 128, || {
            for search in &searches[first.turn()] {
                black_box(store.geo_search("geo", search).unwrap());
            }
        })
        .rivals()
        .contender(yo::NAME, 128, || {
            let hits = |at: &Point| yo.geosearch(b"geo", [at.lon(), at.lat(), km], false);
            centres[fourth.turn()].iter().map(hits).sum::<usize>()
        })
        .contender("kdbush", 128, || {
            for shape in &shapes[second.turn()] {
                in_kd(shape, black_box(&mut found_in_kd));
            }
        })
        .contender("rstar", 128, || {
            for shape in &shapes[third.turn()] {
                in_r(shape, black_box(&mut found_in_r));
            }
        })
        .contender("kiddo", 128, || {
            centres[fifth.turn()].iter().map(|at| in_space.near(*at, km)).sum::<usize>()
        })
        .run();
    results.extend(rival(live.map(|live| live.nanos("GEORADIUS_RO", asked(km, &[])))));
    let work = format!("radius, {} hits of {}", hits / SEARCHES, places.len());
    Row::new(&work, Unit::Nanos, held(store), results).beside(SERVER, [6000.0, 38_000.0])
}

/// Places as points of the sphere of radius 1, in kiddo's tree.
struct Space(ImmutableKdTree<f64, 3>);

impl Space {
    fn new(places: &[Point]) -> Self {
        let points: Vec<[f64; 3]> = places.iter().map(|place| on_sphere(*place)).collect();
        Self(ImmutableKdTree::new_from_slice(&points).unwrap())
    }

    /// Returns the number of places within a distance, found in no order.
    fn near(&self, centre: Point, km: f64) -> usize {
        let centre = on_sphere(centre);
        let query = self.0.query(&centre);
        let found = query.within::<SquaredEuclidean<f64>>(chord(km)).unsorted().execute();
        black_box(found).len()
    }

    /// Returns the same number, found nearest first.
    fn nearest(&self, centre: Point, km: f64) -> usize {
        let centre = on_sphere(centre);
        let query = self.0.query(&centre);
        black_box(query.within::<SquaredEuclidean<f64>>(chord(km)).execute()).len()
    }
}

fn on_sphere(at: Point) -> [f64; 3] {
    let (east, north) = (at.lon().to_radians(), at.lat().to_radians());
    [north.cos() * east.cos(), north.cos() * east.sin(), north.sin()]
}

/// Returns the squared length of the chord between two points that are `km` apart on Redis's Earth, for a sphere of
/// radius 1.
fn chord(km: f64) -> f64 {
    let half = (km / (2.0 * 6_372.797_560_856)).sin();
    4.0 * half * half
}

/// Returns the bounding box of a circle, slightly enlarged.
fn corners(shape: &Shape, km: f64) -> [f64; 4] {
    let centre = shape.centre();
    let up = km / 111.0;
    let aside = up / (centre.lat().abs() + up).to_radians().cos();
    [centre.lon() - aside, centre.lat() - up, centre.lon() + aside, centre.lat() + up]
}

fn nearest_first(
    bench: &Bench,
    store: &Store,
    yo: &mut Yo,
    places: &[Point],
    km: f64,
    live: Option<&mut Live>,
) -> Row {
    let (centres, _) = searches(km);
    let cells: Vec<_> = places.iter().map(|place| decode(place.hash())).collect();
    let in_space = Space::new(&cells);
    let search =
        |&centre: &Point| GeoSearch::circle(centre, km, Length::Kilometres).order(GeoOrder::Asc);
    let searches: Vec<_> = centres.iter().map(search).collect();
    for (search, centre) in searches.iter().zip(&centres) {
        let ours = store.geo_search_hits("geo", search).unwrap().len();
        assert_eq!(in_space.nearest(*centre, km), ours);
    }
    let [mut turns, mut yos, mut spaces] = [(); 3].map(|()| Turns::new(128, SEARCHES));
    let mut results = bench
        .race()
        .contender("tallis", 128, || {
            for search in &searches[turns.turn()] {
                black_box(store.geo_search_hits("geo", search).unwrap());
            }
        })
        .rivals()
        .contender(yo::NAME, 128, || {
            let hits = |at: &Point| yo.geosearch(b"geo", [at.lon(), at.lat(), km], true);
            centres[yos.turn()].iter().map(hits).sum::<usize>()
        })
        .contender("kiddo", 128, || {
            centres[spaces.turn()].iter().map(|at| in_space.nearest(*at, km)).sum::<usize>()
        })
        .run();
    let options = &["WITHDIST", "WITHCOORD", "ASC"];
    results.extend(rival(live.map(|live| live.nanos("GEORADIUS_RO", asked(km, options)))));
    Row::new("the same, nearest first, with distances", Unit::Nanos, held(store), results)
}
