//! The oracle of the integer set: a `BTreeSet`.

use std::collections::BTreeSet;

use arbitrary::{Arbitrary, Unstructured};

/// A value in a test of integer sets: often small, so that it repeats, or at the edge of a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member(pub i64);

/// The values about which widths change.
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

/// One step on an integer set.
#[derive(Arbitrary, Clone, Debug, PartialEq, Eq)]
pub enum IntSetOp {
    /// Add a value.
    Insert(Member),
    /// Take a value out.
    Remove(Member),
    /// Take out the member at an index (modulo the number of members), so that removing hits.
    RemoveAt(u16),
    /// Add a run of values in steps of the second number, so that sets grow.
    InsertRun(Member, u8, u8),
    /// Add many values at once.
    Extend(Vec<Member>),
    /// Ask for a value: contains, rank, members below.
    Query(Member),
    /// Ask for the member at an index and for the one that a random number chooses.
    At(u16, u64),
    /// Put the union, intersection and difference with other values to the test.
    Combine(Vec<Member>),
    /// Release the slack.
    ShrinkToFit,
    /// Go through the bytes and back.
    Reload,
    /// Take everything out.
    Clear,
}

impl IntSetOp {
    /// The operations that `bytes` spell, as the fuzzer would read them.
    #[must_use]
    pub fn sequence(bytes: &[u8]) -> Vec<Self> {
        let mut u = Unstructured::new(bytes);
        let mut ops = Vec::new();
        while !u.is_empty() {
            match u.arbitrary() {
                Ok(op) => ops.push(op),
                Err(_) => break,
            }
        }
        ops
    }
}

/// A set of integers with no tricks.
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
    /// An empty set of 16-bit members.
    #[must_use]
    pub fn new() -> Self {
        Self { members: BTreeSet::new(), width: 2 }
    }

    /// Adds `value`; false if it was there.
    pub fn insert(&mut self, value: i64) -> bool {
        self.width = self.width.max(bytes_of(value));
        self.members.insert(value)
    }

    /// Takes `value` out; false if it was not there.
    pub fn remove(&mut self, value: i64) -> bool {
        self.members.remove(&value)
    }

    /// Takes everything out.
    pub fn clear(&mut self) {
        *self = Self::new();
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

    /// The member at `index`, from the least.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<i64> {
        self.members.iter().nth(index).copied()
    }

    /// The number of members below `value`.
    #[must_use]
    pub fn count_below(&self, value: i64) -> usize {
        self.members.range(..value).count()
    }

    /// The blob that Redis keeps for these members.
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
