//! How precisely a place is told: what the bytes of a user mean.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bitpack::packed::{Codec, CountryCode, CountryRegionCityCode, CountryRegionCode};

use super::cities::CityTable;
use super::counts::{CodeCounts, LocationCounts};
use super::table::LocationTable;
use super::tally::Tally;

/// How precisely [`Locations`](super::Locations) tell a place, and in how many bytes: one of the types of this module.
///
/// | precision | bytes | what is told | made by |
/// |---|---|---|---|
/// | [`Countries`] | 1 | the country | [`Locations::countries`](super::Locations::countries) |
/// | [`Regions`] | 2 | country and region, as in the book | [`Locations::new`](super::Locations::new) |
/// | [`Cities`] | 3 | country, region and city | [`Locations::cities`](super::Locations::cities) |
/// | [`Codes`] | 1 to 8 | the items of a codec | [`Locations::codec`](super::Locations::codec) |
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
