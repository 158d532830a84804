//! The buckets that a handle has counted into last.

use std::sync::Arc;

use arc_swap::ArcSwap;

use super::plan::Plan;
use crate::bucket::Bucket;

/// How many buckets a handle remembers: a log that is read in the order of time counts into few at once.
const KEPT: usize = 16;

/// The plans of the buckets that a handle has counted into last, the newest first.
///
/// It is a snapshot that is replaced as a whole, so a visit to a bucket that is in it writes to no memory that threads
/// share.
#[derive(Debug, Default)]
pub(super) struct Recent(ArcSwap<Vec<(Bucket, Arc<Plan>)>>);

impl Recent {
    /// What `work` makes of the plan of a bucket; `None` if it is not remembered.
    #[inline]
    pub(super) fn with<R>(&self, bucket: Bucket, work: impl FnOnce(&Arc<Plan>) -> R) -> Option<R> {
        let plans = self.0.load();
        plans.iter().find(|(one, _)| *one == bucket).map(|(_, plan)| work(plan))
    }

    /// Remembers the plan of a bucket, and forgets the one that came first if there are too many.
    pub(super) fn insert(&self, bucket: Bucket, plan: &Arc<Plan>) {
        self.0.rcu(|plans| {
            let others = plans.iter().filter(|(one, _)| *one != bucket).take(KEPT - 1).cloned();
            std::iter::once((bucket, Arc::clone(plan))).chain(others).collect::<Vec<_>>()
        });
    }

    /// Forgets a bucket.
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
