//! The keys of the shards of a set.

use smallvec::SmallVec;
use store::Member;

use crate::shard::set_shard;
use crate::text::{Text, concat, numbered};

/// The prefix of the keys of a set's shards: the set's name, a colon, and a brace if the number of a shard is a hash
/// tag.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    start: Text,
    tagged: bool,
}

impl Base {
    /// Creates it for keys such as `name:17`.
    pub(crate) fn new(name: &[u8]) -> Self {
        Self { start: concat([name, b":"]), tagged: false }
    }

    /// Creates it for keys such as `name:{17}`.
    pub(crate) fn tagged(name: &[u8]) -> Self {
        Self { start: concat([name, b":{"]), tagged: true }
    }

    /// Returns whether the numbers of shards are hash tags.
    pub(crate) const fn is_tagged(&self) -> bool {
        self.tagged
    }

    /// Returns the name of the set.
    #[inline]
    pub(crate) fn name(&self) -> &[u8] {
        &self.start[..self.start.len() - 1 - usize::from(self.tagged)]
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.start
    }

    /// Returns the key of the shard with this number.
    #[inline]
    pub(crate) fn shard(&self, number: u64) -> Text {
        if self.tagged {
            concat([&self.start, itoa::Buffer::new().format(number).as_bytes(), b"}"])
        } else {
            numbered(&self.start, number)
        }
    }

    /// Returns the number of the shard that a key belongs to. After a hash tag the key may continue.
    pub(crate) fn number_of(&self, key: &[u8]) -> Option<u64> {
        let mut number = key.strip_prefix(&*self.start)?;
        if self.tagged {
            number = &number[..number.iter().position(|&byte| byte == b'}')?];
        }
        u64::try_from(Member::from(number).as_int()?).ok()
    }

    /// Returns the key with this suffix, of a set whose shards have no hash tags.
    #[inline]
    pub(crate) fn with(&self, end: &[u8]) -> Text {
        debug_assert!(!self.tagged, "a key with half a tag");
        concat([&self.start, end])
    }
}

/// A set with a fixed number of shards.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    pub(crate) base: Base,
    pub(crate) shards: u64,
}

impl Fixed {
    /// Returns the key of the shard that a member belongs to.
    #[inline]
    pub(crate) fn shard_of(&self, member: Member<'_>) -> Text {
        self.base.shard(set_shard(member, self.shards))
    }

    /// Returns members with the numbers of their shards, sorted by these; the members of a shard keep their order.
    pub(crate) fn by_shard<T>(
        &self,
        members: impl IntoIterator<Item = T>,
        member: impl Fn(&T) -> Member<'_>,
    ) -> Vec<InShard<T>> {
        let numbered = |one| (set_shard(member(&one), self.shards), one);
        let mut numbered: Vec<_> = members.into_iter().map(numbered).collect();
        numbered.sort_by_key(|&(shard, _)| shard);
        numbered
    }

    /// Returns the keys of the shards of members that are sorted by shard.
    pub(crate) fn shards_of<T>(&self, members: &[InShard<T>]) -> impl Iterator<Item = Text> {
        of_each_shard(members).map(|members| self.base.shard(members[0].0))
    }
}

/// A member with the number of its shard.
pub(crate) type InShard<T> = (u64, T);

/// Iterates over the members of each shard, of members that are sorted by shard.
pub(crate) fn of_each_shard<T>(members: &[InShard<T>]) -> impl Iterator<Item = &[InShard<T>]> {
    members.chunk_by(|a, b| a.0 == b.0)
}

/// Returns the keys of a shard of several sets as slices.
pub(super) fn slices(keys: &[Text]) -> SmallVec<[&[u8]; 4]> {
    keys.iter().map(|key| &key[..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_has_its_number() {
        for (base, shard) in [(Base::new(b"a:b"), "a:b:17"), (Base::tagged(b"a:b"), "a:b:{17}")] {
            assert_eq!(base.name(), b"a:b");
            assert_eq!(base.shard(17).as_slice(), shard.as_bytes());
            assert_eq!(base.number_of(shard.as_bytes()), Some(17));
            for key in
                ["", "a:b", "a:b:", "a:b:x", "a:b:-1", "a:b:017", "a:b:{", "a:b:{}", "a:b:{17"]
            {
                assert_eq!(base.number_of(key.as_bytes()), None, "{key}");
            }
        }
        assert_eq!(Base::tagged(b"a").number_of(b"a:{17}:count"), Some(17));
        assert_eq!(Base::new(b"a").number_of(b"a:17:count"), None);
    }
}
