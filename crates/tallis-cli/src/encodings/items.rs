//! The elements that values are filled with.

use tallis::Member;

/// Distinct elements: some to be added, followed by others that are not.
#[derive(Clone, Debug)]
pub(super) struct Items {
    list: List,
    present: usize,
}

#[derive(Clone, Debug)]
enum List {
    Ids(Vec<i64>),
    Names { bytes: Vec<u8>, ends: Vec<usize> },
}

/// The kind of the elements of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Random integers of this many bits, none of them negative.
    Random(u32),
    /// The integers from 0 on.
    Dense,
    /// Names: `user:` and a number of nine digits.
    Names,
}

impl Kind {
    /// Returns the most elements of this kind, of which half may be added.
    const fn most(self) -> u64 {
        match self {
            Self::Random(bits) => 1 << bits,
            Self::Dense => 1 << 32,
            Self::Names => 1 << NAME_BITS,
        }
    }
}

/// The number of bits of the numbers in names, which have at most nine digits.
const NAME_BITS: u32 = 29;

impl Items {
    /// Creates elements of a kind: `present` to be added, or half of all there are, and at most `others` that are not.
    /// The seed chooses them. O(elements).
    pub(super) fn of(kind: Kind, present: usize, others: usize, seed: u64) -> Self {
        let most = usize::try_from(kind.most() / 2).unwrap_or(usize::MAX);
        let present = present.min(most);
        let others = others.min(most);
        let numbers = 0..(present + others) as u64;
        let ids =
            |ids: &mut dyn Iterator<Item = u64>| List::Ids(ids.map(u64::cast_signed).collect());
        let list = match kind {
            Kind::Random(bits) => ids(&mut numbers.map(|n| scrambled(n, bits, seed))),
            Kind::Dense => ids(&mut { numbers }),
            Kind::Names => return Self::made(present, others, seed, |n| format!("user:{n:09}")),
        };
        Self { list, present }
    }

    /// Creates random integers below a bound: `present` to be added, and `others` that are not; together at most as
    /// many as there are. O(elements).
    pub(super) fn below(bound: u64, present: usize, others: usize, seed: u64) -> Self {
        let bits = (64 - bound.leading_zeros()).max(1);
        let all = (0..1 << bits).map(|n| scrambled(n, bits, seed)).filter(|&id| id < bound);
        let ids = all.take(present + others).map(u64::cast_signed);
        Self { list: List::Ids(ids.collect()), present }
    }

    /// Creates names: `present` to be added, and `others` that are not, each from another random number of nine digits.
    pub(super) fn made(
        present: usize,
        others: usize,
        seed: u64,
        name: impl Fn(u64) -> String,
    ) -> Self {
        let numbers = 0..(present + others) as u64;
        let list = List::names(numbers.map(|n| name(scrambled(n, NAME_BITS, seed))));
        Self { list, present }
    }

    /// Creates elements from integers to be added, followed by `others`.
    pub(super) fn of_ids(mut ids: Vec<i64>, others: impl IntoIterator<Item = i64>) -> Self {
        let present = ids.len();
        ids.extend(others);
        Self { list: List::Ids(ids), present }
    }

    /// Creates elements from names to be added, followed by `others`.
    pub(super) fn of_names<N: AsRef<[u8]>>(
        names: impl IntoIterator<Item = N>,
        others: impl IntoIterator<Item = N>,
    ) -> Self {
        let mut list = List::names(names);
        let present = list.len();
        if let List::Names { bytes, ends } = &mut list {
            for other in others {
                bytes.extend_from_slice(other.as_ref());
                ends.push(bytes.len());
            }
        }
        Self { list, present }
    }

    /// Copies elements into consecutive memory.
    pub(super) fn copied(members: &[Member<'_>]) -> Self {
        let present = members.len();
        let ids: Option<Vec<i64>> = members.iter().map(as_id).collect();
        let list = ids.map_or_else(|| List::names(members.iter().filter_map(as_name)), List::Ids);
        Self { list, present }
    }

    /// Returns the number of elements to be added.
    pub(super) const fn present(&self) -> usize {
        self.present
    }

    /// Returns the number of other elements.
    pub(super) fn others(&self) -> usize {
        self.list.len() - self.present
    }

    /// Returns the element at an index below [`present`](Self::present), if it is an integer.
    pub(super) fn id(&self, at: usize) -> Option<i64> {
        as_id(&self.get(at))
    }

    /// Returns the element at an index below [`present`](Self::present).
    pub(super) fn get(&self, at: usize) -> Member<'_> {
        self.list.get(at)
    }

    /// Returns another element, at an index below [`others`](Self::others).
    pub(super) fn other(&self, at: usize) -> Member<'_> {
        self.list.get(self.present + at)
    }
}

impl List {
    fn names<N: AsRef<[u8]>>(names: impl IntoIterator<Item = N>) -> Self {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for name in names {
            bytes.extend_from_slice(name.as_ref());
            ends.push(bytes.len());
        }
        Self::Names { bytes, ends }
    }

    const fn len(&self) -> usize {
        match self {
            Self::Ids(ids) => ids.len(),
            Self::Names { ends, .. } => ends.len(),
        }
    }

    fn get(&self, at: usize) -> Member<'_> {
        match self {
            Self::Ids(ids) => Member::Int(ids[at]),
            Self::Names { bytes, ends } => {
                let start = if at == 0 { 0 } else { ends[at - 1] };
                Member::Bytes(&bytes[start..ends[at]])
            }
        }
    }
}

const fn as_id(member: &Member<'_>) -> Option<i64> {
    match member {
        Member::Int(id) => Some(*id),
        Member::Bytes(_) => None,
    }
}

const fn as_name<'m>(member: &Member<'m>) -> Option<&'m [u8]> {
    match member {
        Member::Int(_) => None,
        Member::Bytes(name) => Some(name),
    }
}

/// A permutation of the numbers below `2^bits`, so that random numbers are distinct without a set of those before.
const fn scrambled(number: u64, bits: u32, seed: u64) -> u64 {
    // Multiplication by an odd number, addition, and XOR with a right shift are each invertible for any number of bits.
    let mask = u64::MAX >> (64 - bits);
    let half = bits.div_ceil(2);
    let mut mixed = number.wrapping_add(seed) & mask;
    let mut round = 0;
    while round < ROUNDS.len() {
        mixed = mixed.wrapping_mul(ROUNDS[round]) & mask;
        mixed ^= mixed >> half;
        round += 1;
    }
    mixed
}

/// Odd multipliers of `SplitMix64` and of `MurmurHash3`.
const ROUNDS: [u64; 4] =
    [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn scrambled_numbers_are_all_different_and_fill_their_bits() {
        for bits in [1, 2, 5, 15, 16] {
            let all: BTreeSet<u64> = (0..1 << bits).map(|n| scrambled(n, bits, 77)).collect();
            assert_eq!(all.len(), 1 << bits, "{bits} bits");
            assert_eq!(all.last().copied(), Some((1 << bits) - 1));
        }
    }

    #[test]
    fn random_numbers_look_random() {
        // Each bit is set in about half of a thousand consecutive numbers: 6 standard deviations are 95.
        for bits in [31, 60] {
            for bit in 0..bits {
                let set = (0..1000).filter(|&n| scrambled(n, bits, 5) >> bit & 1 == 1).count();
                assert!((405..=595).contains(&set), "bit {bit} of {bits}: {set}");
            }
        }
    }

    #[test]
    fn elements_that_are_there_and_others_are_all_different() {
        for kind in [Kind::Random(60), Kind::Random(15), Kind::Dense, Kind::Names] {
            let items = Items::of(kind, 1000, 300, 9);
            assert_eq!((items.present(), items.others()), (1000, 300), "{kind:?}");
            let all = (0..1000).map(|at| items.get(at)).chain((0..300).map(|at| items.other(at)));
            let all: BTreeSet<String> = all.map(|item| format!("{item:?}")).collect();
            assert_eq!(all.len(), 1300, "{kind:?}");
        }
        assert!(
            matches!(Items::of(Kind::Names, 1, 0, 1).get(0), Member::Bytes(name) if name.len() == 14)
        );
    }

    #[test]
    fn of_a_small_range_half_is_added() {
        let items = Items::of(Kind::Random(15), 1 << 20, 1 << 20, 3);
        assert_eq!((items.present(), items.others()), (1 << 14, 1 << 14));
    }

    #[test]
    fn what_is_given_is_kept_in_its_order() {
        let items = Items::of_names(["b", "", "a"], ["c"]);
        assert_eq!((items.present(), items.others()), (3, 1));
        assert!(matches!(items.get(1), Member::Bytes(b"")));
        assert!(matches!(
            (items.get(2), items.other(0)),
            (Member::Bytes(b"a"), Member::Bytes(b"c"))
        ));
        let items = Items::of_ids(vec![-5, 7], [9]);
        assert!(matches!((items.get(0), items.other(0)), (Member::Int(-5), Member::Int(9))));
    }
}
