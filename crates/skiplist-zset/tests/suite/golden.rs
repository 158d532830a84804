//! Listpacks of live servers: read, and written byte for byte.

use skiplist_zset::{Encoding, Limits, ScoreText, ZSet};
use testkit::rng::Rng;

const GOLDEN: [(&[u8], ScoreText); 5] = [
    (include_bytes!("../data/z_128.blob"), ScoreText::Digits17),
    (include_bytes!("../data/z_intmembers.blob"), ScoreText::Digits17),
    (include_bytes!("../data/z_special_lp.blob"), ScoreText::Digits17),
    (include_bytes!("../data/z_special_lp_7_4.blob"), ScoreText::Shortest),
    (include_bytes!("../data/geo_cities.blob"), ScoreText::Digits17),
];

#[test]
fn the_bytes_of_servers_are_read_and_written() {
    for (blob, text) in GOLDEN {
        let set: ZSet = ZSet::from_bytes(blob).unwrap();
        assert_eq!(set.as_listpack().unwrap().as_bytes(), blob);
        let limits = Limits { text, ..Limits::default() };
        let mut entries: Vec<_> =
            set.iter().map(|(member, score)| (member.to_vec(), score)).collect();
        let built: ZSet = ZSet::from_entries(entries.iter().cloned(), &limits).unwrap();
        assert_eq!(built.as_listpack().unwrap().as_bytes(), blob);

        // In random order, and by changing other scores.
        Rng::new(1).shuffle(&mut entries);
        let mut added: ZSet = ZSet::new();
        for (member, score) in &entries {
            added.add(member, -score, &limits).unwrap();
        }
        for (member, score) in &entries {
            added.add(member, *score, &limits).unwrap();
        }
        assert_eq!(added.as_listpack().unwrap().as_bytes(), blob);

        // To the other encoding and back.
        let none = Limits { entries: 0, ..limits };
        added.fit(&none).unwrap();
        assert_eq!(added.encoding(), Encoding::SkipList);
        added.verify();
        assert_eq!(added, set);
        added.fit(&limits).unwrap();
        assert_eq!(added.as_listpack().unwrap().as_bytes(), blob);
    }
}

#[test]
fn a_negative_zero_is_kept_by_the_skip_list_alone() {
    let limits = Limits::default();
    let mut set: ZSet = ZSet::new();
    set.add("a", -0.0, &limits).unwrap();
    assert!(set.score("a").unwrap().is_sign_positive());
    set.fit(&Limits { entries: 0, ..limits }).unwrap();
    set.add("b", -0.0, &limits).unwrap();
    assert!(set.score("b").unwrap().is_sign_negative());
    assert_eq!(set.ranks_by_score(0.0..=0.0), 0..2);
}

#[test]
fn the_form_changes_at_the_limits_and_never_back() {
    let limits = Limits { entries: 3, value: 5, ..Limits::default() };
    for (members, encoding) in [
        (&["a", "b", "ccccc"][..], Encoding::ListPack),
        (&["a", "b", "c", "d"], Encoding::SkipList),
        (&["cccccc"], Encoding::SkipList),
        (&["1234567"], Encoding::SkipList),
    ] {
        let mut set: ZSet = ZSet::new();
        for member in members {
            set.add(member, 1.0, &limits).unwrap();
        }
        assert_eq!(set.encoding(), encoding, "{members:?}");
        for member in members {
            set.remove(member).unwrap();
        }
        assert_eq!((set.encoding(), set.len()), (encoding, 0));
        set.verify();
    }
}
