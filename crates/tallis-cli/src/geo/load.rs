//! Rows into places.

use tallis::Store;
use tallis::geo::Point;

use super::area::degrees;
use crate::columns::{Columns, Places, without_mark};
use crate::locate::Fields;
use crate::reading::BadRow;

/// The fields of a row. The first row of a file may be these words.
pub(crate) const FIELDS: [&str; 3] = ["id", "lon", "lat"];

/// Rows that are stored at once.
const BATCH: usize = 256;

/// Where the places are in the store.
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
    /// Where the fields of this file are; nothing before its first row.
    places: Option<Places>,
    batch: Vec<(f64, f64, Vec<u8>)>,
}

impl<'s> Loader<'s> {
    /// Nothing loaded yet.
    #[must_use]
    pub fn new(store: &'s Store) -> Self {
        let batch = Vec::with_capacity(BATCH);
        Self { store, fields: Fields::new(), columns: None, places: None, batch }
    }

    /// Takes the fields from these columns of files whose first row names them.
    #[must_use]
    pub fn columns(mut self, columns: Option<Columns>) -> Self {
        self.columns = columns;
        self
    }

    /// Another file begins.
    pub const fn next_file(&mut self) {
        self.places = None;
    }

    /// Loads a line, given without its line feed. An empty one says nothing, nor does the header of a file.
    ///
    /// # Errors
    ///
    /// What is wrong with a bad row, which changes nothing.
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

    /// The first row of a file: it names the columns, or is a header, or a row like any other.
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

    /// Stores the rows that are left.
    ///
    /// # Errors
    ///
    /// What the store does not take.
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
        format!("{name} '{}' is no number", shown.escape_ascii())
    })
}
