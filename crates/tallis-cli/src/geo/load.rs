//! Rows into places.

use tallis::Store;
use tallis::geo::Point;

use super::area::degrees;
use crate::locate::Fields;

/// The first row of a file may be this.
const HEADER: [&[u8]; 3] = [b"id", b"lon", b"lat"];

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
/// assert_eq!(loader.line(b"Pole,0,90").unwrap_err(), "latitude 90 is not between -85.05112878 and 85.05112878");
/// loader.finish()?;
/// assert_eq!(store.zcard("places")?, 1);
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Debug)]
pub struct Loader<'s> {
    store: &'s Store,
    fields: Fields,
    header: bool,
    batch: Vec<(f64, f64, Vec<u8>)>,
}

impl<'s> Loader<'s> {
    /// Nothing loaded yet.
    #[must_use]
    pub fn new(store: &'s Store) -> Self {
        Self { store, fields: Fields::new(), header: true, batch: Vec::with_capacity(BATCH) }
    }

    /// Another file begins.
    pub const fn next_file(&mut self) {
        self.header = true;
    }

    /// Loads a line, given without its line feed. An empty one says nothing, nor does the header of a file.
    ///
    /// # Errors
    ///
    /// What is wrong with a bad row, which changes nothing.
    pub fn line(&mut self, line: &[u8]) -> Result<(), String> {
        if line.is_empty() {
            return Ok(());
        }
        if self.batch.len() == BATCH {
            self.finish().map_err(|error| error.to_string())?;
        }
        let first = std::mem::take(&mut self.header);
        let fields = self.fields.of(line).map_err(|error| error.to_string())?;
        if first && fields.clone().eq(HEADER) {
            return Ok(());
        }
        let mut values = fields.clone();
        let (Some(id), Some(lon), Some(lat), None) =
            (values.next(), values.next(), values.next(), values.next())
        else {
            let (count, word) = (fields.len(), if fields.len() == 1 { "field" } else { "fields" });
            return Err(format!("{count} {word} instead of 3: id,lon,lat"));
        };
        let place = Point::new(number("longitude", lon)?, number("latitude", lat)?);
        let place = place.map_err(|error| error.to_string())?;
        self.batch.push((place.lon(), place.lat(), id.to_vec()));
        Ok(())
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

fn number(name: &str, text: &[u8]) -> Result<f64, String> {
    str::from_utf8(text).ok().and_then(degrees).ok_or_else(|| {
        let shown = &text[..text.len().min(64)];
        format!("{name} '{}' is no number", shown.escape_ascii())
    })
}
