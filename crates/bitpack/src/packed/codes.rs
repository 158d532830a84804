//! Codes that are an index or number + 1, with 0 for unknown: countries, regions, cities, postal areas; and plain
//! integers.

use core::convert::Infallible;

use super::{Codec, EncodeError};

/// A country in one byte: its index in a table + 1; 0 for unknown.
///
/// The table is the caller's: up to 255 countries.
///
/// # Examples
///
/// ```
/// use bitpack::packed::{Codec, CountryCode};
///
/// assert_eq!(CountryCode::encode(Some(248)), Ok([249]));
/// assert_eq!(CountryCode::decode([249]), Some(248));
/// assert_eq!(CountryCode::decode([0]), None);
/// assert!(CountryCode::encode(Some(255)).is_err());
/// ```
#[derive(Clone, Copy, Debug)]
pub enum CountryCode {}

impl Codec for CountryCode {
    type Record = [u8; 1];
    type Item = Option<u8>;
    type Error = EncodeError;

    #[inline]
    fn decode([code]: [u8; 1]) -> Option<u8> {
        code.checked_sub(1)
    }

    #[inline]
    fn encode(country: Option<u8>) -> Result<[u8; 1], EncodeError> {
        Ok([code(country, |got| EncodeError::Country { got })?])
    }
}

#[inline]
fn code(index: Option<u8>, error: impl Fn(u8) -> EncodeError) -> Result<u8, EncodeError> {
    index.map_or(Ok(0), |index| index.checked_add(1).ok_or_else(|| error(index)))
}

/// The item of a [`CountryRegionCode`]: indices in two tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CountryRegion {
    /// The index of the country, 0 to 254, if it is known.
    pub country: Option<u8>,
    /// The index of the region among those of the country, 0 to 254, if it is known.
    pub region: Option<u8>,
}

impl CountryRegion {
    /// Neither is known: the item where nothing was written.
    pub const UNKNOWN: Self = Self { country: None, region: None };
}

/// A country and a region of it in two bytes, as in "Redis in Action", 9.2.3: the index of each in its table + 1, 0 for
/// unknown.
///
/// The tables are the caller's. A region may be known where the country is not: all combinations of two bytes are
/// valid.
///
/// # Examples
///
/// ```
/// use bitpack::packed::{Codec, CountryRegion, CountryRegionCode};
///
/// let record = CountryRegionCode::encode(CountryRegion { country: Some(232), region: Some(4) })?;
/// assert_eq!(record, [233, 5]);
/// assert_eq!(CountryRegionCode::decode([233, 0]), CountryRegion { country: Some(232), region: None });
/// # Ok::<(), bitpack::packed::EncodeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum CountryRegionCode {}

impl Codec for CountryRegionCode {
    type Record = [u8; 2];
    type Item = CountryRegion;
    type Error = EncodeError;

    #[inline]
    fn decode([country, region]: [u8; 2]) -> CountryRegion {
        CountryRegion { country: country.checked_sub(1), region: region.checked_sub(1) }
    }

    #[inline]
    fn encode(CountryRegion { country, region }: CountryRegion) -> Result<[u8; 2], EncodeError> {
        let country = code(country, |got| EncodeError::Country { got })?;
        let region = code(region, |got| EncodeError::Region { got })?;
        Ok([country, region])
    }
}

/// The item of a [`CountryRegionCityCode`]: indices in three tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CountryRegionCity {
    /// The index of the country, 0 to 254, if it is known.
    pub country: Option<u8>,
    /// The index of the region among those of the country, 0 to 254, if it is known.
    pub region: Option<u8>,
    /// The index of the city among those of the region, 0 to 254, if it is known.
    pub city: Option<u8>,
}

impl CountryRegionCity {
    /// None is known: the item where nothing was written.
    pub const UNKNOWN: Self = Self { country: None, region: None, city: None };
}

/// A country, a region of it and a city there in three bytes: the index of each in its table + 1, 0 for unknown.
///
/// The first two bytes are those of a [`CountryRegionCode`]. The tables are the caller's, and all combinations of three
/// bytes are valid.
///
/// # Examples
///
/// ```
/// use bitpack::packed::{Codec, CountryRegionCity, CountryRegionCityCode};
///
/// let city = CountryRegionCity { country: Some(232), region: Some(4), city: Some(17) };
/// let record = CountryRegionCityCode::encode(city)?;
/// assert_eq!(record, [233, 5, 18]);
/// assert_eq!(CountryRegionCityCode::decode(record), city);
/// # Ok::<(), bitpack::packed::EncodeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum CountryRegionCityCode {}

impl Codec for CountryRegionCityCode {
    type Record = [u8; 3];
    type Item = CountryRegionCity;
    type Error = EncodeError;

    #[inline]
    fn decode([country, region, city]: [u8; 3]) -> CountryRegionCity {
        let CountryRegion { country, region } = CountryRegionCode::decode([country, region]);
        CountryRegionCity { country, region, city: city.checked_sub(1) }
    }

    #[inline]
    fn encode(item: CountryRegionCity) -> Result<[u8; 3], EncodeError> {
        let CountryRegionCity { country, region, city } = item;
        let [country, region] = CountryRegionCode::encode(CountryRegion { country, region })?;
        Ok([country, region, code(city, |got| EncodeError::City { got })?])
    }
}

/// A postal area in three bytes: its number + 1, the high byte first; 0 for unknown.
///
/// Numbers are 0 to 16,777,214, so every record but that of zeros has one.
///
/// # Examples
///
/// ```
/// use bitpack::packed::{Codec, PostalCode};
///
/// assert_eq!(PostalCode::encode(Some(90210)), Ok([0x01, 0x60, 0x63]));
/// assert_eq!(PostalCode::decode([0x01, 0x60, 0x63]), Some(90210));
/// assert_eq!(PostalCode::encode(None), Ok([0, 0, 0]));
/// assert!(PostalCode::encode(Some(0xff_ffff)).is_err());
/// ```
#[derive(Clone, Copy, Debug)]
pub enum PostalCode {}

impl PostalCode {
    /// The greatest number that has a code.
    pub const MAX: u32 = 0xff_fffe;
}

impl Codec for PostalCode {
    type Record = [u8; 3];
    type Item = Option<u32>;
    type Error = EncodeError;

    #[inline]
    fn decode([high, middle, low]: [u8; 3]) -> Option<u32> {
        let code = u32::from(high) << 16 | u32::from(middle) << 8 | u32::from(low);
        code.checked_sub(1)
    }

    #[inline]
    fn encode(number: Option<u32>) -> Result<[u8; 3], EncodeError> {
        let code = match number {
            None => 0,
            Some(got) if got > Self::MAX => return Err(EncodeError::Postal { got }),
            Some(number) => number + 1,
        };
        let [low, middle, high, _] = code.to_le_bytes();
        Ok([high, middle, low])
    }
}

/// An integer in four bytes, the high byte first: a code that the caller defines. 0 is the item where nothing was
/// written.
///
/// # Examples
///
/// ```
/// use bitpack::packed::{Codec, NumberCode};
///
/// assert_eq!(NumberCode::encode(90210), Ok([0, 0x01, 0x60, 0x62]));
/// assert_eq!(NumberCode::decode([0xff; 4]), u32::MAX);
/// ```
#[derive(Clone, Copy, Debug)]
pub enum NumberCode {}

impl Codec for NumberCode {
    type Record = [u8; 4];
    type Item = u32;
    type Error = Infallible;

    #[inline]
    fn decode(record: [u8; 4]) -> u32 {
        record.into_iter().fold(0, |number, byte| number << 8 | u32::from(byte))
    }

    #[inline]
    fn encode(number: u32) -> Result<[u8; 4], Infallible> {
        let [low, second, third, high] = number.to_le_bytes();
        Ok([high, third, second, low])
    }
}
