//! Counts of users per location.

use bitpack::packed::Histogram;
use macros::blocking_and_async;
use store::Error;

use super::blocks::Listed;
use super::by_shard::{BATCH, ByShard};
use super::precision::Precision;
use super::tally::{Tally, Zeros};
use super::{Locations, USERS_PER_SHARD, checked, procedures};
use crate::backend::{AsyncBackend, Backend, BackendKind};

/// # Counting
#[blocking_and_async]
impl<B: Backend, P: Precision> Locations<B, P> {
    /// Returns the largest user id that was ever set; `None` if there is none. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if `location:max` is not such a sorted set,
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) if the id in it is above
    /// [`MAX_USER`](Locations::MAX_USER).
    pub async fn largest_user(&self) -> Result<Option<u64>, Error> {
        let Some(score) = self.backend.call(&procedures::largest(self.largest.as_ref())).await?
        else {
            return Ok(None);
        };
        if score < 0.0 {
            return Ok(None);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "values above 64 bits saturate"
        )]
        let user = score as u64;
        checked(user).map(Some)
    }

    /// Counts all users per location, as precisely as it is stored. O(largest id). On a server it reads the shards in
    /// blocks, which takes 8 MiB.
    ///
    /// [`unknown`](super::LocationCounts::unknown) counts those whose code is not in the table. Codes of zeros do not
    /// count: see [above](Self#unknown).
    ///
    /// # Errors
    ///
    /// As [`largest_user`](Self::largest_user); [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the key of a
    /// shard holds another type.
    pub async fn aggregate(&self) -> Result<P::Counts, Error> {
        let mut histogram = Histogram::new();
        let shards = self.largest_user().await?.map_or(0, |user| user / USERS_PER_SHARD + 1);
        if self.backend.kind() == BackendKind::Store {
            for shard in 0..shards {
                self.read_shard(shard, |codes| histogram.add(codes)).await?;
            }
        } else {
            self.read_shards(shards, |codes| histogram.add(codes)).await?;
        }
        Ok(self.precision.counts(&Tally::new(histogram, Zeros::NoUser, 0)))
    }

    /// Counts the listed users per location, as precisely as it is stored; a user that is listed twice counts twice.
    /// O(users).
    ///
    /// [`users`](super::LocationCounts::users) is the length of the list. [`unknown`](super::LocationCounts::unknown)
    /// counts those whose country is unknown.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`](store::ErrorKind::InvalidArgument) for an id above
    /// [`MAX_USER`](Locations::MAX_USER); [`ErrorKind::WrongType`](store::ErrorKind::WrongType) if the key of a shard
    /// holds another type.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{Locations, Store};
    ///
    /// let locations = Locations::new(Store::new());
    /// locations.set(7, "CAN", "QC")?;
    /// let counts = locations.aggregate_list([7, 8, 7, 100_000_000])?;
    /// assert_eq!((counts.users(), counts.region("CAN", "QC"), counts.unknown()), (4, 2, 2));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub async fn aggregate_list(
        &self,
        users: impl IntoIterator<Item = u64>,
    ) -> Result<P::Counts, Error> {
        let mut histogram = Histogram::new();
        let mut beyond = 0;
        let mut by_shard = ByShard::default();
        let mut batch = Vec::new();
        let mut users = users.into_iter();
        loop {
            batch.clear();
            for user in users.by_ref().take(BATCH) {
                batch.push(checked(user)?);
            }
            if batch.is_empty() {
                break;
            }
            if self.backend.kind() != BackendKind::Store {
                let of_shards = by_shard.order(&mut batch);
                let listed: Vec<_> =
                    of_shards.map(|(shard, slots)| Listed::new(shard, slots)).collect();
                beyond += self
                    .read_listed(&listed, |codes, places| histogram.add_at(codes, places))
                    .await?;
                continue;
            }
            for (shard, slots) in by_shard.order(&mut batch) {
                beyond += self
                    .read_shard(shard, |codes| {
                        histogram.add_at(codes, slots.iter().map(|&at| at as usize))
                    })
                    .await?;
            }
        }
        Ok(self.precision.counts(&Tally::new(histogram, Zeros::Unknown, beyond)))
    }
}
