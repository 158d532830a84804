//! Loads rows of locations.

use tallis::Locations;

use super::batch::{Batch, Unset};
use super::fields::Fields;
use super::seen::Seen;
use crate::columns::{Columns, Places, without_mark};
use crate::reading::BadRow;

/// The format of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// `user,country,region`.
    Users,
    /// A zip code of the United States: `code,latitude,longitude,city,state,county,kind`. Each line is a user in that
    /// state, numbered by the line. The other fields are ignored, because hundreds of rows have no coordinates, but
    /// have a state.
    Zip,
}

/// The fields of a row of a user. The first row of a file may be these words.
pub(crate) const FIELDS: [&str; 3] = ["user", "country", "region"];

/// The index of the state in a row of a zip code, and the number of fields.
const STATE: usize = 4;
const ZIP_FIELDS: usize = 7;

/// Loads rows into locations.
///
/// # Examples
///
/// ```
/// use tallis::{Locations, Store};
/// use tallis_cli::locate::{Format, Loader};
///
/// let locations = Locations::new(Store::new());
/// let mut loader = Loader::new(&locations, Format::Users, false);
/// loader.line(b"7,USA,CA").unwrap();
/// assert_eq!(loader.line(b"7,USA,QQ").unwrap_err().to_string(), "region 'QQ' of USA is unknown");
/// loader.finish()?;
/// assert_eq!(locations.get(7)?, Some(("USA", Some("CA"))));
/// assert_eq!(loader.users(), 1);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Debug)]
pub struct Loader<'l> {
    format: Format,
    lenient: bool,
    fields: Fields,
    columns: Option<Columns>,
    /// The columns of the fields in this file; `None` before its first row.
    places: Option<Places>,
    /// The number of lines so far, of all files.
    lines: u64,
    seen: Seen,
    batch: Batch<'l>,
}

impl<'l> Loader<'l> {
    /// Creates a loader. With `lenient` the user of a malformed row is counted as unknown, if the row has one.
    #[must_use]
    pub fn new(locations: &'l Locations, format: Format, lenient: bool) -> Self {
        Self {
            format,
            lenient,
            fields: Fields::new(),
            columns: None,
            places: None,
            lines: 0,
            seen: Seen::default(),
            batch: Batch::new(locations),
        }
    }

    /// Sets the columns of the fields, for files whose first row has names.
    #[must_use]
    pub fn columns(mut self, columns: Option<Columns>) -> Self {
        self.columns = columns;
        self
    }

    /// Numbers the lines of zip codes from after these users.
    #[must_use]
    pub const fn behind(mut self, users: u64) -> Self {
        self.lines = users;
        self
    }

    /// Starts another file.
    pub const fn next_file(&mut self) {
        self.places = None;
    }

    /// Iterates over the users that were loaded, in no particular order.
    pub(super) fn loaded(&self) -> impl Iterator<Item = u64> {
        self.seen.iter()
    }

    /// Returns how many users were loaded; one with several rows counts once.
    #[must_use]
    pub const fn users(&self) -> u64 {
        self.seen.count()
    }

    /// Loads a line, without its line feed. Empty lines and the header of a file are skipped.
    ///
    /// Rows are stored some hundreds at a time; [`finish`](Self::finish) stores the rest.
    ///
    /// # Errors
    ///
    /// A malformed row. A lenient loader has counted its user if the error [says so](BadRow::is_counted): if a name is
    /// not in the table, the rest of the location is stored, as in the book; a row that cannot be parsed changes no
    /// stored location.
    pub fn line(&mut self, line: &[u8]) -> Result<(), BadRow> {
        self.lines += 1;
        if line.is_empty() {
            return Ok(());
        }
        let loaded = match self.format {
            Format::Users => self.user(line),
            Format::Zip => self.zip(line).map(Some),
        };
        match loaded {
            Ok(user) => {
                if let Some(user) = user {
                    self.seen.insert(user);
                }
                Ok(())
            }
            Err(refused) => Err(self.bad(refused)),
        }
    }

    /// Stores the remaining rows.
    ///
    /// # Errors
    ///
    /// The error of the store. Errors of single rows are returned by [`line`](Self::line).
    pub fn finish(&mut self) -> Result<(), tallis::Error> {
        self.batch.store()
    }

    /// Counts a line that could not be read at all.
    pub fn unreadable(&mut self, what: &str) -> BadRow {
        self.lines += 1;
        let user = (self.format == Format::Zip).then_some(self.lines);
        self.bad(Refused { user, what: what.to_owned(), last: false })
    }

    /// Loads a row and returns its user; the header has none.
    fn user(&mut self, line: &[u8]) -> Result<Option<u64>, Refused> {
        let Some(places) = self.places else { return self.first(line) };
        let refused = |user, what| Refused { user, what, last: false };
        let row = self.fields.of(line).map_err(|error| refused(None, error.to_string()))?;
        // A row of another length may still have a user, if the order of the fields is known.
        let Some([user, country, region]) = places.pick(&row) else {
            let user = row.clone().next().unwrap_or_default();
            let id = user_id(user).filter(|_| self.columns.is_none());
            if id.is_none() && self.columns.is_none() {
                return Err(refused(None, not_a_user(user)));
            }
            return Err(refused(id, places.wrong_count(row.len(), &FIELDS.join(","))));
        };
        let id = user_id(user).ok_or_else(|| refused(None, not_a_user(user)))?;
        let (Ok(country), Ok(region)) = (str::from_utf8(country), str::from_utf8(region)) else {
            return Err(refused(Some(id), "country and region are not UTF-8".to_owned()));
        };
        let set = self.batch.set(id, country, region, self.lenient);
        set.map(|()| Some(id)).map_err(|unset| Refused::of(id, unset))
    }

    /// Reads the first row of a file: it names the columns, or is a header, or a row like any other.
    fn first(&mut self, line: &[u8]) -> Result<Option<u64>, Refused> {
        let line = without_mark(line);
        if let Some(columns) = &self.columns {
            let refused = |what| Refused { user: None, what, last: true };
            let row = self.fields.of(line).map_err(|error| refused(error.to_string()))?;
            self.places = Some(Places::by_name(columns, row).map_err(refused)?);
            return Ok(None);
        }
        self.places = Some(Places::OWN);
        let row = self.fields.of(line);
        if row.is_ok_and(|mut row| row.by_ref().eq(FIELDS.map(str::as_bytes))) {
            return Ok(None);
        }
        self.user(line)
    }

    fn zip(&mut self, line: &[u8]) -> Result<u64, Refused> {
        let id = self.lines;
        let refused = |what| Refused { user: Some(id), what, last: false };
        let mut fields = self.fields.of(line).map_err(|error| refused(error.to_string()))?;
        let count = fields.len();
        let state = fields.nth(STATE).filter(|_| count == ZIP_FIELDS).ok_or_else(|| {
            refused(wrong_count(count, "7: code,latitude,longitude,city,state,county,kind"))
        })?;
        let set = match str::from_utf8(state) {
            Ok("") => return Err(refused("the state is empty".to_owned())),
            Ok(state) => self.batch.set(id, "USA", state, self.lenient),
            Err(_) => return Err(refused("the state is not UTF-8".to_owned())),
        };
        set.map(|()| id).map_err(|unset| Refused::of(id, unset))
    }

    #[cold]
    fn bad(&mut self, Refused { user, what, last }: Refused) -> BadRow {
        if last {
            return BadRow::last(what);
        }
        let user = user.filter(|_| self.lenient);
        if let Some(user) = user {
            self.seen.insert(user);
        }
        BadRow::counted(what, user.is_some())
    }
}

/// A malformed row, its user, if there is one, and whether the rest of the file cannot be read.
struct Refused {
    user: Option<u64>,
    what: String,
    last: bool,
}

impl Refused {
    /// Returns the error of a row whose location is not stored.
    fn of(user: u64, unset: Unset) -> Self {
        match unset {
            Unset::Row(what) => Self { user: Some(user), what, last: false },
            Unset::Store(what) => Self { user: None, what, last: true },
        }
    }
}

/// Parses a user id, which has digits only.
pub(super) fn user_id(text: &[u8]) -> Option<u64> {
    let digits = text.iter().all(u8::is_ascii_digit);
    let user = str::from_utf8(text).ok().filter(|_| digits)?.parse().ok()?;
    (user <= Locations::MAX_USER).then_some(user)
}

pub(super) fn not_a_user(text: &[u8]) -> String {
    let shown = &text[..text.len().min(64)];
    format!("user '{}' is not a number from 0 to {}", shown.escape_ascii(), Locations::MAX_USER)
}

fn wrong_count(got: usize, want: &str) -> String {
    format!("{got} {} instead of {want}", if got == 1 { "field" } else { "fields" })
}
