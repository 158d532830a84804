//! Redis's geography: positions as sortable numbers, distances on a sphere, and areas as ranges of those numbers.
//!
//! # Idea
//!
//! A sorted set sorts by one number, and a position has two. Halve the map east and west, then the half south and
//! north, and so on: each answer is a bit, and the bits in turn are a number. Positions that are near each other mostly
//! agree in the first bits, so an area is a few ranges of numbers, and a sorted set is all the index it takes. 26
//! halvings of each axis make 52 bits, which a score holds exactly; the cell they leave is 60 cm wide at the equator
//! and 30 cm high.
//!
//! | what | where | Redis |
//! |---|---|---|
//! | a position as a number and back | [`encode`], [`decode`], [`Cell`] | GEOADD, GEOPOS |
//! | as a text | [`Point::geohash`] | GEOHASH |
//! | distances | [`Point::distance`], [`Unit`] | GEODIST |
//! | what is in an area, and where to look for it | [`Shape`] | GEOSEARCH, GEORADIUS; BYPOLYGON as in Valkey 9 |
//! | Redis's own order and gaps | [`RedisCells`] | the order of an answer without ASC or DESC |
//!
//! Numbers agree with those of a Redis 7.0 server on the same machine to the last bit: the formulas are its own, in its
//! order of operations. Sine, cosine and arcsine come from the system's library, as Redis's do.
//!
//! # Representation
//!
//! Latitude runs from -85.05112878 to 85.05112878, where the Mercator map is a square. Each axis is a number of 26
//! bits; longitude takes the odd places of a hash, latitude the even ones.
//!
//! ```text
//!   bit   51  50  49  48        1   0
//!        +---+---+---+---+-   -+---+---+        lon: floor((longitude + 180) / 360 * 2^26)
//!        |lon|lat|lon|lat| ... |lon|lat|        lat: floor((latitude + 85.05112878) / 170.10225756 * 2^26)
//!        +---+---+---+---+-   -+---+---+
//! ```
//!
//! # Worked example
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
//! # Complexity
//!
//! | operation | time |
//! |---|---|
//! | [`encode`], [`decode`], [`Point::geohash`] | O(1), some nanoseconds |
//! | [`Point::distance`] | O(1), two sines, two cosines and an arcsine |
//! | [`Shape::contains_hash`] | O(1), O(vertices) for a polygon; a few comparisons outside of the bounding box |
//! | [`Shape::holds_hash`] | the same without the distance, nor the functions that it takes |
//! | [`Shape::cover`] | O(1), O(vertices) for a polygon; at most 16 squares, 64 for a polygon |
//!
//! # Limits
//!
//! * There are no positions north or south of 85.05 degrees, but circles and boxes may reach there, around the pole and
//!   beyond.
//! * A position comes back as the centre of its cell, up to 30 cm away; distances and areas are those of the centre.
//! * A position on the very edge, at longitude 180 or the greatest latitude, has a number beyond 52 bits. Redis leaves
//!   it out of nearly all answers; a cover here has it.
//! * Redis also misses what is just beyond the date line from a centre at longitude 180 itself, and some of what is in
//!   circles around a pole. A cover here has all of it; [`RedisCells::position`] returns what a server would have
//!   found.
//! * The sphere is not the Earth: distances are up to half a percent off.
//!
//! # References
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

/// The example of the README, run with the documentation's own.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
