//! The options of LPOS.

use crate::member::Member;
use crate::value::{Direction, List};

/// Which of the elements that are equal to one LPOS finds: by default all of them, from the first on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LposOptions {
    rank: i64,
    count: usize,
    maxlen: usize,
}

impl Default for LposOptions {
    fn default() -> Self {
        Self { rank: 1, count: 0, maxlen: 0 }
    }
}

impl LposOptions {
    /// RANK: the first match to count, 1 the first of all; from the end if it is negative. 0 is as 1.
    pub const fn rank(mut self, rank: i64) -> Self {
        self.rank = if rank == 0 { 1 } else { rank };
        self
    }

    /// COUNT: how many to find at most; 0 for all.
    pub const fn count(mut self, count: usize) -> Self {
        self.count = count;
        self
    }

    /// MAXLEN: how many elements to look at at most; 0 for all.
    pub const fn maxlen(mut self, maxlen: usize) -> Self {
        self.maxlen = maxlen;
        self
    }

    /// Whether the rank is the one that cannot be negated.
    pub(super) const fn is_least(self) -> bool {
        self.rank == i64::MIN
    }

    pub(super) fn find(self, list: &List, element: Member<'_>) -> Vec<usize> {
        let from = if self.rank < 0 { Direction::Right } else { Direction::Left };
        let unlimited = |most: usize| if most == 0 { usize::MAX } else { most };
        let skip = usize::try_from(self.rank.unsigned_abs() - 1).unwrap_or(usize::MAX);
        list.positions(element, from, unlimited(self.maxlen), skip, unlimited(self.count))
    }
}
