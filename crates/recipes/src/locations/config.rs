//! Constructors and settings of locations.

use std::marker::PhantomData;
use std::sync::Arc;

use bitpack::packed::Codec;

use super::{
    Cities, CityTable, Codes, Countries, LocationTable, Locations, PREFIX, Precision, Regions, keys,
};
use crate::backend::Keyspace;

impl Locations {
    /// The largest user id, 2^40 - 1: a trillion users, which are a million strings.
    ///
    /// It limits how many shards [`aggregate`](Self::aggregate) may have to look for.
    pub const MAX_USER: u64 = (1 << 40) - 1;
}

impl<B: Keyspace> Locations<B> {
    /// Creates locations with the [table of Redis in Action](LocationTable::redis_in_action), two bytes per user.
    #[must_use]
    pub fn new(backend: B) -> Self {
        let [shards, largest] = keys(PREFIX);
        let largest = backend.prepare(&largest);
        let precision = Regions(LocationTable::redis_in_action());
        Self { backend, precision, shards, largest }
    }

    /// Sets another table. It must be the table that the existing data was stored with, because their codes are not
    /// changed.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{LocationTable, Locations, Store};
    ///
    /// let table = LocationTable::parse("COUNTRIES DEU FRA\nDEU BE BY HH\n")?;
    /// let locations = Locations::new(Store::new()).table(table);
    /// locations.set(7, "DEU", "HH")?;
    /// assert_eq!(locations.get(7)?, Some(("DEU", Some("HH"))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn table(mut self, table: impl Into<Arc<LocationTable>>) -> Self {
        self.precision = Regions(table.into());
        self
    }

    /// Returns the table, for example to compute the codes for [`set_codes`](Self::set_codes).
    #[must_use]
    pub fn location_table(&self) -> &LocationTable {
        &self.precision.0
    }

    /// Stores only the countries of the table, in one byte each.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{Locations, Store};
    ///
    /// let store = Store::new();
    /// let locations = Locations::new(store.clone()).countries();
    /// locations.set(0, "USA")?;
    /// locations.set(2, "FRA")?;
    /// assert_eq!(locations.get(2)?, Some("FRA"));
    /// assert_eq!(store.get("location:0")?.as_deref(), Some(&[0xeb, 0, 0x4c][..]));
    /// assert!(locations.aggregate()?.countries().eq([("FRA", 1), ("USA", 1)]));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn countries(self) -> Locations<B, Countries> {
        let countries = Countries(Arc::clone(&self.precision.0));
        self.with(countries)
    }

    /// Stores countries, regions and cities, in three bytes each, by a table that has them.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{CityTable, Locations, Store};
    ///
    /// let table = CityTable::from_rows([
    ///     ("USA", "CA", "Los Angeles"),
    ///     ("USA", "CA", "San Jose"),
    ///     ("SGP", "", "Singapore"),
    /// ])?;
    /// let store = Store::new();
    /// let locations = Locations::new(store.clone()).cities(table);
    /// locations.set(0, "USA", "CA", "San Jose")?;
    /// locations.set(1, "USA", None, None)?;
    /// locations.set(2, "SGP", None, "Singapore")?;
    /// assert_eq!(locations.get(0)?, Some(("USA", Some("CA"), Some("San Jose"))));
    /// assert_eq!(store.get("location:0")?.as_deref(), Some(&[2, 1, 2, 2, 0, 0, 1, 0, 1][..]));
    /// assert_eq!(locations.aggregate()?.city("SGP", None, "Singapore"), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cities(self, table: impl Into<Arc<CityTable>>) -> Locations<B, Cities> {
        self.with(Cities(table.into()))
    }

    /// Stores the items of a codec, in the number of bytes of its codes. It may be your own, or one of
    /// [`bitpack::packed`]: postal areas ([`PostalCode`](bitpack::packed::PostalCode), 3 bytes), coordinates
    /// ([`LatLon4`](bitpack::packed::LatLon4), 4), numbers with a meaning of your own
    /// ([`NumberCode`](bitpack::packed::NumberCode), 4).
    ///
    /// Bytes that were never written are zeros, so a user whose code is all zeros is not counted by
    /// [`aggregate`](Self::aggregate).
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {bitpack, recipes::*, store::*}; }
    /// use tallis::bitpack::packed::{LatLon, LatLon4, NumberCode};
    /// use tallis::{Locations, Store};
    ///
    /// let store = Store::new();
    /// let cells = Locations::new(store.clone()).codec::<NumberCode>();
    /// cells.set(1, 90210)?;
    /// assert_eq!((cells.get(1)?, cells.get(2)?), (90210, 0));
    /// assert_eq!(store.get("location:0")?.as_deref(), Some(&[0, 0, 0, 0, 0, 1, 0x60, 0x62][..]));
    ///
    /// let places = Locations::new(store).codec::<LatLon4>().prefix("place");
    /// places.set(1, Some(LatLon { latitude: 38.1157, longitude: 13.3615 }))?;
    /// assert!((places.get(1)?.unwrap().latitude - 38.1157).abs() < 0.002);
    /// let nowhere = LatLon { latitude: 91.0, longitude: 0.0 };
    /// let mistake = places.set(1, Some(nowhere)).unwrap_err();
    /// assert_eq!(mistake.to_string(), "ERR a latitude is -90 to 90 degrees, got 91");
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn codec<C: Codec>(self) -> Locations<B, Codes<C>> {
        self.with(Codes(PhantomData))
    }

    fn with<P>(self, precision: P) -> Locations<B, P> {
        let Self { backend, precision: _, shards, largest } = self;
        Locations { backend, precision, shards, largest }
    }
}

/// # Any precision
impl<B: Keyspace, P: Precision> Locations<B, P> {
    /// Sets the prefix of every key. Default: `location`.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{Locations, Store};
    ///
    /// let store = Store::new();
    /// let regions = Locations::new(store.clone());
    /// let countries = Locations::new(store.clone()).countries().prefix("country");
    /// regions.set(0, "USA", "CA")?;
    /// countries.set(0, "USA")?;
    /// assert_eq!((store.strlen("location:0")?, store.strlen("country:0")?), (2, 1));
    /// assert!(store.exists("country:max")?);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn prefix(mut self, prefix: impl AsRef<[u8]>) -> Self {
        let [shards, largest] = keys(prefix.as_ref());
        self.shards = shards;
        self.largest = self.backend.prepare(&largest);
        self
    }
}
