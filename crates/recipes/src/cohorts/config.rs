//! Constructor and settings of cohorts.

use jiff::tz::TimeZone;

use super::names::Names;
use super::period::PeriodKind;
use super::{Cohorts, KINDS, PREFIX};
use crate::backend::Keyspace;

impl<B: Keyspace> Cohorts<B> {
    /// Creates a tracker whose keys begin with `trackist`, in UTC, with all five periods.
    #[must_use]
    pub fn new(backend: B) -> Self {
        Self { backend, names: Names::new(PREFIX, KINDS), zone: TimeZone::UTC }
    }

    /// Sets the prefix of every key instead of `trackist`. A prefix must not begin with another prefix and a `_`: then
    /// its events would also be events of the other.
    #[must_use]
    pub fn prefix(mut self, prefix: impl AsRef<[u8]>) -> Self {
        self.names.set_prefix(prefix.as_ref());
        self
    }

    /// Sets the kinds of periods that a mark writes. Default: all but [`PeriodKind::Unique`].
    ///
    /// A period of another kind is read as the union of its longest parts that are written: a year of its months, a
    /// week of its days. If it has no such parts, as an hour if only days are written, its own key is read. bitmapist's
    /// default is days, weeks and months.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::civil::date;
    /// use tallis::{Cohorts, Period, PeriodKind, Store};
    ///
    /// let store = Store::new();
    /// let cohorts = Cohorts::new(store.clone()).kinds([PeriodKind::Day]);
    /// cohorts.mark("active", 1, date(2015, 5, 16))?;
    /// cohorts.mark("active", 2, date(2015, 5, 17))?;
    /// assert_eq!(store.dbsize()?, 2);
    /// assert_eq!(cohorts.count("active", Period::week(date(2015, 5, 17)))?, 2);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    #[must_use]
    pub fn kinds(mut self, kinds: impl IntoIterator<Item = PeriodKind>) -> Self {
        self.names.set_kinds(kinds);
        self
    }

    /// Sets the time zone that determines the periods of an instant. Default: UTC.
    ///
    /// If the clock is set back, the repeated hour is one period with the first.
    #[must_use]
    pub fn time_zone(mut self, zone: TimeZone) -> Self {
        self.zone = zone;
        self
    }
}
