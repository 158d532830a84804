//! Calls of futures that hold their members, or return all that the blocking ones iterate over.

use bytes::Bytes;
use store::{Error, ToMember};

use super::{Shape, ShardedSet, batches, shards_at_once};
use crate::backend::{AsyncBackend, batch};
use crate::held::{self, Held};

/// # Asynchronously
impl<B: AsyncBackend> ShardedSet<B> {
    /// As [`add`](Self::add). The thread does not wait.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub async fn add_async(&self, member: impl ToMember) -> Result<bool, Error> {
        self.add_one_async(Held::new(member).as_member()).await
    }

    /// As [`add_many`](Self::add_many). The thread does not wait.
    ///
    /// # Errors
    ///
    /// As [`add_many`](Self::add_many).
    pub async fn add_many_async(
        &self,
        members: impl IntoIterator<Item: ToMember>,
    ) -> Result<u64, Error> {
        let mut members = members.into_iter();
        let mut new = 0_u64;
        loop {
            let batch = held_batch(&mut members, batch(&self.backend));
            if batch.is_empty() {
                return Ok(new);
            }
            new = new.saturating_add(self.add_batch_async(&held::members(&batch)).await?);
        }
    }

    /// As [`remove`](Self::remove). The thread does not wait.
    ///
    /// # Errors
    ///
    /// As [`remove`](Self::remove).
    pub async fn remove_async(&self, member: impl ToMember) -> Result<bool, Error> {
        self.remove_one_async(Held::new(member).as_member()).await
    }

    /// As [`contains`](Self::contains). The thread does not wait.
    ///
    /// # Errors
    ///
    /// As [`contains`](Self::contains).
    pub async fn contains_async(&self, member: impl ToMember) -> Result<bool, Error> {
        self.has_async(Held::new(member).as_member()).await
    }

    /// As [`contains_many`](Self::contains_many). The thread does not wait.
    ///
    /// # Errors
    ///
    /// As [`contains_many`](Self::contains_many).
    pub async fn contains_many_async(
        &self,
        members: impl IntoIterator<Item: ToMember>,
    ) -> Result<Vec<bool>, Error> {
        let mut members = members.into_iter();
        let mut found = Vec::new();
        loop {
            let batch = held_batch(&mut members, batch(&self.backend));
            if batch.is_empty() {
                return Ok(found);
            }
            found.extend(self.has_each_async(&held::members(&batch)).await?);
        }
    }

    /// As [`members`](Self::members), all at once. The thread does not wait.
    ///
    /// # Errors
    ///
    /// As [`members`](Self::members).
    pub async fn members_async(&self) -> Result<Vec<Bytes>, Error> {
        match &self.shape {
            Shape::Forecast(set) => {
                let mut all = Vec::new();
                for numbers in batches(set.shards, shards_at_once(&self.backend)) {
                    all.extend(self.members_of_async(set, numbers).await?);
                }
                Ok(all)
            }
            Shape::Splitting(set) => set.members_async(&self.backend).await,
        }
    }
}

/// The next members, that many at the most, which a future holds.
fn held_batch(members: &mut impl Iterator<Item: ToMember>, at_once: usize) -> Vec<Held> {
    members.take(at_once).map(Held::new).collect()
}
