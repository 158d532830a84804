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
            Self::Country { got } => write!(f, "a country has an index of 0 to 254, got {got}"),
            Self::Region { got } => write!(f, "a region has an index of 0 to 254, got {got}"),
            Self::City { got } => write!(f, "a city has an index of 0 to 254, got {got}"),
            Self::Postal { got } => {
                write!(f, "a postal number is 0 to 16777214, got {got}")
            }
            Self::Latitude { got } => write!(f, "a latitude is -90 to 90 degrees, got {got}"),
            Self::Longitude { got } => write!(f, "a longitude is -180 to 180 degrees, got {got}"),
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
            (EncodeError::Country { got: 255 }, "a country has an index of 0 to 254, got 255"),
            (EncodeError::Region { got: 255 }, "a region has an index of 0 to 254, got 255"),
            (EncodeError::City { got: 255 }, "a city has an index of 0 to 254, got 255"),
            (
                EncodeError::Postal { got: 16_777_215 },
                "a postal number is 0 to 16777214, got 16777215",
            ),
            (EncodeError::Latitude { got: 90.5 }, "a latitude is -90 to 90 degrees, got 90.5"),
            (
                EncodeError::Longitude { got: f64::NAN },
                "a longitude is -180 to 180 degrees, got NaN",
            ),
        ];
        for (error, text) in cases {
            assert_eq!(error.to_string(), text);
        }
        assert!(size_of::<EncodeError>() <= 16);
    }
}
