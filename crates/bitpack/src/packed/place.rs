//! Points on the ground, stored as the number of a cell of a regular grid.
//!
//! # Layout
//!
//! The grid has `ROWS` equal steps of latitude from -90 degrees on and twice as many columns, equal steps of longitude
//! from -180 on: cells are squares in degrees, and on the ground about the equator. The code of a point is
//!
//! ```text
//! 1 + row * columns + column        the high byte first; 0, and whatever is beyond the last cell, is unknown
//! ```
//!
//! and a code decodes to the middle of its cell. `ROWS` is the greatest number for which all codes fit the record.
//! Sixteen bits for each axis would be simpler, but its cells are twice as long as wide: the corner of one is 342 m
//! from its middle, here 306 m.
//!
//! # Error
//!
//! The middle of a cell is at most half a step of latitude and half a step of longitude away. A degree is at most
//! 111.32 km on a sphere with the radius of the equator, 6,378,137 m, and away from the equator a degree of longitude
//! is shorter, so the corners of the cells at the equator are the worst. On the WGS 84 ellipsoid a degree of latitude
//! is 110.57 km at the equator and 111.69 km at the poles, where longitude has no effect.
//!
//! | codec | bytes | step, degrees | step, m | on one axis, m | both axes, m |
//! |---|---|---|---|---|---|
//! | [`LatLon4`] | 4 | 0.003884 | 432.4 | 216.2 | 305.8 |
//! | [`LatLon6`] | 6 | 0.00001517 | 1.689 | 0.845 | 1.195 |

use super::{Codec, EncodeError};
use crate::word;

/// A point, in degrees.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LatLon {
    /// -90 to 90, north positive.
    pub latitude: f64,
    /// -180 to 180, east positive. -180 and 180 are the same meridian, which decodes to the cell next to -180.
    pub longitude: f64,
}

/// The greatest number of rows for which a grid with twice as many columns has fewer than 2^bits cells.
const fn rows(bits: u32) -> u64 {
    ((1u64 << (bits - 1)) - 1).isqrt()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "there are fewer than 2^25 steps, and the fraction of a step is dropped"
)]
fn code(place: LatLon, rows: u64) -> Result<u64, EncodeError> {
    let LatLon { latitude, longitude } = place;
    if !(-90.0..=90.0).contains(&latitude) {
        return Err(EncodeError::Latitude { got: latitude });
    }
    if !(-180.0..=180.0).contains(&longitude) {
        return Err(EncodeError::Longitude { got: longitude });
    }
    let columns = 2 * rows;
    // The north pole lies on the far edge of the last row.
    let row = (((latitude + 90.0) / 180.0 * rows as f64) as u64).min(rows - 1);
    let column = ((longitude + 180.0) / 360.0 * columns as f64) as u64 % columns;
    Ok(1 + row * columns + column)
}

#[expect(clippy::cast_precision_loss, reason = "fewer than 2^25 steps")]
fn place(code: u64, rows: u64) -> Option<LatLon> {
    let columns = 2 * rows;
    let cell = code.checked_sub(1).filter(|&cell| cell < rows * columns)?;
    let middle = |step: u64, steps: u64| (step as f64 + 0.5) / steps as f64;
    Some(LatLon {
        latitude: middle(cell / columns, rows) * 180.0 - 90.0,
        longitude: middle(cell % columns, columns) * 360.0 - 180.0,
    })
}

macro_rules! codec {
    ($(#[$docs:meta])* $name:ident, $bytes:literal, $error:literal) => {
        $(#[$docs])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl $name {
            /// The number of steps of latitude; longitude has twice as many.
            pub const ROWS: u64 = rows($bytes * 8);
            /// The largest distance, in metres, between a point and its decoded value, on a sphere with a radius of
            /// 6,378,137 m: that of a cell's corner at the equator.
            pub const MAX_ERROR: f64 = $error;
        }

        impl Codec for $name {
            type Record = [u8; $bytes];
            type Item = Option<LatLon>;
            type Error = EncodeError;

            #[inline]
            fn decode(record: [u8; $bytes]) -> Option<LatLon> {
                let mut bytes = [0; word::BYTES];
                bytes[word::BYTES - $bytes..].copy_from_slice(&record);
                place(word::from_bytes(bytes), Self::ROWS)
            }

            #[inline]
            fn encode(item: Option<LatLon>) -> Result<[u8; $bytes], EncodeError> {
                let code = item.map_or(Ok(0), |place| code(place, Self::ROWS))?;
                let mut record = [0; $bytes];
                record.copy_from_slice(&word::to_bytes(code)[word::BYTES - $bytes..]);
                Ok(record)
            }
        }
    };
}

codec! {
    /// A point in four bytes, with an error of at most 305.8 m: half a cell, 216.2 m, on each axis at the equator. All
    /// zeros mean unknown.
    ///
    /// "Redis in Action" promises two metres for four bytes; that needs six, see [`LatLon6`].
    ///
    /// # Examples
    ///
    /// ```
    /// use bitpack::packed::{Codec, LatLon, LatLon4};
    ///
    /// let palermo = LatLon { latitude: 38.1157, longitude: 13.3615 };
    /// let record = LatLon4::encode(Some(palermo))?;
    /// let read = LatLon4::decode(record).unwrap();
    /// assert!((read.latitude - palermo.latitude).abs() < 0.00195);
    /// assert!((read.longitude - palermo.longitude).abs() < 0.00195);
    /// assert_eq!(LatLon4::decode([0; 4]), None);
    /// # Ok::<(), bitpack::packed::EncodeError>(())
    /// ```
    LatLon4, 4, 305.8
}

codec! {
    /// A point in six bytes, with an error of at most 1.195 m: half a cell, 0.845 m, on each axis at the equator. All
    /// zeros mean unknown.
    ///
    /// # Examples
    ///
    /// ```
    /// use bitpack::packed::{Codec, LatLon, LatLon6};
    ///
    /// let palermo = LatLon { latitude: 38.1157, longitude: 13.3615 };
    /// let record = LatLon6::encode(Some(palermo))?;
    /// let read = LatLon6::decode(record).unwrap();
    /// assert!((read.latitude - palermo.latitude).abs() < 0.0000077);
    /// assert!(LatLon6::encode(Some(LatLon { latitude: 90.1, longitude: 0.0 })).is_err());
    /// # Ok::<(), bitpack::packed::EncodeError>(())
    /// ```
    LatLon6, 6, 1.195
}
