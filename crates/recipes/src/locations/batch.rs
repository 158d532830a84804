//! Setting the locations of many users.

use macros::blocking_and_async;
use store::Error;

use super::procedures::{self, OfShard};
use super::{Locations, Precision, RecordOf, USERS_PER_SHARD, checked};
use crate::backend::{AsyncBackend, Backend, BackendKind, batch};

/// The most users of a shard whose codes are set in one step. A server runs no other command meanwhile.
const IN_ONE_STEP: usize = 256;

/// # Many users
#[blocking_and_async]
impl<B: Backend, P: Precision> Locations<B, P> {
    /// Sets the codes of many users, as [`set_code`](Self::set_code) does, under fewer locks. For a user that occurs
    /// several times the last code is kept. O(users).
    ///
    /// The users of a shard are set in atomic steps of some hundreds, the call as a whole is not atomic.
    ///
    /// # Errors
    ///
    /// As [`set_code`](Self::set_code), for the first user that fails; all others have been set then.
    ///
    /// # Examples
    ///
    /// ```
    /// # mod tallis { pub use {recipes::*, store::*}; }
    /// use tallis::{Locations, Store};
    ///
    /// let locations = Locations::new(Store::new());
    /// let table = locations.location_table();
    /// locations.set_codes([
    ///     (7, table.code("USA", "CA")?),
    ///     (1_048_576, table.code("FRA", None)?),
    ///     (7, table.code("CAN", "QC")?),
    /// ])?;
    /// assert_eq!(locations.get(7)?, Some(("CAN", Some("QC"))));
    /// assert_eq!(locations.largest_user()?, Some(1_048_576));
    /// # Ok::<(), tallis::Error>(())
    /// ```
    pub async fn set_codes(
        &self,
        codes: impl IntoIterator<Item = (u64, RecordOf<P>)>,
    ) -> Result<(), Error> {
        let (mut codes, at_once) = (codes.into_iter(), batch(&self.backend));
        let (mut batch, mut ordered) = (Vec::new(), Vec::new());
        let mut outcome = Ok(());
        loop {
            batch.clear();
            batch.extend(codes.by_ref().take(at_once));
            if batch.is_empty() {
                return outcome;
            }
            outcome = outcome.and(self.set_batch(&batch, &mut ordered).await);
        }
    }

    /// Sets the codes of some users, with a buffer for sorting them.
    async fn set_batch(
        &self,
        batch: &[(u64, RecordOf<P>)],
        ordered: &mut Vec<(u64, RecordOf<P>)>,
    ) -> Result<(), Error> {
        let shard = |&(user, _): &(u64, RecordOf<P>)| user / USERS_PER_SHARD;
        ordered.clear();
        ordered.extend(batch.iter().filter(|(user, _)| checked(*user).is_ok()));
        // A stable sort: users of a shard keep their order.
        ordered.sort_by_key(shard);
        let steps = ordered.chunk_by(|a, b| shard(a) == shard(b));
        let steps: Vec<_> = steps
            .flat_map(|of_shard| of_shard.chunks(IN_ONE_STEP))
            .map(|codes| (self.shard_key(shard(&codes[0])), codes))
            .collect();
        let users = |at: usize| OfShard { shard: &steps[at].0, codes: steps[at].1 };
        let mut refused = Vec::new();
        let mut refuse = |at: usize, error| refused.push((shard(&steps[at].1[0]), error));
        let mut left: Vec<usize> = (0..steps.len()).collect();
        if self.backend.kind() == BackendKind::Store {
            let sets: Vec<_> = left
                .drain(..)
                .map(|at| procedures::set(users(at), self.largest.as_key()))
                .collect();
            self.backend
                .call_many(&sets, |at, outcome| match outcome {
                    Ok(true) => {}
                    Ok(false) => left.push(at),
                    Err(error) => refuse(at, error),
                })
                .await?;
        }
        let apart: Vec<usize> = left.extract_if(.., |at| self.is_apart(users(*at).shard)).collect();
        let sets: Vec<_> = left
            .iter()
            .map(|&at| procedures::set_largest(users(at), self.largest.as_ref()))
            .collect();
        self.backend
            .call_many(&sets, |at, outcome| {
                outcome.unwrap_or_else(|error| refuse(left[at], error));
            })
            .await?;
        if let Some(largest) = apart.iter().map(|&at| users(at).largest()).max() {
            let sets: Vec<_> = apart.iter().map(|&at| procedures::set_alone(users(at))).collect();
            match self.backend.call(&procedures::raise(self.largest.as_ref(), largest)).await {
                Ok(()) => {
                    self.backend
                        .call_many(&sets, |at, outcome| {
                            outcome.unwrap_or_else(|error| refuse(apart[at], error));
                        })
                        .await?;
                }
                Err(error) => apart.iter().for_each(|&at| refuse(at, error.clone())),
            }
        }
        for row in batch {
            checked(row.0)?;
            if let Some(at) = refused.iter().position(|(of, _)| *of == shard(row)) {
                return Err(refused.swap_remove(at).1);
            }
        }
        Ok(())
    }
}
