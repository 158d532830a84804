//! What reads all shards of a bucket, of which its keys may say that there are more than could ever be visited.

use store::{Error, ErrorKind, Locks, Member, Store};

use super::Visitors;
use super::plan::{
    FORM_KEYS, Plan, bits_key, counter_key, expected_key, shard_counter, tagged_key,
};
use crate::backend::Backend;
use crate::bucket::Bucket;
use crate::kept::KeptUntil;
use crate::sharded_set::{Base, Ends};

/// # All shards of a bucket
///
/// These take O(shards) or O(keys of the database), whichever is less: a forecast may make for many more shards than
/// ever got a visitor. Looking for those that exist takes a SCAN, so they are for a [`Store`] alone.
impl Visitors<Store> {
    /// The numbers of the bucket's visitors, in no order. O(visitors) beside the shards, O(greatest id) of a bitmap.
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    pub fn ids(&self, bucket: impl Into<Bucket>) -> Result<Vec<i64>, Error> {
        let store = &self.backend;
        let mut ids = Vec::new();
        match Plan::find(store, bucket.into(), KeptUntil::default())? {
            None => {}
            Some(Plan::Forecast { set: fixed, .. } | Plan::Tagged { set: fixed, .. }) => {
                for_each_shard(store, &fixed.base, Ends::Numbers(fixed.shards), |shard| {
                    take(store, shard, &mut ids)
                })?;
            }
            Some(Plan::Bitmap { bitmap, .. }) => {
                store.get_with(&bitmap, |bits| ids.extend(set_bits(bits.unwrap_or_default())))?;
            }
            Some(Plan::Splitting(set)) if set.look(store)? <= store.dbsize()? as u64 => {
                for member in set.members(store) {
                    ids.push(Member::from(&member?).as_int().ok_or_else(not_an_id)?);
                }
            }
            // Nothing that counts visitors leads there. Its shards must not be split or merged while they are looked
            // for.
            Some(Plan::Splitting(set)) => store.transaction_all(|tx| {
                for_each_shard(tx, set.base(), set.ends(tx)?, |shard| take(tx, shard, &mut ids))
            })?,
        }
        Ok(ids)
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
    pub fn count_union<B: Into<Bucket>>(
        &self,
        buckets: impl IntoIterator<Item = B>,
    ) -> Result<u64, Error> {
        let mut all = Vec::new();
        for bucket in buckets {
            all.extend(self.ids(bucket)?);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all.len() as u64)
    }

    /// What the bucket's keys take in memory, in bytes (see [`Store::memory_usage`]).
    ///
    /// # Errors
    ///
    /// As [`count_visit`](Self::count_visit).
    pub fn memory_usage(&self, bucket: impl Into<Bucket>) -> Result<usize, Error> {
        let (store, bucket) = (&self.backend, bucket.into());
        let mut bytes = 0;
        let mut take = |key: &[u8]| {
            bytes += store.memory_usage(key)?.unwrap_or(0);
            Ok(())
        };
        take(counter_key(bucket).as_bytes())?;
        match Plan::find(store, bucket, KeptUntil::default())? {
            None => {}
            Some(Plan::Forecast { set: fixed, .. }) => {
                take(expected_key(bucket).as_bytes())?;
                for_each_shard(store, &fixed.base, Ends::Numbers(fixed.shards), take)?;
            }
            Some(Plan::Tagged { set: fixed, .. }) => {
                take(tagged_key(bucket).as_bytes())?;
                for_each_shard(store, &fixed.base, Ends::Numbers(fixed.shards), |shard| {
                    take(shard)?;
                    take(&shard_counter(shard))
                })?;
            }
            Some(Plan::Splitting(set)) => {
                take(set.level_key())?;
                take(bits_key(bucket).as_bytes())?;
                for_each_shard(store, set.base(), set.ends(store)?, take)?;
            }
            Some(Plan::Bitmap { bitmap, .. }) => take(bitmap.as_ref())?,
        }
        Ok(bytes)
    }

    /// Removes a bucket with all its keys, in one atomic step; `false` if nothing was counted into it.
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
    pub fn remove(&self, bucket: impl Into<Bucket>) -> Result<bool, Error> {
        let bucket = bucket.into();
        let removed = self.backend.transaction_all(|tx| {
            let mut removed = tx.del(counter_key(bucket))?;
            let mut remove = |key: &[u8]| {
                removed += tx.del(key)?;
                Ok(())
            };
            match Plan::find(tx, bucket, KeptUntil::default())? {
                None | Some(Plan::Bitmap { .. }) => {}
                Some(Plan::Forecast { set: fixed, .. }) => {
                    for_each_shard(tx, &fixed.base, Ends::Numbers(fixed.shards), &mut remove)?;
                }
                Some(Plan::Tagged { set: fixed, .. }) => {
                    for_each_shard(tx, &fixed.base, Ends::Numbers(fixed.shards), |shard| {
                        remove(shard)?;
                        remove(&shard_counter(shard))
                    })?;
                }
                Some(Plan::Splitting(set)) => {
                    for_each_shard(tx, set.base(), set.ends(tx)?, &mut remove)?;
                }
            }
            for key in FORM_KEYS {
                remove(key(bucket).as_bytes())?;
            }
            Ok(removed > 0)
        })?;
        self.recent.remove(bucket);
        Ok(removed)
    }
}

/// Visits the keys of those of the shards that exist, and perhaps of others.
fn for_each_shard(
    backend: &impl Backend,
    base: &Base,
    shards: Ends,
    mut visit: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    shards.existing(backend, base)?.try_for_each(|end| visit(&base.shard(end)))
}

/// The numbers of the bits that are set, where bit 0 is the highest of the first byte.
fn set_bits(bytes: &[u8]) -> impl Iterator<Item = i64> {
    (0..).zip(bytes).flat_map(|(at, &byte)| {
        (0..8).filter(move |bit| byte & (0x80 >> bit) != 0).map(move |bit| 8 * at + bit)
    })
}

/// Adds the members of a shard.
fn take<L: Locks>(store: &Store<L>, shard: &[u8], ids: &mut Vec<i64>) -> Result<(), Error> {
    let mut all = Ok(());
    store.smembers_with(shard, |member| match member.as_int() {
        Some(id) => ids.push(id),
        None => all = Err(not_an_id()),
    })?;
    all
}

fn not_an_id() -> Error {
    Error::new(ErrorKind::NotInteger, "ERR value is not an integer or out of range")
}
