//! Sorted sets, ours and others, behind the interface of the benchmarks.
//!
//! A rival consists of an ordered set of scores and members and a map from member to score. The ordered set is the
//! standard library's `BTreeSet`, which shares each member with the map by an `Arc`, as Redis's skip list and
//! dictionary do, and has no ranks; or indexset's, which has ranks, with members of exactly 16 bytes in place of
//! pointers, which is the best case for it; or that of the crate skiplist, which has ranks too, with the same
//! members.

#![expect(clippy::unwrap_used, reason = "a failure stops the benchmark")]
#![expect(clippy::float_cmp, reason = "scores are compared as Redis compares them")]

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;

use skiplist::OrderedSkipList;
use skiplist_zset::{Limits, ZSet};

/// A score and a shared member.
#[derive(Clone, Debug, PartialEq)]
struct Scored(f64, Arc<[u8]>);

impl Eq for Scored {}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then_with(|| self.1.cmp(&other.1))
    }
}

/// The operations that are measured.
pub trait Rival: Default {
    /// The name on the page.
    const NAME: &str;

    /// Sets the score of a member.
    fn add(&mut self, member: &[u8], score: f64);

    /// Returns the score of a member.
    fn score(&self, member: &[u8]) -> Option<f64>;

    /// Removes a member.
    fn remove(&mut self, member: &[u8]) -> bool;
}

/// The operations that are measured of sets with ranks.
pub trait Ranked: Rival {
    /// Returns the rank of a member.
    fn rank(&self, member: &[u8]) -> usize;

    /// Iterates over the entries of a range of ranks.
    fn range(&self, ranks: Range<usize>);
}

impl Rival for ZSet {
    const NAME: &str = "zset";

    fn add(&mut self, member: &[u8], score: f64) {
        self.add(member, score, &Limits::default()).unwrap();
    }

    fn score(&self, member: &[u8]) -> Option<f64> {
        self.score(member)
    }

    fn remove(&mut self, member: &[u8]) -> bool {
        self.remove(member).is_some()
    }
}

impl Ranked for ZSet {
    fn rank(&self, member: &[u8]) -> usize {
        self.rank(member).unwrap()
    }

    fn range(&self, ranks: Range<usize>) {
        for entry in self.range(ranks) {
            black_box(entry);
        }
    }
}

/// A score and a member of exactly 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Inline(f64, [u8; 16]);

impl Eq for Inline {}

impl PartialOrd for Inline {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Inline {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then_with(|| self.1.cmp(&other.1))
    }
}

/// indexset's ordered set with members of exactly 16 bytes in place, and a map from member to score.
#[derive(Clone, Debug, Default)]
pub struct IndexSetAndMap {
    order: indexset::BTreeSet<Inline>,
    scores: HashMap<[u8; 16], f64, ahash::RandomState>,
}

impl Rival for IndexSetAndMap {
    const NAME: &str = "indexset and HashMap";

    fn add(&mut self, member: &[u8], score: f64) {
        let member = member.try_into().unwrap();
        match self.scores.insert(member, score) {
            Some(old) if old == score => return,
            Some(old) => {
                self.order.remove(&Inline(old, member));
            }
            None => {}
        }
        self.order.insert(Inline(score, member));
    }

    fn score(&self, member: &[u8]) -> Option<f64> {
        self.scores.get(member).copied()
    }

    fn remove(&mut self, member: &[u8]) -> bool {
        let Some((member, score)) = self.scores.remove_entry(member) else { return false };
        self.order.remove(&Inline(score, member))
    }
}

impl Ranked for IndexSetAndMap {
    fn rank(&self, member: &[u8]) -> usize {
        let member = member.try_into().unwrap();
        self.order.rank(&Inline(self.scores[&member], member))
    }

    fn range(&self, ranks: Range<usize>) {
        for rank in ranks {
            // The score is read, as with a set of ours: a reference to an entry is not yet a result.
            let Inline(score, member) = self.order.get_index(rank).unwrap();
            black_box((*score, &member[..]));
        }
    }
}

/// skiplist's ordered list with members of exactly 16 bytes in place, and a map from member to score.
#[derive(Clone, Debug, Default)]
pub struct SkipListAndMap {
    order: OrderedSkipList<Inline>,
    scores: HashMap<[u8; 16], f64, ahash::RandomState>,
}

impl Rival for SkipListAndMap {
    const NAME: &str = "skiplist and HashMap";

    fn add(&mut self, member: &[u8], score: f64) {
        let member = member.try_into().unwrap();
        match self.scores.insert(member, score) {
            Some(old) if old == score => return,
            // Each entry exists once, so an equal entry is the right one.
            Some(old) => drop(self.order.take_fast(&Inline(old, member))),
            None => {}
        }
        self.order.insert(Inline(score, member));
    }

    fn score(&self, member: &[u8]) -> Option<f64> {
        self.scores.get(member).copied()
    }

    fn remove(&mut self, member: &[u8]) -> bool {
        let Some((member, score)) = self.scores.remove_entry(member) else { return false };
        self.order.take_fast(&Inline(score, member)).is_some()
    }
}

impl Ranked for SkipListAndMap {
    fn rank(&self, member: &[u8]) -> usize {
        let member = member.try_into().unwrap();
        self.order.rank(&Inline(self.scores[&member], member)).unwrap()
    }

    fn range(&self, ranks: Range<usize>) {
        // The iterator of the list visits all preceding entries, so each entry is queried by itself.
        for rank in ranks {
            let Inline(score, member) = self.order.get_by_index(rank).unwrap();
            black_box((*score, &member[..]));
        }
    }
}

/// The standard library's ordered set, which has no ranks, and a map that shares its members.
#[derive(Clone, Debug, Default)]
pub struct TreeAndMap {
    order: BTreeSet<Scored>,
    scores: HashMap<Arc<[u8]>, f64, ahash::RandomState>,
}

impl Rival for TreeAndMap {
    const NAME: &str = "BTreeSet and HashMap";

    fn add(&mut self, member: &[u8], score: f64) {
        if let Some((member, old)) = self.scores.get_key_value(member) {
            if *old == score {
                return;
            }
            let member = Arc::clone(member);
            let moved = Scored(*old, member);
            self.order.remove(&moved);
            *self.scores.get_mut(&moved.1).unwrap() = score;
            self.order.insert(Scored(score, moved.1));
            return;
        }
        let member: Arc<[u8]> = member.into();
        self.scores.insert(Arc::clone(&member), score);
        self.order.insert(Scored(score, member));
    }

    fn score(&self, member: &[u8]) -> Option<f64> {
        self.scores.get(member).copied()
    }

    fn remove(&mut self, member: &[u8]) -> bool {
        let Some((member, score)) = self.scores.remove_entry(member) else { return false };
        self.order.remove(&Scored(score, member))
    }
}
