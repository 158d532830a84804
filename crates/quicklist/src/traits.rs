//! Equality, hash and other traits. They compare the elements, not the nodes.

use core::fmt;
use core::hash::{Hash, Hasher};

use crate::QuickList;

impl fmt::Debug for QuickList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl PartialEq for QuickList {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other)
    }
}

impl Eq for QuickList {}

impl Hash for QuickList {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.len());
        for element in self {
            element.entry().hash(state);
        }
    }
}
