//! Calls that read all shards of a bucket. A key may claim that there are more shards than could be visited.

mod by_steps;
mod in_store;

use macros::blocking_and_async;
use store::{Error, ErrorKind};

use super::Visitors;
use crate::backend::{AsyncBackend, Backend};
use crate::bucket::Bucket;

/// # All shards of a bucket
///
/// On a store these calls take O(shards) or O(keys of the database), whichever is less, because a forecast may provide
/// for many more shards than are used. On a server they take O(shards), in several requests.
#[blocking_and_async]
impl<B: Backend> Visitors<B> {
    /// Returns the numbers of the bucket's visitors, in no particular order. O(visitors) in addition to the shards,
    /// O(greatest id) for a bitmap.
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    pub async fn ids(&self, bucket: impl Into<Bucket>) -> Result<Vec<i64>, Error> {
        let bucket = bucket.into();
        match self.backend.as_store() {
            Some(store) => in_store::ids(store, bucket),
            None => by_steps::ids(&self.backend, bucket).await,
        }
    }

    /// Returns the number of unique visitors of the buckets together: a visitor of several buckets counts once. For n
    /// visitors in all of them it takes O(n log n) in addition to the shards, and 8 bytes per visitor.
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::jiff::civil::date;
    /// use tallis::{Store, Visitors};
    ///
    /// let visitors = Visitors::new(Store::new());
    /// let (monday, tuesday) = (date(2015, 5, 18), date(2015, 5, 19));
    /// visitors.count_id(1, monday)?;
    /// visitors.count_id(2, monday)?;
    /// visitors.count_id(2, tuesday)?;
    /// assert_eq!(visitors.count_union([monday, tuesday])?, 2);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub async fn count_union<T: Into<Bucket>>(
        &self,
        buckets: impl IntoIterator<Item = T>,
    ) -> Result<u64, Error> {
        let mut all = Vec::new();
        for bucket in buckets {
            all.extend(self.ids(bucket).await?);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all.len() as u64)
    }

    /// Returns the memory of the bucket's keys in bytes: see [`Store::memory_usage`](store::Store::memory_usage). On a
    /// server it is the sum of MEMORY USAGE.
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    pub async fn memory_usage(&self, bucket: impl Into<Bucket>) -> Result<usize, Error> {
        let bucket = bucket.into();
        match self.backend.as_store() {
            Some(store) => in_store::memory_usage(store, bucket),
            None => by_steps::memory_usage(&self.backend, bucket).await,
        }
    }

    /// Removes a bucket with all its keys; returns `false` if nothing was counted into it.
    ///
    /// On a store this is one atomic step. On a server it takes several: shards with their counters first, the key that
    /// records the form last. If it is called again after an error, it removes what is left; nothing should be counted
    /// into the bucket meanwhile.
    ///
    /// This handle and its clones remove the bucket from their cache. Any other handle that has counted into it must be
    /// created again.
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{Bucket, Store, Visitors};
    ///
    /// let store = Store::new();
    /// let visitors = Visitors::new(store.clone());
    /// visitors.count_visit("alice", Bucket::All)?;
    /// assert!(visitors.remove(Bucket::All)?);
    /// assert_eq!(store.dbsize()?, 0);
    /// assert!(visitors.count_visit("alice", Bucket::All)?);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub async fn remove(&self, bucket: impl Into<Bucket>) -> Result<bool, Error> {
        let bucket = bucket.into();
        let removed = match self.backend.as_store() {
            Some(store) => in_store::remove(store, bucket)?,
            None => by_steps::remove(&self.backend, bucket).await?,
        };
        self.recent.remove(bucket);
        Ok(removed)
    }
}

/// Iterates over the numbers of the bits that are set, where bit 0 is the highest bit of the first byte.
fn set_bits(bytes: &[u8]) -> impl Iterator<Item = i64> {
    (0..).zip(bytes).flat_map(|(at, &byte)| {
        (0..8).filter(move |bit| byte & (0x80 >> bit) != 0).map(move |bit| 8 * at + bit)
    })
}

fn not_an_id() -> Error {
    Error::new(ErrorKind::NotInteger, "ERR value is not an integer or out of range")
}
