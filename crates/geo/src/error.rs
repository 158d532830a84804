//! Errors of points, lengths and polygons.

use core::fmt;

use crate::{LATITUDES, LONGITUDES};

/// Why a point or a shape is not valid.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Error {
    /// The longitude is outside of [`LONGITUDES`], or NaN.
    Longitude {
        /// The longitude, in degrees.
        got: f64,
    },
    /// The latitude is outside of [`LATITUDES`], or NaN.
    Latitude {
        /// The latitude, in degrees.
        got: f64,
    },
    /// A radius, width or height is negative or NaN.
    Length {
        /// The length, in the unit of the call.
        got: f64,
    },
    /// A polygon has fewer than three vertices.
    TooFewVertices {
        /// The number of vertices.
        got: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Longitude { got } => {
                let (from, to) = (LONGITUDES.start(), LONGITUDES.end());
                write!(f, "longitude {got} is not between {from} and {to}")
            }
            Self::Latitude { got } => {
                let (from, to) = (LATITUDES.start(), LATITUDES.end());
                write!(f, "latitude {got} is not between {from} and {to}")
            }
            Self::Length { got } => write!(f, "length {got} is not a number of 0 or more"),
            Self::TooFewVertices { got } => {
                write!(f, "a polygon needs at least 3 vertices, got {got}")
            }
        }
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_value_and_its_bounds() {
        let cases = [
            (Error::Longitude { got: 180.5 }, "longitude 180.5 is not between -180 and 180"),
            (
                Error::Latitude { got: -90.0 },
                "latitude -90 is not between -85.05112878 and 85.05112878",
            ),
            (
                Error::Latitude { got: f64::NAN },
                "latitude NaN is not between -85.05112878 and 85.05112878",
            ),
            (Error::Length { got: -1.0 }, "length -1 is not a number of 0 or more"),
            (Error::TooFewVertices { got: 2 }, "a polygon needs at least 3 vertices, got 2"),
        ];
        for (error, text) in cases {
            assert_eq!(error.to_string(), text);
        }
    }

    #[test]
    fn an_error_stays_small() {
        assert!(size_of::<Error>() <= 16);
    }
}
