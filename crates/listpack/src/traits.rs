//! Implementations of std traits. Equality and hash are those of the entries' values, whatever their encodings and the
//! spare capacity.

use core::fmt;
use core::hash::{Hash, Hasher};

use crate::ListPack;

/// The clone has no spare capacity.
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
