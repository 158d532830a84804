//! Keeping integers that share their high bits compactly.

use intset::{Compact, IntSet, Prefix};

use super::SetRef;
use crate::value::Value;

impl Value {
    /// Keeps a set of integers compactly, if all of them have that prefix; any other value stays as it is. O(members),
    /// O(1) where it is an intset that cannot be kept so, or a compact set of that prefix already.
    pub(crate) fn compact(&mut self, prefix: Prefix) {
        let compact = match self.as_set() {
            Some(SetRef::IntSet(set)) if has_prefix(set, prefix) => {
                Compact::from_sorted(prefix, set.iter()).ok()
            }
            Some(SetRef::Compact(set)) if set.prefix() != prefix => {
                Compact::from_sorted(prefix, set.iter()).ok()
            }
            Some(set @ SetRef::HashTable(_)) if set.len() <= Compact::MOST => {
                set.numbers().and_then(|mut numbers| {
                    numbers.sort_unstable();
                    Compact::from_sorted(prefix, numbers).ok()
                })
            }
            Some(_) | None => None,
        };
        if let Some(compact) = compact {
            *self = Self::Compact(compact);
        }
    }
}

/// Whether all members have the prefix. Members ascend, so the first and the last decide.
fn has_prefix(set: &IntSet, prefix: Prefix) -> bool {
    [set.first(), set.last()].into_iter().flatten().all(|end| prefix.contains(end))
}
