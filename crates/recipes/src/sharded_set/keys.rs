//! The keys of the shards of a set.

use smallvec::SmallVec;
use store::Member;

use crate::shard::set_shard;
use crate::text::{Text, concat, numbered};

/// What the keys of a set's shards begin with: the set's name, and a colon.
#[derive(Clone, Debug)]
pub(crate) struct Base(Text);

impl Base {
    pub(crate) fn new(name: &[u8]) -> Self {
        Self(concat([name, b":"]))
    }

    /// The name of the set.
    #[inline]
    pub(crate) fn name(&self) -> &[u8] {
        &self.0[..self.0.len() - 1]
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The key of the shard of that number.
    #[inline]
    pub(crate) fn shard(&self, number: u64) -> Text {
        numbered(&self.0, number)
    }

    /// The key that ends so.
    #[inline]
    pub(crate) fn with(&self, end: &[u8]) -> Text {
        concat([&self.0, end])
    }
}

/// A set whose number of shards is fixed.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    pub(crate) base: Base,
    pub(crate) shards: u64,
}

impl Fixed {
    /// The key of the shard that a member belongs to.
    #[inline]
    pub(crate) fn shard_of(&self, member: Member<'_>) -> Text {
        self.base.shard(set_shard(member, self.shards))
    }
}

/// The key of a shard of each of some sets, as arguments.
pub(super) fn slices(keys: &[Text]) -> SmallVec<[&[u8]; 4]> {
    keys.iter().map(|key| &key[..]).collect()
}
