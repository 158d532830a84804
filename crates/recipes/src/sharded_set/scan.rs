//! Iterating over sets that split meanwhile, by hash suffix.

use bytes::Bytes;
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
use crate::backend::Backend;
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

impl<'s, B: Backend> Scan<'s, B> {
    pub(super) fn new(backend: &'s B, sets: SmallVec<[&'s Splitting; 4]>) -> Self {
        let spread = sets.first().map_or_else(Spread::default, |set| set.spread());
        Self { backend, sets, rest: smallvec![HashSuffix::all(spread)] }
    }

    /// What the operation gives, suffix by suffix.
    pub(super) fn combined(
        mut self,
        operation: SetOperation,
    ) -> impl Iterator<Item = Result<Bytes, Error>> {
        std::iter::from_fn(move || {
            self.next(|backend, levels, shards, suffix| {
                let found = procedures::combine(backend, levels, operation, shards)?;
                Ok(found.map(|mut members| {
                    // A shard of a coarser set has others too.
                    if levels.iter().any(|level| !suffix.is_shard_of(level.shards)) {
                        members.retain(|member| suffix.holds(member));
                    }
                    members
                }))
            })
        })
        .flat_map(each)
    }

    /// Makes the last of the sets what the operation gives for the others; returns how many members that are.
    pub(super) fn stored(mut self, operation: SetOperation) -> Result<u64, Error> {
        let Some(&target) = self.sets.last() else { return Ok(0) };
        let backend = self.backend;
        let mut all = 0;
        while let Some(made) = self.next(|backend, levels, shards, suffix| {
            let Some((&target, shards)) = shards.split_last() else { return Ok(Some(0)) };
            procedures::replace(backend, levels, operation, shards, target, suffix)
        }) {
            all += made?;
            // It grows as it fills; what is too much is merged at the end.
            target.grow_for(backend, all)?;
        }
        target.shrink_for(backend, all)?;
        Ok(all)
    }

    /// Takes a step on the next suffix. After an error nothing is left.
    fn next<T>(
        &mut self,
        step: impl Fn(&B, &[Level<'_>], &[&[u8]], HashSuffix) -> Result<Option<T>, Error>,
    ) -> Option<Result<T, Error>> {
        loop {
            let suffix = self.rest.pop()?;
            let levels: SmallVec<[Level<'_>; 4]> =
                self.sets.iter().map(|set| set.believed()).collect();
            let shards = self.sets.iter().zip(&levels);
            let keys: Option<SmallVec<[Text; 4]>> =
                shards.map(|(set, level)| Some(set.shard(suffix.shard(level.shards)?))).collect();
            let Some(keys) = keys else {
                self.rest.extend(suffix.halves());
                continue;
            };
            let found =
                step(self.backend, &levels, &slices(&keys), suffix).transpose().or_else(|| {
                    // Another client has split or merged shards.
                    self.rest.push(suffix);
                    let looked: Result<Vec<u64>, Error> =
                        self.sets.iter().map(|set| set.look(self.backend)).collect();
                    looked.err().map(Err)
                });
            if let Some(found) = found {
                if found.is_err() {
                    self.rest.clear();
                }
                return Some(found);
            }
        }
    }
}
