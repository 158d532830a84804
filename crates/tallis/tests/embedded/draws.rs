//! Draws with repetition, in each encoding: every member is drawn about equally often, with what belongs to it.

use std::collections::BTreeMap;
use std::fmt::Debug;

use tallis::{ExpireOption, Limits, Profile, Store};

const MEMBERS: usize = 10;
const DRAWS: usize = 5_000;

/// Asserts that each of the members was drawn, half to one and a half times as often as on average.
fn even<T: Ord + Debug>(drawn: Vec<T>) {
    assert_eq!(drawn.len(), DRAWS);
    let mut counts = BTreeMap::new();
    for member in drawn {
        *counts.entry(member).or_insert(0) += 1;
    }
    let range = DRAWS / (2 * MEMBERS)..DRAWS * 3 / (2 * MEMBERS);
    assert_eq!(counts.len(), MEMBERS, "{counts:?}");
    assert!(counts.values().all(|count| range.contains(count)), "{counts:?}");
}

/// A store in which ten members are a listpack, or a larger encoding.
fn store(packed: bool) -> Store {
    let low = Limits {
        set_max_listpack_entries: 4,
        hash_max_listpack_entries: 4,
        zset_max_listpack_entries: 4,
        ..Limits::default()
    };
    let limits = if packed { Limits::default() } else { low };
    Store::builder().profile(Profile::Redis82).limits(limits).random_seed(5).build()
}

fn members() -> impl Iterator<Item = String> {
    (0..MEMBERS).map(|number| format!("member:{number}"))
}

#[test]
fn members_of_a_set_are_drawn_equally_often() {
    let count = -i64::try_from(DRAWS).unwrap();
    for (packed, encoding) in [(true, "listpack"), (false, "hashtable")] {
        let store = store(packed);
        store.sadd("s", members().collect::<Vec<_>>()).unwrap();
        assert_eq!(store.object_encoding("s").unwrap(), Some(encoding));
        even(store.srandmember_multiple("s", count).unwrap());
    }
    let store = store(true);
    store.sadd("s", 0..10).unwrap();
    even(store.srandmember_multiple("s", count).unwrap());
}

#[test]
fn fields_are_drawn_equally_often_with_their_values() {
    let count = -i64::try_from(DRAWS).unwrap();
    for (packed, encoding) in [(true, "listpack"), (false, "hashtable")] {
        let store = store(packed);
        let fields: Vec<_> = members().map(|member| (format!("of {member}"), member)).collect();
        store.hset_multiple("h", &fields).unwrap();
        assert_eq!(store.object_encoding("h").unwrap(), Some(encoding));
        for _ in 0..2 {
            even(store.hrandfield_multiple("h", count).unwrap());
            let pairs = store.hrandfield_withvalues("h", count).unwrap();
            assert!(pairs.iter().all(|(field, value)| *field == [b"of ", &value[..]].concat()));
            even(pairs);
            // The second time with a field that expires later.
            store.hexpire("h", 100, ExpireOption::Always, ["of member:1"]).unwrap();
        }
    }
}

#[test]
fn members_of_a_sorted_set_are_drawn_equally_often_with_their_scores() {
    let count = -i64::try_from(DRAWS).unwrap();
    for (packed, encoding) in [(true, "listpack"), (false, "skiplist")] {
        let store = store(packed);
        let scored: Vec<_> = (1..).map(f64::from).zip(members()).collect();
        store.zadd_multiple("z", &scored).unwrap();
        assert_eq!(store.object_encoding("z").unwrap(), Some(encoding));
        let drawn = store.zrandmember_withscores("z", count).unwrap();
        let own =
            |member: &[u8]| scored.iter().find(|(_, own)| own.as_bytes() == member).unwrap().0;
        assert!(drawn.iter().all(|(member, score)| own(member).to_bits() == score.to_bits()));
        even(drawn.into_iter().map(|(member, _)| member).collect());
    }
}
