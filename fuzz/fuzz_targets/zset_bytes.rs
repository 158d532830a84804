//! Any bytes as the listpack of a sorted set.
#![no_main]

use std::hash::{BuildHasherDefault, DefaultHasher};

use skiplist_zset::{Limits, ZSet};

type Set = ZSet<BuildHasherDefault<DefaultHasher>>;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(mut set) = Set::from_bytes(bytes) else { return };
    set.verify();
    assert_eq!(set.as_listpack().map(|list| list.as_bytes()), Some(bytes));
    for (rank, (member, score)) in set.iter().enumerate() {
        assert_eq!(set.rank_and_score(member.to_vec()), Some((rank, score)));
        let ranks = set.ranks_by_score(score..=score);
        assert!(ranks.contains(&rank));
        assert!(set.by_score(score..=score).eq(set.range(ranks)));
    }
    let entries: Vec<_> = set.iter().map(|(member, score)| (member.to_vec(), score)).collect();
    let limits = Limits { entries: 0, ..Limits::default() };
    let large = Set::from_entries(entries, &limits).expect("distinct members");
    large.verify();
    assert_eq!(large, set);
    assert!(large.by_score(..).rev().eq(set.iter().rev()));
    set.fit(&limits).expect("within the limits");
    assert_eq!(large, set);
    set.pop_first();
    set.pop_last();
    set.verify();
});
