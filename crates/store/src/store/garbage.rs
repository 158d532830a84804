//! What has left a keyspace, and is freed when its stripe is unlocked.

use std::mem;

use super::keyspace::Keyspace;
use crate::value::Value;

/// A collection with fewer elements is freed at once: this takes less time than to wait for a lock.
const LARGE: usize = 1024;
/// The number of values and keyspaces that are kept: a transaction may replace them any number of times before it ends.
const MOST: usize = 16;

/// Large values, and keyspaces, that have left a keyspace. Freeing them takes long, and other threads would wait for the
/// lock of the stripe.
#[derive(Debug)]
pub(crate) struct Garbage(Vec<Item>);

#[derive(Debug)]
#[expect(dead_code, reason = "it is only dropped")]
enum Item {
    Value(Value),
    Keyspace(Keyspace),
}

impl Garbage {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a value has so many allocations that it is kept.
    fn accepts(value: &Value) -> bool {
        match value {
            Value::HashTable(members) => members.len() >= LARGE,
            Value::ZSet(set) => set.len() >= LARGE,
            Value::List(list) => list.len() >= LARGE,
            Value::Hash(_) | Value::HashTtl(_) => {
                value.as_hash().is_some_and(|hash| hash.held() >= LARGE)
            }
            Value::Int(_)
            | Value::Short(_)
            | Value::Str { .. }
            | Value::IntSet(_)
            | Value::Compact(_)
            | Value::ListPack(_)
            | Value::Bloom(_)
            | Value::Opaque(_) => false,
        }
    }

    /// Keeps a value that is large, and drops any other.
    #[inline]
    pub(super) fn add(&mut self, value: Value) {
        if !value.is_string() {
            self.add_collection(value);
        }
    }

    // In a call of its own, because most values are strings.
    #[inline(never)]
    fn add_collection(&mut self, value: Value) {
        if Self::accepts(&value) && self.has_room() {
            self.0.push(Item::Value(value));
        }
    }

    /// Keeps a keyspace that is not empty, and what it has kept.
    pub(super) fn add_keyspace(&mut self, mut keyspace: Keyspace) {
        self.append(&mut keyspace.garbage);
        if !keyspace.is_empty() && self.has_room() {
            self.0.push(Item::Keyspace(keyspace));
        }
    }

    /// Moves all from `other`, which keeps no memory for more.
    pub(super) fn append(&mut self, other: &mut Self) {
        self.0.extend(mem::take(&mut other.0));
    }

    fn has_room(&self) -> bool {
        self.0.len() < MOST
    }
}
