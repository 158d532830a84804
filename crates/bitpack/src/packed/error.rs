//! Why an item has no record.

use core::fmt;

/// Why an item has no record in one of the codecs of this crate.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EncodeError {
    /// The index of a country is above 254.
    Country {
        /// The index.
        got: u8,
    },
    /// The index of a region is above 254.
    Region {
        /// The index.
        got: u8,
    },
    /// The index of a city is above 254.
    City {
        /// The index.
        got: u8,
    },
    /// A postal number is above 16,777,214.
    Postal {
        /// The number.
        got: u32,
    },
    /// A latitude is not between -90 and 90, or not a number.
    Latitude {
        /// The latitude, in degrees.
        got: f64,
    },
    /// A longitude is not between -180 and 180, or not a number.
    Longitude {
        /// The longitude, in degrees.
        got: f64,
    },
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Country { got } => write!(f, "country index {got} is not between 0 and 254"),
            Self::Region { got } => write!(f, "region index {got} is not between 0 and 254"),
            Self::City { got } => write!(f, "city index {got} is not between 0 and 254"),
            Self::Postal { got } => {
                write!(f, "postal number {got} is not between 0 and 16777214")
            }
            Self::Latitude { got } => write!(f, "latitude {got} is not between -90 and 90 degrees"),
            Self::Longitude { got } => {
                write!(f, "longitude {got} is not between -180 and 180 degrees")
            }
        }
    }
}

impl core::error::Error for EncodeError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_and_where() {
        let cases = [
            (EncodeError::Country { got: 255 }, "country index 255 is not between 0 and 254"),
            (EncodeError::Region { got: 255 }, "region index 255 is not between 0 and 254"),
            (EncodeError::City { got: 255 }, "city index 255 is not between 0 and 254"),
            (
                EncodeError::Postal { got: 16_777_215 },
                "postal number 16777215 is not between 0 and 16777214",
            ),
            (
                EncodeError::Latitude { got: 90.5 },
                "latitude 90.5 is not between -90 and 90 degrees",
            ),
            (
                EncodeError::Longitude { got: f64::NAN },
                "longitude NaN is not between -180 and 180 degrees",
            ),
        ];
        for (error, text) in cases {
            assert_eq!(error.to_string(), text);
        }
        assert!(size_of::<EncodeError>() <= 16);
    }
}
