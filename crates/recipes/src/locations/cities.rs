//! Tables of countries, regions and cities, for codes of three bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use store::Error;

use super::names::{MAX, Names};
use super::table::{LocationTable, shown};
use crate::errors::invalid;

/// A table of countries, regions and cities with codes of three bytes: at most 255 countries, 255 regions per country,
/// and 255 cities per region.
///
/// A code is the two bytes of a [`LocationTable`] and a third, which is the index of the city in the sorted list of the
/// region's cities plus one; 0 is unknown. So the table is part of the stored data, as there: adding or removing a name
/// changes the meaning of stored codes.
///
/// # Rows
///
/// [`from_rows`](Self::from_rows) takes the names as rows in any order: country, region, city. A row with an empty city
/// adds a region that may have no cities, a row with an empty region adds a country that may have no regions; a city
/// without a region belongs to the country only.
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::CityTable;
///
/// let rows = "\
/// USA,NY,New York
/// USA,CA,San Jose
/// USA,CA,Los Angeles
/// USA,WY,
/// SGP,,Singapore
/// FRA,,";
/// let rows = rows.lines().map(|row| {
///     let mut names = row.split(',');
///     [(); 3].map(|()| names.next().unwrap_or("")).into()
/// });
/// let table = CityTable::from_rows::<&str, &str, &str>(rows)?;
/// assert_eq!(table.code("USA", "CA", "San Jose")?, [3, 1, 2]);
/// assert_eq!(table.code("SGP", None, "Singapore")?, [2, 0, 1]);
/// assert_eq!(table.code("FRA", None, None)?, [1, 0, 0]);
/// assert_eq!(table.names([3, 1, 2]), (Some("USA"), Some("CA"), Some("San Jose")));
///
/// let mistake = table.code("USA", "CA", "New York").unwrap_err();
/// assert_eq!(mistake.to_string(), "ERR city 'New York' of USA, CA is unknown");
///
/// let twice = CityTable::from_rows([("FRA", "", "Paris"), ("FRA", "", "Paris")]).unwrap_err();
/// assert_eq!(twice.to_string(), "row 2 is a duplicate");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CityTable {
    regions: Arc<LocationTable>,
    /// For each country and each code of a region, 0 for none, the cities, if there are any.
    cities: Box<[Box<[Option<Names>]>]>,
}

impl CityTable {
    /// Creates the table of these rows, which may be in any order. O(rows * log(rows)).
    ///
    /// # Errors
    ///
    /// If there are no rows; for a duplicate row, or one without a country; for more than 255 countries, regions of a
    /// country or cities of a region.
    pub fn from_rows<C: AsRef<str>, R: AsRef<str>, T: AsRef<str>>(
        rows: impl IntoIterator<Item = (C, R, T)>,
    ) -> Result<Self, CityTableError> {
        let mut tree: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for ((country, region, city), row) in rows.into_iter().zip(1..) {
            let [country, region, city] = [country.as_ref(), region.as_ref(), city.as_ref()];
            if country.is_empty() {
                return Err(CityTableError::NoCountry { row });
            }
            let regions = tree.entry(country.to_owned()).or_default();
            let cities = regions.entry(region.to_owned()).or_default();
            if !cities.insert(city.to_owned()) {
                return Err(CityTableError::Twice { row });
            }
            // An empty name means none, and takes no code.
            if cities.len() > MAX + usize::from(cities.contains("")) {
                return Err(CityTableError::TooManyCities { row });
            }
            if regions.len() > MAX + usize::from(regions.contains_key("")) {
                return Err(CityTableError::TooManyRegions { row });
            }
            if tree.len() > MAX {
                return Err(CityTableError::TooManyCountries { row });
            }
        }
        let countries = names(tree.keys()).ok_or(CityTableError::NoRows)?;
        let regions = tree.values().map(|regions| names(regions.keys())).collect();
        let cities = tree.values().map(|regions| {
            let without = regions.get("").and_then(names);
            // Sorted by name, which is the order of their codes.
            let with = regions.iter().filter(|(region, _)| !region.is_empty());
            std::iter::once(without).chain(with.map(|(_, cities)| names(cities))).collect()
        });
        let cities = cities.collect();
        Ok(Self { regions: Arc::new(LocationTable::of(countries, regions)), cities })
    }

    /// Returns the code of a country, a region and a city. O(1), or O(log(cities)) for a name of more than eight bytes.
    ///
    /// An empty name means none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument), with the name, if one of them is not in the
    /// table.
    #[inline]
    pub fn code<'n>(
        &self,
        country: &str,
        region: impl Into<Option<&'n str>>,
        city: impl Into<Option<&'n str>>,
    ) -> Result<[u8; 3], Error> {
        let (region, city) = (region.into().unwrap_or(""), city.into().unwrap_or(""));
        let of = self.regions.code(country, region)?;
        let code = self.with_city(of, city);
        if code[2] == 0 && !city.is_empty() {
            return Err(self.unknown(of, city));
        }
        Ok(code)
    }

    /// Returns the code of a country, a region and a city, with 0 for names that are not in the table: for an unknown
    /// city the region is kept, for an unknown region the country. O(1), or O(log(cities)) for a name of more than
    /// eight bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::CityTable;
    ///
    /// let table = CityTable::from_rows([("DEU", "BY", "Hof"), ("DEU", "", "Hof")])?;
    /// assert_eq!(table.code_lenient("DEU", "BY", "Ulm"), [1, 1, 0]);
    /// assert_eq!(table.code_lenient("DEU", "BW", "Hof"), [1, 0, 0]);
    /// assert_eq!(table.code_lenient("FRA", "BY", "Hof"), [0, 0, 0]);
    /// # Ok::<(), tallis::CityTableError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn code_lenient<'n>(
        &self,
        country: &str,
        region: impl Into<Option<&'n str>>,
        city: impl Into<Option<&'n str>>,
    ) -> [u8; 3] {
        let region = region.into().unwrap_or("");
        let of = self.regions.code_lenient(country, region);
        // If the region is unknown, the city is too, even if the country has one of this name without a region.
        let city = if of[1] == 0 && !region.is_empty() { None } else { city.into() };
        self.with_city(of, city.unwrap_or(""))
    }

    /// Returns the country, the region and the city of a code; `None` for 0 and for codes that are not in the table.
    /// O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::CityTable;
    ///
    /// let table = CityTable::from_rows([("DEU", "BY", "Hof"), ("SGP", "", "Singapore")])?;
    /// assert_eq!(table.names([1, 1, 1]), (Some("DEU"), Some("BY"), Some("Hof")));
    /// assert_eq!(table.names([2, 0, 1]), (Some("SGP"), None, Some("Singapore")));
    /// assert_eq!(table.names([2, 9, 1]), (Some("SGP"), None, None));
    /// # Ok::<(), tallis::CityTableError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn names(
        &self,
        [country, region, city]: [u8; 3],
    ) -> (Option<&str>, Option<&str>, Option<&str>) {
        let cities = self.cities_at([country, region]);
        let city = cities.zip(city.checked_sub(1)).and_then(|(names, at)| names.get(at));
        let (country, region) = self.regions.names([country, region]);
        (country, region, city)
    }

    /// Returns the table of countries and regions, whose codes are the first two bytes.
    #[must_use]
    pub const fn regions(&self) -> &Arc<LocationTable> {
        &self.regions
    }

    /// Returns the cities of a region, or those of a country without a region, in the order of their codes; `None` if
    /// there are none, or if the region is not in the table.
    #[must_use]
    pub fn cities<'n>(
        &self,
        country: &str,
        region: impl Into<Option<&'n str>>,
    ) -> Option<impl ExactSizeIterator<Item = &str>> {
        let of = self.regions.code(country, region).ok()?;
        self.cities_at(of).map(Names::iter)
    }

    /// Returns the cities by the code of their country and region.
    #[inline]
    pub(super) fn cities_at(&self, [country, region]: [u8; 2]) -> Option<&Names> {
        let regions = self.cities.get(usize::from(country.checked_sub(1)?))?;
        regions.get(usize::from(region))?.as_ref()
    }

    #[inline]
    fn with_city(&self, of: [u8; 2], city: &str) -> [u8; 3] {
        let index = self.cities_at(of).and_then(|cities| cities.index(city));
        // An index is at most 254.
        [of[0], of[1], index.map_or(0, |index| index + 1)]
    }

    #[cold]
    fn unknown(&self, of: [u8; 2], city: &str) -> Error {
        let (country, region) = self.regions.names(of);
        let (country, city) = (country.unwrap_or(""), shown(city));
        let region = region.map_or(String::new(), |region| format!(", {region}"));
        let none =
            if self.cities_at(of).is_none() { ": the table has no cities there" } else { "" };
        invalid(format!("ERR city '{city}' of {country}{region} is unknown{none}"))
    }
}

/// Returns the list of the names that are not empty, if there are any.
fn names<'n>(sorted: impl IntoIterator<Item = &'n String>) -> Option<Names> {
    let names = sorted.into_iter().map(String::as_str).filter(|name| !name.is_empty());
    // They come from a sorted tree, and their number was checked.
    Names::new(&names.collect::<Vec<_>>()).ok()
}

/// Why rows are not a valid [`CityTable`]. Rows count from 1.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CityTableError {
    /// There are no rows.
    NoRows,
    /// A row has no country.
    NoCountry {
        /// The row.
        row: usize,
    },
    /// A row is a duplicate.
    Twice {
        /// The row.
        row: usize,
    },
    /// A row has the 256th country.
    TooManyCountries {
        /// The row.
        row: usize,
    },
    /// A row has the 256th region of its country.
    TooManyRegions {
        /// The row.
        row: usize,
    },
    /// A row has the 256th city of its region.
    TooManyCities {
        /// The row.
        row: usize,
    },
}

impl fmt::Display for CityTableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (row, many) = match *self {
            Self::NoRows => return f.write_str("the table has no rows"),
            Self::NoCountry { row } => return write!(f, "row {row} has no country"),
            Self::Twice { row } => return write!(f, "row {row} is a duplicate"),
            Self::TooManyCountries { row } => (row, "countries"),
            Self::TooManyRegions { row } => (row, "regions of the country"),
            Self::TooManyCities { row } => (row, "cities of the region"),
        };
        write!(f, "row {row} exceeds the maximum of {MAX} {many}")
    }
}

impl std::error::Error for CityTableError {}

#[cfg(test)]
mod tests {
    use super::*;

    type Row = (String, String, String);

    /// Returns a row with this name in one of its columns.
    type RowOf = fn(String) -> Row;

    /// Returns rows of each kind, unsorted.
    fn rows() -> Vec<Row> {
        let rows = [
            "USA,CA,San Jose",
            "USA,CA,Los Angeles",
            "USA,CA,",
            "SGP,,Singapore",
            "USA,NY,Rome",
            "USA,,Nowhere",
            "ITA,LAZ,Rome",
            "USA,WY,",
            "FRA,,",
        ];
        let row = |row: &str| {
            let names: Vec<&str> = row.split(',').collect();
            (names[0].to_owned(), names[1].to_owned(), names[2].to_owned())
        };
        rows.into_iter().map(row).collect()
    }

    #[test]
    fn every_row_has_a_code_and_every_code_its_row() {
        let table = CityTable::from_rows(rows()).unwrap();
        assert!(table.regions().countries().eq(["FRA", "ITA", "SGP", "USA"]));
        let mut codes = BTreeSet::new();
        for (country, region, city) in &rows() {
            let code = table.code(country, &**region, &**city).unwrap();
            assert_eq!(table.code_lenient(country, &**region, &**city), code);
            assert!(codes.insert(code));
            let name = |name| Some(name).filter(|name: &&str| !name.is_empty());
            assert_eq!(table.names(code), (name(country), name(region), name(city)));
        }
        assert!(codes.into_iter().eq([
            [1, 0, 0],
            [2, 1, 1],
            [3, 0, 1],
            [4, 0, 1],
            [4, 1, 0],
            [4, 1, 1],
            [4, 1, 2],
            [4, 2, 1],
            [4, 3, 0]
        ]));
        assert!(table.cities("USA", "CA").unwrap().eq(["Los Angeles", "San Jose"]));
        assert!(table.cities("USA", None).unwrap().eq(["Nowhere"]));
        for (country, region) in [("USA", "WY"), ("FRA", ""), ("USA", "QQ"), ("ZZZ", "")] {
            assert!(table.cities(country, region).is_none(), "{country} {region}");
        }
        // The order of the rows does not matter.
        let mut back = rows();
        back.reverse();
        assert_eq!(CityTable::from_rows(back), Ok(table));
    }

    #[test]
    fn places_that_are_not_in_the_table_are_named() {
        let table = CityTable::from_rows(rows()).unwrap();
        for (country, region, city, lenient, text) in [
            ("ZZZ", "CA", "Rome", [0, 0, 0], "country 'ZZZ' is unknown"),
            ("USA", "QQ", "Nowhere", [4, 0, 0], "region 'QQ' of USA is unknown"),
            ("USA", "CA", "Rome", [4, 1, 0], "city 'Rome' of USA, CA is unknown"),
            ("SGP", "", "R\nome", [3, 0, 0], "city 'R\\nome' of SGP is unknown"),
            (
                "USA",
                "WY",
                "Rome",
                [4, 3, 0],
                "city 'Rome' of USA, WY is unknown: the table has no cities there",
            ),
            (
                "SGP",
                "X",
                "Singapore",
                [3, 0, 0],
                "region 'X' of SGP is unknown: the table has no regions of that country",
            ),
        ] {
            let error = table.code(country, region, city).unwrap_err();
            assert_eq!(error.to_string(), format!("ERR {text}"));
            assert_eq!(table.code_lenient(country, region, city), lenient);
        }
        for code in [[0, 0, 0], [0, 1, 1], [5, 1, 1]] {
            assert_eq!(table.names(code), (None, None, None));
        }
        assert_eq!(table.names([4, 1, 3]), (Some("USA"), Some("CA"), None));
        assert_eq!(table.names([4, 4, 1]), (Some("USA"), None, None));
    }

    #[test]
    fn invalid_rows_are_reported_by_number() {
        use CityTableError as E;
        assert_eq!(CityTable::from_rows::<&str, &str, &str>([]), Err(E::NoRows));
        for (rows, error) in [
            (vec![("A", "", ""), ("", "a", "x")], E::NoCountry { row: 2 }),
            (vec![("A", "a", "x"), ("A", "a", ""), ("A", "a", "x")], E::Twice { row: 3 }),
            (vec![("A", "a", ""), ("A", "a", "")], E::Twice { row: 2 }),
            (vec![("A", "", ""), ("A", "", "")], E::Twice { row: 2 }),
        ] {
            assert_eq!(CityTable::from_rows(rows), Err(error));
        }
        let number = |n: usize| format!("{n:03}");
        let kinds: [(RowOf, E, &str); 3] = [
            (
                |n| (n, String::new(), String::new()),
                E::TooManyCountries { row: 256 },
                "row 256 exceeds the maximum of 255 countries",
            ),
            (
                |n| ("A".to_owned(), n, String::new()),
                E::TooManyRegions { row: 256 },
                "row 256 exceeds the maximum of 255 regions of the country",
            ),
            (
                |n| ("A".to_owned(), "a".to_owned(), n),
                E::TooManyCities { row: 256 },
                "row 256 exceeds the maximum of 255 cities of the region",
            ),
        ];
        for (row, error, text) in kinds {
            let table = CityTable::from_rows((0..255).map(|n| row(number(n)))).unwrap();
            let (country, region, city) = row(number(254));
            let code = table.code(&country, &*region, &*city).unwrap();
            assert_eq!(code.into_iter().filter(|&byte| byte == 255).count(), 1);
            assert_eq!(CityTable::from_rows((0..256).map(|n| row(number(n)))), Err(error));
            assert_eq!(error.to_string(), text);
        }
        // An empty name takes no code: 255 names fit in addition.
        let beside = |row: RowOf| {
            let rows = (0..255).map(number).chain([String::new()]).map(row);
            CityTable::from_rows(rows.collect::<Vec<_>>())
        };
        let table = beside(|n| ("A".to_owned(), n, "x".to_owned())).unwrap();
        assert_eq!(table.code("A", "254", "x").unwrap(), [1, 255, 1]);
        assert_eq!(table.code("A", "", "x").unwrap(), [1, 0, 1]);
        let table = beside(|n| ("A".to_owned(), "a".to_owned(), n)).unwrap();
        assert_eq!(table.code("A", "a", "254").unwrap(), [1, 1, 255]);
        for (error, text) in [
            (E::NoRows, "the table has no rows"),
            (E::NoCountry { row: 2 }, "row 2 has no country"),
            (E::Twice { row: 3 }, "row 3 is a duplicate"),
        ] {
            assert_eq!(error.to_string(), text);
        }
    }
}
