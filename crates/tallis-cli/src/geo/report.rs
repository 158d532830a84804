//! The points that were found, as a table and as JSON.

use std::fmt;

use serde::Serialize;
use tallis::GeoHit;
use tallis::geo::{EARTH_RADIUS, Unit};

use crate::table::{draw, of_numbers};

/// A point that was found. Its JSON form is a stable interface of the program, including the order of the fields.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Found {
    /// Its id. Bytes that are not UTF-8 are replaced.
    pub id: String,
    /// Its distance in metres, under the former name.
    pub dist: f64,
    /// Its longitude in degrees, as stored.
    pub lon: f64,
    /// Its latitude in degrees, as stored.
    pub lat: f64,
    /// Its distance in metres.
    pub dist_m: f64,
}

/// The points that were found, nearest first. Its JSON form is a list of them; its [`Display`](fmt::Display) form is a
/// table.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
#[non_exhaustive]
pub struct Report {
    /// The points.
    pub found: Vec<Found>,
    /// The unit of distances in the table.
    #[serde(skip)]
    pub unit: Unit,
    /// The file that the points were saved to.
    #[serde(skip)]
    pub saved: Option<String>,
}

impl Report {
    /// Creates a report from the result of a search in metres.
    #[must_use]
    pub fn new(hits: Vec<GeoHit>, unit: Unit) -> Self {
        // On the opposite side of the Earth the distance may be NaN because of rounding.
        let other_side = EARTH_RADIUS * core::f64::consts::PI;
        let found = |hit: GeoHit| {
            let dist_m = if hit.distance.is_nan() { other_side } else { hit.distance };
            Found {
                id: String::from_utf8_lossy(&hit.member).into_owned(),
                dist: dist_m,
                lon: hit.place.lon(),
                lat: hit.place.lat(),
                dist_m,
            }
        };
        Self { found: hits.into_iter().map(found).collect(), unit, saved: None }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.found.iter().map(|Found { id, lon, lat, dist_m, .. }| {
            // An id may be any bytes, and a table should be readable.
            let id: String =
                id.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
            let dist = format!("{:.4}", self.unit.of_metres(*dist_m));
            [id, dist, format!("{lon:.6}"), format!("{lat:.6}")]
        });
        draw(f, &of_numbers(&["id", self.unit.name(), "lon", "lat"]), rows)?;
        if let Some(file) = &self.saved {
            writeln!(f, "saved to {file}")?;
        }
        Ok(())
    }
}
impl crate::output::Report for Report {
    fn saved_to(&mut self, file: String) {
        self.saved = Some(file);
    }
}
