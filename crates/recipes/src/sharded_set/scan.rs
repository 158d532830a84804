//! Iteration over sets that split meanwhile, by hash suffix.

use bytes::Bytes;
use macros::blocking_and_async;
use smallvec::{SmallVec, smallvec};
use store::Error;

use super::commands::SetOperation;
use super::each;
use super::keys::slices;
use super::level::Level;
use super::procedures;
use super::splitting::Splitting;
use super::spread::Spread;
use super::suffix::HashSuffix;
use crate::backend::{AsyncBackend, Backend};
use crate::text::Text;

/// An iteration over all hash suffixes of several sets. Each suffix is visited in one atomic step, in one shard of each
/// set.
///
/// Members that are in the sets from the first step to the last are visited once, even if shards are split or merged in
/// between: the remaining suffixes are split as the shards require, and together always cover what has not been
/// visited.
#[derive(Debug)]
pub(super) struct Scan<'s, B> {
    backend: &'s B,
    sets: SmallVec<[&'s Splitting; 4]>,
    /// The suffixes that remain.
    rest: SmallVec<[HashSuffix; 34]>,
}

/// The current suffix, and the shard of each set that has it.
struct Part<'s> {
    suffix: HashSuffix,
    levels: SmallVec<[Level<'s>; 4]>,
    shards: SmallVec<[Text; 4]>,
}

impl Part<'_> {
    /// Keeps those members that have the suffix.
    fn own(&self, mut members: Vec<Bytes>) -> Vec<Bytes> {
        // A shard of a set with fewer shards has other members too.
        if self.levels.iter().any(|level| !self.suffix.is_shard_of(level.shards)) {
            members.retain(|member| self.suffix.holds(member));
        }
        members
    }
}

impl<'s, B> Scan<'s, B> {
    pub(super) fn new(backend: &'s B, sets: SmallVec<[&'s Splitting; 4]>) -> Self {
        let spread = sets.first().map_or_else(Spread::default, |set| set.spread());
        Self { backend, sets, rest: smallvec![HashSuffix::all(spread)] }
    }

    /// Takes the next suffix, by the numbers of shards that the sets assume.
    fn part(&mut self) -> Option<Part<'s>> {
        loop {
            let suffix = self.rest.pop()?;
            let levels: SmallVec<[Level<'s>; 4]> =
                self.sets.iter().map(|set| set.believed()).collect();
            let shards: Option<SmallVec<[Text; 4]>> = (self.sets.iter().zip(&levels))
                .map(|(set, level)| Some(set.shard(suffix.shard(level.shards)?)))
                .collect();
            match shards {
                Some(shards) => return Some(Part { suffix, levels, shards }),
                None => self.rest.extend(suffix.halves()),
            }
        }
    }
}

impl<B: Backend> Scan<'_, B> {
    /// Iterates over the result of the operation, suffix by suffix.
    pub(super) fn combined(
        mut self,
        operation: SetOperation,
    ) -> impl Iterator<Item = Result<Bytes, Error>> {
        std::iter::from_fn(move || self.next(operation).transpose()).flat_map(each)
    }
}

impl<B: AsyncBackend> Scan<'_, B> {
    /// As [`combined`](Self::combined), all at once.
    pub(super) async fn combined_async(
        mut self,
        operation: SetOperation,
    ) -> Result<Vec<Bytes>, Error> {
        let mut all = Vec::new();
        while let Some(members) = self.next_async(operation).await? {
            all.extend(members);
        }
        Ok(all)
    }
}

#[blocking_and_async]
impl<B: Backend> Scan<'_, B> {
    /// Returns the number of members of the result.
    pub(super) async fn count(mut self, operation: SetOperation) -> Result<u64, Error> {
        let mut count = 0;
        while let Some(members) = self.next(operation).await? {
            count += members.len() as u64;
        }
        Ok(count)
    }

    /// Stores the result for the other sets in the last one; returns its number of members.
    pub(super) async fn stored(mut self, operation: SetOperation) -> Result<u64, Error> {
        let Some(&target) = self.sets.last() else { return Ok(0) };
        let backend = self.backend;
        let mut all = 0;
        while let Some(part) = self.part() {
            let (suffix, shards) = (part.suffix, slices(&part.shards));
            let Some((&to, from)) = shards.split_last() else { return Ok(all) };
            let levels = &part.levels;
            let made = procedures::replace(backend, levels, operation, from, to, suffix).await?;
            match made {
                Some(made) => {
                    all += made;
                    // The target grows as it is filled; surplus shards are merged at the end.
                    target.grow_for(backend, all).await?;
                }
                None => self.again(suffix).await?,
            }
        }
        target.shrink_for(backend, all).await?;
        Ok(all)
    }

    /// Returns the result of the operation for the next suffix. After an error the iteration ends.
    async fn next(&mut self, operation: SetOperation) -> Result<Option<Vec<Bytes>>, Error> {
        let next = self.try_next(operation).await;
        if next.is_err() {
            self.rest.clear();
        }
        next
    }

    async fn try_next(&mut self, operation: SetOperation) -> Result<Option<Vec<Bytes>>, Error> {
        while let Some(part) = self.part() {
            let shards = slices(&part.shards);
            let found = procedures::combine(self.backend, &part.levels, operation, &shards).await?;
            match found {
                Some(members) => return Ok(Some(part.own(members))),
                None => self.again(part.suffix).await?,
            }
        }
        Ok(None)
    }

    /// Reads the number of shards again, because another client has split or merged some. The suffix remains to be
    /// visited.
    async fn again(&mut self, suffix: HashSuffix) -> Result<(), Error> {
        self.rest.push(suffix);
        for set in &self.sets {
            set.look(self.backend).await?;
        }
        Ok(())
    }
}
