//! A bucket whose form was looked up.

use std::sync::Arc;

use macros::blocking_and_async;
use store::{Error, Store};

use super::Visitors;
use super::plan::Plan;
use crate::backend::{AsyncBackend, Backend, batch};

/// A handle on one bucket of [`Visitors`], whose form is looked up once for many visits.
#[derive(Clone, Debug)]
pub struct VisitorsIn<'v, B = Store> {
    pub(super) visitors: &'v Visitors<B>,
    pub(super) plan: Arc<Plan>,
}

#[blocking_and_async]
impl<B: Backend> VisitorsIn<'_, B> {
    /// Counts a visit; returns `true` if it is the first of its visitor in this bucket.
    ///
    /// # Errors
    ///
    /// As [`Visitors::count_visit`].
    #[inline]
    pub async fn count_visit(&self, session: impl AsRef<[u8]>) -> Result<bool, Error> {
        self.count_id(self.visitors.ids.id(session)?).await
    }

    /// Counts a visit of the visitor with this number.
    ///
    /// # Errors
    ///
    /// As [`Visitors::count_visit`].
    #[inline]
    pub async fn count_id(&self, id: i64) -> Result<bool, Error> {
        self.plan.count_id(&self.visitors.backend, id).await
    }

    /// Counts visits of the visitors with these numbers; returns how many are the first of their visitor in this
    /// bucket.
    ///
    /// # Errors
    ///
    /// As [`Visitors::count_visits`].
    pub async fn count_ids(&self, ids: &[i64]) -> Result<u64, Error> {
        let mut new = 0_u64;
        for ids in ids.chunks(batch(&self.visitors.backend)) {
            let counted = self.plan.count_ids(&self.visitors.backend, ids).await?;
            new = new.saturating_add(counted);
        }
        Ok(new)
    }
}
