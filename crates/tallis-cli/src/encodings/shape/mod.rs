//! The structures that are measured, one per file.
//!
//! A [`Shape`] creates a [`Holder`], which works on a store, and returns the equivalent commands for a server.

mod bitmap;
mod bloom;
mod hash;
mod hll;
mod keyed;
mod list;
mod locations;
mod set;
mod sharded;
mod zset;

use std::fmt::Debug;

use serde::Serialize;
use tallis::{Error, Member, Store};

pub(super) use bitmap::Bitmap;
pub(super) use bloom::Bloom;
pub(super) use hash::Hash;
pub(super) use hll::HyperLogLog;
pub(super) use list::List;
pub(super) use locations::Packed;
pub(super) use set::Set;
pub(super) use sharded::Sharded;
pub(super) use zset::ZSet;

/// The result of a store.
type Result<T> = std::result::Result<T, Error>;

/// The operations that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Work {
    /// Adds an element.
    Add,
    /// Looks an element up: one that exists and, if possible, every second time one that does not.
    Test,
    /// Counts the elements of a value, if that takes more than reading a number.
    Count,
    /// Reads all elements of a value.
    Scan,
    /// Removes an element.
    Remove,
}

impl Work {
    /// All operations, in the order in which they are run.
    pub(super) const ALL: [Self; 5] =
        [Self::Add, Self::Test, Self::Count, Self::Scan, Self::Remove];
}

/// One step of an operation: on the value with this number, with an element, which is the `at`-th of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'i> {
    pub(super) value: usize,
    pub(super) at: usize,
    pub(super) item: Member<'i>,
}

/// The number of values, and the number of elements of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) values: usize,
    pub(super) size: usize,
}

impl Extent {
    /// Returns the number of elements of all values.
    pub(super) const fn total(self) -> usize {
        self.values.saturating_mul(self.size)
    }

    /// Returns the number of elements of a value, as calls take it.
    pub(super) const fn size(self) -> u64 {
        self.size as u64
    }
}

/// Returns the key of the value with this number.
pub(super) fn key(value: usize) -> String {
    format!("value:{value}")
}

/// A structure.
pub(super) trait Shape: Debug + Sync {
    /// Returns whether it supports an operation.
    fn does(&self, work: Work) -> bool;

    /// Creates a holder without values on an empty store. Its own allocations do not count for a value.
    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder>;

    /// Returns the commands that a server needs before there are values; none by default.
    fn begin(&self, extent: Extent) -> Vec<Words> {
        let _ = extent;
        Vec::new()
    }

    /// Returns the command of one step on a server; `None` if a server has no such form.
    fn command(&self, work: Work, step: &Step<'_>, extent: Extent) -> Option<Words>;

    /// Returns the keys on a server of the value with this number.
    fn keys(&self, value: usize, extent: Extent) -> Vec<String> {
        let _ = extent;
        vec![key(value)]
    }
}

/// The words of a command for a server.
pub(super) type Words = Vec<Vec<u8>>;

/// Values on a store.
pub(super) trait Holder {
    /// Creates what is needed before elements are added; nothing by default.
    fn begin(&mut self) -> Result<()> {
        Ok(())
    }

    /// Runs the steps one by one, and returns the sum of their results: new elements, existing elements, counts,
    /// elements read, elements removed.
    fn run(&mut self, work: Work, steps: &[Step<'_>]) -> Result<u64>;

    /// Returns a key that holds a value, or a part of one.
    fn key(&self) -> Result<String>;
}

/// Returns a command of these words.
#[expect(clippy::unnecessary_wraps, reason = "other works have no command")]
fn words<const N: usize>(words: [&[u8]; N]) -> Option<Words> {
    Some(words.map(<[u8]>::to_vec).into())
}

/// Returns a command with the element as its last word.
fn with_item(name: &str, key: &str, item: &Member<'_>) -> Option<Words> {
    item.with_bytes(|item| words([name.as_bytes(), key.as_bytes(), item]))
}
