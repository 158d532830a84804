//! Areas and lengths on the command line.

use std::fmt;
use std::str::FromStr;

use tallis::geo::{Error, Point, Unit};

use crate::number;

/// `LON,LAT,DIST`: a circle.
///
/// ```
/// use tallis_cli::geo::Around;
///
/// let around: Around = "-73.99,40.75,2km".parse()?;
/// assert_eq!((around.centre.lon(), around.radius), (-73.99, 2.0));
/// assert!("0,91,2km".parse::<Around>().is_err());
/// # Ok::<(), tallis_cli::geo::AreaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Around {
    /// The centre.
    pub centre: Point,
    /// The radius.
    pub radius: f64,
    /// Its unit.
    pub unit: Unit,
}

/// `LON,LAT,WIDTH,HEIGHT`: a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Within {
    /// The centre.
    pub centre: Point,
    /// The width from west to east.
    pub width: f64,
    /// The height from south to north.
    pub height: f64,
    /// The unit of the width, and of the height after conversion.
    pub unit: Unit,
}

/// `LON,LAT,N`: the nearest points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The centre.
    pub centre: Point,
    /// The number of points.
    pub count: usize,
}

/// Why a text is not a valid area.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AreaError {
    /// The number of parts between commas is wrong.
    Parts {
        /// The number of parts.
        got: usize,
        /// The expected number.
        want: usize,
    },
    /// A longitude or latitude is not a number.
    Degrees(String),
    /// The point is outside of the valid coordinates.
    Place(Error),
    /// A length is not a number with a unit.
    Length(String),
    /// The count is no positive integer.
    Count(String),
}

impl fmt::Display for AreaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parts { got, want } => write!(f, "{got} comma-separated parts instead of {want}"),
            Self::Degrees(text) => write!(f, "'{text}' is not a number of degrees"),
            Self::Place(error) => error.fmt(f),
            Self::Length(text) => {
                write!(f, "'{text}' is not a length: expected a number followed by m, km, mi or ft")
            }
            Self::Count(text) => {
                write!(f, "'{text}' is not a count of at least 1, such as 5, 1000 or 1k")
            }
        }
    }
}

impl std::error::Error for AreaError {}

fn parts<const N: usize>(text: &str) -> Result<[&str; N], AreaError> {
    let parts: Vec<_> = text.split(',').collect();
    let got = parts.len();
    parts.try_into().map_err(|_| AreaError::Parts { got, want: N })
}

fn place(lon: &str, lat: &str) -> Result<Point, AreaError> {
    let degrees = |text: &str| degrees(text).ok_or_else(|| AreaError::Degrees(text.to_owned()));
    Point::new(degrees(lon)?, degrees(lat)?).map_err(AreaError::Place)
}

/// Parses a number, without the names that Rust has for infinity and NaN.
pub(super) fn degrees(text: &str) -> Option<f64> {
    let is_numeric = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    text.parse().ok().filter(|_| text.bytes().all(is_numeric))
}

/// Parses a length as it was given, and its unit.
fn length(text: &str) -> Result<(f64, Unit), AreaError> {
    let units = [Unit::Kilometres, Unit::Metres, Unit::Miles, Unit::Feet];
    let split = |unit: Unit| Some((degrees(text.strip_suffix(unit.name())?)?, unit));
    let length = units
        .into_iter()
        .find_map(split)
        .filter(|(length, _)| length.is_finite() && *length >= 0.0);
    length.ok_or_else(|| AreaError::Length(text.to_owned()))
}

impl FromStr for Around {
    type Err = AreaError;

    fn from_str(text: &str) -> Result<Self, AreaError> {
        let [lon, lat, radius] = parts(text)?;
        let centre = place(lon, lat)?;
        let (radius, unit) = length(radius)?;
        Ok(Self { centre, radius, unit })
    }
}

impl FromStr for Within {
    type Err = AreaError;

    fn from_str(text: &str) -> Result<Self, AreaError> {
        let [lon, lat, width, height] = parts(text)?;
        let centre = place(lon, lat)?;
        let (width, unit) = length(width)?;
        let (height, of) = length(height)?;
        // Not converted if both have the same unit, so that no digit changes.
        let height = if of == unit { height } else { unit.of_metres(of.to_metres(height)) };
        Ok(Self { centre, width, height, unit })
    }
}

impl FromStr for Nearest {
    type Err = AreaError;

    fn from_str(text: &str) -> Result<Self, AreaError> {
        let [lon, lat, count] = parts(text)?;
        let centre = place(lon, lat)?;
        let number = number::count(count).ok().and_then(|number| number.try_into().ok());
        let count = number.ok_or_else(|| AreaError::Count(count.to_owned()))?;
        Ok(Self { centre, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_a_unit() {
        for (text, want) in [
            ("500m", (500.0, Unit::Metres)),
            ("2km", (2.0, Unit::Kilometres)),
            ("3.5mi", (3.5, Unit::Miles)),
            ("90ft", (90.0, Unit::Feet)),
            ("0m", (0.0, Unit::Metres)),
            ("1e3km", (1000.0, Unit::Kilometres)),
        ] {
            assert_eq!(length(text), Ok(want), "{text}");
        }
        for text in
            ["", "m", "km", "5", "5 km", "-1m", "nanm", "infm", "1e999m", "5KM", "5yd", "5kmm"]
        {
            assert_eq!(length(text), Err(AreaError::Length(text.to_owned())), "{text}");
        }
    }

    #[test]
    fn areas_are_parted_by_commas() {
        let box_: Within = "1,-2,1km,500m".parse().unwrap();
        assert_eq!((box_.width, box_.height, box_.unit), (1.0, 0.5, Unit::Kilometres));
        let box_: Within = "1,-2,0.1mi,0.3mi".parse().unwrap();
        assert_eq!((box_.width, box_.height), (0.1, 0.3));
        let nearest: Nearest = "180,85.05,7".parse().unwrap();
        assert_eq!((nearest.centre.lat(), nearest.count), (85.05, 7));
        assert_eq!("0,0,1k".parse::<Nearest>().unwrap().count, 1000);
        for (text, error) in [
            ("1,2", "2 comma-separated parts instead of 3"),
            ("1,2,3,4", "4 comma-separated parts instead of 3"),
            ("x,2,3", "'x' is not a number of degrees"),
            ("1,inf,3", "'inf' is not a number of degrees"),
            ("1,,3", "'' is not a number of degrees"),
            ("181,2,3", "longitude 181 is not between -180 and 180"),
            ("1,86,3", "latitude 86 is not between -85.05112878 and 85.05112878"),
            ("1,2,0", "'0' is not a count of at least 1, such as 5, 1000 or 1k"),
            ("1,2,-1", "'-1' is not a count of at least 1, such as 5, 1000 or 1k"),
            ("1,2,1.5", "'1.5' is not a count of at least 1, such as 5, 1000 or 1k"),
        ] {
            assert_eq!(text.parse::<Nearest>().unwrap_err().to_string(), error);
        }
        let error = "1,2,3".parse::<Around>().unwrap_err().to_string();
        assert_eq!(error, "'3' is not a length: expected a number followed by m, km, mi or ft");
    }
}
