//! The options of LPOS.

use crate::member::Member;
use crate::value::{Direction, List};

/// Which of the equal elements LPOS returns. Default: all of them, from the first.
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
    /// RANK: sets the first match to return, 1 being the first; counts from the end if negative. 0 counts as 1.
    pub const fn rank(mut self, rank: i64) -> Self {
        self.rank = if rank == 0 { 1 } else { rank };
        self
    }

    /// COUNT: sets the maximum number of matches; 0 for all.
    pub const fn count(mut self, count: usize) -> Self {
        self.count = count;
        self
    }

    /// MAXLEN: sets the maximum number of elements to compare; 0 for all.
    pub const fn maxlen(mut self, maxlen: usize) -> Self {
        self.maxlen = maxlen;
        self
    }

    /// Returns whether the rank is the one that cannot be negated.
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
