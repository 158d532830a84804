//! Passing over sets that split meanwhile, part by part.

use bytes::Bytes;
use smallvec::{SmallVec, smallvec};

use super::level::MOST;
use super::part::Part;
use super::split_steps::{Level, Replaced, SetOperation, SplitSteps};
use super::splitting::Splitting;
use super::spread::Spread;
use super::{ShardKey, each};
use crate::error::Error;

/// A walk over all parts of several sets, each of which is met in one atomic step, in one shard of each set.
///
/// What is in the sets from the first step to the last is met once, whatever splits and joins between: the parts that are
/// to come are cut as the shapes ask for, and together are always what has not been met.
#[derive(Debug)]
pub(super) struct Walk<'s, S> {
    steps: &'s S,
    sets: SmallVec<[&'s Splitting; 4]>,
    /// What is to come.
    rest: SmallVec<[Part; 34]>,
}

impl<'s, S: SplitSteps> Walk<'s, S> {
    pub(super) fn new(steps: &'s S, sets: SmallVec<[&'s Splitting; 4]>) -> Self {
        let spread = sets.first().map_or_else(Spread::default, |set| set.spread());
        Self { steps, sets, rest: smallvec![Part::all(spread)] }
    }

    /// What the operation gives, part by part.
    pub(super) fn combined(
        mut self,
        operation: SetOperation,
    ) -> impl Iterator<Item = Result<Bytes, Error>> {
        std::iter::from_fn(move || {
            self.next(|steps, levels, shards, part| {
                let found = steps.combined_at(levels, operation, shards)?;
                Ok(found.map(|mut members| {
                    // A shard of a coarser set has more than the part.
                    if levels.iter().any(|level| !part.is_shard_of(level.shards)) {
                        members.retain(|member| part.holds(member));
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
        let steps = self.steps;
        let (mut all, mut count) = (0, 0);
        while let Some(made) = self.next(|steps, levels, shards, part| {
            let Some((shard, shards)) = shards.split_last() else { return Ok(Some((0, 0))) };
            let replaced = Replaced { shard, count: target.count_key(), part };
            steps.replace_at(levels, operation, shards, replaced)
        }) {
            let (made, now) = made?;
            all += made;
            count = now;
            // Grows as it fills; what is too much is joined at the end.
            target.settle(steps, count, made / MOST + 1)?;
        }
        // Neither without bounds: a count may be anything that somebody has written.
        target.settle(steps, count, target.believed().shards)?;
        steps.forget(target.believed(), target.count_key())?;
        Ok(all)
    }

    /// Takes a step on the next part. After an error nothing is left.
    fn next<T>(
        &mut self,
        step: impl Fn(&S, &[Level<'_>], &[&[u8]], Part) -> Result<Option<T>, Error>,
    ) -> Option<Result<T, Error>> {
        loop {
            let part = self.rest.pop()?;
            let levels: SmallVec<[Level<'_>; 4]> =
                self.sets.iter().map(|set| set.believed()).collect();
            let shards = self.sets.iter().zip(&levels);
            let keys: Option<SmallVec<[ShardKey; 4]>> =
                shards.map(|(set, level)| Some(set.shard(part.shard(level.shards)?))).collect();
            let Some(keys) = keys else {
                self.rest.extend(part.halves());
                continue;
            };
            let slices: SmallVec<[&[u8]; 4]> = keys.iter().map(|key| &key[..]).collect();
            let found = step(self.steps, &levels, &slices, part).transpose().or_else(|| {
                // Somebody has split or joined shards.
                self.rest.push(part);
                let looked: Result<Vec<u64>, Error> =
                    self.sets.iter().map(|set| set.look(self.steps)).collect();
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
