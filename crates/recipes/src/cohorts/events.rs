//! Which events there are, and an end of them.

use std::collections::BTreeSet;

use bytes::Bytes;
use macros::blocking_and_async;
use store::Error;

use super::Cohorts;
use super::period::Period;
use crate::backend::{AsyncBackend, Backend, BackendKind, sum_all, sum_all_async};
use crate::keys::delete;

/// What the names of the keys begin with in which bitmapist keeps the results of its operations.
const TEMPORARY: &[u8] = b"bitop_";

/// How many keys are deleted in one step.
const BATCH: usize = 1000;

/// # All events
///
/// These look through the keys of the backend by SCAN, a part of them at a time: O(keys of the backend). An event or a
/// period that comes or goes meanwhile may be seen or not; call them when nothing is marked.
#[blocking_and_async]
impl<B: Backend> Cohorts<B> {
    /// The names of all events, sorted. Those that begin with `bitop_` are left out: bitmapist keeps results of its
    /// operations under such names.
    ///
    /// # Errors
    ///
    /// That of the backend.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::civil::date;
    /// use tallis::{Cohorts, Store};
    ///
    /// let cohorts = Cohorts::new(Store::new());
    /// cohorts.mark("song:played", 1, date(2015, 5, 17))?;
    /// cohorts.mark_unique("paying", 1)?;
    /// assert_eq!(cohorts.events()?, ["paying", "song:played"]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub async fn events(&self) -> Result<Vec<Bytes>, Error> {
        let keys = self.backend.keys_from(self.names.base()).await?;
        let events = keys.iter().filter_map(|key| Some(self.names.parse(key)?.0));
        let events: BTreeSet<&[u8]> =
            events.filter(|event| !event.starts_with(TEMPORARY)).collect();
        Ok(events.into_iter().map(Bytes::copy_from_slice).collect())
    }

    /// The periods for which the event has keys, sorted by their start.
    ///
    /// # Errors
    ///
    /// That of the backend.
    pub async fn periods(&self, event: impl AsRef<[u8]>) -> Result<Vec<Period>, Error> {
        let keys = self.keys_of(event.as_ref()).await?;
        let mut periods: Vec<Period> =
            keys.iter().filter_map(|key| Some(self.names.parse(key)?.1)).collect();
        periods.sort_unstable();
        Ok(periods)
    }

    /// Deletes an event with all its periods, and returns how many keys it had. Events whose names only begin like this
    /// one's stay: `a` and `a_b` are two.
    ///
    /// # Errors
    ///
    /// That of the backend.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::civil::date;
    /// use tallis::{Cohorts, Store};
    ///
    /// let cohorts = Cohorts::new(Store::new());
    /// cohorts.mark("a", 1, date(2015, 5, 17))?;
    /// cohorts.mark("a_b", 1, date(2015, 5, 17))?;
    /// assert_eq!(cohorts.delete_event("a")?, 5);
    /// assert_eq!(cohorts.events()?, ["a_b"]);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub async fn delete_event(&self, event: impl AsRef<[u8]>) -> Result<u64, Error> {
        self.delete_keys(&self.keys_of(event.as_ref()).await?).await
    }

    /// Deletes every key that begins with the prefix and its `_`, results of bitmapist's operations among them, and
    /// returns how many there were.
    ///
    /// # Errors
    ///
    /// That of the backend.
    pub async fn delete_all(&self) -> Result<u64, Error> {
        self.delete_keys(&self.backend.keys_from(self.names.base()).await?).await
    }

    /// The keys of an event.
    async fn keys_of(&self, event: &[u8]) -> Result<Vec<Bytes>, Error> {
        let mut keys = self.backend.keys_from(&self.names.event(event)).await?;
        keys.retain(|key| self.names.parse(key).is_some_and(|(of, _)| of == event));
        Ok(keys)
    }

    async fn delete_keys(&self, keys: &[Bytes]) -> Result<u64, Error> {
        let keys: Vec<&[u8]> = keys.iter().map(|key| &**key).collect();
        // A step takes keys of one slot.
        let at_once = if self.backend.kind() == BackendKind::Cluster { 1 } else { BATCH };
        let steps: Vec<_> = keys.chunks(at_once).map(delete).collect();
        sum_all(&self.backend, &steps).await
    }
}
