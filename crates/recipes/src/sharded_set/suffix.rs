//! Linear hashing: which shard a member belongs to while shards are split one after the other.
//!
//! # Idea
//!
//! With `n` shards, let `2^l` be the greatest power of two that is not above `n`. A member belongs to the shard whose
//! number is the last `l + 1` bits of its hash, if it exists, and otherwise to the one of the last `l` bits. So the
//! shards below `n - 2^l` have been split in this round, each into itself and the shard `2^l` above, and the shard `n -
//! 2^l` is the next:
//!
//! ```text
//!     n = 6, l = 2      0       1       2       3       4       5
//!     hash ends in     000     001      10      11     100     101
//!                     `-- split --'  `-- next     '-- made of 0 and 1
//! ```
//!
//! The seventh shard, 6, gets the half of shard 2 whose hashes end in `110`; no other member is moved.
//!
//! # Suffixes
//!
//! For any number of shards, a shard has all members whose hash ends in certain bits, a *hash suffix*. Two suffixes
//! have no member in common, or the longer one is a part of the shorter one. An iteration over sets that split
//! meanwhile visits suffixes: if a suffix is not in one shard of each set, it is split into its two halves.
//!
//! # Names
//!
//! The key of a shard ends in the bits of its suffix, after a leading 1, as a decimal number: 1 for all hashes, 2 and 3
//! for those that end in 0 and 1, 4 to 7 for `00`, `01`, `10`, `11`. So the name of a shard disappears when it is
//! split, and so do the names of two that are merged: a shard that is found under a name has all members of its suffix,
//! whatever the number of shards is.

use intset::Prefix;
use store::Member;

use super::spread::Spread;

/// Returns the shard of a member with this hash, for `shards` shards, at least one.
#[inline]
const fn shard_of(hash: u32, shards: u64) -> u64 {
    let bits = shards.ilog2();
    let fine = hash as u64 & mask(bits + 1);
    if fine < shards { fine } else { fine & mask(bits) }
}

/// The last bits of a hash (see [`Spread`]), which stand for the members whose hash ends in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HashSuffix {
    ends: u64,
    /// The number of bits.
    bits: u32,
    spread: Spread,
}

impl HashSuffix {
    /// Returns the empty suffix: all members.
    pub(super) const fn all(spread: Spread) -> Self {
        Self { ends: 0, bits: 0, spread }
    }

    /// Returns the suffix of the shard with this number, for `shards` shards.
    #[inline]
    pub(super) const fn of_shard(number: u64, shards: u64, spread: Spread) -> Self {
        debug_assert!(number < shards, "the shard number is below the number of shards");
        Self { ends: number, bits: depth(number, shards), spread }
    }

    /// Returns the suffix of the shard of a member with this hash, for `shards` shards.
    #[inline]
    pub(super) const fn of_hash(hash: u32, shards: u64, spread: Spread) -> Self {
        Self::of_shard(shard_of(hash, shards), shards, spread)
    }

    /// Returns the suffix of the shard that is split next for this number of shards, which is also the one that the
    /// last two are merged into when there is one shard more.
    pub(super) const fn of_next(shards: u64, spread: Spread) -> Self {
        Self::of_shard(shards - (1 << shards.ilog2()), shards, spread)
    }

    /// Returns the number that the key of the shard ends in.
    #[inline]
    pub(super) const fn name(self) -> u64 {
        1 << self.bits | self.ends
    }

    /// Parses the number that a key ends in, if it is the name of a suffix.
    pub(super) fn of_name(name: u64, spread: Spread) -> Option<Self> {
        let bits = name.checked_ilog2().filter(|&bits| bits <= u32::BITS)?;
        Some(Self { ends: name & mask(bits), bits, spread })
    }

    /// Returns whether the member's hash has this suffix.
    #[inline]
    pub(super) fn holds<'a>(self, member: impl Into<Member<'a>>) -> bool {
        u64::from(self.spread.hash(member.into())) & mask(self.bits) == self.ends
    }

    /// Returns the high bits that all integers with this suffix share, if they are spread by these.
    pub(super) fn prefix(self) -> Option<Prefix> {
        match self.spread {
            Spread::Crc32 => None,
            Spread::HighBits { of } => {
                // The highest bit is the last bit of the hash.
                let high = self.ends.reverse_bits() >> (u64::BITS - of);
                Some(Prefix::new(high.cast_signed(), of.saturating_sub(self.bits)))
            }
        }
    }

    /// Returns whether this is the suffix of a shard, for `shards` shards.
    pub(super) fn is_shard_of(self, shards: u64) -> bool {
        self.bits == depth(self.ends & mask(shards.ilog2()), shards)
    }

    /// Returns the two suffixes that are longer by a bit.
    pub(super) const fn halves(self) -> [Self; 2] {
        let bits = self.bits + 1;
        [Self { bits, ..self }, Self { ends: self.ends | 1 << self.bits, bits, ..self }]
    }

    /// Returns the suffix of the shard that has all members of this suffix, for `shards` shards; `None` if they are in
    /// several.
    pub(super) fn shard(self, shards: u64) -> Option<Self> {
        let bits = depth(self.ends & mask(shards.ilog2()), shards);
        (bits <= self.bits).then_some(Self { ends: self.ends & mask(bits), bits, ..self })
    }
}

/// Returns the number of bits of the suffix of a shard.
const fn depth(number: u64, shards: u64) -> u32 {
    let bits = shards.ilog2();
    let round = 1 << bits;
    if number >= round || number + round < shards { bits + 1 } else { bits }
}

const fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const CRC: Spread = Spread::Crc32;

    const SOME: [u32; 6] = [0, 1, 0x5555_5555, 0xdead_beef, 0x8000_0001, u32::MAX];

    #[test]
    fn a_split_moves_half_of_one_shard_and_nothing_else() {
        for shards in 1..300_u64 {
            let next = shards - (1 << shards.ilog2());
            let mut moved = [0, 0];
            for hash in 0..1024 {
                let (before, after) = (shard_of(hash, shards), shard_of(hash, shards + 1));
                if before == next {
                    assert!(after == next || after == shards);
                    moved[usize::from(after == shards)] += 1;
                } else {
                    assert_eq!(after, before);
                }
            }
            assert_eq!(moved[0], moved[1]);
        }
    }

    #[test]
    fn each_hash_ends_in_the_suffix_of_its_shard_and_in_no_other() {
        for shards in 1..70 {
            let suffixes: Vec<HashSuffix> =
                (0..shards).map(|n| HashSuffix::of_shard(n, shards, CRC)).collect();
            for hash in (0..200).chain(SOME) {
                let of: Vec<u64> = (0..shards)
                    .zip(&suffixes)
                    .filter(|(_, suffix)| u64::from(hash) & mask(suffix.bits) == suffix.ends)
                    .map(|(number, _)| number)
                    .collect();
                assert_eq!(of, [shard_of(hash, shards)], "{hash:#x} of {shards}");
            }
        }
    }

    #[test]
    fn a_suffix_is_cut_until_it_lies_in_one_shard() {
        for (fine, coarse) in (1..40).flat_map(|fine| (1..=fine).map(move |n| (fine, n))) {
            for number in 0..fine {
                let suffix = HashSuffix::of_shard(number, fine, CRC);
                assert_eq!(suffix.shard(fine), Some(suffix));
                let over = suffix.shard(coarse).unwrap();
                assert!(SOME.iter().all(|&hash| {
                    u64::from(hash) & mask(suffix.bits) != suffix.ends
                        || HashSuffix::of_hash(hash, coarse, CRC) == over
                }));
            }
            // All members are in one shard only if it is the only one; each half has half of them.
            assert_eq!(HashSuffix::all(CRC).shard(fine).is_some(), fine == 1);
        }
        let [even, odd] = HashSuffix::all(CRC).halves();
        assert_eq!([even, odd], [0, 1].map(|number| HashSuffix::of_shard(number, 2, CRC)));
        assert_eq!([even.shard(3), odd.shard(3)], [None, Some(odd)]);
    }

    #[test]
    fn a_split_replaces_one_name_by_two_others() {
        let names = |shards: u64| -> BTreeSet<u64> {
            (0..shards).map(|number| HashSuffix::of_shard(number, shards, CRC).name()).collect()
        };
        assert_eq!(names(1), [1].into());
        assert_eq!(names(4), [4, 5, 6, 7].into());
        for shards in 1..300 {
            let (before, after) = (names(shards), names(shards + 1));
            let next = HashSuffix::of_next(shards, CRC);
            assert!(before.difference(&after).eq([&next.name()]));
            let halves = next.halves().map(HashSuffix::name);
            assert!(after.difference(&before).eq(&halves));
            assert_eq!(before.len() + 1, after.len());
        }
        let last = HashSuffix::of_shard(u64::from(u32::MAX), 1 << 32, CRC);
        assert_eq!(last.name(), (1 << 33) - 1);
    }

    #[test]
    fn as_many_shards_as_there_are_hashes() {
        for hash in SOME {
            assert_eq!(shard_of(hash, 1 << 32), u64::from(hash));
            let unsplit = if hash == u32::MAX { hash >> 1 } else { hash };
            assert_eq!(shard_of(hash, (1 << 32) - 1), u64::from(unsplit));
        }
    }
}
