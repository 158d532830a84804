//! Many members: the towers have levels, memory is as documented, and it is proportional to the members.

use skiplist_zset::{Limits, ZSet};
use testkit::rng::Rng;

const MEMBERS: usize = 120_000;
const LAST: u32 = 119_999;

fn filled(rng: &mut Rng) -> (ZSet, Vec<String>) {
    let mut set: ZSet = ZSet::new();
    let mut members: Vec<String> = (0..MEMBERS).map(|n| format!("member:{n:09}")).collect();
    rng.shuffle(&mut members);
    for member in &members {
        set.add(member, rng.unit() * 1e9, &Limits::default()).expect("room");
    }
    (set, members)
}

#[test]
fn memory_follows_what_is_kept() {
    let mut rng = Rng::new(1);
    let (mut set, members) = filled(&mut rng);
    set.verify();
    let full = set.heap_bytes();
    assert!((43 * MEMBERS..47 * MEMBERS).contains(&full), "{} bytes a member", full / MEMBERS);
    for (gone, member) in members.iter().enumerate() {
        assert!(set.remove(member).is_some());
        let left = MEMBERS - gone - 1;
        if gone % 20_000 == 0 {
            set.verify();
        }
        // The index alone may have eight times the capacity that it needs.
        let most = if left < 2048 { 200_000 } else { 130 * left };
        assert!(set.heap_bytes() < most, "{} bytes for {left}", set.heap_bytes());
    }
    set.verify();
}

#[test]
fn sorted_members_fill_their_blocks() {
    for direction in [1.0, -1.0] {
        let mut set: ZSet = ZSet::new();
        for n in 0..=LAST {
            let score = direction * f64::from(n);
            set.add(format!("member:{n:09}"), score, &Limits::default()).unwrap();
        }
        set.verify();
        assert!(set.heap_bytes() < 46 * MEMBERS, "{} bytes a member", set.heap_bytes() / MEMBERS);
        assert_eq!(set.remove_range(10..MEMBERS - 10), MEMBERS - 20);
        set.verify();
        assert!(set.heap_bytes() < 100_000, "{} bytes for 20", set.heap_bytes());
    }
}

#[test]
fn members_that_come_and_go_take_no_more_room() {
    let mut rng = Rng::new(2);
    let (mut set, mut members) = filled(&mut rng);
    for turn in 0..2 * MEMBERS {
        let at = rng.index(MEMBERS);
        assert!(set.remove(&members[at]).is_some());
        // Members of many lengths, so that few fit into the room of removed ones.
        members[at] = format!("{turn:0width$}", width = 8 + turn % 17);
        set.add(&members[at], rng.unit(), &Limits::default()).unwrap();
    }
    set.verify();
    assert!(set.heap_bytes() < 70 * MEMBERS, "{} bytes a member", set.heap_bytes() / MEMBERS);
}
