//! Equality, hash and other traits. They compare the members, not the width or the slack.

use core::fmt;
use core::hash::{Hash, Hasher};

use crate::IntSet;

/// Gives the copy no slack.
impl Clone for IntSet {
    fn clone(&self) -> Self {
        if self.heap_bytes() == 0 {
            return Self::new();
        }
        Self::from_capacity(self.as_bytes().into())
    }
}

impl Default for IntSet {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for IntSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl PartialEq for IntSet {
    fn eq(&self, other: &Self) -> bool {
        if self.width() == other.width() {
            self.as_bytes() == other.as_bytes()
        } else {
            self.len() == other.len() && self.iter().eq(other)
        }
    }
}

impl Eq for IntSet {}

impl Hash for IntSet {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.len());
        self.iter().for_each(|member| state.write_i64(member));
    }
}
