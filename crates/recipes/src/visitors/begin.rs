//! Finds the form of a bucket, or sets it.

use std::sync::Arc;

use macros::blocking_and_async;
use store::Error;

use super::keys::{FORM_KEYS, bitmap_key, bits_key, expected_key, shards_key, tagged_key};
use super::plan::{MOST_EXPECTED, Plan};
use super::procedures::{BeginKeys, begin, set_nx};
use super::{Visitors, VisitorsForm, forecast};
use crate::backend::{AsyncBackend, Backend, BackendKind};
use crate::bucket::Bucket;
use crate::errors::invalid;
use crate::sharded_set::Spread;

#[blocking_and_async]
impl<B: Backend> Visitors<B> {
    /// Finds the form of a bucket that this handle has not cached, or sets it, for the first visit if there is one.
    #[cold]
    pub(super) async fn plan(
        &self,
        bucket: Bucket,
        visit: Option<i64>,
    ) -> Result<Arc<Plan>, Error> {
        let until = self.kept_until(bucket);
        let plan = loop {
            if let Some(plan) = Plan::find(&self.backend, bucket, until).await? {
                break Arc::new(plan);
            }
            // If another client has set it first, its value is kept.
            self.begin(bucket, visit).await?;
        };
        self.recent.insert(bucket, &plan);
        Ok(plan)
    }

    pub(super) async fn begin(&self, bucket: Bucket, visit: Option<i64>) -> Result<bool, Error> {
        let (backend, until) = (&self.backend, self.kept_until(bucket));
        let (form, value, plan) = match self.form {
            VisitorsForm::Forecast => {
                let expected = self.forecast(bucket).await?;
                let plan = Plan::forecast(backend, bucket, expected, until);
                (expected_key(bucket), expected.to_string(), plan)
            }
            VisitorsForm::Tagged => {
                let expected = self.forecast(bucket).await?;
                let plan = Plan::tagged(bucket, expected, until);
                (tagged_key(bucket), expected.to_string(), plan)
            }
            VisitorsForm::Splitting => {
                let plan = Plan::splitting(backend, bucket, Spread::Crc32, until);
                (shards_key(bucket), "1".to_owned(), plan)
            }
            VisitorsForm::Compact => {
                let of = self.ids.bits();
                let plan = Plan::splitting(backend, bucket, Spread::HighBits { of }, until);
                (bits_key(bucket), of.to_string(), plan)
            }
            VisitorsForm::Bitmap => {
                (bitmap_key(bucket), String::new(), Plan::bitmap(backend, bucket, until))
            }
        };
        let visit = visit.map(|id| plan.first_visit(id)).transpose()?;
        let forms = FORM_KEYS.map(|key| key(bucket));
        let forms = forms.each_ref().map(String::as_bytes);
        if backend.kind() == BackendKind::Cluster {
            return backend.call(&set_nx(form.as_bytes(), &value, until)).await;
        }
        let keys = BeginKeys::new(forms, form.as_bytes(), visit.as_ref());
        backend.call(&begin(&keys, &value, until)).await
    }

    /// Returns how many visitors to expect for a new bucket.
    pub(super) async fn forecast(&self, bucket: Bucket) -> Result<u64, Error> {
        let before = match bucket.previous() {
            Some(before) => Some(self.count(before).await?),
            None => None,
        };
        let yesterday = before.filter(|&count| count > 0).unwrap_or(self.default_yesterday);
        match u64::try_from(forecast(yesterday)) {
            Ok(expected) if expected <= MOST_EXPECTED => Ok(expected),
            _ => Err(invalid(format!(
                "ERR the forecast after {yesterday} visitors is above {MOST_EXPECTED}"
            ))),
        }
    }
}
