//! Positions, distances and areas, each compared with a plain loop in the same run.
//!
//! The plain encoder halves each axis 26 times, as in the definition of a geohash. "Near" searches for about 50 of a
//! million points spread evenly over a country: by a cover in a sorted set, by the nine cells of Redis in the same set,
//! and by trees of other crates. The points that a tree finds are filtered by their distance, since the tree is flat
//! and the Earth is a sphere.
#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]

use std::hint::black_box;
use std::ops::Range;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use geo::{LATITUDES, Point, Shape, Unit, decode, hash_of_score};
use kdbush::KDBush;
use rstar::{AABB, RTree};
use skiplist_zset::{Entry, Limits, ZSet};

/// Points per batch.
const BATCH: usize = 4096;
/// Points to search.
const MANY: usize = 1_000_000;
/// Different searches, so that the branch predictor does not learn a single one.
const SEARCHES: usize = 256;

/// Returns numbers from 0 to 1, the same in every run.
fn parts() -> impl FnMut() -> f64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f64::from((state >> 32) as u32) / f64::from(u32::MAX)
    }
}

/// Returns points spread evenly over a country of 40 degrees by 20.
fn points(count: usize) -> Vec<Point> {
    let mut part = parts();
    (0..count).map(|_| Point::new(-110.0 + 40.0 * part(), 30.0 + 20.0 * part()).unwrap()).collect()
}

fn plain_encode(point: Point) -> u64 {
    let mut hash = 0;
    let (mut west, mut east) = (-180.0, 180.0);
    let (mut south, mut north) = (*LATITUDES.start(), *LATITUDES.end());
    for _ in 0..26 {
        let lon = f64::midpoint(west, east);
        let lat = f64::midpoint(south, north);
        let (right, upper) = (point.lon() >= lon, point.lat() >= lat);
        *(if right { &mut west } else { &mut east }) = lon;
        *(if upper { &mut south } else { &mut north }) = lat;
        hash = hash << 2 | u64::from(right) << 1 | u64::from(upper);
    }
    hash
}

fn plain_decode(hash: u64) -> (f64, f64) {
    let (mut west, mut east) = (-180.0, 180.0);
    let (mut south, mut north) = (*LATITUDES.start(), *LATITUDES.end());
    for level in (0..26).rev() {
        let (lon, lat) = (f64::midpoint(west, east), f64::midpoint(south, north));
        *(if hash >> (2 * level + 1) & 1 == 1 { &mut west } else { &mut east }) = lon;
        *(if hash >> (2 * level) & 1 == 1 { &mut south } else { &mut north }) = lat;
    }
    (f64::midpoint(west, east), f64::midpoint(south, north))
}

fn codec(c: &mut Criterion) {
    let points = points(BATCH);
    let pairs: Vec<_> = points.iter().map(|point| (point.lon(), point.lat())).collect();
    let hashes: Vec<_> = points.iter().map(|point| point.hash()).collect();
    let differ = points.iter().filter(|&&point| plain_encode(point) != point.hash()).count();
    assert!(differ <= BATCH / 1000, "{differ} of {BATCH}");

    let mut group = c.benchmark_group("geo/codec");
    group.throughput(Throughput::Elements(BATCH as u64));
    group.bench_function("encode", |b| {
        b.iter(|| {
            let hash = |&(lon, lat): &(f64, f64)| geo::encode(lon, lat).unwrap();
            black_box(&pairs).iter().map(hash).fold(0, |all, hash| all ^ hash)
        });
    });
    group.bench_function("encode, a plain loop", |b| {
        b.iter(|| black_box(&points).iter().fold(0, |all, &point| all ^ plain_encode(point)));
    });
    group.bench_function("decode", |b| {
        b.iter(|| {
            let place = |&hash: &u64| decode(hash);
            black_box(&hashes).iter().map(place).map(|place| place.lon() + place.lat()).sum::<f64>()
        });
    });
    group.bench_function("decode, a plain loop", |b| {
        b.iter(|| {
            let place = |&hash: &u64| plain_decode(hash);
            black_box(&hashes).iter().map(place).map(|(lon, lat)| lon + lat).sum::<f64>()
        });
    });
    group.bench_function("geohash text", |b| {
        b.iter(|| {
            let last = |point: &Point| point.geohash().as_bytes()[9];
            black_box(&points).iter().map(last).fold(0, |all, digit| all ^ digit)
        });
    });
    group.bench_function("distance", |b| {
        b.iter(|| {
            let points = black_box(&points);
            points.windows(2).map(|pair| pair[0].distance(pair[1])).sum::<f64>()
        });
    });
    group.finish();
}

fn shapes(centres: &[Point], make: impl Fn(Point) -> Shape) -> Vec<Shape> {
    centres[..SEARCHES].iter().map(|&centre| make(centre)).collect()
}

fn circle(centre: Point, km: f64) -> Shape {
    Shape::circle(centre, km, Unit::Kilometres).unwrap()
}

fn covers(c: &mut Criterion) {
    let centres = points(SEARCHES);
    let tips =
        [(0.01, 0.0), (0.002, 0.002), (0.0, 0.01), (-0.002, 0.002), (-0.01, 0.0), (0.0, -0.01)];
    let star = |centre: Point| {
        let tip = |(x, y)| Point::new(centre.lon() + x, centre.lat() + y).unwrap();
        Shape::polygon(tips.map(tip)).unwrap()
    };
    let rectangle = |centre| Shape::rectangle(centre, 2.0, 1.0, Unit::Kilometres).unwrap();

    let mut group = c.benchmark_group("geo/cover");
    group.throughput(Throughput::Elements(SEARCHES as u64));
    group.bench_function("circle of 1 km", |b| {
        b.iter(|| {
            let cover = |&centre: &Point| circle(centre, 1.0).cover().len();
            black_box(&centres).iter().map(cover).sum::<usize>()
        });
    });
    group.bench_function("circle of 1 km, Redis's cells", |b| {
        b.iter(|| {
            let cells = |&centre: &Point| circle(centre, 1.0).redis_cells().ranges().len();
            black_box(&centres).iter().map(cells).sum::<usize>()
        });
    });
    group.bench_function("box of 2 km by 1 km", |b| {
        b.iter(|| {
            let cover = |&centre: &Point| Shape::cover(&rectangle(centre)).len();
            black_box(&centres).iter().map(cover).sum::<usize>()
        });
    });
    group.bench_function("polygon of 6 vertices", |b| {
        b.iter(|| {
            let cover = |&centre: &Point| Shape::cover(&star(centre)).len();
            black_box(&centres).iter().map(cover).sum::<usize>()
        });
    });
    group.finish();
}

/// A million points in three structures: a sorted set, a k-d tree and an R-tree.
struct Places {
    set: ZSet,
    kd: KDBush,
    r: RTree<[f64; 2]>,
    hashes: Vec<u64>,
}

impl Places {
    fn new() -> Self {
        let points = points(MANY);
        let mut set: ZSet = ZSet::new();
        for (point, i) in points.iter().zip(0_u32..) {
            let (member, score) = (format!("member:{i:09}"), geo::score(point.hash()));
            set.add(member, score, &Limits::default()).unwrap();
        }
        let hashes: Vec<_> = points.iter().map(|point| point.hash()).collect();
        // All structures hold the centres of the cells, so that their results are the same.
        let centres = || hashes.iter().map(|&hash| decode(hash));
        let kd = KDBush::create(centres().map(|at| (at.lon(), at.lat())).collect::<Vec<_>>(), 64);
        let r = RTree::bulk_load(centres().map(|at| [at.lon(), at.lat()]).collect());
        Self { set, kd, r, hashes }
    }

    /// Finds the members in a shape by ranges of scores.
    fn look<'p>(&'p self, shape: &Shape, ranges: &[Range<u64>], found: &mut Vec<Entry<'p>>) {
        found.clear();
        for range in ranges {
            let scores = geo::score(range.start)..geo::score(range.end);
            let bounds = |score| shape.bounds_hash(hash_of_score(score));
            self.set.pick(scores, bounds, |member, score| {
                if shape.holds_hash(hash_of_score(score)) {
                    found.push(member);
                }
            });
        }
    }

    /// Finds the same members with their distances, nearest first.
    fn look_near<'p>(&'p self, shape: &Shape, found: &mut Vec<(u64, Entry<'p>)>) {
        found.clear();
        for range in shape.cover() {
            let scores = geo::score(range.start)..geo::score(range.end);
            let bounds = |score| shape.bounds_hash(hash_of_score(score));
            self.set.pick(scores, bounds, |member, score| {
                if let Some(hit) = shape.contains_hash(hash_of_score(score)) {
                    found.push((hit.distance.to_bits(), member));
                }
            });
        }
        found.sort_unstable_by_key(|&(distance, _)| distance);
    }

    /// Finds points in the bounding box with the k-d tree, and filters them by distance.
    fn look_in_kd(&self, shape: &Shape, found: &mut Vec<usize>) {
        found.clear();
        let ((west, south), (east, north)) = corners(shape);
        self.kd.range(west, south, east, north, |at| {
            if shape.contains(decode(self.hashes[at])).is_some() {
                found.push(at);
            }
        });
    }

    /// Finds points in the bounding box with the R-tree, and filters them by distance.
    fn look_in_r(&self, shape: &Shape, found: &mut Vec<[f64; 2]>) {
        found.clear();
        let ((west, south), (east, north)) = corners(shape);
        let square = AABB::from_corners([west, south], [east, north]);
        let inside =
            |&&[lon, lat]: &&[f64; 2]| shape.contains(Point::new(lon, lat).unwrap()).is_some();
        found.extend(self.r.locate_in_envelope(square).filter(inside));
    }
}

/// Returns the bounding box of a circle of 11 km, slightly enlarged.
fn corners(shape: &Shape) -> ((f64, f64), (f64, f64)) {
    let centre = shape.centre();
    let up = 0.099;
    let aside = up / (centre.lat().abs() + up).to_radians().cos();
    ((centre.lon() - aside, centre.lat() - up), (centre.lon() + aside, centre.lat() + up))
}

fn near(c: &mut Criterion) {
    let places = Places::new();
    let shapes = shapes(&points(SEARCHES), |centre| circle(centre, 11.0));

    let (mut hits, mut ranges, mut cells) = (0, 0, 0);
    for shape in &shapes {
        let (cover, redis) = (shape.cover(), shape.redis_cells());
        (ranges, cells) = (ranges + cover.len(), cells + redis.ranges().len());
        let count = {
            let mut found = Vec::new();
            places.look(shape, &cover, &mut found);
            found.len()
        };
        hits += count;
        let (mut kd, mut r) = (Vec::new(), Vec::new());
        places.look_in_kd(shape, &mut kd);
        places.look_in_r(shape, &mut r);
        assert_eq!((kd.len(), r.len()), (count, count));
    }
    let each = |total: usize| total / SEARCHES;
    println!(
        "per search: {} hits in {} ranges; Redis's cells: {}",
        each(hits),
        each(ranges),
        each(cells)
    );

    let mut group = c.benchmark_group("geo/near, 50 of a million");
    group.throughput(Throughput::Elements(SEARCHES as u64));
    let mut run = |name: &str, ranges: &dyn Fn(&Shape) -> Vec<Range<u64>>| {
        group.bench_function(name, |b| {
            let mut found = Vec::new();
            b.iter(|| {
                for shape in black_box(&shapes) {
                    places.look(shape, &ranges(shape), &mut found);
                    black_box(&found);
                }
            });
        });
    };
    run("cover", &|shape| shape.cover());
    run("Redis's cells", &|shape| shape.redis_cells().ranges().to_vec());
    group.bench_function("cover, nearest first", |b| {
        let mut found = Vec::new();
        b.iter(|| {
            for shape in black_box(&shapes) {
                places.look_near(shape, &mut found);
                black_box(&found);
            }
        });
    });
    group.bench_function("kdbush", |b| {
        let mut found = Vec::new();
        b.iter(|| {
            for shape in black_box(&shapes) {
                places.look_in_kd(shape, &mut found);
                black_box(&found);
            }
        });
    });
    group.bench_function("rstar", |b| {
        let mut found = Vec::new();
        b.iter(|| {
            for shape in black_box(&shapes) {
                places.look_in_r(shape, &mut found);
                black_box(&found);
            }
        });
    });
    group.finish();
}

criterion_group!(benches, codec, covers, near);
criterion_main!(benches);
