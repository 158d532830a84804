//! Adds the visitors of another store.

use store::{Error, Store};

use super::Visitors;
use super::keys::{PREFIX, counter_key, shard_counter};
use super::plan::Plan;
use crate::bucket::Bucket;
use crate::kept::KeptUntil;
use crate::merge::{expiry, set_later_expiry};
use crate::scan::keys_from;
use crate::sharded_set::Ends;

impl Visitors<Store> {
    /// Returns the bucket that a key belongs to.
    pub(crate) fn bucket_of(key: &[u8]) -> Option<Bucket> {
        let name = key.strip_prefix(PREFIX.as_bytes())?;
        Bucket::parse(name.split(|&byte| byte == b':').next()?)
    }

    /// Returns whether a bucket exists.
    pub(crate) fn has(&self, bucket: Bucket) -> Result<bool, Error> {
        Ok(Plan::find(&self.backend, bucket, KeptUntil::default())?.is_some())
    }

    /// Checks that [`absorb`](Self::absorb) will succeed.
    ///
    /// # Errors
    ///
    /// The error that it would return: a key of the bucket holds a value of another type, or an id that its form does
    /// not accept.
    pub(crate) fn check_absorb(&self, other: &Self, bucket: Bucket) -> Result<(), Error> {
        self.ids(bucket)?;
        self.count(bucket)?;
        let Some(plan) = Plan::find(&self.backend, bucket, KeptUntil::default())? else {
            return Ok(());
        };
        other.ids(bucket)?.into_iter().try_for_each(|id| plan.first_visit(id).map(drop))
    }

    /// Adds the visitors of a bucket of another store. The count becomes the number of visitors, and the keys expire at
    /// the later of the two expiries.
    pub(crate) fn absorb(&self, other: &Self, bucket: Bucket) -> Result<(), Error> {
        let find = |one: &Self| Plan::find(&one.backend, bucket, KeptUntil::default());
        let (Some(plan), Some(others)) = (find(self)?, find(other)?) else { return Ok(()) };
        // Read before a counter is written, which would drop its expiry.
        let own = expiry(&self.backend, plan.mark(bucket).as_bytes())?;
        let others = expiry(&other.backend, others.mark(bucket).as_bytes())?;
        match &plan {
            Plan::Forecast { counter, .. } | Plan::Bitmap { counter, .. } => {
                self.correct(counter.as_ref(), self.ids(bucket)?.len())?;
            }
            Plan::Tagged { set, .. } => {
                for number in Ends::Numbers(set.shards).existing(&self.backend, &set.base)? {
                    let shard = set.base.shard(number);
                    self.correct(&shard_counter(&shard), self.backend.scard(&shard[..])?)?;
                }
            }
            Plan::Splitting(_) => {}
        }
        self.bucket(bucket)?.count_ids(&other.ids(bucket)?)?;
        if own.is_some() || others.is_some() {
            let keys = keys_from(&self.backend, counter_key(bucket).as_bytes())?;
            for key in keys.iter().filter(|key| Self::bucket_of(key) == Some(bucket)) {
                set_later_expiry(&self.backend, key, own, others)?;
            }
        }
        Ok(())
    }

    /// Sets a counter to the number of visitors.
    fn correct(&self, counter: &[u8], visitors: usize) -> Result<(), Error> {
        let visitors = i64::try_from(visitors).unwrap_or(i64::MAX);
        if self.backend.get_int(counter)?.unwrap_or(0) != visitors {
            self.backend.set(counter, visitors)?;
        }
        Ok(())
    }
}
