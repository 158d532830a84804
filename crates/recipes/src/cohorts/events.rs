//! Listing and deleting events.

use std::collections::BTreeSet;

use bytes::Bytes;
use macros::blocking_and_async;
use store::Error;

use super::Cohorts;
use super::period::Period;
use crate::backend::{AsyncBackend, Backend, BackendKind, sum_all, sum_all_async};
use crate::keys::delete;

/// The prefix of the keys in which bitmapist stores the results of its operations, after its own prefix.
const TEMPORARY: &[u8] = b"bitop_";

/// How many keys are deleted in one step.
const BATCH: usize = 1000;

/// # All events
///
/// These calls scan the keys of the backend by SCAN, some at a time: O(keys of the backend). Events and periods that
/// are created or deleted meanwhile may be included or not; call them while nothing is marked.
#[blocking_and_async]
impl<B: Backend> Cohorts<B> {
    /// Returns the names of all events, sorted. Names that begin with `bitop_` are left out, because bitmapist stores
    /// results of its operations under such names.
    ///
    /// # Errors
    ///
    /// The error of the backend.
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

    /// Returns the periods for which the event has keys, sorted by start.
    ///
    /// # Errors
    ///
    /// The error of the backend.
    pub async fn periods(&self, event: impl AsRef<[u8]>) -> Result<Vec<Period>, Error> {
        let keys = self.keys_of(event.as_ref()).await?;
        let mut periods: Vec<Period> =
            keys.iter().filter_map(|key| Some(self.names.parse(key)?.1)).collect();
        periods.sort_unstable();
        Ok(periods)
    }

    /// Deletes an event with all of its periods; returns how many keys it had. Only this event is deleted: `a` and
    /// `a_b` are different events.
    ///
    /// # Errors
    ///
    /// The error of the backend.
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

    /// Deletes every key that begins with the prefix and its `_`, including results of bitmapist's operations; returns
    /// how many there were.
    ///
    /// # Errors
    ///
    /// The error of the backend.
    pub async fn delete_all(&self) -> Result<u64, Error> {
        self.delete_keys(&self.backend.keys_from(self.names.base()).await?).await
    }

    /// Returns the keys of an event.
    async fn keys_of(&self, event: &[u8]) -> Result<Vec<Bytes>, Error> {
        let mut keys = self.backend.keys_from(&self.names.event(event)).await?;
        keys.retain(|key| self.names.parse(key).is_some_and(|(of, _)| of == event));
        Ok(keys)
    }

    async fn delete_keys(&self, keys: &[Bytes]) -> Result<u64, Error> {
        let keys: Vec<&[u8]> = keys.iter().map(|key| &**key).collect();
        // On a cluster a step accesses keys of one slot.
        let at_once = if self.backend.kind() == BackendKind::Cluster { 1 } else { BATCH };
        let steps: Vec<_> = keys.chunks(at_once).map(delete).collect();
        sum_all(&self.backend, &steps).await
    }
}
