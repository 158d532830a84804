//! The keys of a set that splits, and its members one by one.

use crate::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use bytes::Bytes;
use macros::blocking_and_async;
use smallvec::smallvec;
use store::{Error, Member, PreparedKey};

use super::commands::SetOperation;
use super::ends::Ends;
use super::keys::Base;
use super::level::{FEWEST, FORCED, FULL, Level, MERGED, MOST, MOST_SHARDS};
use super::procedures::{self, Changed, Fork, Merged, Within};
use super::scan::Scan;
use super::spread::Spread;
use super::suffix::HashSuffix;
use crate::backend::{AsyncBackend, Backend, Keyspace, call_all, call_all_async};
use crate::kept::KeptUntil;
use crate::procedure::Procedure;
use crate::text::Text;

/// How many shards with members one removal merges at the most, and how many without.
const AT_ONCE: u32 = 2;
const EMPTY_AT_ONCE: u32 = 1000;

/// How many members are added together at the most, and how many for each shard: so that none grows far beyond its turn.
const BATCH: usize = 256;
const BATCH_OF_SHARD: u64 = 64;

/// A set that splits: its keys, and what this handle assumes of it.
#[derive(Clone, Debug)]
pub(crate) struct Splitting {
    base: Base,
    /// The key of the number of shards.
    level: PreparedKey,
    spread: Spread,
    /// When its keys expire.
    until: KeptUntil,
    /// How many shards there were when this handle last looked. A step that goes by it fails if that has changed.
    known: Arc<AtomicU64>,
}

impl Splitting {
    pub(crate) fn new(backend: &impl Keyspace, name: &[u8], spread: Spread) -> Self {
        let base = Base::new(name);
        let level = backend.prepare(&base.with(b"shards"));
        let known = Arc::new(AtomicU64::new(1));
        Self { base, level, spread, until: KeptUntil::default(), known }
    }

    /// The same, whose keys expire then.
    pub(crate) const fn kept_until(mut self, until: KeptUntil) -> Self {
        self.until = until;
        self
    }

    /// By what members are spread over the shards.
    pub(crate) const fn spread(&self) -> Spread {
        self.spread
    }

    /// The key of the number of shards.
    pub(crate) fn level_key(&self) -> &[u8] {
        self.level.as_ref()
    }

    /// The name of the set.
    pub(super) fn name(&self) -> &[u8] {
        self.base.name()
    }

    /// What the shards' keys begin with.
    pub(crate) const fn base(&self) -> &Base {
        &self.base
    }

    /// The key of the shard of all hashes with that suffix.
    #[inline]
    pub(super) fn shard(&self, suffix: HashSuffix) -> Text {
        self.base.shard(suffix.name())
    }

    /// The key of the shard that a member of an empty set goes to.
    pub(crate) fn first_shard(&self) -> Text {
        self.shard(HashSuffix::all(self.spread))
    }

    /// The number of shards that this handle assumes.
    #[inline]
    pub(super) fn believed(&self) -> Level<'_> {
        let shards = self.known.load(Ordering::Relaxed);
        Level { key: self.level.as_key(), shards, until: self.until }
    }

    /// Where a member of that hash goes, by the number of shards that this handle assumes.
    #[inline]
    fn place_of(&self, hash: u32) -> Place<'_> {
        let level = self.believed();
        let suffix = HashSuffix::of_hash(hash, level.shards, self.spread);
        Place { level, suffix, shard: self.shard(suffix) }
    }

    /// The shards of some members, by the number of shards that this handle assumes.
    fn shards_of(&self, members: &[Member<'_>]) -> Vec<(HashSuffix, Text)> {
        let shards = self.believed().shards;
        let suffixes = members
            .iter()
            .map(|&member| HashSuffix::of_hash(self.spread.hash(member), shards, self.spread));
        suffixes.map(|suffix| (suffix, self.shard(suffix))).collect()
    }

    /// The member as an integer, with the high bits that all ids of the shard share.
    #[inline]
    pub(super) fn within(member: Member<'_>, suffix: HashSuffix) -> Within {
        member.as_int().zip(suffix.prefix())
    }

    /// SADD of a member to its shard, if that is there.
    #[inline]
    fn addition<'k>(
        &self,
        suffix: HashSuffix,
        shard: &'k [u8],
        member: Member<'k>,
    ) -> impl Procedure<Output = Option<Changed>> + use<'k> {
        procedures::add(shard, member, Self::within(member, suffix), self.until)
    }

    /// The shard that is split next when there are so many, and what becomes of it.
    fn fork(&self, shards: u64) -> OwnedFork {
        let whole = HashSuffix::of_next(shards, self.spread);
        let [even, odd] = whole.halves();
        let [whole, even, odd] = [whole, even, odd].map(|suffix| (self.shard(suffix), suffix));
        OwnedFork { whole, halves: [even, odd] }
    }

    /// All members.
    pub(crate) fn members<'s, B: Backend>(
        &'s self,
        backend: &'s B,
    ) -> impl Iterator<Item = Result<Bytes, Error>> {
        Scan::new(backend, smallvec![self]).combined(SetOperation::Union)
    }

    /// As [`members`](Self::members), all at once.
    pub(crate) async fn members_async(
        &self,
        backend: &impl AsyncBackend,
    ) -> Result<Vec<Bytes>, Error> {
        Scan::new(backend, smallvec![self]).combined_async(SetOperation::Union).await
    }
}

#[blocking_and_async]
impl Splitting {
    /// Looks how many shards there are.
    pub(crate) async fn look(&self, backend: &impl Backend) -> Result<u64, Error> {
        let shards = backend.call(&procedures::shards(self.level.as_key())).await?;
        self.known.store(shards, Ordering::Relaxed);
        Ok(shards)
    }

    /// What the keys of the shards end in.
    pub(crate) async fn ends(&self, backend: &impl Backend) -> Result<Ends, Error> {
        self.look(backend).await.map(Ends::Suffixes)
    }

    /// How many members there are. O(shards).
    pub(crate) async fn card(&self, backend: &impl Backend) -> Result<u64, Error> {
        let ends = self.ends(backend).await?;
        let level = Level { shards: ends.count(), ..self.believed() };
        let mut ends = ends.existing(backend, &self.base).await?;
        // Each member is in the shard that the level says, whenever the level is that.
        let mut sum = Ok(Some(0));
        while let Ok(Some(_)) = sum {
            let shards: Vec<Text> =
                ends.by_ref().take(BATCH).map(|end| self.base.shard(end)).collect();
            if shards.is_empty() {
                break;
            }
            let card = |shard| procedures::card(level, shard);
            let cards: Vec<_> = shards.iter().map(|shard| card(shard)).collect();
            backend
                .call_many(&cards, |_, card| {
                    if let Ok(Some(all)) = sum {
                        sum = card.map(|card| Some(all + card?));
                    }
                })
                .await?;
        }
        match sum? {
            Some(all) => Ok(all),
            // Shards were split or merged meanwhile.
            None => Scan::new(backend, smallvec![self]).count(SetOperation::Union).await,
        }
    }

    #[inline]
    pub(crate) async fn add(
        &self,
        backend: &impl Backend,
        member: Member<'_>,
    ) -> Result<bool, Error> {
        let hash = self.spread.hash(member);
        let changed = loop {
            let Place { level, suffix, shard } = self.place_of(hash);
            let added = backend.call(&self.addition(suffix, &shard, member)).await?;
            if let Some(changed) = added {
                break changed;
            }
            let within = Self::within(member, suffix);
            let first = procedures::add_first(level, &shard, member, within);
            if let Some(changed) = backend.call(&first).await? {
                break changed;
            }
            self.look(backend).await?;
        };
        let Changed::Now(members) = changed else { return Ok(false) };
        if members > MOST {
            self.split(backend, full(members)).await?;
        }
        Ok(true)
    }

    /// Adds members; returns how many are new.
    pub(crate) async fn add_many(
        &self,
        backend: &impl Backend,
        mut members: &[Member<'_>],
    ) -> Result<u64, Error> {
        let mut new = 0;
        while !members.is_empty() {
            let shards = self.believed().shards;
            let most = usize::try_from(shards.saturating_mul(BATCH_OF_SHARD)).unwrap_or(BATCH);
            let (batch, rest) = members.split_at(members.len().min(most).min(BATCH));
            new += self.add_batch(backend, batch).await?;
            members = rest;
        }
        Ok(new)
    }

    async fn add_batch(
        &self,
        backend: &impl Backend,
        members: &[Member<'_>],
    ) -> Result<u64, Error> {
        let shards = self.shards_of(members);
        let of_shards = members.iter().zip(&shards);
        let additions: Vec<_> = of_shards
            .map(|(&member, (suffix, shard))| self.addition(*suffix, shard, member))
            .collect();
        let (mut new, mut splits, mut missing) = (0, Vec::new(), Vec::new());
        let added = call_all(backend, &additions, |at, changed| match changed {
            Some(Changed::Same) => {}
            Some(Changed::Now(members)) => {
                new += 1;
                if members > MOST {
                    splits.push(full(members));
                }
            }
            None => missing.push(at),
        })
        .await;
        missing.sort_unstable();
        for at in missing {
            new += u64::from(self.add(backend, members[at]).await?);
        }
        for at_most in splits {
            self.split(backend, at_most).await?;
        }
        added.map(|()| new)
    }

    pub(super) async fn remove(
        &self,
        backend: &impl Backend,
        member: Member<'_>,
    ) -> Result<bool, Error> {
        let hash = self.spread.hash(member);
        let changed = loop {
            let place = self.place_of(hash);
            let removed = backend.call(&procedures::remove(&place.shard, member)).await?;
            if let Some(changed) = removed {
                break changed;
            }
            if place.is_empty(backend).await? {
                return Ok(false);
            }
            self.look(backend).await?;
        };
        let Changed::Now(members) = changed else { return Ok(false) };
        if members < FEWEST {
            self.shrink(backend, members).await?;
        }
        Ok(true)
    }

    pub(super) async fn contains(
        &self,
        backend: &impl Backend,
        member: Member<'_>,
    ) -> Result<bool, Error> {
        let hash = self.spread.hash(member);
        loop {
            let place = self.place_of(hash);
            let found = backend.call(&procedures::contains(&place.shard, member)).await?;
            if let Some(found) = found {
                return Ok(found);
            }
            if place.is_empty(backend).await? {
                return Ok(false);
            }
            self.look(backend).await?;
        }
    }

    /// Whether each of some members is there.
    pub(super) async fn contains_many(
        &self,
        backend: &impl Backend,
        members: &[Member<'_>],
    ) -> Result<Vec<bool>, Error> {
        let shards = self.shards_of(members);
        let of_shards = members.iter().zip(&shards);
        let questions: Vec<_> =
            of_shards.map(|(&member, (_, shard))| procedures::contains(shard, member)).collect();
        let (mut found, mut missing) = (vec![false; members.len()], Vec::new());
        call_all(backend, &questions, |at, is| match is {
            Some(is) => found[at] = is,
            None => missing.push(at),
        })
        .await?;
        for at in missing {
            found[at] = self.contains(backend, members[at]).await?;
        }
        Ok(found)
    }

    /// Splits the shard whose turn it is, if it has more members than `at_most`: whether it did.
    #[cold]
    async fn split(&self, backend: &impl Backend, at_most: Option<u64>) -> Result<bool, Error> {
        let level = self.believed();
        if level.shards >= MOST_SHARDS {
            return Ok(false);
        }
        let fork = self.fork(level.shards);
        let split = backend.call(&procedures::split(level, fork.as_keys(), at_most)).await?;
        match split {
            Some(true) => self.known.store(level.shards + 1, Ordering::Relaxed),
            Some(false) => {}
            // There are not so many shards any more.
            None => drop(self.look(backend).await?),
        }
        Ok(split == Some(true))
    }

    /// Merges the last two shards, if there are two that have no more members than `at_most` together.
    #[cold]
    async fn merge(&self, backend: &impl Backend, at_most: Option<u64>) -> Result<Merged, Error> {
        let level = self.believed();
        if level.shards == 1 {
            return Ok(Merged::Nothing);
        }
        let shards = level.shards - 1;
        let fork = self.fork(shards);
        let merged = backend.call(&procedures::merge(level, fork.as_keys(), at_most)).await?;
        match merged {
            Some(Merged::Members | Merged::Empty) => self.known.store(shards, Ordering::Relaxed),
            Some(Merged::Nothing) => {}
            None => drop(self.look(backend).await?),
        }
        Ok(merged.unwrap_or(Merged::Nothing))
    }

    /// Merges shards after a removal that has left so many members in one.
    #[cold]
    async fn shrink(&self, backend: &impl Backend, members: u64) -> Result<(), Error> {
        let (mut left, mut left_empty) = (AT_ONCE, EMPTY_AT_ONCE);
        while left > 0 && left_empty > 0 {
            match self.merge(backend, Some(MERGED)).await? {
                Merged::Nothing => break,
                Merged::Members => left -= 1,
                // Each was made by a split before, and costs little.
                Merged::Empty => left_empty -= 1,
            }
        }
        if members == 0 { self.forget(backend).await } else { Ok(()) }
    }

    /// Deletes the key beside the shards if the set is empty.
    async fn forget(&self, backend: &impl Backend) -> Result<(), Error> {
        backend.call(&procedures::forget(self.level.as_key(), &self.first_shard())).await
    }

    /// Splits shards that hold so many members, or will, until they are as large as additions would have left them.
    pub(super) async fn grow_for(&self, backend: &impl Backend, members: u64) -> Result<(), Error> {
        loop {
            let round = 1_u64 << self.believed().shards.ilog2();
            let in_turn = members / round;
            if in_turn <= MOST - MOST / 10 || !self.split(backend, None).await? {
                return Ok(());
            }
        }
    }

    /// Merges shards that hold so many members, all there are, until they are as large as removals would have left them.
    pub(super) async fn shrink_for(
        &self,
        backend: &impl Backend,
        members: u64,
    ) -> Result<(), Error> {
        loop {
            let last = self.believed().shards - 1;
            let in_last = members >> (last.checked_ilog2().unwrap_or(0) + 1);
            if last == 0 || in_last >= FEWEST || self.merge(backend, None).await? == Merged::Nothing
            {
                break;
            }
        }
        if members == 0 { self.forget(backend).await } else { Ok(()) }
    }
}

/// Where a member goes by a number of shards. Another client may have split or merged shards: then a step on the shard
/// finds none, one by the level does nothing, and the handle looks again.
struct Place<'s> {
    level: Level<'s>,
    suffix: HashSuffix,
    shard: Text,
}

#[blocking_and_async]
impl Place<'_> {
    /// Whether there are as many shards as the level says, and this one is not there.
    async fn is_empty(&self, backend: &impl Backend) -> Result<bool, Error> {
        let card = backend.call(&procedures::card(self.level, &self.shard)).await?;
        Ok(card == Some(0))
    }
}

/// A [`Fork`] with its keys.
struct OwnedFork {
    whole: (Text, HashSuffix),
    halves: [(Text, HashSuffix); 2],
}

impl OwnedFork {
    fn as_keys(&self) -> Fork<'_> {
        let [even, odd] = &self.halves;
        Fork { whole: as_key(&self.whole), halves: [as_key(even), as_key(odd)] }
    }
}

fn as_key((shard, suffix): &(Text, HashSuffix)) -> (&[u8], HashSuffix) {
    (shard, *suffix)
}

/// With how many members the shard whose turn it is stays as it is when another one has got so many.
const fn full(members: u64) -> Option<u64> {
    if members.is_multiple_of(FORCED) { None } else { Some(FULL) }
}
