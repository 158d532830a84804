//! Iterating over sets that split meanwhile, by hash suffix.

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

/// An iteration over all hash suffixes of several sets, each of which is visited in one atomic step, in one shard of
/// each set.
///
/// What is in the sets from the first step to the last is visited once, whatever is split and merged between: the
/// suffixes that are to come are cut as the shapes ask for, and together always have what has not been visited.
#[derive(Debug)]
pub(super) struct Scan<'s, B> {
    backend: &'s B,
    sets: SmallVec<[&'s Splitting; 4]>,
    /// What is to come.
    rest: SmallVec<[HashSuffix; 34]>,
}

/// The suffix that is next, and the shard of each set in which it lies.
struct Part<'s> {
    suffix: HashSuffix,
    levels: SmallVec<[Level<'s>; 4]>,
    shards: SmallVec<[Text; 4]>,
}

impl Part<'_> {
    /// Those of the members of its shards that are its own.
    fn own(&self, mut members: Vec<Bytes>) -> Vec<Bytes> {
        // A shard of a coarser set has others too.
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
    /// What the operation gives, suffix by suffix.
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
    /// How many members the operation gives.
    pub(super) async fn count(mut self, operation: SetOperation) -> Result<u64, Error> {
        let mut count = 0;
        while let Some(members) = self.next(operation).await? {
            count += members.len() as u64;
        }
        Ok(count)
    }

    /// Makes the last of the sets what the operation gives for the others; returns how many members that are.
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
                    // It grows as it fills; what is too much is merged at the end.
                    target.grow_for(backend, all).await?;
                }
                None => self.again(suffix).await?,
            }
        }
        target.shrink_for(backend, all).await?;
        Ok(all)
    }

    /// What the operation gives for the next suffix. After an error nothing is left.
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

    /// Looks how many shards there are, which another client has split or merged: the suffix is to come once more.
    async fn again(&mut self, suffix: HashSuffix) -> Result<(), Error> {
        self.rest.push(suffix);
        for set in &self.sets {
            set.look(self.backend).await?;
        }
        Ok(())
    }
}
