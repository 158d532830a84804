//! Any bytes as the blob of an integer set.
#![no_main]

use intset::{Count, IntSet, Validation};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let deep = IntSet::from_bytes(bytes, Validation::Deep);
    let Ok(mut set) = IntSet::from_bytes(bytes, Validation::Shallow) else {
        assert!(deep.is_err(), "the deep check includes the shallow one");
        return;
    };
    assert_eq!(set.as_bytes(), bytes);
    assert_eq!(set.heap_bytes(), bytes.len());
    let members: Vec<i64> = set.iter().collect();
    let sorted = members.is_sorted_by(|a, b| a < b);
    assert_eq!(deep.is_ok(), sorted);
    if sorted {
        assert_eq!(IntSet::from_sorted(members.iter().copied()).as_ref(), Ok(&set));
    }

    // What follows must hold if the members are in order, and must not panic in any case.
    for (index, &member) in members.iter().enumerate() {
        let rank = set.rank(member);
        assert!(!sorted || rank == Some(index) && set.contains(member));
    }
    let other: IntSet = members.iter().copied().step_by(3).collect();
    let mut count = Count::default();
    set.intersection(&other, &mut count);
    assert!(!sorted || count.0 == other.len());
    set.union(&other, &mut count);
    other.difference(&set, &mut count);

    set.extend(members.iter().map(|member| member.wrapping_add(1)));
    set.insert(i64::MIN);
    set.insert(i64::MAX);
    assert!(!sorted || set.validate(Validation::Deep).is_ok());
    for member in members {
        let removed = set.remove(member);
        assert!(!sorted || removed);
    }
    assert!(!sorted || set.validate(Validation::Deep).is_ok());
});
