//! Tables of countries and regions, for codes of two bytes.

use std::fmt;
use std::sync::{Arc, LazyLock};

use store::Error;

use super::names::{self, Fault, Names};
use crate::errors::invalid;

/// The first word of the list of countries.
const COUNTRIES: &str = "COUNTRIES";

/// A table of countries and regions with codes of two bytes: at most 255 countries, and at most 255 regions for each,
/// or none.
///
/// A code is two bytes: the index of the country in the sorted list of countries plus one, and the index of the region
/// in the sorted list of the country's regions plus one; 0 is unknown. So a table is part of the stored data: adding or
/// removing a name changes the meaning of stored codes. Create a new table under another prefix instead.
///
/// # Text
///
/// [`parse`](Self::parse) reads one list per line, of words that are separated by blanks. The first list has the
/// countries; each of the others begins with a country, and has its regions. Empty lines, and those that begin with
/// `#`, are skipped.
///
/// ```text
/// COUNTRIES CAN DEU USA
/// CAN AB BC MB
/// USA CA NY
/// ```
///
/// # Examples
///
/// ```
/// # mod tallis { pub use {recipes::*, store::*}; }
/// use tallis::LocationTable;
///
/// let table = LocationTable::parse("COUNTRIES CAN DEU USA\nCAN AB BC MB\nUSA CA NY\n")?;
/// assert_eq!(table.code("USA", "NY")?, [3, 2]);
/// assert_eq!(table.code("DEU", None)?, [2, 0]);
/// assert_eq!(table.names([3, 2]), (Some("USA"), Some("NY")));
/// assert_eq!(table.code("ZZZ", None).unwrap_err().to_string(), "ERR country 'ZZZ' is unknown");
///
/// let unsorted = LocationTable::parse("COUNTRIES DEU CAN").unwrap_err();
/// assert_eq!(unsorted.to_string(), "word 3 sorts before the previous one (line 1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocationTable {
    countries: Names,
    /// The regions of each country, if it has any.
    regions: Box<[Option<Names>]>,
}

/// The table that [`LocationTable::redis_in_action`] returns.
static REDIS_IN_ACTION: LazyLock<Arc<LocationTable>> = LazyLock::new(|| {
    let table = LocationTable::parse(include_str!("../../data/redis_in_action.txt"));
    Arc::new(table.expect("the table is sound"))
});

impl LocationTable {
    /// Returns the table of Redis in Action, 9.2.3: 249 countries by their ISO 3166-1 alpha-3 codes, with the 13
    /// regions of Canada and the 62 of the United States. It will never change, so that stored codes keep their
    /// meaning.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::LocationTable;
    ///
    /// let table = LocationTable::redis_in_action();
    /// assert_eq!(table.countries().len(), 249);
    /// assert_eq!(table.regions("CAN").unwrap().len(), 13);
    /// assert_eq!(table.code("ABW", None)?, [1, 0]);
    /// assert_eq!(table.code("USA", "CA")?, [235, 9]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn redis_in_action() -> Arc<Self> {
        Arc::clone(&REDIS_IN_ACTION)
    }

    /// Parses a table (see [the format](Self#text)). O(length of the text).
    ///
    /// # Errors
    ///
    /// For names that are not sorted, duplicate names, or more than 255 of them; for regions of a country that is not
    /// in the list, or a second list of a country; for a list without names; for a text that does not begin with the
    /// countries.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let lines = text.lines().zip(1..).map(|(line, number)| (number, line.trim_ascii()));
        let mut lists = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let nothing = TableError { line: 1, problem: TableProblem::NoCountries };
        let (line, first) = lists.next().ok_or(nothing)?;
        let mut words = first.split_ascii_whitespace();
        if words.next() != Some(COUNTRIES) {
            return Err(TableError { line, ..nothing });
        }
        let countries = list(words, line)?;
        let mut regions = vec![None; countries.len()];
        for (line, text) in lists {
            let mut words = text.split_ascii_whitespace();
            let error = |problem| TableError { line, problem };
            let country = words.next().and_then(|country| countries.index(country));
            let country = country.ok_or(error(TableProblem::NoSuchCountry))?;
            let of_country = &mut regions[usize::from(country)];
            if of_country.is_some() {
                return Err(error(TableProblem::SecondList));
            }
            *of_country = Some(list(words, line)?);
        }
        Ok(Self::of(countries, regions.into_boxed_slice()))
    }

    /// Returns the code of a country and a region. O(1).
    ///
    /// An empty region means none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument), with the name, if the country or the region
    /// is not in the table; this includes any region of a country without a list of regions.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::LocationTable;
    ///
    /// let table = LocationTable::redis_in_action();
    /// let why = |country, region| table.code(country, region).unwrap_err().to_string();
    /// assert_eq!(why("usa", "CA"), "ERR country 'usa' is unknown");
    /// assert_eq!(why("USA", "XX"), "ERR region 'XX' of USA is unknown");
    /// assert_eq!(why("DEU", "BY"), "ERR region 'BY' of DEU is unknown: the table has no regions of that country");
    /// ```
    #[inline]
    pub fn code<'r>(
        &self,
        country: &str,
        region: impl Into<Option<&'r str>>,
    ) -> Result<[u8; 2], Error> {
        let region = region.into().unwrap_or("");
        let code = self.code_lenient(country, region);
        if code[0] == 0 || (code[1] == 0 && !region.is_empty()) {
            return Err(self.unknown(country, region));
        }
        Ok(code)
    }

    /// Returns the code of a country and a region, with 0 for names that are not in the table, as in the book. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::LocationTable;
    ///
    /// let table = LocationTable::redis_in_action();
    /// assert_eq!(table.code_lenient("USA", "XX"), [235, 0]);
    /// assert_eq!(table.code_lenient("ZZZ", "CA"), [0, 0]);
    /// assert_eq!(table.code_lenient("DEU", "BY"), table.code_lenient("DEU", None));
    /// ```
    #[inline]
    #[must_use]
    pub fn code_lenient<'r>(&self, country: &str, region: impl Into<Option<&'r str>>) -> [u8; 2] {
        let Some(index) = self.countries.index(country) else { return [0, 0] };
        let regions = self.regions[usize::from(index)].as_ref();
        let region = regions.and_then(|regions| regions.index(region.into()?));
        // An index is at most 254.
        [index + 1, region.map_or(0, |index| index + 1)]
    }

    /// Returns the country and the region of a code; `None` for 0 and for codes that are not in the table. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::LocationTable;
    ///
    /// let table = LocationTable::redis_in_action();
    /// assert_eq!(table.names([235, 9]), (Some("USA"), Some("CA")));
    /// assert_eq!(table.names([235, 63]), (Some("USA"), None));
    /// assert_eq!(table.names([250, 1]), (None, None));
    /// ```
    #[inline]
    #[must_use]
    pub fn names(&self, [country, region]: [u8; 2]) -> (Option<&str>, Option<&str>) {
        let Some(index) = country.checked_sub(1) else { return (None, None) };
        let Some(country) = self.countries.get(index) else { return (None, None) };
        let regions = self.regions[usize::from(index)].as_ref();
        (Some(country), regions.zip(region.checked_sub(1)).and_then(|(names, at)| names.get(at)))
    }

    /// Iterates over the countries, in the order of their codes.
    #[must_use]
    pub fn countries(&self) -> impl ExactSizeIterator<Item = &str> {
        self.countries.iter()
    }

    /// Returns the regions of a country, in the order of their codes; `None` if it has none, or is not in the table.
    #[must_use]
    pub fn regions(&self, country: &str) -> Option<impl ExactSizeIterator<Item = &str>> {
        let index = self.countries.index(country)?;
        self.regions_at(index).map(Names::iter)
    }

    /// Creates the table of these lists.
    pub(super) const fn of(countries: Names, regions: Box<[Option<Names>]>) -> Self {
        Self { countries, regions }
    }

    /// Returns the index of a country in the list.
    pub(super) fn index_of(&self, country: &str) -> Option<u8> {
        self.countries.index(country)
    }

    /// Returns the regions of the country at an index.
    pub(super) fn regions_at(&self, index: u8) -> Option<&Names> {
        self.regions.get(usize::from(index))?.as_ref()
    }

    #[cold]
    fn unknown(&self, country: &str, region: &str) -> Error {
        let Some(index) = self.countries.index(country) else {
            return invalid(format!("ERR country '{}' is unknown", shown(country)));
        };
        let no_list = ": the table has no regions of that country";
        let why = if self.regions_at(index).is_none() { no_list } else { "" };
        invalid(format!("ERR region '{}' of {country} is unknown{why}", shown(region)))
    }
}

/// Formats a name for an error: its beginning, with other than plain characters escaped.
pub(super) fn shown(name: &str) -> impl fmt::Display {
    let shown = name.char_indices().nth(64).map_or(name, |(end, _)| &name[..end]);
    shown.escape_debug()
}

/// Parses the names of the rest of a line.
fn list<'t>(words: impl Iterator<Item = &'t str>, line: usize) -> Result<Names, TableError> {
    let words: Vec<&str> = words.collect();
    Names::new(&words).map_err(|fault| {
        // After the first word, and counted from one.
        let problem = match fault {
            Fault::Unsorted(at) => TableProblem::Unsorted { word: at + 2 },
            Fault::Twice(at) => TableProblem::Twice { word: at + 2 },
            Fault::TooMany(names) => TableProblem::TooMany { names },
            Fault::Empty => TableProblem::Empty,
        };
        TableError { line, problem }
    })
}

/// Why a text is not a valid [`LocationTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong in the line.
    pub problem: TableProblem,
}

/// What is wrong in a line of a [`LocationTable`]'s text.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableProblem {
    /// The first list is not `COUNTRIES`, or there is none.
    NoCountries,
    /// A list has no names.
    Empty,
    /// A name is less than the one before it, byte by byte.
    Unsorted {
        /// The word of the line, from 1.
        word: usize,
    },
    /// A name is equal to the one before it.
    Twice {
        /// The word of the line, from 1.
        word: usize,
    },
    /// A list has more names than a byte can number.
    TooMany {
        /// The number of its names.
        names: usize,
    },
    /// A list begins with a country that is not in the list of countries.
    NoSuchCountry,
    /// A country has two lists.
    SecondList,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problem {
            TableProblem::NoCountries => f.write_str("the first list is not the list of COUNTRIES"),
            TableProblem::Empty => f.write_str("the list has no names"),
            TableProblem::Unsorted { word } => {
                write!(f, "word {word} sorts before the previous one")
            }
            TableProblem::Twice { word } => write!(f, "word {word} is a duplicate"),
            TableProblem::TooMany { names } => {
                write!(f, "the list has {names} names, more than {}", names::MAX)
            }
            TableProblem::NoSuchCountry => {
                f.write_str("the country of the list is not in the list of countries")
            }
            TableProblem::SecondList => {
                f.write_str("the country has more than one list of regions")
            }
        }?;
        write!(f, " (line {})", self.line)
    }
}

impl std::error::Error for TableError {}

#[cfg(test)]
mod tests {
    use store::ErrorKind;

    use super::*;

    #[test]
    fn an_unknown_country_that_sorts_last_is_unknown() {
        let table = LocationTable::redis_in_action();
        // An index equal to the length of the list must not be looked up.
        for country in ["ZZZ", "ZWF", "~", "", "AAA", "usa", "USA ", "United States of America"] {
            assert_eq!(table.code_lenient(country, "CA"), [0, 0], "{country}");
            let error = table.code(country, None).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            assert_eq!(error.to_string(), format!("ERR country '{country}' is unknown"));
        }
        for region in ["ZZ", "WZ", "~", "A", "ca"] {
            assert_eq!(table.code_lenient("USA", region), [235, 0]);
            let text = table.code("USA", region).unwrap_err().to_string();
            assert_eq!(text, format!("ERR region '{region}' of USA is unknown"));
        }
    }

    #[test]
    fn every_name_has_a_code_and_every_code_its_names() {
        let table = LocationTable::redis_in_action();
        let mut named = 0;
        for (country, code) in table.countries().zip(1..=u8::MAX) {
            assert_eq!(table.code(country, None).unwrap(), [code, 0]);
            assert_eq!(table.code(country, "").unwrap(), [code, 0]);
            assert_eq!(table.names([code, 0]), (Some(country), None));
            named += 1;
            for (region, second) in table.regions(country).into_iter().flatten().zip(1..=u8::MAX) {
                assert_eq!(table.code(country, region).unwrap(), [code, second]);
                assert_eq!(table.names([code, second]), (Some(country), Some(region)));
                named += 1;
            }
        }
        assert_eq!(named, 249 + 13 + 62);
        let all = (0..=u8::MAX).flat_map(|c| (0..=u8::MAX).map(move |r| [c, r]));
        let known = all.filter(|&code| table.names(code).0.is_some()).count();
        assert_eq!(known, 249 * 256);
    }

    #[test]
    fn errors_show_no_more_than_the_beginning_of_a_name_and_no_control_characters() {
        let table = LocationTable::redis_in_action();
        let text = table.code(&"\u{e4}".repeat(1000), None).unwrap_err().to_string();
        assert_eq!(text, format!("ERR country '{}' is unknown", "\u{e4}".repeat(64)));
        let text = table.code("USA", "C\nA").unwrap_err().to_string();
        assert_eq!(text, "ERR region 'C\\nA' of USA is unknown");
    }

    #[test]
    fn invalid_tables_are_reported_by_line_and_word() {
        use TableProblem as P;
        let many = (0..256).fold(String::new(), |many, n| many + &format!(" {n:03}"));
        for (text, line, problem) in [
            ("", 1, P::NoCountries),
            ("# nothing\n\n", 1, P::NoCountries),
            ("\n\nUSA CA", 3, P::NoCountries),
            ("countries A", 1, P::NoCountries),
            ("COUNTRIES", 1, P::Empty),
            ("COUNTRIES B A", 1, P::Unsorted { word: 3 }),
            ("COUNTRIES A A", 1, P::Twice { word: 3 }),
            ("COUNTRIES A B\nA\n", 2, P::Empty),
            ("COUNTRIES A B\nA x z y\n", 2, P::Unsorted { word: 4 }),
            ("COUNTRIES A B\n#\n  A x x\n", 3, P::Twice { word: 3 }),
            ("COUNTRIES A B\nC x\n", 2, P::NoSuchCountry),
            ("COUNTRIES A B\nA x\nB x\nA x\n", 4, P::SecondList),
            ("COUNTRIES A B\nCOUNTRIES A B\n", 2, P::NoSuchCountry),
            (&format!("COUNTRIES{many}"), 1, P::TooMany { names: 256 }),
            (&format!("COUNTRIES A\nA{many}"), 2, P::TooMany { names: 256 }),
        ] {
            assert_eq!(LocationTable::parse(text), Err(TableError { line, problem }), "{text}");
        }
        // The most names that are possible: those from 001 on, with the same names for the regions of the first.
        let most = &many[" 000".len()..];
        let full = format!("COUNTRIES{most}\r\n001{most}");
        let table = LocationTable::parse(&full).unwrap();
        assert_eq!(table.code("255", None).unwrap(), [255, 0]);
        assert_eq!(table.code("001", "255").unwrap(), [1, 255]);
        assert_eq!(table.names([255, 1]), (Some("255"), None));
        assert_eq!(table.names([1, 255]), (Some("001"), Some("255")));
    }
}
