//! Widths at their limits, and the sizes stated in the documentation.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use intset::{IntSet, Width};

#[test]
fn width_grows_at_each_boundary() {
    let table = [
        (i64::from(i16::MIN), Width::W16),
        (i64::from(i16::MAX), Width::W16),
        (i64::from(i16::MIN) - 1, Width::W32),
        (i64::from(i16::MAX) + 1, Width::W32),
        (i64::from(i32::MIN), Width::W32),
        (i64::from(i32::MAX), Width::W32),
        (i64::from(i32::MIN) - 1, Width::W64),
        (i64::from(i32::MAX) + 1, Width::W64),
        (i64::MIN, Width::W64),
        (i64::MAX, Width::W64),
    ];
    for (value, width) in table {
        assert_eq!(Width::of(value), width);
        // Into an empty set, one of 16 bits and one of 32 bits, at either end.
        for before in [&[][..], &[-7, 0, 7], &[-7, 0, 7, 40_000]] {
            let mut set: IntSet = before.iter().copied().collect();
            let wide = set.width().max(width);
            assert!(set.insert(value) && !set.insert(value));
            assert_eq!(set.width(), wide);
            let mut expected = [before, &[value]].concat();
            expected.sort_unstable();
            assert!(set.iter().eq(expected.iter().copied()));
            assert_eq!(IntSet::from_sorted(expected).unwrap(), set);
            assert!(set.remove(value));
            assert_eq!(set.width(), wide, "widths never shrink");
            assert!(set.iter().eq(before.iter().copied()));
        }
    }
}

/// The table of the crate documentation.
#[test]
fn a_set_takes_the_bytes_that_the_documentation_says() {
    let table =
        [(0, [8, 8, 8]), (1, [10, 12, 16]), (122, [252, 496, 984]), (512, [1_032, 2_056, 4_104])];
    for (members, bytes) in table {
        for (start, expected) in [0, 1 << 20, 1 << 40].into_iter().zip(bytes) {
            let set = IntSet::from_sorted(start..start + members).unwrap();
            assert_eq!(set.as_bytes().len(), expected);
            assert_eq!(set.heap_bytes(), if members == 0 { 0 } else { expected });
        }
    }
}

#[test]
fn the_struct_takes_two_words() {
    assert_eq!(size_of::<IntSet>(), 16);
    // The niche that keeps an enum of a set and another variant at the same size.
    assert_eq!(size_of::<Option<IntSet>>(), 16);
}

#[test]
fn an_empty_set_holds_no_memory() {
    let mut set = IntSet::new();
    assert_eq!((set.heap_bytes(), set.as_bytes()), (0, &[2, 0, 0, 0, 0, 0, 0, 0][..]));
    assert_eq!(
        (set.first(), set.last(), set.get(0), set.random_member(9)),
        (None, None, None, None)
    );
    assert!(!set.remove(1) && !set.contains(1));
    set.shrink_to_fit();
    assert_eq!(set.clone().heap_bytes(), 0);
    assert!(set.insert(1) && set.remove(1));
    set.shrink_to_fit();
    assert_eq!(set.heap_bytes(), 0);
    assert_eq!(IntSet::from_sorted([]).unwrap().into_bytes(), [2, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn memory_comes_and_goes_tightly() {
    let mut set = IntSet::new();
    for count in 1..=2_000_i64 {
        set.insert(count << 40);
        let (held, used) = (set.heap_bytes(), set.as_bytes().len());
        assert_eq!(held % 16, 8, "a chunk of glibc is used up");
        assert!(held - used < (used / 32).max(16), "{held} held for {used}");
    }
    for count in (1..=2_000_i64).rev() {
        set.remove(count << 40);
        let (held, used) = (set.heap_bytes(), set.as_bytes().len());
        assert!(held - used < 2 * (held / 32).max(16), "{held} held for {used}");
    }
    assert_eq!(set.width(), Width::W64);
}

#[test]
fn equality_and_hash_do_not_see_width_or_slack() {
    let mut wide = IntSet::from_iter([1, 2, 1 << 40]);
    wide.remove(1 << 40);
    let mut narrow = IntSet::new();
    narrow.extend([2, 1]);
    assert_ne!(wide.width(), narrow.width());
    assert_eq!(wide, narrow);
    let state = RandomState::new();
    assert_eq!(state.hash_one(&wide), state.hash_one(&narrow));
    assert_ne!(wide, IntSet::from_iter([1, 3]));
    assert_ne!(wide, IntSet::from_iter([1]));
    assert_eq!(HashSet::from([wide, narrow]).len(), 1);
}

#[test]
fn iterators_meet_in_the_middle() {
    let set: IntSet = [3, 1, 2, 3, 70_000].into_iter().collect();
    assert_eq!(format!("{set:?}"), "{1, 2, 3, 70000}");
    let mut iter = set.iter();
    assert_eq!((iter.len(), iter.next(), iter.next_back()), (4, Some(1), Some(70_000)));
    assert_eq!(format!("{iter:?}"), "[2, 3]");
    assert_eq!((iter.nth(1), iter.next(), iter.next_back()), (Some(3), None, None));
    let mut owned = set.clone().into_iter();
    assert_eq!((owned.nth_back(1), owned.len(), owned.next()), (Some(3), 2, Some(1)));
    assert_eq!((owned.next_back(), owned.next_back(), owned.next()), (Some(2), None, None));
    assert_eq!(set.iter().rev().sum::<i64>(), set.iter().sum());
    assert_eq!(set.iter().rfold(0, |_, member| member), 1);
}

#[test]
fn random_members_are_drawn_evenly() {
    let set: IntSet = (0..7).collect();
    let mut drawn = [0_u32; 7];
    // Equidistant numbers: every member gets its share, up to one draw.
    for step in 0..7_000_u64 {
        let member = set.random_member(step * (u64::MAX / 7_000)).unwrap();
        drawn[usize::try_from(member).unwrap()] += 1;
    }
    assert!(drawn.iter().all(|&times| (999..=1_001).contains(&times)), "{drawn:?}");
}
