//! The results of aggregates.

use std::fmt;
use std::sync::Arc;

use bitpack::packed::Codec;

use super::cities::CityTable;
use super::names::Names;
use super::table::LocationTable;

/// The number of users in each country, region and city, as [`aggregate`](super::Locations::aggregate) and
/// [`aggregate_list`](super::Locations::aggregate_list) return it.
///
/// The levels are those of the [precision](super::Precision): regions have no users if it has countries only, and
/// cities have none if it has no cities.
///
/// Two values are equal if they have the same counts for the same table.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::{Locations, Store};
///
/// let locations = Locations::new(Store::new());
/// locations.set(0, "USA", "CA")?;
/// locations.set(1, "USA", "NY")?;
/// locations.set(2, "FRA", None)?;
/// let counts = locations.aggregate()?;
/// assert!(counts.countries().eq([("FRA", 1), ("USA", 2)]));
/// assert!(counts.regions("USA").eq([("CA", 1), ("NY", 1)]));
/// assert_eq!((counts.users(), counts.unknown()), (3, 0));
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct LocationCounts {
    table: Arc<LocationTable>,
    /// The cities, if the precision has them.
    cities: Option<Arc<CityTable>>,
    /// By the index of the country.
    countries: Box<[InCountry]>,
    unknown: u64,
}

/// The users of a country. Without users it has no counts of regions and cities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct InCountry {
    users: u64,
    /// By the index of the region; empty if the country has no regions.
    regions: Box<[u64]>,
    /// By the code of the region, 0 for none, and the index of the city; empty if the precision has no cities.
    cities: Box<[Box<[u64]>]>,
}

impl LocationCounts {
    /// Creates the counts from the number of users per code, which is not 0, and the number of users without a code. The
    /// bytes of a code are 0 below the precision.
    pub(super) fn new(
        table: &Arc<LocationTable>,
        cities: Option<&Arc<CityTable>>,
        codes: impl Iterator<Item = ([u8; 3], u64)>,
        mut unknown: u64,
    ) -> Self {
        let zeros = |names: Option<&Names>| vec![0; names.map_or(0, Names::len)].into_boxed_slice();
        let of_places = |code: u8| {
            let regions = zeros(code.checked_sub(1).and_then(|index| table.regions_at(index)));
            let cities = cities.into_iter().flat_map(|cities| {
                let codes = (0..=u8::MAX).take(regions.len() + 1);
                codes.map(move |region| zeros(cities.cities_at([code, region])))
            });
            let cities = cities.collect();
            InCountry { users: 0, regions, cities }
        };
        let mut countries = vec![InCountry::default(); table.countries().len()].into_boxed_slice();
        for ([country, region, city], users) in codes {
            let Some(of_country) = of_code(&mut countries, country) else {
                unknown += users;
                continue;
            };
            if of_country.users == 0 {
                *of_country = of_places(country);
            }
            of_country.users += users;
            if let Some(of_region) = of_code(&mut of_country.regions, region) {
                *of_region += users;
            }
            let of_cities = of_country.cities.get_mut(usize::from(region));
            if let Some(of_city) = of_cities.and_then(|cities| of_code(cities, city)) {
                *of_city += users;
            }
        }
        Self { table: Arc::clone(table), cities: cities.cloned(), countries, unknown }
    }

    /// Returns the number of users that were counted.
    #[must_use]
    pub fn users(&self) -> u64 {
        self.unknown + self.countries.iter().map(|country| country.users).sum::<u64>()
    }

    /// Returns the number of users whose country is unknown: their code is not in the table. For a list, users without
    /// a code are included.
    #[must_use]
    pub const fn unknown(&self) -> u64 {
        self.unknown
    }

    /// Returns the number of users of a country; 0 if it is not in the table.
    #[must_use]
    pub fn country(&self, country: &str) -> u64 {
        self.of(country).map_or(0, |country| country.users)
    }

    /// Returns the number of users of a region; 0 if it is not in the table.
    #[must_use]
    pub fn region(&self, country: &str, region: &str) -> u64 {
        self.all_regions(country).find(|&(name, _)| name == region).map_or(0, |(_, users)| users)
    }

    /// Returns the number of users of a country whose region is unknown: none was set, or its code is not in the table.
    /// All users of the country, if the precision has no regions.
    #[must_use]
    pub fn without_region(&self, country: &str) -> u64 {
        let regions = |country: &InCountry| country.regions.iter().sum::<u64>();
        self.of(country).map_or(0, |country| country.users - regions(country))
    }

    /// Iterates over the countries with users, and their number, in the order of the table.
    pub fn countries(&self) -> impl Iterator<Item = (&str, u64)> {
        let counts = self.countries.iter().map(|country| country.users);
        self.table.countries().zip(counts).filter(|&(_, users)| users > 0)
    }

    /// Iterates over the regions of a country with users, and their number, in the order of the table.
    pub fn regions(&self, country: &str) -> impl Iterator<Item = (&str, u64)> {
        self.all_regions(country).filter(|&(_, users)| users > 0)
    }

    /// Returns the number of users of a city; 0 if it is not in the table. Without a region it is a city of the country
    /// only.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{CityTable, Locations, Store};
    ///
    /// let table = CityTable::from_rows([("USA", "CA", "San Jose"), ("SGP", "", "Singapore")])?;
    /// let locations = Locations::new(Store::new()).cities(table);
    /// locations.set(0, "USA", "CA", "San Jose")?;
    /// locations.set(1, "USA", "CA", None)?;
    /// locations.set(2, "SGP", None, "Singapore")?;
    /// let counts = locations.aggregate()?;
    /// assert_eq!(counts.region("USA", "CA"), 2);
    /// assert_eq!(counts.city("USA", "CA", "San Jose"), 1);
    /// assert_eq!(counts.without_city("USA", "CA"), 1);
    /// assert_eq!(counts.city("SGP", None, "Singapore"), 1);
    /// assert!(counts.cities("USA", "CA").eq([("San Jose", 1)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn city<'n>(&self, country: &str, region: impl Into<Option<&'n str>>, city: &str) -> u64 {
        let mut cities = self.all_cities(country, region.into());
        cities.find(|&(name, _)| name == city).map_or(0, |(_, users)| users)
    }

    /// Iterates over the cities of a region with users, and their number, in the order of the table. Without a region,
    /// over those of the country only.
    pub fn cities<'s, 'n>(
        &'s self,
        country: &str,
        region: impl Into<Option<&'n str>>,
    ) -> impl Iterator<Item = (&'s str, u64)> {
        self.all_cities(country, region.into()).filter(|&(_, users)| users > 0)
    }

    /// Returns the number of users of a region whose city is unknown: none was set, or its code is not in the table.
    /// All users of the region, if the precision has no cities. Without a region, the users of the country for whom
    /// neither is known.
    #[must_use]
    pub fn without_city<'n>(&self, country: &str, region: impl Into<Option<&'n str>>) -> u64 {
        let region = region.into().filter(|region| !region.is_empty());
        let users = match region {
            None => self.without_region(country),
            Some(region) => self.region(country, region),
        };
        users - self.all_cities(country, region).map(|(_, users)| users).sum::<u64>()
    }

    fn all_cities(
        &self,
        country: &str,
        region: Option<&str>,
    ) -> impl Iterator<Item = (&str, u64)> + use<'_> {
        let code = self.table.code(country, region).ok();
        let names = code.zip(self.cities.as_ref()).and_then(|(of, table)| table.cities_at(of));
        let regions = self.of(country).map_or(&[][..], |country| &country.cities);
        let counts = code.and_then(|[_, region]| regions.get(usize::from(region)));
        let counts = counts.map_or(&[][..], |counts| counts);
        names.into_iter().flat_map(Names::iter).zip(counts.iter().copied())
    }

    fn all_regions(&self, country: &str) -> impl Iterator<Item = (&str, u64)> {
        let index = self.table.index_of(country);
        let names = index.and_then(|index| self.table.regions_at(index));
        let counts = self.of(country).map_or(&[][..], |country| &country.regions);
        names.into_iter().flat_map(Names::iter).zip(counts.iter().copied())
    }

    fn of(&self, country: &str) -> Option<&InCountry> {
        self.countries.get(usize::from(self.table.index_of(country)?))
    }
}

/// Returns the count of a code, if there is one.
fn of_code<T>(counts: &mut [T], code: u8) -> Option<&mut T> {
    counts.get_mut(usize::from(code.checked_sub(1)?))
}

impl fmt::Debug for LocationCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (country, users) in self.countries() {
            map.entry(&country, &users);
            for (region, users) in self.regions(country) {
                map.entry(&format_args!("{country}-{region}"), &users);
                for (city, users) in self.cities(country, region) {
                    map.entry(&format_args!("{country}-{region}-{city}"), &users);
                }
            }
            for (city, users) in self.cities(country, None) {
                map.entry(&format_args!("{country}--{city}"), &users);
            }
        }
        map.entry(&"unknown", &self.unknown).finish()
    }
}

/// The number of users with each code, as [`aggregate`](super::Locations::aggregate) and
/// [`aggregate_list`](super::Locations::aggregate_list) of [`Codes`](super::Codes) return it.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {bitpack, recipes::*, store::*}; }
/// use tallis::bitpack::packed::PostalCode;
/// use tallis::{Locations, Store};
///
/// let locations = Locations::new(Store::new()).codec::<PostalCode>();
/// for (user, area) in [(0, 90210), (1, 10115), (2, 90210)] {
///     locations.set(user, Some(area))?;
/// }
/// let counts = locations.aggregate_list([0, 1, 2, 3])?;
/// assert!(counts.iter().eq([(Some(10115), 1), (Some(90210), 2)]));
/// assert_eq!((counts.users(), counts.unknown()), (4, 1));
/// # Ok::<(), tallis::Error>(())
/// ```
pub struct CodeCounts<C: Codec> {
    /// Ascending, without the code of zeros.
    codes: Box<[(C::Record, u64)]>,
    unknown: u64,
}

impl<C: Codec> CodeCounts<C> {
    /// Creates the counts from the number of users per code, and the number of users without a code.
    pub(super) fn new(codes: impl Iterator<Item = (C::Record, u64)>, mut unknown: u64) -> Self {
        let known = |&(code, users): &(C::Record, u64)| {
            let zeros = code == C::Record::default();
            unknown += if zeros { users } else { 0 };
            !zeros
        };
        let codes = codes.filter(known).collect();
        Self { codes, unknown }
    }

    /// Returns the number of users that were counted.
    #[must_use]
    pub fn users(&self) -> u64 {
        self.unknown + self.codes.iter().map(|&(_, users)| users).sum::<u64>()
    }

    /// Returns the number of users of a list without a code, which is all zeros. If a codec has other codes for
    /// unknown, these are among the [items](Self::iter).
    #[must_use]
    pub const fn unknown(&self) -> u64 {
        self.unknown
    }

    /// Returns the number of users with a code; 0 for the code of zeros. O(log(codes)).
    #[must_use]
    pub fn code(&self, code: C::Record) -> u64 {
        let at = self.codes.binary_search_by_key(&code, |&(code, _)| code);
        at.map_or(0, |at| self.codes[at].1)
    }

    /// Iterates over the codes with users, and their number, ascending by their bytes.
    #[must_use]
    pub fn codes(&self) -> impl ExactSizeIterator<Item = (C::Record, u64)> {
        self.codes.iter().copied()
    }

    /// Iterates over the items of the codes with users, and their number, ascending by the bytes of the codes. If a
    /// codec decodes several codes to the same item, it occurs several times.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (C::Item, u64)> {
        self.codes().map(|(code, users)| (C::decode(code), users))
    }
}

impl<C: Codec> Clone for CodeCounts<C> {
    fn clone(&self) -> Self {
        Self { codes: self.codes.clone(), unknown: self.unknown }
    }
}

impl<C: Codec> PartialEq for CodeCounts<C> {
    fn eq(&self, other: &Self) -> bool {
        self.codes == other.codes && self.unknown == other.unknown
    }
}

impl<C: Codec> Eq for CodeCounts<C> {}

impl<C: Codec<Item: fmt::Debug>> fmt::Debug for CodeCounts<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).entry(&"unknown", &self.unknown).finish()
    }
}
