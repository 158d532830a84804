//! Loads rows of points.

use tallis::Store;
use tallis::geo::Point;

use super::area::degrees;
use crate::columns::{Columns, Places, without_mark};
use crate::locate::Fields;
use crate::reading::BadRow;

/// The fields of a row. The first row of a file may be these words.
pub(crate) const FIELDS: [&str; 3] = ["id", "lon", "lat"];

/// How many rows are stored at once.
const BATCH: usize = 256;

/// The key of the points in the store.
pub(super) const KEY: &str = "places";

/// Loads rows of `id,lon,lat` into a store.
///
/// # Examples
///
/// ```
/// use tallis::Store;
/// use tallis_cli::geo::Loader;
///
/// let store = Store::new();
/// let mut loader = Loader::new(&store);
/// loader.line(b"Palermo,13.361389,38.115556").unwrap();
/// let bad = loader.line(b"Pole,0,90").unwrap_err();
/// assert_eq!(bad.to_string(), "latitude 90 is not between -85.05112878 and 85.05112878");
/// loader.finish()?;
/// assert_eq!(store.zcard("places")?, 1);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Debug)]
pub struct Loader<'s> {
    store: &'s Store,
    fields: Fields,
    columns: Option<Columns>,
    /// The columns of the fields in this file; `None` before its first row.
    places: Option<Places>,
    batch: Vec<(f64, f64, Vec<u8>)>,
}

impl<'s> Loader<'s> {
    /// Creates a loader.
    #[must_use]
    pub fn new(store: &'s Store) -> Self {
        let batch = Vec::with_capacity(BATCH);
        Self { store, fields: Fields::new(), columns: None, places: None, batch }
    }

    /// Sets the columns of the fields, for files whose first row has names.
    #[must_use]
    pub fn columns(mut self, columns: Option<Columns>) -> Self {
        self.columns = columns;
        self
    }

    /// Starts another file.
    pub const fn next_file(&mut self) {
        self.places = None;
    }

    /// Loads a line, without its line feed. Empty lines and the header of a file are skipped.
    ///
    /// # Errors
    ///
    /// What is wrong with a malformed row, which changes nothing.
    pub fn line(&mut self, line: &[u8]) -> Result<(), BadRow> {
        if line.is_empty() {
            return Ok(());
        }
        if self.batch.len() == BATCH {
            self.finish().map_err(|error| BadRow::last(error.to_string()))?;
        }
        let Some(places) = self.places else { return self.first(line) };
        let row = self.fields.of(line).map_err(|error| BadRow::skipped(error.to_string()))?;
        let fields = places
            .pick(&row)
            .ok_or_else(|| BadRow::skipped(places.wrong_count(row.len(), &FIELDS.join(","))))?;
        self.batch.push(place(fields).map_err(BadRow::skipped)?);
        Ok(())
    }

    /// Reads the first row of a file: it names the columns, or is a header, or a row like any other.
    fn first(&mut self, line: &[u8]) -> Result<(), BadRow> {
        let line = without_mark(line);
        if let Some(columns) = &self.columns {
            let row = self.fields.of(line).map_err(|error| BadRow::last(error.to_string()))?;
            self.places = Some(Places::by_name(columns, row).map_err(BadRow::last)?);
            return Ok(());
        }
        self.places = Some(Places::OWN);
        let row = self.fields.of(line).map_err(|error| BadRow::skipped(error.to_string()))?;
        if row.eq(FIELDS.map(str::as_bytes)) { Ok(()) } else { self.line(line) }
    }

    /// Stores the remaining rows.
    ///
    /// # Errors
    ///
    /// The error of the store.
    pub fn finish(&mut self) -> Result<(), tallis::Error> {
        let items = self.batch.iter().map(|(lon, lat, id)| (*lon, *lat, id));
        self.store.geo_add(KEY, items)?;
        self.batch.clear();
        Ok(())
    }
}

fn place([id, lon, lat]: [&[u8]; 3]) -> Result<(f64, f64, Vec<u8>), String> {
    let place = Point::new(number("longitude", lon)?, number("latitude", lat)?);
    let place = place.map_err(|error| error.to_string())?;
    Ok((place.lon(), place.lat(), id.to_vec()))
}

fn number(name: &str, text: &[u8]) -> Result<f64, String> {
    str::from_utf8(text).ok().and_then(degrees).ok_or_else(|| {
        let shown = &text[..text.len().min(64)];
        format!("{name} '{}' is not a number", shown.escape_ascii())
    })
}
