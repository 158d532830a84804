//! The keys of a set that splits, and its members one by one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use smallvec::smallvec;

use super::level::{FEWEST, MOST, MOST_SHARDS, count_in, shards_of};
use super::part::{Part, shard_of};
use super::split_steps::{Counted, Level, SetOperation, SplitSteps};
use super::spread::Spread;
use super::walk::Walk;
use super::{ShardKey, push_shard};
use crate::error::Error;
use crate::member::Member;

/// How many shards one addition or removal splits or joins at the most.
const AT_ONCE: u64 = 2;

/// A set that splits: its keys, and what this handle believes of it.
#[derive(Clone, Debug)]
pub(in crate::recipes) struct Splitting {
    /// What the shards' keys begin with: the count's key, and a colon.
    base: ShardKey,
    /// The key of the number of shards.
    level: ShardKey,
    spread: Spread,
    /// How many shards there were when this handle last looked. Whoever goes by it finds out if that has changed.
    known: Arc<AtomicU64>,
}

impl Splitting {
    pub(in crate::recipes) fn new(name: &[u8], spread: Spread) -> Self {
        let mut base = ShardKey::from_slice(name);
        base.push(b':');
        let mut level = base.clone();
        level.extend_from_slice(b"shards");
        Self { base, level, spread, known: Arc::new(AtomicU64::new(1)) }
    }

    /// By what members are spread over the shards.
    pub(in crate::recipes) const fn spread(&self) -> Spread {
        self.spread
    }

    /// The set's name, which is the key of its count.
    #[inline]
    pub(in crate::recipes) fn count_key(&self) -> &[u8] {
        &self.base[..self.base.len() - 1]
    }

    /// The key of the number of shards.
    pub(in crate::recipes) fn level_key(&self) -> &[u8] {
        &self.level
    }

    /// The key of the shard of that number.
    #[inline]
    pub(in crate::recipes) fn shard(&self, number: u64) -> ShardKey {
        // Not `clone`, which copies byte by byte.
        let mut key = ShardKey::from_slice(&self.base);
        push_shard(&mut key, number);
        key
    }

    /// The number of shards that this handle believes in.
    #[inline]
    pub(super) fn believed(&self) -> Level<'_> {
        let shards = self.known.load(Ordering::Relaxed);
        Level { key: &self.level, shards, spread: self.spread }
    }

    /// Looks how many shards there are.
    pub(in crate::recipes) fn look(&self, steps: &impl SplitSteps) -> Result<u64, Error> {
        let shards = shards_of(steps.value(&self.level)?, &self.level)?;
        self.known.store(shards, Ordering::Relaxed);
        Ok(shards)
    }

    /// How many members there are.
    pub(super) fn card(&self, steps: &impl SplitSteps) -> Result<u64, Error> {
        count_in(steps.value(self.count_key())?, self.count_key())
    }

    #[inline]
    pub(in crate::recipes) fn add(
        &self,
        steps: &impl SplitSteps,
        member: Member<'_>,
    ) -> Result<bool, Error> {
        let counted = self.in_shard(steps, member, |level, shard| {
            steps.add_at(level, shard, member, self.count_key())
        })?;
        let Counted::Now(count) = counted else { return Ok(false) };
        if too_many(count, self.believed().shards) {
            self.settle(steps, count, AT_ONCE)?;
        }
        Ok(true)
    }

    pub(super) fn remove(
        &self,
        steps: &impl SplitSteps,
        member: Member<'_>,
    ) -> Result<bool, Error> {
        let counted = self.in_shard(steps, member, |level, shard| {
            steps.remove_at(level, shard, member, self.count_key())
        })?;
        let Counted::Now(count) = counted else { return Ok(false) };
        if too_few(count, self.believed().shards) {
            self.settle(steps, count, AT_ONCE)?;
        }
        if count == 0 {
            steps.forget(self.believed(), self.count_key())?;
        }
        Ok(true)
    }

    pub(super) fn contains(
        &self,
        steps: &impl SplitSteps,
        member: Member<'_>,
    ) -> Result<bool, Error> {
        self.in_shard(steps, member, |level, shard| steps.contains_at(level, shard, member))
    }

    /// Takes a step in the shard of a member, and again while it says that somebody else has split or joined shards.
    #[inline]
    fn in_shard<T>(
        &self,
        steps: &impl SplitSteps,
        member: Member<'_>,
        step: impl Fn(Level<'_>, &[u8]) -> Result<Option<T>, Error>,
    ) -> Result<T, Error> {
        let hash = self.spread.hash(member);
        loop {
            let level = self.believed();
            let shard = self.shard(shard_of(hash, level.shards));
            if let Some(done) = step(level, &shard)? {
                return Ok(done);
            }
            self.look(steps)?;
        }
    }

    /// All members.
    pub(in crate::recipes) fn members<'s, S: SplitSteps>(
        &'s self,
        steps: &'s S,
    ) -> impl Iterator<Item = Result<Bytes, Error>> {
        Walk::new(steps, smallvec![self]).combined(SetOperation::Union)
    }

    /// Splits or joins shards until their number is right for so many members, but not more than `most` of them.
    #[cold]
    pub(super) fn settle(
        &self,
        steps: &impl SplitSteps,
        count: u64,
        most: u64,
    ) -> Result<(), Error> {
        for _ in 0..most {
            let level = self.believed();
            let shards = level.shards;
            let (done, now) = if too_many(count, shards) {
                let part = Part::of_shard(shards, shards + 1, self.spread);
                let [from, to] = [sibling(shards), shards].map(|number| self.shard(number));
                (steps.split(level, &from, &to, part)?, shards + 1)
            } else if too_few(count, shards) {
                let last = shards - 1;
                let part = Part::of_shard(sibling(last), last, self.spread);
                let [from, to] = [last, sibling(last)].map(|number| self.shard(number));
                (steps.merge(level, &from, &to, part)?, last)
            } else {
                break;
            };
            if done {
                self.known.store(now, Ordering::Relaxed);
            } else {
                self.look(steps)?;
            }
        }
        Ok(())
    }
}

/// The shard from which the one of that number was split: the same without its first bit.
const fn sibling(number: u64) -> u64 {
    number ^ (1 << number.ilog2())
}

#[inline]
const fn too_many(count: u64, shards: u64) -> bool {
    count > shards * MOST && shards < MOST_SHARDS
}

const fn too_few(count: u64, shards: u64) -> bool {
    shards > 1 && count < (shards - 1) * FEWEST
}
