//! Equality, hash and other traits. They compare the members, not the prefix or the slack.

use core::fmt;
use core::hash::{Hash, Hasher};

use super::set::Compact;
use crate::IntSet;

/// Gives the copy no slack.
impl Clone for Compact {
    fn clone(&self) -> Self {
        Self::from_blob(self.as_bytes().into())
    }
}

impl fmt::Debug for Compact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl PartialEq for Compact {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl Eq for Compact {}

impl PartialEq<IntSet> for Compact {
    fn eq(&self, other: &IntSet) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl Hash for Compact {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.len());
        self.iter().for_each(|member| state.write_i64(member));
    }
}
