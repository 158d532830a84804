//! Compact storage of integers that share their high bits.

use intset::{Compact, IntSet, Prefix};

use super::SetRef;
use crate::value::Value;

impl Value {
    /// Converts a set of integers to the compact encoding, if all of them have that prefix; any other value is
    /// unchanged. O(members), or O(1) for an intset that cannot be converted, or a compact set of that prefix.
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

/// Returns whether all members have the prefix. Members are in ascending order, so it is sufficient to check the first
/// and the last.
fn has_prefix(set: &IntSet, prefix: Prefix) -> bool {
    [set.first(), set.last()].into_iter().flatten().all(|end| prefix.contains(end))
}
