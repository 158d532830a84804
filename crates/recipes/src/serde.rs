//! Serialization of types that are validated when they are read: quotas, and periods, which are serialized as text.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Quota;

/// The serialized form of a quota.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Quota")]
struct Written {
    capacity: u64,
    interval_us: u64,
}

impl Serialize for Quota {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // It is at least one microsecond and fits an `i64`, so it fits.
        let interval_us = u64::try_from(self.interval().as_micros()).unwrap_or(u64::MAX);
        Written { capacity: self.capacity(), interval_us }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Quota {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Written { capacity, interval_us } = Written::deserialize(deserializer)?;
        let interval = core::time::Duration::from_micros(interval_us);
        Self::new(capacity, 1, interval).map_err(D::Error::custom)
    }
}

#[cfg(feature = "calendar")]
impl Serialize for crate::Period {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "calendar")]
impl<'de> Deserialize<'de> for crate::Period {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
