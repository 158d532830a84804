//! The structures that elements are put into: a file for each.
//!
//! A [`Shape`] makes a [`Holder`], which works on a store, and gives the commands that do the same on a server.

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

/// What a store returns.
type Result<T> = std::result::Result<T, Error>;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Work {
    /// Adds an element.
    Add,
    /// Asks for an element: one that is there or, where that can be asked, every second time one that is not.
    Test,
    /// Counts the elements of a value, where that is more than to read a number.
    Count,
    /// Reads all elements of a value.
    Scan,
    /// Removes an element.
    Remove,
}

impl Work {
    /// All of it, in the order in which it is done.
    pub(super) const ALL: [Self; 5] =
        [Self::Add, Self::Test, Self::Count, Self::Scan, Self::Remove];
}

/// One step of work: on the value of that number, with an element, which is the `at`-th of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'i> {
    pub(super) value: usize,
    pub(super) at: usize,
    pub(super) item: Member<'i>,
}

/// How many values there are, and how many elements are to be in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) values: usize,
    pub(super) size: usize,
}

impl Extent {
    /// The elements of all values.
    pub(super) const fn total(self) -> usize {
        self.values.saturating_mul(self.size)
    }

    /// The size, as calls take it.
    pub(super) const fn size(self) -> u64 {
        self.size as u64
    }
}

/// The key of the value of that number.
pub(super) fn key(value: usize) -> String {
    format!("value:{value}")
}

/// A structure.
pub(super) trait Shape: Debug + Sync {
    /// Whether it does that work.
    fn does(&self, work: Work) -> bool;

    /// Makes a holder of no values on an empty store. What it allocates is no part of a value.
    fn holder(&self, store: Store, extent: Extent) -> Box<dyn Holder>;

    /// What a server is sent before there are values; nothing by default.
    fn begin(&self, extent: Extent) -> Vec<Words> {
        let _ = extent;
        Vec::new()
    }

    /// The command that does one step on a server. `None`: a server has no such form.
    fn command(&self, work: Work, step: &Step<'_>, extent: Extent) -> Option<Words>;

    /// The keys on a server that hold the value of that number.
    fn keys(&self, value: usize, extent: Extent) -> Vec<String> {
        let _ = extent;
        vec![key(value)]
    }
}

/// A command for a server.
pub(super) type Words = Vec<Vec<u8>>;

/// Values on a store.
pub(super) trait Holder {
    /// Makes what has to be there before elements come; nothing by default.
    fn begin(&mut self) -> Result<()> {
        Ok(())
    }

    /// Does the steps one by one, and returns what they found, added up: new elements, elements that are there, counts,
    /// elements that were read, elements removed.
    fn run(&mut self, work: Work, steps: &[Step<'_>]) -> Result<u64>;

    /// A key that holds a value, or a part of one.
    fn key(&self) -> Result<String>;
}

/// A command of these words.
#[expect(clippy::unnecessary_wraps, reason = "other works have no command")]
fn words<const N: usize>(words: [&[u8]; N]) -> Option<Words> {
    Some(words.map(<[u8]>::to_vec).into())
}

/// A command with the element as its last word.
fn with_item(name: &str, key: &str, item: &Member<'_>) -> Option<Words> {
    item.with_bytes(|item| words([name.as_bytes(), key.as_bytes(), item]))
}
