#![doc = include_str!("../README.md")]
//!
//! # How it works
//!
//! ## Idea
//!
//! A sorted set sorts by one number, and a point has two. Halve the map into west and east, then that half into south
//! and north, and so on: each step gives one bit, and the bits form a number. Points that are near each other mostly
//! share the first bits, so an area is a few ranges of numbers, and a sorted set is a sufficient index. 26 halvings of
//! each axis make 52 bits, which an `f64` holds exactly. A cell is 60 cm wide at the equator and 28 cm high.
//!
//! | what | where | Redis |
//! |---|---|---|
//! | a point as a number and back | [`encode`], [`decode`], [`Cell`] | GEOADD, GEOPOS |
//! | as a text | [`Point::geohash`] | GEOHASH |
//! | distances | [`Point::distance`], [`Unit`] | GEODIST |
//! | searching an area | [`Shape`] | GEOSEARCH, GEORADIUS; BYPOLYGON as in Valkey 9 |
//! | Redis's own order and omissions | [`RedisCells`] | the order of a reply without ASC or DESC |
//!
//! Numbers agree with those of a Redis 7.0 server on the same machine to the last bit: the formulas are the same, with
//! the same order of operations. Sine, cosine and arcsine come from the system's library, as Redis's do.
//!
//! ## Representation
//!
//! Latitude runs from -85.05112878 to 85.05112878, where the Mercator map is a square. Each axis is a number of 26
//! bits; longitude has the odd bits of a hash, latitude the even ones.
//!
//! ```text
//!   bit   51  50  49  48        1   0
//!        +---+---+---+---+-   -+---+---+        lon: floor((longitude + 180) / 360 * 2^26)
//!        |lon|lat|lon|lat| ... |lon|lat|        lat: floor((latitude + 85.05112878) / 170.10225756 * 2^26)
//!        +---+---+---+---+-   -+---+---+
//! ```
//!
//! ## Worked example
//!
//! ```
//! use geo::{Point, Shape, Unit};
//!
//! // GEOADD company 116.48105 39.996794 juejin 116.514203 39.905409 ireader 116.489033 40.007669 meituan
//! let mut company = vec![
//!     (geo::encode(116.48105, 39.996794)?, "juejin"),
//!     (geo::encode(116.514203, 39.905409)?, "ireader"),
//!     (geo::encode(116.489033, 40.007669)?, "meituan"),
//! ];
//! company.sort();
//! assert_eq!(company[2], (4_069_887_179_083_478, "meituan"));
//!
//! // GEORADIUSBYMEMBER company meituan 5 km ASC WITHDIST: what is read is the centre of a cell.
//! let meituan = geo::decode(company[2].0);
//! let circle = Shape::circle(meituan, 5.0, Unit::Kilometres)?;
//! let mut found = Vec::new();
//! for range in circle.cover() {
//!     let from = company.partition_point(|&(hash, _)| hash < range.start);
//!     for &(hash, name) in company[from..].iter().take_while(|&&(hash, _)| hash < range.end) {
//!         if let Some(hit) = circle.contains_hash(hash) {
//!             found.push((format!("{:.4}", circle.unit().of_metres(hit.distance)), name));
//!         }
//!     }
//! }
//! found.sort();
//! assert_eq!(found, [("0.0000".into(), "meituan"), ("1.3878".into(), "juejin")]);
//! # Ok::<(), geo::Error>(())
//! ```
//!
//! ## Complexity
//!
//! | operation | time |
//! |---|---|
//! | [`encode`], [`decode`], [`Point::geohash`] | O(1) |
//! | [`Point::distance`] | O(1), two sines, two cosines and an arcsine |
//! | [`Shape::contains_hash`] | O(1), O(vertices) for a polygon; a few comparisons outside of the bounding box |
//! | [`Shape::holds_hash`] | the same, mostly without computing the distance |
//! | [`Shape::cover`] | O(1), O(vertices) for a polygon; at most 16 squares, 64 for a polygon |
//!
//! ## References
//!
//! * G. M. Morton: A computer oriented geodetic data base, IBM, 1966: the order of the cells.
//! * R. W. Sinnott: Virtues of the haversine, Sky and Telescope 68(2), 1984.
//! * W. R. Franklin: PNPOLY, point inclusion in polygon test, 1970:
//!   <https://wrfranklin.org/Research/Short_Notes/pnpoly.html>
//! * J. P. Matuschek: Finding points within a distance of a latitude/longitude using bounding coordinates:
//!   <http://janmatuschek.de/LatitudeLongitudeBoundingCoordinates>
//! * Redis's descriptions of the commands: <https://redis.io/docs/latest/commands/geosearch/>

mod cover;
mod error;
mod hash;
mod haversine;
mod point;
mod redis;
#[cfg(feature = "serde")]
mod serde;
mod shape;
mod spread;
mod text;
mod window;

pub use error::Error;
pub use hash::{Cell, STEPS, decode, encode, hash_of_score, score, score_range};
pub use point::{EARTH_RADIUS, LATITUDES, LONGITUDES, Point, Unit};
pub use redis::RedisCells;
pub use shape::{Hit, Shape};
pub use text::GeohashText;
