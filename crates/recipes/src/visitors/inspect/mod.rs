//! What reads all shards of a bucket, of which its keys may say that there are more than could ever be visited.

mod by_steps;
mod in_store;

use macros::blocking_and_async;
use store::{Error, ErrorKind};

use super::Visitors;
use crate::backend::{AsyncBackend, Backend};
use crate::bucket::Bucket;

/// # All shards of a bucket
///
/// On a store these take O(shards) or O(keys of the database), whichever is less: a forecast may make for many more shards
/// than ever got a visitor. Elsewhere they take O(shards), in several requests.
#[blocking_and_async]
impl<B: Backend> Visitors<B> {
    /// The numbers of the bucket's visitors, in no order. O(visitors) beside the shards, O(greatest id) of a bitmap.
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

    /// How many unique visitors the buckets have together: a visitor of several counts once. O(n log n) for the n
    /// visitors of all of them beside the shards, and 8 bytes for each.
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

    /// What the bucket's keys take in memory, in bytes: see [`Store::memory_usage`](store::Store::memory_usage). On a server
    /// it is the sum of what MEMORY USAGE says there.
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

    /// Removes a bucket with all its keys; `false` if nothing was counted into it.
    ///
    /// On a store that is one atomic step. Elsewhere it takes several: shards with their counts first, the key that
    /// says the form last. Done again after an error it removes what is left; nothing should be counted into the bucket
    /// meanwhile.
    ///
    /// This handle and its clones forget it. Any other handle that has counted into it must be made anew.
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

/// The numbers of the bits that are set, where bit 0 is the highest of the first byte.
fn set_bits(bytes: &[u8]) -> impl Iterator<Item = i64> {
    (0..).zip(bytes).flat_map(|(at, &byte)| {
        (0..8).filter(move |bit| byte & (0x80 >> bit) != 0).map(move |bit| 8 * at + bit)
    })
}

fn not_an_id() -> Error {
    Error::new(ErrorKind::NotInteger, "ERR value is not an integer or out of range")
}
