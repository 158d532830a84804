//! Compact sets at their limits, and the sizes stated in the documentation.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};

use intset::{Compact, CompactError, IntSet, OrderError, Prefix, Refused, Width};
use testkit::rng::Rng;

/// Members of a shard of 48 bits: random, or the first 60 bits of version 4 UUIDs, in which 4 of these 48 bits are
/// fixed.
fn shard_ids(rng: &mut Rng, members: usize, uuids: bool) -> (Prefix, BTreeSet<i64>) {
    let prefix = Prefix::new(0x0abc << 48, 48);
    let mut ids = BTreeSet::new();
    while ids.len() < members {
        let id = rng.range(prefix.first()..=prefix.last());
        ids.insert(if uuids { id & !0xf00 | 0x400 } else { id });
    }
    (prefix, ids)
}

/// The set of these members, added one by one in random order.
fn grown(rng: &mut Rng, prefix: Prefix, members: &BTreeSet<i64>) -> Compact {
    let mut order: Vec<i64> = members.iter().copied().collect();
    rng.shuffle(&mut order);
    let mut set = Compact::new(prefix);
    for member in order {
        assert_eq!(set.try_insert(member), Ok(true));
    }
    set.internal_validate();
    set
}

#[test]
fn every_subset_of_a_narrow_range_comes_and_goes() {
    for width in 0..=2_u32 {
        for first in [0, -8, i64::MIN, i64::MAX - 3] {
            let prefix = Prefix::new(first, width);
            let values: Vec<i64> = (prefix.first()..=prefix.last()).collect();
            assert_eq!(values.len(), 1 << width);
            for chosen in 0..1_u32 << values.len() {
                let is_in = |at: &usize| chosen >> at & 1 == 1;
                let members = (0..values.len()).filter(is_in).map(|at| values[at]);
                let mut set = Compact::from_sorted(prefix, members.clone()).unwrap();
                set.internal_validate();
                assert!(set.iter().eq(members));
                for (at, value) in values.iter().enumerate() {
                    assert_eq!(set.contains(*value), is_in(&at));
                    assert_eq!(set.try_insert(*value), Ok(!is_in(&at)));
                }
                assert!(set.iter().eq(values.iter().copied()));
                assert!(values.iter().all(|value| set.remove(*value)));
                assert!(set.is_empty());
            }
        }
    }
}

#[test]
fn a_range_can_be_full() {
    for width in [0, 1, 5, 8, 13] {
        for first in [0, -1 << width, i64::MIN, i64::MAX] {
            let prefix = Prefix::new(first, width);
            let mut set = Compact::new(prefix);
            for value in prefix.first()..=prefix.last() {
                assert_eq!(set.try_insert(value), Ok(true));
            }
            set.internal_validate();
            assert_eq!(set.len(), 1 << width);
            assert!(set.iter().eq(prefix.first()..=prefix.last()));
            assert_eq!((set.first(), set.last()), (Some(prefix.first()), Some(prefix.last())));
            // Two bits for each member, and the directory.
            assert!(set.heap_bytes() < 64 + (1 << width) * 27 / 64, "{}", set.heap_bytes());
        }
    }
}

#[test]
fn the_ends_of_all_values_fit_a_set_of_any_value() {
    let edges = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
    let mut set = Compact::new(Prefix::new(17, 64));
    assert_eq!((set.prefix().first(), set.prefix().last()), (i64::MIN, i64::MAX));
    for value in edges {
        assert_eq!((set.contains(value), set.try_insert(value)), (false, Ok(true)));
        set.internal_validate();
    }
    assert!(set.iter().eq(edges));
    assert_eq!(edges.map(|value| set.rank(value)), [0, 1, 2, 3, 4, 5, 6].map(Some));
    assert_eq!(Compact::spanning(edges).unwrap().prefix(), set.prefix());
    // One half of them, by the sign.
    for (first, inside) in [(i64::MIN, 3), (0, 4)] {
        let mut half = Compact::new(Prefix::new(first, 63));
        let taken = edges.iter().filter(|value| half.try_insert(**value) == Ok(true)).count();
        assert_eq!((taken, half.first()), (inside, Some(first)));
    }
}

#[test]
fn what_lies_outside_is_refused_and_changes_nothing() {
    let prefix = Prefix::new(-0x500, 8);
    let mut set = Compact::from_sorted(prefix, -0x4f0..-0x480).unwrap();
    let before = set.clone();
    for value in [-0x501, -0x400, 0, 0x500, i64::MIN, i64::MAX] {
        let refused = Refused::Outside { value, prefix };
        assert_eq!(set.try_insert(value), Err(refused));
        assert!(!set.contains(value) && !set.remove(value));
        assert_eq!(set.rank(value), None);
        assert_eq!(set.count_below(value), if value < -0x500 { 0 } else { 0x70 });
        assert_eq!(Compact::from_sorted(prefix, [value]), Err(CompactError::Refused(refused)));
    }
    assert_eq!(set, before);
    let refused = set.try_insert(7).unwrap_err();
    assert_eq!(refused.to_string(), "value 7 is not between -1280 and -1025");
    assert_eq!(CompactError::from(refused).to_string(), refused.to_string());
}

#[test]
fn values_out_of_order_are_refused() {
    let error = OrderError { index: 2, previous: 5, got: 5 };
    let made = Compact::from_sorted(Prefix::new(0, 8), [1, 5, 5, 3]);
    assert_eq!(made, Err(CompactError::Order(error)));
    assert_eq!(Compact::spanning([1, 5, 5]), Err(error.into()));
    assert_eq!(CompactError::from(error).to_string(), error.to_string());
    let empty = Compact::spanning([]).unwrap();
    assert_eq!((empty.len(), empty.prefix()), (0, Prefix::new(0, 0)));
}

#[test]
fn a_set_of_the_most_members_takes_no_more() {
    let most = i64::try_from(Compact::MOST).unwrap();
    let prefix = Prefix::new(0, 40);
    let mut set = Compact::from_sorted(prefix, (0..most).map(|n| n * 1_000_003)).unwrap();
    set.internal_validate();
    assert_eq!(set.try_insert(1), Err(Refused::Full));
    assert_eq!(set.try_insert(-1), Err(Refused::Outside { value: -1, prefix }));
    assert_eq!(set.try_insert(1_000_003), Ok(false));
    assert_eq!(set.last(), Some((most - 1) * 1_000_003));
    assert!(set.remove(1_000_003));
    assert_eq!((set.try_insert(1), set.try_insert(2)), (Ok(true), Err(Refused::Full)));
    let full = Err(CompactError::Refused(Refused::Full));
    assert_eq!(Compact::from_sorted(prefix, 0..=most), full);
    assert_eq!(Compact::spanning(0..=most), full);
    assert_eq!(Refused::Full.to_string(), "a compact set has at most 65535 members");
    // Although all members have common bits that differ in this one.
    let mut even = Compact::from_sorted(prefix, (0..most).map(|n| 2 * n)).unwrap();
    assert_eq!(even.try_insert(1 << 39), Err(Refused::Full));
}

/// The table of the module documentation, to a hundredth of a byte.
#[test]
fn a_shard_takes_the_bytes_that_the_documentation_says() {
    let table = [
        (122, [5.84, 5.21], [5.97, 5.31]),
        (244, [5.49, 4.99], [5.74, 5.08]),
        (488, [5.32, 4.82], [5.36, 4.84]),
        (2_000, [5.02, 4.65], [5.12, 4.73]),
    ];
    for (members, exact, one_by_one) in table {
        for (uuids, exact, one_by_one) in
            [(false, exact[0], one_by_one[0]), (true, exact[1], one_by_one[1])]
        {
            let mut rng = Rng::new(5);
            let (prefix, ids) = shard_ids(&mut rng, members, uuids);
            let made = Compact::from_sorted(prefix, ids.iter().copied()).unwrap();
            let grown = grown(&mut rng, prefix, &ids);
            for (set, expected) in [(&made, exact), (&grown, one_by_one)] {
                let bytes = f64::from(u32::try_from(set.heap_bytes()).unwrap());
                let each = bytes / f64::from(u32::try_from(members).unwrap());
                assert!((each - expected).abs() < 0.006, "{members}, {uuids}: {each:.2}");
            }
            assert_eq!(made, grown);
        }
    }
}

#[test]
fn bits_that_all_members_share_are_left_out_until_one_differs() {
    let mut rng = Rng::new(3);
    let (prefix, ids) = shard_ids(&mut rng, 200, true);
    let mut set = grown(&mut rng, prefix, &ids);
    let without = set.heap_bytes();
    // All values of the bits that the members share, near some members and far from them.
    for member in ids.iter().step_by(20).chain([&prefix.first(), &prefix.last()]) {
        for nibble in 0..16 {
            let value = member & !0xf00 | nibble << 8;
            let below = ids.range(..value).count();
            assert_eq!(set.count_below(value), below, "{value:#x}");
            assert_eq!(set.contains(value), ids.contains(&value));
            assert_eq!(set.rank(value), ids.contains(&value).then_some(below));
            assert_eq!(set.remove(value), ids.contains(&value));
            assert!(set.try_insert(value).is_ok());
            if !ids.contains(&value) {
                assert!(set.remove(value));
            }
        }
    }
    assert!(set.iter().eq(ids.iter().copied()));
    // After the only differing member is removed, the bits are still stored, so a member added and removed repeatedly
    // does not rebuild the set.
    let with = set.heap_bytes();
    assert!(with > without + 200 * 4 / 8 - 32, "{with} and {without}");
    let copy = Compact::from_sorted(prefix, &set).unwrap();
    assert!(copy.heap_bytes() <= without);
}

#[test]
fn sets_of_neighbours_stay_right_in_crowded_buckets() {
    // One member is far away, so that no bits are common; the others fill a bucket.
    for far in [1 << 59, 0] {
        let prefix = Prefix::new(0, 60);
        let start = if far == 0 { (1 << 60) - 6_000 } else { 0 };
        let members: Vec<i64> = (start..start + 5_000).collect();
        let mut set = Compact::new(prefix);
        assert_eq!(set.try_insert(far), Ok(true));
        for member in &members {
            assert!(set.try_insert(*member).is_ok());
        }
        set.internal_validate();
        for (rank, member) in members.iter().enumerate() {
            assert_eq!(set.rank(*member), Some(rank + usize::from(far < start)));
        }
        assert_eq!(set.count_below(start + 5_000), 5_000 + usize::from(far < start));
        assert!(set.remove(far));
        // Rebuilt, they have 47 bits in common.
        let copy = Compact::from_sorted(prefix, &set).unwrap();
        assert!(copy.heap_bytes() < 5_000 * 3 / 8 + 3_000, "{}", copy.heap_bytes());
        assert!(copy.iter().eq(members));
    }
}

#[test]
fn memory_comes_and_goes_tightly_and_a_member_by_turns_moves_nothing() {
    let mut rng = Rng::new(8);
    let (prefix, ids) = shard_ids(&mut rng, 2_000, false);
    let mut order: Vec<i64> = ids.into_iter().collect();
    rng.shuffle(&mut order);
    let mut set = Compact::new(prefix);
    assert_eq!((set.heap_bytes(), set.len()), (40, 0));
    for (count, member) in order.iter().enumerate() {
        assert!(set.try_insert(*member).unwrap());
        let (held, used) = (set.heap_bytes(), set.clone().heap_bytes());
        assert!(held - used < (used / 20).max(16), "{held} held for {used}");
        assert!(count < 200 || held < (count + 1) * 24 / 4, "{held} for {count}");
        // At every size of the set.
        if count > 0 {
            let held = set.heap_bytes();
            assert!(set.remove(*member) && set.try_insert(*member).unwrap());
            assert!(set.remove(order[0]));
            let less = set.heap_bytes();
            assert!(set.try_insert(order[0]).unwrap());
            for _ in 0..3 {
                assert!(set.remove(order[0]) && set.heap_bytes() <= held.max(less));
                assert!(set.try_insert(order[0]).unwrap());
            }
        }
    }
    for member in order.iter().rev() {
        assert!(set.remove(*member));
        let (held, used) = (set.heap_bytes(), set.clone().heap_bytes());
        assert!(held - used < (held / 10).max(32), "{held} held for {used}");
    }
    set.internal_validate();
    // At most one step more than a set that was never larger.
    assert!(set.heap_bytes() <= 40 + 16, "{}", set.heap_bytes());
    set.shrink_to_fit();
    assert!(set.heap_bytes() < 40);
    set.try_insert(order[0]).unwrap();
    set.clear();
    assert_eq!((set.len(), set.heap_bytes(), set.prefix()), (0, 40, prefix));
}

#[test]
fn the_blob_of_an_intset_comes_back() {
    let sets: [&[i64]; 7] = [
        &[],
        &[0],
        &[-5, 7, 300],
        &[-40_000, 3],
        &[0, 1 << 20],
        &[i64::MIN, 0],
        &[1 << 59, (1 << 59) + 1],
    ];
    for members in sets {
        let set = IntSet::from_sorted(members.iter().copied()).unwrap();
        let compact = Compact::spanning(&set).unwrap();
        assert_eq!(compact.to_int_set().as_bytes(), set.as_bytes());
        assert_eq!(compact.to_int_set().heap_bytes(), set.heap_bytes());
        assert_eq!(compact.int_set_width(), set.width());
        let mut out = b"before".to_vec();
        compact.write_int_set(&mut out);
        assert_eq!(&out[6..], set.as_bytes());
        assert_eq!(compact, set);
    }
    assert_eq!(Compact::spanning([70_000]).unwrap().int_set_width(), Width::W32);
    assert_ne!(Compact::spanning([1]).unwrap(), IntSet::from_iter([2]));
    assert_ne!(Compact::spanning([1]).unwrap(), IntSet::from_iter([1, 2]));
}

#[test]
fn prefixes_are_ranges() {
    for width in 0..=64 {
        for value in [0, 1, -1, 0x1234_5678_9abc, i64::MIN, i64::MAX] {
            let prefix = Prefix::new(value, width);
            assert!(prefix.contains(value));
            let distance = prefix.last().wrapping_sub(prefix.first()).cast_unsigned();
            assert_eq!(distance.count_ones(), width);
            assert_eq!(
                (distance.wrapping_add(1) | 1).count_ones(),
                if width % 64 == 0 { 1 } else { 2 }
            );
            assert_eq!(Prefix::spanning(prefix.first(), prefix.last()), prefix);
            assert_eq!(prefix.contains(prefix.first().wrapping_sub(1)), width == 64);
            assert_eq!(prefix.contains(prefix.last().wrapping_add(1)), width == 64);
        }
    }
    assert_eq!(Prefix::spanning(5, 5), Prefix::new(5, 0));
    assert_eq!(format!("{:?}", Prefix::new(-3, 2)), "Prefix(-4..=-1)");
}

#[test]
#[should_panic(expected = "an i64 has 64 bits")]
fn a_prefix_of_more_than_64_bits_panics() {
    let _ = Prefix::new(0, 65);
}

#[test]
fn the_struct_takes_two_words() {
    assert_eq!((size_of::<Compact>(), size_of::<Option<Compact>>()), (16, 16));
}

#[test]
fn equality_and_hash_do_not_see_prefix_or_slack() {
    let members = [64, 65, 100];
    let mut wide = Compact::new(Prefix::new(0, 60));
    for member in members {
        wide.try_insert(member).unwrap();
    }
    let narrow = Compact::spanning(members).unwrap();
    assert_ne!((wide.prefix(), wide.heap_bytes()), (narrow.prefix(), narrow.heap_bytes()));
    assert_eq!(wide, narrow);
    let state = RandomState::new();
    assert_eq!(state.hash_one(&wide), state.hash_one(&narrow));
    assert_eq!(state.hash_one(&wide), state.hash_one(wide.to_int_set()));
    assert_ne!(narrow, Compact::spanning([64, 65]).unwrap());
    assert_ne!(narrow, Compact::spanning([64, 65, 101]).unwrap());
}

#[test]
fn iterators_meet_in_the_middle() {
    let set = Compact::from_sorted(Prefix::new(0, 17), [1, 2, 3, 70_000]).unwrap();
    assert_eq!(format!("{set:?}"), "{1, 2, 3, 70000}");
    let mut iter = set.iter();
    assert_eq!((iter.len(), iter.next(), iter.next_back()), (4, Some(1), Some(70_000)));
    assert_eq!(format!("{iter:?}"), "[2, 3]");
    assert_eq!((iter.nth(1), iter.next(), iter.next_back()), (Some(3), None, None));
    assert_eq!((iter.nth(1), iter.nth_back(1)), (None, None));
    let mut iter = set.iter();
    assert_eq!((iter.nth_back(1), iter.nth(usize::MAX), iter.next()), (Some(3), None, None));
    assert_eq!(set.iter().nth_back(usize::MAX), None);
    assert_eq!((set.iter().count(), set.iter().last()), (4, Some(70_000)));
    let mut sum = 0;
    for member in &set {
        sum += member;
    }
    assert_eq!(sum, 70_006);
}

#[test]
fn random_members_are_drawn_evenly() {
    let set = Compact::spanning(0..7).unwrap();
    let mut drawn = [0_u32; 7];
    for step in 0..7_000_u64 {
        let member = set.random_member(step * (u64::MAX / 7_000)).unwrap();
        drawn[usize::try_from(member).unwrap()] += 1;
    }
    assert!(drawn.iter().all(|&times| (999..=1_001).contains(&times)), "{drawn:?}");
    assert_eq!(Compact::new(Prefix::new(0, 9)).random_member(7), None);
    assert_eq!((set.get(7), set.get(usize::MAX)), (None, None));
}
