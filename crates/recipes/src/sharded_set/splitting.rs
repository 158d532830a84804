//! The keys of a set that splits, and operations on its members.

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

/// How many pairs of shards with members one removal merges at most, and how many without.
const AT_ONCE: u32 = 2;
const EMPTY_AT_ONCE: u32 = 1000;

/// How many members are added together at most, and how many per shard, so that no shard grows far beyond its limit.
const BATCH: usize = 256;
const BATCH_OF_SHARD: u64 = 64;

/// A set that splits: its keys, and the number of shards that this handle assumes.
#[derive(Clone, Debug)]
pub(crate) struct Splitting {
    base: Base,
    /// The key of the number of shards.
    level: PreparedKey,
    spread: Spread,
    /// When its keys expire.
    until: KeptUntil,
    /// The number of shards when this handle last read it. A step that assumes it fails if it has changed.
    known: Arc<AtomicU64>,
}

impl Splitting {
    pub(crate) fn new(backend: &impl Keyspace, name: &[u8], spread: Spread) -> Self {
        let base = Base::new(name);
        let level = backend.prepare(&base.with(b"shards"));
        let known = Arc::new(AtomicU64::new(1));
        Self { base, level, spread, until: KeptUntil::default(), known }
    }

    /// Sets when the keys expire.
    pub(crate) const fn kept_until(mut self, until: KeptUntil) -> Self {
        self.until = until;
        self
    }

    /// Returns how members are spread over the shards.
    pub(crate) const fn spread(&self) -> Spread {
        self.spread
    }

    /// Returns the key of the number of shards.
    pub(crate) fn level_key(&self) -> &[u8] {
        self.level.as_ref()
    }

    /// Returns the name of the set.
    pub(super) fn name(&self) -> &[u8] {
        self.base.name()
    }

    /// Returns the prefix of the shards' keys.
    pub(crate) const fn base(&self) -> &Base {
        &self.base
    }

    /// Returns the key of the shard with this hash suffix.
    #[inline]
    pub(super) fn shard(&self, suffix: HashSuffix) -> Text {
        self.base.shard(suffix.name())
    }

    /// Returns the key of the shard to which the first member is added.
    pub(crate) fn first_shard(&self) -> Text {
        self.shard(HashSuffix::all(self.spread))
    }

    /// Returns the number of shards that this handle assumes.
    #[inline]
    pub(super) fn believed(&self) -> Level<'_> {
        let shards = self.known.load(Ordering::Relaxed);
        Level { key: self.level.as_key(), shards, until: self.until }
    }

    /// Returns the place of a member with this hash, by the number of shards that this handle assumes.
    #[inline]
    fn place_of(&self, hash: u32) -> Place<'_> {
        let level = self.believed();
        let suffix = HashSuffix::of_hash(hash, level.shards, self.spread);
        Place { level, suffix, shard: self.shard(suffix) }
    }

    /// Returns the shards of members, by the number of shards that this handle assumes.
    fn shards_of(&self, members: &[Member<'_>]) -> Vec<(HashSuffix, Text)> {
        let shards = self.believed().shards;
        let suffixes = members
            .iter()
            .map(|&member| HashSuffix::of_hash(self.spread.hash(member), shards, self.spread));
        suffixes.map(|suffix| (suffix, self.shard(suffix))).collect()
    }

    /// Returns the member as an integer, with the high bits that all ids of the shard share.
    #[inline]
    pub(super) fn within(member: Member<'_>, suffix: HashSuffix) -> Within {
        member.as_int().zip(suffix.prefix())
    }

    /// SADD of a member to its shard, if that exists.
    #[inline]
    fn addition<'k>(
        &self,
        suffix: HashSuffix,
        shard: &'k [u8],
        member: Member<'k>,
    ) -> impl Procedure<Output = Option<Changed>> + use<'k> {
        procedures::add(shard, member, Self::within(member, suffix), self.until)
    }

    /// Returns which shard is split next, and into which shards, for this number of shards.
    fn fork(&self, shards: u64) -> OwnedFork {
        let whole = HashSuffix::of_next(shards, self.spread);
        let [even, odd] = whole.halves();
        let [whole, even, odd] = [whole, even, odd].map(|suffix| (self.shard(suffix), suffix));
        OwnedFork { whole, halves: [even, odd] }
    }

    /// Iterates over all members.
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
    /// Reads the number of shards.
    pub(crate) async fn look(&self, backend: &impl Backend) -> Result<u64, Error> {
        let shards = backend.call(&procedures::shards(self.level.as_key())).await?;
        self.known.store(shards, Ordering::Relaxed);
        Ok(shards)
    }

    /// Returns the suffixes of the shards' keys.
    pub(crate) async fn ends(&self, backend: &impl Backend) -> Result<Ends, Error> {
        self.look(backend).await.map(Ends::Suffixes)
    }

    /// Returns the number of members. O(shards).
    pub(crate) async fn card(&self, backend: &impl Backend) -> Result<u64, Error> {
        let ends = self.ends(backend).await?;
        let level = Level { shards: ends.count(), ..self.believed() };
        let mut ends: Box<dyn Iterator<Item = u64> + Send + '_> = match backend.as_store() {
            Some(store) if ends.exceed(store)? => return store.transaction_all(|tx| self.card(tx)),
            Some(_) => Box::new(ends.iter()),
            None => Box::new(ends.existing(backend, &self.base).await?),
        };
        // While the number of shards is unchanged, each member is in the shard that follows from it.
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

    /// Returns for each member whether the set has it.
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

    /// Splits the next shard in order, if it has more members than `at_most`; returns whether it did.
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
            // The number of shards has become less.
            None => drop(self.look(backend).await?),
        }
        Ok(split == Some(true))
    }

    /// Merges the last two shards, if there are two that have at most `at_most` members together.
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

    /// Merges shards after a removal that has left this many members in a shard.
    #[cold]
    async fn shrink(&self, backend: &impl Backend, members: u64) -> Result<(), Error> {
        let (mut left, mut left_empty) = (AT_ONCE, EMPTY_AT_ONCE);
        while left > 0 && left_empty > 0 {
            match self.merge(backend, Some(MERGED)).await? {
                Merged::Nothing => break,
                Merged::Members => left -= 1,
                // Each was created by an earlier split, and merging it costs little.
                Merged::Empty => left_empty -= 1,
            }
        }
        if members == 0 { self.forget(backend).await } else { Ok(()) }
    }

    /// Deletes the key of the number of shards if the set is empty.
    async fn forget(&self, backend: &impl Backend) -> Result<(), Error> {
        backend.call(&procedures::forget(self.level.as_key(), &self.first_shard())).await
    }

    /// Splits shards of a set that holds this many members, or will, until they are as large as single additions would
    /// have left them.
    pub(super) async fn grow_for(&self, backend: &impl Backend, members: u64) -> Result<(), Error> {
        loop {
            let round = 1_u64 << self.believed().shards.ilog2();
            let in_turn = members / round;
            if in_turn <= MOST - MOST / 10 || !self.split(backend, None).await? {
                return Ok(());
            }
        }
    }

    /// Merges shards of a set that holds this many members until they are as large as single removals would have left
    /// them.
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

/// The place of a member, for an assumed number of shards. If another client has split or merged shards, a step on the
/// shard finds that it does not exist, a step by the number does nothing, and the handle reads the number again.
struct Place<'s> {
    level: Level<'s>,
    suffix: HashSuffix,
    shard: Text,
}

#[blocking_and_async]
impl Place<'_> {
    /// Returns whether the number of shards is the assumed one, and this shard does not exist.
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

/// Returns the size up to which the next shard is not split when another one has reached this many members.
const fn full(members: u64) -> Option<u64> {
    if members.is_multiple_of(FORCED) { None } else { Some(FULL) }
}
