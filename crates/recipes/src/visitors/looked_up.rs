//! A bucket that is looked up once.

use std::sync::Arc;

use store::{Error, Store};

use super::Visitors;
use super::plan::Plan;
use crate::backend::{Backend, batch};

/// One bucket of [`Visitors`]: it is looked up once, for many visits.
#[derive(Clone, Debug)]
pub struct VisitorsIn<'v, B = Store> {
    pub(super) visitors: &'v Visitors<B>,
    pub(super) plan: Arc<Plan>,
}

impl<B: Backend> VisitorsIn<'_, B> {
    /// Counts a visit; `true` if it is the visitor's first of this bucket.
    ///
    /// # Errors
    ///
    /// As [`Visitors::count_visit`].
    #[inline]
    pub fn count_visit(&self, session: impl AsRef<[u8]>) -> Result<bool, Error> {
        self.count_id(self.visitors.ids.id(session)?)
    }

    /// Counts a visit of the visitor with that number.
    ///
    /// # Errors
    ///
    /// As [`Visitors::count_visit`].
    #[inline]
    pub fn count_id(&self, id: i64) -> Result<bool, Error> {
        self.plan.count_id(&self.visitors.backend, id)
    }

    /// Counts visits of the visitors with these numbers; returns how many of them are the first of this bucket.
    ///
    /// # Errors
    ///
    /// As [`Visitors::count_visits`].
    pub fn count_ids(&self, ids: &[i64]) -> Result<u64, Error> {
        let batches = ids.chunks(batch(&self.visitors.backend));
        batches.map(|ids| self.plan.count_ids(&self.visitors.backend, ids)).sum()
    }
}
