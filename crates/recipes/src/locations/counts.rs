//! What an aggregate returns.

use std::fmt;
use std::sync::Arc;

use bitpack::packed::{CountryRegionCode, Histogram};

use super::names::Names;
use super::table::LocationTable;

/// How many users there are in each country and each region: what [`aggregate`](super::Locations::aggregate) and
/// [`aggregate_list`](super::Locations::aggregate_list) return.
///
/// Two are equal if they count the same by the same table.
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
    /// By the index of the country.
    countries: Box<[InCountry]>,
    unknown: u64,
}

/// The users of a country.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct InCountry {
    users: u64,
    /// By the index of the region; empty if the country has no regions.
    regions: Box<[u64]>,
}

impl LocationCounts {
    /// What the codes of a histogram mean, of which `unset` are not to count, and so many users more without any.
    pub(super) fn new(
        table: &Arc<LocationTable>,
        histogram: &Histogram<CountryRegionCode>,
        zeros: Zeros,
    ) -> Self {
        let in_country = |index| {
            let regions = table.regions_at(index).map_or(0, Names::len);
            InCountry { users: 0, regions: vec![0; regions].into_boxed_slice() }
        };
        let indexes = (0..=u8::MAX).take(table.countries().len());
        let mut countries: Box<[InCountry]> = indexes.map(in_country).collect();
        let mut unknown = 0;
        for ([country, region], users) in histogram.records() {
            if [country, region] == [0, 0] && zeros == Zeros::AreNobody {
                continue;
            }
            let Some(of_country) = of_code(&mut countries, country) else {
                unknown += users;
                continue;
            };
            of_country.users += users;
            if let Some(of_region) = of_code(&mut of_country.regions, region) {
                *of_region += users;
            }
        }
        Self { table: Arc::clone(table), countries, unknown }
    }

    /// The same, and so many users more of whom nothing is known.
    pub(super) const fn and_unknown(mut self, users: u64) -> Self {
        self.unknown += users;
        self
    }

    /// All users that were counted.
    #[must_use]
    pub fn users(&self) -> u64 {
        self.unknown + self.countries.iter().map(|country| country.users).sum::<u64>()
    }

    /// Users whose country is unknown: their code is not in the table. Of a list, those too who have none.
    #[must_use]
    pub const fn unknown(&self) -> u64 {
        self.unknown
    }

    /// Users of a country; 0 for one that is not in the table.
    #[must_use]
    pub fn country(&self, country: &str) -> u64 {
        self.of(country).map_or(0, |country| country.users)
    }

    /// Users of a region; 0 for one that is not in the table.
    #[must_use]
    pub fn region(&self, country: &str, region: &str) -> u64 {
        self.all_regions(country).find(|&(name, _)| name == region).map_or(0, |(_, users)| users)
    }

    /// Users of a country whose region is unknown: none was given, or its code is not in the table. All of them where
    /// the table has no regions.
    #[must_use]
    pub fn without_region(&self, country: &str) -> u64 {
        let regions = |country: &InCountry| country.regions.iter().sum::<u64>();
        self.of(country).map_or(0, |country| country.users - regions(country))
    }

    /// The countries that have users, and how many, in the order of the table.
    pub fn countries(&self) -> impl Iterator<Item = (&str, u64)> {
        let counts = self.countries.iter().map(|country| country.users);
        self.table.countries().zip(counts).filter(|&(_, users)| users > 0)
    }

    /// The regions of a country that have users, and how many, in the order of the table.
    pub fn regions(&self, country: &str) -> impl Iterator<Item = (&str, u64)> {
        self.all_regions(country).filter(|&(_, users)| users > 0)
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

/// What two zeros mean, which are in a string where nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Zeros {
    /// That there may be no such user.
    AreNobody,
    /// That a user has no location.
    AreUsers,
}

/// The count of a code, if there is one.
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
            }
        }
        map.entry(&"unknown", &self.unknown).finish()
    }
}
