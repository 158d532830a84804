//! Statistics of a store: memory, and the keys of each database.

use std::collections::BTreeMap;

use super::Store;
use super::scope::View;
use super::stripe::Stripe;
use crate::error::Error;
use crate::table::keys::KeyBucket;

/// The statistics of a database, as in the section `keyspace` of INFO.
///
/// # Examples
///
/// ```
/// # use store as tallis;
/// use tallis::Store;
///
/// let store = Store::new();
/// store.set("a", "1")?;
/// store.db(3).set("b", "2")?;
/// store.db(3).expire("b", 60)?;
/// let databases = store.databases()?;
/// assert_eq!(databases.iter().map(|db| (db.number, db.keys, db.expires)).collect::<Vec<_>>(), [
///     (0, 1, 0),
///     (3, 1, 1),
/// ]);
/// assert!((59_000..=60_000).contains(&databases[1].avg_ttl_ms));
/// # Ok::<(), tallis::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Database {
    /// The number of the database.
    pub number: u32,
    /// The number of keys, including expired keys that were not accessed since.
    pub keys: usize,
    /// The number of keys with an expiry.
    pub expires: usize,
    /// The average time to live of these keys, in milliseconds. An expired key counts as 0.
    pub avg_ttl_ms: u64,
}

impl Store {
    /// Returns the heap memory of all databases, in bytes: values, long keys and tables, including the allocator's
    /// overhead. O(keys); writers wait meanwhile.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Locked`](crate::ErrorKind::Locked) inside a transaction of the store.
    ///
    /// # Examples
    ///
    /// ```
    /// # use store as tallis;
    /// use tallis::Store;
    ///
    /// let store = Store::new();
    /// let empty = store.used_memory()?;
    /// store.set("k", &"v".repeat(5000))?;
    /// assert!(store.used_memory()? >= empty + 5000);
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub fn used_memory(&self) -> Result<usize, Error> {
        self.read_stripes(0..self.shared().stripe_count(), |view| Ok(view.used_memory()))
    }

    /// Returns the databases that are not empty, in ascending order of their numbers. O(keys with an expiry).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Locked`](crate::ErrorKind::Locked) inside a transaction of the store.
    pub fn databases(&self) -> Result<Vec<Database>, Error> {
        self.read_stripes(0..self.shared().stripe_count(), |view| Ok(view.databases()))
    }
}

impl View<'_> {
    /// The heap memory of the locked stripes, in bytes, of all databases.
    pub(crate) fn used_memory(&self) -> usize {
        self.stripes().map(Stripe::heap_bytes).sum()
    }

    /// The statistics of each database in the locked stripes.
    pub(crate) fn databases(&self) -> Vec<Database> {
        let mut sums: BTreeMap<u32, (usize, usize, u128)> = BTreeMap::new();
        for stripe in self.stripes() {
            for number in stripe.databases() {
                let (keys, expires, left) = sums.entry(number).or_default();
                let Some(keyspace) = stripe.keyspace(number) else { continue };
                *keys += keyspace.len();
                for bucket in keyspace.buckets().filter(|bucket| bucket.expiring() > 0) {
                    *expires += bucket.expiring();
                    *left += time_left(bucket, self.now_ms());
                }
            }
        }
        let database = |(number, (keys, expires, left)): (u32, (usize, usize, u128))| {
            let average = left / (expires as u128).max(1);
            let avg_ttl_ms = u64::try_from(average).unwrap_or(u64::MAX);
            Database { number, keys, expires, avg_ttl_ms }
        };
        sums.into_iter().map(database).collect()
    }
}

/// The sum of the remaining times of the keys of a bucket, in milliseconds.
fn time_left(bucket: &KeyBucket, now_ms: i64) -> u128 {
    let left = |at: i64| at.checked_sub(now_ms).and_then(|left| u64::try_from(left).ok());
    bucket.iter().filter_map(|(_, expires)| expires.and_then(left)).map(u128::from).sum()
}
