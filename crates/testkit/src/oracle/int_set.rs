//! The oracle of the integer set: a `BTreeSet`.
//!
//! Implement [`IntegerSet`] for the set under test; four methods are required. [`IntSetOracle::step`] applies an
//! operation to both and compares them. The [front page](crate) has an example.

use std::collections::BTreeSet;

use arbitrary::{Arbitrary, Unstructured};

/// A value in a test of integer sets: often small, so that values repeat, or at the edge of a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member(pub i64);

/// The values near which widths change.
const EDGES: [i64; 8] = [
    i16::MIN as i64,
    i16::MAX as i64,
    i32::MIN as i64,
    i32::MAX as i64,
    i64::MIN + 2,
    i64::MAX - 2,
    0,
    1 << 59,
];

/// Members of a difference that are shown.
const SHOWN: usize = 8;

impl<'a> Arbitrary<'a> for Member {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let value = match u.arbitrary::<u8>()? {
            // Most are narrow: one wide value ends the narrow widths of a run for good.
            0..=127 => u.arbitrary::<i8>()?.into(),
            128..=207 => u.arbitrary::<i16>()?.into(),
            208..=231 => u.arbitrary::<i32>()?.into(),
            232..=239 => u.arbitrary()?,
            240..=255 => {
                let near = u.int_in_range(-2..=2)?;
                u.choose(&EDGES)?.saturating_add(near)
            }
        };
        Ok(Self(value))
    }
}

/// An operation on an integer set.
#[derive(Arbitrary, Clone, Debug, PartialEq, Eq)]
pub enum IntSetOp {
    /// Add a value.
    Insert(Member),
    /// Remove a value.
    Remove(Member),
    /// Remove the member at an index (modulo the number of members).
    RemoveAt(u16),
    /// Add a run of values in steps of the second number, so that sets grow.
    InsertRun(Member, u8, u8),
    /// Add many values at once.
    Extend(Vec<Member>),
    /// Query a value: contains, rank, members below.
    Query(Member),
    /// Get the member at an index and the one that a random number selects.
    At(u16, u64),
    /// Test the union, intersection and difference with other values.
    Combine(Vec<Member>),
    /// Release the slack.
    ShrinkToFit,
    /// Convert to bytes and back.
    Reload,
    /// Remove everything.
    Clear,
}

/// A set of integers under test. Methods with a default body may be overridden by the set's own.
pub trait IntegerSet {
    /// Inserts `value` and returns whether it was new.
    fn insert(&mut self, value: i64) -> bool;

    /// Removes `value` and returns whether it was a member.
    fn remove(&mut self, value: i64) -> bool;

    /// Returns whether `value` is a member.
    fn contains(&self, value: i64) -> bool;

    /// Returns the members, in ascending order.
    fn members(&self) -> Vec<i64>;

    /// Adds many values.
    fn extend(&mut self, values: &[i64]) {
        for &value in values {
            self.insert(value);
        }
    }

    /// Removes everything.
    fn clear(&mut self) {
        for member in self.members() {
            self.remove(member);
        }
    }

    /// Returns the number of members below `value`.
    fn count_below(&self, value: i64) -> usize {
        self.members().partition_point(|&member| member < value)
    }

    /// Returns the number of members below `value`, if it is a member.
    fn rank(&self, value: i64) -> Option<usize> {
        self.contains(value).then(|| self.count_below(value))
    }

    /// Returns the member at `index`, in ascending order.
    fn get(&self, index: usize) -> Option<i64> {
        self.members().get(index).copied()
    }

    /// Returns the member that a random number selects; `None` for an empty set.
    fn random_member(&self, random: u64) -> Option<i64> {
        let members = self.members();
        let index = random.checked_rem(members.len() as u64)?;
        usize::try_from(index).ok().and_then(|index| members.get(index).copied())
    }

    /// Returns the members of this set or of `values`, in ascending order; `None` if the set has no such operation.
    fn union(&self, _values: &[i64]) -> Option<Vec<i64>> {
        None
    }

    /// Returns the members of both this set and `values`, in ascending order; `None` if the set has no such operation.
    fn intersection(&self, _values: &[i64]) -> Option<Vec<i64>> {
        None
    }

    /// Returns the members of this set that are not in `values`, in ascending order; `None` if the set has no such
    /// operation.
    fn difference(&self, _values: &[i64]) -> Option<Vec<i64>> {
        None
    }

    /// Releases the slack.
    fn shrink_to_fit(&mut self) {}

    /// Converts the set to bytes and back.
    fn reload(&mut self) {}
}

/// A simple set of integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntSetOracle {
    members: BTreeSet<i64>,
    /// The bytes of a member: that of the widest value since the set was last new.
    width: u8,
}

impl Default for IntSetOracle {
    fn default() -> Self {
        Self::new()
    }
}

impl IntSetOracle {
    /// Creates an empty set of 16-bit members.
    #[must_use]
    pub fn new() -> Self {
        Self { members: BTreeSet::new(), width: 2 }
    }

    /// Inserts `value` and returns whether it was new.
    pub fn insert(&mut self, value: i64) -> bool {
        self.width = self.width.max(bytes_of(value));
        self.members.insert(value)
    }

    /// Removes `value` and returns whether it was a member.
    pub fn remove(&mut self, value: i64) -> bool {
        self.members.remove(&value)
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// Applies `op` to `set` and to this oracle, and compares the results, but not the members afterwards: see
    /// [`IntSetOracle::compare`].
    ///
    /// # Panics
    ///
    /// If the two differ.
    pub fn apply(&mut self, set: &mut impl IntegerSet, op: &IntSetOp) {
        match op {
            IntSetOp::Insert(Member(value)) => {
                assert_eq!(set.insert(*value), self.insert(*value), "insert {value}");
            }
            IntSetOp::Remove(Member(value)) => {
                assert_eq!(set.remove(*value), self.remove(*value), "remove {value}");
            }
            IntSetOp::RemoveAt(index) => {
                if let Some(value) = self.get(usize::from(*index) % self.members.len().max(1)) {
                    assert!(set.remove(value), "remove member {value}");
                    self.remove(value);
                }
            }
            IntSetOp::InsertRun(Member(start), count, step) => {
                for i in 0..i64::from(*count) {
                    let value = start.wrapping_add(i * i64::from(*step));
                    assert_eq!(set.insert(value), self.insert(value), "insert {value} of a run");
                }
            }
            IntSetOp::Extend(values) => {
                set.extend(&numbers(values));
                for member in values {
                    self.insert(member.0);
                }
            }
            IntSetOp::Query(Member(value)) => {
                let is_member = self.members.contains(value);
                let below = self.count_below(*value);
                assert_eq!(set.contains(*value), is_member, "contains {value}");
                assert_eq!(set.count_below(*value), below, "count below {value}");
                assert_eq!(set.rank(*value), is_member.then_some(below), "rank of {value}");
            }
            IntSetOp::At(index, random) => {
                let index = usize::from(*index);
                assert_eq!(set.get(index), self.get(index), "the member at {index}");
                let chosen = set.random_member(*random);
                assert_eq!(chosen.is_none(), self.members.is_empty(), "a random member");
                assert!(chosen.is_none_or(|member| self.members.contains(&member)));
            }
            IntSetOp::Combine(values) => self.combine(set, &numbers(values)),
            IntSetOp::ShrinkToFit => set.shrink_to_fit(),
            IntSetOp::Reload => set.reload(),
            IntSetOp::Clear => {
                set.clear();
                self.clear();
            }
        }
    }

    /// Compares the members of `set` with those of this oracle.
    ///
    /// # Panics
    ///
    /// If they differ.
    pub fn compare(&self, set: &impl IntegerSet) {
        let members = set.members();
        let differs = || {
            let found: BTreeSet<i64> = members.iter().copied().collect();
            let few = |one: &BTreeSet<i64>, other: &BTreeSet<i64>| -> Vec<i64> {
                one.difference(other).copied().take(SHOWN).collect()
            };
            let (missing, wrong) = (few(&self.members, &found), few(&found, &self.members));
            let (found, expected) = (members.len(), self.members.len());
            let order = if members.is_sorted() { "" } else { ", not in order" };
            format!(
                "{found} members, expected {expected}: {missing:?} missing, {wrong:?} unexpected{order}"
            )
        };
        assert!(self.members.iter().eq(&members), "{}", differs());
    }

    /// [`IntSetOracle::apply`] and [`IntSetOracle::compare`].
    ///
    /// # Panics
    ///
    /// If the two differ.
    pub fn step(&mut self, set: &mut impl IntegerSet, op: &IntSetOp) {
        self.apply(set, op);
        self.compare(set);
    }

    fn combine(&self, set: &impl IntegerSet, values: &[i64]) {
        let other: BTreeSet<i64> = values.iter().copied().collect();
        let ours = &self.members;
        if let Some(members) = set.union(values) {
            assert!(ours.union(&other).copied().eq(members), "the union with {values:?}");
        }
        if let Some(members) = set.intersection(values) {
            let both = ours.intersection(&other).copied();
            assert!(both.eq(members), "the intersection with {values:?}");
        }
        if let Some(members) = set.difference(values) {
            let rest = ours.difference(&other).copied();
            assert!(rest.eq(members), "the difference from {values:?}");
        }
    }

    /// The members.
    #[must_use]
    pub fn members(&self) -> &BTreeSet<i64> {
        &self.members
    }

    /// The bytes of a member: 2, 4 or 8.
    #[must_use]
    pub fn width(&self) -> u8 {
        self.width
    }

    /// Returns the member at `index`, in ascending order.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<i64> {
        self.members.iter().nth(index).copied()
    }

    /// Returns the number of members below `value`.
    #[must_use]
    pub fn count_below(&self, value: i64) -> usize {
        self.members.range(..value).count()
    }

    /// Returns Redis's blob of these members.
    ///
    /// # Panics
    ///
    /// If there are 2^32 members or more.
    #[must_use]
    pub fn blob(&self) -> Vec<u8> {
        let len = u32::try_from(self.members.len()).expect("a test's set is small");
        let mut blob = vec![self.width, 0, 0, 0];
        blob.extend_from_slice(&len.to_le_bytes());
        for member in &self.members {
            blob.extend_from_slice(&member.to_le_bytes()[..usize::from(self.width)]);
        }
        blob
    }
}

fn numbers(members: &[Member]) -> Vec<i64> {
    members.iter().map(|member| member.0).collect()
}

/// The bytes that `value` needs, by its range.
fn bytes_of(value: i64) -> u8 {
    if (-0x8000..0x8000).contains(&value) {
        2
    } else if (-0x8000_0000..0x8000_0000).contains(&value) {
        4
    } else {
        8
    }
}
