//! Asynchronous calls whose futures own their members, or that return all of what the blocking calls iterate over.

use bytes::Bytes;
use store::{Error, ToMember};

use super::{Shape, ShardedSet, batches, shards_at_once};
use crate::backend::{AsyncBackend, batch};
use crate::held::{self, Held};

/// # Asynchronously
impl<B: AsyncBackend> ShardedSet<B> {
    /// The asynchronous form of [`add`](Self::add): it does not block the thread.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub async fn add_async(&self, member: impl ToMember) -> Result<bool, Error> {
        self.add_one_async(Held::new(member).as_member()).await
    }

    /// The asynchronous form of [`add_many`](Self::add_many): it does not block the thread.
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

    /// The asynchronous form of [`remove`](Self::remove): it does not block the thread.
    ///
    /// # Errors
    ///
    /// As [`remove`](Self::remove).
    pub async fn remove_async(&self, member: impl ToMember) -> Result<bool, Error> {
        self.remove_one_async(Held::new(member).as_member()).await
    }

    /// The asynchronous form of [`contains`](Self::contains): it does not block the thread.
    ///
    /// # Errors
    ///
    /// As [`contains`](Self::contains).
    pub async fn contains_async(&self, member: impl ToMember) -> Result<bool, Error> {
        self.has_async(Held::new(member).as_member()).await
    }

    /// The asynchronous form of [`contains_many`](Self::contains_many): it does not block the thread.
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

    /// The asynchronous form of [`members`](Self::members): it does not block the thread. All members are returned at once.
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

/// Returns the next members, at most `at_once`, owned by the future.
fn held_batch(members: &mut impl Iterator<Item: ToMember>, at_once: usize) -> Vec<Held> {
    members.take(at_once).map(Held::new).collect()
}
