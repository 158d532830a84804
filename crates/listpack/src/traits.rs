//! Equality, hash and other traits. They compare the values of the entries, not their encodings or the slack.

use core::fmt;
use core::hash::{Hash, Hasher};

use crate::ListPack;

/// Gives the copy no slack.
impl Clone for ListPack {
    fn clone(&self) -> Self {
        if self.heap_bytes() == 0 {
            return Self::new();
        }
        Self { room: self.as_bytes().into() }
    }
}

impl Default for ListPack {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ListPack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl PartialEq for ListPack {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes() || self.iter().eq(other)
    }
}

impl Eq for ListPack {}

impl Hash for ListPack {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut count = 0;
        for entry in self {
            entry.hash(state);
            count += 1;
        }
        state.write_usize(count);
    }
}
