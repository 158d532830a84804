//! One set in shards.

use tallis::{Member, ShardForm, ShardedSet, Store, shard_key};

use super::keyed::sum;
use super::{Extent, Holder, Result, Shape, Step, Words, Work, key, with_item};

/// A sharded set.
#[derive(Debug)]
pub(in super::super) enum Sharded {
    /// The form of the book, with a number of shards that fits the number of elements.
    Book,
    /// With shards that split.
    Splitting,
    /// With compact shards, for integers of this many bits.
    Compact { bits: u32 },
}

/// The members per shard in the form of the book.
const SHARD: u64 = 512;

struct ShardedSets {
    store: Store,
    of_value: Vec<ShardedSet>,
}

impl Sharded {
    fn set(&self, store: Store, value: usize, size: u64) -> ShardedSet {
        match *self {
            Self::Book => ShardedSet::new(store, key(value), size, SHARD),
            Self::Splitting => ShardedSet::splitting(store, key(value)),
            Self::Compact { bits } => ShardedSet::compact(store, key(value), bits),
        }
    }

    /// Returns the key of the shard of an element in the form of the book.
    fn shard(value: usize, item: &Member<'_>, extent: Extent) -> String {
        item.with_bytes(|item| {
            let text = [b"x", item].concat();
            shard_key(&key(value), text, extent.size(), SHARD)
        })
    }
}

impl Shape for Sharded {
    fn does(&self, _: Work) -> bool {
        true
    }

    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder> {
        let set = |value| self.set(store.clone(), value, extent.size());
        let of_value = (0..extent.values).map(set).collect();
        Box::new(ShardedSets { store, of_value })
    }

    fn command(&self, work: Work, step: &Step<'_>, extent: Extent) -> Option<Words> {
        if !matches!(self, Self::Book) {
            return None;
        }
        let key = Self::shard(step.value, &step.item, extent);
        match work {
            Work::Add => with_item("SADD", &key, &step.item),
            Work::Test => with_item("SISMEMBER", &key, &step.item),
            Work::Remove => with_item("SREM", &key, &step.item),
            // One command per shard.
            Work::Count | Work::Scan => None,
        }
    }

    fn keys(&self, value: usize, extent: Extent) -> Vec<String> {
        let shards = (2 * extent.size() / SHARD).max(1);
        (0..shards).map(|shard| format!("{}:{shard}", key(value))).collect()
    }
}

impl Holder for ShardedSets {
    fn run(&mut self, work: Work, steps: &[Step<'_>]) -> Result<u64> {
        let of = |step: &Step<'_>| &self.of_value[step.value];
        match work {
            Work::Add => sum(steps, |step| Ok(of(step).add(step.item)?.into())),
            Work::Test => sum(steps, |step| Ok(of(step).contains(step.item)?.into())),
            Work::Remove => sum(steps, |step| Ok(of(step).remove(step.item)?.into())),
            Work::Count => sum(steps, |step| of(step).card()),
            Work::Scan => sum(steps, |step| {
                of(step).members().try_fold(0, |count, member| member.map(|_| count + 1))
            }),
        }
    }

    fn key(&self) -> Result<String> {
        let set = &self.of_value[0];
        let shards = set.shards()?;
        // Shards that split are numbered from their number on, the others from 0. A shard may be empty.
        let first = if set.form() == ShardForm::Forecast { 0 } else { shards };
        let name = |shard| format!("{}:{shard}", key(0));
        for shard in first..first + shards {
            if self.store.exists(name(shard).as_str())? {
                return Ok(name(shard));
            }
        }
        Ok(name(first))
    }
}
