//! Runs operations on a set and on its oracle. The fuzz target includes this file too.
#![expect(clippy::unwrap_used, reason = "the tests look for failures here")]

use std::collections::BTreeSet;

use intset::{Count, Each, IntSet, Sink, Validation, Width};
use testkit::oracle::int_set::{IntSetOp, IntSetOracle, IntegerSet};
use testkit::sequence::Sequence;

/// The set under test.
#[derive(Default)]
pub(crate) struct Ours(IntSet);

/// The set and its oracle.
type Pair = (Ours, IntSetOracle);

/// Applies the operations read from `bytes` to an empty set; checks every result, and the whole set after each step.
pub(crate) fn run(bytes: &[u8]) {
    Sequence::from_bytes(bytes).run(Pair::default, step).unwrap();
}

/// Applies `ops` and checks their results, but the whole set only once, at the end.
#[allow(dead_code, reason = "not every test that includes this file has read-only sequences")]
pub(crate) fn ask(ops: &[IntSetOp]) {
    let (mut set, mut oracle) = Pair::default();
    for op in ops {
        oracle.apply(&mut set, op);
    }
    check(&set.0, &oracle);
}

fn step((set, oracle): &mut Pair, op: &IntSetOp) {
    oracle.step(set, op);
    check(&set.0, oracle);
}

impl IntegerSet for Ours {
    fn insert(&mut self, value: i64) -> bool {
        self.0.insert(value)
    }

    fn remove(&mut self, value: i64) -> bool {
        self.0.remove(value)
    }

    fn contains(&self, value: i64) -> bool {
        self.0.prefetch_ends();
        self.0.prefetch_place(value);
        self.0.contains(value)
    }

    fn members(&self) -> Vec<i64> {
        self.0.iter().collect()
    }

    fn extend(&mut self, values: &[i64]) {
        self.0.extend(values.iter().copied());
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn count_below(&self, value: i64) -> usize {
        self.0.count_below(value)
    }

    fn rank(&self, value: i64) -> Option<usize> {
        self.0.rank(value)
    }

    fn get(&self, index: usize) -> Option<i64> {
        self.0.get(index)
    }

    fn random_member(&self, random: u64) -> Option<i64> {
        self.0.random_member(random)
    }

    fn union(&self, values: &[i64]) -> Option<Vec<i64>> {
        Some(combined(&self.0, &values.iter().copied().collect(), Operation::Union))
    }

    fn intersection(&self, values: &[i64]) -> Option<Vec<i64>> {
        let other = values.iter().copied().collect();
        let both = combined(&self.0, &other, Operation::Intersection);
        assert_eq!(combined(&other, &self.0, Operation::Intersection), both);
        Some(both)
    }

    fn difference(&self, values: &[i64]) -> Option<Vec<i64>> {
        let other: IntSet = values.iter().copied().collect();
        let theirs = combined(&other, &self.0, Operation::Difference);
        let members: BTreeSet<i64> = other.iter().collect();
        assert!(members.into_iter().filter(|&member| !self.0.contains(member)).eq(theirs));
        Some(combined(&self.0, &other, Operation::Difference))
    }

    fn shrink_to_fit(&mut self) {
        self.0.shrink_to_fit();
        assert!(self.0.heap_bytes() == 0 || self.0.heap_bytes() == self.0.as_bytes().len());
    }

    fn reload(&mut self) {
        let blob = std::mem::take(&mut self.0).into_bytes();
        self.0 = IntSet::from_bytes(blob, Validation::Deep).expect("its own bytes");
    }
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Union,
    Intersection,
    Difference,
}

/// The members of the combination, which must be the same for every sink.
fn combined(a: &IntSet, b: &IntSet, operation: Operation) -> Vec<i64> {
    fn run(a: &IntSet, b: &IntSet, operation: Operation, sink: &mut impl Sink) {
        match operation {
            Operation::Union => a.union(b, sink),
            Operation::Intersection => a.intersection(b, sink),
            Operation::Difference => a.difference(b, sink),
        }
    }
    let (mut kept, mut count, mut set, mut seen) =
        (Vec::new(), Count::default(), IntSet::new(), Vec::new());
    run(a, b, operation, &mut kept);
    run(a, b, operation, &mut count);
    run(a, b, operation, &mut set);
    run(a, b, operation, &mut Each(|member| seen.push(member)));
    assert_eq!(count.0, kept.len(), "{operation:?}");
    assert!(set.iter().eq(kept.iter().copied()), "{operation:?}");
    assert_eq!(seen, kept, "{operation:?}");
    let made = match operation {
        Operation::Union => a | b,
        Operation::Intersection => a & b,
        Operation::Difference => a - b,
    };
    // The result is as wide as its members need, independent of the sources.
    let plain: IntSet = kept.iter().copied().collect();
    assert_eq!(made.as_bytes(), plain.as_bytes(), "{operation:?}");
    assert!(made.heap_bytes() <= made.as_bytes().len());
    kept
}

/// Compares all observable state.
fn check(set: &IntSet, oracle: &IntSetOracle) {
    set.validate(Validation::Deep).expect("a whole set");
    assert_eq!(set.as_bytes(), oracle.blob());
    assert_eq!(set.len(), oracle.members().len());
    assert_eq!(set.is_empty(), oracle.members().is_empty());
    assert_eq!(set.first(), oracle.members().first().copied());
    assert_eq!(set.last(), oracle.members().last().copied());
    assert_eq!(set.iter().last(), set.last());
    assert!(set.iter().eq(oracle.members().iter().copied()));
    assert!(set.iter().rev().eq(oracle.members().iter().rev().copied()));
    let held = set.heap_bytes();
    let used = set.as_bytes().len();
    assert!(held == 0 && set.is_empty() && set.width() == Width::W16 || held >= used);
    // The unused memory after a removal is bounded, too.
    assert!(held < used + (held / 16).max(32), "{held} bytes held for {used}");
}
