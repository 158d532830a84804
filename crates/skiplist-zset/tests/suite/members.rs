//! Members by name, and ranges whose ends are members, in both encodings.

use std::ops::Bound::{self, Excluded, Included, Unbounded};

use ahash::RandomState;
use skiplist_zset::{Encoding, Limits, ZSet};

/// The same members in a listpack and in a skip list; their scores are equal.
fn both() -> [ZSet; 2] {
    let mut small: ZSet = ZSet::new();
    for member in ["a", "b", "c", "d", "e"] {
        small.add(member, 1.0, &Limits::default()).expect("room");
    }
    let mut large = small.clone();
    large.make_skip_list(&RandomState::new()).expect("room");
    assert_eq!(small.encoding(), Encoding::ListPack);
    assert_eq!(large.encoding(), Encoding::SkipList);
    large.verify();
    [small, large]
}

#[test]
fn a_skip_list_stays_one_and_has_the_same_members() {
    let [small, mut large] = both();
    assert!(large.iter().eq(small.iter()));
    large.make_skip_list(&RandomState::new()).expect("it is one");
    assert!(large.iter().eq(small.iter()));
}

#[test]
fn a_set_contains_its_members_only() {
    for set in both() {
        assert!(set.contains("a") && set.contains("e"), "{set:?}");
        assert!(!set.contains("f") && !set.contains(""), "{set:?}");
    }
}

#[test]
fn a_member_at_an_end_is_in_the_range_if_the_end_is() {
    let names = ["", "a", "b", "bb", "d", "e", "f"];
    let ends = |name: &'static str| [Included(name.as_bytes()), Excluded(name.as_bytes())];
    let bounds: Vec<Bound<&[u8]>> = names.into_iter().flat_map(ends).chain([Unbounded]).collect();
    for set in both() {
        for &min in &bounds {
            for &max in &bounds {
                let after = |member: &[u8]| match min {
                    Included(min) => member >= min,
                    Excluded(min) => member > min,
                    Unbounded => true,
                };
                let before = |member: &[u8]| match max {
                    Included(max) => member <= max,
                    Excluded(max) => member < max,
                    Unbounded => true,
                };
                let members = set.iter().map(|(member, _)| member.to_vec());
                let right: Vec<_> =
                    members.filter(|member| after(member) && before(member)).collect();
                for ranks in [set.ranks_by_lex(min, max), set.ranks_by_lex_from_back(min, max)] {
                    let found: Vec<_> =
                        set.range(ranks).map(|(member, _)| member.to_vec()).collect();
                    assert_eq!(found, right, "{min:?} to {max:?} of {set:?}");
                }
            }
        }
    }
}
