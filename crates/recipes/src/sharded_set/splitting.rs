//! The keys of a set that splits, and its members one by one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use smallvec::smallvec;
use store::{Error, KeyRef, Member, PreparedKey, Tx};

use super::commands::SetOperation;
use super::keys::Base;
use super::level::{FEWEST, Level, MOST, MOST_SHARDS, shards_at};
use super::procedures::{self, Counted};
use super::scan::Scan;
use super::spread::Spread;
use super::suffix::{HashSuffix, shard_of};
use crate::kept::KeptUntil;
use crate::procedure::Backend;

/// How many shards one addition or removal splits or merges at the most.
const AT_ONCE: u64 = 2;

/// A set that splits: its keys, and what this handle assumes of it.
#[derive(Clone, Debug)]
pub(crate) struct Splitting {
    base: Base,
    /// The key of the number of members, which is the set's name.
    count: PreparedKey,
    /// The key of the number of shards.
    level: PreparedKey,
    spread: Spread,
    /// When its keys expire.
    until: KeptUntil,
    /// How many shards there were when this handle last looked. A step that goes by it fails if that has changed.
    known: Arc<AtomicU64>,
}

impl Splitting {
    pub(crate) fn new(backend: &impl Backend, name: &[u8], spread: Spread) -> Self {
        let base = Base::new(name);
        let [count, level] = [name, &base.with(b"shards")].map(|key| backend.prepare(key));
        let known = Arc::new(AtomicU64::new(1));
        Self { base, count, level, spread, until: KeptUntil::default(), known }
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

    /// The key of the number of members.
    pub(super) fn count_key(&self) -> KeyRef<'_> {
        self.count.as_key()
    }

    /// What the shards' keys begin with.
    pub(crate) const fn base(&self) -> &Base {
        &self.base
    }

    /// The number of shards that this handle assumes.
    #[inline]
    pub(super) fn believed(&self) -> Level<'_> {
        let shards = self.known.load(Ordering::Relaxed);
        Level { key: self.level.as_key(), shards, spread: self.spread, until: self.until }
    }

    /// Looks how many shards there are.
    pub(crate) fn look(&self, backend: &impl Backend) -> Result<u64, Error> {
        let shards = backend.call(&procedures::shards(self.level.as_key()))?;
        self.known.store(shards, Ordering::Relaxed);
        Ok(shards)
    }

    /// How many shards there are, in a transaction that may read the key of their number.
    pub(crate) fn shards(&self, tx: &Tx<'_>) -> Result<u64, Error> {
        shards_at(tx, self.level.as_key())
    }

    /// How many members there are.
    pub(super) fn card(&self, backend: &impl Backend) -> Result<u64, Error> {
        backend.call(&procedures::count(self.count_key()))
    }

    #[inline]
    pub(crate) fn add(&self, backend: &impl Backend, member: Member<'_>) -> Result<bool, Error> {
        let counted = self.at_shard_of(member, backend, |level, number, shard| {
            let within = match self.spread {
                Spread::Crc32 => None,
                Spread::HighBits { .. } => member
                    .as_int()
                    .zip(HashSuffix::of_shard(number, level.shards, self.spread).prefix()),
            };
            backend.call(&procedures::add(level, shard, self.count_key(), member, within))
        })?;
        let Counted::Now(count) = counted else { return Ok(false) };
        if too_many(count, self.believed().shards) {
            self.rebalance(backend, count, AT_ONCE)?;
        }
        Ok(true)
    }

    pub(super) fn remove(&self, backend: &impl Backend, member: Member<'_>) -> Result<bool, Error> {
        let counted = self.at_shard_of(member, backend, |level, _, shard| {
            backend.call(&procedures::remove(level, shard, self.count_key(), member))
        })?;
        let Counted::Now(count) = counted else { return Ok(false) };
        if too_few(count, self.believed().shards) {
            self.rebalance(backend, count, AT_ONCE)?;
        }
        if count == 0 {
            self.forget(backend)?;
        }
        Ok(true)
    }

    pub(super) fn contains(
        &self,
        backend: &impl Backend,
        member: Member<'_>,
    ) -> Result<bool, Error> {
        self.at_shard_of(member, backend, |level, _, shard| {
            backend.call(&procedures::contains(level, shard, member))
        })
    }

    /// Takes a step on the shard of a member, which has a number and a key, and again while the step says that another
    /// client has split or merged shards.
    #[inline]
    fn at_shard_of<T>(
        &self,
        member: Member<'_>,
        backend: &impl Backend,
        step: impl Fn(Level<'_>, u64, &[u8]) -> Result<Option<T>, Error>,
    ) -> Result<T, Error> {
        let hash = self.spread.hash(member);
        loop {
            let level = self.believed();
            let number = shard_of(hash, level.shards);
            if let Some(done) = step(level, number, &self.base.shard(number))? {
                return Ok(done);
            }
            self.look(backend)?;
        }
    }

    /// Deletes the keys beside the shards if the set is empty.
    pub(super) fn forget(&self, backend: &impl Backend) -> Result<(), Error> {
        backend.call(&procedures::forget(self.level.as_key(), self.count_key()))
    }

    /// All members.
    pub(crate) fn members<'s, B: Backend>(
        &'s self,
        backend: &'s B,
    ) -> impl Iterator<Item = Result<Bytes, Error>> {
        Scan::new(backend, smallvec![self]).combined(SetOperation::Union)
    }

    /// Splits or merges shards until their number is right for so many members, but not more than `most` of them.
    #[cold]
    pub(super) fn rebalance(
        &self,
        backend: &impl Backend,
        count: u64,
        most: u64,
    ) -> Result<(), Error> {
        for _ in 0..most {
            let level = self.believed();
            let shards = level.shards;
            let (done, now) = if too_many(count, shards) {
                let suffix = HashSuffix::of_shard(shards, shards + 1, self.spread);
                let [from, to] = [sibling(shards), shards].map(|number| self.base.shard(number));
                (backend.call(&procedures::split(level, &from, &to, suffix))?, shards + 1)
            } else if too_few(count, shards) {
                let last = shards - 1;
                let suffix = HashSuffix::of_shard(sibling(last), last, self.spread);
                let [from, to] = [last, sibling(last)].map(|number| self.base.shard(number));
                (backend.call(&procedures::merge(level, &from, &to, suffix))?, last)
            } else {
                break;
            };
            if done.is_some() {
                self.known.store(now, Ordering::Relaxed);
            } else {
                self.look(backend)?;
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
