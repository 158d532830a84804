//! How precisely a place is told: what the bytes of a user mean.

#![expect(clippy::type_complexity, reason = "three names, each of them in doubt")]

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

/// How precisely [`Locations`] tell a place, and in how many bytes: one of the types of this module.
///
/// | precision | bytes | what is told | made by |
/// |---|---|---|---|
/// | [`Countries`] | 1 | the country | [`Locations::countries`](Locations::countries) |
/// | [`Regions`] | 2 | country and region, as in the book | [`Locations::new`](Locations::new) |
/// | [`Cities`] | 3 | country, region and city | [`Locations::cities`](Locations::cities) |
/// | [`Codes`] | 1 to 8 | the items of a codec | [`Locations::codec`](Locations::codec) |
pub trait Precision: sealed::Sealed {
    /// The bytes of a user.
    type Codec: Codec;
    /// What the aggregates return.
    type Counts;

    /// What was counted.
    #[doc(hidden)]
    fn counts(&self, tally: &Tally<Self::Codec>) -> Self::Counts;
}

mod sealed {
    #[expect(unnameable_types, reason = "that is what seals it")]
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

/// What a codec of [`bitpack::packed`] says, in the bytes that it takes.
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

/// Countries, in one byte each.
#[blocking_and_async]
impl<B: Backend> Locations<B, Countries> {
    /// Sets the country of a user. O(1).
    ///
    /// # Errors
    ///
    /// As [`set_code`](Self::set_code), and [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a
    /// country that the table does not have.
    #[inline]
    pub async fn set(&self, user: u64, country: &str) -> Result<(), Error> {
        let [country, _] = self.precision.0.code(country, None)?;
        self.set_code(user, [country]).await
    }

    /// As [`set`](Self::set), but a country that the table does not have is stored as unknown. O(1).
    ///
    /// # Errors
    ///
    /// As [`set_code`](Self::set_code).
    #[inline]
    pub async fn set_lenient(&self, user: u64, country: &str) -> Result<(), Error> {
        let [country, _] = self.precision.0.code_lenient(country, None);
        self.set_code(user, [country]).await
    }

    /// The country of a user, if it is known. O(1).
    ///
    /// # Errors
    ///
    /// As [`code`](Self::code).
    pub async fn get(&self, user: u64) -> Result<Option<&str>, Error> {
        let [country] = self.code(user).await?;
        Ok(self.precision.0.names([country, 0]).0)
    }
}

/// Countries, regions and cities, in three bytes each.
#[blocking_and_async]
impl<B: Backend> Locations<B, Cities> {
    /// Sets the location of a user. An empty region or city is none. O(1).
    ///
    /// # Errors
    ///
    /// As [`set_code`](Self::set_code), and [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for a
    /// name that the table does not have.
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

    /// As [`set`](Self::set), but names that the table does not have are stored as unknown: an unknown city leaves the
    /// region, an unknown region the country. O(1).
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

    /// The country of a user, and the region and the city if they are known; `None` if the country is not. O(1).
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

/// The items of a codec.
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

    /// The item of a user: that of zeros if none was set. O(1).
    ///
    /// # Errors
    ///
    /// As [`code`](Self::code).
    pub async fn get(&self, user: u64) -> Result<C::Item, Error> {
        self.code(user).await.map(C::decode)
    }
}
