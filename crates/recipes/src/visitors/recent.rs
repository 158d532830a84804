//! A cache of the buckets that a handle used last.

use std::ops::Deref;
use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};

use super::plan::Plan;
use crate::bucket::Bucket;

/// How many buckets a handle caches: a log that is read in order of time uses few at once.
const KEPT: usize = 16;

/// The plans of the buckets that a handle used last, the newest first.
///
/// It is a snapshot that is replaced as a whole, so a visit to a cached bucket writes to no shared memory.
#[derive(Debug, Default)]
pub(super) struct Recent(ArcSwap<Plans>);

type Plans = Vec<(Bucket, Arc<Plan>)>;

/// A cached plan, with the snapshot that it was found in.
pub(super) struct Found {
    plans: Guard<Arc<Plans>>,
    at: usize,
}

impl Deref for Found {
    type Target = Arc<Plan>;

    #[inline]
    fn deref(&self) -> &Arc<Plan> {
        &self.plans[self.at].1
    }
}

impl Recent {
    /// Returns the plan of a bucket; `None` if it is not cached.
    #[inline]
    pub(super) fn find(&self, bucket: Bucket) -> Option<Found> {
        let plans = self.0.load();
        let at = plans.iter().position(|(one, _)| *one == bucket)?;
        Some(Found { plans, at })
    }

    /// Adds the plan of a bucket, and removes the oldest if there are too many.
    pub(super) fn insert(&self, bucket: Bucket, plan: &Arc<Plan>) {
        self.0.rcu(|plans| {
            let others = plans.iter().filter(|(one, _)| *one != bucket).take(KEPT - 1).cloned();
            std::iter::once((bucket, Arc::clone(plan))).chain(others).collect::<Vec<_>>()
        });
    }

    /// Removes a bucket.
    pub(super) fn remove(&self, bucket: Bucket) {
        self.0.rcu(|plans| {
            plans.iter().filter(|(one, _)| *one != bucket).cloned().collect::<Vec<_>>()
        });
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.load().len()
    }
}
