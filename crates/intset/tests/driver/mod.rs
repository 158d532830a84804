//! Runs operations on a set and on its oracle side by side. The fuzz target includes this file too.

use std::collections::BTreeSet;

use intset::{Count, Each, IntSet, Sink, Validation, Width};
use testkit::oracle::int_set::{IntSetOp, IntSetOracle, Member};

/// Applies `ops` to an empty set; checks every answer, and after each step the whole set.
pub(crate) fn run(ops: &[IntSetOp]) {
    let mut set = IntSet::new();
    let mut oracle = IntSetOracle::new();
    for op in ops {
        step(&mut set, &mut oracle, op);
        check(&set, &oracle);
    }
}

/// Applies `ops` and checks their answers, but the whole set only once, at the end.
#[allow(dead_code, reason = "not every user of this file has read-only sequences")]
pub(crate) fn ask(ops: &[IntSetOp]) {
    let mut set = IntSet::new();
    let mut oracle = IntSetOracle::new();
    for op in ops {
        step(&mut set, &mut oracle, op);
    }
    check(&set, &oracle);
}

fn step(set: &mut IntSet, oracle: &mut IntSetOracle, op: &IntSetOp) {
    match op {
        IntSetOp::Insert(Member(value)) => {
            assert_eq!(set.insert(*value), oracle.insert(*value), "insert {value}");
        }
        IntSetOp::Remove(Member(value)) => {
            assert_eq!(set.remove(*value), oracle.remove(*value), "remove {value}");
        }
        IntSetOp::RemoveAt(index) => {
            if let Some(value) = oracle.get(usize::from(*index) % oracle.members().len().max(1)) {
                assert!(set.remove(value), "remove member {value}");
                assert!(oracle.remove(value));
            }
        }
        IntSetOp::InsertRun(Member(start), count, step) => {
            for i in 0..i64::from(*count) {
                let value = start.wrapping_add(i * i64::from(*step));
                assert_eq!(set.insert(value), oracle.insert(value), "insert {value} of a run");
            }
        }
        IntSetOp::Extend(values) => {
            set.extend(values.iter().map(|member| member.0));
            for member in values {
                oracle.insert(member.0);
            }
        }
        IntSetOp::Query(Member(value)) => query(set, oracle, *value),
        IntSetOp::At(index, random) => {
            let index = usize::from(*index);
            assert_eq!(set.get(index), oracle.get(index));
            let chosen = set.random_member(*random);
            assert_eq!(chosen.is_none(), oracle.members().is_empty());
            assert!(chosen.is_none_or(|member| oracle.members().contains(&member)));
        }
        IntSetOp::Combine(values) => combine(set, oracle, values),
        IntSetOp::ShrinkToFit => {
            set.shrink_to_fit();
            assert!(set.heap_bytes() == 0 || set.heap_bytes() == set.as_bytes().len());
        }
        IntSetOp::Reload => {
            let blob = std::mem::take(set).into_bytes();
            *set = IntSet::from_bytes(blob, Validation::Deep).expect("its own bytes");
        }
        IntSetOp::Clear => {
            set.clear();
            oracle.clear();
        }
    }
}

fn query(set: &IntSet, oracle: &IntSetOracle, value: i64) {
    set.prefetch_ends();
    set.prefetch_place(value);
    let is_member = oracle.members().contains(&value);
    let below = oracle.count_below(value);
    assert_eq!(set.contains(value), is_member, "contains {value}");
    assert_eq!(set.count_below(value), below, "count below {value}");
    assert_eq!(set.rank(value), is_member.then_some(below), "rank of {value}");
}

fn combine(set: &IntSet, oracle: &IntSetOracle, values: &[Member]) {
    let other: IntSet = values.iter().map(|member| member.0).collect();
    let members: BTreeSet<i64> = values.iter().map(|member| member.0).collect();
    let ours = oracle.members();
    check_sinks(&ours.union(&members).copied().collect::<Vec<_>>(), set, &other, Operation::Union);
    let both: Vec<i64> = ours.intersection(&members).copied().collect();
    check_sinks(&both, set, &other, Operation::Intersection);
    check_sinks(&both, &other, set, Operation::Intersection);
    let ours_only: Vec<i64> = ours.difference(&members).copied().collect();
    check_sinks(&ours_only, set, &other, Operation::Difference);
    let theirs_only: Vec<i64> = members.difference(ours).copied().collect();
    check_sinks(&theirs_only, &other, set, Operation::Difference);
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Union,
    Intersection,
    Difference,
}

fn check_sinks(expected: &[i64], a: &IntSet, b: &IntSet, operation: Operation) {
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
    assert_eq!(kept, expected, "{operation:?}");
    assert_eq!(count.0, expected.len());
    assert!(set.iter().eq(expected.iter().copied()));
    assert_eq!(seen, expected);
    let made = match operation {
        Operation::Union => a | b,
        Operation::Intersection => a & b,
        Operation::Difference => a - b,
    };
    // As wide as its members need, whatever the sources are.
    let plain: IntSet = expected.iter().copied().collect();
    assert_eq!(made.as_bytes(), plain.as_bytes(), "{operation:?}");
    assert!(made.heap_bytes() <= made.as_bytes().len());
}

/// Compares everything that can be seen from outside.
fn check(set: &IntSet, oracle: &IntSetOracle) {
    set.validate(Validation::Deep).expect("a whole set");
    assert_eq!(set.as_bytes(), oracle.blob());
    assert_eq!(set.len(), oracle.members().len());
    assert_eq!(set.is_empty(), oracle.members().is_empty());
    assert_eq!(set.first(), oracle.members().first().copied());
    assert_eq!(set.last(), oracle.members().last().copied());
    assert!(set.iter().eq(oracle.members().iter().copied()));
    assert!(set.iter().rev().eq(oracle.members().iter().rev().copied()));
    let held = set.heap_bytes();
    let used = set.as_bytes().len();
    assert!(held == 0 && set.is_empty() && set.width() == Width::W16 || held >= used);
    // What a removal leaves idle is bounded too.
    assert!(held < used + (held / 16).max(32), "{held} bytes held for {used}");
}
