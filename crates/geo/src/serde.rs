//! Serde: a point is its longitude and latitude, which are validated when read.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Point;

/// A point as it is written.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Point")]
struct Written {
    lon: f64,
    lat: f64,
}

impl Serialize for Point {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written { lon: self.lon, lat: self.lat }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Written { lon, lat } = Written::deserialize(deserializer)?;
        Self::new(lon, lat).map_err(D::Error::custom)
    }
}
