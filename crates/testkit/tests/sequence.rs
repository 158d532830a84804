//! Sequences of operations on structures with a known fault, and on one without.

use std::collections::BTreeSet;

use arbitrary::Arbitrary;
use testkit::oracle::int_set::{IntSetOp, IntSetOracle, IntegerSet, Member};
use testkit::sequence::{Difference, Sequence};

/// The fault of a set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// No fault.
    None,
    /// A set of 299 members does not accept another one.
    Full,
    /// Removing a missing value panics.
    Panics,
    /// The number of members below a value includes the value.
    Counts,
}

/// A set with that fault.
struct Faulty {
    members: BTreeSet<i64>,
    fault: Fault,
}

impl IntegerSet for Faulty {
    fn insert(&mut self, value: i64) -> bool {
        if self.fault == Fault::Full && self.members.len() >= 299 {
            return !self.contains(value);
        }
        self.members.insert(value)
    }

    fn remove(&mut self, value: i64) -> bool {
        assert!(self.fault != Fault::Panics || self.contains(value), "no such member");
        self.members.remove(&value)
    }

    fn contains(&self, value: i64) -> bool {
        self.members.contains(&value)
    }

    fn members(&self) -> Vec<i64> {
        self.members.iter().copied().collect()
    }

    fn count_below(&self, value: i64) -> usize {
        let and_itself = self.fault == Fault::Counts && self.contains(value);
        self.members.range(..value).count() + usize::from(and_itself)
    }
}

fn run(seed: u64, fault: Fault) -> Result<(), Difference<IntSetOp>> {
    let start = || (Faulty { members: BTreeSet::new(), fault }, IntSetOracle::new());
    Sequence::from_seed(seed, 4000).run(start, |(set, oracle), op| oracle.step(set, op)).map(drop)
}

/// The differences found with several seeds.
fn differences(fault: Fault) -> Vec<Difference<IntSetOp>> {
    let found: Vec<_> = (0..16).filter_map(|seed| run(seed, fault).err()).collect();
    assert!(found.len() >= 4, "{} seeds show the fault", found.len());
    found
}

#[test]
fn a_correct_structure_passes() {
    for seed in 0..20 {
        run(seed, Fault::None).unwrap();
    }
}

/// A step on a set of numbers that loses the smallest of three when a large one is inserted.
#[derive(Arbitrary, Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Insert(u16),
    Remove(u16),
}

fn forgetful((ours, plain): &mut (BTreeSet<u16>, BTreeSet<u16>), step: Step) {
    match step {
        Step::Insert(value) => {
            if value >= 1000 && ours.len() >= 3 {
                ours.pop_first();
            }
            assert_eq!(ours.insert(value), plain.insert(value));
        }
        Step::Remove(value) => assert_eq!(ours.remove(&value), plain.remove(&value)),
    }
    assert_eq!(ours.len(), plain.len());
}

#[test]
fn operations_and_values_are_shrunk_to_the_known_minimum() {
    let run = |seed| {
        let sequence = Sequence::<Step>::from_seed(seed, 2000);
        sequence.run(Default::default, |sets, step| forgetful(sets, *step))
    };
    for difference in (0..16).map(|seed| run(seed).unwrap_err()) {
        let [small @ .., Step::Insert(1000)] = difference.ops() else {
            panic!("{difference}");
        };
        let mut small = small.to_vec();
        small.sort_unstable_by_key(|step| format!("{step:?}"));
        assert_eq!(small, [0, 1, 2].map(Step::Insert), "{difference}");
    }
}

/// The values that an operation adds.
fn values(op: &IntSetOp) -> Vec<i64> {
    if let IntSetOp::Insert(Member(value)) = op {
        vec![*value]
    } else if let IntSetOp::InsertRun(Member(start), count, step) = op {
        (0..i64::from(*count)).map(|i| start.wrapping_add(i * i64::from(*step))).collect()
    } else if let IntSetOp::Extend(members) = op {
        members.iter().map(|member| member.0).collect()
    } else {
        panic!("{op:?} adds nothing")
    }
}

#[test]
fn a_fault_that_depends_on_size_is_shrunk_to_the_fewest_runs() {
    for difference in differences(Fault::Full) {
        let ops = difference.ops();
        // A run adds at most 255 members.
        assert!(matches!(ops.len(), 2 | 3), "{difference}");
        let all: BTreeSet<i64> = ops.iter().flat_map(values).collect();
        assert_eq!(all.len(), 300, "{difference}");
    }
}

#[test]
fn a_panic_of_the_structure_is_a_difference() {
    for difference in differences(Fault::Panics) {
        assert_eq!(difference.ops(), [IntSetOp::Remove(Member(0))], "{difference}");
        assert!(difference.why().contains("no such member"));
    }
}

#[test]
fn a_wrong_result_is_shrunk_to_the_query_and_what_it_needs() {
    for difference in differences(Fault::Counts) {
        let want = [IntSetOp::Insert(Member(0)), IntSetOp::Query(Member(0))];
        assert_eq!(difference.ops(), want, "{difference}");
        let shown = format!("{difference:?}");
        assert!(shown.contains("last of 2 operations"), "{shown}");
        assert!(shown.contains("\n  Insert(Member(0))\n  Query(Member(0))\n"), "{shown}");
        assert!(shown.contains("count below 0"), "{shown}");
    }
}

#[test]
fn a_state_that_fails_before_the_first_operation_has_no_operations() {
    let sequence = Sequence::<u8>::from_bytes(&[1, 2, 3]);
    let difference = sequence.run(|| panic!("no state"), |(): &mut (), _| {}).unwrap_err();
    assert_eq!(difference.ops(), []);
    assert_eq!(difference.len_before(), 0);
    assert!(difference.why().contains("no state"));
}

#[test]
fn the_final_state_is_returned() {
    let mut sequence = Sequence::from_bytes(&[1, 2, 3, 4]);
    sequence.truncate(3);
    assert_eq!(sequence.run(|| 0_u32, |sum, op: &u8| *sum += u32::from(*op)).unwrap(), 6);
    assert_eq!(sequence.ops().len(), 3);
    assert_eq!(format!("{sequence:?}"), "[1, 2, 3]");
}
