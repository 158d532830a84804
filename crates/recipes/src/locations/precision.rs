//! The precision of a location: the meaning of the bytes of a user.

#![expect(clippy::type_complexity, reason = "three names, each of them optional")]

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bitpack::packed::{Codec, CountryCode, CountryRegionCityCode, CountryRegionCode};
use macros::blocking_and_async;
use store::Error;

use super::Locations;
use super::cities::CityTable;
use super::counts::{CodeCounts, LocationCounts};
use super::table::LocationTable;
use super::tally::Tally;
use crate::backend::{AsyncBackend, Backend};
use crate::errors::invalid;

/// The precision of [`Locations`], and its number of bytes: one of the types of this module.
///
/// | precision | bytes | location | created by |
/// |---|---|---|---|
/// | [`Countries`] | 1 | the country | [`Locations::countries`](Locations::countries) |
/// | [`Regions`] | 2 | country and region, as in the book | [`Locations::new`](Locations::new) |
/// | [`Cities`] | 3 | country, region and city | [`Locations::cities`](Locations::cities) |
/// | [`Codes`] | 1 to 8 | the items of a codec | [`Locations::codec`](Locations::codec) |
pub trait Precision: sealed::Sealed {
    /// The bytes of a user.
    type Codec: Codec;
    /// The type that the aggregates return.
    type Counts;

    /// Converts the result of counting.
    #[doc(hidden)]
    fn counts(&self, tally: &Tally<Self::Codec>) -> Self::Counts;
}

mod sealed {
    #[expect(unnameable_types, reason = "sealed traits cannot be named")]
    pub trait Sealed {}
}

/// The country, in one byte.
#[derive(Clone, Debug)]
pub struct Countries(pub(super) Arc<LocationTable>);

/// The country and the region, in two bytes, as in Redis in Action.
#[derive(Clone, Debug)]
pub struct Regions(pub(super) Arc<LocationTable>);

/// The country, the region and the city, in three bytes.
#[derive(Clone, Debug)]
pub struct Cities(pub(super) Arc<CityTable>);

/// The items of a codec of [`bitpack::packed`], in the number of bytes of its codes.
pub struct Codes<C>(pub(super) PhantomData<fn() -> C>);

impl<C> Clone for Codes<C> {
    fn clone(&self) -> Self {
        Self(PhantomData)
    }
}

impl<C> fmt::Debug for Codes<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Codes<{}>", std::any::type_name::<C>())
    }
}

impl sealed::Sealed for Countries {}

impl Precision for Countries {
    type Codec = CountryCode;
    type Counts = LocationCounts;

    fn counts(&self, tally: &Tally<CountryCode>) -> LocationCounts {
        let codes = tally.records().map(|([country], users)| ([country, 0, 0], users));
        LocationCounts::new(&self.0, None, codes, tally.beyond())
    }
}

impl sealed::Sealed for Regions {}

impl Precision for Regions {
    type Codec = CountryRegionCode;
    type Counts = LocationCounts;

    fn counts(&self, tally: &Tally<CountryRegionCode>) -> LocationCounts {
        let codes = tally.records().map(|([country, region], users)| ([country, region, 0], users));
        LocationCounts::new(&self.0, None, codes, tally.beyond())
    }
}

impl sealed::Sealed for Cities {}

impl Precision for Cities {
    type Codec = CountryRegionCityCode;
    type Counts = LocationCounts;

    fn counts(&self, tally: &Tally<CountryRegionCityCode>) -> LocationCounts {
        LocationCounts::new(self.0.regions(), Some(&self.0), tally.records(), tally.beyond())
    }
}

impl<C> sealed::Sealed for Codes<C> {}

impl<C: Codec> Precision for Codes<C> {
    type Codec = C;
    type Counts = CodeCounts<C>;

    fn counts(&self, tally: &Tally<C>) -> CodeCounts<C> {
        CodeCounts::new(tally.records(), tally.beyond())
    }
}

/// # Countries, in one byte each
#[blocking_and_async]
impl<B: Backend> Locations<B, Countries> {
    /// Sets the country of a user. O(1).
    ///
    /// # Errors
    ///
    /// As [`set_code`](Self::set_code), and [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a
    /// country that is not in the table.
    #[inline]
    pub async fn set(&self, user: u64, country: &str) -> Result<(), Error> {
        let [country, _] = self.precision.0.code(country, None)?;
        self.set_code(user, [country]).await
    }

    /// As [`set`](Self::set), but a country that is not in the table is stored as unknown. O(1).
    ///
    /// # Errors
    ///
    /// As [`set_code`](Self::set_code).
    #[inline]
    pub async fn set_lenient(&self, user: u64, country: &str) -> Result<(), Error> {
        let [country, _] = self.precision.0.code_lenient(country, None);
        self.set_code(user, [country]).await
    }

    /// Returns the country of a user, if it is known. O(1).
    ///
    /// # Errors
    ///
    /// As [`code`](Self::code).
    pub async fn get(&self, user: u64) -> Result<Option<&str>, Error> {
        let [country] = self.code(user).await?;
        Ok(self.precision.0.names([country, 0]).0)
    }
}

/// # Countries, regions and cities, in three bytes each
#[blocking_and_async]
impl<B: Backend> Locations<B, Cities> {
    /// Sets the location of a user. An empty region or city means none. O(1).
    ///
    /// # Errors
    ///
    /// As [`set_code`](Self::set_code), and [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a
    /// name that is not in the table.
    #[inline]
    pub async fn set<'n>(
        &self,
        user: u64,
        country: &str,
        region: impl Into<Option<&'n str>>,
        city: impl Into<Option<&'n str>>,
    ) -> Result<(), Error> {
        self.set_code(user, self.precision.0.code(country, region, city)?).await
    }

    /// As [`set`](Self::set), but names that are not in the table are stored as unknown: for an unknown city the region
    /// is kept, for an unknown region the country. O(1).
    ///
    /// # Errors
    ///
    /// As [`set_code`](Self::set_code).
    #[inline]
    pub async fn set_lenient<'n>(
        &self,
        user: u64,
        country: &str,
        region: impl Into<Option<&'n str>>,
        city: impl Into<Option<&'n str>>,
    ) -> Result<(), Error> {
        self.set_code(user, self.precision.0.code_lenient(country, region, city)).await
    }

    /// Returns the country of a user, and the region and the city if they are known; `None` if the country is unknown.
    /// O(1).
    ///
    /// # Errors
    ///
    /// As [`code`](Self::code).
    pub async fn get(
        &self,
        user: u64,
    ) -> Result<Option<(&str, Option<&str>, Option<&str>)>, Error> {
        let (country, region, city) = self.precision.0.names(self.code(user).await?);
        Ok(country.map(|country| (country, region, city)))
    }
}

/// # Items of a codec
#[blocking_and_async]
impl<B: Backend, C: Codec<Error: fmt::Display>> Locations<B, Codes<C>> {
    /// Sets the item of a user. O(1).
    ///
    /// # Errors
    ///
    /// As [`set_code`](Self::set_code), and [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for an
    /// item that has no code.
    #[inline]
    pub async fn set(&self, user: u64, item: C::Item) -> Result<(), Error> {
        let code = C::encode(item).map_err(|error| invalid(format!("ERR {error}")))?;
        self.set_code(user, code).await
    }

    /// Returns the item of a user: that of the code of zeros if none was set. O(1).
    ///
    /// # Errors
    ///
    /// As [`code`](Self::code).
    pub async fn get(&self, user: u64) -> Result<C::Item, Error> {
        self.code(user).await.map(C::decode)
    }
}
